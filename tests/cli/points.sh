# Ranges, lists and repeated options: a table.

rows() { # rows N args...: as many answers in CSV and JSON, and lines in the table of text
    n=$1
    shift
    run "$@" --format csv
    if [ $rc = 0 ] && [ "$(wc -l <"$T/out")" -eq $((n + 1)) ] && square "$T/out"; then yes; else no "not $n rows" "$@" --format csv; fi
    ok . "$@" --json
    if [ "$(wc -l <"$T/out")" -eq "$n" ]; then yes; else no "not $n objects" "$@" --json; fi
    ok . "$@" --quiet
}
values() { # values KEY 'V V ..' args...: the column of this key
    key=$1 want=$2
    shift 2
    run "$@" --format csv
    got=$(column "$key" | sed 1d | tr '\n' ' ')
    if [ $rc = 0 ] && [ "${got% }" = "$want" ]; then yes; else no "$key is '$got', not '$want'" "$@"; fi
}

# each option that may be one, in every command that has it
for c in 'mean --noise sgd' 'linreg --noise sgd --spectrum flat --dim 3' 'iqc --noise sgd --kappa 3' 'tune --spectrum flat --dim 3' 'tune --kappa 3' tune \
    'optimize --kappa 3' 'optimize --spectrum flat --dim 3' 'simulate --problem mean --noise sgd' 'curve --steps 8 --system sgd --spectrum flat --dim 3'; do
    rows 3 $c --eta 0.1:0.3:lin:3
    values eta '0.10000000000000001 0.20000000000000001' $c --eta 0.1,0.2
done
for c in 'iqc --noise sgd' tune optimize; do rows 2 $c --eta 0.1 --kappa 2,3; done
for c in 'linreg --noise sgd' tune optimize 'simulate --problem linreg --noise sgd'; do
    rows 3 $c --eta 0.1 --spectrum flat --dim 2,3,4
    values d '2 3 4' $c --eta 0.1 --spectrum flat --dim 2:4:lin:3
done
for c in 'mean --noise sgd --eta 0.1' 'linreg --noise sgd --spectrum flat --dim 3 --eta 0.1' 'iqc --noise sgd --kappa 3 --eta 0.1' 'tune --eta 0.1' 'optimize --eta 0.1' \
    'simulate --problem mean --noise sgd --eta 0.3' 'gamma --noise sgd' 'privacy --noise sgd' 'curve --steps 8 --system sgd --spectrum flat --dim 3 --eta 0.1'; do
    rows 3 $c --rho 0.5:2:log:3
    values rho '0.5 2' $c --rho 0.5,2
    case $c in privacy*) continue ;; esac
    rows 2 $c --epsilon 1,2 --delta 1e-6
    values epsilon '1 2' $c --epsilon 1,2 --delta 1e-6
done
ok '^noise,t,noising_coef,noising_coef_error$' coef --noise nu:0.1,0.2 --length 2 --format csv # rows of each
ok '^nu:0.2,1,-0.40000000000000002,' coef --noise nu:0.1,0.2 --length 2 --format csv
ok '^# noising_coef of nu:0.2$' coef --noise nu:0.1,0.2 --length 2
ok '^# noising_coef of best, eta = 0.0316$' coef --noise best --eta 0.01:0.1:log:3 --spectrum power:1 --dim 3 --length 2 --precision 3
ok '^best,0.0316,1,-0.489,' coef --noise best --eta 0.01:0.1:log:3 --spectrum power:1 --dim 3 --length 2 --precision 3 --format csv
# what varies is in every row, also where the command would not show it
tenths='0.10000000000000001 0.20000000000000001'
for c in 'gamma --noise best' 'privacy --noise best --rho 1' 'gamma --noise nu:paper'; do
    values eta "$tenths" $c --eta 0.1,0.2
    values d '3 4' $c --eta 0.1 --spectrum power:1 --dim 3,4
    values spectrum 'flat power:1' $c --eta 0.1 --spectrum flat --spectrum power:1 --dim 3
    values kappa '2 3' $c --eta 0.1 --kappa 2,3
