/* What a doc is made of, for the files that fill and print it: no command sees this. */
#ifndef FINF_DOC_ITEMS_H
#define FINF_DOC_ITEMS_H

#include "doc.h"

/* The kinds up to STRING are single values, which text shows after their label. */
typedef enum {
    NUMBER,
    REAL, /* a number with its error */
    WHOLE,
    BOOLEAN,
    STRING,
    ARRAY,   /* numbers that are the whole output */
    SERIES,  /* numbers that are a field of their record */
    OBJECTS, /* objects of words, a field of their record */
    TABLE,
    HEADING, /* HEADING and NOTE are for text only */
    NOTE,
    ROW /* a record begins */
} item_kind;

/* Strings and data are the item's own; those that its kind does not need are NULL. */
typedef struct {
    item_kind kind;
    char *key;       /* its name; NULL: it has none */
    char *error_key; /* REAL, ARRAY: the name of its error */
    doc_where where; /* who sees it */
    char *label;     /* HEADING, NOTE: the text itself; TABLE: of a first column more, */
    char *note;      /* what it means, in text */
    /* STRING; OBJECTS: all of it as one cell; TABLE: what that column has in all its rows, or NULL
     */
    char *string;
    double value;             /* NUMBER, REAL, WHOLE, BOOLEAN (0 or 1) */
    double error;             /* REAL, ARRAY */
    unsigned long long whole; /* WHOLE, every digit of it */
    double *data;             /* ARRAY, SERIES; TABLE row by row */
    size_t rows;              /* of data */
    size_t columns;           /* TABLE, OBJECTS */
    char **names;             /* TABLE: of its columns; OBJECTS: and then the cells */
} item;

/* The columns of the CSV: the keys of all records. A key that only some records have comes after
 * the key that it follows there. */
typedef struct {
    const char **key;  /* borrowed from the items */
    const item **cell; /* room for one record, a column each, while it is printed */
    size_t n;          /* columns */
    size_t room;       /* columns that both arrays have room for */
    size_t first;      /* so many stay the first, whatever a record has after them */
    size_t at;         /* while filling: the place behind the last key of the current record */
} csv_columns;

/* What a command fills: items, and the columns that their keys make. */
struct doc {
    item *items;
    size_t n;    /* items */
    size_t room; /* items that there is room for */
    csv_columns columns;
    char *table;              /* keys of the table in text, between commas; NULL: no table */
    doc_drawing drawing;      /* how they are drawn, if that was said */
    struct doc *plotted;      /* what --plot draws instead of the records; NULL: the records */
    FILE *saved;              /* what --save writes, while it is open */
    memory_file saved_text;   /* and its text */
    const doc_writer *writer; /* what is written in place of the items; NULL: they are */
    void *writer_data;
    int failed; /* memory ran out */
};

/* doc_objects.c: how many `names` an item has; objects as one cell, owned by the caller; once more
 * in another doc; as lines behind the key; and as lines behind the noise of each record. */
size_t doc_names(const item *x);
char *doc_one_cell(doc *d, const item *x);
void doc_copy_objects(doc *to, const item *x);
void print_objects_text(const item *x, size_t keys, FILE *out);
void print_objects_below(const doc *d, FILE *out);

/* The column of `key`, or c->n if it has none. The search starts at column `from`. */
size_t doc_find_key(const csv_columns *c, const char *key, size_t from);
/* The first item of this kind that has a key; NULL: there is none. */
const item *doc_find_kind(const doc *d, item_kind kind);
/* The first item of a record; d->n if there is no such record. */
size_t doc_record(const doc *d, size_t row);

/* The noise of the record that an array or objects are in; their key where it has none. */
const char *doc_noise_of(const doc *d, const item *x);
/* What else tells the records apart: the next of the keys that vary (doc_columns has them before a
 * semicolon), where *from = NULL asks for the first. 0: there is none left. */
int doc_next_varying(const doc *d, const char **from, char key[64]);
/* The value of such a key in the record of x, as an option takes it, or a number with so many
 * digits; 0: as many as it needs. */
void doc_varying_text(const doc *d, const item *x, const char *key, int digits, char *out,
                      size_t size);
/* The value of a field of the record that begins at item `first`, or its error, as data. */
doc_cell doc_field(const doc *d, size_t first, const char *key);

/* How many bytes the UTF-8 character at s has; 0 if it is none (too long a form, a surrogate, or
 * beyond U+10FFFF). */
int utf8_length(const unsigned char *s);
/* A control character, which a terminal may obey instead of showing it: below U+0020, U+007F, or
 * U+0080 to U+009F, which are the bytes c2 80 to c2 9f. */
int is_control(const unsigned char *s);
/* Writes one character, or a question mark for what is none or a control character. Returns how
 * many bytes of s it was. */
int put_plain(const char *s, FILE *out);

/* A value in text, with its error if it has one. A long string may be cut short. */
void value_text(const item *x, int precision, char *out, size_t size);
/* "key  value  note", the first two in columns of these widths. */
void print_value(const item *x, size_t keys, size_t values, doc_style style, FILE *out);
/* A string in at least |width| columns: behind blanks, or before them where width < 0, as printf's
 * %*s does, but with doc_plain. */
void print_padded(const char *s, int width, FILE *out);

/* A table in text. */
void print_table_text(const item *x, int precision, FILE *out);

int print_text(const doc *d, doc_style style, FILE *out); /* 0: no memory for a table */
/* The records as one table, below what is the same in all of them. 0: no memory. */
int print_records(const doc *d, doc_style style, FILE *out);
void print_csv(const doc *d, doc_style style, FILE *out);
void print_json(const doc *d, doc_style style, FILE *out);
int print_npy(const doc *d, FILE *out); /* 0: no memory, and the file is not whole */

#endif
