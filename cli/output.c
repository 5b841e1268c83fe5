#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base.h"

static int stdout_closed;

/* Temporary files, for the handler of a signal that ends the program. */
#define SINKS 4
static char *volatile unfinished[SINKS];

static void remember(char *old, char *new)
{
    for (int i = 0; i < SINKS; i++)
        if (unfinished[i] == old) {
            unfinished[i] = new;
            return;
        }
}

static void on_signal(int signal_number)
{
    for (int i = 0; i < SINKS; i++)
        if (unfinished[i]) unlink(unfinished[i]);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

/* Beside the file itself, not beside a link to it; with the mode of what it replaces. */
static FILE *open_temporary(const char *path, const struct stat *old, sink *out)
{
    char *real = old ? realpath(path, NULL) : strdup(path);
    size_t n = real ? strlen(real) + 8 : 0;
    out->path = out->real = real;
    out->temporary = real ? malloc(n) : NULL;
    if (!out->temporary) return NULL;
    snprintf(out->temporary, n, "%s.XXXXXX", real);
    int fd = mkstemp(out->temporary);
    if (fd < 0) {
        free(out->temporary);
        out->temporary = NULL;
        return NULL;
    }
    remember(NULL, out->temporary);
    mode_t mask = umask(0);
    umask(mask);
    fchmod(fd, old ? old->st_mode & 07777 : 0666 & ~mask);
    return fdopen(fd, "w");
}

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
    else if ((exists && !S_ISREG(st.st_mode)) || strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0)
        out->file = fopen(path, "w"); /* a device, or a name for an open file */
    else
        out->file = open_temporary(path, exists ? &st : NULL, out);
    if (out->file) return FINF_OK;
    int error = errno;
    sink_drop(out);
    return finf_why(why, FINF_EIO, "cannot write '%.150s': %s", path, strerror(error));
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

finf_status sink_close(sink *s, finf_reason *why)
{
    errno = 0;
    int bad = ferror(s->file);
    bad |= fflush(s->file) != 0;
    bad |= fclose(s->file) != 0; /* stdout too: a full disk may only tell now */
    s->file = NULL;
    if (!bad && s->temporary) bad = rename(s->temporary, s->path) != 0;
    int error = errno ? errno : EIO;
    const char *quote = s->path ? "'" : "";
    if (bad)
        finf_why(why, FINF_EIO, "cannot write %s%.150s%s: %s", quote, s->path ? s->path : "standard output", quote,
                 strerror(error));
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
    for (int fd = 0; fd <= 2; fd++) /* a closed one would be taken by the next file opened */
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0) return 0;
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is reported like any failed write */
    const int endings[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) signal(endings[i], on_signal);
    return 1;
}
