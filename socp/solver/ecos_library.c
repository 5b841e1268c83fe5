/* Finding and loading ECOS, when it is first used: a program that never solves by it needs neither
 * ECOS nor what that needs (Debian's is inside an R package, and brings 30 libraries and 10 ms of
 * start-up).
 *
 * FINF_ECOS_PATH, from the build, or the environment's FINF_ECOS_LIBRARY has the files to load,
 * with ':' between them; the last is ECOS, those before it are what it needs and would not find by
 * itself. Empty: none.
 *
 * ECOS calls its own init_ctrlc, check_ctrlc and remove_ctrlc: a handler of SIGINT for the whole
 * process, left in place after some failures, and a flag shared by all threads. These calls, as
 * every call between the files of a shared library, go through a table in the library (its PLT
 * relocations). Once, after loading, the table is filled in by us: those three with our own
 * functions, which poll the caller's cancel, and every other function ECOS defines with its own
 * definition, so that a function called `scale` or `init` in the application is not taken in its
 * place. Nothing has to be exported. */
#define _GNU_SOURCE /* dlinfo, secure_getenv */
#include <dlfcn.h>
#include <link.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ecos.h"
#include "library.h"

#ifndef FINF_ECOS_PATH
#define FINF_ECOS_PATH ""
#endif

static ecos_library the_library;
static char path_of_it[1024];

/* ---- Ctrl-C ---------------------------------------------------------------------------------- */

typedef struct {
    const socp_solve_options *opt;
    int stopped;
} ecos_call;

/* of this thread, while ECOS solves for us */
static _Thread_local ecos_call *running;
/* for other users of the library in this process */
static void (*original_init)(void), (*original_remove)(void);
static int (*original_check)(void);

static void own_init(void)
{
    if (!running) original_init();
}

static void own_remove(void)
{
    if (!running) original_remove();
}

static int own_check(void)
{
    if (!running) return original_check();
    const socp_solve_options *opt = running->opt;
    if (finf_cancelled(opt->cancel)) running->stopped = 1;
    return running->stopped;
}

/* ECOS may call an interrupted run inaccurate or infeasible; here it is always cancelled, unless it
 * had come to its end. */
long ecos_run(const ecos_library *e, ecos_work *w, const socp_solve_options *opt)
{
    ecos_call call = {.opt = opt};
    running = &call;
    long code = e->solve(w);
    running = NULL;
    return call.stopped && code != 0 ? SOCP_CANCELLED : code;
}

/* ---- its table of calls ---------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*function)(void);
} HOOKS[] = {{"init_ctrlc", own_init},
             {"remove_ctrlc", own_remove},
             {"check_ctrlc", (void (*)(void))own_check}};
enum { HOOK_COUNT = sizeof HOOKS / sizeof *HOOKS };

/* A library linked with -z now has its table write-protected. */
static int write_slot(void *slot, const void *value)
{
    uintptr_t size = (uintptr_t)sysconf(_SC_PAGESIZE), page = (uintptr_t)slot / size * size;
    if (mprotect((void *)page, size, PROT_READ | PROT_WRITE)) return 0;
    memcpy(slot, value, sizeof(void *));
    return 1;
}

/* 1: each of the three is called through the table and now ours. Some systems store addresses in
 * the dynamic section as they are in the file, others add where it was loaded. */
static int bind_calls(const struct link_map *map)
{
    const ElfW(Sym) *symbols = NULL;
    const ElfW(Rela) *calls = NULL;
    const char *names = NULL;
    size_t bytes = 0, kind = 0;
    unsigned bound = 0;
    for (const ElfW(Dyn) *d = map->l_ld; d->d_tag != DT_NULL; d++) {
        uintptr_t at = d->d_un.d_ptr + (d->d_un.d_ptr < map->l_addr ? map->l_addr : 0);
        switch (d->d_tag) {
        case DT_SYMTAB: symbols = (const void *)at; break;
        case DT_STRTAB: names = (const void *)at; break;
        case DT_JMPREL: calls = (const void *)at; break;
        case DT_PLTRELSZ: bytes = d->d_un.d_val; break;
        case DT_PLTREL: kind = d->d_un.d_val; break;
        }
    }
    if (!symbols || !names || !calls || kind != DT_RELA) return 0;
    for (size_t i = 0; i < bytes / sizeof *calls; i++) {
        const ElfW(Sym) *s = symbols + ELF64_R_SYM(calls[i].r_info);
        void *slot = (void *)(map->l_addr + calls[i].r_offset);
        if (s->st_shndx == SHN_UNDEF || ELF64_ST_TYPE(s->st_info) != STT_FUNC) continue;
        uintptr_t definition = map->l_addr + s->st_value;
        const void *value = &definition;
        for (unsigned k = 0; k < HOOK_COUNT; k++)
            if (strcmp(names + s->st_name, HOOKS[k].name) == 0) {
                value = &HOOKS[k].function;
                bound |= 1u << k;
            }
        if (!write_slot(slot, value)) return 0;
    }
    return bound == (1u << HOOK_COUNT) - 1;
}

