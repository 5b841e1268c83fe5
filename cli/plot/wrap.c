/* Text broken into lines, by the widths that markup.c estimates. */
#include "parts.h"

#include <string.h>

/* Where the lines are made. */
typedef struct {
    wrapped *out;
    double room; /* width of a line, */
    int lines;   /* and how many there may be */
    int literal; /* the text so far has opened a literal, and not closed it */
    int full;    /* no further line: the rest is dropped */
} breaker;

/* The length of the character at s: the byte and those that continue it. */
static size_t character(const char *s)
{
    size_t n = 1;
    while ((s[n] & 0xc0) == 0x80) n++;
    return n;
}

/* Whether `n` bytes of s still fit on the present line, with the blank before them. */
static int fits(const breaker *b, const char *s, size_t n)
{
    char line[WRAP_CHARS + 8];
    const char *now = b->out->line[b->out->n];
    if (strlen(now) + n + 4 > WRAP_CHARS) return 0;
    snprintf(line, sizeof line, "%s%s%.*s", now, *now ? " " : "", (int)n, s);
    return markup_width(line) <= b->room;
}

/* Whether they would on a line of their own. */
static int fits_alone(const breaker *b, const char *s, size_t n)
{
    char line[WRAP_CHARS];
    if (n + 4 > WRAP_CHARS) return 0;
    snprintf(line, sizeof line, "%.*s", (int)n, s);
    return markup_width(line) <= b->room;
}

/* Appends n bytes of s to the present line. */
static void append(breaker *b, const char *s, size_t n)
{
    char *now = b->out->line[b->out->n];
    size_t used = strlen(now);
    for (size_t i = 0; i < n; i++) b->literal ^= s[i] == *MARKUP_LITERAL;
    snprintf(now + used, WRAP_CHARS - used, "%s%.*s", used > (size_t)(now[0] == 1) ? " " : "",
             (int)n, s);
}

/* Ends the present line and begins the next; what is literal goes on as that. */
static void next_line(breaker *b)
{
    char *now = b->out->line[b->out->n];
    int last = b->out->n + 1 == b->lines;
    size_t used = strlen(now);
    snprintf(now + used, WRAP_CHARS - used, "%s%s", b->literal ? MARKUP_LITERAL : "",
             last ? "\u2026" : "");
    if (last) {
        b->full = 1;
        return;
    }
    b->out->n++;
    snprintf(b->out->line[b->out->n], WRAP_CHARS, "%s", b->literal ? MARKUP_LITERAL : "");
}

/* A word that is wider than a whole line, character by character. */
static void break_word(breaker *b, const char *s, size_t n)
{
    while (n && !b->full) {
        size_t part = 0;
        while (part < n && (part == 0 || fits(b, s, part + character(s + part))))
            part += character(s + part);
        if (part > n) part = n;
        append(b, s, part);
        s += part;
        n -= part;
        if (n) next_line(b);
    }
}

/* The length of the word at s: up to the next blank, but "x = 1" is one word. */
static size_t word(const char *s)
{
    size_t n = strcspn(s, " ");
    while (strncmp(s + n, " = ", 3) == 0 && s[n + 3]) n += 3 + strcspn(s + n + 3, " ");
    return n;
}

void wrap(const char *s, double room, int lines, wrapped *out)
{
    breaker b = {.out = out, .room = room, .lines = lines < WRAP_LINES ? lines : WRAP_LINES};
    out->n = 0;
    out->width = 0;
    out->line[0][0] = 0;
    while (s && *s && !b.full) {
        size_t n = word(s);
        char *now = out->line[out->n];
        if (n > strcspn(s, " ") && !fits_alone(&b, s, n)) n = strcspn(s, " ");
        if (n && !fits(&b, s, n) && now[now[0] == 1]) {
            next_line(&b);
            continue;
        }
        if (n && fits(&b, s, n))
            append(&b, s, n);
        else if (n)
            break_word(&b, s, n);
        s += n + strspn(s + n, " ");
    }
    if (out->line[out->n][0]) out->n++;
    for (int i = 0; i < out->n; i++) {
        double w = markup_width(out->line[i]);
        if (w > out->width) out->width = w;
    }
}
