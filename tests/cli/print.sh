# How it is printed.

ok '"gamma2":1\.45,' gamma --noise nu:0.1 --precision 3 --json
ok '1\.452 ' gamma --noise nu:0.1 --precision 4
ok '^nu:0\.1,1\.45,' gamma --noise nu:0.1 --precision 3 --format csv
ok 'power:0\.5 0\.1,1\.45' gamma --noise power:0.5,0.1 --format csv
near gamma2 1.4518426733757879 1e-13 gamma --noise 'power:0.5 0.1' # as the cell of CSV has it
near gamma2 1.2731481481481481 1e-13 gamma --noise 'beta:1 -0.5 0.1'
ok '^  gamma2 +1.45' gamma --noise nu:0.1 --quiet
if grep -q -e Sensitivity -e 'sum of' "$T/out"; then no "notes in spite of --quiet" gamma --quiet; else yes; fi
ok '^1$' coef --noise nu:0.1 --length 3 --quiet
if [ "$(grep -c -v '^[-0-9.e]*$' "$T/out")" = 0 ]; then yes; else no "more than numbers" coef --quiet; fi
ok '"noise":"nu:0\.1"' mean --noise nu:paper --eta 0.1 --json
printf '1\n-0.5\n' >'a"b\c'
ok '"noise":"beta@a\\"b\\\\c"' gamma --noise 'beta@a"b\c' --json

# names from outside: nothing in them moves the cursor (ESC, C1 in both spellings, CR), and CSV and JSON are well-formed
odd=$(printf 'a\033[31m\302\233b\233\rc\303\251"d,e') # a valid e with an accent stays
printf '1\n-0.5\n' >"$odd"
ok "^  noise +'beta@a\?\[31m\?b\?\?c$(printf '\303\251')\"d,e'\$" gamma --noise "beta@$odd"
ok "^\"beta@a\?\[31m\?b\?\?c$(printf '\303\251')\"\"d,e\",1\.3" gamma --noise "beta@$odd" --format csv
ok '"noise":"beta@a\\u001b\[31m\\u009bb\\ufffd\\u000dc.*\\"d,e"' gamma --noise "beta@$odd" --json
bad 5 "'no?file?x'" gamma --noise "beta@$(printf 'no\033file\302\200x')"
rm -f "$odd"
odd=$(printf 'a\033"b')
printf '1\n-0.5\n' >"$odd"
for c in '' '--eta 0.1 --spectrum flat --dim 2' '--eta 0.1 --spectrum flat --dim 2 --format csv'; do
    run curve --steps 4 --system "sgd,beta@$odd" $c
    if [ $rc = 0 ] && ! grep -q "$(printf '\033')" "$T/out"; then yes; else no 'an escape' curve $c; fi
done
[ "$(tail -n 1 "$T/out" | cut -d, -f1,2)" = '"beta@a?""b",4' ] && yes || no 'a name without its quotes' curve
rm -f "$odd"
