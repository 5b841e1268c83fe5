# curve: its systems, participations and starts.

near loss 1631.4030445 1e-9 curve --steps 256 --system me
near loss 5535.71227945 1e-9 curve --steps 256 --system honaker
near F_last 0.0257045170064779 1e-6 curve --steps 20000 --system nu:paper --eta 0.05 --spectrum power:1 --dim 16 --rho 0.5 --sigma-sgd 0.3 --gamma inf
# several epochs: the optimum for them, its gap, the loss of each system counted the same way
near loss_fixed_order 215.5738095814 1e-9 curve --steps 16 --system me:4
near loss 215.5738095814 1e-9 curve --steps 16 --system me:4
near sigma 'sqrt(1/2)' 1e-9 curve --steps 16 --system me:4 --rho 1
near sens2_fixed_order 1 1e-9 curve --steps 16 --system me:5
near loss_fixed_order 165.9318061738 1e-9 curve --steps 16 --system me:5 --participations 4 --separation 5
near loss 1631.4030445 1e-9 curve --steps 256 --system me:256
near loss_fixed_order 4*32896 1e-12 curve --steps 256 --system sgd --participations 4 --separation 64
near loss_min_sep 4*32896 1e-12 curve --steps 256 --system sgd --participations 4 --separation 64
keys 'participations separation sens2_fixed_order loss_fixed_order sens2_min_sep loss_min_sep min_sep_exact least duality_gap' curve --steps 64 --system me:16
ok '"duality_gap":[0-9.]+e-1[1-9]' curve --steps 64 --system me:16 --json
ok '^  duality_gap .*4 participations, fixed order' curve --steps 64 --system me:16
ok '^  duality_gap .*4 participations, fixed order' curve --steps 64 --system sgd,me:16 --verbose
# one table in text, a line for each system
ok '^  system  +sens2 +prefix_error +loss +seconds +anytime +step$' curve --steps 256
ok '^  honaker +9 +615.079 +5535.71 +[0-9.e-]+ +yes +O\(log n\)$' curve --steps 256
ok '^  nu:0.003018 ' curve --steps 256
[ "$(run curve --steps 256; grep -c -E ' (yes|no) +O[(]' "$T/out")" -eq 7 ] && yes || no 'not one line for each of 7 systems' curve
ok '^  fft +3.18762 +21.4183 +no +3264.12 +69911.8 +19.8727 +64866.8 +[0-9.e-]+ +no +O\(n\)$' curve --steps 1024 --system sgd,fft --participations 4 --separation 256
ok '^  fft +3.18762 +19.8727 +3264.12 +64866.8 +21.4183 +69911.8 +no +[0-9.e-]+ +no +O\(n\)$' curve --steps 1024 --system sgd,fft --epochs 4
# sens2 and loss are of the participations given, as sigma is; gamma2_T and loss_T of one (NumPy, from the matrices)
c='curve --steps 12 --noise nu:0.1 --rho 0.7 --clip 2'
for who in '' '--epochs 3' '--participations 2 --separation 5'; do
    near gamma2_T 1.4432445634556152 1e-14 $c $who
    near prefix_error 23.295554489877876 1e-14 $c $who
    case $who in '') v=1.4432445634556152 ;; *epochs*) v=5.802051548887981 ;; *) v=3.411784603919859 ;; esac
    near sens2 $v 1e-14 $c $who
    near loss "$v*23.295554489877876" 1e-14 $c $who
    near sigma "2*sqrt($v/1.4)" 1e-14 $c $who
    [ -z "$who" ] || near loss_T 33.621182370200295 1e-14 $c $who
    near sens2 $v 1e-14 audit nu:0.1 --steps 12 $who
