# The committed data against the program: made again with --quick (fewer points, few of them simulated), every number compared,
# and the commands that the files name run. Usage: sh tests/data.sh path/to/finf
case $1 in /*) finf=$1 ;; *) finf=$PWD/$1 ;; esac
data=$PWD/notebooks-data theory=$PWD/docs/theory.md
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
LC_ALL=C PATH=$dir/bin:$PATH
export LC_ALL PATH
mkdir "$dir/bin" && ln -s "$finf" "$dir/bin/finf" && cd "$dir" || exit 1
finf reproduce --quick --out new --quiet >/dev/null || exit 1
passed=0 failed=0
check() { if [ "$1" = 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: $2"; fi; }

# cells of a line of CSV; a quoted one may hold commas
cells='function cells(line, out,    n, c) {
    for (n = 0; line != ""; ) {
        if (substr(line, 1, 1) == "\"") { match(line, /^"([^"]|"")*"/); out[++n] = substr(line, 2, RLENGTH - 2); if (RLENGTH + 1 == length(line)) out[++n] = ""; line = substr(line, RLENGTH + 2); continue }
        c = index(line, ","); if (!c) c = length(line) + 1
        out[++n] = substr(line, 1, c - 1)
        if (c == length(line)) out[++n] = ""
        line = substr(line, c + 1)
    }
    return n
}
function near(a, b, tolerance,    d) { # b: as committed
    if (a == b) return 1
    if (a !~ /^-?[0-9.]+(e[-+][0-9]+)?$/ || b !~ /^-?[0-9.]+(e[-+][0-9]+)?$/) return 0
    d = a - b
    return d <= tolerance * (b < 0 ? -b : b) && -d <= tolerance * (b < 0 ? -b : b)
}'

# rows with the same first cell, or the only one; a time differs, an error estimate is rounding, and --quick fits no slope to one point
for old in "$data"/*.csv; do
    name=$(basename "$old" .csv)
    case $name in fig3-* | tuned-nu) tolerance=1e-6 ;; *) tolerance=1e-9 ;; esac # a solver's gap
    awk -v name="$name" -v tolerance=$tolerance "$cells"'
        { n = cells($0, x); first = name == "tuned-nu" ? "row" : x[1]; key = first " " ++seen[FILENAME, first] }
        FNR == NR { was[key] = $0; next }
        !width { width = n; for (i = 1; i <= n; i++) head[i] = x[i] }
        key in was {
            m = cells(was[key], y)
            for (i = 1; i <= n; i++) {
                if (head[i] ~ /^seconds$|_error$/ || (name == "fig2-slopes" && head[i] == "simulated")) { compared[i]++; continue }
                if (x[i] == "" && name ~ /^fig|^learning/) continue
                if (!near(x[i], y[i], tolerance)) { print name ": " key ", " head[i] ": " x[i] " is not " y[i]; bad = 1 }
                compared[i]++
            }
            rows++
        }
        END {
            for (i = 1; i <= width; i++) if (compared[i] + 0 < (head[i] ~ /sim|error|grid1000/ ? 1 : 2) && !(name == "tuned-nu")) { print name ": " head[i] " not compared"; bad = 1 }
            exit bad || rows < 2
        }' "$old" "new/$name.csv"
    check $? "$name.csv is not what the program makes"
done
[ "$(cd "$data" && echo *.csv *.svg *.html *.md)" = "$(cd new && echo *.csv *.svg *.html *.md)" ]
check $? 'the files are not those the program makes'
for name in fig1-beta fig1-spectrum table3-slopes-d table3-slopes-eta table3-slopes-deff; do cmp -s new/$name.svg "$data/$name.svg"; check $? "$name.svg"; done

# what a figure shows under the pointer, "x = 1" and then "name: 2" a line, is in the row of its CSV that has this x; the
# rates are drawn times a constant, and left out. Its title is the one that the program gives.
for svg in "$data"/fig*.svg "$data"/learning*.svg "$data"/momentum*.svg; do
    name=$(basename "$svg" .svg)
    awk "$cells"'
        FNR == NR { n = cells($0, x); if (FNR > 1) for (i = 2; i <= n; i++) if (x[i] != "") has[sprintf("%.6g", x[1]), x[i] == "inf" ? "infinite" : sprintf("%.5g", x[i])] = 1; next }
        /class="fp-hit/ { on = 1; sub(/.*<title>[^ ]* = /, ""); at = $0; next }
        !on { next }
        { last = /<[/]title>/; sub(/<.*/, ""); rate = /^rate_/; sub(/^.*: /, ""); sub(/ \302\261.*/, ""); gsub(/[][,]/, " ") }
        !rate && !/no value/ { for (i = 1; i <= NF; i++) { shown++; if (!((at, $i) in has)) { print FILENAME ": " $i " at " at " is not in the CSV"; bad = 1 } } }
        last { on = 0 }
        END { exit bad || shown < 10 }' "${svg%.svg}.csv" "$svg"
    check $? "$name.svg does not show its CSV"
    [ "$(grep bold "$svg")" = "$(grep bold "new/$name.svg")" ]
    check $? "$name.svg has another title"
