# audit: what coefficients, a BLT or a matrix have, files in every spelling, findings, claims, --strict.

jax4='blt:0.9999999999921251,0.9944453083640997,0.8985923474607591,0.4912001418098778;0.0070314825502323835,0.10613806907600574,0.1898159060327625,0.1966594748073734'
two='blt:0.9999528892,0.9857068667;0.0122853238,0.1878393665'
blt='blt:0.9,0.5;0.2,0.1'
# figures of others
near sens2 6.344531723 1e-9 audit --noise "$jax4" --steps 100 --participations 2 --separation 50
near rho 3.17226586 1e-8 audit --noise "$jax4" --steps 100 --participations 2 --separation 50 --sigma 1
near sens2 6.344531723 1e-9 audit --noise "$jax4" --steps 100 --epochs 2
near sens2 6.344531723 1e-9 audit --noise "$jax4" --steps 100 --participations 2 --separation 49 --convention tf
near gamma2 4.1669214 1e-8 audit --noise "$two"
near max_loss 28.05553034 1e-9 audit --noise "$two" --steps 100000 # 5.29674715^2
near sens2 8 1e-14 audit --system tree --steps 4 --participations 2 --separation 2
near sens2 9 1e-14 audit --system tree --steps 5 --participations 3 --separation 2
near sens2 11 1e-14 audit --system tree --steps 7 --participations 4 --separation 2
near sens2 9 1e-14 audit --system tree --steps 7 --participations 3 --separation 3
# keys, and other commands have the same numbers
keys 'noise kind steps sens2 sens2_error sens2_exact gamma2 gamma2_error gamma2_T minimum_phase prefix_error prefix_error_error prefix_error_mean prefix_error_max mean_loss max_loss findings' audit --noise "$blt" --steps 10
keys 'sigma rho rho_error delta epsilon epsilon_error' audit --noise "$blt" --sigma 2 --delta 1e-5
keys 'F_inf F_inf_error eta optimizer' audit --noise "$blt" --eta 0.1
value() { key=$1; shift; "$finf" "$@" --json | sed "s/.*[{,]\"$key\":\([-0-9.e+]*\).*/\1/"; } # value KEY args...
near F_inf "$(value F_inf mean --noise "$blt" --eta 0.1 --rho 2)" 1e-15 audit --noise "$blt" --eta 0.1 --rho 2
# a privacy target, as in the other commands: the sigma that the sensitivity asks for
for who in '' '--steps 100' '--steps 100 --epochs 4'; do
    for target in '--rho 0.3' '--epsilon 2 --delta 1e-6' '--epsilon 2 --delta 1e-6 --clip 3'; do
        near sigma "$(value sigma gamma --noise "$blt" $who $target)" 1e-12 audit --noise "$blt" $who $target
    done
    keys 'rho epsilon delta sigma sigma_error batch sigma_mean' audit --noise "$blt" $who --epsilon 2 --delta 1e-6 --batch 8
