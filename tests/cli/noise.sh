# Noises that depend on the problem; and what is printed as a noise can be pasted back.

near F_inf 0.005269617870587385 1e-13 mean --noise nu:paper --eta 0.1
near F_inf 0.005269617870587385 1e-12 mean --noise best --eta 0.1
near F_inf 0.0095845814771247 1e-12 linreg --noise nu:paper $regression
ok '"noise":"nu:0.1","noise_given":"nu:paper"' mean --noise nu:paper --eta 0.1 --json
ok '^  noise +nu:0.1 +nu:paper$' mean --noise nu:paper --eta 0.1
ok '"noise":"nu:0.00015625","noise_given":"nu:paper"' linreg --noise nu:paper $regression --json
ok '"noise":"nu:0.020*4?","noise_given":"nu:paper"' iqc --noise nu:paper --eta 0.1 --kappa 5 --json
ok '"noise":"nu:0.040*1?","noise_given":"nu:paper"' iqc --noise nu:paper --eta 0.1 --kappa 5 --smooth 2 --json
ok '"noise":"nu:0.005","noise_given":"nu:paper"' gamma --noise nu:paper --eta 0.01 --spectrum list:1,0.5 --json
ok '"noise":"nu:0.020*4?"' privacy --rho 1 --noise nu:paper --eta 0.1 --kappa 5 --json
ok '"noise":"nu:0.1"' coef --noise nu:paper --eta 0.1 --length 2 --json
ok '"system":"nu:0.005"' curve --steps 8 --noise nu:paper --eta 0.01 --spectrum list:1,0.5 --json
# nu:best is what tune finds, best what optimize finds
for problem in '--eta 1.5' '--eta 0.02 --spectrum power:1 --dim 16' '--eta 0.1 --kappa 10 --solver newton'; do
    case $problem in *kappa*) c=iqc key=bound ;; *spectrum*) c=linreg key=F_inf ;; *) c=mean key=F_inf ;; esac
    run tune $problem --json
    v=$(sed -n "s/.*\"$key\":\([0-9.e+-]*\).*/\1/p" "$T/out") nu=$(sed -n 's/.*"nu":\([0-9.e+-]*\).*/\1/p' "$T/out")
    near $key "${v:-0}" 1e-9 $c --noise nu:best $problem
    near $key "${v:-0}" 1e-12 $c --noise nu:${nu:-0} $problem
    run optimize $problem --json
    v=$(sed -n "s/.*\"$key\":\([0-9.e+-]*\).*/\1/p" "$T/out")
    near $key "${v:-0}" 1e-9 $c --noise best $problem
    for w in sgd nu:best; do # and it is no worse than the others
        run $c --noise $w $problem --json
        if awk -v best="${v:-1e9}" -v other="$(sed -n "s/.*\"$key\":\([0-9.e+-]*\).*/\1/p" "$T/out")" 'BEGIN { exit !(best <= other * (1 + 1e-9)) }'; then yes
        else no "worse than $w" optimize $problem; fi
    done
done
keys 'noise F_inf F_inf_error F_best F_best_error F_sgd F_sgd_error gamma2 gamma2_error spectrum d d_eff' optimize --eta 0.02 --spectrum power:1 --dim 16
near F_inf "$(run optimize --eta 0.02 --spectrum power:1 --dim 16 --json; sed -n 's/.*"F_best":\([0-9.e+-]*\).*/\1/p' "$T/out")" 1e-8 optimize --eta 0.02 --spectrum power:1 --dim 16
for c in gamma 'coef --length 3' 'privacy --rho 1'; do
    for n in best nu:best nu:paper; do
        bad 2 "$n depends on the problem: give --eta (mean estimation), with --spectrum (linear regression) or --kappa (every convex F)" $c --noise $n
        bad 2 "$n needs --eta" $c --noise $n --spectrum flat --dim 2
    done
    bad 2 'give one of them' $c --noise best --eta 0.1 --kappa 3 --spectrum flat --dim 2
