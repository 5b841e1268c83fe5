# iqc, optimize and tune for strongly convex, smooth F.

common='gamma2 bound unit_bound lower unit_lower solver solver_status iterations grid_points basis_size certified certified_upper'
keys "$common" iqc --noise nu:0.056 --eta 0.1 --kappa 100
keys "$common rounds history bound_sgd bound_nu spread minimax gap gaussian_bound gaussian_gap noise" optimize --eta 0.1 --kappa 100
keys 'nu gap bound' tune --eta 0.1 --kappa 100
keys 'nu F_inf F_paper' tune --eta 0.02 --spectrum power:1 --dim 128
keys 'nu F_inf F_sgd' tune --eta 0.1
near unit_bound 0.0456884 2e-6 iqc --noise sgd --eta 0.1 --kappa 100
near unit_bound 0.00777275 2e-6 iqc --noise nu:paper --eta 0.1 --kappa 100 --solver newton
near unit_lower 0.0263158 2e-6 iqc --noise sgd --eta 0.1 --kappa 100
near unit_bound 10.65 2e-3 iqc --noise sgd --eta 0.1 --kappa 100 --bound dist
near bound 0.005269617870587385 1e-10 iqc --noise nu:0.1 --eta 0.1 --kappa 1
near unit_bound 0.0070349174 1e-7 iqc --noise nu:0.062 --eta 0.1 --kappa 1000 --bound gaussian
ok 'Gaussian w' iqc --noise nu:0.062 --eta 0.1 --kappa 1000 --bound gaussian
ok '"certified":true' iqc --noise nu:0.062 --eta 0.1 --kappa 1000 --bound gaussian --certify --json
near gaussian_gap 1.05497 1e-5 optimize --eta 0.1 --kappa 1000 --solver newton
for key in gap gaussian_gap; do near $key 1.05482 1e-5 optimize --eta 0.1 --kappa 1000 --bound gaussian --solver newton; done
near gap 1.05732 1e-5 tune --eta 0.1 --kappa 100 --bound gaussian
ok '"bound_kind":"gaussian".*"certified":true' optimize --eta 0.1 --kappa 100 --bound gaussian --certify --save g --json
for noise in beta@g spectrum@g; do near bound 0.005554516 1e-7 iqc --noise $noise --eta 0.1 --kappa 100 --bound gaussian --solver newton; done
near bound 85.2 2e-3 iqc --noise sgd --eta 0.1 --kappa 100 --bound dist --constants paper --rho 0.5
near nu 0.1 1e-12 tune --eta 0.1
for format in text csv json; do
    for c in 'iqc --noise sgd --eta 0.1 --kappa 2:50:log:3' 'optimize --eta 0.1:0.2:lin:2 --kappa 5' 'tune --eta 0.5 --kappa 3'; do
        ok . $c --format $format
    done
done
ok '"certified":true' iqc --noise nu:0.056 --eta 0.1 --kappa 100 --certify --json
ok '"bound":"inf".*"reason":"eta L >= 2' iqc --noise sgd --eta 2 --kappa 10 --json
ok '"bound":"inf".*"reason":"sum c_t' iqc --noise beta:1,-2 --eta 0.1 --kappa 10 --json
# an infinite answer is infinite in every key; what does not depend on the noise stays
for c in 'iqc --noise sgd' tune optimize; do ok '"bound":"inf".*"unit_bound":"inf".*"lower":"inf",.*"unit_lower":"inf"' $c --eta 2 --kappa 10 --json; done
ok '"minimax":"inf","minimax_error":0,"gap":null,"gap_error":"inf","gaussian_bound":"inf","gaussian_bound_error":0,"gaussian_gap":null' optimize --eta 2 --kappa 10 --json
ok '"unit_bound":"inf","unit_bound_error":0,"unit_sgd":"inf"' iqc --noise sgd --eta 2 --kappa 10 --sigma-sgd 1 --json
for n in strategy:1,2 'blt:0.5;-3'; do
    ok '"bound":"inf".*"unit_bound":"inf".*"lower":"inf",.*"unit_lower":"inf"' iqc --noise "$n" --eta 0.1 --kappa 10 --json
    near minimax 0.005269617870587385 1e-12 iqc --noise "$n" --eta 0.1 --kappa 10
    ok 'lower +inf +every quadratic diverges' iqc --noise "$n" --eta 0.1 --kappa 10
    if grep -q -i nan "$T/out"; then no nan iqc --noise "$n"; else yes; fi
