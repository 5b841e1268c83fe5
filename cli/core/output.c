/* Writing files: names and links, temporaries and their renaming, and the signals that could end
 * the program between the two. */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base.h"

static int stdout_closed;                 /* the program was started with standard output closed */
static volatile sig_atomic_t pipe_closed; /* something was written to a pipe that nobody reads */

/* ---- signals --------------------------------------------------------------------------------- */

/* The signals that end the program, except those that are its own fault (a fault in memory, say).
 */
static const int ENDINGS[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGXCPU, SIGUSR1, SIGUSR2};
#define ENDINGS_COUNT (sizeof ENDINGS / sizeof *ENDINGS)

/* The temporary files there are, for the handler of a signal that ends the program. */
#define SINKS 4
static char *volatile unfinished[SINKS];

/* Puts `new` in the place of `old`: a NULL stands for a free place, or frees one. */
static void remember(char *old, char *new)
{
    for (int i = 0; i < SINKS; i++)
        if (unfinished[i] == old) {
            unfinished[i] = new;
            return;
        }
}

/* Removes the temporary files, then lets the signal do what it does. Only functions that are safe
 * in a signal handler are called. */
static void on_signal(int signal_number)
{
    for (int i = 0; i < SINKS; i++)
        if (unfinished[i]) unlink(unfinished[i]);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

/* Only notes it: the write that caused the signal fails with EPIPE, and sink_finish decides. */
static void on_pipe(int unused)
{
    (void)unused;
    pipe_closed = 1;
}

/* SIGTSTP too: a program stopped half way would leave its files half way as long as it sleeps. */
void signals_hold(sigset_t *before)
{
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < ENDINGS_COUNT; i++) sigaddset(&set, ENDINGS[i]);
    sigaddset(&set, SIGTSTP);
    pthread_sigmask(SIG_BLOCK, &set, before);
}

void signals_release(const sigset_t *before) { pthread_sigmask(SIG_SETMASK, before, NULL); }

/* ---- names ----------------------------------------------------------------------------------- */

/* The name that `name`, as found in the directory of `path`, has from here. Owned by the caller;
 * NULL: no memory. */
static char *beside(const char *path, const char *name)
{
    const char *slash = *name == '/' ? NULL : strrchr(path, '/');
    size_t directory = slash ? (size_t)(slash - path) + 1 : 0, n = directory + strlen(name) + 1;
    char *out = malloc(n);
    if (out) snprintf(out, n, "%.*s%s", (int)directory, path, name);
    return out;
}

/* The file that `path` stands for, links followed also where they lead to nothing yet: the real
 * path of its directory, and its name. Owned by the caller; NULL with errno. */
static char *real_name(const char *path)
{
    char *real = realpath(path, NULL), target[PATH_MAX];
    if (real || errno != ENOENT) return real;
    char *name = strdup(path);
    /* as many links as Linux follows itself; a circle of them ends here too */
    for (int links = 0; name && links < 40; links++) {
        ssize_t n = readlink(name, target, sizeof target - 1);
        if (n < 0) break;
        target[n] = '\0';
        char *next = beside(name, target);
        free(name);
        name = next;
    }
    const char *last = name ? strrchr(name, '/') : NULL;
    last = last ? last + 1 : name;
    char *here = name ? beside(name, ".") : NULL;
    char *directory = here ? realpath(here, NULL) : NULL;
    if (directory) {
        size_t n = strlen(directory) + strlen(last) + 2;
        real = malloc(n);
        if (real) snprintf(real, n, "%s/%s", directory, last);
    }
    free(directory);
    free(here);
    free(name);
    return real;
}

int sink_same(const char *a, const char *b)
{
    struct stat x, y;
    if (!b && fstat(STDOUT_FILENO, &y) != 0) return 0;
    if (!b && !S_ISREG(y.st_mode))
        return 0; /* a pipe or a terminal gets both, one after the other */
    if (stat(a, &x) == 0 && (!b || stat(b, &y) == 0))
        return x.st_dev == y.st_dev && x.st_ino == y.st_ino;
    char *first = real_name(a), *second = b ? real_name(b) : NULL;
    int same = first && second && strcmp(first, second) == 0;
    free(first);
    free(second);
    return same;
}

/* ---- files ----------------------------------------------------------------------------------- */

/* A temporary beside the file itself, not beside a link to it, as a file is renamed within its file
 * system only; with the mode of what it will replace, or that of a new file. */