done
keys 'gamma2_T participations separation sens2 sens2_exact loss loss_T sens2_fixed_order sens2_min_sep' $c --epochs 3
c='curve --steps 12 --noise nu:0.1 --epochs 3 --eta 0.1 --spectrum flat --dim 2'
near sens2 1.4432445634556152 1e-14 $c --gamma T
near sens2 1.4518426733757877 1e-14 $c --gamma inf
near loss '1.4518426733757877*23.295554489877876' 1e-14 $c --gamma inf
keys 'matrix anytime generation step paper_generation paper_step seconds timed' curve --steps 64 --system cc
ok '"generation":"O\(n\)","step":"O\(n\), or O\(log\^2 n\) by FFT","paper_generation":"O\(1\)","paper_step":"O\(T\)"' curve --steps 64 --system cc --json
keys 'iterations least duality_gap' curve --steps 64 --system me
# nu:best: the least loss of these steps (and participations); nu:paper: eta times the least eigenvalue, in a curve
near nu 0.0007503 1e-12 curve --steps 1000 --system nu:best
near loss 9356.2758 1e-7 curve --steps 1000 --system nu:best
near nu 0.002436 1e-12 curve --steps 1024 --system nu:best --participations 4 --separation 256
near nu 0.005 1e-12 curve --steps 64 --system nu:paper --eta 0.01 --spectrum list:1,0.5
near loss 9356.2758 1e-7 curve --steps 1000 --noise nu:best
# min-separation: attained where it can be searched, both ends otherwise
for s in tree honaker full-honaker; do near sens2_min_sep 26 1e-13 curve --steps 48 --participations 3 --separation 9 --system $s; done
near sens2_min_sep 11.415381185711 1e-11 curve --steps 48 --participations 3 --separation 9 --system fft
ok '"min_sep_exact":true' curve --steps 48 --participations 3 --separation 9 --system fft --json
ok '"sens2_min_sep":21.4[0-9]*,.*"sens2_min_sep_lower":19.8[0-9]*,"sens2_min_sep_lower_error":[0-9.e-]*,"fixed_order_exact":true,"min_sep_exact":false' curve --steps 1024 --participations 4 --separation 256 --system fft --json
# names with commas, and what is printed beside a curve
near loss 440 1e-12 curve --steps 48 --system beta:1,-0.5
ok '"system":"beta:1,-0.5".*' curve --steps 8 --system sgd,beta:1,-0.5,cc --json
[ "$(run curve --steps 8 --system 'sgd,beta:1,-0.5,power:0.3,0.1,blt:0.9,0.5;0.1,0.2,cc' --json; wc -l <"$T/out")" -eq 5 ] && yes || no 'not 5 systems' curve
[ "$(run curve --steps 8 --system sgd,beta:1,-0.5 --eta 0.1 --spectrum flat --dim 2 --format csv; sed -n '1p;$p' "$T/out" | cut -d, -f1,2 | tr '\n' ' ')" = 'system,t beta:1 -0.5,8 ' ] && yes || no 'columns' curve
[ "$(run curve --steps 8 --system sgd,cc --eta 0.1 --spectrum flat --dim 2 --format csv --show systems; wc -l <"$T/out")" -eq 3 ] && yes || no 'not a row for each system' curve
ok 'F_last' curve --steps 8 --system sgd,cc --eta 0.1 --spectrum flat --dim 2 --format csv --show systems
ok '"F_last":"inf".*"reason":"eta diverges' curve --eta 3 --spectrum flat --dim 3 --steps 400 --system sgd --json
ok '^reason: eta diverges' curve --eta 3 --spectrum flat --dim 3 --steps 400 --system sgd,cc
ok '"participations":4,"separation":16' curve --steps 64 --system sgd,me:16 --json
for c in 'curve --steps 64 --system sgd,me,me:16' 'rates --table prior' errata; do # a rectangle, whatever a row has to say
    run $c --format csv
    if [ "$(awk '{ gsub(/"[^"]*"/, ""); print gsub(/,/, "") }' "$T/out" | sort -u | wc -l)" -eq 1 ]; then yes; else no 'columns differ' $c; fi
