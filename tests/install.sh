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
# the example of the header's first comment
sed -n '/^ \* Example/,/^ \*     }$/s/^ \*\(     \|$\)//p' "$prefix/include/finf.h" >"$dir/program.c"
shared=$(pkg-config --cflags --libs finf) static=$(pkg-config --static --cflags --libs finf | sed 's/-lfinf/-l:libfinf.a/')
case $static in *-lR* | *ECOS*) false ;; *) true ;; esac
check $? "finf.pc asks for ECOS: $static"
answer=$("$prefix/bin/finf" iqc --noise nu:0.05 --eta 0.1 --kappa 100 --quiet --precision 6 | awk '$1 == "bound" { print $2 }')
for flags in "$shared" "$static"; do
    $CC "$dir/program.c" $flags -o "$dir/program" 2>"$dir/err" &&
        [ -n "$answer" ] && [ "$(LD_LIBRARY_PATH=$prefix/lib "$dir/program" 2>>"$dir/err")" = "F_inf <= $answer" ]
    check $? "cc program.c $flags: $(head -c 300 "$dir/err")"
done
# a program without a loader: what is loaded when it is needed is not there, and nothing crashes
sed -e 's/finf_iqc_result r;/& finf_iqc_options o = finf_iqc_options_default(); o.certify = 1;/' -e 's/100, NULL,/100, \&o,/' "$dir/program.c" >"$dir/whole.c"
if $CC -static "$dir/whole.c" $static -o "$dir/whole" 2>"$dir/err"; then # where the libraries have archives
    "$dir/whole" >"$dir/out" 2>&1
    code=$?
    [ $code = 4 ] && grep -q 'no certificate' "$dir/out"
    check $? "cc -static: exit $code, $(head -c 300 "$dir/out")"
fi
# the header stands alone, in C and in C++
echo '#include <finf.h>' >"$dir/alone.c" && cp "$dir/alone.c" "$dir/alone.cc"
strict="-Wall -Wextra -pedantic -Werror -fsyntax-only -I$prefix/include"
$CC -std=c11 $strict "$dir/alone.c" 2>"$dir/err"
check $? "finf.h alone in C11: $(head -c 300 "$dir/err")"
if command -v c++ >/dev/null; then
    c++ $strict "$dir/alone.cc" 2>"$dir/err"
    check $? "finf.h alone in C++: $(head -c 300 "$dir/err")"
fi
[ "$("$prefix/bin/finf" --version)" = "finf $(pkg-config --modversion finf)" ]
check $? 'the version of finf.pc'
[ -s "$prefix/share/man/man1/finf.1" ]
check $? 'the man page'
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
