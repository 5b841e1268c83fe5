# Runs fuzz targets. Usage: sh fuzz/run.sh BUILD SECONDS TARGET..
# First everything in fuzz/corpus/TARGET, where inputs that once failed are kept too, then new inputs for SECONDS each. What
# is found goes to BUILD/found: a failure as TARGET-crash-.. (or -timeout-, -leak-, -oom-), with its output beside it.
build=$1 seconds=$2
shift 2
found=$build/found
mkdir -p "$found"
export OPENBLAS_NUM_THREADS=1 ASAN_OPTIONS=allocator_may_return_null=1:detect_leaks=${LEAKS:-1} UBSAN_OPTIONS=print_stacktrace=1
failed=0
for target; do
    new=$found/$target
    mkdir -p "$new"
    words=
    [ ! -f "fuzz/$target.dict" ] || words=-dict=fuzz/$target.dict
    size=512
    case $target in file) size=4096 ;; esac
    "$build/fuzz_$target" "$new" "fuzz/corpus/$target" -seed="${SEED:-1}" -max_total_time="$seconds" -max_len=$size -timeout=60 \
        -rss_limit_mb=4096 -print_final_stats=1 -artifact_prefix="$found/$target-" $words >"$found/$target.log" 2>&1
    status=$?
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$found/$target.log")
    covered=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$found/$target.log" | tail -n 1)
    printf '%-10s %9s inputs, %6s places reached, %s\n' "$target" "${runs:-?}" "${covered:-?}" \
        "$([ $status = 0 ] && echo 'nothing found' || echo "FAILED, see $found/$target.log")"
    [ $status = 0 ] || { failed=$((failed + 1)); grep -m 3 -E 'does not hold|ERROR:|runtime error' "$found/$target.log"; }
done
[ $failed = 0 ]
