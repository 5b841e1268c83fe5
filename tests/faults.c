/* Loaded before finf (LD_PRELOAD): allocations that fail on purpose, for tests/faults.sh.
 *
 *   FAULT_AT=N      the N-th allocation since main fails (0 or unset: none)
 *   FAULT_ON=1      and all after it
 *   FAULT_COUNT=F   their number is written to the file F when main returns
 *   FAULT_SHOW=1    who asked for the one that fails, on stderr
 *   FAULT_THREADS=1 no thread can be started
 *
 * The clock stands still, so that nothing printed depends on it.
 * Counted is what malloc, calloc, realloc, memalign, posix_memalign and aligned_alloc are asked for
 * by anybody: finf, GSL, FFTW, FLINT, GMP, the C library. Spared are the dynamic loader; ECOS,
 * which does not look at what malloc returns; and what Fortran's library asks for when LAPACK is
 * loaded. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t n);
extern void *__libc_memalign(size_t alignment, size_t n);

static atomic_ulong count;
static atomic_int counting;
static unsigned long fail_at;
static int and_after, show;

/* ---- who asks -------------------------------------------------------------------------------- */

typedef struct {
    uintptr_t address;
    int spared;
} question;

static int look(struct dl_phdr_info *object, size_t size, void *data)
{
    question *q = data;
    (void)size;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        uintptr_t start = object->dlpi_addr + part->p_vaddr;
        if (part->p_type != PT_LOAD || q->address < start || q->address >= start + part->p_memsz)
            continue;
        const char *name = object->dlpi_name;
        q->spared = strstr(name, "/ld-") || strstr(name, "ECOS") || strstr(name, "libecos") ||
                    strstr(name, "/libR") || strstr(name, "/libgfortran");
        return 1;
    }
    return 0;
}

static int fails(const void *caller)
{
    static _Thread_local int inside;
    question q = {.address = (uintptr_t)caller};
    if (!atomic_load(&counting) || inside) return 0;
    inside = 1;
    dl_iterate_phdr(look, &q);
    unsigned long n = q.spared ? 0 : atomic_fetch_add(&count, 1) + 1;
    int failing = fail_at && (n == fail_at || (and_after && n > fail_at));
    if (failing && show) {
        void *frame[40];
        backtrace_symbols_fd(frame, backtrace(frame, 40), STDERR_FILENO);
    }
    inside = 0;
    if (failing) errno = ENOMEM;
    return failing;
}

#define CALLER __builtin_return_address(0)

void *malloc(size_t n) { return fails(CALLER) ? NULL : __libc_malloc(n); }
void *calloc(size_t n, size_t size) { return fails(CALLER) ? NULL : __libc_calloc(n, size); }
void *realloc(void *p, size_t n) { return n && fails(CALLER) ? NULL : __libc_realloc(p, n); }
void *memalign(size_t alignment, size_t n)
{
    return fails(CALLER) ? NULL : __libc_memalign(alignment, n);
}
void *aligned_alloc(size_t alignment, size_t n)
{
    return fails(CALLER) ? NULL : __libc_memalign(alignment, n);
}

int posix_memalign(void **out, size_t alignment, size_t n)
{
    void *p = fails(CALLER) ? NULL : __libc_memalign(alignment, n);
    if (!p) return ENOMEM;
    *out = p;
    return 0;
}

/* ---- threads --------------------------------------------------------------------------------- */

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                   void *data)
{
    typedef int create_fn(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    const char *none = getenv("FAULT_THREADS");
    if (none && *none == '1') return EAGAIN;
    create_fn *create = NULL;
    *(void **)&create = dlsym(RTLD_NEXT, "pthread_create");
    return create(thread, attributes, run, data);
}

/* ---- time ------------------------------------------------------------------------------------ */

int clock_gettime(clockid_t clock, struct timespec *now)
{
    (void)clock;
    *now = (struct timespec){0};
    return 0;
}

/* ---- from the beginning of main to its end --------------------------------------------------- */

typedef int main_fn(int, char **, char **);
static main_fn *real_main;

static unsigned long number(const char *name)
{
    const char *text = getenv(name);
    return text ? strtoul(text, NULL, 10) : 0;
}

static int counted_main(int argc, char **argv, char **environment)
{
    const char *to = getenv("FAULT_COUNT");
    fail_at = number("FAULT_AT");
    and_after = number("FAULT_ON") != 0;
    show = number("FAULT_SHOW") != 0;
    void *frame[4];
    if (show) backtrace(frame, 4); /* its first call loads a library */
    atomic_store(&counting, 1);
    int code = real_main(argc, argv, environment);
    atomic_store(&counting, 0);
    FILE *f = to ? fopen(to, "w") : NULL;
    if (f) fprintf(f, "%lu\n", atomic_load(&count));
    if (f) fclose(f);
    return code;
}

int __libc_start_main(main_fn *main, int argc, char **argv, void (*init)(void), void (*end)(void),
                      void (*loader)(void), void *stack)
{
    typedef int start_fn(main_fn *, int, char **, void (*)(void), void (*)(void), void (*)(void),
                         void *);
    start_fn *start = NULL;
    *(void **)&start = dlsym(RTLD_NEXT, "__libc_start_main");
    real_main = main;
    return start(counted_main, argc, argv, init, end, loader, stack);
}
