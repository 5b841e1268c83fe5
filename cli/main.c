/* finf: dispatch, help, and the one place that writes output. */
#include <errno.h>
#include <fcntl.h>
#include <gsl/gsl_errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"

static const command_fn RUN[CMD_COUNT] = {
    [CMD_GAMMA] = cmd_gamma, [CMD_MEAN] = cmd_mean,       [CMD_LINREG] = cmd_linreg,
    [CMD_COEF] = cmd_coef,   [CMD_PRIVACY] = cmd_privacy,
};

/* One line, whatever was in the value that is quoted. */
static int complain(finf_status s, const finf_reason *why)
{
    finf_reason line = *why;
    for (char *p = line.text; *p; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7f) *p = '?';
    fprintf(stderr, "finf: %s\n", line.text[0] ? line.text : finf_status_text(s));
    return finf_status_exit(s);
}

/* ---- output: a temporary file beside FILE, renamed when everything is written -------------------------- */

typedef struct {
    FILE *file;
    const char *path; /* NULL: stdout */
    char *real;       /* links resolved; owned */
    char *temporary;  /* NULL: written in place (stdout, a device) */
} sink;

static int stdout_closed;

static void sink_drop(sink *s);

/* The temporary file, for the handler of a signal that ends the program. */
static char *volatile unfinished;

static void on_signal(int signal_number)
{
    if (unfinished) unlink(unfinished);
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
    unfinished = out->temporary;
    mode_t mask = umask(0);
    umask(mask);
    fchmod(fd, old ? old->st_mode & 07777 : 0666 & ~mask);
    return fdopen(fd, "w");
}

static finf_status sink_open(const char *path, sink *out, finf_reason *why)
{
    struct stat st;
    *out = (sink){.path = path};
    if (!path) {
        if (stdout_closed) return finf_why(why, FINF_EIO, "standard output is closed");
        out->file = stdout;
        return FINF_OK;
    }
    int exists = stat(path, &st) == 0;
    if (exists && S_ISDIR(st.st_mode))
        errno = EISDIR;
    else if ((exists && !S_ISREG(st.st_mode)) || strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0)
        out->file = fopen(path, "w"); /* a device, or a name for an open file */
    else
        out->file = open_temporary(path, exists ? &st : NULL, out);
    if (out->file) return FINF_OK;
    int error = errno;
    sink_drop(out);
    return finf_why(why, FINF_EIO, "cannot write '%.150s': %s", path, strerror(error));
}

static void sink_drop(sink *s)
{
    if (s->file && s->path) fclose(s->file);
    if (s->temporary) unlink(s->temporary);
    unfinished = NULL;
    free(s->temporary);
    free(s->real);
    *s = (sink){0};
}

static finf_status sink_close(sink *s, finf_reason *why)
{
    errno = 0;
    int bad = ferror(s->file);
    bad |= fflush(s->file) != 0;
    bad |= fclose(s->file) != 0; /* stdout too: a full disk may only tell now */
    s->file = NULL;
    if (!bad && s->temporary) bad = rename(s->temporary, s->path) != 0;
    int error = errno ? errno : EIO;
    if (bad) finf_why(why, FINF_EIO, "cannot write %.150s: %s", s->path ? s->path : "standard output", strerror(error));
    if (!bad) {
        free(s->temporary);
        s->temporary = NULL;
    }
    sink_drop(s);
    return bad ? FINF_EIO : FINF_OK;
}

/* Help, version and manual go to stdout under the same check as data. */
static int print_and_close(void (*print)(FILE *))
{
    sink s;
    finf_reason why = {""};
    finf_status status = sink_open(NULL, &s, &why);
    if (!status) {
        print(s.file);
        status = sink_close(&s, &why);
    }
    return status ? complain(status, &why) : 0;
}

static void print_version(FILE *out) { fputs("finf " FINF_VERSION "\n", out); }

static command_id help_of;
static void print_help(FILE *out) { args_help(help_of, out); }

/* ---- */

static finf_status read_style(const args *a, doc_style *style, finf_reason *why)
{
    int format = 0;
    double digits = 0;
    finf_status s = args_choice(a, OPT_FORMAT, "text|csv|json", &format, why);
    if (!s && args_given(a, OPT_JSON) && args_given(a, OPT_FORMAT) && format != FORMAT_JSON)
        s = finf_why(why, FINF_EUSAGE, "--json and --format %s contradict each other", args_text(a, OPT_FORMAT));
    if (!s) s = args_whole(a, OPT_PRECISION, 1, 17, &digits, why);
    *style = (doc_style){args_given(a, OPT_JSON) ? FORMAT_JSON : (doc_format)format, (int)digits, args_given(a, OPT_QUIET)};
    return s;
}

static int run(command_id command, const args *a)
{
    finf_reason why = {""};
    doc_style style;
    sink out = {0};
    doc *d = doc_new();
    finf_status s = d ? read_style(a, &style, &why) : FINF_ENOMEM;
    if (!s) s = sink_open(args_text(a, OPT_OUTPUT), &out, &why); /* before the work: a bad path costs nothing */
    if (!s) s = RUN[command](a, d, &why);
    if (!s && doc_failed(d)) s = finf_why(&why, FINF_ENOMEM, "no memory for the output");
    int code = 0;
    if (s) code = complain(s, &why);
    if (!s || s == FINF_ETOL) {
        doc_print(d, style, out.file);
        if ((s = sink_close(&out, &why))) code = complain(s, &why);
    } else
        sink_drop(&out);
    doc_free(d);
    return code;
}

int main(int argc, char **argv)
{
    gsl_set_error_handler_off();
    stdout_closed = fcntl(STDOUT_FILENO, F_GETFD) < 0;
    for (int fd = 0; fd <= 2; fd++) /* a closed one would be taken by the next file opened */
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0) return finf_status_exit(FINF_EIO);
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is reported like any failed write */
    const int endings[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) signal(endings[i], on_signal);
    const char *word = argc > 1 ? argv[1] : "";
    finf_reason why = {""};
    if (argc == 1) {
        args_overview(stderr);
        return finf_status_exit(FINF_EUSAGE);
    }
    if (strcmp(word, "help") == 0 && argc > 2) { /* finf help gamma */
        argv[1] = argv[2];
        argv[2] = "--help";
        word = argv[1];
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "help") == 0 || strcmp(word, "-h") == 0)
        return print_and_close(args_overview);
    if (strcmp(word, "--version") == 0) return print_and_close(print_version);
    if (strcmp(word, "--man") == 0) return print_and_close(args_manual);
    for (int i = 0; i < CMD_COUNT; i++) {
        if (strcmp(word, COMMANDS[i].name) != 0) continue;
        args a;
        finf_status s = args_parse((command_id)i, argc - 1, argv + 1, &a, &why);
        if (s) return complain(s, &why);
        help_of = (command_id)i;
        if (args_given(&a, OPT_HELP)) return print_and_close(print_help);
        if (args_given(&a, OPT_VERSION)) return print_and_close(print_version);
        return run((command_id)i, &a);
    }
    finf_why(&why, FINF_EUSAGE, "no command '%.60s'; 'finf --help' lists them", word);
    return complain(FINF_EUSAGE, &why);
}
