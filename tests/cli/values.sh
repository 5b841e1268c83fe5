# Keys and values of gamma, mean, linreg, privacy and coef.

keys 'gamma2 gamma2_error minimum_phase' gamma --noise nu:0.1
keys 'gamma2 gamma2_error minimum_phase gamma2_T' gamma --noise nu:0.1 --steps 10
keys 'gamma2 F_inf F_inf_error F_best F_best_error F_sgd' mean --noise nu:0.1 --eta 0.1
keys 'd d_eff gamma2 F_inf F_inf_error F_lower F_lower_error F_upper F_best F_floor stable' linreg --noise nu:paper $regression
keys 'rho delta epsilon_zcdp epsilon noise_multiplier sigma_over_clip sigma' privacy --rho 1 --delta 1e-5
keys noising_coef coef --noise nu:0.1 --length 3
keys strategy_coef coef --noise nu:0.1 --length 3 --strategy

near F_inf 0.6775860655991723 1e-13 linreg --noise sgd $regression
near F_inf 0.0095845814771247 1e-12 linreg --noise nu:paper $regression
near epsilon_zcdp 7.07719669580634 1e-13 privacy --rho 1 --delta 1e-5
near epsilon 6.57297006703033 1e-13 privacy --rho 1 --delta 1e-5
near rho 1 1e-12 privacy --epsilon 6.57297006703033 --delta 1e-5
near rho 1 1e-12 privacy --epsilon 7.07719669580634 --delta 1e-5 --accounting zcdp
near delta 1e-5 1e-11 privacy --rho 1 --epsilon 6.57297006703033
near sigma 5.656854249492381 1e-14 privacy --noise-multiplier 2 --clip 2 --noise antipgd:0.29289321881345254
near F_best 0.005269617870587385 1e-14 mean --noise sgd --eta 0.1
near F_inf 0.005269617870587385 1e-13 mean --noise nu:paper --eta 0.1
near F_inf 0.013157894736842106 1e-14 mean --noise sgd --eta 0.1
near F_inf 0.01315789473684210526+9*0.1/1.9*0.5 1e-14 mean --noise sgd --eta 0.1 --sigma-sgd 3
near F_inf 0.01315789473684210526*4/8 1e-14 mean --noise sgd --eta 0.1 --clip 2 --rho 8
near gamma2_T 341 1e-14 gamma --noise beta:1,-2 --steps 5
near gamma2 1/0.19 1e-14 gamma --noise antipgd:0.1
near gamma2 '1+0.04/(1-0.25)' 1e-14 gamma --noise 'blt:0.5;0.2'
near gamma2 449999963.78933609779 1e-15 gamma --noise 'blt:-0.9999999999;0.3'
near gamma2 500399958596722.02778 1e-15 gamma --noise beta:1,-0.999999999999999
run gamma --noise beta:1,-1,1e-40 --json # neither a number nor infinity
if [ $rc = 4 ] && grep -q '"gamma2":null,.*too close to |z| = 1' "$T/out"; then yes; else no 'an undecided zero' gamma; fi
near gamma2 1.25 1e-14 gamma --noise strategy:1,0,0.5
near d 3 0 linreg --noise sgd --eta 0.1 --spectrum list:1,0.5,0.25
near d_eff 1.75 1e-15 linreg --noise sgd --eta 0.1 --spectrum list:4,2,1 --normalize
near d 1e15 0 linreg --noise nu:paper --eta 0.01 --spectrum power:1 --dim 1e15
ok '"noising_coef":\[1,-0\.45' coef --noise nu:0.1 --length 2 --json
ok '"strategy_coef":\[1,0\.45' coef --noise nu:0.1 --length 2 --strategy --json
ok '"strategy_coef":\[1,0,0,0\]' coef --noise sgd --length=4 --strategy --json
ok '"gamma2":1,' gamma --noise sgd --eta 0.1 --json
ok '"minimum_phase":true' gamma --noise nu:1e-50 --json
for s in power:1 exp:0.1 flat step; do ok '"stable":true' linreg --noise nu:paper --eta 1e-3 --spectrum $s --dim 100 --json; done

run coef --noise nu:0.1 --length 2001 --density --format csv; cp "$T/out" density.csv
near gamma2 1.4518426726 1e-9 gamma --noise spectrum@density.csv
rm density.csv
bad 3 'length = 1' coef --noise sgd --length 1 --density
bad 2 'one of them' coef --noise sgd --length 9 --density --strategy
keys 'rate_sgd rate_nu rate_floor' linreg --noise sgd --eta 0.02 --spectrum power:1 --dim 16
# F_sgd is the F_inf of --noise sgd, wherever it is printed
for o in '' '--optimizer nesterov:0.5' '--kurtosis 1 --sigma-sgd 0.3' '--average ema:0.1' '--epsilon 2 --delta 1e-6'; do
    run linreg --noise sgd --eta 0.1 --spectrum power:1 --dim 7 $o --json
    sgd=$(sed -n 's/.*"F_inf":\([0-9.e+-]*\).*/\1/p' "$T/out")
    for c in 'linreg --noise nu:0.1' 'linreg --noise sgd' tune optimize; do near F_sgd "${sgd:-0}" 1e-15 $c --eta 0.1 --spectrum power:1 --dim 7 $o; done
done
keys 'F_sgd F_sgd_error' linreg --noise cc --eta 0.1 --spectrum flat --dim 3
ok '"F_sgd":"inf","F_sgd_error":0' linreg --noise nu:0.1 --eta 3 --spectrum flat --dim 3 --json
