# Words that are not known: one line, the word, what is allowed, and what may have been meant.

bad1 2 "no command 'gama' (did you mean gamma?); 'finf --help' lists them" gama --noise sgd
bad1 2 "no command 'xyzzy'; 'finf --help'" xyzzy # nothing is near
bad 2 "gamma has no option '--nose' (did you mean --noise?)" gamma --nose sgd
bad 2 "no option '--etta=1' (did you mean --eta?)" mean --noise sgd --etta=1
bad 2 "no option '--mu'" mean --noise sgd --eta 0.1 --mu 2
bad 3 "noise 'nuu:0.1' is not known (did you mean nu?); see NOISE in --help" gamma --noise nuu:0.1
bad 3 "noise 'nu:beast': must be a number, nu:best or nu:paper (did you mean nu:best?)" gamma --noise nu:beast
bad 3 "noise 'nu:papr': must be a number, nu:best or nu:paper (did you mean nu:paper?)" mean --noise nu:papr --eta 0.1
bad 3 "nu = 'xyz': not a number" gamma --noise nu:xyz
bad 3 "noise 'besst' is not known (did you mean best?)" gamma --noise besst
bad 3 "noise 'xyzzy' is not known: sgd, nu:V" gamma --noise xyzzy
for c in gamma 'mean --eta 0.1' 'coef --length 3' 'curve --steps 8'; do
    for n in sgd,nu:0.1 nu:0.1,sgd nu:0.1,0.2,power:0.3,0.1; do bad 3 "noise '$n': for several noises repeat --noise" $c --noise $n; done
done
for n in nu:auto power:0.5,auto antipgd:auto; do
    for c in gamma 'mean --eta 0.1' 'linreg --eta 0.1 --spectrum flat --dim 2' 'iqc --eta 0.1 --kappa 3' 'coef --length 3' 'privacy --rho 1' 'curve --steps 8' \
        'simulate --problem mean --eta 0.1'; do
        bad1 3 "'$n': there is no auto; nu:paper is eta*mu, nu:best the nu that is best for the problem" $c --noise $n
    done
done
bad 3 "spectrum 'powr:1' is not known (did you mean power?): power:A, exp:R, flat, step, list:.., @FILE, covariance@FILE, data@FILE" linreg --noise sgd --eta 0.1 --spectrum powr:1 --dim 3
bad 3 "optimizer 'nesterv:0.9' is not known: sgd, heavy-ball:M, nesterov:M, filter:B;A (did you mean nesterov?)" mean --noise sgd --eta 0.1 --optimizer nesterv:0.9
bad 3 "average 'emma:0.5' is not known: none, ema:A, last:K (did you mean ema?)" mean --noise sgd --eta 0.1 --average emma:0.5
bad 3 "system 'honakr' is not known (did you mean honaker?): tree, honaker" curve --steps 8 --system honakr
convex='iqc --noise sgd --eta 0.1 --kappa 3'
# every choice: the option, a word that is none, what was meant, the rest of the command line
while read -r option word meant rest; do
    run $rest --$option $word
    if [ $rc = 2 ] && [ ! -s "$T/out" ] && [ "$(wc -l <"$T/err")" -eq 1 ] && grep -q -e "--$option '$word': must be .*$meant.* (did you mean $meant?)\$" "$T/err"; then yes
    else no "no suggestion, or not exit 2" $rest --$option $word; fi
    bad 2 "--$option 'xyzzy': must be" $rest --$option xyzzy # no word at all, so no suggestion
    if grep -q 'did you mean' "$T/err"; then no 'a suggestion for nothing' $rest --$option xyzzy; else yes; fi
    bad 2 "--$option '': must be" $rest --$option ''
done <<ROWS
format jsn json gamma --noise sgd
bound shrp sharp $convex
class od odd $convex
solver ecs ecos $convex
constants papr paper $convex
lower simulat simulate $convex
grid unifrm:30 uniform $convex
multiplier fr:30 fir $convex
accounting zcpd zcdp privacy --epsilon 1 --delta 1e-5
table priors prior rates
problem meen mean simulate --noise sgd --eta 0.1
show curv curve curve --steps 8 --eta 0.1 --spectrum flat --dim 2 --system sgd
gamma fixd-order fixed-order curve --steps 8 --eta 0.1 --spectrum flat --dim 2 --system sgd
ROWS
bad 3 'momentum of heavy-ball = 1.5: must be in [0, 1)' mean --noise sgd --eta 0.1 --optimizer heavy-ball:1.5
bad 3 "'heavy-ball'" mean --noise sgd --eta 0.1 --optimizer heavy-ball
bad 3 'average ema = 2: must be in [0, 1)' mean --noise sgd --eta 0.1 --average ema:2
bad 3 'weight-decay = -1' mean --noise sgd --eta 0.1 --weight-decay -1
for v in 0 257 1.5 -1; do bad 3 "threads = $v: must be a whole number from 1 to 256" mean --noise sgd --eta 0.1 --threads $v; done
for c in 'coef --noise nu:0.1,0.2 --length 2' errata 'noise --noise sgd --steps 2 --dim 2 --sigma 1 --seed 1 --format csv'; do ok . $c --threads 2; done # changes no answer
for c in errata noise reproduce; do # and is not listed where it changes nothing
    run $c --help
    if grep -q -e '--threads' -e '--progress' "$T/out"; then no 'lists --threads' $c --help; else yes; fi
done
bad 3 "threads = 'x'" mean --noise sgd --eta 0.1 --threads x
bad 2 '--progress and --quiet contradict each other' mean --noise sgd --eta 0.1 --progress --quiet
