# What the libraries offer and what they need, and who needs whom in the program. Usage: sh tests/symbols.sh BUILD 'LIBS'
# Only finf_* is offered, nothing of ECOS or R is needed, and a program with functions of its own under the names that finf
# and ECOS use inside gets the same answers, from the archive and from the shared library.
build=$1 libs=$2
CC=${CC:-cc}
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
passed=0 failed=0
check() { if [ "$1" = 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: $2"; fi; }

nm -D --defined-only "$build/libfinf.so" | awk 'NF == 3 { print $3 }' >"$dir/so"
nm -g --defined-only "$build/libfinf.a" | awk 'NF == 3 { print $3 }' >"$dir/a"
for library in so a; do
    [ "$(grep -c '^finf_' "$dir/$library")" -gt 50 ]
    check $? "libfinf.$library offers too little"
    other=$(grep -v '^finf_' "$dir/$library" | tr '\n' ' ')
    [ -z "$other" ]
    check $? "libfinf.$library offers $other"
done
sort "$dir/so" >"$dir/1" && sort "$dir/a" | cmp -s - "$dir/1"
check $? 'libfinf.a and libfinf.so do not offer the same'
needs=$(nm -D --undefined-only "$build/libfinf.so" | grep -E ' (ECOS_|R_|Rprintf|.*_ctrlc)' | tr '\n' ' ')
[ -z "$needs" ]
check $? "libfinf.so needs $needs"

# in the program data flows one way: cli/core <- cli/cmd and cli/paper <- cli
symbols() { for f in $2; do nm -g $1 "$build/obj/${f%.c}.o"; done | awk '{ print $NF }' | sort -u; }
for edge in 'core cmd' 'core paper' 'cmd paper' 'paper cmd' 'core .' 'cmd .' 'paper .'; do
    symbols -u "$(echo cli/${edge% *}/*.c)" >"$dir/needed"
    symbols --defined-only "$(echo cli/${edge#* }/*.c | sed 's,/\./,/,g')" >"$dir/defined"
    up=$(comm -12 "$dir/needed" "$dir/defined" | tr '\n' ' ')
    [ -s "$dir/needed" ] && [ -s "$dir/defined" ] && [ -z "$up" ]
    check $? "cli: ${edge% *} needs of ${edge#* }: $up"
done

# the plain names inside finf, and those of ECOS: each as a function that gives nonsense
names='dense_dot dense_axpy dense_combine socp_newton socp_ecos circle_means circle_mean ecos_get
       init scale norm2 tic restore eddot evsub ECOS_setup check_ctrlc init_ctrlc remove_ctrlc'
cat >"$dir/program.c" <<'C'
#include <stdio.h>
#include <string.h>

#include "finf.h"

int main(void)
{
    finf_iqc_options o = finf_iqc_options_default();
    finf_iqc_solver solvers[] = {FINF_IQC_NEWTON, FINF_IQC_AUTO};
    for (int i = 0; i < 2; i++) {
        finf_noise *noise;
        finf_iqc_result r;
        o.solver = solvers[i];
        if (finf_noise_power(0.3, 0.1, &noise, NULL) || finf_iqc(noise, 0.5, 30, &o, &r)) return 1;
        printf("%s %.17g %.17g\n", r.solver, r.gamma2.value, r.bound.value);
        finf_noise_free(noise);
    }
    return 0;
}
C
ln -s "$(cd "$build" && pwd)/libfinf.so" "$dir/libfinf.so.0"
for name in $names; do echo "double $name(void); double $name(void) { return 1e300; }"; done >"$dir/own.c"
for library in so a; do
    for own in '' "$dir/own.c"; do # -rdynamic: its functions are seen by every library
        $CC -Iinclude -rdynamic -fno-builtin "$dir/program.c" $own "$build/libfinf.$library" $libs -pthread \
            -o "$dir/program" 2>"$dir/err" &&
            LD_LIBRARY_PATH=$dir:$LD_LIBRARY_PATH "$dir/program" >"$dir/answer.$library.${own:+own}" 2>>"$dir/err"
        check $? "a program with libfinf.$library ${own:+and functions of its own }fails: $(head -c 300 "$dir/err")"
    done
done
for answer in so.own a. a.own; do
    cmp -s "$dir/answer.so." "$dir/answer.$answer"
    check $? "the answer changes: $(cat "$dir/answer.so." "$dir/answer.$answer" | tr '\n' ' ')"
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
