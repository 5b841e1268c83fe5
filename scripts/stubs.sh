# Writes the stubs of socp/certify/arb_library.h: of the functions that the given objects call, those that the shared
# libraries in $LIBRARIES define. Usage: LIBRARIES='a.so b.so' sh stubs.sh object..
called=$(nm -u "$@" | awk 'NF == 2 && $1 == "U" { print $2 }' | sort -u)
offered=$(for library in $LIBRARIES; do nm -D --defined-only "$library"; done | awk '$2 ~ /[TWi]/ { print $3 }' | sort -u)
names=$(printf '%s\n%s\n' "$called" "$offered" | sort | uniq -d)
cat <<'END'
/* Made by scripts/stubs.sh. */
#include "arb_library.h"

#include <stddef.h>

#ifdef __x86_64__
#define JUMP(i) "jmp *ARB_SLOTS+" #i "*8(%rip)\n"
#else /* aarch64 */
#define JUMP(i) "adrp x16, ARB_SLOTS+" #i "*8\nldr x16, [x16, #:lo12:ARB_SLOTS+" #i "*8]\nbr x16\n"
#endif
#define STUB(name, i)                                                                              \
    __asm__(".text\n.globl " #name "\n.hidden " #name "\n.type " #name ", %function\n" #name ":\n" \
            JUMP(i));

END
echo "$names" | awk '{ printf "STUB(%s, %d)\n", $1, NR - 1; list = list "    \"" $1 "\",\n" }
    END { printf "\nvoid *ARB_SLOTS[%d];\nconst char *const ARB_NAMES[] = {\n%s    NULL};\n", NR, list }'
