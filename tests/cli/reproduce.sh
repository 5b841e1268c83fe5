# reproduce: the report, and what is left of it when something fails.

rm -rf paper; ok 'report' reproduce --out paper --quick
for f in report.html fig2-d.csv fig2-d.svg fig3-paper.csv fig3-sharp.csv table1.csv table2-prior.csv errata.csv; do if [ -s paper/$f ]; then yes; else no "no $f" reproduce; fi; done
for f in paper/*.csv; do
    if square "$f" && ! grep -q '^#' "$f" && grep -q -x "## ${f#paper/}" paper/COMMANDS.md; then yes; else no "$f: ragged, or without its commands" reproduce; fi
done
# the tables of the report: words and numbers of each, and every line of a table as long as its heading
for cell in 'Ω(η<sup>2</sup> ρ<sup>−1</sup> d<sub>eff</sub>)' '>4846<' 'η<sup>3/2</sup> G<sup>2</sup>' 'log(1/ν)' '>0.01015<' \
    'd<sup>1−a</sup>/(1-a)' '>0.09087<' '>η = 0.006<' 'nu = eta mu, d = 64: 1.8134' 'ME, four epochs' 'O(T<sup>3</sup>)' '>8944<' '>37439<' '>0.06408<' \
    'as η → 0 the caption is right' 'the plain quadratic' '>0.9416<' '>0.1698<' 'CIFAR-10'; do
    if grep -q -F -e "$cell" paper/report.html; then yes; else no "the report lacks $cell" reproduce; fi
done
if awk '/<table/ { cells = 0; rows = 0 } /<tr>/ { n = gsub(/<t[hd][ >]/, "&"); if (cells && n != cells) bad = 1; cells = n; rows++ }
    /<\/table>/ { tables++; if (rows < 2 || cells < 2) bad = 1 } END { exit bad || tables < 12 }' paper/report.html
then yes; else no 'a table of the report has holes' reproduce; fi
# what the paper's figures show: slopes, the ratio at eta = 1, the order of figure 3
if awk -F, '!/^#/ && $4 + 0 > 0 { n++; if ($5 - $4 > 0.02 || $4 - $5 > 0.02) bad = 1 } END { exit bad || n != 5 }' paper/fig2-slopes.csv
then yes; else no 'slopes' reproduce; fi
if [ "$(tail -n 1 paper/fig1-ratio.csv)" = 1,1 ]; then yes; else no 'ratio at eta = 1' reproduce; fi
if awk -F, '/^[0-9]/ { n++; if (!($5 > $6 && $6 > $7 && $5 - $6 > gap)) bad = 1; gap = $5 - $6 } /^2,/ { if (!($2 > $3 && $3 > $4)) bad = 1 }
    END { exit bad || n != 3 }' paper/fig3-paper.csv; then yes; else no 'order of figure 3' reproduce; fi
# momentum leaves independent noise where it is, and lowers the best noise's F_inf 6.9 times
if awk -F, 'NR == 2 { sgd = $2; best = $4 } END { exit !(NR == 4 && $1 == 200 && $2 <= sgd && $2 > 0.998 * sgd && best / $4 > 6.85 && best / $4 < 6.95) }' paper/momentum-step.csv
then yes; else no 'momentum at the same effective step' reproduce; fi

# --force replaces the files of the command and nothing else; whatever fails, all is as before
bad1 5 'exists' reproduce --out paper --quick
bad1 2 '--out and --output name one file' reproduce --out paper --quick --force --output paper/../paper/errata.csv
bad1 2 '--out and --output name one file' reproduce --out other --quick --output other
around=$(ls -A) # nothing is left beside the directory, and nothing of ours hidden in it
left() { [ "$(ls -A)" != "$around" ] || ls -A paper | grep -q '^[.]'; }
echo mine >paper/thesis.txt; mkdir paper/chapter; echo two >paper/chapter/two; rm paper/errata.csv
ok . reproduce --out paper --quick --force
if [ "$(cat paper/thesis.txt paper/chapter/two)" = "mine${nl}two" ] && [ -s paper/errata.csv ] && ! left; then yes; else no '--force touched more than its files' reproduce; fi
ln -s paper link; rm paper/report.html
(cd paper && run reproduce --out ../link/ --quick --force --quiet && [ $rc = 0 ] && [ -s report.html ] && [ -h ../link ]) && yes || no 'a link to the directory' reproduce
rm link; ln -s nowhere link; bad1 5 'link to nothing' reproduce --out link --quick --force; rm link
echo own >paper/errata.csv; bad1 5 'errata.csv' reproduce --out paper --quick --force
[ "$(cat paper/errata.csv)" = own ] && yes || no 'a file of the user replaced' reproduce
rm paper/errata.csv; mkdir paper/errata.csv; bad1 5 'errata.csv' reproduce --out paper --quick --force; rmdir paper/errata.csv
cp -pR paper "$T/before"
for out in paper other; do # as on a full disk
    (ulimit -f 40 && run reproduce --out $out --quick --force && [ $rc = 5 ] && grep -q -i 'cannot write.*too large' "$T/err") && yes || no 'a limit on file sizes' reproduce
    if diff -r paper "$T/before" >/dev/null && ! left; then yes; else no 'something changed by a failure' reproduce; fi
done
if command -v timeout >/dev/null; then
    for signal in INT TERM; do
        timeout -s $signal 1 "$finf" reproduce --out other >"$T/out" 2>"$T/err"
        timeout -s $signal 1 "$finf" reproduce --out paper --force >"$T/out" 2>"$T/err"
        if [ ! -e other ] && diff -r paper "$T/before" >/dev/null && ! left; then yes; else no "something left after SIG$signal" reproduce; fi
    done
fi
rm -rf paper one.csv two.csv "$T/before"
bad1 5 'no/such' reproduce --out no/such/dir --quick