done
values eta "$tenths $tenths" gamma --noise best --noise sgd --eta 0.1,0.2
values nu '0.001 0.01 0.1' curve --steps 64 --noise nu:0.001:0.1:log:3 --precision 3
values d '2 3' design --kappa 3 --eta 0.1 --dim 2,3 --family sgd
for c in 'design --steps 4 --workload prefix --family sgd' 'design --eta 0.1 --spectrum flat --dim 2 --family sgd' 'rates --decays 1'; do
    values epsilon '1 2' $c --epsilon 1,2 --delta 1e-6
    keys 'rho epsilon delta' $c --epsilon 1 --delta 1e-6
done
keys 'rho epsilon delta sigma' coef --noise nu:0.1 --length 2 --epsilon 1 --delta 1e-6
ok '^noise,eta,t,noising_coef,noising_coef_error$' coef --noise best --eta 0.1,0.2 --length 2 --format csv
ok '^nu:0.2,0.2,1,-0.40000000000000002,' coef --noise best --eta 0.1,0.2 --length 2 --format csv
ok '^# noising_coef of nu:0.1, epsilon = 2: sigma = ' coef --noise nu:0.1 --length 2 --epsilon 1,2 --delta 1e-6
ok '^[{]"eta":0.10000000000000001,"noise":"best"' coef --noise best --eta 0.1,0.2 --spectrum power:1 --dim 3 --length 2 --json
ok '' coef --noise best --noise best --eta 0.1,0.2 --spectrum power:1 --dim 3 --length 2 --output "$T/c.npy" # a name a field
for name in "'best eta=0.1'" "'best eta=0.2'" "'best eta=0.1 (2)'" "'best eta=0.2 (2)'"; do
    if head -c 300 "$T/c.npy" | grep -a -q -F "$name"; then yes; else no "no field $name" coef; fi
done
ok gamma2 gamma --noise best --noise nu:paper --eta 0.1:0.2:log:3 --plot "$T/g.svg"
ok family design --steps 4 --workload prefix --family sgd --epsilon 1:4:log:3 --delta 1e-6 --plot "$T/g.svg"
rows 3 gamma --noise sgd --steps 1:100:log:3
values steps '1 10 100' gamma --noise sgd --steps 1:100:log:3
values steps '5 7' simulate --problem mean --noise sgd --eta 0.3 --steps 5,7
values steps '1 2 3' gamma --noise sgd --steps 1:3:lin:30 # each whole number once
values d 1 linreg --noise sgd --eta 0.1 --spectrum flat --dim 1:1:lin:2
for c in gamma 'mean --eta 0.1' 'linreg --eta 0.1 --spectrum flat --dim 3' 'iqc --eta 0.1 --kappa 3' 'privacy --rho 1' 'simulate --problem mean --eta 0.3' \
    'curve --steps 8' 'curve --steps 8 --show systems --eta 0.1 --spectrum flat --dim 2'; do
    rows 4 $c --noise sgd --noise nu:0.1,0.2 --noise cc
    case $c in curve*) continue ;; esac
    values nu '0.10000000000000001 0.20000000000000001 0.29999999999999999' $c --noise nu:0.1:0.3:lin:3
    rows 2 $c --noise antipgd:0:0.5:lin:2
