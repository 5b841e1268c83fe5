/* TOML, a key or the head of a table at a time. What the part that is read leaves out (dates,
 * inline tables, dotted keys, strings of several lines) is refused, with the line. */
#include "toml.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"

static finf_status wrong(const toml *t, finf_reason *why, const char *what)
{
    size_t n = strcspn(t->at, "\r\n");
    return finf_why(why, FINF_EPARSE, "'%.80s' line %zu: %s at '%.*s'", t->name, t->line, what,
                    (int)(n < 40 ? n : 40), t->at);
}

/* Over blanks and, if `lines`, over ends of lines and comments. */
static void skip(toml *t, int lines)
{
    for (;; t->at++) {
        if (lines && *t->at == '#') t->at += strcspn(t->at, "\n");
        if (lines && *t->at == '\n') t->line++;
        if (*t->at == ' ' || *t->at == '\t' || *t->at == '\r') continue;
        if (!lines || *t->at != '\n') return;
    }
}

/* Nothing but a comment may follow on the line. */
static finf_status end_line(toml *t, finf_reason *why)
{
    skip(t, 0);
    if (*t->at && *t->at != '\n' && *t->at != '#')
        return wrong(t, why, "the end of the line is expected");
    return FINF_OK;
}

/* A name of letters, digits, _ and -, or such a name in quotes. */
static finf_status read_word(toml *t, finf_reason *why)
{
    char quote = *t->at == '"' || *t->at == '\'' ? *t->at++ : 0;
    size_t n = 0;
    while (isalnum((unsigned char)t->at[n]) || t->at[n] == '_' || t->at[n] == '-') n++;
    if (n == 0 || n >= sizeof t->word || (quote && t->at[n] != quote))
        return wrong(t, why, "a name of letters, digits, - and _ is expected");
    memcpy(t->word, t->at, n);
    t->word[n] = '\0';
    t->at += n + (quote != 0);
    return FINF_OK;
}

/* Room for one more value, of at most `size` bytes with its end. */
static finf_status add_value(toml *t, toml_type type, size_t size, char **text, finf_reason *why)
{
    if (t->n == t->room) {
        size_t more = t->room ? 2 * t->room : 16;
        toml_value *values = realloc(t->values, more * sizeof *values);
        if (!values) return finf_why(why, FINF_ENOMEM, "no memory");
        t->values = values;
        t->room = more;
    }
    *text = malloc(size);
    if (!*text) return finf_why(why, FINF_ENOMEM, "no memory");
    t->values[t->n++] = (toml_value){type, *text};
    return FINF_OK;
}

/* The character of an escape \x; 0: there is none such. */
static char escape(char c)
{
    const char *from = "btnfr\"\\", *to = "\b\t\n\f\r\"\\", *found = c ? strchr(from, c) : NULL;
    return found ? to[found - from] : 0;
}

/* "with escapes" or 'as it is'. */
static finf_status read_string(toml *t, finf_reason *why)
{
    char quote = *t->at, *out;
    const char *p = t->at + 1;
    if (p[0] == quote && p[1] == quote)
        return wrong(t, why, "strings of several lines are not read:");
    finf_status s = add_value(t, TOML_STRING, strcspn(p, "\n") + 1, &out, why);
    if (s) return s;
    while (*p != quote) {
        int escaped = quote == '"' && *p == '\\';
        p += escaped;
        if (*p == '\0' || *p == '\n') return wrong(t, why, "a string without its end");
        *out = escaped ? escape(*p) : *p;
        if (!*out) return wrong(t, why, "an escape that is none of \\\" \\\\ \\t \\n");
        out++;
        p++;
    }
    *out = '\0';
    t->at = p + 1;
    return FINF_OK;
}

/* Over digits, between two of which one _ may stand. NULL: none are there, or _ elsewhere. */
static const char *digits(const char *p)
{
    if (!isdigit((unsigned char)*p)) return NULL;
    while (isdigit((unsigned char)*p) || (*p == '_' && isdigit((unsigned char)p[1]))) p++;
    return p;
}

/* The end of a number as TOML writes it: 1_000, -0.5, 1e-3, no 01, .5 or 1. ; NULL: there is none.
 */
static const char *number_end(const char *p)
{
    p += *p == '+' || *p == '-';
    if (*p == '0' && p[1] && strchr("0123456789_", p[1])) return NULL;
    p = digits(p);
    if (p && *p == '.') p = digits(p + 1);
    if (p && (*p == 'e' || *p == 'E')) p = digits(p + 1 + (p[1] == '+' || p[1] == '-'));
    return p;
}

/* true, false or a number. Whether it is one that the option takes is the command's to say. */
static finf_status read_bare(toml *t, finf_reason *why)
{
    size_t n = strcspn(t->at, " \t\r\n,]#");
    char *out;
    int yes = n == 4 && strncmp(t->at, "true", 4) == 0;
    int no = n == 5 && strncmp(t->at, "false", 5) == 0;
    int number = number_end(t->at) == t->at + n;
    if (!yes && !no && !number)
        return wrong(t, why, "a string in quotes, a number, true, false or an array is expected");
    finf_status s = add_value(t, yes ? TOML_TRUE : no ? TOML_FALSE : TOML_NUMBER, n + 1, &out, why);
    if (s) return s;
    for (size_t i = 0; i < n; i++)
        if (t->at[i] != '_') *out++ = t->at[i];
    *out = '\0';
    t->at += n;
    return FINF_OK;
}

static finf_status read_scalar(toml *t, finf_reason *why)
{
    return *t->at == '"' || *t->at == '\'' ? read_string(t, why) : read_bare(t, why);
}

/* [a, b, c], perhaps over several lines, perhaps with a comma behind the last. */
static finf_status read_array(toml *t, finf_reason *why)
{
    finf_status s = FINF_OK;
    t->at++;
    for (skip(t, 1); !s && *t->at != ']'; skip(t, 1)) {
        s = read_scalar(t, why);
        if (!s) skip(t, 1);
        if (!s && *t->at != ',' && *t->at != ']') s = wrong(t, why, "a comma or ] is expected");
        if (!s && *t->at == ',') t->at++;
    }
    if (!s) t->at++;
    if (!s && !t->n) s = wrong(t, why, "an array without a value: it is of no job");
    return s;
}

static void forget(toml *t)
{
    while (t->n) free(t->values[--t->n].text);
}

void toml_free(toml *t)
{
    forget(t);
    free(t->values);
    t->values = NULL;
}

/* [[name]] */
static finf_status read_table(toml *t, finf_reason *why)
{
    if (t->at[1] != '[') return wrong(t, why, "[[grid]] is expected");
    t->at += 2;
    skip(t, 0);
    finf_status s = read_word(t, why);
    if (s) return s;
    skip(t, 0);
    if (t->at[0] != ']' || t->at[1] != ']') return wrong(t, why, "]] is expected");
    t->at += 2;
    return end_line(t, why);
}

finf_status toml_next(toml *t, toml_kind *kind, finf_reason *why)
{
    forget(t);
    skip(t, 1);
    *kind = !*t->at ? TOML_END : *t->at == '[' ? TOML_TABLE : TOML_KEY;
    if (*kind == TOML_END) return FINF_OK;
    if (*kind == TOML_TABLE) return read_table(t, why);
    finf_status s = read_word(t, why);
    if (s) return s;
    skip(t, 0);
    if (*t->at != '=') return wrong(t, why, "= is expected");
    t->at++;
    skip(t, 0);
    s = *t->at == '[' ? read_array(t, why) : read_scalar(t, why);
    return s ? s : end_line(t, why);
}