done
near F_inf "$(value F_inf mean --noise "$blt" --eta 0.1 --epsilon 2 --delta 1e-6)" 1e-15 audit --noise "$blt" --eta 0.1 --epsilon 2 --delta 1e-6
near epsilon 2 1e-12 audit --noise "$blt" --sigma "$(value sigma audit --noise "$blt" --epsilon 2 --delta 1e-6)" --delta 1e-6
ok '"sigma":"inf"' audit --noise cc --rho 1 --json
bad 2 'one of them' audit --noise sgd --sigma 1 --epsilon 1 --delta 1e-6
bad 2 'go together' audit --noise sgd --epsilon 1
near F_inf "$(value F_inf linreg --noise "$blt" --eta 0.02 --spectrum power:1 --dim 8 --optimizer heavy-ball:0.5)" 1e-14 audit --noise "$blt" --eta 0.02 --spectrum power:1 --dim 8 --optimizer heavy-ball:0.5
near F_inf "$(value F_inf mean --noise "$blt" --eta 0.1 --rho "$(value rho audit --noise "$blt" --sigma 3)")" 1e-14 audit --noise "$blt" --eta 0.1 --sigma 3
near prefix_error "$(value prefix_error curve --system "$blt" --steps 50)" 1e-14 audit --noise "$blt" --steps 50
near epsilon "$(value epsilon privacy --noise-multiplier "$(awk 'BEGIN { print 2 / sqrt(1.75) }')" --delta 1e-5)" 1e-5 audit --noise strategy:1,0.5,0.5,0.5 --sigma 2 --delta 1e-5
near epsilon "$(value epsilon audit --noise "$blt" --sigma 2 --delta 1e-5)" 1e-14 audit --noise "$blt" --sigma 6 --clip 3 --delta 1e-5
near gamma2 4.1669214 1e-8 audit "$two" # as --noise has it
near sens2 1 1e-15 audit sgd --steps 5
bad 3 "noise 'nux:0.1' is not known (did you mean nu" audit nux:0.1
bad 5 "cannot open 'nofile'" audit nofile
bad 3 'for several noises repeat --noise' audit sgd,cc
ok '"sens2_lower":[0-9.]*,"sens2_lower_error":[0-9.e-]*,' audit --noise beta:1,0.5,-0.7 --steps 20 --epochs 4 --json
bad 5 "cannot open './no:file'" audit ./no:file
bad 5 "cannot open 'nofile'" audit beta@nofile
ok '"noise":"nu:0.1"' audit best --eta 0.1 --json
bad 2 'not several' audit sgd --noise nu:0.1
ok '"prefix_error":null.*"reason":"prefix_error needs --steps"' audit --noise sgd --json
ok '^No findings[.]$' audit --noise sgd
ok '"findings":\[\]' audit --noise sgd --json
# files
printf '{"buf_decay": [0.9, 0.5],\n "output_scale": [0.2, 0.1]}\n' >jax.json
printf 'BufferedToeplitz(buf_decay=Array([0.9, 0.5],\n      dtype=float64), output_scale=Array([0.2, 0.1], dtype=float64))\n' >jax.py
printf 'output_scale = (0.2, 0.1,)\nbuf_decay = jnp.array([0.9,\n 0.5])\n' >jax2.py
for f in jax.json jax.py jax2.py; do near sens2 "$(value gamma2 gamma --noise "$blt")" 1e-15 audit $f; done
ok '"kind":"blt"' audit jax.py --json
"$finf" coef --noise "$blt" --length 40 --format csv >beta.csv
"$finf" coef --noise "$blt" --length 40 --strategy --format csv >c.csv
"$finf" coef --noise "$blt" --length 40 --strategy --json >c.json
"$finf" coef --noise "$blt" --length 40 --strategy >c.txt
"$finf" coef --noise "$blt" --length 40 --strategy --output c.npy
for f in beta.csv c.csv c.json 'c.txt --coef strategy' 'c.npy --coef strategy'; do
    near sens2 "$(value gamma2_T gamma --noise "$blt" --steps 40)" 1e-13 audit $f --steps 40
done
ok '^  kind +strategy$' audit c.csv --quiet
ok '^  kind +beta$' audit beta.csv --quiet
printf '[1, -0.5,\n -0.125]' >list
near sens2 "$(value gamma2 gamma --noise beta:1,-0.5,-0.125)" 1e-15 audit list
printf '1,0,0\n0.5,1,0\n0.375,0.5,1\n' >C.csv
printf '1 0.5 0.375\n0 1 0.5\n0 0 1\n' >T.csv
printf '[[1, 0, 0], [0.5, 1, 0], [0.375, 0.5, 1]]' >C.json
printf 'array([[1.   , 0.   , 0.   ],\n       [0.5  , 1.   , 0.   ],\n       [0.375, 0.5  , 1.   ]])\n' >C.py
printf '1,0,0\n-0.5,1,0\n-0.125,-0.5,1\n' >B.csv
for f in C.csv C.json C.py 'B.csv --coef noising' T.csv; do
    near sens2 1.390625 1e-14 audit $f
    near prefix_error_mean 1.2135416666666667 1e-14 audit $f
    near sens2 4.015625 1e-14 audit $f --participations 2 --separation 1