done
run optimize --eta 2 --kappa 10
if grep -q -i nan "$T/out"; then no nan optimize; else yes; fi
# what a bound on the distance stands beside is of the distance too
for b in dist sharp-dist; do
    for text in 'bound .*[(]L/2[)] E[|]theta[|]\^2, and so F_inf, is at most this' 'lower .*[(]L/2[)] E[|]theta[|]\^2 of the worst quadratic' 'minimax .*worst case of [(]L/2[)]'; do
        ok "$text" iqc --noise nu:0.05 --eta 0.1 --kappa 100 --bound $b
    done
    ok 'minimax .*worst case of [(]L/2[)]' tune --eta 0.1 --kappa 10 --bound $b
    ok 'minimax .*worst case of [(]L/2[)]' optimize --eta 0.1 --kappa 10 --bound $b
    ok '^  bound_kind +'$b' +bound, lower and minimax are of [(]L/2[)]' optimize --eta 0.1 --kappa 10:20:lin:2 --bound $b
    ok '^  huber_lower .*E[[]F - F[*][]]' iqc --noise sgd --eta 0.5 --kappa 2 --bound $b --lower simulate
    ok '^  bound_kind .*lower.* of [(]L/2[)].*simulated is F - F[*]' iqc --noise sgd --eta 0.5 --kappa 2:3:lin:2 --bound $b --lower simulate
done
for c in iqc tune optimize; do ok '^  --bound sharp[|]gaussian[|]fval[|]dist[|]sharp-dist$' $c --help; done
for c in iqc tune optimize; do
    run $c --help
    if tr -s ' \n' ' ' <"$T/out" | grep -q 'independent w [(]or martingale differences[)]'; then yes; else no 'for which w?' $c --help; fi
done
for c in 'optimize --eta 0.1' 'tune --eta 0.1'; do # one gap is the solver's
    run $c --kappa 10 --verbose
    if [ "$(grep -c '^  gap ' "$T/out")" = 1 ] && grep -q '^  solver_gap ' "$T/out"; then yes; else no 'which gap?' $c; fi
done
ok 'symmetric' iqc --noise sgd --eta 0.5 --kappa 10 --class paper
# every word of a choice that --help names is taken, and comes back as it was given; another is refused with all of them
run iqc --help
for o in bound class; do
    words=$(sed -n "s/^  --$o \([a-z|-]*\).*/\1/p" "$T/out")
    bad1 2 "--$o 'no': must be one of $words" iqc --noise sgd --eta 0.5 --kappa 3 --$o no
    for w in $(echo "$words" | tr '|' ' '); do ok "\"$o(_kind)?\":\"$w\"" iqc --noise sgd --eta 0.5 --kappa 3 --$o $w --json; done
    run iqc --help
done
ok '^  solver_bound .*own objective: not a bound$' iqc --noise sgd --eta 0.5 --kappa 10 --verbose
ok '"solver":"newton"' iqc --noise sgd --eta 0.5 --kappa 10 --solver newton --json
# auto: ECOS for one where it is, Newton for a range; ECOS is not there without its library
for c in 'iqc --noise sgd' tune optimize; do
    ok "\"solver\":\"$ecos\"" $c --eta 0.5 --kappa 10 --json
    ok "^  solver +$ecos: optimal" $c --eta 0.5 --kappa 10 --solver auto
    FINF_ECOS_LIBRARY=
    export FINF_ECOS_LIBRARY
    ok '"solver":"newton"' $c --eta 0.5 --kappa 10 --json
    ok '^  solver +newton: optimal' $c --eta 0.5 --kappa 10
    bad 2 'solver ecos: not found' $c --eta 0.5 --kappa 10 --solver ecos
    FINF_ECOS_LIBRARY=/no/such/libecos.so
    bad 2 '/no/such/libecos.so: cannot open' $c --eta 0.5 --kappa 10 --solver ecos
    FINF_ECOS_LIBRARY=$T/w/text; echo text >text
    bad 2 "$T/w/text: " $c --eta 0.5 --kappa 10 --solver ecos
    unset FINF_ECOS_LIBRARY
    rm text
done
for c in 'iqc --noise sgd' optimize; do ok '"solver":"newton"' $c --eta 0.5 --kappa 10:20:lin:2 --json; done
if [ $ecos = ecos ]; then ok '"solver":"ecos"' iqc --noise sgd --eta 0.5 --kappa 10:20:lin:2 --solver ecos --json; else skipped=$((skipped + 1)); fi
[ "$(run iqc --noise sgd --eta 0.5 --kappa 2:50:log:7 --format csv; wc -l <"$T/out")" -eq 8 ] && yes || no 'not 7 rows' iqc

