# Tables as files: .npy, --plot, --header-comment, and several files at once.

# .npy: magic, version 3.0, a header that ends where the data begin (a multiple of 64), the doubles
bytes() { od -An -v -t u1 -j "$2" -N "$3" "$1" | tr -s ' \n' ' ' | sed 's/^ //; s/ $//'; } # bytes FILE OFFSET COUNT
doubles() { od -An -v -t f8 -j "$2" "$1" | tr -s ' \n' ' ' | sed 's/^ //; s/ $//'; }       # doubles FILE OFFSET
written() { # written HEADER args...: F.npy is written and nothing printed; its header is this; $at: where the data begin
    header=$1
    shift
    rm -f F.npy
    ok '' "$@" --output F.npy
    length=$(bytes F.npy 8 4 | awk '{ print $1 + 256 * ($2 + 256 * ($3 + 256 * $4)) }')
    at=$((12 + length))
    if [ "$(bytes F.npy 0 8)" = '147 78 85 77 80 89 3 0' ] && [ $((at % 64)) = 0 ] && [ "$(bytes F.npy $((at - 1)) 1)" = 10 ]; then yes; else no 'no header of .npy 3.0' "$@"; fi
    if [ "$(dd if=F.npy bs=1 skip=12 count=$length 2>/dev/null | sed 's/ *$//')" = "$header" ]; then yes
    else no "the header is $(dd if=F.npy bs=1 skip=12 count=$length 2>/dev/null | cut -c 1-200)" "$@"; fi
}
written "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }" coef --noise beta:1,-0.5 --length 3
if [ "$(doubles F.npy $at)" = '1 -0.5 0' ]; then yes; else no "the doubles are $(doubles F.npy $at)" coef; fi
same beta@F.npy 4/3 # what was written is read
written "{'descr': [('beta:1,-0.5', '<f8'), ('sgd', '<f8'), ], 'fortran_order': False, 'shape': (3,), }" coef --noise beta:1,-0.5 --noise sgd --length 3
if [ "$(doubles F.npy $at)" = '1 1 -0.5 0 0 0' ]; then yes; else no "the doubles are $(doubles F.npy $at)" coef; fi
written "{'descr': [('w', '<f8'), ('density', '<f8'), ], 'fortran_order': False, 'shape': (2,), }" coef --noise sgd --length 2 --density
written "{'descr': [('t', '<f8'), ('sgd', '<f8'), ('cc', '<f8'), ], 'fortran_order': False, 'shape': (9,), }" curve --steps 8 --noise sgd --noise cc --eta 0.1 --spectrum flat --dim 2
# records: numbers as float64, words as str of the longest; nu of sgd is NaN
written "{'descr': [('noise', '<U6'), ('noise_given', '<U6'), ('nu', '<f8'), ('gamma2', '<f8'), ('gamma2_error', '<f8'), ('gamma', '<f8'), ('gamma_error', '<f8'), ('minimum_phase', '<f8'), ('method', '<U11'), ], 'fortran_order': False, 'shape': (2,), }" \
    gamma --noise sgd --noise nu:0.1
if [ $(($(wc -c <F.npy) - at)) = $((2 * (4 * (6 + 6 + 11) + 8 * 6))) ]; then yes; else no 'not two records' gamma; fi
if [ "$(bytes F.npy $at 24)" = '115 0 0 0 103 0 0 0 100 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0' ]; then yes; else no 'not sgd' gamma; fi
if [ "$(od -An -t f8 -j $((at + 56)) -N 8 F.npy | tr -d ' ')" = 1 ]; then yes; else no 'gamma2 of sgd is not 1' gamma; fi
rm -f F.npy
for o in '--format csv' '--json' '--format text'; do bad1 2 '--output FILE.npy is for NumPy: no --format beside it' gamma --noise sgd --output left.npy $o; done
ok '' gamma --noise sgd --output F.NPY # however it is spelled
if [ "$(bytes F.NPY 1 5)" = '78 85 77 80 89' ]; then yes; else no 'F.NPY is no .npy' gamma; fi
rm -f F.NPY

