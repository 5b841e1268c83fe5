# Installs the Debian packages the build needs, those that are missing. ECOS=no, ARB=no, LAPACK=no, SODIUM=no,
# SQLITE=no and MPI=no leave those parts out.
# Without them finf is built too; without the others it is not, and this fails. packages.sh python: also what the Python
# package and its tests need; packages.sh train: also what the examples that train need; packages.sh notebooks: also what
# runs the notebooks.
has() { echo "#include <$1>" | ${CC:-cc} -E - >/dev/null 2>&1; }
missing= packages= needed=
lacks() { # lacks NAME PACKAGE
    missing="$missing $1"
    packages="$packages $2"
}
has gsl/gsl_version.h || { lacks GSL libgsl-dev; needed=1; }
has fftw3.h || { lacks FFTW libfftw3-dev; needed=1; }
has check.h || { lacks Check check; needed=1; }
[ "$ARB" = no ] || has acb_calc.h || has flint/acb_calc.h || lacks Arb libflint-arb-dev
[ "$SQLITE" = no ] || has sqlite3.h || lacks SQLite libsqlite3-dev
[ "$MPI" = no ] || pkg-config --exists ompi-c 2>/dev/null || pkg-config --exists mpi-c 2>/dev/null || lacks MPI 'libopenmpi-dev openmpi-bin'
[ "$SODIUM" = no ] || has sodium.h || lacks libsodium libsodium-dev
[ "$ECOS" = no ] || [ -n "$(sh "$(dirname "$0")/config.sh" ecos)" ] || lacks ECOS r-cran-ecosolver
[ "$LAPACK" = no ] || sh "$(dirname "$0")/config.sh" openblas || lacks OpenBLAS libopenblas0-pthread
if [ -n "${1-}" ]; then
    python=${PYTHON:-/usr/bin/python3}
    for module in numpy scipy cffi pytest wheel ensurepip; do
        package=python3-$module
        [ $module = ensurepip ] && package=python3-venv
        "$python" -c "import $module" 2>/dev/null || { lacks "Python's $module" "$package"; needed=1; }
    done
    "$python" -c 'import pandas' 2>/dev/null || lacks "Python's pandas" python3-pandas # one test reads CSV by it
fi
if [ "${1-}" = train ]; then
    for module in torch sklearn matplotlib; do
        "$python" -c "import $module" 2>/dev/null || { lacks "Python's $module" "python3-$module"; needed=1; }
    done
    [ -d /usr/share/datasets/fashion-mnist ] || { lacks Fashion-MNIST dataset-fashion-mnist; needed=1; }
fi
if [ "${1-}" = notebooks ]; then
    for module in nbconvert ipykernel matplotlib; do
        package=python3-$module
        [ $module = nbconvert ] && package=jupyter-nbconvert
        "$python" -c "import $module" 2>/dev/null || { lacks "Python's $module" "$package"; needed=1; }
    done
fi
[ -z "$missing" ] && exit 0

without() { # they cannot be had
    [ -n "$needed" ] && exit 1
    echo "going on without:$missing" >&2
    exit 0
}
echo "missing:$missing" >&2
if ! command -v apt-get >/dev/null; then
    echo "install the development packages of:$missing" >&2
    without
elif [ "$(id -u)" = 0 ]; then
    run=
elif sudo -n true 2>/dev/null; then
    run=sudo
else
    echo "run this line, then make again:" >&2
    echo "  sudo apt-get install -y --no-install-recommends$packages" >&2
    without
fi
get() {
    echo "$run apt-get install -y --no-install-recommends$packages" >&2
    $run env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $packages >/dev/null
}
get 2>/dev/null && exit 0
$run apt-get update -qq
apt-cache show libflint-arb-dev >/dev/null 2>&1 || # since FLINT 3 Arb is a part of it
    packages=$(echo "$packages" | sed s/libflint-arb-dev/libflint-dev/)
get && exit 0
echo "could not install:$packages" >&2
without
