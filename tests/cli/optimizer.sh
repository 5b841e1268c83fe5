# --optimizer, --average and --weight-decay.

# momentum 0 is plain SGD; Nesterov's and heavy-ball's effective step is eta/(1 - M)
for c in 'mean --noise nu:0.1 --eta 0.1' 'linreg --noise nu:0.1 --eta 0.02 --spectrum power:1 --dim 16'; do
    run $c --json
    v=$(sed -n 's/.*"F_inf":\([0-9.e+-]*\).*/\1/p' "$T/out")
    for o in sgd heavy-ball:0 nesterov:0 'filter:0,1;1,-1'; do near F_inf "${v:-0}" 1e-11 $c --optimizer $o; done
    near F_inf "${v:-0}" 1e-11 $c --weight-decay 0
    near F_inf "${v:-0}" 1e-11 $c --average last:1
    near F_inf "${v:-0}" 1e-11 $c --average ema:0
    keys 'optimizer eta_eff contraction F_inf F_inf_error F_best F_best_error' $c --optimizer heavy-ball:0.5
    keys 'optimizer average weight_decay eta_eff contraction F_inf F_inf_error' $c --optimizer nesterov:0.5 --average ema:0.9 --weight-decay 0.1
done
near eta_eff 0.2 1e-14 mean --noise sgd --eta 0.1 --optimizer heavy-ball:0.5
near eta_eff 0.2 1e-14 mean --noise sgd --eta 0.1 --optimizer nesterov:0.5
near contraction 0.9 1e-13 mean --noise sgd --eta 0.1
near contraction 'sqrt(0.5)' 1e-12 mean --noise sgd --eta 0.1 --optimizer heavy-ball:0.5 # complex poles: |z|^2 = M
# heavy ball on a quadratic, white noise: F = (1/4) eta (1+M)/((1-M)(2(1+M)-eta)), sigma^2 = 1/2 (theory 11.2)
near F_inf '0.25*0.1*1.5/(0.5*(3-0.1))' 1e-11 mean --noise sgd --eta 0.1 --optimizer heavy-ball:0.5
ok '^  optimizer +heavy-ball:0.5 ' mean --noise sgd --eta 0.1 --optimizer heavy-ball:0.5
ok '^  average +ema:0.9 ' mean --noise sgd --eta 0.1 --average ema:0.9
run mean --noise sgd --eta 0.1
if grep -q '^  optimizer' "$T/out"; then no 'the default is shown' mean; else yes; fi
ok '"F_inf":"inf".*"stable":false.*"reason":"' mean --noise sgd --eta 4 --optimizer heavy-ball:0.5 --json
for c in 'iqc --noise sgd --eta 0.1 --kappa 3' 'tune --eta 0.1' 'tune --eta 0.1 --spectrum flat --dim 2' 'tune --eta 0.1 --kappa 3' 'optimize --eta 0.1' \
    'optimize --eta 0.1 --spectrum flat --dim 2' 'optimize --eta 0.1 --kappa 3' 'curve --steps 8 --noise sgd --eta 0.1 --spectrum flat --dim 2' 'simulate --problem mean --noise sgd --eta 0.3'; do
    keys 'optimizer eta_eff contraction' $c --optimizer heavy-ball:0.5
done
# the simulation agrees (5 standard errors), and the curve ends at the limit
run simulate --problem mean --noise nu:0.1 --eta 0.3 --optimizer heavy-ball:0.5 --seed 1 --json
if awk -v s="$(sed -n 's/.*"F_sim":\([0-9.e+-]*\).*/\1/p' "$T/out")" -v e="$(sed -n 's/.*"F_sim_error":\([0-9.e+-]*\).*/\1/p' "$T/out")" -v f="$(sed -n 's/.*"F_inf":\([0-9.e+-]*\).*/\1/p' "$T/out")" \
    'BEGIN { exit !(f > 0 && (s - f) ^ 2 < 25 * e * e) }'; then yes; else no 'the simulation disagrees' simulate; fi
run linreg --noise sgd --eta 0.1 --spectrum flat --dim 2 --optimizer nesterov:0.5 --json
v=$(sed -n 's/.*"F_inf":\([0-9.e+-]*\).*/\1/p' "$T/out")
near F_last "${v:-0}" 1e-9 curve --steps 2000 --noise sgd --eta 0.1 --spectrum flat --dim 2 --optimizer nesterov:0.5 --gamma inf
for o in 'filter:0,1' 'filter:' 'filter:1,1;1,-1' 'filter:0,1;0,1' 'filter:0,1;1,-0.5' heavy-ball: heavy-ball:x heavy-ball:-0.1 heavy-ball:1 nesterov:1; do
    bad 3 '' mean --noise sgd --eta 0.1 --optimizer "$o"
