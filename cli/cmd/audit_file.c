#include "audit_file.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "bytes.h"
#include "input.h"
#include "npy.h"

void audit_file_free(audit_file *f)
{
    finf_noise_free(f->noise);
    free(f->matrix);
    *f = (audit_file){0};
}

/* ---- what the file says that it is ----------------------------------------------------------- */

/* The word in the text, with no letter, digit or underscore beside it; NULL: it is not there. */
static const char *find_word(const char *text, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = text; (p = strstr(p, word)); p += n) {
        int before = p > text && (isalnum((unsigned char)p[-1]) || p[-1] == '_');
        int after = isalnum((unsigned char)p[n]) || p[n] == '_';
        if (!before && !after) return p + n;
    }
    return NULL;
}

/* Whether there is a line [part]. */
static int has_part(const char *text, const char *part)
{
    char line[32];
    int n = snprintf(line, sizeof line, "\n[%s]", part);
    return strncmp(text, line + 1, (size_t)n - 1) == 0 || strstr(text, line) != NULL;
}

/* The coefficients that names in the text say they are; `given` where there are none. */
static finf_status settle_coef(const char *path, const char *text, int given, int *coef,
                               finf_reason *why)
{
    int noising = find_word(text, "noising_coef") || has_part(text, "noising") ||
                  has_part(text, "beta");
    int strategy = find_word(text, "strategy_coef") || has_part(text, "strategy");
    int said = strategy ? FINF_AUDIT_STRATEGY : noising ? FINF_AUDIT_NOISING : -1;
    *coef = said >= 0 ? said : given;
    if (said < 0 || given < 0 || said == given) return FINF_OK;
    return finf_why(why, FINF_EUSAGE, "--coef %s, but '%.120s' says that it is %s",
                    finf_audit_coef_name((finf_audit_coef)given), path,
                    finf_audit_coef_name((finf_audit_coef)said));
}

/* ---- jax_privacy's spelling ------------------------------------------------------------------ */

/* Up to the first number of a list: over =, :, quotes, the name of an array and brackets. NULL: no
 * bracket is there. */
static const char *list_begins(const char *p)
{
    p += strspn(p, "\"' \t\r\n=:");
    while (isalpha((unsigned char)*p) || *p == '.' || *p == '_') p++;
    if (*p != '[' && *p != '(') return NULL;
    return p + strspn(p, "[( \t\r\n");
}

/* The numbers of key=[..], (..), Array([..], dtype=..) or "key": [..]. */
static finf_status read_named(const char *path, const char *text, const char *key, double **out,
                              size_t *n, finf_reason *why)
{
    const char *p = find_word(text, key);
    p = p ? list_begins(p) : NULL;
    *out = NULL;
    *n = 0;
    if (!p)
        return finf_why(why, FINF_EPARSE, "'%.120s': %s must be a list, as %s=[0.9, 0.5]", path,
                        key, key);
    *out = malloc((strlen(p) / 2 + 1) * sizeof **out);
    if (!*out) return finf_why(why, FINF_ENOMEM, "no memory");
    while (*p && *p != ']' && *p != ')') {
        char *end;
        double x = strtod(p, &end);
        if (end == p || !isfinite(x))
            return finf_why(why, FINF_EPARSE, "'%.100s': '%.*s' in %s is not a finite number", path,
                            (int)strcspn(p, ",)] \t\r\n"), p, key);
        (*out)[(*n)++] = x;
        p = end + strspn(end, " \t\r\n");
        if (*p == ',') p++;
        p += strspn(p, " \t\r\n");
    }
    if (!*p) return finf_why(why, FINF_EPARSE, "'%.120s': the list of %s has no end", path, key);
    return *n ? FINF_OK
              : finf_why(why, FINF_EPARSE, "'%.120s': the list of %s is empty", path, key);
}