done
"$finf" audit - --json <C.csv | grep -q '"file":"-".*"sens2":1.390625,' && yes || no 'standard input' audit -
ok '"coef":"strategy".*"gamma2":null.*"minimum_phase":null.*"reason":"gamma2 and minimum_phase are of Toeplitz noise"' audit C.csv --json
run_of='--eta 0.1 --spectrum power:1 --dim 4'
ok . design --steps 12 $run_of --family dense --save dense --json
near sens2 "$(sed 's/.*"sens2":\([^,]*\).*/\1/' "$T/out")" 1e-13 audit dense
ok . design --steps 12 $run_of --family toeplitz --save toeplitz --json
near sens2 "$(sed 's/.*"sens2":\([^,]*\).*/\1/' "$T/out")" 1e-13 audit toeplitz
ok '"steps":12,' audit toeplitz --json # it says them itself
# signs of both kinds: an upper bound, and said to be one
printf '1,0,0\n0.5,1,0\n-0.9,0.5,1\n' >mixed.csv
ok '"sens2_exact":false' audit mixed.csv --participations 3 --separation 1 --json
ok 'an upper bound' audit mixed.csv --participations 3 --separation 1
# findings
finding() { # finding TEXT args...: exit 0, and 1 with --strict; TEXT is in text, CSV and JSON
    text=$1
    shift
    ok "^  findings .*$text" audit "$@"
    ok "\"findings\":\\[[{]\"level\":\"[a-z]*\",\"text\":\"[^\"]*$text" audit "$@" --json
    run audit "$@" --strict
    if [ $rc = 1 ] && [ -s "$T/out" ] && [ ! -s "$T/err" ]; then yes; else no "exit $rc, not 1" audit "$@" --strict; fi
}
finding 'is infinite' --noise cc
finding 'a noise for 10 steps and no more' --noise cc --steps 10
finding 'made for a run' --noise "$jax4"
finding 'upper triangular' T.csv
finding 'mixed up' c.txt
finding 'read as strategy' C.csv --coef noising
finding 'read as noising' B.csv
finding 'a sigma for the mean' --noise sgd --sigma 0.04 --delta 1e-5 --batch 100
finding 'but it is 6.344531723' --noise "$jax4" --steps 100 --participations 2 --separation 50 --claims sens2=6
finding '2 participations 49 apart' --noise "$blt" --steps 100 --participations 2 --separation 50 --claims sens2=2.598540851
finding 'one participation' --noise "$blt" --steps 100 --participations 2 --separation 50 --claims sens2=1.29659
finding 'claimed gamma2 = 1.45, but it is 1.451842673' --noise nu:0.1 --claims gamma2=1.45 # 1.3e-3 of it
ok '"findings":\[\]' audit --noise nu:0.1 --claims gamma2=1.452 --json
finding 'replace-one' --noise sgd --claims sens2=4
finding 'half' --noise "$jax4" --steps 100 --epochs 2 --claims sens2=3.17226586
run audit --noise sgd --strict
[ $rc = 0 ] && yes || no "exit $rc, not 0" audit --noise sgd --strict
ok . audit --noise "$jax4" --steps 100 --epochs 2 --sigma 1 --claims 'sens2=6.3445, rho=3.17227, max_loss=15.35' --strict
# a table; CSV has one cell of findings, without commas
run audit --noise cc --noise sgd --steps 10,20 --format csv
[ "$(awk -F, 'NR > 1 && NF != n { print } { n = NF }' "$T/out" | wc -l)" -eq 0 ] && [ "$(wc -l <"$T/out")" -eq 5 ] && yes || no 'not five lines of as many cells' audit
ok '^cc: warning: a noise for 20 steps' audit --noise cc --noise sgd --steps 10,20
ok '' audit --noise cc --noise sgd --steps 10,20 --output new.npy
rm -f new.npy
# jobs of a sweep: a file is a column, findings are a cell
if "$finf" --version --verbose | grep -q 'SQLite *[0-9]'; then
    printf 'audit,--noise,cc,--steps,10\naudit,C.csv\n' >jobs.csv
    ok '"done":2' sweep jobs.csv --db jobs.db --json
    ok ',warning: a noise for 10 steps and no more' sweep export --db jobs.db --format csv
    ok '^audit,.*,C[.]csv,' sweep export --db jobs.db --format csv
    ok ' C[.]csv +matrix ' sweep export --db jobs.db
    printf 'audit,-\n' >stdin.csv
    bad1 2 'cannot read standard input' sweep stdin.csv --db left.db
    rm -f jobs.db
