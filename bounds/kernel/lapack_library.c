/* Finding and loading LAPACK, when it is first used: a failed load is no error, as lapack.c does
 * without it.
 *
 * FINF_LAPACK_NAMES, from the build, or the environment's FINF_LAPACK_LIBRARY has the files to try,
 * with ':' between them; the first that can be loaded is taken. Empty: none. OpenBLAS comes before
 * what the system calls LAPACK, which may be the reference one. */
#define _GNU_SOURCE /* dladdr, secure_getenv */
#include "lapack_library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "library.h"

#ifndef FINF_LAPACK_NAMES
#define FINF_LAPACK_NAMES "libopenblas.so.0:libflexiblas.so.3:liblapack.so.3"
#endif

static lapack_library the_library;

/* NULL where the number of threads is left alone */
static int (*get_threads)(void);
static void (*set_threads)(int);
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static int inside, before; /* calls; threads to go back to, 0: as they are */
static char version_of_it[64], path_of_it[1024];

/* The first file of the list that can be loaded. */
static void *open_first(const char *list, finf_reason *why)
{
    void *library = NULL;
    finf_why(why, FINF_EUSAGE, "no library is named");
    for (const char *end; *list && !library; list = *end ? end + 1 : end) {
        end = list + strcspn(list, ":");
        char path[sizeof path_of_it];
        if ((size_t)(end - list) >= sizeof path) continue;
        snprintf(path, sizeof path, "%.*s", (int)(end - list), list);
        library_open(path, &library, why);
    }
    return library;
}

/* The version of LAPACK, and whether its integers are ours: if they have 64 bits, the number behind
 * each is overwritten. */
static int read_version(void *library)
{
    void (*ilaver)(int *, int *, int *);
    int major[2] = {-1, -1}, minor[2] = {-1, -1}, patch[2] = {-1, -1};
    if (!library_find(library, "ilaver_", &ilaver)) return 0;
    ilaver(major, minor, patch);
    snprintf(version_of_it, sizeof version_of_it, "%d.%d.%d", major[0], minor[0], patch[0]);
    return major[1] == -1 && minor[1] == -1 && patch[1] == -1;
}

/* Adds the name of an implementation whose products are blocked; 0 if it is none that is known. */
static int read_implementation(void *library)
{
    char *(*config)(void) = NULL;
    size_t n = strlen(version_of_it);
    if (library_find(library, "openblas_get_config", &config)) {
        /* "OpenBLAS 0.3.21 and more" */
        const char *text = config();
        size_t name = strcspn(text, " "), all = name + (text[name] != 0);
        all += strcspn(text + all, " ");
        snprintf(version_of_it + n, sizeof version_of_it - n, ", %.*s", (int)all, text);
        return 1;
    }
    void *symbol;
    return library_find(library, "bli_info_get_version_str", &symbol) ||
           library_find(library, "MKL_Get_Version", &symbol) ||
           library_find(library, "flexiblas_info", &symbol);
}

/* In the child no other thread is inside; how many threads there were is still known. */
static void forked(void)
{
    turn = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    inside = 0;
}

/* With OpenMP, 2, the number is each thread's own. */
static void find_threads(void *library)
{
    int (*parallel)(void), (*get)(void);
    void (*set)(int);
    if (secure_getenv("OPENBLAS_NUM_THREADS") ||
        !library_find(library, "openblas_get_parallel", &parallel))
        return;
    if (parallel() != 1 || !library_find(library, "openblas_get_num_threads", &get) ||
        !library_find(library, "openblas_set_num_threads", &set) ||
        pthread_atfork(NULL, NULL, forked))
        return;
    get_threads = get;
    set_threads = set;
}

void lapack_begin(void)
{
    if (!set_threads) return;
    pthread_mutex_lock(&turn);
    int n = get_threads();
    if (n != 1) {
        before = n;
        set_threads(1);
    }
    inside++;
    pthread_mutex_unlock(&turn);
}

void lapack_end(void)
{
    if (!set_threads) return;
    pthread_mutex_lock(&turn);
    if (--inside == 0 && before) {
        set_threads(before);
        before = 0;
    }
    pthread_mutex_unlock(&turn);
}

/* version is set last: with it NULL no caller uses what an earlier step has found. */
static finf_status load(lapack_library *l)
{
    const char *given = secure_getenv("FINF_LAPACK_LIBRARY");
    void *library = open_first(given ? given : FINF_LAPACK_NAMES, &l->reason);
    if (!library) return FINF_EUSAGE;
    if (!library_find(library, "dgemm_", &l->dgemm) ||
        !library_find(library, "dsyrk_", &l->dsyrk) ||
        !library_find(library, "dsyevd_", &l->dsyevd) ||
        !library_find(library, "dpotrf_", &l->dpotrf) ||
        !library_find(library, "dpotri_", &l->dpotri))
        return finf_why(&l->reason, FINF_EUSAGE, "the library found is not LAPACK");
    if (!read_version(library))
        return finf_why(&l->reason, FINF_EUSAGE, "the LAPACK found has integers of 64 bits");
    Dl_info at;
    void *symbol = dlsym(library, "dgemm_");
    if (dladdr(symbol, &at) && at.dli_fname)
        snprintf(path_of_it, sizeof path_of_it, "%s", at.dli_fname);
    l->fast_blas = read_implementation(library);
    find_threads(library);
    l->where = path_of_it;
    l->version = version_of_it;
    return FINF_OK;
}

static void load_once(void) { load(&the_library); }

const lapack_library *lapack_get(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load_once);
    return &the_library;
}
