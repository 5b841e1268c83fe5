/* A field that is an array of objects of words, such as findings. */
#include "doc_items.h"

#include <stdlib.h>
#include <string.h>

size_t doc_names(const item *x)
{
    return x->kind == OBJECTS ? (x->rows + 1) * x->columns : x->columns;
}

/* All of it as one cell: "warning: text; note: text". */
char *doc_one_cell(doc *d, const item *x)
{
    memory_file cell = {0};
    FILE *f = memory_open(&cell);
    for (size_t r = 0; f && r < x->rows; r++)
        for (size_t c = 0; c < x->columns; c++) {
            const char *word = x->names[(r + 1) * x->columns + c];
            fprintf(f, "%s%s", c ? ": " : r ? "; " : "", word ? word : "");
        }
    if (!f || fclose(f) != 0 || cell.failed) doc_fail(d);
    return cell.text;
}

size_t doc_object_count(const doc *d)
{
    size_t n = 0;
    for (size_t i = 0; i < d->n; i++) n += d->items[i].kind == OBJECTS ? d->items[i].rows : 0;
    return n;
}

void doc_copy_objects(doc *to, const item *x)
{
    if (x->names)
        doc_objects(to, x->key, x->columns, (const char *const *)x->names,
                    (const char *const *)x->names + x->columns, x->rows);
}

/* A line each: the key, then the words. */
void print_objects_text(const item *x, size_t keys, FILE *out)
{
    for (size_t r = 0; r < x->rows; r++) {
        fputs("  ", out);
        print_padded(r ? "" : x->key, -(int)keys, out);
        for (size_t c = 0; c < x->columns; c++) {
            fputs(c ? ": " : "  ", out);
            doc_plain(x->names[(r + 1) * x->columns + c], out);
        }
        fputc('\n', out);
    }
}

void print_objects_below(const doc *d, FILE *out)
{
    for (size_t i = 0; i < d->n; i++) {
        const item *x = &d->items[i];
        if (x->kind != OBJECTS) continue;
        for (size_t r = 0; r < x->rows; r++) {
            doc_plain(doc_noise_of(d, x), out);
            for (size_t c = 0; c < x->columns; c++) {
                fputs(": ", out);
                doc_plain(x->names[(r + 1) * x->columns + c], out);
            }
            fputc('\n', out);
        }
    }
}