done
values nu '0.10000000000000001 1' gamma --noise nu:0.1:1:log:2
rows 6 mean --noise sgd --noise nu:0.1 --eta 0.1,0.2,0.3
values eta '0.10000000000000001 0.20000000000000001 0.10000000000000001 0.20000000000000001' mean --noise sgd --noise nu:0.1 --eta 0.1,0.2 # the last fastest
values noise 'sgd sgd nu:0.1 nu:0.1' mean --noise sgd --noise nu:0.1 --eta 0.1,0.2
rows 4 linreg --noise sgd --eta 0.1 --spectrum flat --spectrum power:1 --dim 2,3
rows 3 mean --noise sgd --eta 0.1 --optimizer sgd --optimizer heavy-ball:0.5 --optimizer nesterov:0.5
rows 2 mean --noise sgd --eta 0.1 --weight-decay 0,0.1
rows 2 mean --noise sgd --eta 0.1 --sigma-sgd 0,1
rows 2 mean --noise sgd --eta 0.1 --clip 1,2
ok '^  nu:0.1  nu:paper ' mean --noise nu:paper --noise sgd --eta 0.1
ok '^  0.1  nu:0.1  nu:paper ' mean --noise nu:paper --eta 0.1,0.2
# each is the single answer, whatever the number of threads
run mean --noise nu:0.1 --eta 0.3 --json; sed 's/.*"gamma2"/"gamma2"/' "$T/out" >"$T/single"
run mean --noise sgd --noise nu:0.1 --eta 0.2,0.3 --json
if tail -n 1 "$T/out" | sed 's/.*"gamma2"/"gamma2"/' | cmp -s - "$T/single"; then yes; else no 'a point is not the single answer' mean; fi
for c in 'mean --noise nu:best --noise best --eta 0.01:0.9:log:20' 'simulate --problem mean --noise sgd --eta 0.1:0.5:lin:4 --seed 3'; do
    run $c --threads 1 --json; sed -E 's/"seconds":[^,}]*//' "$T/out" >"$T/single"
    run $c --threads 7 --json; sed -E 's/"seconds":[^,}]*//' "$T/out" >"$T/several"
    if [ -s "$T/single" ] && cmp -s "$T/single" "$T/several"; then yes; else no 'threads change the answer' $c; fi
done
# --progress: on stderr, also where that is a file; nothing is different on stdout
run mean --noise sgd --eta 0.1:0.2:lin:5 --json; cp "$T/out" "$T/single"
run mean --noise sgd --eta 0.1:0.2:lin:5 --json --progress
if [ $rc = 0 ] && cmp -s "$T/out" "$T/single" && grep -q 5/5 "$T/err"; then yes; else no 'progress' mean --progress; fi
ok . mean --noise sgd --eta 0.1:0.2:lin:5 # none without a terminal
# infinite and failed points beside the others
ok '"F_inf":0[.][0-9]*,' mean --noise sgd --eta 1,2 --json
ok '"F_inf":"inf".*"reason":"eta = 2 ' mean --noise sgd --eta 1,2 --json
ok '^reason: eta = 2 ' mean --noise sgd --eta 1,2
bad 3 'eta = -1: must be positive' mean --noise sgd --eta 1,-1
run gamma --noise sgd --noise beta:1,-1,1e-40 --json # undecided: exit 4, with all rows
if [ $rc = 4 ] && [ "$(wc -l <"$T/out")" -eq 2 ] && grep -q '"gamma2":null' "$T/out"; then yes; else no 'an undecided point' gamma; fi
# stdin serves every point; so does a pipe
for f in '-' /dev/stdin; do
    cat t.txt | "$finf" mean --noise beta@$f --eta 0.1:0.2:lin:5 --format csv >"$T/out" 2>"$T/err"
    if [ $? = 0 ] && [ "$(column gamma2 | sed 1d | sort -u)" = 1.3333333333333333 ] && [ "$(wc -l <"$T/out")" -eq 6 ]; then yes; else no "stdin in a table" mean --noise beta@$f; fi
done
bad 2 '--noise wants to read stdin 2 times' mean --noise beta@- --noise strategy@- --eta 0.1
bad 2 '--noise wants to read stdin 2 times' curve --steps 8 --noise beta@- --noise beta@-

# malformed
for v in 0.1:0.2:lin:2:junk 0.1:0.2:lin 0.1:0.2 ::: : 0.1:0.2,0.3 0.1:0.2:LOG:3 0.1:0.2::3 0.1:0.2:lin:2:; do
    bad 3 "eta = '$v': a range is FROM:TO:log:COUNT or FROM:TO:lin:COUNT" mean --noise sgd --eta "$v"
    bad 3 "rho = '$v': a range is" mean --noise sgd --eta 0.1 --rho "$v"
    bad 3 "nu = '$v': a range is" gamma --noise "nu:$v"
    bad 3 "nu = '$v': a range is" curve --steps 8 --noise "nu:$v"
    bad 3 "dim = '$v': a range is" linreg --noise sgd --eta 0.1 --spectrum flat --dim "$v"
    bad 3 "steps = '$v': a range is" gamma --noise sgd --steps "$v"
