# Memory that fails, disks that are full, threads that do not start. Usage: sh tests/faults.sh build/finf build/faults.so [MOST]
# Each command below runs once to count its allocations and to get the right answer; then it runs again and again, another
# allocation failing each time (tests/faults.c): all of them, or MOST of a command evenly spread. It must end with exit 5, one
# line on stderr, nothing on stdout and no file touched, or with the right answer. Counted apart: where ECOS is R's, loading it
# loads libgomp, which ends the program itself where it has no memory (exit 1); then too nothing is printed or touched.
[ -x "$1" ] && [ -f "$2" ] || { echo "usage: sh tests/faults.sh build/finf build/faults.so [MOST]" >&2; exit 1; }
case $1 in /*) finf=$1 ;; *) finf=$PWD/$1 ;; esac
case $2 in /*) faults=$2 ;; *) faults=$PWD/$2 ;; esac
most=${3:-1000000}
LC_ALL=C
export LC_ALL
T=$(mktemp -d) || exit 1
trap 'rm -rf "$T"' EXIT
trap 'exit 1' HUP INT TERM
mkdir "$T/before" "$T/good" "$T/w" && cd "$T/w" || exit 1
to=$T/out failed=0 all_tried=0 all_five=0 all_right=0 all_crashed=0 all_bad=0 by_libgomp=0

limit=
if command -v timeout >/dev/null; then limit='timeout 120'; fi # a hang is exit 124
run() { # run SETTING.. -- args..: finf with the allocator, in a directory as it was before
    settings=
    while [ "$1" != -- ]; do
        settings="$settings $1"
        shift
    done
    shift
    if [ "$files" ]; then
        rm -rf "$T/w"
        cp -R "$T/before" "$T/w"
        cd "$T/w" || exit 1
    fi
    $limit env LD_PRELOAD="$faults" $settings "$finf" "$@" >"$to" 2>"$T/err" </dev/null
    rc=$?
}

complain() { # complain WHAT
    failed=$((failed + 1)) bad=$((bad + 1))
    [ "$bad" -gt 5 ] && return
    printf 'FAILED: %s: exit %s, %s\n' "$1" "$rc" "$2"
    head -n 2 "$T/err" | cut -c 1-200 | sed 's/^/    /'
}

judge() { # judge WHAT: of the last run
    tried=$((tried + 1))
    if [ "$rc" = 5 ]; then
        if [ -s "$T/out" ]; then complain "$1" "something on stdout"
        elif ! { read -r line && ! read -r more; } <"$T/err"; then complain "$1" "not one line on stderr"
        elif ! grep -q "^finf: .*$reason" "$T/err"; then complain "$1" "the reason is another"
        elif [ "$files" ] && ! diff -r "$T/before" "$T/w" >/dev/null; then complain "$1" "a file was touched"
        else five=$((five + 1))
        fi
    elif [ "$rc" = "$code" ]; then
        if ! cmp -s "$T/out" "$T/answer"; then complain "$1" "another answer"
        elif [ "$files" ] && ! diff -r "$T/good" "$T/w" >/dev/null; then complain "$1" "other files"
        else right=$((right + 1))
        fi
    elif [ "$rc" = 1 ] && grep -q '^libgomp: Out of memory' "$T/err" && [ ! -s "$T/out" ] &&
        { [ ! "$files" ] || diff -r "$T/before" "$T/w" >/dev/null; }; then
        by_libgomp=$((by_libgomp + 1))
    else
        [ "$rc" -lt 124 ] || crashed=$((crashed + 1))
        complain "$1" "not 5, nor $code"
    fi
}

each() { # each MOST args..: MOST of its allocations fail, one at a time
    count=$1
    shift
    name="$*" files= tried=0 five=0 right=0 bad=0 crashed=0
    case " $name " in *" --save "* | *" --output "* | *" --out "*) files=1 ;; esac
    reason=memory
    [ "$count" -le "$most" ] || count=$most
    [ "$1" != reproduce ] || [ "$count" -gt 20 ] || count=2 # it takes seconds
    run FAULT_COUNT="$T/count" -- "$@"
    code=$rc
    cp "$T/out" "$T/answer"
    [ "$files" ] && rm -rf "$T/good" && cp -R "$T/w" "$T/good"
    if [ "$code" != 0 ] && [ "$code" != 4 ]; then
        complain "$name" "not 0"
        return
    fi
    if [ "$count" -gt 2 ]; then # the same again, or there is nothing to compare with
        run -- "$@"
        cmp -s "$T/out" "$T/answer" || complain "$name" "not the same twice"
    fi
    read -r n <"$T/count"
    [ "$count" -le "$n" ] || count=$n
    i=0
    while [ "$i" -lt "$count" ]; do
        at=$((1 + i * n / count))
        run FAULT_AT=$at -- "$@"
        judge "allocation $at of finf $name"
        i=$((i + 1))
        [ $((i % 4)) = 1 ] || continue
        run FAULT_AT=$at FAULT_ON=1 -- "$@"
        judge "allocations from $at on of finf $name"
    done
    all_tried=$((all_tried + tried)) all_five=$((all_five + five)) all_right=$((all_right + right))
    all_crashed=$((all_crashed + crashed)) all_bad=$((all_bad + bad))
    printf '%6d allocations, %5d runs: %5d exit 5, %4d right, %4d crashed, %4d else wrong  finf %s\n' \
        "$n" "$tried" "$five" "$right" "$crashed" "$((bad - crashed))" \
        "$(printf %s "$name" | sed "s|$T/||g" | cut -c 1-90)"
}

# ---- what the commands read, and what they find in their directory ----------------------------------------------

awk 'BEGIN { pi = atan2(0, -1); print "w,density"; for (i = 0; i <= 64; i++) { w = pi * i / 64; print w "," 1.3 - cos(w) } }' >"$T/spectrum"
awk 'BEGIN { print 1; for (i = 1; i < 200; i++) print -0.3 / i ^ 2 }' >"$T/beta"
awk 'BEGIN { for (i = 0; i < 40; i++) { for (k = 0; k < 12; k++) printf "%d ", (i * i * 7 + k * k * k) % 23 - 11; print "" } }' >"$T/data"
awk 'BEGIN { for (i = 0; i < 5; i++) { for (k = 0; k < 5; k++) printf "%.17g ", 1 / (i + k + 1); print "" } }' >"$T/covariance"
printf '[design]\nsteps,sens2,sigma,rho,clip\n9,1,1,1,1\n[blt]\n0.9,0.2\n0.5,0.1\n' >"$T/blt"
printf '[design]\nsteps,sens2,sigma,rho,clip\n3,1,1,1,1\n[noising]\n1,0,0\n-0.5,1,0\n0,-0.5,1\n' >"$T/matrix"
awk 'BEGIN { for (i = 0; i < 9; i++) { for (k = 0; k < 9; k++) printf "%.17g ", (k > i ? 0 : k == i ? 1 : (i * i + 3 * k) % 5 / 5 - 0.4); print "" } }' >"$T/lower"
echo 'BLT(buf_decay=Array([0.9, 0.5]), output_scale=Array([0.2, 0.1]))' >"$T/jax"
echo before >"$T/before/old"

# ---- memory ------------------------------------------------------------------------------------------------------

every=1000000
each $every gamma --noise nu:0.1 --steps 50
each $every gamma --noise power:0.3,0.1 --json
each $every gamma --noise "beta@$T/beta" --format csv
each $every gamma --noise strategy:1,0.5,0.2 --steps 10
each $every gamma --noise 'blt:0.5,0.9;0.2,0.05'
each $every gamma --noise 'product:0.1,0.6;0.5,-0.5'
each $every gamma --noise beta:1,-2 --steps 5
each $every mean --noise strategy:1,-2 --eta 0.1
each $every gamma --noise "spectrum@$T/spectrum"
each $every mean --noise nu:paper --eta 0.1
each $every mean --noise "spectrum@$T/spectrum" --eta 0.1
each $every mean --noise "beta@$T/beta" --eta 0.1 --output old
each $every linreg --noise nu:paper --eta 0.02 --spectrum power:1 --dim 128 --directions
each $every linreg --noise 'product:0.1,0.6;0.5,-0.5' --eta 0.02 --spectrum exp:0.1 --dim 50 --json
each $every linreg --noise "spectrum@$T/spectrum" --eta 0.02 --spectrum step --dim 128
each $every linreg --noise nu:paper --eta 0.02 --spectrum power:1 --dim 1e9
each 40 linreg --noise cc --eta 0.02 --spectrum power:1 --dim 3000 --optimizer nesterov:0.9 --average last:5
each $every coef --noise nu:0.1 --length 3000
each $every coef --noise best --noise sgd --eta 0.1,0.2 --length 3 --threads 1 --output c.npy
each $every coef --noise best --noise sgd --eta 0.1,0.2 --length 3 --threads 1 --format csv
each $every gamma --noise best --eta 0.1,0.2 --steps 20 --epochs 2 --rho 1 --threads 1
each $every simulate --problem mean --noise nu:0.1 --eta 0.1 --steps 12 --epochs 3 --max-steps 100 --relative-error 0.9 --threads 1
each $every audit --noise nu:0.1 --steps 12 --epochs 3 --epsilon 2 --delta 1e-6
each $every tune --eta 0.1 --spectrum flat --dim 3
each $every linreg --noise sgd --eta 3 --spectrum flat --dim 4
each $every linreg --noise sgd --eta 0.001 --spectrum "data@$T/data"
each $every linreg --noise sgd --eta 0.001 --spectrum "covariance@$T/covariance" --json
FINF_LAPACK_LIBRARY= # GSL in the place of LAPACK
export FINF_LAPACK_LIBRARY
each $every linreg --noise sgd --eta 0.001 --spectrum "data@$T/data"
each $every linreg --noise sgd --eta 0.001 --spectrum "covariance@$T/covariance" --json
unset FINF_LAPACK_LIBRARY
each 1000 coef --noise "spectrum@$T/spectrum" --length 300 --strategy --output new
each $every coef --noise 'blt:0.5,0.9;0.2,0.05' --length 300 --density
each $every privacy --epsilon 2 --delta 1e-6 --noise nu:0.1
each $every privacy --epsilon 2 --delta 1e-6 --accounting zcdp
each $every iqc --noise nu:0.1 --eta 0.1 --kappa 10 --solver newton
each $every iqc --noise sgd --eta 0.1 --kappa 2:50:log:3 --solver newton --format csv
each $every iqc --noise "beta@$T/beta" --eta 0.1 --kappa 10 --solver newton --bound gaussian
each $every iqc --noise nu:0.1 --eta 0.5 --kappa 100 --solver newton --optimizer heavy-ball:0.9
each $every iqc --noise nu:0.1 --eta 2 --kappa 100 --solver newton --optimizer heavy-ball:0.9
each $every iqc --noise nu:0.1 --eta 0.1 --kappa 10 --solver newton --optimizer nesterov:0.5 --average last:9
each $every iqc --noise sgd --eta 0.1 --kappa 3 --solver newton --average ema:0.9 --lower simulate
each $every tune --contraction 0.9 --kappa 2 --optimizer sgd --noise best
each $every iqc --noise "spectrum@$T/spectrum" --eta 0.1 --kappa 10 --solver newton
each $every iqc --noise sgd --eta 0.1 --kappa 3 --solver newton --lower simulate
each 1500 iqc --noise nu:0.1 --eta 0.1 --kappa 10 --solver newton --certify
each 500 iqc --noise antipgd:0.1 --eta 0.1:0.2:lin:2 --kappa 5 --solver newton --certify --bound gaussian
each $every iqc --noise nu:0.1 --eta 0.1 --kappa 10
each $every optimize --eta 0.1 --kappa 10 --solver newton --save saved --output old
each $every optimize --eta 0.1 --kappa 3:10:log:2 --solver newton --bound dist
each $every optimize --eta 0.01 --kappa 100 --solver newton --optimizer nesterov:0.9
each $every tune --eta 0.1 --kappa 10 --solver newton
each $every tune --eta 0.02 --spectrum power:1 --dim 20
each 1000 rates
each 300 rates --decays 0.5,1 --dim 16:64:log:2 --eta 0.01:0.02:log:2 --slopes
each 300 rates --table prior --dim 16
each 300 rates --table finite --spectrum power:1 --dim 16 --steps 1000
each 500 curve --steps 32 --eta 0.05 --spectrum power:1 --dim 4 --participations 2 --separation 8 --rho 1
each 500 curve --steps 64 --system me,honaker,fft,banded:4 --eta 0.05 --spectrum power:1 --dim 4 --format csv
each 500 curve --steps 32 --system me:8,tree,full-honaker,nu:best --participations 4 --separation 8
each 1000 curve --steps 200 --system "nu:paper,beta@$T/beta" --eta 0.05 --spectrum power:1 --dim 16 --output new
each $every simulate --problem linreg --noise nu:paper --eta 0.05 --spectrum power:1 --dim 4 --relative-error 0.1 --threads 2
each 1000 simulate --problem linreg --noise "beta@$T/beta" --eta 0.05 --spectrum power:1 --dim 4 --steps 50 --relative-error 0.1 --threads 2
each $every mean --noise nu:0.1:0.5:log:3 --noise best --noise nu:best --eta 0.1,0.5 --plot new.svg --output old
each $every gamma --noise sgd --noise 'blt:0.5;0.2' --steps 16:64:log:3 --epochs 2 --epsilon 1 --delta 1e-6 --format csv --header-comment
each $every coef --noise nu:0.1,0.2 --length 50 --rho 2 --output new.npy
each 500 coef --noise best --noise sgd --eta 0.1,0.2 --length 20 --plot new.svg
each $every linreg --noise best --noise sgd --eta 0.02 --spectrum power:1 --dim 8:16:lin:2 --optimizer sgd --optimizer heavy-ball:0.5 --output new.npy
each $every privacy --rho 1 --delta 1e-5 --noise nu:0.1 --steps 64 --participations 4 --separation 8 --batch 10 --json
each 1000 optimize --spectrum power:1 --dim 8 --eta 0.02 --save new --output old # of 62000
each $every curve --steps 40 --noise nu:0.1,0.2 --noise nu:best --eta 0.05 --spectrum power:1 --dim 4 --plot new.svg
each 500 design --steps 12 --eta 0.05 --spectrum power:1 --dim 4 --epochs 2 --family dense --save saved
each 500 design --steps 12 --eta 0.05 --spectrum power:1 --dim 4 --objective max --family dense,nu --format csv
each 500 design --eta 0.05 --spectrum power:1 --dim 4 --family best,blt:2,nu,power,sgd
each 500 design --eta 0.1 --kappa 10 --family blt:2,nu
each 500 design --steps 12 --spectrum power:1 --dim 4 --epochs 2 --family blt:2 --json
each 40 design --steps 12 --eta 0.05 --spectrum power:1 --dim 4 --epochs 2 --json # the default families, scaled:4 too
each 200 design --steps 12 --eta 0.05 --spectrum power:1 --dim 4 --family dense --export numpy --output old
each 200 design --steps 12 --eta 0.05 --spectrum power:1 --dim 4 --family nu,banded:3 --export c --batch 4
each $every noise --design "$T/blt" --steps 3 --dim 5 --seed 1 --state state --output new
each $every noise --design "$T/matrix" --steps 3 --dim 5 --seed 1 --json
each $every noise --noise 'blt:0.9,0.5;0.2,0.1' --steps 3 --dim 5 --sigma 1 --seed 1 --output new --state state
each $every noise --noise nu:0.1 --steps 40 --dim 5 --sigma 1 --seed 1 --output new
each $every noise --noise nu:0.1 --steps 30 --dim 5 --rho 1 --epochs 3 --seed 1 --json
each $every audit "$T/lower" --participations 3 --separation 2 --claims sens2=1,prefix_error=2 --sigma 2 --delta 1e-5 --format csv
each $every audit "$T/lower" --coef noising --claims sens2=1 --output new.npy
each $every audit "$T/jax" --steps 20 --epochs 2 --claims sens2=2 --json
each $every audit "$T/matrix" --json
each $every audit --noise "beta@$T/beta" --noise cc --steps 20,30 --eta 0.1 --output old
each $every audit --system tree --steps 7 --participations 3 --separation 3
each 500 errata
each 100 reproduce --quick --out paper

# a sweep keeps what it has: exit 5, one line, or done; started again, the same table
sweep() { # sweep MOST JOBS
    count=$1 jobs=$2 files= tried=0 five=0 right=0 bad=0 crashed=0 code=0 reason=memory
    set -- sweep "$T/$jobs" --db "$T/sweep.db" --threads 1 --quiet
    name="$*"
    [ "$count" -le "$most" ] || count=$most
    rm -f "$T/sweep.db"*
    run FAULT_COUNT="$T/count" -- "$@"
    [ "$rc" = 0 ] || complain "$name" "not 0"
    cp "$T/out" "$T/summary"
    run -- sweep export --db "$T/sweep.db" --format csv
    cp "$T/out" "$T/table"
    read -r n <"$T/count"
    [ "$count" -le "$n" ] || count=$n
    i=0
    while [ "$i" -lt "$count" ]; do
        at=$((1 + i * n / count))
        i=$((i + 1))
        rm -f "$T/sweep.db"*
        cp "$T/summary" "$T/answer"
        run FAULT_AT=$at FAULT_ON=$((i % 4 / 3)) -- "$@"
        judge "allocation $at of finf $name"
        run -- "$@"
        [ "$rc" = 0 ] || complain "finf $name, after allocation $at failed" "not 0"
        run -- sweep export --db "$T/sweep.db" --format csv
        cmp -s "$T/out" "$T/table" || complain "finf $name, after allocation $at failed" "another table"
    done
    all_tried=$((all_tried + tried)) all_five=$((all_five + five)) all_right=$((all_right + right))
    all_crashed=$((all_crashed + crashed)) all_bad=$((all_bad + bad))
    printf '%6d allocations, %5d runs: %5d exit 5, %4d right, %4d crashed, %4d else wrong  finf sweep %s\n' \
        "$n" "$tried" "$five" "$right" "$crashed" "$((bad - crashed))" "$jobs"
}
printf '[[grid]]\ncommand = "mean"\nnoise = ["sgd", "nu:0.1,0.2"]\neta = [0.1, -1]\n[[grid]]\ncommand = "coef"\nnoise = "nu:0.1"\nlength = 5\n' >"$T/jobs.toml"
printf 'linreg,--noise,best,--eta,0.01,--spectrum,power:1,--dim,8\n"gamma",--noise,sgd,--steps,5\n' >"$T/jobs.csv"
if "$finf" --version --verbose | grep -q 'SQLite *[0-9]'; then
    sweep $every jobs.toml
    sweep $every jobs.csv
    each $every sweep status --db "$T/sweep.db" --json
    each $every sweep export --db "$T/sweep.db" --format csv --without reason
    each $every sweep export --db "$T/sweep.db" --output new.npy
fi
echo "$all_tried runs out of memory: $all_five exit 5, $all_right right, $all_crashed crashed, $by_libgomp ended by libgomp, $((all_bad - all_crashed)) else wrong"

# ---- threads -----------------------------------------------------------------------------------------------------

alone() { # alone CODE args..: no thread starts: the same answer all the same, or this exit code
    want=$1
    shift
    name="$*" files= tried=0 five=0 right=0 bad=0 crashed=0
    run -- "$@"
    code=$rc
    cp "$T/out" "$T/answer"
    run FAULT_THREADS=1 -- "$@"
    judge "no threads: finf $name"
    [ "$rc" = "$want" ] || complain "no threads: finf $name" "not $want"
}
alone 0 simulate --problem linreg --noise nu:paper --eta 0.05 --spectrum power:1 --dim 4 --relative-error 0.1 --threads 4
alone 0 iqc --noise sgd --eta 0.1 --kappa 2:50:log:3 --solver newton
alone 0 optimize --eta 0.1 --kappa 3:10:log:2 --solver newton --bound dist
alone 0 linreg --noise sgd --eta 0.001 --spectrum "data@$T/data"
alone 5 iqc --noise nu:0.1 --eta 0.1 --kappa 10 --solver newton --certify

# ---- full disks --------------------------------------------------------------------------------------------------

full() { # full args..: exit 5, one line, every file as it was
    name="$*" files=1 tried=0 five=0 right=0 bad=0 crashed=0 code=5 reason='cannot write'
    run -- "$@"
    : >"$T/out"
    judge "disk full: finf $name"
}
optimum='optimize --eta 0.1 --kappa 10 --solver newton'
if [ -c /dev/full ]; then
    full coef --noise nu:0.1 --length 3 --output /dev/full
    full coef --noise nu:0.1 --length 100000 --output /dev/full
    full $optimum --save old --output /dev/full
    full $optimum --save /dev/full --output old
    full mean --noise sgd --eta 0.1:0.5:lin:3 --plot new.svg --output /dev/full
    to=/dev/full
    full coef --noise nu:0.1 --length 3
    full $optimum --save old
    to=$T/out
fi
limit="sh $T/limited"
echo 'ulimit -f 8 && exec "$@"' >"$T/limited"
full coef --noise nu:0.1 --length 100000 --output old
full $optimum --save new --output old
full gamma --noise nu:0.1:0.5:log:200 --plot new.svg --output old
full gamma --noise nu:0.1:0.5:log:200 --plot new.svg --output new.npy

[ "$failed" = 0 ] || { echo "$failed failed"; exit 1; }
echo 'all as it should be'
