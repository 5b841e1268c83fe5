# The command line against its contract. Usage: sh tests/cli.sh build/finf [NAME..], of the files in tests/cli/; all unless
# named. Every check runs finf in a fresh directory and looks at the exit code, stdout, stderr and the files left behind.
[ -x "$1" ] || { echo "usage: sh tests/cli.sh build/finf [NAME..]" >&2; exit 1; }
case $1 in /*) finf=$1 ;; *) finf=$PWD/$1 ;; esac
case $0 in /*) here=${0%/*}/cli ;; */*) here=$PWD/${0%/*}/cli ;; *) here=$PWD/cli ;; esac
shift
LC_ALL=C
export LC_ALL
T=$(mktemp -d) || exit 1
trap 'chmod -R u+rwx "$T"; rm -rf "$T"' EXIT
trap 'exit 1' HUP INT TERM
if [ $# = 0 ]; then set -- $(cd "$here" && ls -- *.sh | sed -e 's/[.]sh$//' -e /^helpers$/d); fi
for suite; do
    [ -f "$here/$suite.sh" ] || { echo "tests/cli/ has no $suite.sh" >&2; exit 1; }
    mkdir "$T/w" || exit 1
    ( # nothing that one file sets is there for the next
        cd "$T/w" || exit 1
        . "$here/helpers.sh"
        files
        . "$here/$suite.sh"
        [ $failed = 0 ] || echo "tests/cli/$suite.sh: $failed failed"
        echo "$passed $failed $skipped" >>"$T/counts"
    ) || { echo "tests/cli/$suite.sh ended early"; exit 1; }
    chmod -R u+rwx "$T/w" && rm -rf "$T/w"
done
awk '{ p += $1; f += $2; s += $3 }
    END { print p " passed, " f " failed" (s ? ", " s " skipped: Arb, ECOS or libsodium is not there" : ""); exit f > 0 }' "$T/counts"
