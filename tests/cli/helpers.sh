# What the files beside this one share.

passed=0 failed=0 skipped=0
nl='
'

yes() { passed=$((passed + 1)); }
no() { # no COMPLAINT args...
    failed=$((failed + 1))
    printf 'FAILED: %s\n  finf' "$1"
    shift
    for word; do printf " '%s'" "$word"; done
    printf '\n'
    head -n 3 "$T/out" "$T/err" 2>/dev/null | cut -c 1-240 | sed 's/^/    /'
}
limit=
if command -v timeout >/dev/null; then limit='timeout 120'; fi # a hang is exit 124 (the sanitizers are slow)
run() { $limit "$finf" "$@" >"$T/out" 2>"$T/err" </dev/null; rc=$?; }

# The last output is well-formed JSON, one object a line, no key twice; "inf" and null come with a reason.
json() {
    [ "$(sed -E -e 's/"([^"\\]|\\.)*"/S/g' -e 's/-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?|true|false|null/S/g' -e ':a' \
        -e 's/\[(S(,S)*)?\]/S/g' -e 's/\{S:S(,S:S)*\}/S/g' -e 'ta' "$T/out" | sort -u)" = S ] || return 1
    awk '{ while (sub(/\[[^][]*\]/, "0")); split("", seen)
        while (match($0, /"[A-Za-z_0-9]+":/)) {
            key = substr($0, RSTART, RLENGTH)
            if (key in seen) exit 1
            seen[key] = 1
            $0 = substr($0, RSTART + RLENGTH)
        } }' "$T/out" || return 1
    ! grep -q -e '"inf"' -e null "$T/out" || grep -q '"reason":"[^"]' "$T/out"
}

arb=no ecos=newton # what this build has: Arb, and the solver that auto takes
if "$finf" --version --verbose | grep -q 'Arb *[0-9]'; then arb=yes; fi
if "$finf" --version --verbose | grep -q 'ECOS *[0-9]'; then ecos=ecos; fi

unproved() { # unproved args...: --certify without Arb, the bound without its proof: exit 4, counted as skipped too
    skipped=$((skipped + 1))
    if [ $rc = 4 ] && [ -s "$T/out" ] && grep -q '^finf: built without Arb: no certificate$' "$T/err"; then yes
    else no 'neither proved nor said why not' "$@"; fi
}

ok() { # ok ERE args...: exit 0, nothing on stderr, stdout matches ('': is empty)
    want=$1
    shift
    run "$@"
    case "$arb $* " in "no "*" --certify "*) unproved "$@"; return ;; esac
    if [ $rc != 0 ]; then no "exit $rc, not 0" "$@"
    elif [ -s "$T/err" ]; then no "something on stderr" "$@"
    elif [ -z "$want" ]; then if [ -s "$T/out" ]; then no "something on stdout" "$@"; else yes; fi
    elif ! grep -E -q -e "$want" "$T/out"; then no "stdout lacks $want" "$@"
    else case " $* " in
        *" --json "*) if json; then yes; else no "bad JSON, or infinite without a reason" "$@"; fi ;;
        *) yes ;;
    esac; fi
}

keys() { # keys 'key ...' args...: one JSON object with these keys
    list=$1
    shift
    ok '^[{].*[}]$' "$@" --json
    for key in $list; do
        if grep -q "[{,]\"$key\":" "$T/out"; then yes; else no "no key $key" "$@" --json; fi
    done
}

near() { # near KEY VALUE TOLERANCE args...: relative
    key=$1 value=$2 tolerance=$3
    shift 3
    run "$@" --json
    got=$(sed -n "s/.*[{,]\"$key\":\([-0-9.e+]*\).*/\1/p" "$T/out")
    if [ $rc = 0 ] && [ -n "$got" ] &&
        awk "BEGIN { x = $got / ($value) - 1; exit !(x <= $tolerance && -x <= $tolerance) }"; then yes
    else no "$key is '$got', not $value" "$@" --json; fi
}

same() { near gamma2 "$2" 1e-13 gamma --noise "$1"; } # same NOISE GAMMA2

