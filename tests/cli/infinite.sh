# Infinite is an answer.

for n in cc beta:1,-1 beta:1,-2 beta:1,0,1 'blt:1;0.1' 'blt:-1.5;0.1'; do
    ok '"gamma2":"inf".*"minimum_phase":false.*"reason":"' gamma --noise "$n" --json
    ok 'inf' gamma --noise "$n"
    ok '^reason|inf,' gamma --noise "$n" --format csv
    ok '"F_inf":"inf".*"reason":"' mean --noise "$n" --eta 0.1 --json
    ok '"F_inf":"inf".*"reason":"' linreg --noise "$n" $regression --json
    ok '"sigma":"inf".*"reason":"' privacy --rho 1 --delta 1e-5 --noise "$n" --json
    ok '"sigma":"inf".*"reason":"' privacy --rho 1 --noise "$n" --json
done
ok '"gamma2":2,.*"F_inf":"inf".*"reason":"' mean --noise strategy:1,-1 --eta 0.1 --json
ok '"F_inf":"inf".*"stable":false.*"reason":"eta = 2 ' mean --noise nu:0.1 --eta 2 --json
for e in 1 5 1e300; do ok '"F_inf":"inf".*"stable":false.*"reason":"' linreg --noise nu:0.1 --eta $e --spectrum flat --dim 2 --json; done
ok '"F_upper":"inf".*"stable":true.*"reason":"upper needs eta' linreg --noise sgd --eta 0.45 --spectrum flat --dim 2 --json
# an unstable step has no best nu, and says which step has
for o in sgd heavy-ball:0.9; do
    ok '"nu":1,"nu_error":0,.*"F_inf":"inf".*"stable":false.*"reason":"eta = 5 diverges in mean square[^;]*the largest stable eta is [0-9.]+"' tune --eta 5 --spectrum power:1 --dim 10 --optimizer $o --json
done
# beta that is not square-summable, over weights of both signs
for n in strategy:1,-3 'blt:3;0.1'; do
    ok '"F_inf":"inf",.*"F_lower":"inf",.*"F_upper":"inf",.*"reason":"[^"]' linreg --noise "$n" --eta 1e-3 --spectrum power:0.5 --dim 1000 --json
done
ok '"F_inf":"inf",.*"reason":"beta is not square' linreg --noise strategy:1,-1 --eta 1e-5 --spectrum power:0.3 --dim 100000 --json
ok '"F_inf":"inf",.*"reason":"beta is not square' linreg --noise strategy:1,-3 --eta 1e-6 --spectrum exp:1e-10 --dim 1000 --json
# an error as large as the value is exit 4; the value is printed, with a reason
uncertain='linreg --noise sgd --eta 0.019703527742751376 --spectrum exp:0.01 --dim 1000'
for f in json csv text; do
    run $uncertain --format $f
    if [ $rc = 4 ] && grep -q '^finf: F_inf = .*: the error is as large as the value$' "$T/err" && grep -q 'as large as the value' "$T/out"; then yes
    else no 'an error as large as the value' $uncertain --format $f; fi
done
# where ECOS fails, or is not there, the bound is Newton's
run iqc --noise antipgd:0.013604507333790906 --eta 1.3867560085096198 --kappa 3.231361431250163 --smooth 1.2417638616367295 --bound dist --sigma-sgd 0.033490326178235316 --rho 0.3279063762460205 --clip 1.176900757031899 --solver ecos --json
if [ $rc = 2 ] || { [ $rc = 0 ] && grep -q '"bound":1104.4543.*"solver":"' "$T/out"; }; then yes; else no "ECOS's failure" iqc; fi
for c in 'mean --noise sgd --eta 0.1' 'tune --eta 1.5'; do keys 'F_inf_error F_best_error F_sgd_error' $c; done
keys 'F_floor_error F_upper_error F_best_error' linreg --noise sgd $regression
keys 'lower_error unit_lower_error minimax_error' iqc --noise sgd --eta 0.1 --kappa 10
keys 'lower_error minimax_error' tune --eta 0.1 --kappa 10
keys 'lower_error minimax_error' optimize --eta 0.1 --kappa 10
keys 'delta_error delta_zcdp_error' privacy --rho 1 --epsilon 2
keys 'rho_error epsilon_error epsilon_zcdp_error' privacy --epsilon 1 --delta 1e-5
bad 3 1e+200 mean --noise sgd --eta 0.1 --clip 1e200 --json
bad 3 1e+200 gamma --noise 'blt:0.5;1e200' --json
ok '"gamma2_T":"inf"' gamma --noise beta:1,-2 --steps 2000 --json
ok '"gamma2":"inf"' gamma --noise beta:1,2,5e-324 --json
bad 3 't = 1327' coef --noise beta:1,-2,0.5 --strategy --length 1400
ok '"strategy_coef"' coef --noise beta:1,-2,0.5 --strategy --length 1327 --json
