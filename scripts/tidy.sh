# clang-tidy (.clang-tidy says which checks) and cppcheck (.cppcheck) on the sources. Usage: sh scripts/tidy.sh FILE-OF-FLAGS SOURCE..
# Fails on what is not in scripts/tidy.accepted: lines "file check", found to be no mistake, each group with its reason.
flags=$(cat "$1")
shift
failed=0
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
if command -v "${TIDY:-clang-tidy}" >/dev/null; then
    printf '%s\n' "$@" | FLAGS="-std=c11 -D_XOPEN_SOURCE=700 $flags" xargs -P 2 -n 4 sh -c \
        'eval "${TIDY:-clang-tidy} --quiet \"\$@\" -- $FLAGS" 2>/dev/null' tidy >"$dir/all"
    sed -nE "s|^$PWD/||; s|^([^ :]+:[0-9]+):[0-9]+: (error\|warning): (.*) \[([^],]*).*|\1 \4 \3|p" "$dir/all" | sort -u >"$dir/found"
    grep -v '^#' scripts/tidy.accepted | sort -u >"$dir/accepted"
    awk 'FILENAME ~ /accepted$/ { ok[$1 " " $2] = 1; next } { file = $1; sub(/:.*/, "", file); if (!((file " " $2) in ok)) print }' \
        "$dir/accepted" "$dir/found" >"$dir/left"
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