static finf_status read_jax_blt(const char *path, const char *text, finf_noise **out,
                                finf_reason *why)
{
    double *decay = NULL, *scale = NULL;
    size_t n = 0, m = 0;
    finf_status s = read_named(path, text, "buf_decay", &decay, &n, why);
    if (!s) s = read_named(path, text, "output_scale", &scale, &m, why);
    if (!s && n != m)
        s = finf_why(why, FINF_EPARSE, "'%.120s': %zu buf_decay, but %zu output_scale", path, n, m);
    if (!s) s = finf_noise_blt(decay, scale, n, out, why);
    free(decay);
    free(scale);
    return s;
}

static finf_status make_list(finf_audit_coef coef, const double *x, size_t n, finf_noise **out,
                             finf_reason *why)
{
    return (coef == FINF_AUDIT_STRATEGY ? finf_noise_strategy : finf_noise_fir)(x, n, out, why);
}

static finf_status read_jax_list(const char *path, const char *text, int coef, finf_noise **out,
                                 finf_reason *why)
{
    double *x = NULL;
    size_t n = 0;
    finf_status s = read_named(
        path, text, coef == FINF_AUDIT_STRATEGY ? "strategy_coef" : "noising_coef", &x, &n, why);
    if (!s) s = make_list((finf_audit_coef)coef, x, n, out, why);
    free(x);
    return s;
}