/* ---- loading --------------------------------------------------------------------------------- */

/* Minimise x subject to x >= 1: a build with other integers or another layout is found out by it.
 */
static int trial(const ecos_library *e)
{
    double G = -1, c = 1, h = -1;
    long jc[] = {0, 1}, ir[] = {0};
    ecos_work *w = e->setup(1, 1, 0, 1, 0, NULL, 0, &G, jc, ir, NULL, NULL, NULL, &c, &h, NULL);
    if (!w || w->n != 1 || w->m != 1 || w->p != 0 || w->D != 1) return 0;
    w->stgs->verbose = 0;
    int right = ecos_run(e, w, &(socp_solve_options){0}) == 0 && fabs(w->x[0] - 1) < 1e-6 &&
                fabs(w->z[0] - 1) < 1e-6;
    e->cleanup(w, 0);
    return right;
}

static finf_status refuse(const char *what)
{
    return finf_why(&the_library.reason, FINF_EUSAGE, "%s: %s", path_of_it, what);
}

/* Opens the files of the list; *last is ECOS, and path_of_it its name. */
static finf_status open_all(const char *list, void **last)
{
    finf_reason *why = &the_library.reason;
    if (!*list)
        return finf_why(why, FINF_EUSAGE,
                        "none when finf was built, and FINF_ECOS_LIBRARY names none");
    for (const char *end; *list; list = *end ? end + 1 : end) {
        end = list + strcspn(list, ":");
        size_t length = (size_t)(end - list);
        if (length >= sizeof path_of_it)
            return finf_why(why, FINF_EUSAGE, "the path of ECOS is too long");
        memcpy(path_of_it, list, length);
        path_of_it[length] = 0;
        if (library_open(path_of_it, last, why) != FINF_OK) return FINF_EUSAGE;
    }
    return FINF_OK;
}

/* In an R package NaN and infinity are R's variables, which are 0 until R starts. */
static void start_constants(void *library)
{
    double *nan = dlsym(library, "R_NaN"), *infinity = dlsym(library, "R_PosInf");
    if (nan && *nan == 0) *nan = NAN;
    if (infinity && *infinity == 0) *infinity = INFINITY;
}

/* The calls are bound before the trial, which is then the first to run with them. version is set
 * last: with it NULL no caller uses what an earlier step has found. */
static finf_status load(ecos_library *e)
{
    const char *given = secure_getenv("FINF_ECOS_LIBRARY"), *(*version)(void);
    void *library = NULL;
    struct link_map *map;
    finf_status st = open_all(given ? given : FINF_ECOS_PATH, &library);
    if (st != FINF_OK) return st;
    if (!library_find(library, "ECOS_ver", &version) ||
        !library_find(library, "ECOS_setup", &e->setup) ||
        !library_find(library, "ECOS_solve", &e->solve) ||
        !library_find(library, "ECOS_cleanup", &e->cleanup))
        return refuse("this is not ECOS");
    const char *v = version();
    if (strcmp(v, "2.0.7") != 0 && strcmp(v, "2.0.10") != 0)
        return finf_why(&e->reason, FINF_EUSAGE, "%s: ECOS %.20s is not 2.0.7 or 2.0.10",
                        path_of_it, v);
    if (!library_find(library, "init_ctrlc", &original_init) ||
        !library_find(library, "remove_ctrlc", &original_remove) ||
        !library_find(library, "check_ctrlc", &original_check) ||
        dlinfo(library, RTLD_DI_LINKMAP, &map) || !bind_calls(map))
        return refuse("its Ctrl-C functions cannot be replaced");
    start_constants(library);
    if (!trial(e))
        return refuse(
            "not the ECOS it should be: its integers are not 64 bits, or its layout is another");
    e->version = v;
    e->where = path_of_it;
    return FINF_OK;
}

static void load_once(void) { load(&the_library); }

const ecos_library *ecos_get(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load_once);
    return &the_library;
}

const char *socp_ecos_version(void) { return ecos_get()->version; }
const char *socp_ecos_where(void)
{
    return ecos_get()->version ? ecos_get()->where : ecos_get()->reason.text;
}
