# What a job of a sweep costs beside its command: 10^5 jobs of one thread, each committed, against the same answers as the table
# of one command line (which is not resumed, and writes one file). The ratios of the two are appended to the file that FINF_BENCH
# names (bench/ratios.h). Usage: sh bench/bench_sweep.sh build/finf [build/finf-mpi]
case $1 in /*) finf=$1 ;; *) finf=$PWD/$1 ;; esac
case $2 in /* | '') mpi=$2 ;; *) mpi=$PWD/$2 ;; esac
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
jobs=100000
printf '[[grid]]\ncommand = "mean"\nnoise = "sgd"\neta = "0.00001:0.9:log:%d"\n' $jobs >jobs.toml
awk "BEGIN { for (i = 1; i <= $jobs; i++) printf \"mean,--noise,sgd,--eta,%.17g\\n\", i * 9e-6 }" >jobs.csv
spent() { # CPU seconds of all that ran so far, its threads and ranks included
    times >times
    awk 'NR == 2 { split($1, u, /[ms]/); split($2, s, /[ms]/); print 60 * (u[1] + s[1]) + u[2] + s[2] }' times >spent
}
timed() { # timed WHAT command..: microseconds of CPU a job, and how many more than the table's
    what=$1
    shift
    spent && read -r before <spent
    "$@" >/dev/null || { echo "failed: $*"; exit 1; }
    spent && read -r after <spent
    [ -n "$table" ] || table=$(echo "$after $before" | awk '{ print $1 - $2 }')
    echo "$after $before $table" | awk -v what="$what" -v n=$jobs '{ printf "%-34s %8.1f us of CPU a job %8.1f more than the table\n", what, 1e6 * ($1 - $2) / n, 1e6 * ($1 - $2 - $3) / n }'
    case $FINF_BENCH,$what in
    ,* | *,mean*) ;;
    *) echo "$after $before $table" | awk -v what="$what" '{ printf "  \"10^5 jobs, %s, over a table\": %.4g\n", what, ($1 - $2) / $3 }' >>"$FINF_BENCH" ;;
    esac
}
timed 'mean --eta RANGE, 1 thread' "$finf" mean --noise sgd --eta 0.00001:0.9:log:$jobs --threads 1 --format csv --output table.csv
timed 'sweep of a grid, 1 thread' "$finf" sweep jobs.toml --db 1.db --threads 1
timed 'sweep of a grid, 2 threads' "$finf" sweep jobs.toml --db 2.db --threads 2
timed 'sweep of CSV, 1 thread' "$finf" sweep jobs.csv --db 3.db --threads 1
timed 'the same again: all are done' "$finf" sweep jobs.csv --db 3.db --threads 1
timed 'export to CSV' "$finf" sweep export --db 1.db --format csv
if [ -x "$mpi" ] && command -v mpirun >/dev/null; then
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
    timed 'sweep of a grid, 4 ranks' mpirun -n 4 --oversubscribe "$mpi" sweep jobs.toml --db 4.db
fi