/* A name with a list behind it, rather than a header of columns. */
static int has_list(const char *text, const char *name)
{
    const char *p = find_word(text, name);
    return p && list_begins(p) != NULL;
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* Two columns, of which the first counts 0, 1, 2, .. or 1, 2, 3, ..: a list with its index; with
 * names a third may be its error, as `finf coef` writes it. A square matrix without names is none.
 */
static int is_indexed(const input_table *t)
{
    if (t->columns != 2 && !(t->columns == 3 && t->named)) return 0;
    int indexed = (t->rows != 2 || t->named) && (t->data[0] == 0 || t->data[0] == 1);
    for (size_t i = 0; i < t->rows && indexed; i++)
        indexed = t->data[t->columns * i] == t->data[0] + (double)i;
    return indexed;
}

/* theta,omega in two columns. */
static finf_status make_blt(const char *path, const input_table *t, finf_noise **out,
                            finf_reason *why)
{
    if (t->columns != 2)
        return finf_why(why, FINF_EPARSE, "'%.120s' [blt] has %zu columns: must be theta,omega",
                        path, t->columns);
    double *x = malloc(2 * t->rows * sizeof *x);
    if (!x) return finf_why(why, FINF_ENOMEM, "no memory");
    for (size_t i = 0; i < t->rows; i++) {
        x[i] = t->data[2 * i];
        x[t->rows + i] = t->data[2 * i + 1];
    }
    finf_status s = finf_noise_blt(x, x + t->rows, t->rows, out, why);
    free(x);
    return s;
}

/* A list, or a square matrix, which takes the table's numbers. */
static finf_status make_plain(const char *path, input_table *t, int coef, audit_file *out,
                              finf_reason *why)
{
    if (is_indexed(t)) {
        for (size_t i = 0; i < t->rows; i++) t->data[i] = t->data[t->columns * i + 1];
        t->columns = 1;
    }
    out->coef = coef >= 0                         ? (finf_audit_coef)coef
                : t->rows == 1 || t->columns == 1 ? FINF_AUDIT_NOISING
                                                  : FINF_AUDIT_STRATEGY;
    if (t->rows == 1 || t->columns == 1)
        return make_list(out->coef, t->data, t->rows * t->columns, &out->noise, why);
    if (t->rows != t->columns)
        return finf_why(why, FINF_EPARSE,
                        "'%.120s' has %zu rows of %zu numbers: a list or a square matrix is "
                        "expected",
                        path, t->rows, t->columns);
    out->n = t->rows;
    out->matrix = t->data;
    t->data = NULL;
    return FINF_OK;
}

/* Where the brackets of [1, -0.5] or [[1, 0], [0.5, 1]] begin, as JSON, Python and NumPy print
 * them, perhaps within array(..). NULL: it is something else, such as a [name]. */
static char *find_brackets(char *text)
{
    char *start = text + strspn(text, " \t\r\n");
    while (isalpha((unsigned char)*start) || *start == '.') start++;
    start += *start == '(';
    if (*start != '[') return NULL;
    const char *p = start + strspn(start, "[ \t\r\n");
    return isdigit((unsigned char)*p) || (*p && strchr("+-.]", *p)) ? start : NULL;
}

/* The same as lines of numbers: an inner bracket ends a line, and every other is a blank, as is a
 * comma between lines. What is behind the last bracket is cut off. */
static void flatten(char *text)
{
    int inner = strchr(text + 1, '[') != NULL, ended = 1;
    char *last = strrchr(text, ']');
    if (last) last[1] = '\0';
    for (char *p = text; *p; p++) {
        if (*p == ']' && inner && !ended) {
            *p = '\n';
            ended = 1;
            continue;
        }
        int number = !strchr("[] \t\r\n,", *p);
        if (strchr("[]\r\n", *p) || (ended && *p == ',')) *p = ' ';
        if (number) ended = 0;
    }
}

static finf_status read_brackets(const char *path, char *text, int coef, audit_file *out,
                                 finf_reason *why)
{
    input_table t = {.dimensions = 2};
    input_text r = {.path = path, .active = 1, .found = 1, .room = 1024, .out = &t};
    t.data = malloc(r.room * sizeof *t.data);
    if (!t.data) return finf_why(why, FINF_ENOMEM, "no memory");
    flatten(text);
    finf_status s = input_text_lines(&r, text, why);
    if (!s && !r.n) s = finf_why(why, FINF_EPARSE, "'%.120s': no number in it", path);
    if (!s) s = make_plain(path, &t, coef, out, why);
    free(t.data);
    return s;
}

/* The steps of a [design]. */
static finf_status read_steps(const char *path, audit_file *out, finf_reason *why)
{
    input_table t;
    finf_status s = input_read(path, "design", &t, why);
    if (!s && t.data[0] >= 1 && t.data[0] == floor(t.data[0])) out->steps = t.data[0];
    free(t.data);
    return s;
}

static finf_status read_table(const char *path, const char *text, int coef, audit_file *out,
                              finf_reason *why)
{
    static const char *const PARTS[] = {"blt", "beta", "strategy", "noising"};
    const char *part = "noising";
    input_table t;
    finf_status s = FINF_OK;
    for (size_t i = sizeof PARTS / sizeof *PARTS; text && i > 0; i--)
        if (has_part(text, PARTS[i - 1])) part = PARTS[i - 1];
    if (text && has_part(text, "design")) s = read_steps(path, out, why);
    if (!s) s = input_read(path, part, &t, why);
    if (s) return s;
    if (strcmp(part, "beta") == 0) coef = FINF_AUDIT_NOISING;
    s = strcmp(part, "blt") == 0 ? make_blt(path, &t, &out->noise, why)
                                 : make_plain(path, &t, coef, out, why);
    free(t.data);
    return s;
}

finf_status audit_file_read(const char *path, int coef, audit_file *out, finf_reason *why)
{
    char *bytes = NULL;
    size_t size = 0;
    *out = (audit_file){.steps = NAN};
    finf_status s = bytes_read(path, &bytes, &size, why);
    if (s) return s;
    /* what is not text has no names, and input_read says what is wrong with it */
    const char *text = npy_is(bytes, size) || strlen(bytes) != size ? NULL : bytes;
    if (text) s = settle_coef(path, text, coef, &coef, why);
    if (!s && text && find_word(text, "buf_decay"))
        s = read_jax_blt(path, text, &out->noise, why);
    else if (!s && text && (has_list(text, "strategy_coef") || has_list(text, "noising_coef")))
        s = read_jax_list(path, text, coef, &out->noise, why);
    else if (!s && text && find_brackets(bytes))
        s = read_brackets(path, find_brackets(bytes), coef, out, why);
    else if (!s)
        s = read_table(path, text, coef, out, why);
    free(bytes);
    return s;
}
