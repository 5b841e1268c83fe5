/* Loaded before finf (LD_PRELOAD): allocations that fail on purpose, for tests/faults.sh.
 *
 *   FAULT_AT=N      the N-th allocation since main fails (0 or unset: none)
 *   FAULT_ON=1      and all after it
 *   FAULT_COUNT=F   their number is written to the file F when main returns
 *   FAULT_SHOW=1    who asked for the one that fails, on stderr
 *   FAULT_THREADS=1 no thread can be started
 *   FAULT_FILE=N    the N-th call that makes, ends or moves a file fails, as on a full disk
 *   FAULT_FILES=F   the number of those calls is written to the file F when main returns
 *   FAULT_BYTES=N   no file can have more than N bytes (RLIMIT_FSIZE): the write that would go
 * beyond fails FAULT_SIGNAL=S  the signal S comes to the process at the N-th allocation
 * (FAULT_SIGNAL_AT=N), or before and after the N-th call about a file (FAULT_SIGNAL_FILE=N)
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
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
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
static unsigned long signal_at, signal_file, fail_file;
static int signal_number;

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
    if (n && n == signal_at) kill(getpid(), signal_number);
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

/* ---- files ----------------------------------------------------------------------------------- */

static atomic_ulong files;

/* Whether the next call about a file fails; with the signal that is to come before it. */
static int file_fails(unsigned long *n)
{
    *n = atomic_load(&counting) ? atomic_fetch_add(&files, 1) + 1 : 0;
    if (*n && *n == signal_file) kill(getpid(), signal_number);
    if (!*n || *n != fail_file) return 0;
    errno = ENOSPC;
    return 1;
}

static void file_done(unsigned long n)
{
    int error = errno;
    if (n && n == signal_file) kill(getpid(), signal_number);
    errno = error;
}

/* The function of this name behind ours. */
#define BEHIND(type, ours)                                                                         \
    static type *real;                                                                             \
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, ours)

int mkstemp(char *name)
{
    typedef int fn(char *);
    unsigned long n;
    BEHIND(fn, "mkstemp");
    if (file_fails(&n)) return -1;
    int fd = real(name);
    file_done(n);
    return fd;
}

char *mkdtemp(char *name)
{
    typedef char *fn(char *);
    unsigned long n;
    BEHIND(fn, "mkdtemp");
    if (file_fails(&n)) return NULL;
    char *made = real(name);
    file_done(n);
    return made;
}

int rename(const char *from, const char *to)
{
    typedef int fn(const char *, const char *);
    unsigned long n;
    BEHIND(fn, "rename");
    if (file_fails(&n)) return -1;
    int bad = real(from, to);
    file_done(n);
    return bad;
}

int fsync(int fd)
{
    typedef int fn(int);
    unsigned long n;
    BEHIND(fn, "fsync");
    if (file_fails(&n)) return -1;
    int bad = real(fd);
    file_done(n);
    return bad;
}

/* A file in memory is none. */
int fflush(FILE *f)
{
    typedef int fn(FILE *);
    unsigned long n;
    BEHIND(fn, "fflush");
    if (!f || fileno(f) < 0) return real(f);
    if (file_fails(&n)) return EOF;
    int bad = real(f);
    file_done(n);
    return bad;
}

int fclose(FILE *f)
{
    typedef int fn(FILE *);
    unsigned long n;
    BEHIND(fn, "fclose");
    if (fileno(f) < 0) return real(f);
    int fails_now = file_fails(&n), bad = real(f);
    if (fails_now) errno = ENOSPC;
    file_done(n);
    return fails_now ? EOF : bad;
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

static void note(const char *name, unsigned long n)
{
    const char *to = getenv(name);
    FILE *f = to ? fopen(to, "w") : NULL;
    if (f) fprintf(f, "%lu\n", n);
    if (f) fclose(f);
}

static int counted_main(int argc, char **argv, char **environment)
{
    fail_at = number("FAULT_AT");
    and_after = number("FAULT_ON") != 0;
    show = number("FAULT_SHOW") != 0;
    signal_number = (int)number("FAULT_SIGNAL");
    signal_at = number("FAULT_SIGNAL_AT");
    signal_file = number("FAULT_SIGNAL_FILE");
    fail_file = number("FAULT_FILE");
    const char *bytes = getenv("FAULT_BYTES");
    if (bytes) setrlimit(RLIMIT_FSIZE, &(struct rlimit){number("FAULT_BYTES"), RLIM_INFINITY});
    void *frame[4];
    if (show) backtrace(frame, 4); /* its first call loads a library */
    atomic_store(&counting, 1);
    int code = real_main(argc, argv, environment);
    atomic_store(&counting, 0);
    note("FAULT_COUNT", atomic_load(&count));
    note("FAULT_FILES", atomic_load(&files));
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