near gamma2 2.111681405 1e-9 gamma --noise bisr:16
ok '"bound":0.00595806[67].*"certified":true' iqc --noise bisr:8 --eta 0.1 --kappa 20 --json --certify
bad1 3 'whole number from 1' gamma --noise bisr:0
bad1 3 'whole number from 1' gamma --noise bisr:100001
for o in '--output -' '--save -'; do bad1 2 "'-' is no file" optimize --eta 0.1 --kappa 20 $o; done
"$finf" iqc --noise sgd --eta 0.1 --kappa 10 --json >"$T/out" 2>"$T/err" # without gradient noise it is not computed
if grep -q '"unit_bound"' "$T/out" && ! grep -q unit_sgd "$T/out"; then yes; else no 'unit_sgd of nothing' iqc; fi
for c in 'mean --eta 0.1' 'linreg --eta 0.1 --spectrum flat --dim 2'; do # what does not need gamma stands though that is undecided
    "$finf" $c --noise beta:1,-1,1e-40 --json >"$T/out" 2>"$T/err"
    if [ $? = 4 ] && grep -q '"stable":true' "$T/out"; then yes; else no 'stable though undecided' $c; fi
done
ok '"gamma2_T":1,' privacy --rho 1 --noise beta:1,-1,1e-40 --steps 1 --json
"$finf" curve --steps 100 --spectrum flat --dim 2 --eta 0.1 --system beta:1,-1,1e-40 --gamma inf >"$T/out" 2>"$T/err"
if [ $? = 4 ] && grep -q 'was not found' "$T/err"; then yes; else no 'undecided is not infinite' curve; fi
"$finf" gamma --noise beta:1,-1,1e-40 --json >"$T/out" 2>"$T/err"
if [ $? = 4 ] && grep -q '"minimum_phase":null' "$T/out" && grep -q 'too close' "$T/err"; then yes; else no 'undecided is null' gamma; fi
bad1 3 'whole number from 1' gamma --noise bisr:2.5
for o in same ./same "$PWD/same" link; do
    ln -s same link
    bad1 2 "name one file: 'same'" optimize --eta 0.1 --kappa 20 --save same --output $o
    echo old >same
    bad1 2 "name one file: 'same'" optimize --eta 0.1 --kappa 20 --save same --output $o
    rm -f same link
done
near bound 0.0155175725 1e-6 optimize --eta 0.1 --kappa 1e12 --bound fval --solver newton # as many panels as there are

echo old >same
for save in same ./same /dev/stdout; do
    "$finf" optimize --eta 0.1 --kappa 20 --save $save 2>"$T/err" >>same
    if [ $? = 2 ] && grep -q 'standard output name one file' "$T/err" && [ "$(cat same)" = old ]; then yes; else no 'stdout overwritten' optimize --save $save; fi
done
rm -f same
# what is saved reads back: the same sensitivity and bound to 1e-6
while read -r bound eta kappa; do
    ok . optimize --eta $eta --kappa $kappa --bound $bound --save kept --json
    g=$(sed -n 's/.*"gamma2":\([0-9.e+-]*\).*/\1/p' "$T/out") b=$(sed -n 's/.*"bound":\([0-9.e+-]*\).*/\1/p' "$T/out")
    n=$(sed -n 's/.*"noise":"\([^"]*\)".*/\1/p' "$T/out")
    for noise in beta@kept spectrum@kept "$n"; do
        near bound "$b" 1e-6 iqc --noise "$noise" --eta $eta --kappa $kappa --bound $bound
        near gamma2 "$g" 1e-6 gamma --noise "$noise"
    done
    rm -f kept
done <<ROWS
sharp 0.1 20
fval 0.1 20
sharp-dist 0.5 30
dist 0.01 200
sharp 1.9 30
ROWS
rm -f kept
# its first line makes it again
while read -r words; do
    ok . optimize $words --save kept --json
    b=$(sed -n 's/.*"bound":\([0-9.e+-]*\).*/\1/p' "$T/out")
    again=$(sed -n '1s/^# finf //p' kept)
    [ $arb = yes ] || again=$(echo "$again" | sed 's/ --certify//')
    near bound "$b" 1e-13 $again
    rm -f kept
