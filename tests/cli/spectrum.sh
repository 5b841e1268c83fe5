# The spectrum of a covariance, and of data.

of='linreg --noise nu:0.1 --eta 0.02 --spectrum'
alike() { # alike S T: spectra with the same F_inf; the output of the first is left
    run $of "$2" --json
    f=$(sed -n 's/.*"F_inf":\([0-9.e+-]*\).*/\1/p' "$T/out")
    near F_inf "${f:-0}" 1e-13 $of "$1"
}
printf '2,0\n0,1\n' >x.csv # X'X/2 = diag(2, 1/2)
printf 'a b\n# comment\n2 0\n\n0 1 # more\n' >x.txt
printf '\357\273\2772;0\r\n0;1\r\n' >x.crlf
printf '2 0\r0 1\r' >x.cr
printf "$two$zero$zero$one" | npy 1 '<f8' False '(2, 2)' >x.npy
printf "$two$zero$zero$one" | npy 2 '<f8' True '(2, 2)' >xf.npy
printf '\000\000\000\100\000\000\000\000\000\000\000\000\000\000\200\077' | npy 1 '<f4' False '(2, 2)' >x4.npy
printf '\100\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\077\360\000\000\000\000\000\000' |
    npy 1 '>f8' False '(2, 2)' >xb.npy
printf '\376\000\000\377' | npy 1 '|i1' False '(2, 2)' >xi1.npy # -2 and -1
printf '\002\000\000\001' | npy 1 '|u1' False '(2, 2)' >xu1.npy
printf '\376\377\000\000\000\000\001\000' | npy 1 '<i2' False '(2, 2)' >xi2.npy
printf '\000\000\000\002\000\000\000\000\000\000\000\000\377\377\377\377' | npy 1 '>i4' False '(2, 2)' >xi4.npy
for f in x.csv x.txt x.crlf x.cr x.npy xf.npy x4.npy xb.npy xi1.npy xu1.npy xi2.npy xi4.npy; do
    alike data@$f list:2,0.5
    if grep -q '"d":2,.*"rows":2,"zeros":0,' "$T/out"; then yes; else no "rows and zeros" $of data@$f --json; fi
done
"$finf" $of data@- --json <x.npy >"$T/out" 2>"$T/err"; rc=$?
if [ $rc = 0 ] && grep -q '"rows":2' "$T/out"; then yes; else no stdin $of data@-; fi
cat xf.npy | "$finf" $of data@- --json >"$T/out" 2>"$T/err"; rc=$?
if [ $rc = 3 ] && grep -q 'Fortran order' "$T/err"; then yes; else no 'a pipe by columns' $of data@-; fi
printf '1,1,1\n' >wide # X'X has the eigenvalues 3, 0, 0
alike data@wide list:3
if grep -q '"d":1,.*"rows":1,"zeros":2,' "$T/out"; then yes; else no 'zeros of one row' $of data@wide --json; fi
awk 'BEGIN { for (i = 0; i < 700; i++) { x = i % 7 - 3; y = i % 5 - 2; print x, y, x + y } }' >sum # as x, y: 4 and 2
alike data@sum list:9.464101615137754,2.5358983848622456
if grep -q '"d":2,.*"rows":700,"zeros":1,' "$T/out"; then yes; else no 'zeros of a sum' $of data@sum --json; fi
ok 'zeros +1 +of 3 eigenvalues, left out: not told from 0 below' $of data@sum
printf '2 1\n1 2\n' >c.txt
alike covariance@c.txt list:3,1
printf "$two$one$one$two" | npy 1 '<f8' False '(2, 2)' >c.npy
alike covariance@c.npy list:1,3
printf '1 1\n1 1\n' >c1.txt
alike covariance@c1.txt list:2
if grep -q '"d":1,.*"zeros":1,' "$T/out"; then yes; else no 'zeros of a matrix' $of covariance@c1.txt --json; fi
alike list:0,2,0,1 list:2,1
if grep -q '"d":2,.*"zeros":2,' "$T/out"; then yes; else no 'zeros of a list' $of list:0,2,0,1 --json; fi
printf '0\n2\n1\n' >zeros; alike @zeros list:2,1
ok 'zeros +1 +of 3 eigenvalues, left out: directions without loss' $of @zeros
ok . $of data@sum --dim 3
bad 3 'dim = 2, but the spectrum has 3 eigenvalues' $of data@sum --dim 2
bad 3 'dim = 3, but the spectrum has 2 eigenvalues' $of covariance@c.txt --dim 3
bad 3 'every eigenvalue is 0' $of list:0,0
FINF_LAPACK_LIBRARY= # without LAPACK the same
export FINF_LAPACK_LIBRARY
alike data@sum list:9.464101615137754,2.5358983848622456
alike covariance@c.txt list:3,1
ok 'LAPACK +not found [(]no library is named[)]' --version --verbose
unset FINF_LAPACK_LIBRARY

for k in data covariance; do
    bad 5 "'absent'" $of $k@absent
    : >m; bad 3 "'m': no number in it" $of $k@m
    printf '1 2\n3\n' >m; bad 3 "'m' line 2: 1 numbers where the lines before have 2" $of $k@m
    printf '1 2\n3 x\n' >m; bad 3 "'m' line 2: 'x' is not a number" $of $k@m
    printf '1 2\n3 nan\n' >m; bad 3 "'m' line 2: 'nan' must be a finite number" $of $k@m
    printf '1 0\n0 1\n\000' >m; bad 3 'binary' $of $k@m
    printf "$one$half" | npy 1 '<f8' False '(2,)' >m; bad 3 "'m' is a .npy array of one dimension" $of $k@m
    printf "$one$one" | npy 1 '<c8' False '(1, 2)' >m; bad 3 "dtype '<c8' is not read" $of $k@m
    printf '' | npy 1 '<f8' False '(0, 2)' >m; bad 3 'empty' $of $k@m
    printf "$one" | npy 1 '<f8' False '(1, 2)' >m; bad 3 'truncated' $of $k@m
    printf "$zero$zero$zero$zero" | npy 1 '<f8' False '(2, 2)' >m; bad 3 "'m': every eigenvalue is 0" $of $k@m
    printf "$one$zero"'\000\000\000\000\000\000\370\177'"$one" | npy 1 '<f8' False '(2, 2)' >m
    bad 3 "'m': row 2, column 1" $of $k@m
    head -c 11 x.npy >m; bad 3 'truncated .npy header' $of $k@m
    head -c 40 x.npy >m; bad 3 'truncated .npy header' $of $k@m
done
printf "$one" | npy 1 '<f8' True '(1, 2)' >m; bad 3 'truncated' $of data@m
# what never ends must not fill the memory
tr '\000' , </dev/zero | head -c 200000000 | $limit "$finf" $of data@- >"$T/out" 2>"$T/err"; rc=$?
if [ $rc = 3 ] && [ "$(cat "$T/err")" = "finf: '-' line 1: more than 128 MiB" ]; then yes; else no "exit $rc" $of data@-; fi
bad 3 "'/dev/zero': binary, but not .npy" $of data@/dev/zero
printf "$one" | npy 1 '<f8' False '(1, 16777217)' >m
bad 3 "'m': rows of more than 128 MiB" $of data@m
bad 3 "'sum' is not square: 700 rows of 3 numbers" $of covariance@sum
printf '1 0.5\n0.25 2\n' >m
bad 3 "'m': the matrix is not symmetric: row 1, column 2 is 0.5, row 2, column 1 is 0.25" $of covariance@m
printf '1 2\n2 1\n' >m; bad 3 "'m': an eigenvalue of the matrix is -1" $of covariance@m
