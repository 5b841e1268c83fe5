# design --export: programs of their own. C is compiled and run here; those of Python in python/tests/test_export.py.
cc=${CC:-cc}
blt='blt:0.9,0.5;0.2,0.1'
run_of='--eta 0.1 --spectrum power:1 --dim 16 --rho 0.5'
warn='-std=c11 -pedantic -Wall -Wextra -Werror'
# w and z as finf draws them, and z of the program from the same w: the largest difference, against the largest z
cat >driver.c <<'DRIVER'
#include "noise.c"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    double x[3], z[3], off = 0, size = 0, scale = argc > 3 ? atof(argv[3]) : 1;
    FILE *w = fopen(argv[1], "rb"), *want = fopen(argv[2], "rb");
    double *past = malloc((3 * NOISE_MEMORY + 1) * sizeof *past);
    noise_state s;
    unsigned long long n = 0;
    noise_start(&s, 3, past);
    while (fread(x, sizeof *x, 3, w) == 3 && fread(z, sizeof *z, 3, want) == 3) {
        if (noise_step(&s, x)) return 2;
        n++;
        for (int j = 0; j < 3; j++) {
            off = fmax(off, fabs(x[j] - scale * z[j]));
            size = fmax(size, fabs(scale * z[j]));
        }
    }
    if (NOISE_STEPS && noise_step(&s, x) != -1) return 3; /* past the last step */
    free(past);
    return n != 40 || !(off <= 1e-13 * size);
}
DRIVER
for f in dense me toeplitz banded:5 banded:32 blt:2 scaled:2 scaled:2/1 nu sgd antipgd:0.3 beta:1,-0.5,0.25 strategy:2,1,0.5 strategy:2 "$blt"; do
    epochs=4 values=16
    case $f in */1) epochs=1 f=${f%/1} ;; esac
    case $f in scaled:*) values=80 ;; esac # every step has numbers of its own
    d="design --steps 40 $run_of --epochs $epochs --family"
    ok '' $d "$f" --export c --output noise.c
    ok . $d "$f" --save designed
    $cc $warn -c noise.c -o noise.o 2>"$T/err" && yes || no 'does not compile' $d "$f" --export c
    $cc $warn -DFINF_SELFTEST noise.c -o noise 2>"$T/err" && ./noise >"$T/out" && grep -q "^self-test passed: $values values" "$T/out" && yes ||
        no 'fails its test' $d "$f" --export c
    # a wrong number is noticed
    sed 's/^    {1, [^,]*,/    {1, 7,/' noise.c >wrong.c
    $cc $warn -DFINF_SELFTEST wrong.c -o noise 2>"$T/err" && ! ./noise >"$T/out" && grep -q '^self-test FAILED' "$T/out" && yes ||
        no 'passes its test with a wrong number' $d "$f" --export c
    "$finf" --version --verbose | grep -q 'libsodium *[0-9]' || continue
    ok '' noise --noise sgd --sigma 1 --steps 40 --dim 3 --seed 5 --output w
    ok '' noise --design designed --steps 40 --dim 3 --seed 5 --output z
    $cc $warn driver.c -o driver -lm 2>"$T/err" && ./driver w z && yes || no 'not the noise of finf noise --design' $d "$f"
    ok '' $d "$f" --batch 8 --export c --output noise.c
    $cc $warn driver.c -o driver -lm 2>"$T/err" && ./driver w z 0.125 && yes || no 'not an eighth of it with --batch 8' $d "$f"
done
# scaled:k is its recursion, with k vectors, and of any length; a run of k steps is a matrix, and needs no more state
for e in 1 4; do
    ok '^#define NOISE_MEMORY 2U ' design --steps 40 $run_of --epochs $e --family scaled:2 --export c
    ok '^// -> scaled:2 .* vectors of state 2$' design --steps 40 $run_of --epochs $e --family scaled:2 --export c
done
ok '^// -> scaled:1 ' design --steps 40 $run_of --family toeplitz,blt:2,scaled:1 --export c
for l in numpy torch jax; do ok '^MEMORY = 3 ' design --steps 40 $run_of --family scaled:3 --export $l; done
ok '' design --steps 2049 $run_of --family scaled:1 --export c --output noise.c
$cc $warn -DFINF_SELFTEST noise.c -o noise 2>"$T/err" && ./noise >"$T/out" && grep -q '^self-test passed: 4098 values' "$T/out" && yes ||
    no 'fails its test' design --steps 2049 --family scaled:1 --export c