done <<ROWS
--eta 0.1 --kappa 20 --sigma-sgd 0.5 --class odd --rho 0.5 --clip=2 --dim 3 --smooth 2 --solver newton --verbose
--eta 0.1 --kappa 5 --bound dist --class paper --constants paper --grid uniform:50 --multiplier fir:10 --force --certify
ROWS
ok . optimize --eta 0.1 --kappa 20 --bound gaussian --solver newton --save kept
if grep -q '^# psi.*stein.c.*cost in psi$' kept; then yes; else no 'which columns?' optimize --save; fi
ok '^beta@ of that file is cut after [0-9]* coefficients, so it may be refused or inexact: spectrum@ is whole$' optimize --eta 0.001 --kappa 1e5 --bound fval --solver newton --save kept
if grep -q '^# beta is cut.*refused or inexact' kept; then yes; else no 'nothing about the cut' optimize --save; fi
near bound 3.7965977e-06 1e-6 iqc --noise spectrum@kept --eta 0.001 --kappa 1e5 --bound fval --solver newton
rm -f kept
run optimize --eta 0.1 --kappa 20 --json
noise=$(sed -n 's/.*"noise":"\(product:[^"]*\)".*/\1/p' "$T/out") b=$(sed -n 's/.*"bound":\([0-9.e+-]*\).*/\1/p' "$T/out")
near bound "${b:-0}" 1e-9 iqc --noise "$noise" --eta 0.1 --kappa 20

bad 3 'kappa = 0.5' iqc --noise sgd --eta 0.1 --kappa 0.5
bad 3 'kappa' iqc --noise sgd --eta 0.1 --kappa nan
bad 3 '1e+20' iqc --noise sgd --eta 0.1 --kappa 1e20
bad 3 'eta = 0' iqc --noise sgd --eta 0 --kappa 10
bad 3 'uniform:20000' iqc --noise sgd --eta 0.1 --kappa 100 --grid uniform:1000
bad 3 'fir:1000' iqc --noise sgd --eta 0.1 --kappa 100 --multiplier fir:50
bad 3 'uniform:400' iqc --noise sgd --eta 0.5 --kappa 2 --grid uniform:100 --multiplier fir:100
ok . iqc --noise sgd --eta 0.1 --kappa 100 --grid uniform:1000 --force
bad 2 "'auto|'" iqc --noise sgd --eta 0.1 --kappa 100 --grid 'auto|'
bad 3 uniform:0 iqc --noise sgd --eta 0.1 --kappa 100 --grid uniform:0
bad 2 none iqc --noise sgd --eta 0.1 --kappa 100 --bound none
bad 2 kappa iqc --noise sgd --eta 0.1
bad 3 '2:1000' iqc --noise sgd --eta 0.1 --kappa 2:1000
bad 3 '2:1000:cube:3' iqc --noise sgd --eta 0.1 --kappa 2:1000:cube:3
for v in 0.01:0.02:lin:2:junk 0.01:0.02:lin:2: 0.01:0.02:lin2:2 0.01:0.02:linear:2; do bad 3 "'$v': a range is" iqc --noise sgd --kappa 2 --eta $v; done
for v in :0.02:lin:2 0.01::lin:2 0.01:0.02:lin: 0.01x:0.02:lin:2 0.01:0.02:lin:2x; do bad 3 'not a number' iqc --noise sgd --kappa 2 --eta $v; done
run iqc --noise sgd --kappa 2 --eta "${long}e-1:0.$(printf %0199d 1)e198:lin:2" --format csv # no field is cut
if [ "$(column eta | tr '\n' ' ')" = 'eta 0.050000000000000003 0.10000000000000001 ' ]; then yes; else no 'a field of a range is cut' iqc; fi
bad 3 'must be a whole number from 1' coef --noise sgd --length 0.$(printf %0400d 1)
ok "\"noise\":\"power:${long}e0,0.1\"" gamma --noise "power:${long}e0,0.1" --json
bad 3 'log range' iqc --noise sgd --eta 0.1 --kappa 0:10:log:3
bad 3 'points in a range' iqc --noise sgd --eta 0.1 --kappa 2:10:log:1
bad 3 'dim = 0' iqc --noise sgd --eta 0.1 --kappa 10 --dim 0
bad 3 'smooth = -1' iqc --noise sgd --eta 0.1 --kappa 10 --smooth -1
for s in 1e200 1e150 1e-60; do
    for c in 'iqc --noise sgd' tune optimize; do bad 3 'sigma-sgd = 1e' $c --eta 0.1 --kappa 10 --sigma-sgd $s; done
done
for c in 'iqc --noise sgd' tune optimize; do
    for o in '' '--grid auto' '--multiplier compact'; do bad 2 '--force has no effect' $c --eta 0.1 --kappa 10 --force $o; done
done
ok . iqc --noise sgd --eta 0.1 --kappa 10 --multiplier fir:10 --force
bad 2 '--save keeps one' optimize --eta 0.1 --kappa 2:5:lin:2 --save kept
bad 5 'no/such' optimize --eta 0.1 --kappa 2 --save no/such/file
bad 2 '--kappa is about every convex F, --spectrum about linear regression: give one of them' tune --eta 0.1 --kappa 10 --spectrum flat --dim 2
