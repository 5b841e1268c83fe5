# finf noise: a stream of correlated noise.
blt='blt:0.9,0.5;0.2,0.1'
if "$finf" --version --verbose | grep -q 'libsodium *[0-9]'; then
    keys 'noise d coordinates from sigma generator seeded method memory z' noise --noise "$blt" --steps 3 --dim 2 --sigma 1 --seed 1
    ok '"seeded":true.*"z":\[{"step":0,"z0":-0\.14873988527562282,"z1":0\.63711207781162571}' noise --noise "$blt" --steps 3 --dim 2 --sigma 1 --seed 1 --json
    ok '^step,z0,z1$' noise --noise "$blt" --steps 3 --dim 2 --sigma 1 --seed 1 --format csv
    ok 'for experiments, not for privacy' noise --noise "$blt" --steps 3 --dim 2 --sigma 1 --seed 1 --format text
    ok '"seeded":false' noise --noise nu:0.1 --steps 3 --dim 2 --rho 1 --json
    near sigma 2.2131236 1e-6 noise --noise sgd --steps 3 --dim 2 --rho 0.5 --clip 2.2131236 --seed 1
    near sigma "$("$finf" privacy --noise "$blt" --steps 12 --epochs 3 --epsilon 2 --delta 1e-6 --json | sed 's/.*"sigma":\([^,}]*\).*/\1/')" 1e-13 \
        noise --noise "$blt" --steps 12 --epochs 3 --epsilon 2 --delta 1e-6 --dim 1 --seed 1
    near sigma "$("$finf" privacy --noise nu:0.1 --steps 50 --rho 1 --json | sed 's/.*"sigma":\([^,}]*\).*/\1/')" 1e-13 \
        noise --noise nu:0.1 --steps 2 --from 7 --horizon 50 --rho 1 --dim 1 --seed 1
    ok '"noise":"nu:0.1"' noise --noise nu:best --eta 0.1 --steps 3 --dim 2 --sigma 1 --json
    # bytes and .npy are the same numbers; a part has the bytes of the whole; f32
    ok '' noise --noise "$blt" --steps 20 --dim 16 --sigma 2 --seed 3 --output whole
    ok '' noise --noise "$blt" --steps 20 --dim 16 --sigma 2 --seed 3 --output whole.npy
    run noise --noise "$blt" --steps 20 --dim 16 --sigma 2 --seed 3
    if cmp -s "$T/out" whole && [ "$(wc -c <whole)" = 2560 ]; then yes; else no 'stdout is not the file' noise; fi
    tail -c 2560 whole.npy | cmp -s - whole && [ "$(wc -c <whole.npy)" = 2688 ] && yes || no 'bytes of the .npy' noise
    head -c 128 whole.npy | grep -a -q "'shape': (20, 16), }" && yes || no 'shape of the .npy' noise
    ok '' noise --noise "$blt" --steps 1 --from 19 --dim 16 --sigma 2 --seed 3 --output last
    tail -c 128 whole | cmp -s - last && yes || no 'the last step' noise --from 19
    ok '' noise --noise "$blt" --steps 20 --coordinates 8:16 --dim 16 --sigma 2 --seed 3 --output half
    tail -c 64 whole >tail1 && tail -c 64 half | cmp -s - tail1 && yes || no 'half of the coordinates' noise --coordinates
    ok '' noise --noise "$blt" --steps 20 --dim 16 --sigma 2 --seed 3 --dtype f32 --output floats
    [ "$(wc -c <floats)" = 1280 ] && yes || no 'size of f32' noise --dtype f32
    # stop and go on: the same bytes; the state is private, and stays when nothing was written
    for i in 1 2 3 4; do ok '' noise --noise "$blt" --steps 5 --dim 16 --sigma 2 --seed 3 --state state --output part$i; done
    cat part1 part2 part3 part4 | cmp -s - whole && yes || no 'parts are not the whole' noise --state
    [ "$(ls -l state | cut -c 1-10)" = -rw------- ] && yes || no 'the state can be read by others' noise --state
    cp state kept
    bad1 3 'another seed' noise --noise "$blt" --steps 5 --dim 16 --sigma 2 --seed 4 --state state
    bad1 3 'goes on at step 20' noise --noise "$blt" --steps 5 --dim 16 --sigma 2 --from 3 --state state
    bad1 3 'another noise, sigma or dimension' noise --noise sgd --steps 5 --dim 16 --sigma 2 --state state
    bad1 3 'not the state' noise --noise sgd --steps 5 --dim 16 --sigma 2 --state whole
    [ ! -c /dev/full ] || bad1 5 "'/dev/full'" noise --noise "$blt" --steps 500 --dim 16 --sigma 2 --state state --output /dev/full
    "$finf" noise --noise "$blt" --steps 100000 --dim 16 --sigma 2 --state state | head -c 10 >part5
    cmp -s state kept && yes || no 'the state moved without its numbers' noise --state
    ok '' noise --noise "$blt" --steps 5 --dim 16 --sigma 2 --from 20 --state state --output part5
    cmp -s state kept && no 'the state did not move' noise --state || yes
    # noise without a recursion: the same bits for every part of one horizon
    ok '' noise --noise power:0.4,0.01 --steps 50 --dim 9 --sigma 2 --seed 3 --output run1
    ok '' noise --noise power:0.4,0.01 --steps 50 --horizon 50 --coordinates 3:9 --dim 9 --sigma 2 --seed 3 --output half
    [ "$(tail -c 48 half | od -An -tx1)" = "$(tail -c 48 run1 | od -An -tx1)" ] && yes || no 'other bits of coordinates' noise --noise power:0.4,0.01
    ok '' noise --noise power:0.4,0.01 --steps 1 --from 49 --horizon 50 --dim 9 --sigma 2 --seed 3 --output last
    tail -c 72 run1 | cmp -s - last && yes || no 'other bits of steps' noise --noise power:0.4,0.01
    rm -f state
    for i in 1 2; do ok '' noise --noise power:0.4,0.01 --steps 25 --horizon 50 --dim 9 --sigma 2 --seed 3 --state state --output part$i; done
    cat part1 part2 | cmp -s - run1 && [ "$(wc -c <state)" = 144 ] && yes || no 'stopped and gone on: other bits' noise --noise power:0.4,0.01
    rm -f run1
    bad1 3 'another noise' noise --noise power:0.4,0.01 --steps 5 --horizon 60 --dim 9 --sigma 2 --state state
    # the first 128 steps have the same bits in every run, so that their parts need no horizon
    ok '' noise --noise power:0.4,0.01 --steps 500 --dim 9 --sigma 2 --seed 3 --output run1
    head -c 9216 run1 | tail -c 2016 >half
    ok '' noise --noise power:0.4,0.01 --steps 28 --from 100 --dim 9 --sigma 2 --seed 3 --output last
    cmp -s half last && yes || no 'a part has other bits' noise --noise power:0.4,0.01 --from 100
    rm -f state
    for i in 1 2; do ok '' noise --noise power:0.4,0.01 --steps 64 --dim 9 --sigma 2 --seed 3 --state state --output part$i; done
    head -c 9216 run1 >half && cat part1 part2 | cmp -s - half && yes || no 'stopped and gone on: other bits' noise --noise power:0.4,0.01 --state
    bad1 2 'after step 128 needs --horizon' noise --noise power:0.4,0.01 --steps 1 --dim 9 --sigma 2 --state state
    bad 2 'a part of --noise power:0.4,0.01 after step 128 needs --horizon' noise --noise power:0.4,0.01 --steps 5 --from 124 --dim 9 --sigma 2 --seed 3
    bad 2 'a part of --noise power:0.4,0.01 after step 128 needs --horizon' noise --noise power:0.4,0.01 --steps 5 --from 1e9 --dim 9 --sigma 2 --seed 3
    rm -f run1
    # nu keeps decays: its bits do not depend on the steps asked for, and it goes on without a horizon
    ok '' noise --noise nu:0.01 --steps 300 --dim 9 --sigma 2 --seed 3 --output run1
    tail -c 7200 run1 >half
    ok '' noise --noise nu:0.01 --steps 100 --from 200 --dim 9 --sigma 2 --seed 3 --output last
    cmp -s half last && yes || no 'a part has other bits' noise --noise nu:0.01 --from 200
    ok '' noise --noise nu:0.01 --steps 100 --from 200 --horizon 1e6 --coordinates 2:9 --dim 9 --sigma 2 --seed 3 --output last
    [ "$(tail -c 56 half | od -An -tx1)" = "$(tail -c 56 last | od -An -tx1)" ] && yes || no 'other bits of coordinates' noise --noise nu:0.01
    rm -f state
    for i in 1 2 3; do ok '' noise --noise nu:0.01 --steps 100 --dim 9 --sigma 2 --seed 3 --state state --output part$i; done
    cat part1 part2 part3 | cmp -s - run1 && yes || no 'stopped and gone on: other bits' noise --noise nu:0.01
    bad1 3 'another noise' noise --noise nu:0.02 --steps 5 --dim 9 --sigma 2 --state state
    bad1 3 'another noise' noise --noise power:0.4,0.01 --steps 5 --horizon 1000 --dim 9 --sigma 2 --state state
    # steps that are not there are refused before those before them are run through, which would take hours
    bad1 3 'steps 2000000000 to 2000000004: the run has 1073741824' noise --noise cc --steps 5 --from 2e9 --dim 1 --sigma 1 --seed 1
    bad1 3 'the run has 1000000000' noise --noise nu:0.1 --steps 5 --from 1e9 --horizon 1e9 --dim 1000 --sigma 1 --seed 1
    bad1 3 'the run has 1000000000' noise --noise "$blt" --steps 5 --from 1e9 --horizon 1e9 --dim 1000 --sigma 1 --seed 1
    rm -f run1 part3
    # a key for several workers
    head -c 32 whole >key
    ok '' noise --noise "$blt" --steps 4 --dim 9 --sigma 1 --key key --output both
    ok '' noise --noise "$blt" --steps 4 --dim 9 --coordinates 0:9 --sigma 1 --key key --output again
    cmp -s both again && yes || no 'the same key, other numbers' noise --key
    bad 3 'has 2560 bytes: must have 32' noise --noise sgd --steps 1 --dim 1 --sigma 1 --key whole
    bad 5 'No such file' noise --noise sgd --steps 1 --dim 1 --sigma 1 --key missing
    bad 2 'one of them' noise --noise sgd --steps 1 --dim 1 --sigma 1 --key key --seed 1
    bad 2 'needs --horizon' noise --noise nu:0.1 --steps 3 --dim 1 --rho 1 --from 2 --seed 1
    bad1 2 'needs --horizon' noise --noise nu:0.1 --steps 3 --dim 1 --rho 1 --state new
    bad 2 'nobody has the steps before' noise --noise sgd --steps 3 --dim 1 --sigma 1 --from 2
    bad 3 'the run has 4' noise --noise nu:0.1 --steps 3 --dim 1 --sigma 1 --from 2 --horizon 4 --seed 1
    # scales of 1e54, of which the products are all that matters
    ok . design --steps 400 --epochs 4 --eta 0.05 --spectrum power:1 --dim 16 --rho 0.5 --family scaled:2 --save designed
    ok '^399,-?[0-9.]+$' noise --design designed --steps 400 --dim 1 --seed 1 --format csv
    # what design saved: the stream of design@FILE, its own sigma, no step more than it is for
    run_of='--eta 0.1 --spectrum power:1 --dim 16 --rho 0.5'
    for f in dense toeplitz banded:5 blt:2 scaled:2 nu me sgd antipgd:0.3 "$blt"; do
        ok . design --steps 40 $run_of --family "$f" --epochs 4 --save designed --json
        sigma=$(sed -n 's/.*"sigma":\([^,]*\).*/\1/p' "$T/out")
        near sigma "$sigma" 1e-16 noise --design designed --steps 2 --dim 3 --seed 1
        near sigma "3*$sigma" 1e-15 noise --design designed --steps 2 --dim 3 --seed 1 --clip 3
        near sigma "$sigma/2" 1e-15 noise --design designed --steps 2 --dim 3 --seed 1 --rho 2
        near horizon 40 1e-16 noise --design designed --steps 2 --dim 3 --seed 1 --horizon 40
        ok '' noise --design designed --steps 40 --dim 3 --seed 1 --output whole
        case $f in dense | me | scaled:2) bad 3 'has no coefficients [strategy]' noise --noise design@designed --steps 40 --dim 3 --sigma 1 --seed 1 ;;
        *) ok '' noise --noise design@designed --steps 40 --dim 3 --sigma "$sigma" --seed 1 --output half
            cmp -s whole half && yes || no 'not the stream of design@FILE' noise --design designed ;; esac
        ok '' noise --design designed --steps 15 --dim 3 --seed 1 --from 25 --coordinates 2:3 --output last
        [ "$(tail -c 8 last | od -An -tx1)" = "$(tail -c 8 whole | od -An -tx1)" ] && yes || no 'a part has other bits' noise --design designed
        rm -f state
        for i in 1 2; do ok '' noise --design designed --steps 20 --dim 3 --seed 1 --state state --output part$i; done
        cat part1 part2 | cmp -s - whole && yes || no 'stopped and gone on: other bits' noise --design designed --state state
        bad1 3 'steps 40 to 40: the run has 40' noise --design designed --steps 1 --dim 3 --state state
        bad1 3 'another noise, sigma or dimension' noise --design designed --steps 1 --dim 3 --sigma 7 --state state
        bad 3 'steps 0 to 40: the run has 40' noise --design designed --steps 41 --dim 3
        bad 3 'steps 39 to 40: the run has 40' noise --design designed --steps 2 --from 39 --dim 3 --seed 1
    done
    bad1 3 'another noise' noise --noise sgd --sigma 1 --steps 1 --dim 3 --state state
    bad 3 "horizon = 50, but 'designed' is for 40 steps" noise --design designed --steps 2 --dim 3 --horizon 50
    bad 2 'one of them' noise --design designed --noise sgd --steps 2 --dim 3
    bad 2 'one of them' noise --steps 2 --dim 3 --sigma 1
    bad 2 'not several' noise --design designed --sigma 1 --rho 1 --steps 2 --dim 3
    for o in '--epochs 4' '--eta 0.1' '--kappa 3'; do bad 2 "${o%% *} has no effect" noise --design designed --steps 4 --dim 3 $o; done
    bad 5 'No such file' noise --design missing --steps 2 --dim 3
    bad 3 "no part [design]" noise --design eig.txt --steps 2 --dim 3
    printf '[design]\nsteps,sens2,sigma,rho,clip\n2,1,1,1,1\n[noising]\n1,0\n' >broken
    bad 3 '1 rows of 2 numbers: must be 2 of 2' noise --design broken --steps 2 --dim 3
    printf '[design]\nsteps,sens2,sigma,rho,clip\n2,1,1,1,1\n[noising]\n1,2\n0,1\n' >broken
    bad 3 'row 1, column 2 is 2: must be 0, above the diagonal' noise --design broken --steps 2 --dim 3
    printf '[design]\nsteps,sens2,sigma,rho,clip\n2,1,1,1,1\n[noising]\n1,0\n0,0\n' >broken
    bad 3 'row 2, column 2 is 0' noise --design broken --steps 2 --dim 3
    printf '[design]\nsteps,sens2,sigma,rho,clip\n2,1,1,1,1\n[noising]\n1,0\nnan,1\n' >broken
    bad 3 "'nan' must be a finite number" noise --design broken --steps 2 --dim 3
    printf '[design]\nsteps,sens2,sigma,rho,clip\n2,1,1,1,1\n[recursion]\n1,0.5,1\n1,0.5,1\n' >broken
    bad 3 '2 rows of 3 numbers: must be 2 of 3k+1' noise --design broken --steps 2 --dim 3
    printf '[design]\nsteps,sens2,sigma,rho,clip\n2,1,1,1,1\n[recursion]\n1,0.5,1,1\n1,2,1,1\n' >broken
    bad 3 'decay 2 of step 1: must be from -1 to 1' noise --design broken --steps 2 --dim 3
    printf '[design]\nsteps,sens2,sigma,rho,clip\n2,1,0,1,1\n[strategy]\n1\n' >broken
    bad 3 'sigma = 0: must be positive' noise --design broken --steps 2 --dim 3
    printf '[design]\nsteps,sens2,sigma,rho,clip\n2.5,1,1,1,1\n[strategy]\n1\n' >broken
    bad 3 'steps = 2.5: must be a whole number' noise --design broken --steps 2 --dim 3
    printf '[design]\n2,1,1,1\n[strategy]\n1\n' >broken
    bad 3 '1 lines of 4 numbers' noise --design broken --steps 2 --dim 3
    printf '[design]\n2,1,1,1,1\n[blt]\n0.5\n' >broken
    bad 3 'must be theta,omega' noise --design broken --steps 2 --dim 3
    rm -f designed broken
    rm -f whole* half last floats part? state kept key both again tail1
    # a recursion could go on after its horizon, for which sigma was found
    for of in '--rho 1' '--sigma 1'; do
        for noise in sgd 'blt:0.9;0.2' nu:0.1; do
            bad 3 'steps 0 to 4: the run has 4' noise --noise "$noise" --steps 5 --dim 1 $of --horizon 4
            bad 3 'steps 2 to 4: the run has 4' noise --noise "$noise" --steps 3 --dim 1 $of --horizon 4 --from 2 --seed 1
        done
    done
    ok . noise --noise 'blt:0.9;0.2' --steps 2 --dim 1 --rho 1 --horizon 4 --from 2 --seed 1
else
    skipped=$((skipped + 1))
    bad 2 libsodium noise --noise sgd --steps 1 --dim 1 --sigma 1
fi
bad 2 'give one of --sigma' noise --noise sgd --steps 1 --dim 1
bad 2 'not several' noise --noise sgd --steps 1 --dim 1 --sigma 1 --rho 1
bad 2 'one stream' noise --noise sgd --noise nu:0.1 --steps 1 --dim 1 --sigma 1
bad 2 'one stream' noise --noise sgd --steps 1,2 --dim 1 --sigma 1
bad 2 'no --format beside it' noise --noise sgd --steps 1 --dim 1 --sigma 1 --state s --json
bad1 2 'FILE or FILE.npy, and no --format beside it' noise --noise sgd --steps 1 --dim 1 --sigma 1 --state s --output left.csv
for v in 1 2:1 1:1 -1:1 0:4 0.5:1 a:b 1: :1; do bad 3 "coordinates '$v'" noise --noise sgd --steps 1 --dim 3 --sigma 1 --coordinates $v; done
bad 2 'f32' noise --noise sgd --steps 1 --dim 1 --sigma 1 --dtype f16
