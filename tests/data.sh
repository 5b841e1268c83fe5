# The committed data against the program: a part of it is made again and every number compared.
# Usage: sh tests/data.sh path/to/finf
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
"$1" reproduce --quick --out "$dir/new" --quiet >/dev/null || exit 1
passed=0 failed=0
for name in fig1-beta fig1-spectrum fig2-d fig2-deff fig2-eta table1-table3-decays table2-prior errata; do
    # rows of the new file against the committed ones with the same first cell; strings by letter, numbers to 1e-9
    if awk -F, -v name="$name" '
        /^#/ || !NF { next }
        FNR == NR { old[$1] = $0; next }
        $1 in old {
            n = split(old[$1], was, ",")
            for (i = 1; i <= NF; i++) {
                if ($i == "") continue # --quick does not simulate
                if ($i + 0 == $i && was[i] + 0 == was[i]) { d = $i - was[i]; s = was[i] < 0 ? -was[i] : was[i]; if (d < 0) d = -d
                    if (d > 1e-9 * s) { print name ": " $1 ": " $i " is not " was[i]; bad = 1 } }
                else if ($i != was[i]) { print name ": " $1 ": " $i " is not " was[i]; bad = 1 }
            }
            rows++
        }
        END { if (rows < 2) print name ": nothing to compare"; exit bad || rows < 2 }' "notebooks-data/$name.csv" "$dir/new/$name.csv"
    then passed=$((passed + 1)); else failed=$((failed + 1)); fi
done
for f in notebooks-data/*.csv; do
    if head -n 2 "$f" | grep -q '^# finf '; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "$f names no command"; fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
