# simulate: its values, seeds and starts.

# several participations: the noise that they need, beside the exact value of curve
for who in '--epochs 5' '--participations 3 --separation 8'; do
    for n in sgd nu:0.1 cc; do
        run curve --steps 40 --noise $n --eta 0.1 --spectrum power:1 --dim 3 --epsilon 2 --delta 1e-6 $who --json
        exact=$(sed -n 's/.*"F_last":\([0-9.e+-]*\).*/\1/p' "$T/out") sigma=$(sed -n 's/.*"sigma":\([0-9.e+-]*\).*/\1/p' "$T/out")
        c="simulate --problem linreg --steps 40 --noise $n --eta 0.1 --spectrum power:1 --dim 3 --epsilon 2 --delta 1e-6 $who"
        near F_last "${exact:-0}" 1e-12 $c
        near sigma "${sigma:-0}" 1e-12 $c
        near F_sim "${exact:-0}" 0.06 $c
    done
    keys 'participations separation gamma2_T sens2 sens2_error' $c
done
for c in gamma 'simulate --problem mean --eta 0.1'; do ok '"sens2":"inf"' $c --steps 8 --noise beta:1e-50,1e50 --epochs 2 --json; done
bad 2 '--epochs has no effect without --steps' simulate --problem mean --noise sgd --eta 0.1 --epochs 2

run curve --steps 20 --system sgd --eta 0.1 --spectrum @eig.txt --start @start.csv --json
last=$(sed -n 's/.*"F_last":\([0-9.e+-]*\).*/\1/p' "$T/out")
near F_last "${last:-0}" 1e-13 simulate --problem linreg --noise sgd --eta 0.1 --spectrum @eig.txt --start @start.csv --steps 20
near start 2 0 simulate --problem mean --noise sgd --eta 0.1 --start 2 --steps 20
ok '"start":"@start.csv"' simulate --problem linreg --noise sgd --eta 0.1 --spectrum @eig.txt --start @start.csv --steps 20 --json
keys 'F_sim F_sim_error F_sim_low F_sim_high F_inf F_inf_error steps_total chains' simulate --problem mean --noise sgd --eta 0.3
run simulate --problem mean --noise nu:0.1 --eta 0.3 --seed 7 --threads 1 --format csv; cut -d, -f1-8 "$T/out" >one.csv
run simulate --problem mean --noise nu:0.1 --eta 0.3 --seed 7 --threads 2 --format csv; cut -d, -f1-8 "$T/out" >two.csv
if cmp -s one.csv two.csv; then yes; else no 'threads change the answer' simulate; fi
# a seed has 64 bits, and keeps them
for seed in 0 9007199254740993 18446744073709551615; do
    ok "\"seed\":$seed," simulate --problem mean --noise sgd --eta 0.3 --seed $seed --precision 3 --json
done
ok '"seed":1000,' simulate --problem mean --noise sgd --eta 0.3 --seed 1e3 --json
for c in 'simulate --problem mean' 'iqc --kappa 2 --lower simulate'; do
    for seed in -1 1.5 1e19 18446744073709551616 9007199254740993.0; do bad 3 "seed = $seed: must be a whole number from 0 to 18446744073709551615" $c --noise sgd --eta 0.3 --seed $seed; done
done
run simulate --problem mean --noise sgd --eta 0.3 --seed 9007199254740993 --json; first=$(sed 's/.*"F_sim":\([^,]*\).*/\1/' "$T/out")
run simulate --problem mean --noise sgd --eta 0.3 --seed 9007199254740992 --json
if grep -q "\"F_sim\":$first," "$T/out"; then no 'two seeds are one' simulate; else yes; fi
