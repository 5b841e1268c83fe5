# The privacy target, in every command; sensitivity to several participations.

near rho 0.02801448191263 1e-12 mean --noise sgd --eta 0.1 --epsilon 1 --delta 1e-6
near F_inf '0.013157894736842106/0.028014481912630337' 1e-12 mean --noise sgd --eta 0.1 --epsilon 1 --delta 1e-6
keys 'rho rho_error epsilon delta clip sigma_sgd sigma' mean --noise sgd --eta 0.1 --epsilon 1 --delta 1e-6
near sigma '3*sqrt(1/(2*0.028014481912630337))' 1e-12 mean --noise sgd --eta 0.1 --epsilon 1 --delta 1e-6 --clip 3
ok '^  rho +0.028014.* zCDP: epsilon = 1 at delta = 1e-06, exact$' mean --noise sgd --eta 0.1 --epsilon 1 --delta 1e-6
run privacy --epsilon 1 --delta 1e-6 --json
rho=$(sed -n 's/.*"rho":\([0-9.e+-]*\).*/\1/p' "$T/out")
for c in 'linreg --noise sgd --eta 0.1 --spectrum flat --dim 2' 'iqc --noise sgd --eta 0.1 --kappa 3' 'tune --eta 0.1' 'tune --eta 0.1 --spectrum flat --dim 2' 'tune --eta 0.1 --kappa 3' \
    'optimize --eta 0.1' 'optimize --eta 0.1 --spectrum flat --dim 2' 'optimize --eta 0.1 --kappa 3' 'simulate --problem mean --noise sgd --eta 0.3' 'gamma --noise sgd' 'coef --noise sgd --length 2' \
    'curve --steps 8 --system sgd --eta 0.1 --spectrum flat --dim 2' 'rates --decays 1 --dim 8' 'rates --table finite'; do
    line 1 rho "${rho:-0}" 1e-14 $c --epsilon 1 --delta 1e-6
    bad 2 '--epsilon and --delta go together' $c --epsilon 1
    bad 2 '--epsilon and --delta go together' $c --delta 1e-6
    bad 2 '--rho, or --epsilon with --delta: one of them' $c --epsilon 1 --delta 1e-6 --rho 1
    bad 3 'epsilon = 0: must be positive' $c --epsilon 0 --delta 1e-6
    bad 3 'delta = 1: must be in (0, 1)' $c --epsilon 1 --delta 1
    bad 3 "epsilon = 'x'" $c --epsilon x --delta 1e-6
done
# sigma is shown where it was said how private, and in data always
for c in 'gamma --noise nu:0.1' 'mean --noise nu:0.1 --eta 0.1' 'linreg --noise nu:0.1 --eta 0.1 --spectrum flat --dim 2' 'iqc --noise nu:0.1 --eta 0.1 --kappa 3' 'audit nu:0.1'; do
    ok '^  sigma +0.852010' $c --rho 1
    run $c
    if grep -q '^  sigma ' "$T/out"; then no 'nobody asked for sigma' $c; else yes; fi
done
ok '^  tree .* 4.74342 ' curve --steps 50 --system sgd,tree --epochs 5 --rho 1
near sigma 0.852010174051867 1e-13 coef --noise nu:0.1 --length 2 --rho 1
ok '^# sigma = 1.70402.*: of the normals, for rho = 1 and the clip norm 2$' coef --noise nu:0.1 --length 2 --rho 1 --clip 2
if [ "$(grep -c -v '^#' "$T/out")" = 2 ]; then yes; else no 'more than numbers and comments' coef; fi
ok '^# noising_coef of nu:0.1, rho = 2: sigma = 0.602$' coef --noise nu:0.1 --noise cc --length 2 --rho 1,2 --precision 3
run coef --noise nu:0.1 --length 200 --rho 2 --output beta.csv
near gamma2 1.4518426733757877 1e-12 gamma --noise beta@beta.csv
ok '"sigma":"inf","sigma_error":0,"reason":"' coef --noise cc --length 2 --rho 1 --json

# participations: of sgd each counts, of a matrix with positive entries all add up
near sens2 4 1e-12 gamma --noise sgd --steps 64 --participations 4 --separation 16
near sens2 4 1e-12 gamma --noise sgd --steps 64 --epochs 4
near sens2 9 1e-12 gamma --noise sgd --steps 9 --epochs 9
near gamma2_T 1.4518426733757877 1e-10 gamma --noise nu:0.1 --steps 1000
for n in nu:0.1 'blt:0.5;0.2' beta:1,-0.5; do # exact distance and least distance: as curve has them
    run curve --steps 48 --noise "$n" --participations 3 --separation 16 --json
    fixed=$(sed -n 's/.*"sens2_fixed_order":\([0-9.e+-]*\).*/\1/p' "$T/out") least=$(sed -n 's/.*"sens2_min_sep":\([0-9.e+-]*\).*/\1/p' "$T/out")
    near sens2 "${fixed:-0}" 1e-12 gamma --noise "$n" --steps 48 --epochs 3
    near sens2 "${least:-0}" 1e-12 gamma --noise "$n" --steps 48 --participations 3 --separation 16
    near sigma "sqrt(${fixed:-0}/2)" 1e-12 privacy --rho 1 --noise "$n" --steps 48 --epochs 3
    near sigma "sqrt(${fixed:-0}/2)" 1e-12 gamma --rho 1 --noise "$n" --steps 48 --epochs 3
