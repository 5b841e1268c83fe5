# What is installed can be used: a program compiled by what finf.pc says, with the shared library and with the archive.
# Usage: sh tests/install.sh PREFIX (an absolute path, after make install)
prefix=$1
CC=${CC:-cc}
command -v pkg-config >/dev/null || { echo 'skipped: no pkg-config'; exit 0; }
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
PKG_CONFIG_PATH=$prefix/lib/pkgconfig
export PKG_CONFIG_PATH
passed=0 failed=0
check() { if [ "$1" = 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: $2"; fi; }
cat >"$dir/program.c" <<'C'
#include <finf.h>
#include <stdio.h>

int main(void)
{
    finf_noise *noise;
    finf_iqc_result r;
    if (finf_noise_nu(0.05, &noise, NULL) || finf_iqc(noise, 0.1, 100, NULL, &r)) return 1;
    printf("%.6g\n", r.bound.value);
    finf_noise_free(noise);
    return 0;
}
C
shared=$(pkg-config --cflags --libs finf) static=$(pkg-config --static --cflags --libs finf | sed 's/-lfinf/-l:libfinf.a/')
case $static in *-lR* | *ECOS*) false ;; *) true ;; esac
check $? "finf.pc asks for ECOS: $static"
answer=$("$prefix/bin/finf" iqc --noise nu:0.05 --eta 0.1 --kappa 100 --quiet --precision 6 | awk '$1 == "bound" { print $2 }')
for flags in "$shared" "$static"; do
    $CC "$dir/program.c" $flags -o "$dir/program" 2>"$dir/err" &&
        [ -n "$answer" ] && [ "$(LD_LIBRARY_PATH=$prefix/lib "$dir/program" 2>>"$dir/err")" = "$answer" ]
    check $? "cc program.c $flags: $(head -c 300 "$dir/err")"
done
[ "$("$prefix/bin/finf" --version)" = "finf $(pkg-config --modversion finf)" ]
check $? 'the version of finf.pc'
[ -s "$prefix/share/man/man1/finf.1" ]
check $? 'the man page'
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
