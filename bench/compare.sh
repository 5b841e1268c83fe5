# Two files of ratios side by side, the one that grew most last. Usage: sh bench/compare.sh BASELINE NOW
# A ratio is our time over another in the same run: what a machine or its load changes, it changes in both. Still it is a
# measurement; what is 1.5 times as large as before is called slower, and deserves a second run.
[ -f "$1" ] && [ -f "$2" ] || { echo "usage: sh bench/compare.sh bench/baseline.json build/bench.json" >&2; exit 1; }
awk '
    { key = value = $0
      if (!sub(/^ *"/, "", key) || !sub(/": .*$/, "", key)) next
      sub(/^.*": /, "", value); sub(/,$/, "", value); value += 0 }
    FILENAME == ARGV[1] { before[key] = value + 0; next }
    { seen[key] = 1
      if (key in before) printf "%8.2f  %10.4g %10.4g  %s%s\n", value / before[key], before[key], value, key, (value > 1.5 * before[key] ? "   SLOWER" : "")
      else printf "%8s  %10s %10.4g  %s\n", "new", "-", value, key }
    END { for (key in before) if (!(key in seen)) printf "%8s  %10.4g %10s  %s\n", "gone", before[key], "-", key }' "$1" "$2" |
    sort -n | { echo '  now/was         was        now  ratio'; cat; }
