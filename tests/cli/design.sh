# design: the least loss of a run, its families, participations, what is saved.

run_of='--eta 0.1 --spectrum power:1 --dim 16 --rho 0.5'
# the least expected loss of a run, its proof, and the families beside it
near loss 0.03869705252 1e-8 design --steps 200 $run_of --family dense
near least 0.03869705244 1e-8 design --steps 200 $run_of --family dense
near loss 0.06729442918 1e-8 design --steps 200 $run_of --family dense --objective average
near loss 0.4832792471 1e-9 design --steps 200 $run_of --family sgd
near loss 0.060264056 1e-7 design --steps 200 $run_of --family me
ok '"duality_gap":[0-9.]+e-(09|1[0-9])' design --steps 60 $run_of --family dense --objective max --json
for k in 'family sens2 loss loss_error loss_total least gap duality_gap sigma memory seconds objective steps'; do
    keys "$k" design --steps 30 $run_of --family dense
    keys "$k noise reason" design --steps 30 $run_of --family toeplitz
done
ok '^  family +loss +loss_total +gap +sens2 +sigma +memory +seconds$' design --steps 40 $run_of
for f in dense toeplitz banded:32 nu me sgd; do ok "^  $f " design --steps 40 $run_of; done
[ "$(run design --steps 20 $run_of --family nu,sgd --format csv; wc -l <"$T/out")" -eq 3 ] && yes || no 'not a row each' design
ok '^ +20  toeplitz' design --steps 10,20 $run_of --family toeplitz,sgd
# several participations: exactly apart, at least apart
near sens2 4 1e-12 design --steps 40 $run_of --family sgd --epochs 4
near sens2 4 1e-12 design --steps 40 $run_of --family sgd --participations 4 --separation 10
ok 'steps apart, exactly' design --steps 40 $run_of --family sgd --epochs 4
ok 'steps apart, at least' design --steps 40 $run_of --family sgd --participations 4 --separation 10
near gap 1 1e-8 design --steps 40 $run_of --family dense --epochs 4
# prefix sums, momentum, no horizon
near loss 282.201421052/64 1e-8 design --steps 64 --workload prefix --objective average --family dense --rho 0.5
near gap 1 1e-8 design --steps 40 --eta 0.02 --spectrum power:1 --dim 8 --optimizer heavy-ball:0.9 --family dense
near gap 1 1e-9 design $run_of --family toeplitz
ok '"noise":"nu:0[.][0-9]+"' design $run_of --family nu --json
# what is saved is read back
ok . design --steps 20 $run_of --family toeplitz --save designed --json
loss=$(sed -n 's/.*"loss":\([^,]*\).*/\1/p' "$T/out")
near loss "$loss" 1e-14 design --steps 20 $run_of --family design@designed
near loss "$loss" 1e-14 design --steps 20 $run_of --family strategy@designed
ok . gamma --noise design@designed
ok . design --steps 3 $run_of --family dense --save designed
[ "$(sed -n '/^\[noising\]$/,$p' designed | wc -l)" -eq 4 ] && yes || no 'not three rows of B' design --save
bad 3 'no coefficients [strategy]' gamma --noise design@designed
rm -f designed
# the least value is not attained: the best there is, and why
run design --steps 20 --workload prefix --family dense
if [ $rc = 4 ] && [ -s "$T/out" ] && grep -q 'is not attained' "$T/err"; then yes; else no 'a singular loss' design; fi
bad 2 'needs --eta and --spectrum' design --steps 20
bad 2 '--workload prefix needs --steps' design --workload prefix
bad 2 '--eta has no effect' design --steps 20 --workload prefix --eta 0.1
bad 2 '--objective has no effect' design $run_of --objective max
bad 2 'give --steps' design $run_of --family dense
bad 3 'at most 8192' design --steps 9000 $run_of --family dense
bad 3 'banded:0' design --steps 20 $run_of --family banded:0
bad 3 'an empty name' design --steps 20 $run_of --family dense,,nu
bad 3 'is not known' design --steps 20 $run_of --family dence
bad1 2 "one --family" design --steps 20 $run_of --save left
bad 3 'must divide' design --steps 20 $run_of --epochs 3
bad 2 'go together' design --steps 20 $run_of --participations 3
