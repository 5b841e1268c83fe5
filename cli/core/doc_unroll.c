/* The arrays of a doc as records of a doc of its own, for a plot. */
#include "doc_items.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The next index to be drawn on a logarithmic axis: 48 for each factor 10, and the last one. */
static size_t next_drawn(size_t t, size_t last)
{
    size_t next = (size_t)ceil((double)t * 1.05);
    return t >= last ? last + 1 : next > last ? last : next > t ? next : t + 1;
}

/* What tells the array x apart from the others: the noise of its record, and what else varies. */
static void copy_place(doc *to, const doc *d, const item *x)
{
    const char *from = NULL;
    char key[64], text[512];
    doc_string(to, "noise", DATA_ONLY, doc_noise_of(d, x), NULL);
    while (doc_next_varying(d, &from, key)) {
        char *end;
        doc_varying_text(d, x, key, 0, text, sizeof text);
        double value = strtod(text, &end);
        if (*text && !*end)
            doc_number(to, key, DATA_ONLY, value, NULL);
        else
            doc_string(to, key, DATA_ONLY, text, NULL);
    }
}

const char *doc_array_key(const doc *d)
{
    const item *array = doc_find_kind(d, ARRAY);
    return array ? array->key : NULL;
}

doc *doc_unrolled(const doc *d, const char *key)
{
    doc *to = doc_new();
    for (size_t i = 0; to && i < d->n; i++) {
        const item *x = &d->items[i];
        if (x->kind != ARRAY || !x->key || strcmp(x->key, key) != 0) continue;
        for (size_t t = 1; t < x->rows; t = next_drawn(t, x->rows - 1)) {
            doc_row(to);
            copy_place(to, d, x);
            doc_number(to, "t", DATA_ONLY, (double)t, NULL);
            doc_number(to, key, DATA_ONLY, x->data[t] != 0 ? fabs(x->data[t]) : NAN, NULL);
            if (x->data[t] == 0) doc_string(to, "reason", DATA_ONLY, "it is 0", NULL);
        }
    }
    return to;
}