done
for v in , 0.1, ,0.1 0.1,,0.2; do
    bad 3 'nothing between two commas, or a comma at the end' mean --noise sgd --eta "$v"
    bad 3 'nothing between two commas, or a comma at the end' gamma --noise "nu:$v"
    bad 3 'nothing between two commas, or a comma at the end' linreg --noise sgd --eta 0.1 --spectrum flat --dim "$v"
done
bad 3 "eta[1] = 'x'" mean --noise sgd --eta 0.1,x
for v in 0.1x:0.2:lin:2 0.1:0.2y:lin:2 0.1:0.2:lin:z :0.2:lin:2 0.1::lin:2; do bad 3 'not a number' mean --noise sgd --eta $v; done
for v in nan:1:lin:3 0.1:inf:lin:3; do bad 3 'must be a finite number' mean --noise sgd --eta $v; done
for v in 0 1 2.5 -3 100001 1e9; do bad 3 'points in a range, must be a whole number from 2 to 100000' mean --noise sgd --eta 0.1:0.2:lin:$v; done
for v in 0:1:log:3 -1:1:log:3; do bad 3 'a log range needs positive ends' mean --noise sgd --eta $v; done
bad 3 'nu = 0: must be in (0, 1]' gamma --noise nu:0:1:lin:3
for v in 1.5,2 1.5:2:lin:2; do
    bad 3 'dim = 1.5: must be a whole number' linreg --noise sgd --eta 0.1 --spectrum flat --dim $v
    bad 3 'steps = 1.5: must be a whole number' gamma --noise sgd --steps $v
done
bad 3 'more than a million answers are asked for' gamma --noise nu:0.1:1:lin:1001 --steps 1:1000:lin:1000
bad 3 'more than a million answers are asked for' mean --noise sgd --eta 0.1:0.2:lin:100000 --rho 0.1:1:lin:11
bad 2 '--save keeps one noise' optimize --eta 0.1,0.2 --save saved
bad 2 '--save keeps one noise' optimize --eta 0.1 --spectrum flat --dim 2,3 --save saved
bad 2 'give single values' linreg --noise sgd --eta 0.1,0.2 --spectrum flat --dim 2 --directions
bad 2 '--density is a table of one noise' coef --noise sgd --noise cc --length 4 --density
# the reader of a table has seen enough
for c in 'gamma --noise nu:0.1:1:lin:5000 --json' 'gamma --noise nu:0.1:1:lin:5000' 'gamma --noise nu:0.1:1:lin:5000 --format csv'; do
    { "$finf" $c 2>"$T/err"; echo $? >"$T/rc"; } | head -n 1 >"$T/out"
    while [ ! -s "$T/rc" ]; do sleep 0.05; done
    if [ "$(cat "$T/rc")" = 0 ] && [ ! -s "$T/err" ] && [ -s "$T/out" ]; then yes; else no "| head: exit $(cat "$T/rc")" $c; fi
    rm "$T/rc"
done
# a curve a family or system, and no line that goes from one to the other
curves() { # curves N args...: so many curves
    n=$1
    shift
    ok . "$@" --plot "$T/c.svg" --quiet
    got=$(grep -o 'class="fp-s[0-9]"' "$T/c.svg" | sort -u | wc -l)
    if [ "$got" -eq "$n" ]; then yes; else no "$got curves, not $n" "$@" --plot; fi
}
curves 3 design --steps 4 --eta 0.1:0.3:lin:3 --spectrum flat --dim 2 --family nu,blt:1,sgd
curves 2 design --eta 0.1 --spectrum flat --dim 2 --family nu,sgd --epsilon 1:4:log:3 --delta 1e-6
curves 2 curve --steps 8,16 --noise nu:0.1 --noise sgd
curves 3 curve --steps 8,16 --system tree,sgd --noise nu:0.1 --eta 0.1 --spectrum flat --dim 2
if grep -q 'curve, eta 0.1, spectrum flat, dim 2' "$T/c.svg"; then yes; else no 'the subtitle names one of the noises' curve; fi
curves 2 curve --steps 8 --noise nu:best --noise sgd --eta 0.1:0.3:lin:3 --spectrum flat --dim 2
curves 2 linreg --noise nu:0.1 --noise sgd --eta 0.1:0.3:lin:3 --spectrum flat --dim 2