done

# every CSV is a table that readers take as it is: one line of names, each name once, then as many cells in every line; those of
# figures are numbers under names that are identifiers
for csv in "$data"/*.csv; do
    awk -v strict="$(case $csv in *slopes*) echo 0 ;; */fig* | */learning* | */momentum*) echo 1 ;; *) echo 0 ;; esac)" "$cells"'
        /^#/ { bad = 1 }
        { n = cells($0, x); if (!width) width = n; if (n != width) bad = 1 }
        NR == 1 { for (i = 1; i <= n; i++) if (x[i] !~ /^[A-Za-z][A-Za-z0-9_]*$/ || seen[x[i]]++) bad = 1; next }
        strict { for (i = 1; i <= n; i++) if (x[i] !~ /^-?([0-9.]+(e[-+][0-9]+)?|inf)?$/) bad = 1 }
        END { exit bad || NR < 2 }' "$csv"
    check $? "$csv is not plain"
done

# what the titles about momentum say: heavy ball over sgd at the two ends, Nesterov no worse, at the best momentum, the largest
# (theory 11.6); and the numbers of the table there
awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { for (name in at) v[name] = $at[name]; for (name in v) if (!(name in one)) one[name] = v[name]; rows++ }
    v["sgd_heavy_ball"] < 0.998 * one["sgd_heavy_ball"] || v["sgd_nesterov"] < 0.998 * one["sgd_nesterov"] { bad = 1 }
    END { exit bad || rows != 8 || sprintf("%.1f", one["best_heavy_ball"] / v["best_heavy_ball"]) != "6.9" || sprintf("%.1f", one["best_nesterov"] / v["best_nesterov"]) != "6.9" }' \
    "$data/momentum-step.csv" && grep -q 'lowers F_inf 6.9 times .* at most 0.2%' "$data/momentum-step.svg"
check $? "momentum-step: its title is not what its data say"
awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    function near(a, b) { return a - b < 1e-9 && b - a < 1e-9 }
    { R = exp(-log(2) / $1); if (!near($at["m_heavy_ball"], R * R) || !near($at["m_nesterov"], R / (2 - R))) bad = 1 }
    $1 < 272 && $at["sgd_best"] != "inf" || $1 > 273 && $at["sgd_best"] == "inf" { bad = 1 }
    $at["nesterov_best"] > $at["heavy_ball_best"] || $at["nesterov_independent"] > $at["heavy_ball_independent"] { bad = 1 }
    $1 >= 1000 { a = $at["sgd_independent"] / $at["heavy_ball_independent"]; b = $at["sgd_best"] / $at["heavy_ball_best"]; if (!n++) { low = high = a; least = most = b }
        if (a < low) low = a; if (a > high) high = a; if (b < least) least = b; if (b > most) most = b }
    END { exit bad || n != 7 || sprintf("%.1f %.1f %.0f %.0f", low, high, least, most) != "2.0 2.3 59 134" }' \
    "$data/momentum-frontier.csv" && grep -q 'factor 2.0 to 2.3 .* 59 to 134' "$data/momentum-frontier.svg"
check $? "momentum-frontier: its title is not what its data say"
finf tune --half-life 200,2000,100000 --spectrum power:1 --dim 128 --optimizer heavy-ball --optimizer nesterov --format csv >printed
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { key = $at["half_life"] $at["rule"]; if (key in m && m[key] != $at["momentum"]) bad = 1; m[key] = $at["momentum"]; rows++ }
    END { exit bad || rows != 12 }' printed
