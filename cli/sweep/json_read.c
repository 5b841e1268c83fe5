#include "json_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"

/* Where the reader is. A text that was changed by others must not lead it beyond the end. */
typedef struct {
    const char *p;
    int no_memory;
} reader;

static void blanks(reader *r) { r->p += strspn(r->p, " \t\r\n"); }

/* Whether the next character is this one, which is then passed. */
static int next(reader *r, char c)
{
    blanks(r);
    if (*r->p != c) return 0;
    r->p++;
    return 1;
}

/* \uXXXX as UTF-8; returns its bytes, 0: no four digits. */
static int put_escape(const char *p, char *out)
{
    char digits[5] = {0}, *end;
    strncpy(digits, p, 4);
    unsigned long c = strtoul(digits, &end, 16);
    if (end != digits + 4) return 0;
    int n = c < 0x80 ? 1 : c < 0x800 ? 2 : 3;
    static const unsigned char FIRST[] = {0, 0, 0xc0, 0xe0};
    for (int i = n - 1; i > 0; i--, c >>= 6) out[i] = (char)(0x80 | (c & 0x3f));
    out[0] = (char)(FIRST[n > 1 ? n : 0] | c);
    return n;
}

/* A string in its quotes, owned by the caller; NULL: none, or no memory. */
static char *read_string(reader *r)
{
    static const char FROM[] = "\"\\/bfnrt", TO[] = "\"\\/\b\f\n\r\t";
    if (!next(r, '"')) return NULL;
    size_t length = 0;
    for (const char *p = r->p; *p && *p != '"'; p++, length++) p += *p == '\\' && p[1];
    char *text = malloc(3 * length + 1), *out = text;
    r->no_memory |= !text;
    while (text && *r->p && *r->p != '"') {
        char c = *r->p++;
        const char *found = c == '\\' && *r->p ? strchr(FROM, *r->p) : NULL;
        if (c == '\\' && *r->p == 'u') {
            int n = put_escape(r->p + 1, out);
            if (!n) break;
            out += n;
            r->p += 5;
        } else if (c == '\\') {
            if (!found) break;
            *out++ = TO[found - FROM];
            r->p++;
        } else
            *out++ = c;
    }
    if (text && *r->p == '"') {
        *out = '\0';
        r->p++;
        return text;
    }
    free(text);
    return NULL;
}

/* A word or number that begins here. 0: neither. */
static int read_bare(reader *r, json_item *x)
{
    static const struct {
        const char *word;
        json_kind kind;
        double value;
    } WORDS[] = {{"null", JSON_NUMBER, NAN}, {"true", JSON_BOOL, 1}, {"false", JSON_BOOL, 0}};
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
        if (strncmp(r->p, WORDS[i].word, strlen(WORDS[i].word)) == 0) {
            x->kind = WORDS[i].kind;
            x->number = WORDS[i].value;
            r->p += strlen(WORDS[i].word);
            return 1;
        }
    size_t digits = strspn(r->p, "0123456789"), all = strspn(r->p, "0123456789+-.eE");
    char *end;
    x->number = strtod(r->p, &end);
    x->kind = all == digits && digits < 20 ? JSON_WHOLE : JSON_NUMBER;
    if (x->kind == JSON_WHOLE) x->whole = strtoull(r->p, NULL, 10);
    if (!all || end != r->p + all) return 0;
    r->p = end;
    return 1;
}

/* A string; "inf" and "-inf" are numbers. */
static int read_text(reader *r, json_item *x)
{
    x->text = read_string(r);
    if (!x->text) return 0;
    x->kind = JSON_STRING;
    const char *bare = x->text + (x->text[0] == '-');
    if (strcmp(bare, "inf") == 0) {
        x->kind = JSON_NUMBER;
        x->number = x->text == bare ? INFINITY : -INFINITY;
    }
    return 1;
}

/* Over an object or array of anything, whose brackets are counted. */
static int pass_over(reader *r)
{
    int depth = 0;
    do {
        blanks(r);
        if (*r->p == '"') {
            char *text = read_string(r);
            if (!text) return 0;
            free(text);
            continue;
        }
        depth += *r->p == '{' || *r->p == '[';
        depth -= *r->p == '}' || *r->p == ']';
        if (!*r->p++) return 0;
    } while (depth > 0);
    return 1;
}

