# What the tests reach, by gcov. Usage: sh scripts/coverage.sh BUILD SOURCE..
# A line a file that has lines not reached, the worst first; BUILD/unreached lists each of them; then each room, and all
# together. Fails where fewer than LEAST (98) percent of the lines were reached.
build=$1
shift
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
for source; do
    object=$build/obj/${source%.c}.o
    [ -f "${object%.o}.gcda" ] || { echo "$source 0 1 0 1"; continue; } # never run at all
    gcov -b -c -o "$object" "$source" 2>/dev/null >"$dir/out"
    awk -v want="File '$source'" -v file="$source" '
        /^File / { here = $0 == want }
        here && /^Lines executed:/ { split($0, x, /[:% ]+/); lines = x[3]; of = $NF }
        here && /^Branches executed:/ { branches = $NF }
        here && /^Taken at least once:/ { split($0, x, /[:% ]+/); taken = x[5] }
        END { printf "%s %.0f %d %.0f %d\n", file, lines * of / 100, of, taken * branches / 100, branches }' "$dir/out"
    if [ -f "${source##*/}.gcov" ]; then
        awk -F: -v file="$source" '$1 ~ /#####/ { at = $2; gsub(/ /, "", at); line = $0; sub(/^[^:]*:[^:]*:/, "", line); print file ":" at ":" line }' \
            "${source##*/}.gcov" >>"$dir/unreached"
    fi
    rm -f -- *.gcov
done >"$dir/counts"
mv "$dir/unreached" "$build/unreached"
awk '{ if ($2 < $3) printf "%6.1f%% of %4d lines, %5.1f%% of %4d branches  %s\n", 100 * $2 / $3, $3, $5 ? 100 * $4 / $5 : 100, $5, $1 }' "$dir/counts" | sort -n
awk -v list="$build/unreached" -v least="${LEAST:-98}" '
    { room = $1; sub(/\/[^\/]*$/, "", room); if (!(room in of)) name[++n] = room
      lines[room] += $2; of[room] += $3; taken[room] += $4; branches[room] += $5
      l += $2; L += $3; b += $4; B += $5 }
    function part(x, y) { return y ? 100 * x / y : 100 }
    END { print ""
        for (i = 1; i <= n; i++) { r = name[i]
            printf "%6.2f%% of %5d lines, %6.2f%% of %5d branches  %s\n", part(lines[r], of[r]), of[r], part(taken[r], branches[r]), branches[r], r }
        printf "lines %.2f%% of %d, branches %.2f%% of %d; not reached: %s\n", part(l, L), L, part(b, B), B, list
        exit part(l, L) < least }' "$dir/counts"