# --header-comment: the command line, which gives the same again
ok '^# finf mean --noise nu:0[.]1 --eta 0[.]1,0[.]2$' mean --noise nu:0.1 --eta 0.1,0.2 --format csv --header-comment --precision 17
if [ "$(sed -n 2p "$T/out" | cut -d, -f1-2)" = noise,noise_given ]; then yes; else no 'no header below the comment' mean --header-comment; fi
ok "^# finf gamma --noise 'blt:0.5;0.2' --noise sgd\$" gamma --noise 'blt:0.5;0.2' --noise sgd --format csv --header-comment
cp "$T/out" first.csv
sh -c "'$finf' $(sed -n '1s/^# finf //p' first.csv) --format csv --header-comment" >again.csv
if cmp -s first.csv again.csv; then yes; else no 'the comment does not give it again' gamma; fi
run mean --noise sgd --eta 0.1 --format csv
if grep -q '^#' "$T/out"; then no 'a comment that was not asked for' mean; else yes; fi
rm -f first.csv again.csv

# --plot
svg() { # svg FILE TEXT..: a whole SVG with these texts in it
    file=$1
    shift
    if [ "$(head -c 4 "$file")" != '<svg' ] && ! head -n 2 "$file" | grep -q '<svg'; then no "$file is no SVG"; return; fi
    for text; do if grep -q -F -e "$text" "$file" && tail -n 1 "$file" | grep -q '</svg>'; then yes; else no "$file lacks $text"; fi; done
}
ok F_inf mean --noise sgd --noise nu:best --noise best --eta 0.01:1:log:9 --plot p.svg
svg p.svg sgd nu:best best eta F_inf
ok . gamma --noise nu:0.01:1:log:9 --plot p.svg
svg p.svg "squared sensitivity" "damping"
ok . linreg --noise sgd --noise nu:0.1 --spectrum power:1 --dim 4:64:log:4 --eta 0.01 --plot p.svg
svg p.svg sgd nu:0.1 'power:1'
ok . iqc --noise sgd --eta 0.1 --kappa 2:20:log:3 --plot p.svg --json
svg p.svg kappa bound
ok . curve --steps 64 --noise sgd --noise cc --eta 0.05 --spectrum power:1 --dim 4 --plot p.svg
svg p.svg sgd cc 'step t'
ok '' curve --steps 64 --noise sgd --noise cc --eta 0.05 --spectrum power:1 --dim 4 --plot p.svg --output F.npy --quiet
svg p.svg sgd
for c in 'optimize --eta 0.1:0.3:lin:3' 'optimize --eta 0.1:0.3:lin:3 --spectrum flat --dim 2' 'optimize --eta 0.1:0.3:lin:2 --kappa 3' 'tune --eta 0.1:0.3:lin:3' \
    'privacy --rho 0.1:1:log:4' 'simulate --problem mean --noise sgd --eta 0.1:0.3:lin:3' 'curve --steps 8:32:log:3 --noise sgd --noise cc --eta 0.1 --spectrum flat --dim 2' \
    'rates --decays 1 --eta 0.01:0.1:log:3' 'mean --noise cc --eta 0.1:0.2:lin:3'; do
    ok . $c --plot p.svg
    svg p.svg '<title'