bad1() { # bad1 CODE TEXT args...: this exit code, one line on stderr that has TEXT, nothing on stdout, no new file
    code=$1 want=$2
    shift 2
    before=$(ls -A)
    run "$@"
    if [ $rc != "$code" ]; then no "exit $rc, not $code" "$@"
    elif [ -s "$T/out" ]; then no "something on stdout" "$@"
    elif [ "$(wc -l <"$T/err")" -ne 1 ]; then no "not one line on stderr" "$@"
    elif ! grep -F -q -e "$want" "$T/err"; then no "stderr does not name $want" "$@"
    elif [ "$(ls -A)" != "$before" ]; then no "a file is left" "$@"; rm -f left*
    else yes; fi
}
bad() { # the same twice: to stdout and to a file
    bad1 "$@"
    bad1 "$@" --output left
}

npy() { # npy VERSION DTYPE FORTRAN SHAPE <bytes: an .npy file on stdout
    header="{'descr': '$2', 'fortran_order': $3, 'shape': $4, }"
    n=$((${#header} + 1))
    printf '\223NUMPY'
    printf "\\00$1\\000\\$(printf %03o $((n % 256)))\\$(printf %03o $((n / 256)))"
    [ "$1" = 1 ] || printf '\000\000'
    printf '%s\n' "$header"
    cat
}
one='\000\000\000\000\000\000\360\077' half='\000\000\000\000\000\000\340\277' quarter='\000\000\000\000\000\000\320\077'
zero='\000\000\000\000\000\000\000\000' two='\000\000\000\000\000\000\000\100' # 1, -1/2, 1/4, 0, 2 as float64

regression='--eta 0.02 --spectrum power:1 --dim 128 --rho 0.5'

rectangular() { # rectangular args...: CSV, every row as long as the first (a quoted cell may hold commas)
    run "$@" --format csv
    if [ $rc = 0 ] && sed 's/"[^"]*"/q/g' "$T/out" | awk -F, 'NR == 1 { n = NF } NF != n { exit 1 }'; then yes; else no 'rows of different length' "$@"; fi
}

# CSV: every line has as many cells as the first, also where records have fields of their own
square() { # square FILE: cells a line, quoted commas aside
    [ "$(grep -v '^#' "$1" | sed -E 's/"([^"]|"")*"/q/g' | awk -F, '{ print NF }' | sort -u | wc -l)" = 1 ]
}

line() { # line NUMBER KEY VALUE TOLERANCE args...: as near, in one line of the JSON
    n=$1 key=$2 value=$3 tolerance=$4
    shift 4
    run "$@" --json
    got=$(sed -n "${n}s/.*[{,]\"$key\":\([-0-9.e+]*\).*/\1/p" "$T/out")
    if [ $rc = 0 ] && [ -n "$got" ] &&
        awk "BEGIN { x = $got / ($value) - 1; exit !(x <= $tolerance && -x <= $tolerance) }"; then yes
    else no "$key of line $n is '$got', not $value" "$@" --json; fi
}

column() { awk -F, -v key="$1" 'NR == 1 { while ($++k != key && k <= NF); } { print $k }' "$T/out"; } # column KEY: of the last CSV

agrees() { # agrees COMMAND OPTION VALUE args...: the same output as without the option, but for the time it took
    c=$1 o="$2 $3"
    run "$@" --json; sed -E 's/"seconds":[^,}]*//g' "$T/out" >"$T/with"
    shift 3
    run "$c" "$@" --json; sed -E 's/"seconds":[^,}]*//g' "$T/out" >"$T/without"
    if [ -s "$T/with" ] && cmp -s "$T/with" "$T/without"; then yes; else no "$o changes the answer" "$c" "$@"; fi
}

files() { # what several of them read
    mkdir d
    printf '# comment\n1\n\n-0.5 # half\n' >t.txt
    printf '1\n0.5\n0.25\n' >eig.txt
    printf 'k,start\n1,1\n2,0\n3,2\n' >start.csv
    printf "$one$half" | npy 1 '<f8' False '(2,)' >f8.npy
    printf "$one$half" | npy 2 '<f8' False '(2, 1)' >v2.npy
}
long=0.5000000000000000000000000000000000000000000000000000000000000000000000000
commands=$("$finf" --help | sed -n 's/^  finf \([a-z]*\) .*/\1/p')
