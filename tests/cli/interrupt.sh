# Ctrl-C: what is finished is printed, exit 4.

# interrupt N args...: Ctrl-C once N answers of a table are there (0: soon), and again until the program ends. What a script
# starts in the background ignores Ctrl-C until finf works; exit 130: it came before even that, and all is done again.
interrupt() {
    wanted=$1 rc=130 tries=0
    shift
    while [ $rc = 130 ] && [ $tries -lt 9 ]; do
        tries=$((tries + 1))
        "$finf" "$@" --progress >"$T/out" 2>"$T/err.raw" </dev/null &
        sleep 0.2
        while [ $wanted != 0 ] && kill -0 $! 2>/dev/null && ! done_at_least $wanted; do sleep 0.05; done
        until_it_ends
    done
    tr '\r' '\n' <"$T/err.raw" | grep '^finf: ' >"$T/err"
}
until_it_ends() {
    turns=0
    while kill -INT $! 2>/dev/null && [ $turns -lt 600 ]; do turns=$((turns + 1)); sleep 0.1; done
    wait $!
    rc=$?
}
done_at_least() { tr '\r' '\n' <"$T/err.raw" | awk -F/ -v n=$1 '$1 + 0 >= n { found = 1 } END { exit !found }'; }

stopped() { # stopped TEXT args..: exit 4, and the one line on stderr is TEXT (an ERE)
    want=$1
    shift
    if [ $rc != 4 ]; then no "exit $rc, not 4" "$@"
    elif [ "$(wc -l <"$T/err")" -ne 1 ] || ! grep -E -q -e "^finf: $want\$" "$T/err"; then no "stderr is not: $want" "$@"
    else yes; fi
}

# a table: the rows that are done, whole, as many as it says
long='--kappa 10:10000:log:100000'
for f in csv json text; do
    interrupt 6 iqc --noise sgd --eta 0.001:0.002:lin:10 $long --format $f
    stopped 'interrupted: [0-9]+ of 1000000 are done' iqc $long
    n=$(sed -n 's/^finf: interrupted: \([0-9]*\) of .*/\1/p' "$T/err")
    case $f in csv) got=$(($(wc -l <"$T/out") - 1)) ;; json) got=$(wc -l <"$T/out") ;; text) got=$(grep -c '^ *0[.]00' "$T/out") ;; esac
    if [ "${n:-0}" -ge 6 ] && [ "$got" = "$n" ]; then yes; else no "$got rows of $n" iqc --format $f; fi
done
interrupt 3 iqc --noise sgd --eta 0.001:0.002:lin:10 $long --output left.npy --plot left.svg
stopped 'interrupted: [0-9]+ of 1000000 are done' iqc $long --output left.npy --plot left.svg
if [ "$(head -c 6 left.npy | od -An -c | tr -d ' ')" = '223NUMPY' ] && grep -q '</svg>' left.svg; then yes; else no 'not finished' iqc --output left.npy; fi
rm -f left.npy left.svg
for c in 'mean --noise nu:best --eta 0.00001:0.9:log:100000' 'gamma --noise nu:0.001:1:lin:1000 --steps 10000:100000:lin:1000' \
    'linreg --noise sgd --eta 0.000001:0.00002:lin:100000 --spectrum power:1 --dim 100000' 'privacy --delta 1e-9:1e-3:log:1000 --epsilon 0.1:1:lin:1000' \
    'simulate --problem mean --noise sgd --eta 0.1:0.9:lin:100000' 'tune --eta 0.01:0.9:lin:100000 --spectrum flat --dim 20' \
    'optimize --eta 0.01:0.9:lin:10000 --kappa 3'; do
    interrupt 2 $c --format csv --output left
    stopped 'interrupted: [0-9]+ of [0-9]+ are done' $c
    n=$(sed -n 's/^finf: interrupted: \([0-9]*\) of .*/\1/p' "$T/err")
    if [ $(($(wc -l <left) - 1)) = "${n:-0}" ] && square left; then yes; else no "not $n rows" $c; fi
    rm -f left
done

# no row, no file; a row that lacks a cell is not done
for c in 'iqc --noise nu:0.1 --multiplier fir:300 --solver newton' 'optimize --multiplier fir:300'; do
    interrupt 0 $c --eta 0.5 --kappa 40:50:lin:3 --output left
    stopped 'interrupted: 0 of 3 are done' $c
    if [ ! -e left ]; then yes; else no 'a file without a row' $c --output left; rm -f left; fi
done
interrupt 2 iqc --noise nu:0.1 --eta 0.001 --kappa 10:20:lin:4000 --lower simulate --format csv
stopped 'interrupted: [0-9]+ of 4000 are done' iqc --lower simulate
n=$(sed -n 's/^finf: interrupted: \([0-9]*\) of .*/\1/p' "$T/err")
if [ "$(column asymmetric_lower | sed 1d | grep -c .)" = "$n" ]; then yes; else no "not $n rows" iqc --lower simulate; fi

# of a single answer what there is: longer and longer, until there is something
patiently() { # patiently args...
    for pause in 0.2 0.5 1 2 4 8 16; do
        "$finf" "$@" >"$T/out" 2>"$T/err" </dev/null &
        sleep $pause
        until_it_ends
        { [ $rc = 4 ] && [ ! -s "$T/out" ]; } || [ $rc = 130 ] || return
    done
}
fir=150 # which takes ECOS seconds
[ $ecos = ecos ] || fir=700
patiently tune --eta 0.5 --kappa 50 --multiplier fir:$fir --json
stopped 'interrupted.*' tune
if json && grep -q '"nu":[0-9].*"bound":[0-9]' "$T/out"; then yes; else no 'no best so far' tune; fi
patiently optimize --eta 0.5 --kappa 50 --multiplier fir:$fir
stopped 'interrupted: the best noise so far' optimize
if grep -q '^  spread  *-  *it was stopped' "$T/out" && ! grep -q stationary "$T/out"; then yes; else no 'no best so far' optimize; fi
patiently simulate --problem mean --noise nu:0.1 --eta 0.3 --relative-error 1e-9 --max-steps 1e15 --json
stopped 'interrupted.*' simulate
if json && grep -q '"F_sim":[0-9]' "$T/out"; then yes; else no 'no mean so far' simulate; fi
interrupt 0 iqc --noise nu:0.1 --eta 0.5 --kappa 50 --multiplier fir:300 --solver newton --output left
stopped 'interrupted: newton: cancelled.*' iqc
if [ ! -e left ] || grep -q '^  bound  *[0-9]' left; then yes; else no 'a file without a bound' iqc; fi
rm -f left

# while a matrix is being optimised: nothing is left, exit 4
for c in '--steps 2000 --system me:40' '--steps 2000000 --system banded:500'; do
    interrupt 0 curve $c --output left
    stopped 'interrupted: stopped after .*' curve $c
    if [ ! -e left ]; then yes; else no 'a file is left' curve $c; rm -f left; fi
done

# while rows are being read that never end: nothing was computed, so nothing is shown
mkfifo rows
exec 9<>rows
command yes '0.1 0.2 0.3' >&9 &
feeder=$!
interrupt 0 linreg --noise nu:0.1 --eta 0.1,0.2 --spectrum data@rows --threads 1 --output left
stopped 'interrupted: 0 of 2 are done' linreg --spectrum data@rows
if [ ! -e left ]; then yes; else no 'a file without a row' linreg; fi
kill $feeder
exec 9>&-
rm -f rows left
