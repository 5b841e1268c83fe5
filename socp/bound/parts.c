/* What the library is made of. */
#include <fftw3.h>
#include <gsl/gsl_version.h>

#include "bound.h"
#include "lapack.h"
#include "sodium_library.h"

#ifdef __clang__
#define COMPILER __VERSION__ /* "Clang 14.0.6" */
#else
#define COMPILER "GCC " __VERSION__
#endif

/* Name, version and, for ECOS and LAPACK, which are looked for when first used, the file it was
 * found in or why it was not. */
finf_part finf_part_get(size_t i)
{
    switch (i) {
    case 0: return (finf_part){"GSL", gsl_version, ""};
    case 1: return (finf_part){"FFTW", fftw_version, ""};
    case 2: return (finf_part){"FLINT", socp_flint_version(), ""};
    case 3: return (finf_part){"Arb", socp_arb_version(), ""};
    case 4: return (finf_part){"ECOS", socp_ecos_version(), socp_ecos_where()};
    case 5: return (finf_part){"LAPACK", lapack_version(), lapack_where()};
    case 6: return (finf_part){"libsodium", sodium_library_version(), ""};
    case 7: return (finf_part){"compiler", COMPILER, ""};
    default: return (finf_part){NULL, NULL, ""};
    }
}