done
ok . rates --table prior --dim 16:64:log:3 --plot p.svg
svg p.svg 'F_inf' 'damped anti-PGD' 'dimension'
ok . rates --table finite --steps 1e3:1e9:log:4 --plot p.svg
svg p.svg 'value against steps' 'nu-DP-FTRL'
ok . coef --noise best --spectrum power:1 --spectrum flat --dim 4,8 --eta 0.01 --length 20 --plot p.svg
svg p.svg 'power:1, d = 8' 'flat, d = 4'
# noises of a range of nu, without a spectrum
ok . curve --steps 64 --noise nu:0.001:0.1:log:5 --plot p.svg
svg p.svg 'loss against damping nu' 'curve, steps 64'
ok . curve --steps 64 --noise antipgd:0.1,0.2 --epochs 4 --json --plot p.svg
# coefficients against t, a curve for each noise and each value of what varies; what is 0 is said
ok '^-0.45' coef --noise nu:0.1 --length 50 --plot p.svg
svg p.svg '|beta_t| against lag t' 'coef, noise nu:0.1, length 50' 't = 1' '0.45'
ok . coef --noise nu:0.1,0.01 --noise sgd --length 50 --json --plot p.svg
svg p.svg nu:0.1 nu:0.01 'sgd: no value at t = 1, 2, 3, 4 and' '(it is 0)'
ok '' coef --noise best --eta 0.01,0.1 --spectrum power:1 --dim 3 --length 50 --strategy --plot p.svg --output F.npy
svg p.svg 'eta = 0.01' 'eta = 0.1' '|c_t| against lag t'
ok . coef --noise nu:0.1 --length 50 --density --plot p.svg
svg p.svg 'frequency w'
bad 2 'a --length of 2 or more' coef --noise nu:0.1 --length 1 --plot left.svg
rm -f p.svg F.npy
for c in 'mean --noise sgd --eta 0.1' 'mean --noise sgd --noise nu:0.1 --eta 0.1' 'gamma --noise sgd' 'curve --steps 8 --noise sgd' 'privacy --rho 1' rates 'rates --table finite'; do
    case $c in mean* | rates*) range='--eta 0.01:0.1' ;; gamma*) range='--noise nu:0.001:0.1' ;; curve*) range='--steps 10:1000' ;; *) range='--rho 0.1:10' ;; esac
    bad 2 "--plot draws a table over a range: give one, such as $range:log:20" $c --plot left.svg
done
for name in left.png left 'left.svg.txt' .; do bad 2 "--plot '$name': must end in .svg" mean --noise sgd --eta 0.1:0.2:lin:3 --plot "$name"; done
bad 5 'no/such.svg' mean --noise sgd --eta 0.1:0.2:lin:3 --plot no/such.svg
bad1 5 'none/x' mean --noise sgd --eta 0.1:0.2:lin:3 --plot left.svg --output none/x

# all files or none; two that are one are refused
for pair in '--plot same.svg --output same.svg' '--save same --output same' '--plot ./same.svg --output same.svg'; do
    bad1 2 'name one file' optimize --eta 0.1:0.2:lin:2 --kappa 3 $pair
done
echo old >old.svg; echo old >old.csv
bad1 3 'eta = -1' mean --noise sgd --eta 0.1,-1 --plot old.svg --output old.csv
if [ "$(cat old.svg old.csv)" = "old${nl}old" ]; then yes; else no 'a failure has changed a file' mean; fi
bad1 2 '--plot draws' mean --noise sgd --eta 0.1 --plot old.svg --output old.csv
if [ "$(cat old.svg old.csv)" = "old${nl}old" ]; then yes; else no 'a failure has changed a file' mean --plot; fi
ok '' mean --noise sgd --eta 0.1,0.2 --plot old.svg --output old.csv --format csv
if grep -q '</svg>' old.svg && [ "$(wc -l <old.csv)" -eq 3 ]; then yes; else no 'both are not written' mean; fi
rm -f old.svg old.csv
# names from outside in a plot: nothing of XML in them
printf '1\n-0.5\n' >'a<b>&"c'
ok . mean --noise 'beta@a<b>&"c' --eta 0.1:0.2:lin:3 --plot p.svg
svg p.svg 'beta@a&lt;b&gt;&amp;'
if grep -q 'beta@a<b>' p.svg; then no 'XML in a name' mean --plot; else yes; fi
rm -f p.svg 'a<b>&"c'
# where there is no such line it is refused
bad 2 '--header-comment is a line of --format csv' gamma --noise sgd --header-comment
bad 2 '--header-comment is a line of --format csv' gamma --noise sgd --header-comment --json