done
# the noise by that sensitivity: four times that of one participation for sgd
run curve --steps 50 --system sgd --eta 0.1 --spectrum flat --dim 2 --start 0 --json
one=$(sed -n 's/.*"F_last":\([0-9.e+-]*\).*/\1/p' "$T/out")
for g in fixed-order min-sep; do
    near F_last "4*${one:-0}" 1e-13 curve --steps 50 --system sgd --eta 0.1 --spectrum flat --dim 2 --start 0 --gamma $g --participations 4 --separation 10
done
# who says how often a user takes part gets the noise for that, in the curve and in sigma
for who in '--epochs 5' '--participations 5 --separation 10'; do
    near F_last "5*${one:-0}" 1e-13 curve --steps 50 --system sgd --eta 0.1 --spectrum flat --dim 2 --start 0 $who
    near F_last "${one:-0}" 1e-13 curve --steps 50 --system sgd --eta 0.1 --spectrum flat --dim 2 --start 0 $who --gamma T
    near sigma 'sqrt(5/2)' 1e-14 curve --steps 50 --system sgd $who --rho 1
done
# a privacy target without a curve: the sigma of each system, as gamma has it
for who in '' '--epochs 5' '--participations 3 --separation 7'; do
    run gamma --noise nu:0.1 --steps 50 --epsilon 2 --delta 1e-6 --batch 4 $who --json
    one=$(sed -n 's/.*"sigma_mean":\([0-9.e+-]*\).*/\1/p' "$T/out")
    near sigma_mean "${one:-0}" 1e-12 curve --steps 50 --noise nu:0.1 --epsilon 2 --delta 1e-6 --batch 4 $who
done
ok '^  tree .* 5.46353 ' curve --steps 50 --system sgd,tree --epsilon 2 --delta 1e-6
ok '^sigma: of w_t, for sens2$' curve --steps 50 --system sgd,tree --epochs 5 --epsilon 2 --delta 1e-6
ok '^sens2: participations exactly so far apart \(fixed order\); prefix' curve --steps 50 --system sgd,tree --epochs 5 --rho 1
# theta_0 by direction: a list, a file or stdin; d equal parts of X are --start X
keys 'system steps sens2 sens2_error prefix_error prefix_error_error loss loss_error F_last F_last_error' curve --steps 20 --system sgd --eta 0.1 --spectrum @eig.txt --start list:1,0,2
first=$(sed -n 's/.*"F":\[\([0-9.e+-]*\),.*/\1/p' "$T/out")
if [ "$first" = 0.75 ]; then yes; else no "F_0 is '$first', not 0.75" curve --start list:1,0,2; fi
last=$(sed -n 's/.*"F_last":\([0-9.e+-]*\).*/\1/p' "$T/out")
near F_last "${last:-0}" 0 curve --steps 20 --system sgd --eta 0.1 --spectrum @eig.txt --start @start.csv
"$finf" curve --steps 20 --system sgd --eta 0.1 --spectrum @eig.txt --start @- --json <start.csv >"$T/out" 2>"$T/err"
if grep -q "\"F_last\":$last," "$T/out"; then yes; else no stdin curve --start @-; fi
run curve --steps 20 --system sgd --eta 0.1 --spectrum @eig.txt --start 3 --json
near F_last "$(sed -n 's/.*"F_last":\([0-9.e+-]*\).*/\1/p' "$T/out")" 1e-15 curve --steps 20 --system sgd --eta 0.1 --spectrum @eig.txt --start list:1,1,1
ok 'full-honaker' curve --steps 64 --eta 0.05 --spectrum power:1 --dim 4 --participations 2 --separation 16
[ "$(run curve --steps 100 --system sgd,cc --eta 0.05 --spectrum flat --dim 2 --format csv; wc -l <"$T/out")" -eq 203 ] && yes || no 'not 101 steps of 2 systems' curve
bad 3 'nonsense' curve --steps 10 --system nonsense
bad 3 'is not known: tree, honaker, full-honaker, fft, me' curve --steps 10 --system foo
bad 3 'a name is missing' curve --steps 10 --system sgd,,cc
bad 3 'a name is missing' curve --steps 10 --system sgd,
bad 3 "'foo'" curve --steps 10000000 --system me:9999999,cc,foo # before anything is made
bad 3 "'x'" curve --steps 10 --system nu:x
bad 3 "system 'noise' is not known" curve --steps 10 --system noise
bad 2 '--show has no effect' curve --steps 10 --show curve
bad 2 "'all'" curve --steps 10 --system sgd --eta 0.1 --spectrum flat --dim 3 --show all
bad 3 'steps = 0' curve --steps 0
bad 3 'bands' curve --steps 10 --system banded:11
bad 3 'an epoch' curve --steps 10 --system me:11
bad 3 'an epoch' curve --steps 10 --system me:0
bad 3 "'x'" curve --steps 10 --system me:x
bad 3 'n k^2' curve --steps 2000 --system me:2
bad 2 'needs --participations' curve --steps 10 --system sgd --eta 0.1 --spectrum flat --dim 3 --gamma fixed-order
bad 2 "'none'" curve --steps 10 --system sgd --eta 0.1 --spectrum flat --dim 3 --gamma none
bad 2 'go together' curve --steps 10 --participations 2
bad 2 '--eta' curve --steps 10 --spectrum flat --dim 2
for c in 'curve --system sgd' 'simulate --problem linreg --noise sgd'; do
    c="$c --steps 10 --eta 0.1 --spectrum @eig.txt --start"
    bad 3 'has 2 values, but there are 3 directions' $c list:1,2
    bad 3 'direction 2: -1' $c list:1,-1,2
    bad 3 'start = -1' $c -1
    bad 3 "'x'" $c x
    bad 3 'start[1]' $c list:1,,2
    bad 5 "'absent'" $c @absent
