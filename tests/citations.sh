# What one file says of another. Usage: sh tests/citations.sh
# "theory 7.4" in the code is a heading of docs/theory.md; a file that a page names is there, and so are the tests it
# names of one; nothing is cited that a reader of this repository cannot open.
theory=docs/theory.md
pages="README.md CONTRIBUTING.md $(echo docs/*.md)"
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
passed=0 failed=0
# check STATUS: what was looked for went to $dir/wrong; nothing there is good, if the search itself came to its end
check() {
    [ "$1" = 0 ] || echo 'the test itself fails' >>"$dir/wrong"
    if [ ! -s "$dir/wrong" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); sed 's/^/FAILED: /' "$dir/wrong"; fi
}
find base bench bounds cli ellint fuzz include socp tests -name '*.[ch]' | sort >"$dir/sources"
find . -path ./build -prune -o -path ./.git -prune -o -type f -print | sed 's|^\./||' >"$dir/files"

# a file as one line: a citation may go on in the next one, after the " * " of a comment
flat() { tr '\n' ' ' <"$1" | sed 's/ \* / /g; s/  */ /g'; }
number='[0-9]+(\.[0-9]+)?'
cited() { flat "$2" | grep -oE "\b$1 $number((, | and |, and |-| to )$number)*" | grep -oE "$number"; }
sed -nE "s/^###? ($number)\.? .*/\1/p" $theory >"$dir/headings"
for f in $(cat "$dir/sources") $pages; do
    for n in $(cited '[Tt]heory' "$f"); do echo "$f cites theory $n, which $theory does not have" "$n"; done
done >"$dir/all"
for n in $(cited '[Ss]ections?' $theory); do echo "$theory cites its section $n, which it does not have" "$n"; done >>"$dir/all"
count=$(wc -l <"$dir/all")
awk 'FILENAME ~ /headings$/ { there[$1] = 1; next } !($NF in there) { NF--; print }' "$dir/headings" "$dir/all" >"$dir/wrong"
status=$?
[ "$count" -gt 100 ] || echo "only $count citations are found: is the pattern still right?" >>"$dir/wrong"
check $status

# its table of contents
sed -nE 's/^- \[(.*)\]\(#.*\)$/\1/p' $theory >"$dir/contents"
sed -nE 's/^## ([0-9].*)/\1/p' $theory | diff "$dir/contents" - | sed -n "s|^[<>]|$theory, contents against headings:|p" >"$dir/wrong"
check $?

# "file name" lines: those of which no file has that name, or ends in that path; name*.c is several
absent() {
    while read -r from name; do
        pattern=$(echo "$name" | sed 's/\./\\./g; s/\*/[^\/]*/g')
        grep -qE "(^|/)$pattern\$" "$dir/files" || echo "$from names $name, which is not there"
    done
}
# `name.c` in a page; name.c in a comment of the code
grep -noE '`[A-Za-z0-9_./*-]+\.(c|h|sh|py|md|inc)`' $pages | tr -d '`' | sed 's/:\([^:]*\)$/ \1/' | absent >"$dir/wrong"
check $?
for f in $(cat "$dir/sources"); do
    tr '\n' ' ' <"$f" | grep -oE '/\*([^*]|\*+[^*/])*\*+/' | grep -oE '[a-z_][a-z_0-9/]*\*?\.(c|sh|py|inc)\b' | sed "s|^|$f |"
done | sort -u | absent >"$dir/wrong"
check $?
# `function_name`, `TABLE`, `test_name.c` (a_test, another)
for name in $(grep -ohE '`([A-Za-z0-9]+_[A-Za-z0-9_]+|[A-Z]{3,})`' docs/architecture.md CONTRIBUTING.md | tr -d '`' | sort -u); do
    grep -qw "$name" $(cat "$dir/sources") || echo "docs/architecture.md or CONTRIBUTING.md names $name, which the code does not have"
done >"$dir/wrong"
check $?
flat $theory | grep -oE '`test_[a-z_]+\.c` \([^)]*\)' | tr -d '`(),' | while read -r file names; do
    for name in $names; do
        grep -q "START_TEST($name)" "tests/$file" || echo "$theory names the test $name, which tests/$file does not have"
    done
done >"$dir/wrong"
check $?

# the version
grep -q "^version: $(sed -n 's/.*FINF_VERSION "\(.*\)"/\1/p' include/finf.h)\$" CITATION.cff && : >"$dir/wrong" ||
    echo 'CITATION.cff does not have the version of include/finf.h' >"$dir/wrong"
check $?
# MATH, issue 12, #12
grep -nE '\bMATH\b|\b[Ii]ssues? #?[0-9]|(^|[ (])#[0-9]+([^-0-9a-z]|$)' $(cat "$dir/sources") $pages CHANGELOG.md |
    sed 's/$/   <- nobody else can read that/' >"$dir/wrong"
check $?
echo "$count citations; $passed passed, $failed failed"
[ "$failed" = 0 ]
