# The layout of the C files. Usage: sh tests/format.sh
# No line has more than 100 columns, and clang-format would change nothing. Versions lay out a few things differently, so
# only version 14 is asked, if it is there (CLANG_FORMAT=clang-format-14 names it).
LC_ALL=C.UTF-8
export LC_ALL
files=$(find base bench bounds cli ellint fuzz include socp tests -name '*.[ch]' | sort)
failed=0
grep -nE '^.{101,}' $files | sed 's/^\([^:]*:[0-9]*\):.*/FAILED: \1: more than 100 columns/' | grep . && failed=1
tool=${CLANG_FORMAT:-clang-format}
if $tool --version 2>/dev/null | grep -q 'version 14\.'; then
    for f in $files; do
        $tool --dry-run -Werror "$f" >/dev/null 2>&1 || { echo "FAILED: clang-format -i $f"; failed=1; }
    done
else
    echo 'skipped: no clang-format of version 14'
fi
echo "$(echo "$files" | wc -l) files, $([ $failed = 0 ] && echo passed || echo failed)"
[ $failed = 0 ]
