# Which room (folder) uses which, by the symbols of the object files. Usage: sh tests/layers.sh [--write] BUILD
# docs/architecture.md lists the rooms from the ground up, each with the rooms it uses, in its block ```rooms.
# Fails where a room uses one that is not listed before it, where that list is not what the objects show (--write
# rewrites it), and where something below cli/ prints, ends the program or reads files.
write=0
if [ "$1" = --write ]; then
    write=1
    shift
fi
build=$1 page=docs/architecture.md
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
passed=0 failed=0
# check STATUS: what was looked for went to $dir/wrong; nothing there is good, if the search itself came to its end
check() {
    [ "$1" = 0 ] || echo 'the test itself fails' >>"$dir/wrong"
    if [ ! -s "$dir/wrong" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); sed 's/^/FAILED: /' "$dir/wrong"; fi
}

# "room file symbol kind": D defined for other files, U used. Only objects whose source is still there.
for source in $(find base ellint bounds socp cli -name '*.c' | sort); do
    object=$build/obj/${source%.c}.o
    [ -f "$object" ] || { echo "no $object: make comes first"; exit 1; }
    nm -P "$object" | awk -v file="$source" -v room="${source%/*}" '
        $2 ~ /^[Uwv]$/ { print room, file, $1, "U" }
        $2 ~ /^[A-TV-Zi]$/ { print room, file, $1, "D" }'
done >"$dir/symbols"
awk '{ print $1 }' "$dir/symbols" | sort -u >"$dir/rooms"

# the list, and the same as the objects have it. A build without Arb has no certificate: for that room the list is believed.
sed -n '/^```rooms$/,/^```$/p' $page | sed '/^```/d' >"$dir/listed"
awk '
    FILENAME ~ /listed$/ { order[++rooms] = $1; listed[rooms] = $0; next }
    pass == 1 && $4 == "D" { home[$3] = $1 }
    pass == 2 && $4 == "U" && $3 in home && home[$3] != $1 { uses[$1, home[$3]] = 1 }
    $1 == "socp/certify" && $3 ~ /^arb_/ { arb = 1 }
    END {
        for (i = 1; i <= rooms; i++) {
            line = sprintf("%-16s :", order[i])
            for (j = 1; j <= rooms; j++) if ((order[i], order[j]) in uses) line = line " " order[j]
            sub(/ *:$/, "", line)
            print order[i] == "socp/certify" && !arb ? listed[i] : line
        }
    }' "$dir/listed" pass=1 "$dir/symbols" pass=2 "$dir/symbols" >"$dir/shown"

if [ $write = 1 ] && [ -s "$dir/shown" ]; then
    awk -v list="$dir/shown" '
        /^```rooms$/ { print; while ((getline line < list) > 0) print line; skip = 1; next }
        /^```$/ { skip = 0 }
        !skip' $page >"$dir/page" && cat "$dir/page" >$page
    cp "$dir/shown" "$dir/listed"
fi

# every room is listed, once, and no other
awk '{ print $1 }' "$dir/listed" | sort | diff - "$dir/rooms" |
    sed -n "s|^>|$page does not list the room|p; s|^<|$page lists, once too often or without objects, the room|p" >"$dir/wrong"
check $?
# nothing points upward; named with a symbol by which it does
awk '
    FILENAME ~ /listed$/ { height[$1] = ++rooms; next }
    pass == 1 && $4 == "D" { home[$3] = $1 }
    pass == 2 && $4 == "U" && $3 in home && height[home[$3]] > height[$1] && !(($1, home[$3]) in said) {
        said[$1, home[$3]] = 1
        print $1 " uses " home[$3] ", which is above it: " $3 " in " $2
    }' "$dir/listed" pass=1 "$dir/symbols" pass=2 "$dir/symbols" >"$dir/wrong"
check $?
# the list is the graph
diff "$dir/listed" "$dir/shown" >"$dir/differ"
sed -n "s|^<|$page has: |p; s|^>|the objects have: |p; \$a 'make docs' brings the list up to date" "$dir/differ" >"$dir/wrong"
check $?

# What the library may not call, and who may: a file, the symbol, the reason.
cat >"$dir/may" <<'LIST'
socp/certify/certify.c abort where GMP or FLINT, for the numbers of another part of the program, has no memory: they would
base/library.c dlopen Arb, ECOS, LAPACK, libsodium and SQLite are loaded when they are first used
bounds/kernel/lapack_library.c secure_getenv FINF_LAPACK_LIBRARY names another LAPACK
socp/solver/ecos_library.c secure_getenv FINF_ECOS_LIBRARY names another ECOS
LIST
awk '
    FILENAME ~ /may$/ { may[$1, $2] = 1; next }
    $1 ~ /^cli/ || $4 != "U" || ($2, $3) in may { next }
    $3 ~ /^(__)?v?[fd]?(printf|scanf)(_chk)?$/ || $3 ~ /^__isoc(99|23)_v?f?scanf$/ ||
    $3 ~ /^(std(in|out|err)|f?puts|f?putc|putchar|_IO_putc|perror|p?write|writev|fwrite)$/ ||
    $3 ~ /^(f(d|re|mem)?open(64)?|open(at)?(64)?|creat(64)?|popen|tmpfile(64)?|mkstemp(64)?|dlopen)$/ ||
    $3 ~ /^(p?read|fread|f?getc|getchar|f?gets|getline|getdelim|opendir|(secure_)?getenv)$/ ||
    $3 ~ /^(remove|unlink|rename|system|fork|exec[lv].*|(_|quick_)?[eE]xit|abort|__assert_fail|raise|kill|signal|sigaction)$/ {
        print $2 " calls " $3 ": below cli/ nothing prints, ends the program or reads files"
    }' "$dir/may" "$dir/symbols" >"$dir/wrong"
check $?
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