/* An array of numbers; 0 if it is another. */
static int read_numbers(reader *r, json_item *x)
{
    size_t room = 0;
    if (!next(r, '[')) return 0;
    while (!next(r, ']')) {
        json_item one = {.number = NAN};
        blanks(r);
        int good = *r->p == '"' ? read_text(r, &one) : read_bare(r, &one);
        free(one.text);
        if (!good || one.kind == JSON_STRING || one.kind == JSON_BOOL) return 0;
        if (x->n == room) {
            room = room ? 2 * room : 16;
            double *data = realloc(x->data, room * sizeof *data);
            r->no_memory |= !data;
            if (!data) return 0;
            x->data = data;
        }
        x->data[x->n++] = one.number;
        if (!next(r, ',') && *r->p != ']') return 0;
    }
    x->kind = JSON_NUMBERS;
    return 1;
}

/* Puts a string behind the text of x, with this between them; 0: there is none, or no memory. */
static int append_string(reader *r, json_item *x, const char *between)
{
    char *more = read_string(r);
    size_t before = x->text ? strlen(x->text) : 0;
    char *text = more ? realloc(x->text, before + strlen(between) + strlen(more) + 1) : NULL;
    r->no_memory |= more && !text;
    if (text) {
        x->text = text;
        strcpy(text + before, between);
        strcat(text, more);
    }
    free(more);
    return text != NULL;
}

/* An array of objects whose values are strings, as doc_objects has it in one cell: "a: b; c: d". 0
 * if it is another. */
static int read_objects(reader *r, json_item *x)
{
    if (!next(r, '[')) return 0;
    do {
        const char *between = x->text ? "; " : "";
        if (!next(r, '{')) return 0;
        do {
            char *key = read_string(r);
            free(key);
            if (!key || !next(r, ':') || !append_string(r, x, between)) return 0;
            between = ": ";
        } while (next(r, ','));
        if (!next(r, '}')) return 0;
    } while (next(r, ','));
    x->kind = JSON_STRING;
    return next(r, ']');
}

static int read_value(reader *r, json_item *x)
{
    blanks(r);
    const char *start = r->p;
    if (*start == '"') return read_text(r, x);
    if (*start != '[' && *start != '{') return read_bare(r, x);
    if (*start == '[' && read_numbers(r, x)) return 1;
    r->p = start;
    if (*start == '[' && !r->no_memory && read_objects(r, x)) return 1;
    r->p = start;
    x->kind = JSON_OTHER;
    return !r->no_memory && pass_over(r);
}

/* A new item at the end of the list; NULL: no memory. */
static json_item *add(json_list *l)
{
    if (l->n == l->room) {
        size_t more = l->room ? 2 * l->room : 64;
        json_item *items = realloc(l->items, more * sizeof *items);
        if (!items) return NULL;
        l->items = items;
        l->room = more;
    }
    l->items[l->n] = (json_item){.number = NAN};
    return &l->items[l->n++];
}

static int read_all(reader *r, json_list *out)
{
    int object = next(r, '{');
    char close = object ? '}' : ']';
    if (!object && !next(r, '[')) return 0;
    while (!next(r, close)) {
        json_item *x = add(out);
        r->no_memory |= !x;
        if (!x || (object && (!(x->key = read_string(r)) || !next(r, ':')))) return 0;
        if (!read_value(r, x)) return 0;
        if (!next(r, ',') && *r->p != close) return 0;
    }
    return 1;
}

finf_status json_read(const char *text, json_list *out, finf_reason *why)
{
    reader r = {.p = text};
    *out = (json_list){0};
    if (read_all(&r, out)) return FINF_OK;
    return r.no_memory ? finf_why(why, FINF_ENOMEM, "no memory")
                       : finf_why(why, FINF_EPARSE, "no JSON of finf: '%.60s'", text);
}

void json_free(json_list *l)
{
    for (size_t i = 0; i < l->n; i++) {
        free(l->items[i].key);
        free(l->items[i].text);
        free(l->items[i].data);
    }
    free(l->items);
    *l = (json_list){0};
}

const json_item *json_find(const json_list *l, const char *key)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->items[i].key && strcmp(l->items[i].key, key) == 0) return &l->items[i];
    return NULL;
}
