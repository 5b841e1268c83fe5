# Ctrl-C: what is finished is printed, exit 4.

# Ctrl-C during a sweep: what is finished is printed, exit 4
if command -v timeout >/dev/null; then
    timeout -s INT 2 "$finf" iqc --noise sgd --eta 0.001:0.002:lin:10 --kappa 10:10000:log:100000 --format csv >"$T/out" 2>"$T/err"
    rc=$?
    if [ $rc = 124 ] && grep -q interrupted "$T/err" && [ "$(wc -l <"$T/out")" -gt 5 ]; then yes; else no 'interrupt' iqc; fi
    fir=150 # which takes ECOS several seconds
    [ $ecos = ecos ] || fir=700
    timeout -s INT 1 "$finf" tune --eta 0.5 --kappa 50 --multiplier fir:$fir --json >"$T/out" 2>"$T/err"
    rc=$? # the best nu so far, with its bound
    if [ $rc = 124 ] && grep -q '^finf: interrupted' "$T/err" && json && grep -q '"nu":[0-9].*"bound":[0-9]' "$T/out"; then yes; else no interrupt tune; fi
    stop() { timeout --preserve-status -s INT 1 "$finf" "$@" >"$T/out" 2>"$T/err"; rc=$?; }
    stop optimize --eta 0.5 --kappa 50 --multiplier fir:$fir # of a single one what there is
    if [ $rc = 4 ] && grep -q '^finf: interrupted: the best noise so far$' "$T/err" && grep -q '^  spread  *-  *it was stopped' "$T/out" && ! grep -q stationary "$T/out"; then yes; else no interrupt optimize; fi
    stop iqc --noise nu:0.1 --eta 0.5 --kappa 50 --multiplier fir:300 --solver newton --output left
    if [ $rc = 4 ] && grep -q '^finf: interrupted: newton: cancelled' "$T/err" && [ ! -e left ]; then yes; else no interrupt iqc; fi
    for c in 'iqc --noise nu:0.1 --multiplier fir:300 --solver newton' 'optimize --multiplier fir:300'; do # no row, no file
        stop $c --eta 0.5 --kappa 40:50:lin:3 --output left
        if [ $rc = 4 ] && grep -q '^finf: interrupted: 0 of 3 are done$' "$T/err" && [ ! -e left ]; then yes; else no interrupt $c; fi
        rm -f left
    done
    stop iqc --noise nu:0.1 --eta 0.001 --kappa 10:20:lin:40 --lower simulate # a row with a cell left out is not done
    n=$(sed -n 's/^finf: interrupted: \([0-9]*\) of 40 are done$/\1/p' "$T/err")
    if [ $rc = 4 ] && [ "$(awk '/^ *[0-9]/ && $7 != "-" && $8 != "-"' "$T/out" | wc -l)" = "$n" ]; then yes; else no interrupt iqc --lower simulate; fi
fi

# the same while a matrix is being optimised: nothing is left, exit 4
if command -v timeout >/dev/null; then
    for system in me:40 banded:500; do
        timeout -s INT 1 "$finf" curve --steps $([ $system = me:40 ] && echo 2000 || echo 2000000) --system $system >"$T/out" 2>"$T/err"
        rc=$?
        if [ $rc = 124 ] && grep -q '^finf: stopped after' "$T/err" && [ ! -s "$T/out" ]; then yes; else no interrupt curve --system $system; fi
    done
fi
