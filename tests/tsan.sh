# Commands that use threads, under ThreadSanitizer. Usage: sh tests/tsan.sh BUILD
# A race is exit 66, or a report on stderr. ECOS and LAPACK are not compiled with it, and are left out.
build=$1 failed=0
export TSAN_OPTIONS='halt_on_error=0 exitcode=66' FINF_LAPACK_LIBRARY=
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
try() { # try args..
    "$build/finf" "$@" --threads 4 >"$dir/out" 2>"$dir/err"
    rc=$?
    "$build/finf" "$@" --threads 1 >"$dir/one" 2>/dev/null
    if [ $rc = 0 ] && ! grep -q 'WARNING: ThreadSanitizer' "$dir/err" && cmp -s "$dir/out" "$dir/one"; then
        printf 'no race  finf %s\n' "$*"
    else
        failed=$((failed + 1))
        printf 'FAILED, exit %s: finf %s\n' $rc "$*"
        grep -m 1 -A 12 ThreadSanitizer "$dir/err"
    fi
}
try mean --noise nu:0.1:0.5:log:8 --noise best --noise nu:best --eta 0.1:0.9:lin:8 --format csv
try gamma --noise 'product:0.1,0.6;0.5,-0.5' --noise 'blt:0.9,0.5;0.2,0.1' --steps 16:640:log:8 --format csv
try linreg --noise nu:paper --noise best --eta 0.01,0.02 --spectrum power:1 --dim 8:64:log:4 --optimizer sgd --optimizer heavy-ball:0.5 --format csv
try iqc --noise nu:0.1 --eta 0.1:0.4:lin:4 --kappa 2:20:log:4 --solver newton --format csv
try iqc --noise nu:0.1 --eta 0.1:0.4:lin:4 --kappa 5 --solver newton --certify --format csv
try optimize --eta 0.1:0.4:lin:4 --kappa 5 --solver newton --format csv
try tune --eta 0.1:0.4:lin:4 --kappa 5 --solver newton --format csv
try privacy --delta 1e-9:1e-3:log:6 --epsilon 0.1:1:lin:6 --format csv
try rates --table prior --dim 16:64:log:3 --format csv
try simulate --problem linreg --noise nu:paper --eta 0.05 --spectrum power:1 --dim 4 --relative-error 0.05 --seed 1 --quiet
try simulate --problem mean --noise beta:1,-0.5 --eta 0.2 --relative-error 0.05 --seed 1 --quiet
# a sweep: its jobs share what is kept, and one writer
if "$build/finf" --version --verbose | grep -q 'SQLite *[0-9]'; then
    cat >"$dir/jobs.toml" <<'END'
[[grid]]
command = "linreg"
noise = ["nu:paper", "best"]
spectrum = "power:1"
dim = "2:90:lin:80"
eta = 0.01
[[grid]]
command = "mean"
noise = ["sgd", "nu:0.1"]
eta = "0.001:1:log:300"
END
    for threads in 4 1; do
        "$build/finf" sweep "$dir/jobs.toml" --db "$dir/$threads.db" --threads $threads >/dev/null 2>"$dir/err.$threads"
        echo $? >"$dir/rc.$threads"
        "$build/finf" sweep export --db "$dir/$threads.db" --format csv --without seconds >"$dir/table.$threads" 2>&1
    done
    read -r rc <"$dir/rc.4"
    if [ "$rc" = 0 ] && ! grep -q 'WARNING: ThreadSanitizer' "$dir/err.4" && cmp -s "$dir/table.4" "$dir/table.1"; then
        echo 'no race  finf sweep'
    else
        failed=$((failed + 1))
        echo "FAILED, exit $rc: finf sweep"
        grep -m 1 -A 12 ThreadSanitizer "$dir/err.4"
    fi
fi
[ $failed = 0 ]
