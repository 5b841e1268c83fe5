# Runs every '$ finf ...' line in the code blocks of the pages below (a block "```toml FILE" is that file), each page in a folder of its own and from its top to
# its end, and compares what is printed with what the page shows; then runs the Example of every --help, and looks whether
# docs/commands.md is what the program writes. Usage: sh tests/docs.sh path/to/finf
case $1 in /*) finf=$1 ;; *) finf=$PWD/$1 ;; esac
pages='README.md docs/choosing.md docs/design.md docs/sigma.md docs/audit.md docs/sweep.md' root=$PWD manual=$PWD/docs/commands.md
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
mkdir "$dir/bin" && ln -s "$finf" "$dir/bin/finf" && PATH=$dir/bin:$PATH || exit 1
passed=0 failed=0

for page in $pages; do
    mkdir "$dir/$(basename "$page")" && cd "$dir/$(basename "$page")" || exit 1
    # one numbered file for each command and for what it should print
    awk 'function to(kind) { return sprintf("%s.%03d", kind, n) }
         /^```/ { block = !block; open = 0; file = block ? $2 : ""; next }
         block && file { print > file; next }
         block && /^\$ finf/ { n++; open = 1; print substr($0, 3) > to("command"); printf "" > to("expected"); next }
         block && open { print > to("expected") }' "$root/$page"
    for command in command.*; do
        n=${command#command.}
        sh "$command" > "actual.$n" 2>&1
        if cmp -s "expected.$n" "actual.$n"; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            echo "$page: $(cat "$command")"
            diff "expected.$n" "actual.$n"
        fi
    done
done
mkdir "$dir/examples" && cd "$dir/examples" || exit 1
printf '[[grid]]\ncommand = "mean"\nnoise = "sgd"\neta = [0.1, 0.2]\n' > jobs.toml # the example of sweep reads it
for c in $(finf --help | sed -n 's/^  finf \([a-z]*\) .*/\1/p'); do
    example=$(finf "$c" --help | sed -n '/^Example/{n;s/^  //p;}')
    if [ -n "$example" ] && sh -c "$example" > out 2>&1 && [ -s out ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "finf $c --help: example fails: $example"
        cat out
    fi
done
finf --markdown > commands.md
if cmp -s commands.md "$manual"; then
    passed=$((passed + 1))
else
    failed=$((failed + 1))
    echo "docs/commands.md is not what 'finf --markdown' writes: run 'make docs'"
    diff "$manual" commands.md
fi
if grep -q '`?`' commands.md; then # options.c: a default said to be the library's, of which it has none
    failed=$((failed + 1))
    echo 'a default of the library is not known'
    grep '`?`' commands.md
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
