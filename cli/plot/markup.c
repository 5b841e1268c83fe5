/* Formulas in plain text, written as HTML or SVG. A reader cuts the text into pieces, each a
 * symbol, a character, or the beginning or end of a script; scripts do not nest. */
#include "markup.h"

#include <ctype.h>
#include <string.h>

/* The length of the character at s if it is UTF-8 and allowed in XML, else 0. */
static size_t character(const char *s)
{
    const unsigned char *u = (const unsigned char *)s;
    if (u[0] < 0x80) return u[0] >= 0x20 || u[0] == '\t' || u[0] == '\n' || u[0] == '\r';
    size_t n = u[0] >= 0xf0 ? 4 : u[0] >= 0xe0 ? 3 : 2;
    if (u[0] < 0xc2 || u[0] > 0xf4) return 0;
    unsigned long code = u[0] & (0xffu >> (n + 1));
    for (size_t i = 1; i < n; i++) {
        if ((u[i] & 0xc0) != 0x80) return 0;
        code = code << 6 | (u[i] & 0x3fu);
    }
    if ((n == 3 && code < 0x800) || (n == 4 && (code < 0x10000 || code > 0x10ffff))) return 0;
    return (code >= 0xd800 && code < 0xe000) || code == 0xfffe || code == 0xffff ? 0 : n;
}

/* What must be written in place of the character at s; NULL: itself. */
static const char *replacement(const char *s)
{
    return !character(s) ? "\ufffd"
           : *s == '&'   ? "&amp;"
           : *s == '<'   ? "&lt;"
           : *s == '>'   ? "&gt;"
           : *s == '"'   ? "&quot;"
                         : NULL;
}

/* A piece of the text that is written as one: a symbol, a character, or the beginning or end of a
 * script. */
typedef struct {
    const char *symbol; /* written in its place; NULL: its characters */
    size_t length;      /* how much of the text it is */
    char begins;        /* '_' or '^': a script begins */
    int ends;           /* the script ends */
} piece;

typedef struct {
    const char *start; /* of the text */
    const char *at;    /* where the next piece begins */
    const char *stop;  /* where the present script ends; NULL outside one */
    int braces;        /* that script is in braces or brackets, which are not written */
    int literal;       /* between two MARKUP_LITERAL: nothing is a formula */
} reader;

/* The symbol for the word of `letters` letters at s, or for a sign there; NULL if there is none.
 * *length is how much of the text it takes. inf and - are symbols in a script only, and sqrt before
 * a bracket only. */
static const char *find_symbol(const char *s, size_t letters, int script, size_t *length)
{
    static const struct {
        const char *word, *symbol;
    } WORDS[] = {{"beta", "\u03b2"},  {"gamma", "\u03b3"}, {"eta", "\u03b7"},
                 {"theta", "\u03b8"}, {"kappa", "\u03ba"}, {"lambda", "\u03bb"},
                 {"mu", "\u03bc"},    {"nu", "\u03bd"},    {"pi", "\u03c0"},
                 {"rho", "\u03c1"},   {"sigma", "\u03c3"}, {"psi", "\u03c8"},
                 {"Theta", "\u0398"}, {"Omega", "\u03a9"}},
      SIGNS[] = {{">=", "\u2265"}, {"<=", "\u2264"}, {"+-", "\u00b1"}, {"->", "\u2192"}};
    *length = letters;
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
        if (strlen(WORDS[i].word) == letters && strncmp(s, WORDS[i].word, letters) == 0)
            return WORDS[i].symbol;
    if (letters == 4 && strncmp(s, "sqrt", 4) == 0 && s[4] == '(') return "\u221a";
    if (script && letters == 3 && strncmp(s, "inf", 3) == 0) return "\u221e";
    *length = 2;
    for (size_t i = 0; i < sizeof SIGNS / sizeof *SIGNS; i++)
        if (strncmp(s, SIGNS[i].word, 2) == 0) return SIGNS[i].symbol;
    *length = 1;
    return script && *s == '-' ? "\u2212" : NULL;
}

/* Where the script ends that begins with the _ or ^ at which the reader is: at the closing brace or
 * bracket, or behind letters and digits. NULL if none begins, because nothing stands before it. */