done
bad 3 'has 3 values, but there are 100 directions' curve --steps 10 --eta 0.1 --spectrum flat --dim 100 --start @start.csv
bad 2 '--system wants to read stdin 2 times' curve --steps 10 --system beta@-,sgd,strategy@-
bad 2 'both --spectrum and --system' curve --steps 10 --eta 0.1 --spectrum @- --system beta@-
bad 2 'both --spectrum and --start' curve --steps 10 --eta 0.1 --spectrum @- --start @-
bad 2 'both --noise and --spectrum' curve --steps 10 --eta 0.1 --spectrum @- --noise beta@-
bad 2 '--start' curve --steps 10 --start 2
# several noises at several steps: a line each
run curve --steps 50 --eta 0.01,0.02 --spectrum power:1 --dim 8 --noise sgd --noise best --json
if [ "$(grep -c '"system":"sgd".*"F_last":' "$T/out")" = 2 ] && [ "$(grep -c '"system":"best"' "$T/out")" = 2 ]; then yes; else no 'not a line for each noise and step' curve; fi
# --epochs: as many participations, the steps of an epoch apart, as me:b alone means them
for c in 'curve --steps 64 --system sgd,me:16,honaker' 'curve --steps 64 --system fft --eta 0.1 --spectrum flat --dim 2 --gamma fixed-order'; do
    case $c in *me:*) who= ;; *) who='--participations 4 --separation 16' ;; esac
    run $c $who --json; sed -E 's/"seconds":[^,}]*//g' "$T/out" >"$T/with"
    run $c --epochs 4 --json; sed -E 's/"seconds":[^,}]*//g' "$T/out" >"$T/without"
    if [ -s "$T/with" ] && cmp -s "$T/with" "$T/without"; then yes; else no 'epochs are no participations' $c --epochs 4; fi
done
bad 3 'epochs = 3: must divide the 64 steps' curve --steps 64 --system sgd --epochs 3
bad 2 '--epochs, or --participations with --separation: one of them' curve --steps 64 --system sgd --epochs 4 --participations 2 --separation 3
ok '^ +steps  system +sens2 +prefix_error +loss +sigma$' curve --steps 32,64 --epochs 4 --noise nu:0.1 --noise sgd --rho 1