done
for o in last:0 last:1.5 last:x ema:1 ema:-1 ema: last; do bad 3 '' mean --noise sgd --eta 0.1 --average "$o"; done
bad 2 '--optimizer has no effect without --spectrum' curve --steps 8 --noise sgd --optimizer heavy-ball:0.5
bad 2 "--optimizer has no effect" gamma --noise sgd --optimizer sgd
# what coef lists is the best noise of this optimizer
near F_inf 0.003973486662727 1e-9 linreg --noise best --optimizer heavy-ball:0.9 --eta 0.002 --spectrum power:1 --dim 128 --rho 0.5
"$finf" coef --noise best --optimizer heavy-ball:0.9 --eta 0.002 --spectrum power:1 --dim 128 --length 60000 >beta.txt
near F_inf 0.003973486662727 1e-6 linreg --noise beta@beta.txt --optimizer heavy-ball:0.9 --eta 0.002 --spectrum power:1 --dim 128 --rho 0.5
# a filter pastes back: it is quoted in text
run mean --noise sgd --eta 0.1 --optimizer 'filter:0,1,0.3;1,-1.5,0.5'
if grep -q "optimizer *'filter:0,1,0.3;1,-1.5,0.5'" "$T/out"; then yes; else no 'not quoted' mean; fi
# the largest step does not depend on the average, and is found
near eta_max 1.5 1e-12 linreg --noise sgd --eta 0.1 --spectrum list:1 --kurtosis -2 --optimizer nesterov:0.5 --average last:7
# no momentum is fast enough: no step, and the rule's own reason
ok '"rule":"heavy-ball","optimizer":null.*"eta":null.*"reason":"heavy-ball, also with momentum 0.81' tune --contraction 0.9 --spectrum power:1 --dim 128 --json
# with an average the bound is the points', and says so; what is below is the average's
for c in 'iqc --noise nu:0.1 --eta 0.1 --kappa 10' 'optimize --eta 0.1 --kappa 10' 'tune --eta 0.1 --kappa 10'; do
    run $c --json --optimizer nesterov:0.5 --solver newton
    v=$(sed -n 's/.*"bound":\([0-9.e+-]*\).*/\1/p' "$T/out")
    near bound "${v:-0}" 1e-7 $c --optimizer nesterov:0.5 --average ema:0.9 --solver newton
    ok '"bound_of":"the points without averaging".*"lower":[0-9.e-]+,.*"minimax":[0-9.e-]+' $c --optimizer nesterov:0.5 --average last:20 --json
done
ok '"bound_of":"the points' tune --contraction 0.99 --kappa 5 --optimizer sgd --average last:3 --json
ok '"lower":null.*"minimax":null.*"reason":"no lower bounds: averages over the last K points have them up to K = 10000' iqc --noise sgd --eta 0.1 --kappa 3 --average last:10001 --json
# at a given speed, every convex F: independent and the best noise for each rule, which pastes back; a table and a plot
ok '"bound":[0-9.e-]+,.*"certified":true,"certified_upper":[0-9.e-]+' tune --contraction 0.95 --kappa 5 --optimizer nesterov --noise best --certify --json
ok '"rule":"sgd".*"noise":"sgd".*' tune --contraction 0.99 --kappa 5 --json
if [ "$(grep -c '"noise":"best"' "$T/out")" = 3 ] && [ "$(grep -c '"noise":"sgd"' "$T/out")" = 3 ]; then yes; else no 'not six records' tune; fi
run tune --contraction 0.99 --kappa 5 --optimizer heavy-ball --noise best --json
v=$(sed -n 's/.*"bound":\([0-9.e+-]*\).*/\1/p' "$T/out")
e=$(sed -n 's/.*"eta":\([0-9.e+-]*\).*/\1/p' "$T/out")
o=$(sed -n 's/.*"optimizer":"\([^"]*\)".*/\1/p' "$T/out")
near bound "${v:-0}" 1e-6 iqc --noise best --eta "${e:-0}" --kappa 5 --optimizer "${o:-x}" --solver newton
ok 'heavy-ball .*best' tune --half-life 20,40 --kappa 4 --plot frontier.svg
if grep -q 'heavy-ball' frontier.svg; then yes; else no 'no plot' tune; fi
bad 2 "--noise 'nu:0.1': at a given speed sgd, nu:best or best" tune --contraction 0.9 --kappa 5 --noise nu:0.1
