# Files that are written.

for n in 1 2 40; do
    for f in text csv; do
        ok '' coef --noise beta:1,-0.5 --length $n --format $f --output F
        if [ $n = 1 ]; then same beta@F 1; else same beta@F 4/3; fi
        ok '' coef --noise 'blt:0.5;0.2' --strategy --length $n --format $f --output F
        [ $n != 40 ] || same strategy@F '1+0.04/(1-0.25)'
        rm -f F
    done
done
before=$(ls -A)
run gamma --noise nu:0.1 --json --output F
if [ $rc = 0 ] && [ ! -s "$T/out" ] && grep -q '"gamma2"' F && rm F && [ "$(ls -A)" = "$before" ]; then yes; else no "--output F" gamma; fi
echo old >keep
bad1 3 'nu = 2' gamma --noise nu:2 --output keep
if [ "$(cat keep)" = old ]; then yes; else no "an error has changed the old file" gamma --output keep; fi
ok '' gamma --noise sgd --json --output keep
if grep -q '"gamma2"' keep; then yes; else no "the old file is not replaced" gamma --output keep; fi
ln -s keep link
ok '' gamma --noise nu:0.5 --json --output link
if [ -h link ] && grep -q nu:0.5 keep; then yes; else no "--output has replaced a symbolic link" gamma --output link; fi
rm -f link keep
ln -s sub/keep link; mkdir sub # a link to nothing: what it names is made
ok '' gamma --noise nu:0.5 --json --output link
if [ -h link ] && grep -q nu:0.5 sub/keep && [ "$(ls -A sub)" = keep ]; then yes; else no "--output does not follow a link to nothing" gamma --output link; fi
rm -r sub; bad1 5 "'link': No such file" gamma --noise sgd --output link
rm link; ln -s link link; bad1 5 "'link': Too many" gamma --noise sgd --output link; rm link
bad1 5 "'d'" gamma --noise sgd --output d
bad1 5 "'none/x'" gamma --noise sgd --output none/x
bad1 5 "'t.txt/x'" gamma --noise sgd --output t.txt/x
bad1 5 "cannot write ''" gamma --noise sgd --output ''
if [ "$(id -u)" != 0 ]; then # root may do everything
    chmod 555 d
    bad1 5 "'d/x'" gamma --noise sgd --output d/x
    chmod 000 t.txt
    bad 5 "'t.txt'" gamma --noise beta@t.txt
    chmod 644 t.txt
fi
for c in 'gamma --noise sgd' 'coef --noise nu:0.1 --length 100000' --help --version --man --markdown 'gamma --help'; do
    "$finf" $c >&- 2>"$T/err"
    rc=$?
    if [ $rc = 5 ] && [ "$(wc -l <"$T/err")" -eq 1 ]; then yes; else no "closed stdout: exit $rc" $c; fi
    [ -c /dev/full ] || continue
    "$finf" $c >/dev/full 2>"$T/err"
    rc=$?
    if [ $rc = 5 ] && [ "$(wc -l <"$T/err")" -eq 1 ]; then yes; else no "full disk: exit $rc" $c; fi
done
# a reader that has seen enough: exit 0, nothing on stderr, and files are finished
for c in rates --man --help 'coef --noise nu:0.1 --length 100000' 'coef --noise nu:0.1 --length 100000 --json' 'optimize --eta 0.1 --kappa 3 --save kept'; do
    { "$finf" $c 2>"$T/err"; echo $? >"$T/rc"; } | : # nobody reads
    sleep 0.1
    while [ ! -s "$T/rc" ]; do sleep 0.1; done
    if [ "$(cat "$T/rc")" = 0 ] && [ ! -s "$T/err" ]; then yes; else no "closed pipe: exit $(cat "$T/rc")" $c; fi
    rm "$T/rc"
done
if grep -q '^\[beta\]' kept; then yes; else no 'not finished' optimize --save; fi
[ "$("$finf" rates 2>&1 | head -n 1)" = "$("$finf" rates | sed -n 1p)" ] && yes || no 'the first line' rates
rm -f kept
# a limit on file sizes, or a signal, leaves no file behind
before=$(ls -A)
(ulimit -f 1 && run coef --noise nu:0.1 --length 100000 --output left; [ $rc = 5 ] && grep -q "'left': File too large" "$T/err") && yes || no 'a limit on file sizes' coef --output
for signal in XFSZ TERM HUP ALRM XCPU USR1; do
    "$finf" coef --noise nu:0.1 --length 100000000 --output left & # it takes seconds
    sleep 0.2; kill -$signal $! 2>/dev/null
    sleep 0.2; kill $! 2>/dev/null # what is ignored, as SIGXFSZ is, and SIGHUP where nohup started this
    wait $! 2>/dev/null
    if [ "$(ls -A)" = "$before" ]; then yes; else no "a file is left after SIG$signal" coef; rm -f left*; fi
done
[ ! -c /dev/full ] || bad1 5 "'/dev/full'" coef --noise nu:0.1 --length 100000 --output /dev/full

# a file that is read is not replaced by the answer
head -c 32 /dev/zero >key
echo 1 >given
ln -s given linked
for word in key ./key; do
    bad1 2 '--output and --key name one file' noise --noise sgd --steps 1 --dim 1 --sigma 1 --key key --output $word
done
bad1 2 '--state and --key name one file' noise --noise sgd --steps 1 --dim 1 --sigma 1 --key key --state key
bad1 2 '--output and --design name one file' noise --design given --steps 1 --dim 1 --output linked
bad1 2 '--output names the file that is read' audit given --output linked
bad1 2 '--output and --db name one file' sweep export --db given --output given
if [ "$(cat given)" = 1 ] && [ "$(wc -c <key)" -eq 32 ]; then yes; else no 'a file that is read was changed' noise --key; fi
rm -f key given linked
# --csv is --format csv, and a file that ends in .csv or .json has that format unless another is asked for
for c in 'mean --noise sgd --eta 0.1,0.2' 'curve --steps 8 --noise sgd' 'errata'; do
    run $c --format csv; sed 's/,[0-9.e-]*,preparing/,preparing/' "$T/out" >"$T/csv"
    run $c --csv; sed 's/,[0-9.e-]*,preparing/,preparing/' "$T/out" >"$T/short"
    if [ -s "$T/csv" ] && cmp -s "$T/csv" "$T/short"; then yes; else no 'another table' $c --csv; fi
    run $c --output new.csv; sed 's/,[0-9.e-]*,preparing/,preparing/' new.csv >"$T/short"
    if cmp -s "$T/csv" "$T/short"; then yes; else no 'another table' $c --output new.csv; fi
    run $c --output new.json
    if [ "$(head -c 2 new.json)" = '{"' ]; then yes; else no 'no JSON' $c --output new.json; fi
    run $c --output new.csv --json
    if [ "$(head -c 2 new.csv)" = '{"' ]; then yes; else no 'no JSON' $c --output new.csv --json; fi
    run $c --output new.csv --format text
    if [ "$(head -c 2 new.csv)" != '{"' ] && ! cmp -s new.csv "$T/csv"; then yes; else no 'no text' $c --output new.csv --format text; fi
    rm -f new.csv new.json
done
bad 2 '--json and --format csv contradict' mean --noise sgd --eta 0.1 --csv --json
bad 2 '--csv and --format text contradict' mean --noise sgd --eta 0.1 --csv --format text
bad1 2 'no --format beside it' mean --noise sgd --eta 0.1 --csv --output left.npy
