# clang-tidy (.clang-tidy says which checks) and cppcheck on the sources; nothing may be left. Usage:
# sh scripts/tidy.sh 'FLAGS' SOURCE..
flags=$1
shift
failed=0
if command -v "${TIDY:-clang-tidy}" >/dev/null; then
    printf '%s\n' "$@" | FLAGS="-std=c11 -D_XOPEN_SOURCE=700 $flags" xargs -P 2 -n 4 sh -c \
        'eval "${TIDY:-clang-tidy} --quiet \"\$@\" -- $FLAGS" 2>/dev/null' tidy || failed=1
else
    echo 'skipped: no clang-tidy'
fi
# exceptions are in the source, beside their reason: cppcheck-suppress
if command -v cppcheck >/dev/null; then
    includes=$(printf '%s\n' $flags | grep '^-I')
    cppcheck -q -j 2 --std=c11 --enable=warning,performance,portability --inline-suppr --error-exitcode=1 \
        --suppressions-list=.cppcheck $includes "$@" || failed=1
else
    echo 'skipped: no cppcheck'
fi
[ $failed = 0 ] && echo "$# files, nothing left"
[ $failed = 0 ]
