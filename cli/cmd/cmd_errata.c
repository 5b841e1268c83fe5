/* finf errata: each correction to the paper, shown in numbers. (theory 10) */
#include "cmd.h"

/* Text only: lines of at most 110 characters, broken between words, indented by 4 and by the width
 * of `before`, which stands in the first line. A word longer than a line is not broken. */
static void show_wrapped(doc *d, const char *before, const char *text)
{
    const size_t indent = 4, width = 106 - strlen(before);
    for (int first = 1; *text; first = 0) {
        size_t n = strlen(text);
        if (n > width)
            for (n = width; n && text[n] != ' '; n--) {}
        if (!n) n = strcspn(text, " ");
        doc_note(d, "%*s%*s%.*s", (int)indent, "", (int)strlen(before), first ? before : "", (int)n,
                 text);
        text += n;
        text += *text == ' ';
    }
}

/* The second pair of numbers that some errata have. CSV has its columns in all rows; JSON and text
 * only where they say something. */
static void show_also(doc *d, const args *a, const finf_erratum *e)
{
    int csv = wants_csv(a);
    if (e->also) show_wrapped(d, "also: ", e->also);
    if (e->also || csv) doc_string(d, "also", DATA_ONLY, e->also, NULL);
    if (!isnan(e->also_printed) || csv)
        doc_number(d, "also_printed", isnan(e->also_printed) ? DATA_ONLY : SHOWN, e->also_printed,
                   NULL);
    if (!isnan(e->also_computed) || csv)
        doc_real(d, "also_computed", isnan(e->also_computed) ? DATA_ONLY : SHOWN,
                 finf_real_make(e->also_computed, e->also_computed_error, ""), NULL);
}

static void show(doc *d, const args *a, int number, const finf_erratum *e)
{
    doc_row(d);
    doc_number(d, "erratum", SHOWN, number, e->what);
    doc_string(d, "what", DATA_ONLY, e->what, NULL);
    doc_number(d, "printed", SHOWN, e->printed, NULL);
    doc_real(d, "computed", SHOWN, finf_real_make(e->computed, e->computed_error, ""), NULL);
    show_also(d, a, e);
    show_wrapped(d, "", e->note);
    doc_string(d, "note", DATA_ONLY, e->note, NULL);
    show_row_reason(d, a, isinf(e->computed) || isinf(e->printed) ? e->note : "");
}

/* Each is computed when it is asked for; one that cannot be is a failure of the whole. */
static finf_status cmd_errata(const args *a, doc *d, finf_reason *why)
{
    doc_heading(d, "Errata of the paper: printed value beside the computed one");
    for (size_t i = 1; i <= finf_errata_count(); i++) {
        finf_erratum e;
        finf_status s = finf_errata_get(i, &e);
        if (s)
            return finf_why(why, s, "erratum %zu could not be computed: %s", i,
                            finf_status_text(s));
        show(d, a, (int)i, &e);
    }
    return FINF_OK;
}

static const option_use OPTIONS[] = {COMMON_OPTIONS, {.id = OPT_END}};

const command command_errata = {
    .name = "errata",
    .summary = "corrections to the paper, in numbers",
    .about = "Each erratum of the paper: the printed value beside the computed one.",
    .example = "finf errata",
    .options = OPTIONS,
    .run = cmd_errata,
};
