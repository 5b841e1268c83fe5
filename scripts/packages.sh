# Installs the Debian packages the build needs, if a header is missing. $1: headers, $2: packages.
missing=
for header in $1; do
    echo "#include <$header>" | ${CC:-cc} -E - >/dev/null 2>&1 || missing="$missing $header"
done
# ECOS has no header: any library that links will do
if [ -z "$ECOS_LIBS" ] && ! pkg-config --exists ecos 2>/dev/null && [ ! -e /usr/lib/R/site-library/ECOSolveR/libs/ECOSolveR.so ]; then
    missing="$missing ECOS"
fi
[ -z "$missing" ] && exit 0
line="apt-get install -y --no-install-recommends $2"
echo "missing:$missing"
if ! command -v apt-get >/dev/null; then
    echo "install the development packages of: $2" >&2
    exit 1
elif [ "$(id -u)" = 0 ]; then
    run=
elif sudo -n true 2>/dev/null; then
    run=sudo
else
    echo "run this line, then make again:" >&2
    echo "  sudo $line" >&2
    exit 1
fi
echo "$run $line"
$run env DEBIAN_FRONTEND=noninteractive $line >/dev/null 2>&1 && exit 0
$run apt-get update -qq && $run env DEBIAN_FRONTEND=noninteractive $line >/dev/null && exit 0
echo "could not install: $2" >&2
exit 1
