# Refusals that nothing else reaches: numbers, ranges, lists, files.

# a seed: digits of all 64 bits, or a number that a double has exactly
sim='simulate --problem mean --noise sgd --eta 0.5 --relative-error 0.1'
ok '"seed":1000000000[,}]' $sim --seed 1e9 --json
for x in 1.5 1e16 -1 18446744073709551616; do
    bad1 3 "$x: must be a whole number from 0 to 18446744073709551615" $sim --seed=$x
done
for x in 1e-200:1e200:log:5 -1e308:1e308:lin:5; do bad1 3 'is too far for a range' mean --noise sgd --eta=$x; done
bad1 3 "noise 'nu:bset': must be a number, nu:best or nu:paper (did you mean nu:best?)" mean --noise nu:bset --eta 0.1
set -- gamma
while [ $# -lt 131 ]; do set -- "$@" --noise sgd; done
bad1 2 '--noise is given more than 64 times' "$@"

# .npy: npy NAME DTYPE SHAPE [LENGTH], a header of version 1 with this in it; the data come behind it
npy() {
    header="{'descr': '$2', 'fortran_order': False, 'shape': $3, }"
    printf '%-118s\n' "$header" | { printf "$(printf '\\223NUMPY\\001\\000\\%03o\\000' "${4:-119}")"; cat; } >"$1"
}
npy f.npy '<f4' '(2,)' && printf '\000\000\200\077\000\000\000\277' >>f.npy # 1, -1/2
npy g.npy '>f4' '(2,)' && printf '\077\200\000\000\277\000\000\000' >>g.npy
run gamma --noise beta:1,-0.5 --json && sed 's/"noise":"[^"]*"//' "$T/out" >want
for f in f.npy g.npy; do
    run gamma --noise beta@$f --json
    sed 's/"noise":"[^"]*"//' "$T/out" >got
    if [ $rc = 0 ] && cmp -s want got; then yes; else no 'float32 is read otherwise' gamma --noise beta@$f; fi
done
npy absurd.npy '<f8' '(4000000000, 4000000000)'
npy short.npy '<f8' '(2,)' 3
printf '\223NUMPX and more of it' >binary
for o in 'gamma --noise beta@' 'linreg --noise sgd --eta 0.1 --spectrum data@'; do
    bad1 3 'absurd .npy shape' ${o}absurd.npy
    bad1 3 'a .npy header of 3 bytes' ${o}short.npy
done
bad1 3 "'binary': binary, but not .npy" linreg --noise sgd --eta 0.1 --spectrum data@binary
rm -f ./*.npy binary want got
# what is asked for twice is numbered in .npy, in the order in which it stands
ok '' coef --noise nu:0.1 --noise sgd --noise nu:0.1 --eta 0.1,0.2,0.1 --length 2 --output twice.npy
if LC_ALL=C tr -c '[:print:]' ' ' <twice.npy | grep -o "'[^']* eta[^']*'" | tr '\n' ' ' |
    grep -q "^'nu:0.1 eta=0.1' 'nu:0.1 eta=0.2' 'nu:0.1 eta=0.1 (2)' 'sgd eta=0.1' 'sgd eta=0.2' 'sgd eta=0.1 (2)' 'nu:0.1 eta=0.1 (3)' 'nu:0.1 eta=0.2 (2)' 'nu:0.1 eta=0.1 (4)' $"; then yes
else no 'other names' coef --output twice.npy; fi
rm -f twice.npy