for n in 1 2 3; do
    ok '' design --steps $n $run_of --family scaled:2 --export c --output noise.c
    $cc $warn -DFINF_SELFTEST noise.c -o noise 2>"$T/err" && ./noise >"$T/out" && yes || no 'fails its test' design --steps $n --family scaled:2 --export c
done
# a wrong number of any step is noticed: the last gain
ok '' design --steps 40 $run_of --family scaled:2 --export c --output noise.c
sed '/GAIN\[\]/,/};/s/[0-9.]*};/7};/' noise.c >wrong.c
$cc $warn -DFINF_SELFTEST wrong.c -o noise 2>"$T/err" && ! ./noise >"$T/out" && grep -q '^self-test FAILED' "$T/out" && yes ||
    no 'passes its test with a wrong number' design --family scaled:2 --export c
# without a horizon: as many steps as are wanted
ok '' design $run_of --family "$blt" --export c --output noise.c
grep -q '^#define NOISE_STEPS 0ULL' noise.c && grep -q 'for any number of steps' noise.c && $cc $warn -DFINF_SELFTEST noise.c -o noise && ./noise >/dev/null &&
    yes || no 'no program without a horizon' design --export c
# the impulse response is beta
ok '' design --steps 40 $run_of --family "$blt" --export c --output noise.c
[ "$(sed -n 's/^    {\([0-9]*\), \([^,]*\), .*},$/\2/p' noise.c | head -n 4)" = "$("$finf" coef --noise "$blt" --length 4 --quiet)" ] && yes ||
    no 'its impulse response is not beta' design --export c
# which family: the least loss with little state, of a single one that; what it says of itself
ok '^// -> scaled:4 ' design --steps 200 $run_of --export c
ok '^// -> banded:32 ' design --steps 200 $run_of --family toeplitz,banded:8,banded:32,sgd --export c
ok '^// -> blt:3 ' design $run_of --family best,blt:1,blt:3,nu,sgd --export c
ok '^//    dense .* vectors of state 199$' design --steps 200 $run_of --export c
ok '^// -> toeplitz ' design --steps 200 $run_of --family toeplitz --export c
ok '^// -> dense ' design --steps 200 $run_of --family nu,dense --export c
ok '^// finf design .*--steps 200 ' design --steps 200 $run_of --export c
ok '^// Privacy: rho = 0.5 .zCDP., zero-out adjacency,$' design --steps 20 $run_of --export c
ok 'epsilon = 2 at delta = 1e-06' design --steps 20 --eta 0.1 --spectrum power:1 --dim 4 --epsilon 2 --delta 1e-6 --export c
ok 'at most 4 times, exactly 5 steps apart' design --steps 20 $run_of --epochs 4 --export c
ok 'at most 4 times, at least 3 steps apart' design --steps 20 $run_of --participations 4 --separation 3 --export c
ok 'to the SUM of the clipped' design --steps 20 $run_of --export c
ok 'to the MEAN of the clipped gradients of a step, over 64' design --steps 20 $run_of --batch 64 --export c
ok 'cryptographic' design --steps 20 $run_of --export c
for l in numpy torch jax; do
    ok '^def self_test' design --steps 20 $run_of --export $l
    ok '^SIGMA = [0-9.]+  # of w' design --steps 20 $run_of --export $l
done
# a name with a newline stays in its comment
nasty="x$nl#include <nothing.h>"
printf '1\n0.5\n' >"$nasty"
ok '' design --steps 40 --eta 0.1 --spectrum "@$nasty" --rho 0.5 --export c --output noise.c
$cc $warn -c noise.c -o noise.o 2>"$T/err" && yes || no 'a file name ends the comment' design --export c
ok . design --steps 40 --eta 0.1 --spectrum "@$nasty" --rho 0.5 --family nu --save designed
[ "$(grep -c '^#' designed)" = 2 ] && yes || no 'a file name ends the comment' design --save
rm -f "$nasty"
bad 2 'c|numpy|torch|jax' design --steps 20 $run_of --export rust
bad 2 'no ranges' design --steps 10,20 $run_of --export c
for o in --json '--format csv' '--format text'; do bad 2 'in the place of the table' design --steps 20 $run_of --export c $o; done
bad1 2 'in the place of the table' design --steps 20 $run_of --export c --output left.npy
ok sigma_mean design --steps 20 $run_of --family nu --batch 4
bad 3 'batch' design --steps 20 $run_of --batch 0 --export c
bad 3 'give --steps' design $run_of --family nu --export c
bad 3 'at most 2048' design --steps 2049 $run_of --family me --export c
rm -f noise* wrong.c driver* designed w z
