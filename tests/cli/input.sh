# Files that are read, and those that are refused.

printf '1\r\n-0.5\r\n' >crlf.txt
printf '\357\273\2771\n-0.5\n' >bom.txt
printf '1 -0.5' >row.txt
printf '1,-0.5\n' >row.csv
printf 'beta\n1\n-0.5\n' >c1.csv
printf 't,beta\n0,1\n1,-0.5\n' >c2.csv
printf '"t","beta"\r\n1,1\r\n2,-0.5\r\n' >c3.csv
printf "$one$half" | npy 3 '<f8' True '(1, 2)' >v3.npy
printf '\000\000\200\077\000\000\000\277' | npy 1 '<f4' False '(2,)' >f4.npy
printf '\077\360\000\000\000\000\000\000\277\340\000\000\000\000\000\000' | npy 1 '>f8' False '(2,)' >big.npy
for f in t.txt crlf.txt bom.txt row.txt row.csv c1.csv c2.csv c3.csv f8.npy v2.npy v3.npy f4.npy big.npy; do
    same beta@$f 4/3
    same strategy@$f 1.25
done
printf '\002\000\000\000\000\000\000\000\001\000\000\000\000\000\000\000' | npy 1 '<i8' False '(2,)' >i8.npy
printf '\002\000\000\000\001\000\000\000' | npy 1 '<i4' False '(2,)' >i4.npy
same beta@i8.npy 1/3
same beta@i4.npy 1/3
printf "$zero$one$two$one$half$quarter" | npy 1 '<f8' True '(3, 2)' >fortran.npy # t and beta, column by column
printf "$zero$one$one$half$two$quarter" | npy 1 '<f8' False '(3, 2)' >c.npy
for f in fortran.npy c.npy; do same strategy@$f 1.3125; done
printf 't,beta\n0,3\n' >single.csv
same beta@single.csv 1/9
printf '2\n' >single.txt
same beta@single.txt 1/4
cp t.txt auto
ok '"noise":"beta@auto"' gamma --noise beta@auto --eta 0.1 --json
same "strategy:1,${long}e0" 1.25
same "power:${long}e0,1" 1
near d 3 0 linreg --noise sgd --eta 0.1 --spectrum @eig.txt
near d 3 0 linreg --noise sgd --eta 0.1 --spectrum @eig.txt --dim 3
printf 'k,lambda\n1,0.5\n' >eig1.csv
near d 1 0 linreg --noise sgd --eta 0.1 --spectrum @eig1.csv
awk 'BEGIN { for (i = 0; i <= 64; i++) { w = 3.141592653589793 * i / 64; printf "%.17g,%.17g\n", w, sqrt(0.01 + 3.6 * sin(w / 2) ^ 2) } }' >s2.csv
cut -d , -f 2 s2.csv >s1.txt
{ echo w,b2; cat s2.csv; } >s3.csv
for f in s1.txt s2.csv s3.csv; do near gamma2 1.4518426733757877 2e-5 gamma --noise spectrum@$f; done
printf "$zero$one$one$one$two$one" | npy 1 '<f8' False '(3, 2)' >s3.npy
bad 3 '3 points' gamma --noise spectrum@s3.npy
printf '0 1\n1e-6 1\n1 1\n2 1\n3 1\n' >wide.txt # white noise on a bad grid is still white
near F_inf 0.013157894736842106 1e-9 mean --noise spectrum@wide.txt --eta 0.1
for f in t.txt c2.csv f8.npy v2.npy; do # stdin
    "$finf" gamma --noise beta@- --json <$f >"$T/out" 2>"$T/err"
    if grep -q '"gamma2":1\.333333333333333' "$T/out"; then yes; else no "stdin: $f" gamma --noise beta@-; fi
done
"$finf" linreg --noise sgd --eta 0.1 --spectrum @- --json <eig.txt >"$T/out" 2>"$T/err"
if grep -q '"d":3,' "$T/out"; then yes; else no "stdin" linreg --spectrum @-; fi

malformed() { # malformed TEXT: the file "m" is refused in every place, by its name and TEXT
    bad 3 "$1" gamma --noise beta@m
    bad 3 "$1" mean --noise strategy@m --eta 0.1
    bad 3 "$1" coef --noise spectrum@m --length 3
    bad 3 "$1" linreg --noise sgd --eta 0.1 --spectrum @m
}
for p in absent d ''; do
    bad 5 "'$p'" gamma --noise "beta@$p"
    bad 5 "'$p'" gamma --noise "spectrum@$p"
    bad 5 "'$p'" linreg --noise sgd --eta 0.1 --spectrum "@$p"
done
: >m; malformed "'m'"
printf '\n\n # nothing\n' >m; malformed "'m'"
printf 'beta\n' >m; malformed "'m'"
printf '1\n0.1x\n' >m; malformed 0.1x
printf '0.1x\n1\n0.5\n' >m; malformed 0.1x
printf '1\n0.5 0.5\n' >m; malformed 'line 2'
printf '1,0.5,0.3\n1,0.5\n' >m; malformed 'line 2'
printf '1,2,3\n4,5,6\n' >m; malformed '3 columns'
printf '1,,0.5\n' >m; malformed "'m'"
for v in nan inf -inf 1e999; do printf '1\n%s\n' $v >m; malformed $v; done
printf '1\n\000\n' >m; malformed "'m'"
head -c 300 "$finf" >m; malformed "'m'"
printf '\223NUMPY' >m; malformed "'m'"
head -c 9 f8.npy >m; malformed "'m'"
head -c 40 f8.npy >m; malformed "'m'"
head -c 11 v2.npy >m; malformed "'m'"
head -c $(($(wc -c <f8.npy) - 1)) f8.npy >m; malformed 'truncated'
printf '' | npy 1 '<f8' False '(2,)' >m; malformed 'truncated'
for t in '<c16' '|O' '<U3' '|S8' '|b1' '<f2' '<M8[s]'; do printf "$one$half$one$half" | npy 1 "$t" False '(2,)' >m; malformed "'$t'"; done
printf "$one$half" | npy 1 '<f8' False '(2, 1, 1)' >m; malformed 'dimensions'
printf "$one" | npy 1 '<f8' False '()' >m; malformed 'dimensions'
printf '' | npy 1 '<f8' False '(0,)' >m; malformed 'empty'
printf "$one" | npy 1 '<f8' False '(-1,)' >m; malformed "'m'"
printf "$one" | npy 1 '<f8' False '(4611686018427387904, 4)' >m; malformed "'m'"
printf "$one$half" | npy 7 '<f8' False '(2,)' >m; malformed 'version'
printf "$one"'\000\000\000\000\000\000\370\177' | npy 1 '<f8' False '(2,)' >m # NaN
bad 3 nan gamma --noise beta@m
bad 3 nan linreg --noise sgd --eta 0.1 --spectrum @m
printf '0\n1\n' >m
bad 3 'beta[0] = 0' gamma --noise beta@m
printf '1\n-1\n' >m
bad 3 'eigenvalue 2 is -1' linreg --noise sgd --eta 0.1 --spectrum @m
printf '0 1\n1 1\n0.5 1\n2 1\n3 1\n' >m; bad 3 'frequency 0.5' gamma --noise spectrum@m
printf '0 1\n1 1\n1.5 1\n2 1\n4 1\n' >m; bad 3 'frequency 4' gamma --noise spectrum@m
printf '0 1\n1 1\n1.5 -1\n2 1\n3 1\n' >m; bad 3 '|B|^2 = -1' gamma --noise spectrum@m
