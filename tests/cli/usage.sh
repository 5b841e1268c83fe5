# Bad input: usage, numbers and words.

bad1 2 "'nonsense'" nonsense
bad1 2 "''" ''
bad1 2 "foo" "foo${nl}bar"
bad 2 "'--nonsense'" gamma --noise sgd --nonsense 1
bad 2 "'--length" gamma --noise sgd --length=3
bad 2 '--dim has no effect without --noise' gamma --noise sgd --dim=3
bad 2 "'extra'" gamma --noise sgd extra
bad 2 "'-n'" gamma -n sgd
bad 2 "'--'" gamma --
bad 2 --noise gamma
bad 2 --eta mean --noise sgd
bad 2 --spectrum linreg --noise sgd --eta 0.1
bad 2 --length coef --noise sgd
bad 2 --rho privacy
bad 2 --rho privacy --delta 1e-5
bad 2 'not several' privacy --rho 1 --epsilon 1 --delta 1e-5
bad 2 "--eta is given twice" mean --noise sgd --eta 0.1 --eta 0.1
bad 2 --json gamma --noise sgd --json --json
bad 2 --json gamma --noise sgd --json=1
bad 2 csv gamma --noise sgd --json --format csv
bad 2 xml gamma --noise sgd --format xml
bad 2 format gamma --noise sgd --format ''
bad 2 other privacy --epsilon 1 --delta 1e-5 --accounting other
bad 3 "'nu:auto': there is no auto; nu:paper is eta*mu, nu:best the nu" gamma --noise nu:auto
bad 3 "'power:0.5,auto': there is no auto" gamma --noise power:0.5,auto --eta 0.1
bad 2 --dim linreg --noise sgd --eta 0.1 --spectrum power:1
bad 2 stdin linreg --noise beta@- --eta 0.1 --spectrum @-
for o in noise eta steps format output precision; do bad1 2 "--$o" gamma --noise=sgd --$o; done
bad1 2 --output gamma --noise sgd --output a --output b

for v in 0 -1 -0.1 1.5 2 1e300; do
    bad 3 "$(awk "BEGIN { printf \"nu = %g\", $v }")" gamma --noise nu:$v
    [ $v = 0 ] || bad 3 "nu = " mean --noise antipgd:$v --eta 0.1
done
bad 3 1.0000001 gamma --noise nu:1.0000001
for v in 0.1x '1 2' ' 0.1' '0.1 ' '' nan NaN inf -inf 1e400 '1,2' x 0.1e '--' "0.1${nl}2"; do
    line=${v%%"$nl"*}
    bad 3 "'$line" linreg --noise sgd --eta 0.1 --spectrum "power:$v" --dim 3
    [ "$v" != '1,2' ] || continue # a list
    bad 3 "'$line" gamma --noise "nu:$v"
    bad 3 "'$line" mean --noise sgd --eta "$v"
    bad 3 "'$line" linreg --noise sgd --eta 0.1 --spectrum flat --dim "$v"
    bad 3 "${line:-lambda}" linreg --noise sgd --eta 0.1 --spectrum "list:1,$v"
    bad 3 "${line:-beta[1]}" gamma --noise "beta:1,$v,2"
done
bad 3 xyz gamma --noise "beta:1,${long}xyz"
bad 3 xyz gamma --noise "power:${long}xyz,0.1"
for n in '' sgdx SGD nu 0.1 nu=0.1 file.txt; do bad 3 "'$n'" gamma --noise "$n"; done
bad 3 'p = 1.5' gamma --noise power:1.5,0.1
bad 3 'p = -0.5' gamma --noise power:-0.5,0.1
bad 3 power:0.5 gamma --noise power:0.5
bad 3 'nu[0] = 1e-300: must be in (0, 2), at least 1e-50' gamma --noise 'product:1e-300;0.5'
bad 3 'nu[1] = 2: must be in (0, 2)' gamma --noise 'product:1,2;0.5,0.5'
for f in beta strategy; do
    bad 3 $f gamma --noise $f:
    bad 3 "$f[0] = 0" gamma --noise $f:0
    bad 3 "$f[0] = 0" gamma --noise $f:0,1
    bad 3 "$f[1]" gamma --noise $f:1,,2
    bad 3 "$f[2]" gamma --noise $f:1,2,
done
for n in 'blt:' 'blt:;' 'blt:0.5' 'blt:0.5;' 'blt:0.5,0.6;1' 'blt:0.5;1;2' 'blt:0.5;nan'; do bad 3 '' gamma --noise "$n"; done
for s in list: list:0,0 list:1,-1 list:0 @ power power:-1 exp:-1 '' flatt list:1,,2; do
    case $s in @) code=5 ;; *) code=3 ;; esac
    bad $code '' linreg --noise sgd --eta 0.1 --dim 2 --spectrum "$s"
done
bad 3 'eigenvalue 2 is -1' linreg --noise sgd --eta 0.1 --spectrum list:1,-1
for v in 0 -0.1 -1e300; do
    bad 3 "eta = $v" mean --noise sgd --eta $v
    bad 3 "eta = $v" linreg --noise sgd --eta $v --spectrum flat --dim 2
    bad 3 'rho = ' mean --noise sgd --eta 0.1 --rho $v
    bad 3 'rho = ' privacy --rho $v --delta 1e-5
    bad 3 'clip = ' linreg --noise sgd --eta 0.1 --spectrum flat --dim 2 --clip $v
    bad 3 'clip = ' privacy --rho 1 --clip $v
    bad 3 'noise-multiplier = ' privacy --noise-multiplier $v
done
bad 3 'sigma-sgd = -1' mean --noise sgd --eta 0.1 --sigma-sgd -1
bad 3 'sigma-sgd = -1' linreg --noise sgd --eta 0.1 --spectrum flat --dim 2 --sigma-sgd -1
bad 3 'kurtosis = -3' linreg --noise sgd --eta 0.1 --spectrum flat --dim 2 --kurtosis -3
for v in 0 -1 1.5 1e16 1e300; do bad 3 "dim = $v" linreg --noise sgd --eta 0.1 --spectrum power:1 --dim $v; done
for v in 1e15 1000000 1; do bad 3 'dim = 1' linreg --noise sgd --eta 1e-9 --spectrum @eig.txt --dim $v; done
bad 3 'dim = 100000' linreg --noise sgd --eta 0.1 --spectrum exp:1 --dim 100000
for v in 0 -1 1.5 1e10; do
    bad 3 "length = $v" coef --noise sgd --length $v
    bad 3 "steps = $v" gamma --noise sgd --steps $v
done
for v in 0 18 2.5 -3; do bad 3 "precision = $v" gamma --noise sgd --precision $v; done
for v in 0 1 -1 2; do bad 3 "delta = $v" privacy --rho 1 --delta $v; done
bad 3 'epsilon = -1' privacy --rho 1 --epsilon -1
bad 3 1e-300 mean --noise nu:0.1 --eta 1e-300
# a misspelt word is said to be one, and not to leave others without effect
bad 2 "--problem 'huberr': must be one of mean|linreg|huber (did you mean huber?)" simulate --problem huberr --kappa 10 --noise sgd --eta 0.1
bad 2 "--table 'finit': must be one of decays|prior|finite (did you mean finite?)" rates --table finit --steps 100
bad 2 '--contraction, --half-life or --frontier: one of them' tune --contraction 0.9 --frontier --spectrum power:1 --dim 4
