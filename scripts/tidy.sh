# clang-tidy (.clang-tidy says which checks) and cppcheck (.cppcheck) on the sources. Usage: sh scripts/tidy.sh FILE-OF-FLAGS SOURCE..
# Fails on what is not in scripts/tidy.accepted: lines "file check", found to be no mistake, each group with its reason.
# A process for each file: of several, clang-tidy 14 takes what it knows of one into the next.
flags=$(cat "$1")
shift
failed=0
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
if command -v "${TIDY:-clang-tidy}" >/dev/null; then
    printf '%s\n' "$@" | FLAGS="-std=c11 -D_XOPEN_SOURCE=700 $flags" xargs -P 2 -n 1 sh -c \
        'eval "${TIDY:-clang-tidy} --quiet \"\$@\" -- $FLAGS" 2>/dev/null' tidy >"$dir/all"
    sed -nE "s|^$PWD/||; s|^([^ :]+:[0-9]+):[0-9]+: (error\|warning): (.*) \[([^],]*).*|\1 \4 \3|p" "$dir/all" | sort -u >"$dir/found"
    # each accepted line as an expression for what was found
    grep -v '^#' scripts/tidy.accepted | sed 's/[.]/[.]/g; s/[*]/[^:]*/g; s/^\([^ ]*\) \(.*\)$/^\1:[0-9]+ \2 /' >"$dir/accepted"
    grep -E -v -f "$dir/accepted" "$dir/found" >"$dir/left"
    if [ -s "$dir/left" ]; then
        cat "$dir/left"
        failed=1
    fi
else
    echo 'skipped: no clang-tidy'
fi
if command -v cppcheck >/dev/null; then
    includes=$(printf '%s\n' $flags | grep '^-I')
    cppcheck -q -j 2 --std=c11 --enable=warning,performance,portability --error-exitcode=1 --suppressions-list=.cppcheck \
        $includes "$@" || failed=1
else
    echo 'skipped: no cppcheck'
fi
[ $failed = 0 ] && echo "$# files, nothing left"
[ $failed = 0 ]