fi
# bad input
printf '1,0\nnan,1\n' >nan.csv
printf '1,0\n0.5,0\n' >singular.csv
printf '1,0.5\n0.5,1\n' >full.csv
printf '1,0,0\n0.5,1,0\n' >wide.csv
printf 'buf_decay=[0.9], output_scale=[0.2, 0.1]' >unequal.py
printf 'buf_decay=[0.9, x], output_scale=[0.2, 0.1]' >word.py
printf 'buf_decay=[0.9, 0.5' >open.py
printf 'buf_decay=0.9, output_scale=[0.2]' >scalar.py
: >empty
bad 3 "'nan' must be a finite number" audit nan.csv
bad 3 'C(2,2) = 0' audit singular.csv
bad 3 'C(1,2) = 0.5: above the diagonal must be 0' audit full.csv
bad 3 '2 rows of 3 numbers' audit wide.csv
bad 3 'no number in it' audit empty
bad 3 '1 buf_decay, but 2 output_scale' audit unequal.py
bad 3 "'x' in buf_decay" audit word.py
bad 3 'has no end' audit open.py
bad 3 'buf_decay must be a list' audit scalar.py
bad 5 'No such file' audit missing
bad 2 'says that it is strategy' audit c.csv --coef noising
bad 2 'one of FILE, --noise or --system' audit
bad 2 'not several' audit C.csv --noise sgd
bad 2 "unexpected argument 'B.csv'" audit C.csv B.csv
bad 3 'steps = 5, but it has 3' audit C.csv --steps 5
bad 3 'need 5 steps: there are 3' audit C.csv --participations 3 --separation 2
bad 3 'need 101 steps: there are 100' audit --noise sgd --steps 100 --participations 3 --separation 50
bad 2 'need --steps' audit --noise sgd --epochs 2
bad 2 'go together' audit C.csv --participations 2
bad 2 'has no effect without --sigma' audit --noise sgd --delta 1e-5
bad 2 'has no effect without --separation' audit --noise sgd --convention tf
bad 2 'F_inf is of Toeplitz noise' audit C.csv --eta 0.1
bad 2 'needs --eta' audit --noise sgd --spectrum power:1 --dim 3
bad 2 'one of them' audit --noise sgd --eta 0.1 --sigma 1 --rho 1
bad 2 'needs sigma' audit --noise sgd --claims rho=1
bad 2 'one at a time' audit --system tree,fft --steps 8
bad 2 '--system needs --steps' audit --system tree
for c in sens2 sens2= sens2=x =1 , sens2=1, sens2=1,sens2=1 sense=1 sens2=0 sens2=inf; do bad 3 claim audit --noise sgd --claims "$c"; done
ok '' audit jax.json --output "$T/audit.json" --json
rm -f jax* *.csv *.py list C.json c.json c.txt c.npy dense toeplitz empty "$T/audit.json"

# noise that grows has a finite sensitivity, and is of no use
for steps in '' '--steps 50'; do
    ok 'warning: the noise grows: in step [0-9]+ its variance is .* times that of step 0' audit --noise 'blt:0.9;-2' $steps
done
ok '"findings":\[\]' audit --noise 'blt:0.9;0.2' --json
ok '"findings":\[\]' audit --noise strategy:1,-1 --steps 1000 --json
bad 2 'best depends on the problem: give --eta (mean estimation), with --spectrum (linear regression)' audit --noise best
# a noise as a word alone may be several, as with --noise; a file of that name is read
[ "$(run audit nu:0.1,0.2 --steps 50 --json; grep -c '"noise":"nu:0.[12]"' "$T/out")" = 2 ] && yes || no 'not a line for each nu' audit nu:0.1,0.2
[ "$(run audit nu:0.05:0.2:log:3 --steps 50 --format csv; wc -l <"$T/out")" -eq 4 ] && yes || no 'not a line for each nu' audit nu:0.05:0.2:log:3
bad 2 'not several' audit nu:0.1 --noise cc
printf '1\n0.5\n' >nu:0.3
ok '"file":"nu:0.3"' audit nu:0.3 --coef strategy --json
rm nu:0.3
