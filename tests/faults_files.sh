# Disks that are full and signals, at every moment. Usage: sh tests/faults_files.sh build/finf build/faults.so [MOST]
# Each command below runs once to count its allocations and the calls by which it makes, ends and moves files. Then, MOST
# times of each kind or at every place: one of those calls fails; a file may have no more than so many bytes; a signal comes
# at an allocation, or before and after such a call (tests/faults.c). What must hold: the exit code is the one documented; on
# exit 5 one line on stderr; every file is, whole, what it was before or what it is after a good run; nothing else is left,
# but temporaries by SIGKILL, which nobody can catch.
[ -x "$1" ] && [ -f "$2" ] || { echo "usage: sh tests/faults_files.sh build/finf build/faults.so [MOST]" >&2; exit 1; }
case $1 in /*) finf=$1 ;; *) finf=$PWD/$1 ;; esac
case $2 in /*) faults=$2 ;; *) faults=$PWD/$2 ;; esac
most=${3:-200}
LC_ALL=C OPENBLAS_NUM_THREADS=1
export LC_ALL OPENBLAS_NUM_THREADS
T=$(mktemp -d) || exit 1
trap 'rm -rf "$T"' EXIT
trap 'exit 1' HUP INT TERM
mkdir "$T/before" "$T/good" "$T/w" && cd "$T/w" || exit 1
for name in old old.svg old.npy saved; do echo before >"$T/before/$name"; done
failed=0 five=0 stopped=0 all_files=0 all_bytes=0 all_signals=0
limit=
if command -v timeout >/dev/null; then limit='timeout 120'; fi # a hang is exit 124

run() { # run SETTING.. -- args..: in a directory as it was before
    settings=
    while [ "$1" != -- ]; do
        settings="$settings $1"
        shift
    done
    shift
    rm -rf "$T/w"
    cp -R "$T/before" "$T/w"
    cd "$T/w" || exit 1
    # stderr through a pipe, which has no size
    { $limit env LD_PRELOAD="$faults" $settings "$finf" "$@" 2>&1 >"$T/out" </dev/null; echo $? >"$T/rc"; } | cat >"$T/err"
    read -r rc <"$T/rc"
}
complain() { # complain WHAT COMPLAINT
    failed=$((failed + 1))
    [ "$failed" -gt 20 ] && return
    printf 'FAILED: %s: exit %s, %s\n' "$1" "$rc" "$2"
    head -n 2 "$T/err" | cut -c 1-200 | sed 's/^/    /'
}
whole() { # whole WHAT [left]: each file as before or as after; `left`: a temporary may be there
    for f in "$T/w"/*; do
        file=${f##*/}
        if { [ -e "$T/before/$file" ] && cmp -s "$f" "$T/before/$file"; } || { [ -e "$T/good/$file" ] && cmp -s "$f" "$T/good/$file"; }; then continue; fi
        case $2,$file in left,*.??????) continue ;; esac
        complain "$1" "$file is neither the old file nor the new one"
        return
    done
    for f in "$T/before"/*; do
        [ -e "$T/w/${f##*/}" ] || complain "$1" "${f##*/} is gone"
    done
}
refused() { # refused WHAT: exit 5 in one line, or the good answer
    if [ "$rc" = 5 ]; then
        five=$((five + 1))
        { read -r line && ! read -r more; } <"$T/err" || complain "$1" 'not one line on stderr'
        grep -q '^finf: .*cannot write' "$T/err" || complain "$1" 'the reason is another'
    elif [ "$rc" != "$code" ]; then
        complain "$1" "not 5, nor $code"
    fi
    whole "$1"
}
ended() { # ended WHAT SIGNAL: by it, or in time before it; after Ctrl-C also with exit 4
    left=
    [ "$rc" = "$code" ] || stopped=$((stopped + 1))
    [ "$2" != 9 ] || left=left
    case $rc,$2 in $((128 + $2)),* | "$code",*) whole "$1" $left ;; 4,2) ;; *) complain "$1" "not $((128 + $2)), nor $code" ;; esac
}
every() { # every N: the places 1 .. N, or `most` of them evenly spread
    awk -v n="$1" -v most="$most" 'BEGIN { k = n < most ? n : most; for (i = 0; i < k; i++) print 1 + int(i * n / k) }'
}

each() { # each args..
    name="$*" tried_files=0 tried_bytes=0 tried_signals=0
    run FAULT_COUNT="$T/count" FAULT_FILES="$T/files" -- "$@"
    code=$rc
    rm -rf "$T/good"
    cp -R "$T/w" "$T/good"
    [ "$code" = 0 ] || { complain "$name" 'not 0'; return; }
    read -r n <"$T/count"
    read -r calls <"$T/files"
    for at in $(every "$calls"); do
        run FAULT_FILE="$at" -- "$@"
        refused "call $at about a file of finf $name"
        tried_files=$((tried_files + 1))
    done
    size=$(cat "$T/good"/* "$T/out" | wc -c)
    for at in 0 $(every "$size"); do
        run FAULT_BYTES="$at" -- "$@"
        refused "files of $at bytes for finf $name"
        tried_bytes=$((tried_bytes + 1))
        [ "$tried_bytes" -gt 40 ] && break # of a file as of a buffer there are few kinds of moments
    done
    for signal in 2 15 1 9; do
        for at in $(every "$n"); do
            run FAULT_SIGNAL=$signal FAULT_SIGNAL_AT="$at" -- "$@"
            ended "signal $signal at allocation $at of finf $name" $signal
            tried_signals=$((tried_signals + 1))
        done
        for at in $(every "$calls"); do
            run FAULT_SIGNAL=$signal FAULT_SIGNAL_FILE="$at" -- "$@"
            ended "signal $signal at call $at about a file of finf $name" $signal
            tried_signals=$((tried_signals + 1))
        done
    done
    all_files=$((all_files + tried_files)) all_bytes=$((all_bytes + tried_bytes)) all_signals=$((all_signals + tried_signals))
    printf '%4d calls fail, %3d sizes, %5d signals  finf %s\n' "$tried_files" "$tried_bytes" "$tried_signals" "$(printf %s "$name" | cut -c 1-90)"
}

each coef --noise nu:0.1 --length 300 --output old
each coef --noise nu:0.1 --length 3 --output new.npy
each gamma --noise nu:0.1:0.5:log:20 --plot old.svg --output old
each optimize --eta 0.1 --kappa 3 --solver newton --save saved --output new
each noise --noise 'blt:0.9,0.5;0.2,0.1' --steps 3 --dim 5 --sigma 1 --seed 1 --output new --state state
each mean --noise nu:0.1 --eta 0.1
echo "$all_files calls that failed and $all_bytes sizes: $five exit 5; $all_signals signals: $stopped ended by them; $failed wrong"
[ "$failed" = 0 ]