static FILE *open_temporary(const char *path, const struct stat *old, sink *out)
{
    char *real = real_name(path);
    size_t n = real ? strlen(real) + 8 : 0;
    out->real = real;
    out->temporary = real ? malloc(n) : NULL;
    if (!out->temporary) return NULL;
    snprintf(out->temporary, n, "%s.XXXXXX", real);
    sigset_t before;
    signals_hold(&before); /* one that came between mkstemp and remember would leave the file */
    int fd = mkstemp(out->temporary);
    if (fd >= 0) remember(NULL, out->temporary);
    signals_release(&before);
    if (fd < 0) {
        free(out->temporary);
        out->temporary = NULL;
        return NULL;
    }
    /* the mask can only be read by setting it */
    mode_t mask = umask(0);
    umask(mask);
    fchmod(fd, old ? old->st_mode & 07777 : 0666 & ~mask);
    return fdopen(fd, "w");
}

/* What is no regular file (a device, a pipe) cannot be replaced by renaming, and names under /dev
 * and /proc may stand for an open file, such as /dev/stdout: these are written in place. */
finf_status sink_open(const char *path, sink *out, finf_reason *why)
{
    struct stat st;
    *out = (sink){.path = path};
    if (!path) {
        if (stdout_closed) return finf_why(why, FINF_EIO, "standard output is closed");
        out->file = stdout;
        return FINF_OK;
    }
    int exists = stat(path, &st) == 0;
    if (!*path || (exists && S_ISDIR(st.st_mode)))
        errno = *path ? EISDIR : ENOENT;
    else if ((exists && !S_ISREG(st.st_mode)) || strncmp(path, "/dev/", 5) == 0 ||
             strncmp(path, "/proc/", 6) == 0)
        out->file = fopen(path, "w"); /* a device, or a name for an open file */
    else
        out->file = open_temporary(path, exists ? &st : NULL, out);
    if (out->file) return FINF_OK;
    int error = errno;
    sink_drop(out);
    return finf_why(why, FINF_EIO, "cannot write '%.150s': %s", path, strerror(error));
}

void sink_private(sink *s)
{
    if (s->temporary) fchmod(fileno(s->file), S_IRUSR | S_IWUSR);
}

void sink_drop(sink *s)
{
    if (s->file && s->path) fclose(s->file);
    if (s->temporary) unlink(s->temporary);
    if (s->temporary) remember(s->temporary, NULL);
    free(s->temporary);
    free(s->real);
    *s = (sink){0};
}

/* Whether it is a pipe whose reader has gone: who has seen enough (`finf .. | head`) is no error.
 */
static int is_closed_pipe(const sink *s)
{
    struct stat st;
    return pipe_closed && fstat(fileno(s->file), &st) == 0 &&
           (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode));
}

/* The reason, from errno, which may be 0 where stdio has lost it. */
static void cannot_write(const sink *s, finf_reason *why)
{
    const char *quote = s->path ? "'" : "";
    finf_why(why, FINF_EIO, "cannot write %s%.150s%s: %s", quote,
             s->path ? s->path : "standard output", quote, strerror(errno ? errno : EIO));
}

finf_status sink_finish(sink *s, finf_reason *why)
{
    if (!s->file) return FINF_OK;
    int bad = ferror(s->file);
    errno = 0;
    /* the printer has stopped at the first error, long ago: written to once more, for its errno */
    if (bad) fputc('\n', s->file);
    bad |= fflush(s->file) != 0;
    /* on the disk before it has its name: after a power cut it is the old file or the new one */
    bad |= s->temporary && fsync(fileno(s->file)) != 0;
    int enough = bad && is_closed_pipe(s);
    bad |= fclose(s->file) != 0; /* stdout too: a full disk may be noticed only now */
    s->file = NULL;
    if (!bad || enough) return FINF_OK;
    cannot_write(s, why);
    sink_drop(s);
    return FINF_EIO;
}

/* rename replaces the file in one step: whoever opens it sees the old one or the new one. */
finf_status sink_close(sink *s, finf_reason *why)
{
    if (sink_finish(s, why)) return FINF_EIO;
    errno = 0;
    int bad = s->temporary && rename(s->temporary, s->real) != 0;
    if (bad) cannot_write(s, why);
    if (!bad && s->temporary) {
        remember(s->temporary, NULL);
        free(s->temporary);
        s->temporary = NULL;
    }
    sink_drop(s);
    return bad ? FINF_EIO : FINF_OK;
}

int sink_prepare(void)
{
    stdout_closed = fcntl(STDOUT_FILENO, F_GETFD) < 0;
    /* a standard descriptor that is closed would be given to the next file that is opened */
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0) return 0;
    struct sigaction closed = {.sa_handler = on_pipe, .sa_flags = SA_RESTART}, old;
    sigaction(SIGPIPE, &closed, NULL); /* the write fails, and that is all */
    signal(SIGXFSZ, SIG_IGN);          /* a limit on file sizes is an error like a full disk */
    /* a signal that is ignored, as nohup has it, stays so */
    for (size_t i = 0; i < ENDINGS_COUNT; i++)
        if (sigaction(ENDINGS[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            signal(ENDINGS[i], on_signal);
    return 1;
}