done
keys 'steps gamma2_T gamma2_T_error participations separation sens2 sens2_error' gamma --noise nu:0.1 --steps 48 --epochs 3
keys 'steps gamma2_T gamma2_T_error participations separation sens2 sens2_error sigma' privacy --rho 1 --noise nu:0.1 --steps 48 --epochs 3
ok 'steps apart, exactly' gamma --noise nu:0.1 --steps 48 --epochs 3
ok 'steps apart, at least' gamma --noise nu:0.1 --steps 48 --participations 3 --separation 16
for c in 'gamma --noise nu:0.1' 'privacy --rho 1 --noise nu:0.1'; do
    for o in '--epochs 3' '--participations 2 --separation 5'; do bad 2 "${o%% *} has no effect without --steps" $c $o; done
    bad 2 'go together' $c --steps 10 --participations 2
    bad 2 'go together' $c --steps 10 --separation 2
    bad 2 'one of them' $c --steps 10 --participations 2 --separation 5 --epochs 2
    bad 3 'epochs = 3: must divide the 10 steps' $c --steps 10 --epochs 3
    for v in 0 1.5 11 -1; do
        bad 3 "epochs = $v: must be a whole number from 1 to 10" $c --steps 10 --epochs $v
        bad 3 "participations = $v: must be a whole number from 1 to 10" $c --steps 10 --participations $v --separation 2
        bad 3 "separation = $v: must be a whole number from 1 to 10" $c --steps 10 --participations 2 --separation $v
    done
done
# --batch: sigma for a mean
near sigma_mean '0.852010174051867/50' 1e-13 privacy --rho 1 --noise nu:0.1 --batch 50
ok 'sigma_mean .*sigma/50' privacy --rho 1 --noise nu:0.1 --batch 50
for v in 0 -1 1.5 1e16; do bad 3 "batch = $v: must be a whole number" privacy --rho 1 --batch $v; done
# every row of the table of docs/sigma.md, to half a unit of its sixth digit
rows=0
while IFS='|' read -r _ noise times adjacency multiplier over_clip sigma mean _; do
    rows=$((rows + 1))
    clip=1.5
    case $adjacency in *replace-one*) clip=3 ;; esac
    noise=$(printf %s "$noise" | tr -d ' `')
    p="privacy --epsilon 2 --delta 1e-6 --batch 64 --steps 1000 --epochs $times --clip $clip --noise $noise"
    near noise_multiplier $multiplier 5e-6 $p
    near sigma $sigma 5e-6 $p
    near sigma "1.5*$over_clip" 5e-6 $p
    near sigma_mean $mean 5e-6 $p
done <<ROWS
$(grep '^| `.*|.*-.*| 2' "$here/../../docs/sigma.md")
ROWS
[ $rows = 10 ] && yes || no "$rows rows in docs/sigma.md"

# --batch: sigma for the mean of n clipped gradients beside that for their sum, in every command that has a sigma.
for c in 'gamma --noise nu:0.1' 'coef --noise nu:0.1 --length 3' 'mean --noise nu:0.1 --eta 0.1' 'iqc --noise nu:0.1 --eta 0.1 --kappa 5' \
    'linreg --noise nu:0.1 --eta 0.1 --spectrum flat --dim 2' 'optimize --eta 0.1' 'tune --eta 0.1' 'design --eta 0.1 --spectrum flat --dim 1 --family nu:0.1' \
    'privacy --noise nu:0.1'; do # the best nu of mean estimation is eta
    near sigma_mean 0.05375110313 1e-9 $c --epsilon 2 --delta 1e-6 --batch 50
done
near sigma_mean 0.04460952542 1e-9 curve --steps 8 --system sgd --eta 0.1 --spectrum flat --dim 2 --epsilon 2 --delta 1e-6 --batch 50
near sigma_mean 0.05375110313 1e-9 simulate --problem mean --noise nu:0.1 --eta 0.1 --max-steps 1e6 --epsilon 2 --delta 1e-6 --batch 50
bad 3 'batch = 0: must be a whole number' mean --noise sgd --eta 0.1 --batch 0
bad 2 '--batch has no effect' tune --contraction 0.9 --batch 5
# more participations than the steps have room for, in every command that takes them
for c in 'privacy --noise sgd --rho 1' 'design --eta 0.1 --spectrum flat --dim 2' 'curve --system sgd' 'audit --noise sgd'; do
    bad 3 '3 participations 5 steps apart need 11 steps: there are 10' $c --steps 10 --participations 3 --separation 5
    ok . $c --steps 11 --participations 3 --separation 5 --quiet
done
# what was given is what is printed, by the formula that it fixes rho by
for e in 0.3 1 2 4.7; do
    near epsilon "$e" 0 privacy --epsilon $e --delta 1e-6
    near epsilon_zcdp "$e" 0 privacy --epsilon $e --delta 1e-6 --accounting zcdp
done