check $? 'the best momentum is not the same with either noise'
for noise in independent best; do
    [ "$(sed -n '/^### 11.6/,$s/^| '$noise' noise | \(.*\) |$/\1/p' "$theory")" = "$(awk -F, -v noise=$noise '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; c = at[noise == "best" ? "best_heavy_ball" : "sgd_heavy_ball"]; next }
        $1 == 1 || $1 == 2 || $1 == 10 || $1 == 20 || $1 == 100 { printf "%s%.6g", n++ ? " | " : "", $c } END { print "" }' "$data/momentum-step.csv")" ]
    check $? "theory 11.6: $noise noise is not what momentum-step.csv has"
done

# the notebook is there with its figures, small, and knows nothing of the machine it ran on
[ "$(grep -c '"image/png"' "$data/paper.ipynb")" -ge 5 ] && [ "$(wc -c <"$data/paper.ipynb")" -lt 1000000 ] &&
    ! grep -q -e '"output_type": "error"' -e '[" (]/\(tmp\|home\|root\|usr\|work\|Users\)/' "$data/paper.ipynb"
check $? 'paper.ipynb: no figures, too large, or with paths of a machine'

# the report: every table but the two with a time and with fitted simulations
tables() { awk '/<table/ { on = 1; text = "" } on { text = text $0 "\n" } /<\/table>/ { on = 0; if (text !~ /Seconds|Simulated/) printf "%s", text }' "$1"; }
tables "$data/report.html" >old.tables
tables new/report.html >new.tables
[ "$(grep -c '<tr>' new.tables)" -gt 60 ] && cmp -s old.tables new.tables
check $? "the report's tables"

# The shell's part of a section of COMMANDS.md is a script, and the section says how its file begins.
section() { awk -v name="## $(basename "$1")" '/^## / { on = $0 == name } on && /^```$/ { block = 0 } on && block; on && /^```sh$/ { block = 1 }' new/COMMANDS.md; }
for csv in new/*.csv; do
    section "$csv" >part
    [ -s part ] && sh -n part && grep -q -x -F "    $(head -n 1 "$csv")" new/COMMANDS.md
    check $? "$csv: its section of COMMANDS.md"
done

# a figure's commands give its columns: "finf LINE" or "for x in VALUES; do finf LINE; done", then "# COLUMN: KEY; .."; the first
# row that has the column, and no infinity there
for csv in new/fig*.csv new/learning*.csv new/momentum*.csv; do
    [ "$csv" = new/fig2-slopes.csv ] && continue
    section "$csv" >part
    awk "$cells"'
        function of(key,    sign) { sign = sub(/^-/, "", key) ? -1 : 1; return sub(/^sqrt /, "", key) ? sqrt(got[key]) : sign * got[key] }
        FNR == NR && /^finf / { line[++lines] = $0; next }
        FNR == NR && /^for x in / { value = $4; sub(/;/, "", value); sub(/^for x in [^;]*; do /, ""); sub(/; done$/, ""); line[++lines] = "x=" value "; " $0; next }
        FNR == NR { sub(/^# /, ""); given[lines] = $0; next }
        !width { width = cells($0, head); next }
        { cells($0, x); for (i = 1; i <= width; i++) if (!(i in first) && x[i] != "" && x[i] != "inf") first[i] = x[i] }
        END {
            for (k = 1; k <= lines; k++) {
                rows = 0
                split("", got)
                sub(/ && finf /, " >printed \\&\\& finf ", line[k]) # the last of several gives the data
                while ((line[k] | getline out) > 0) {
                    n = cells(out, x)
                    if (!rows++) { for (i = 1; i <= n; i++) key[i] = x[i]; continue }
                    if (key[1] == "t" && x[1] != first[1]) continue # figures in t begin later
                    if (key[1] == "system") { # curves: a line for each system and t
                        if (x[2] == first[1]) { got["t"] = x[2]; got[x[1]] = x[3] }
                        continue
                    }
                    for (i = 1; i <= n; i++) if (!(key[i] in got) && x[i] != "" && x[i] != "inf") got[key[i]] = x[i]
                }
                close(line[k])
                n = split(given[k], column, "; ")
                for (i = 1; i <= n; i++) {
                    split(column[i], part, ": ")
                    value = split(part[2], by, " / ") > 1 ? of(by[1]) / of(by[2]) : of(part[2])
                    for (c = 1; c <= width && head[c] != part[1]; c++);
                    if (!near(sprintf("%.12g", value), sprintf("%.12g", first[c]), 1e-6)) { print FILENAME ": " line[k] " gives " value " for " part[1] ", not " first[c]; bad = 1 }
                    checked[c] = 1
                }
            }
            for (c = 1; c <= width; c++) if (!(c in checked)) { print FILENAME ": no command for " head[c]; bad = 1 }
            exit bad
        }' part "$csv" 2>err
    check $? "$csv is not what its commands print"
done
# a table's first command gives the columns named like its own, row by row (table1 is put together from single values)
for csv in new/table[2-9]*.csv new/errata.csv new/tuned-nu.csv; do
    section "$csv" | head -n 1 >line
    sh line >printed
    awk "$cells"'
        { n = cells($0, x) }
        FNR == NR { for (i = 1; i <= n; i++) { if (FNR == 1) name[i] = x[i]; printed[name[i], FNR] = x[i] }; lines = FNR; next }
        !row++ { for (i = 1; i <= n; i++) head[i] = x[i]; next }
        { for (i = 1; i <= n; i++) if ((head[i], 1) in printed && head[i] != "seconds") { common++; if (x[i] != printed[head[i], row]) bad = 1 } }
        END { exit bad || row != lines || common < 3 }' printed "$csv"
    check $? "$csv is not what its command prints"
done

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