done
for n in best nu:paper; do bad 2 "$n depends on the problem: give --eta and --spectrum" curve --steps 8 --noise $n; done

# The noise as text prints it, given to the shell as it stands, is the same noise.
pastes() { # pastes KEY COMMAND args...: the line 'noise' of the answer in text
    key=$1
    shift
    run "$@"
    printed=$(sed -n 's/^  noise  *//p' "$T/out" | sed "s/^\('[^']*'\|[^ ]*\)  .*/\1/")
    run "$@" --json
    value=$(sed -n "s/.*[{,]\"$key\":\([-0-9.e+]*\).*/\1/p" "$T/out")
    c=$1
    shift
    words=
    while [ $# -gt 0 ]; do
        if [ "$1" = --noise ]; then shift; else words="$words '$1'"; fi
        shift
    done
    case $c in optimize | tune) case $words in *kappa*) c=iqc ;; *spectrum*) c=linreg ;; *) c=mean ;; esac ;; esac
    sh -c "'$finf' $c --noise $printed $words --json" >"$T/out" 2>"$T/err"
    again=$(sed -n "s/.*[{,]\"$key\":\([-0-9.e+]*\).*/\1/p" "$T/out")
    if [ -n "$value" ] && awk "BEGIN { x = ($again) / ($value) - 1; exit !(x <= 1e-9 && -x <= 1e-9) }"; then yes
    else no "--noise $printed: $key is '$again', not '$value'" $c $words; fi
}
printf '1\n-0.5\n' >"a file's \$name"
for n in sgd nu:0.1 power:0.3,0.1 antipgd:0.2 beta:1,-0.5 strategy:1,0.5 'blt:0.5,0.9;0.2,0.05' 'product:0.1,0.6;0.5,-0.5' bisr:8 beta@t.txt "beta@a file's \$name"; do
    case $n in beta@a*) # its quotes are not those that the sed of pastes knows
        run gamma --noise "$n"
        sh -c "'$finf' gamma --noise $(sed -n 's/^  noise  *//p' "$T/out") --quiet" >"$T/again" 2>"$T/err"
        if grep -q '^  gamma2 .*1.3333' "$T/again"; then yes; else no 'does not paste' gamma --noise "$n"; fi
        continue ;;
    esac
    pastes gamma2 gamma --noise "$n"
    pastes F_inf mean --noise "$n" --eta 0.1
    pastes F_inf linreg --noise "$n" --eta 0.02 --spectrum power:1 --dim 16
    pastes sigma privacy --noise "$n" --rho 1
done
for n in nu:paper nu:best best; do
    pastes F_inf mean --noise $n --eta 0.3
    pastes F_inf mean --noise $n --eta 1.5
    pastes F_inf linreg --noise $n --eta 0.02 --spectrum power:1 --dim 16
    pastes bound iqc --noise $n --eta 0.1 --kappa 10 --solver newton
    pastes F_inf simulate --noise $n --problem mean --eta 0.3
done
pastes bound optimize --eta 0.1 --kappa 10
pastes F_inf optimize --eta 0.3
pastes F_inf optimize --eta 0.02 --spectrum power:1 --dim 16
pastes F_inf optimize --eta 1.5
# where every noise diverges, the best is infinite: an answer, also in a table
for problem in '--eta 5' '--eta 5 --spectrum flat --dim 2'; do
    case $problem in *spectrum*) c=linreg ;; *) c=mean ;; esac
    for n in best nu:best nu:paper; do ok '"F_inf":"inf".*"reason":"eta = 5 diverges' $c --noise $n $problem --json; done
    ok '"F_inf":"inf",.*"F_best":"inf",.*"F_sgd":"inf",.*"reason":"eta = 5 diverges' optimize $problem --json
    ok '^  noise +sgd +every noise is infinite$' optimize $problem
    if grep -q nan "$T/out"; then no nan optimize $problem; else yes; fi
done
ok '^reason: eta = 5 diverges' mean --noise best --noise sgd --eta 0.5,5
