# Writes the make variables for the optional parts: which file ECOS is in, whether Arb and libsodium are there. With the
# word `ecos`, writes the files of ECOS only, ':' between them, as FINF_ECOS_LIBRARY takes them; with `lapack` it fails
# where no LAPACK can be loaded, with `openblas` where only the reference LAPACK can, which is five times slower.
# ECOS is loaded when first used, so it has to be a shared library: that which ECOS_LIBS from the environment links with
# (a file or -L.. -l..), then pkg-config's ecos, then the one inside Debian's r-cran-ecosolver. ECOS=no, ARB=no,
# SODIUM=no, SQLITE=no, MPI=no: do without.
CC=${CC:-cc}
links() { # links FLAGS < program
    $CC -x c - -x none $1 -o /dev/null >/dev/null 2>&1
}
shared() { # shared FLAGS: the shared library with ECOS among the files that the linker reads
    echo 'const char *ECOS_ver(void); int main(void) { return !ECOS_ver(); }' |
        $CC -x c - -x none $1 -Wl,--trace -o /dev/null 2>/dev/null | sed 's/.*(\(.*\))$/\1/' |
        while read -r file; do
            case $file in *.so | *.so.*)
                nm -D --defined-only "$file" 2>/dev/null | grep -q ' ECOS_ver$' && readlink -f "$file" ;;
            esac
        done | head -n 1
}
ecos() {
    [ "$ECOS" = no ] && return
    if [ -n "$ECOS_LIBS" ]; then
        found=$(shared "$ECOS_LIBS")
        [ -n "$found" ] || echo "ECOS_LIBS=$ECOS_LIBS: no shared library with ECOS" >&2
        echo "$found"
        return
    fi
    flags=$(pkg-config --libs ecos 2>/dev/null) && found=$(shared "$flags") && [ -n "$found" ] && echo "$found" && return
    for R in /usr/lib/R /usr/lib64/R; do
        for library in $R/site-library $R/library /usr/local/lib/R/site-library; do
            solver=$library/ECOSolveR/libs/ECOSolveR.so
            if [ -e $solver ] && [ -e $R/lib/libR.so ]; then
                echo "$R/lib/libR.so:$solver"
                return
            fi
        done
    done
}
lapack() { # lapack [NAME]: whether a LAPACK can be loaded by one of the names in bounds/kernel/lapack_library.c
    for name in libopenblas.so.0 libflexiblas.so.3 $1; do
        case $($CC -print-file-name=$name) in /*) return 0 ;; esac
    done
    return 1
}
case $1 in
lapack) lapack liblapack.so.3; exit ;;
openblas) lapack; exit ;;
esac
found=$(ecos)
if [ "$1" = ecos ]; then
    echo "$found"
    exit
fi
for header in gsl/gsl_version.h fftw3.h; do
    if ! echo "#include <$header>" | $CC -E - >/dev/null 2>&1; then
        echo "$header is missing: 'make deps' installs what is" >&2
        exit 1
    fi
done
missing=
echo "CONFIG_ECOS_FLAGS := -DFINF_ECOS_PATH='\"$found\"'"
echo "ECOS: ${found:-not found: Newton solves everything}" >&2
[ -n "$found" ] || [ "$ECOS" = no ] || missing="$missing ECOS"

arb() {
    [ "$ARB" = no ] && return 1
    for libs in "-lflint-arb -lflint -lgmp" "-larb -lflint -lgmp" "-lflint -lgmp"; do
        for header in acb_calc.h flint/acb_calc.h; do
            printf '#include <%s>\nint main(void) { acb_t x; acb_init(x); acb_clear(x); return 0; }\n' $header |
                links "$libs" && return
        done
    done
    missing="$missing Arb"
    return 1
}
if arb; then
    hypgeom=${header%acb_calc.h}arb_hypgeom.h
    echo "CONFIG_ARB_FLAGS := -DFINF_ARB_HEADER='<$header>' -DFINF_ARB_HYPGEOM_HEADER='<$hypgeom>'"
    # loaded when first used, like ECOS, where scripts/stubs.sh knows the processor's jump
    files=
    for lib in $libs; do
        [ "$lib" = -lgmp ] || files="$files $($CC -print-file-name=lib${lib#-l}.so)"
    done
    soname=$(for file in $files; do objdump -p "$file" 2>/dev/null; done | awk '$1 == "SONAME" { print $2; exit }')
    case $($CC -dumpmachine) in x86_64* | aarch64*) ;; *) soname= ;; esac
    echo "CONFIG_ARB_LINKED := $libs"
    if [ -n "$soname" ]; then
        echo "CONFIG_ARB_LIBS := -lgmp"
        echo "CONFIG_ARB_FILES := $files"
        echo "CONFIG_ARB_SONAME := -DFINF_ARB_SONAME='\"$soname\"'"
    else
        echo "CONFIG_ARB_LIBS := $libs"
    fi
    echo "Arb: $libs${soname:+, loaded as $soname}" >&2
else
    echo "CONFIG_ARB_FLAGS := -DFINF_NO_ARB"
    echo "CONFIG_ARB_LIBS :="
    echo "Arb: not found: no certificates" >&2
fi
if [ "$LAPACK" = no ]; then
    echo "CONFIG_LAPACK_FLAGS := -DFINF_LAPACK_NAMES='\"\"'"
    echo "LAPACK: left out: GSL in its place" >&2
elif ! lapack liblapack.so.3; then
    echo "LAPACK: not found: GSL in its place" >&2
    missing="$missing LAPACK"
fi
# libsodium is loaded when the first stream is made: its file's name is all that is needed
sodium=
if [ "$SODIUM" != no ] && echo 'int sodium_init(void); int main(void) { return sodium_init(); }' | links -lsodium; then
    sodium=$(objdump -p "$($CC -print-file-name=libsodium.so)" 2>/dev/null | awk '$1 == "SONAME" { print $2; exit }')
fi
echo "CONFIG_SODIUM_FLAGS := ${sodium:+-DFINF_SODIUM_SONAME='\"$sodium\"'}"
echo "libsodium: ${sodium:-not found: no streams}" >&2
[ -n "$sodium" ] || [ "$SODIUM" = no ] || missing="$missing libsodium"
# SQLite is loaded when the first database is opened; its header has the types
sqlite=
if [ "$SQLITE" != no ] && printf '#include <sqlite3.h>\nint main(void) { return sqlite3_threadsafe(); }\n' | links -lsqlite3; then
    sqlite=$(objdump -p "$($CC -print-file-name=libsqlite3.so)" 2>/dev/null | awk '$1 == "SONAME" { print $2; exit }')
fi
echo "CONFIG_SQLITE_FLAGS := ${sqlite:+-DFINF_SQLITE_SONAME='\"$sqlite\"'}"
echo "SQLite: ${sqlite:-not found: no sweeps}" >&2
[ -n "$sqlite" ] || [ "$SQLITE" = no ] || missing="$missing SQLite"
# MPI is for finf-mpi alone
mpi=
if [ "$MPI" != no ]; then
    for pc in ompi-c mpi-c mpich; do
        flags=$(pkg-config --cflags "$pc" 2>/dev/null | sed 's/-I/-isystem /g') && mpi=$(pkg-config --libs "$pc" 2>/dev/null) &&
            printf '#include <mpi.h>\nint main(void) { return MPI_Init(0, 0); }\n' | links "$flags $mpi" && break
        mpi=
    done
    [ -n "$mpi" ] || missing="$missing MPI"
fi
echo "CONFIG_MPI_FLAGS := ${mpi:+$flags}"
echo "CONFIG_MPI_LIBS := $mpi"
echo "MPI: ${mpi:-not found: no finf-mpi}" >&2
echo '#include <check.h>' | $CC -E - >/dev/null 2>&1 || missing="$missing Check"
echo "CONFIG_MISSING :=$missing"