static const char *script_end(const reader *r, int *braces)
{
    const char *s = r->at, *p = s + 1;
    *braces = *p == '{' || (*s == '^' && *p == '(');
    if (*braces) return strchr(p, *p == '{' ? '}' : ')');
    if (s == r->start || !(isalnum((unsigned char)s[-1]) || strchr(")]|}", s[-1]))) return NULL;
    if (*s == '^' && *p == '-') p++;
    const char *from = p;
    while (isalnum((unsigned char)*p)) p++;
    return p > from ? p : NULL;
}

/* The next piece, and the reader behind it. */
static piece next_piece(reader *r)
{
    piece q = {NULL, 1, 0, 0};
    const char *s = r->at, *stop = NULL;
    if (r->stop == s) {
        q = (piece){"", r->braces ? 1 : 0, 0, 1};
        r->stop = NULL;
    } else if (*s == *MARKUP_LITERAL) {
        q.symbol = "";
        r->literal = !r->literal;
    } else if (r->literal) {
        if (character(s)) q.length = character(s);
        q.symbol = replacement(s);
    } else if (!r->stop && (*s == '_' || *s == '^') && (stop = script_end(r, &r->braces))) {
        q = (piece){"", r->braces ? 2 : 1, *s, 0};
        r->stop = stop;
    } else {
        size_t letters = 0;
        if (s == r->start || !isalpha((unsigned char)s[-1]))
            while (isalpha((unsigned char)s[letters])) letters++;
        q.symbol = find_symbol(s, letters, r->stop != NULL, &q.length);
        if (!q.symbol && character(s)) q.length = character(s);
        if (!q.symbol) q.symbol = replacement(s);
    }
    r->at += q.length;
    return q;
}

/* Writes s with its scripts and symbols. HTML has elements for scripts. SVG has only dy, which
 * moves all that follows, in em of the smaller size: after a script the rest of the line is moved
 * back by a tspan that stays open to the end. */
static void write_formula(const char *s, int svg, FILE *out)
{
    static const char *const BEGIN[2][2] = {
        {"<sub>", "<sup>"},
        {"<tspan font-size=\"72%\" dy=\".35em\">", "<tspan font-size=\"72%\" dy=\"-.5em\">"}};
    static const char *const END[2][2] = {
        {"</sub>", "</sup>"}, {"</tspan><tspan dy=\"-.252em\">", "</tspan><tspan dy=\".36em\">"}};
    reader r = {.start = s, .at = s};
    int script = 0, open = 0;
    while (*r.at || r.stop) {
        const char *from = r.at;
        piece q = next_piece(&r);
        if (q.begins) {
            script = q.begins == '^';
            fputs(BEGIN[svg][script], out);
        } else if (q.ends) {
            fputs(END[svg][script], out);
            open += svg;
        } else if (q.symbol)
            fputs(q.symbol, out);
        else
            fwrite(from, 1, q.length, out);
    }
    for (; open; open--) fputs("</tspan>", out);
}

void markup_write(const char *s, markup_kind kind, FILE *out)
{
    if (!s) return;
    if (kind != MARKUP_PLAIN) {
        write_formula(s, kind == MARKUP_SVG, out);
        return;
    }
    while (*s) {
        size_t n = character(s);
        if (*s == *MARKUP_LITERAL)
            n = 1;
        else if (replacement(s))
            fputs(replacement(s), out);
        else
            fwrite(s, 1, n, out);
        s += n ? n : 1;
    }
}

double markup_width(const char *s)
{
    double w = 0;
    reader r = {.start = s, .at = s};
    while (s && (*r.at || r.stop)) {
        int script = r.stop != NULL;
        char c = *r.at;
        piece q = next_piece(&r);
        if (q.begins || q.ends || c == *MARKUP_LITERAL) continue;
        double em = strchr("iljtfr.,:;'|!()[] ", c) && !q.symbol  ? 0.37
                    : strchr("mwMW@%<>=+~^#&\"", c) || (c & 0x80) ? 0.85
                                                                  : 0.64;
        w += script ? 0.72 * em : em;
    }
    return w;
}
