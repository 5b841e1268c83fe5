# Writes the make variables for the optional parts: where ECOS is, whether Arb is. ECOS_CFLAGS and ECOS_LIBS from the
# environment come first, then pkg-config's ecos, then the library inside Debian's r-cran-ecosolver.
CC=${CC:-cc}
links() { # links FLAGS < program
    $CC -x c - -o /dev/null $1 >/dev/null 2>&1
}
R=/usr/lib/R
solver=$R/site-library/ECOSolveR/libs
shipped="-L$solver -l:ECOSolveR.so -L$R/lib -lR -Wl,-rpath,$solver:$R/lib"
call='const char *ECOS_ver(void); int main(void) { return !ECOS_ver(); }'
native=${ECOS_LIBS:-$(pkg-config --libs ecos 2>/dev/null)}
if [ -n "$native" ] && echo "$call" | links "$native"; then
    echo "CONFIG_ECOS_FLAGS := -DFINF_ECOS_NATIVE $ECOS_CFLAGS"
    echo "CONFIG_ECOS_LIBS := $native"
    echo "ECOS: $native" >&2
elif echo "$call" | links "$shipped"; then
    echo "CONFIG_ECOS_FLAGS :="
    echo "CONFIG_ECOS_LIBS := $shipped"
    echo "ECOS: the library of r-cran-ecosolver" >&2
else
    echo "CONFIG_ECOS_FLAGS := -DFINF_NO_ECOS"
    echo "CONFIG_ECOS_LIBS :="
    echo "ECOS: not found, building without it" >&2
fi
for arb in "-lflint-arb -lflint" "-larb -lflint" "-lflint"; do
    for header in acb_calc.h flint/acb_calc.h; do
        if printf '#include <%s>\nint main(void) { acb_t x; acb_init(x); acb_clear(x); return 0; }\n' $header | links "$arb"; then
            echo "CONFIG_ARB_FLAGS := -DFINF_ARB_HEADER='<$header>' -DFINF_ARB_HYPGEOM_HEADER='<${header%acb_calc.h}arb_hypgeom.h>'"
            echo "CONFIG_ARB_LIBS := $arb"
            echo "Arb: $arb" >&2
            exit 0
        fi
    done
done
echo "CONFIG_ARB_FLAGS := -DFINF_NO_ARB"
echo "CONFIG_ARB_LIBS :="
echo "Arb: not found, building without certificates" >&2
