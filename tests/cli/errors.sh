# Every computed number x has x_error, in every command: one look at all of them, and a few against values of 40 digits.
# Excused are what was given, or defines the noise, counts, times, words, what is itself an error or an end of an interval, and what the solver
# says of itself.
exact='eta kappa smooth d dim clip sigma_sgd kurtosis weight_decay steps participations separation batch seed start from
    rows zeros points rounds starts iterations grid_points basis_size solver_code memory chains chain_steps steps_total
    rate buf_decay output_scale burn_in seconds certify_seconds knee clipped_fraction erratum printed also_printed w t k T_max objective
    resolution spread history F_sim_low F_sim_high certified_upper solver_bound solver_gap duality_gap left repair a_min
    failprob c_time c_exp c_gap c_start c_dp c_sgd c_polylog polylog_power c_eta c_clip'

errors() { # errors args...: every number of the JSON has its error, is excused, or is one
    run "$@" --json
    if [ $rc != 0 ] && [ $rc != 4 ]; then no "exit $rc" "$@"; return; fi
    lacks=$(EXCUSED="$exact $allowed" awk '
        BEGIN { n = split(ENVIRON["EXCUSED"], x, /[ \n]+/); for (i = 1; i <= n; i++) excused[x[i]] = 1 }
        {
            # the keys of the object itself: strings that a colon follows, outside of arrays
            line = $0; depth = 0; split("", has); split("", number)
            while (length(line)) {
                c = substr(line, 1, 1)
                if (c == "[") depth++
                if (c == "]") depth--
                if (c != "\"") { line = substr(line, 2); continue }
                match(line, /^"([^"\\]|\\.)*"/)
                word = substr(line, 2, RLENGTH - 2); line = substr(line, RLENGTH + 1)
                if (depth == 0 && line ~ /^:/) {
                    has[word] = 1
                    if (line ~ /^:(-?[0-9]|null|"-?inf"|\[-?[0-9])/) number[word] = 1
                }
            }
            for (k in number)
                if (k !~ /_error$/ && !(k in excused) && !((k "_error") in has)) print k
        }' "$T/out" | sort -u | tr '\n' ' ')
    if [ -z "$lacks" ]; then yes; else no "without their error: $lacks" "$@"; fi
}

allowed='epsilon delta' # as they were given
errors gamma --noise nu:0.05
errors gamma --noise nu:0.05 --steps 100 --participations 3 --separation 20 --epsilon 2 --delta 1e-6
errors mean --noise nu:best --eta 0.1 --epsilon 2 --delta 1e-6
errors mean --noise best --eta 0.1 --optimizer heavy-ball:0.5 --rho 1
errors linreg --noise best --eta 0.05 --spectrum power:1 --dim 10 --epsilon 2 --delta 1e-6
errors linreg --noise nu:paper --eta 0.05 --spectrum power:1 --dim 10 --optimizer nesterov:0.5 --average ema:0.9 --weight-decay 0.1
errors linreg --noise sgd --eta 3 --spectrum flat --dim 3
errors iqc --noise nu:0.05 --eta 0.1 --kappa 20 --sigma-sgd 0.1 --verbose
errors iqc --noise nu:best --eta 0.1 --kappa 20 --optimizer heavy-ball:0.3
errors optimize --eta 0.1 --kappa 10
errors optimize --eta 0.1 --spectrum power:1 --dim 10
errors optimize --eta 0.1
errors tune --eta 0.1 --kappa 10
errors tune --eta 0.1 --spectrum power:1 --dim 10
errors tune --spectrum power:1 --dim 10 --contraction 0.99
errors tune --half-life 100
errors coef --noise best --eta 0.1 --spectrum power:1 --dim 10 --length 5 --rho 1
errors coef --noise 'blt:0.9,0.5;0.2,0.1' --length 5 --strategy
errors curve --steps 16 --eta 0.1 --spectrum power:1 --dim 4 --system nu:0.1,tree --participations 2 --separation 8
errors simulate --problem linreg --spectrum power:1 --dim 4 --noise nu:0.1 --eta 0.1 --max-steps 1e5
errors simulate --problem huber --kappa 5 --noise nu:0.1 --eta 0.1 --max-steps 1e5 --steps 20
errors rates --dim 10,100
errors rates --dim 10,100 --slopes
errors rates --table prior --dim 10
allowed=
errors privacy --rho 1 --delta 1e-6
errors privacy --epsilon 2 --rho 0.1
errors privacy --epsilon 2 --delta 1e-6 --noise nu:0.05 --clip 2 --batch 10
errors privacy --epsilon 2 --delta 1e-6 --noise nu:0.05 --steps 100 --epochs 4
allowed='epsilon delta nu' # of nu:best, four digits of it: that is the noise
errors curve --steps 16
allowed='epsilon delta'
errors rates --table finite --dim 10 --steps 100
errors design --steps 16 --eta 0.1 --spectrum power:1 --dim 4
errors design --eta 0.1 --spectrum power:1 --dim 4 --family best,nu,sgd --epsilon 2 --delta 1e-6
errors design --eta 0.1 --kappa 5 --family nu,sgd
errors errata

# Right and honest: value, with 30 digits by mpmath, and an error that covers the difference and is no larger than LOOSE of it.
covered() { # covered KEY VALUE LOOSE args...
    key=$1 value=$2 loose=$3
    shift 3
    run "$@" --json --precision 17
    if sed -n "s/.*\"$key\":\([-0-9.e+]*\),\"${key}_error\":\([-0-9.e+]*\).*/\1 \2/p" "$T/out" | head -n 1 |
        awk -v v="$value" -v l="$loose" 'function abs(x) { return x < 0 ? -x : x }
            END { exit !(NR == 1 && abs($1 - v) <= $2 + 2e-16 * abs(v) && $2 <= l * abs(v)) }'; then yes
    else no "$key is not $value within its error, or that is above $loose of it" "$@"; fi
}
# sigma = G gamma/sqrt(2 rho), gamma^2 of nu = 0.05: 2/pi K(0.95^2)
covered gamma 1.2840764619869035907 1e-14 gamma --noise nu:0.05
covered sigma 1.8159583476659389 1e-14 gamma --noise nu:0.05 --rho 0.5 --clip 1.4142135623730951
covered sigma_over_clip 0.70710678118654752440 1e-14 privacy --rho 1
covered d_eff 2.9289682539682539683 1e-14 linreg --noise sgd --eta 0.05 --spectrum power:1 --dim 10
# the largest stable step, flat: 2/(d+2); contraction of sgd, and of heavy ball where its poles are complex: sqrt(M)
covered eta_max 0.33333333333333333333 1e-13 linreg --noise sgd --eta 0.05 --spectrum flat --dim 4
covered contraction 0.995 1e-14 linreg --noise sgd --eta 0.05 --spectrum power:1 --dim 10
covered contraction 0.70710678118654752440 1e-14 mean --noise sgd --eta 0.1 --optimizer heavy-ball:0.5
covered eta_eff 0.2 1e-14 mean --noise sgd --eta 0.1 --optimizer heavy-ball:0.5
# the paper's rate of DP-SGD: eta d/rho
covered rate_sgd 0.1 1e-14 rates --dim 10 --eta 0.01 --decays 0
# the best nu of mean estimation is eta; of linear regression in one direction too
covered nu 0.1 1e-5 tune --eta 0.1 --spectrum flat --dim 1
covered half_life 68.967563936528436 1e-13 tune --contraction 0.99
# the best noise: roots of the numerator of Hx (tests/tables/best_noise.py)
covered gamma2 1.6352619307540204246 1e-11 gamma --noise best --eta 0.1 --spectrum list:1,0.5,0.25,0.125
# the paper's corollary for DP-SGD at lambda = 2, 1, 1/2 and T = 1e9: what is left of the start, and where T/log^5(T/p) = 147
corollary='rates --table finite --spectrum list:2,1,0.5 --steps 1e9'
covered term_gap 1.61630479018560401 1e-13 $corollary
covered term_start 1.52316003901556122e-6 1e-13 $corollary
covered T_min 1132903899.73559942702 1e-12 $corollary
covered clip_norm 9589.78555345740706 1e-13 $corollary
# errata: the two-cycle, and its bound by the right sign, a difference of numbers a thousand times as large
covered computed 0.00425048396599612827 1e-13 errata
covered also_computed 0.00800264550264550265 1e-10 errata
