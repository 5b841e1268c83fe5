# An option that would have no effect is refused.

for o in '--spectrum step' '--steps 5' '--set c_dp=2'; do
    bad 2 "${o%% *} has no effect" rates $o
    bad 2 "${o%% *} has no effect" rates --table prior $o
done
bad 2 '--slopes has no effect' rates --table prior --slopes
bad 2 '--slopes has no effect' rates --table finite --slopes
bad 2 '--decays has no effect' rates --table finite --decays 1
bad 2 'takes one --eta' rates --table finite --eta 0.1:0.2:lin:3
bad 2 'takes one --dim' rates --table finite --dim 2:4:lin:3
bad 3 'eta = -5' rates --table finite --eta -5
for o in '--dim 8' '--kurtosis 1' '--start 2' '--sigma-sgd 1' '--gamma inf' --normalize; do bad 2 "${o%% *} has no effect" curve --steps 8 $o; done
bad 3 'system' curve --system ''
for o in '--eta 0.5' '--rho 0' '--clip 2' '--sigma-sgd 3'; do bad 2 "${o%% *}" errata $o; done
for o in '--eta -4' '--rho 0' '--clip 2' '--sigma-sgd 3' '--precision 3'; do bad 2 "${o%% *}" reproduce --out paper $o; done
bad 2 '--dim has no effect' tune --eta 0.1 --dim 5
for o in '--contraction 0.9' '--half-life 10' --frontier; do bad 2 '--eta has no effect at a given speed' tune --eta 0.1 $o; done
for o in '--smooth 2' '--bound dist' '--class odd' '--constants paper' '--solver newton' '--grid auto' '--multiplier compact' --certify --force; do
    bad 2 "${o%% *} has no effect" tune --eta 0.1 $o
done
for o in --normalize '--kurtosis 1'; do bad 2 "${o%% *} has no effect" tune --eta 0.1 --kappa 10 $o; done
bad 2 '--seed has no effect' iqc --noise sgd --eta 0.1 --kappa 10 --seed 3
for o in '--spectrum flat' '--dim 2' --normalize '--kappa 3' '--smooth 2' '--knee 1'; do bad 2 "${o%% *} has no effect" simulate --problem mean --noise sgd --eta 0.1 $o; done
# what states what holds anyway is taken, and changes nothing
agrees curve --show systems --steps 8 --system sgd
agrees curve --show both --steps 8 --system sgd
agrees curve --gamma T --steps 8 --system sgd
agrees tune --dim 1 --eta 0.1
agrees simulate --dim 1 --problem mean --noise sgd --eta 0.5
agrees simulate --start 2 --problem mean --noise sgd --eta 0.5
ok . tune --eta 0.1 --verbose
bad 2 "no option '--mu'" gamma --noise sgd --mu 2
for o in '--spectrum flat' '--dim 2' '--kappa 3' '--sigma-sgd 1'; do bad 2 "${o%% *} has no effect without --noise nu:paper, nu:best or best" gamma --noise sgd $o; done
ok '"gamma2":1,' gamma --noise sgd --eta 0.1 --json # the same line for every noise
bad 2 '--accounting has no effect' privacy --rho 1 --accounting zcdp
for c in 'gamma --noise sgd' 'coef --noise sgd --length 2' 'mean --noise sgd --eta 0.1' 'linreg --noise sgd --eta 0.1 --spectrum flat --dim 2' \
    'rates --decays 1' 'iqc --noise sgd --eta 0.1 --kappa 2' 'optimize --eta 0.1 --kappa 2' 'privacy'; do # the contract's common ones
    case $c in gamma* | coef* | privacy) more= ;; *) more='--sigma-sgd 0.5' ;; esac
    ok . $c --rho 2 --clip 3 $more --json --precision 5 --quiet
    [ "$c" = privacy ] || near rho 0.02801448191263 1e-12 $c --epsilon 1 --delta 1e-6
    bad 3 'rho = 0' $c --rho 0
done
for c in $commands; do # no command's help speaks of another's options
    run "$c" --help
    if sed -n '/^  --/p' "$T/out" | grep -q -E '(^|[^a-z])(gamma|coef|iqc|optimize|rates|curve|simulate|reproduce|privacy)(, [a-z]+)*: '; then no "another command's text" "$c" --help; else yes; fi
done
