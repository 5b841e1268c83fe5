/* What several commands read and show. Numbers are checked here as far as they are an option's own
 * matter (a positive eta); what depends on the problem is checked by the library. */
#include "cmd.h"

#include <stdlib.h>
#include <strings.h>

/* NaN where it was not given, which is then no error: the command says whether it needs one. */
finf_status read_eta(const args *a, double *eta, finf_reason *why)
{
    *eta = NAN;
    finf_status s = args_number(a, OPT_ETA, eta, why);
    if (!s && !isnan(*eta) && !(*eta > 0))
        s = finf_why(why, FINF_EDOM, "eta = %.80s: must be positive", args_text(a, OPT_ETA));
    return s;
}

/* Whether a value lists its numbers or names a file of them, rather than being a number. */
static int is_listed(const char *text) { return *text == '@' || strncmp(text, "list:", 5) == 0; }

/* |theta_0 - theta*|^2 as one number is spread equally over the eigenvectors; a list gives the part
 * along each. d is a double, as a dimension may be up to 1e15. */
finf_status read_start(const args *a, double d, double *start, double **at, finf_reason *why)
{
    const char *text = args_text(a, OPT_START);
    size_t n = 0;
    *at = NULL;
    if (!is_listed(text)) {
        finf_status s = args_number(a, OPT_START, start, why);
        return s || *start >= 0 ? s : finf_why(why, FINF_EDOM, "start = %.80s: must be >= 0", text);
    }
    finf_status s = spec_list(text, "start", at, &n, why);
    if (!s && (double)n != d)
        s = finf_why(
            why, FINF_EDOM,
            "start '%.60s' has %zu values, but there are %s directions: one is needed for each",
            text, n, finf_show(d).s);
    return s;
}

void show_start(doc *d, const args *a, double start)
{
    if (is_listed(args_text(a, OPT_START)))
        doc_string(d, "start", DATA_ONLY, args_text(a, OPT_START), NULL);
    else
        doc_number(d, "start", DATA_ONLY, start, NULL);
}

/* How often a value reads stdin: it names a file by @, and stdin is the file "-". A list of systems
 * may name it more than once. */
static int stdin_reads(const char *text, int is_list)
{
    int count = 0;
    for (const char *p = text; *p; p += *p == ',') {
        size_t length = is_list ? strcspn(p, ",") : strlen(p);
        const char *at = memchr(p, '@', length);
        p += length;
        count += at && p - at == 2 && at[1] == '-';
    }
    return count;
}

/* The same of an option, all the times that it was given; defaults read nothing. */
static int stdin_reads_of(const args *a, option_id id)
{
    int count = 0, times = 0;
    for (size_t i = 0; i < a->repeats; i++)
        if (a->repeated[i].id == id && ++times) count += stdin_reads(a->repeated[i].text, 0);
    return !times && args_given(a, id) ? stdin_reads(args_text(a, id), id == OPT_SYSTEM) : count;
}

/* Two readers of stdin would get the same numbers, which nobody means. */
finf_status check_stdin(const args *a, finf_reason *why)
{
    /* the options whose values may be read from a file */
    static const struct {
        option_id id;
        const char *name;
    } READERS[] = {{OPT_NOISE, "noise"},
                   {OPT_SPECTRUM, "spectrum"},
                   {OPT_START, "start"},
                   {OPT_SYSTEM, "system"}};
    const char *first = NULL;
    for (size_t i = 0; i < sizeof READERS / sizeof *READERS; i++) {
        const char *name = READERS[i].name;
        int count = stdin_reads_of(a, READERS[i].id);
        if (count > 1)
            return finf_why(why, FINF_EUSAGE, "--%s wants to read stdin %d times", name, count);
        if (count && first)
            return finf_why(why, FINF_EUSAGE, "both --%s and --%s want to read stdin", first, name);
        if (count) first = name;
    }
    return FINF_OK;
}

int names_npy(const char *path)
{
    size_t n = path ? strlen(path) : 0;
    return n > 4 && strcasecmp(path + n - 4, ".npy") == 0;
}

int wants_npy(const args *a)
{
    return names_npy(args_text(a, OPT_OUTPUT)) || strcmp(args_text(a, OPT_FORMAT), "npy") == 0;
}

int wants_text(const args *a)
{
    return strcmp(args_text(a, OPT_FORMAT), "text") == 0 && !args_given(a, OPT_JSON) &&
           !wants_npy(a);
}

int wants_csv(const args *a)
{
    return strcmp(args_text(a, OPT_FORMAT), "csv") == 0 || wants_npy(a);
}

void times(char *out, size_t size, const char *what, double factor)
{
    if (isfinite(factor))
        snprintf(out, size, "%s; this noise is %.4g times that", what, factor);
    else
        snprintf(out, size, "%s", what);
}

void show_reason(doc *d, const finf_reason *why)
{
    if (why->text[0]) doc_string(d, "reason", SHOWN, why->text, NULL);
}

void show_row_reason(doc *d, const args *a, const char *text)
{
    if (text[0] || wants_csv(a)) doc_string(d, "reason", DATA_ONLY, text, NULL);
}
