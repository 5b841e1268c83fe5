/* One HTML file with figures and tables. Its style sheet makes it fit a phone, a screen, a dark
 * one, and A4 paper; there is no script. */
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char css[] =
    ":root{color-scheme:light "
    "dark;--ink:#1c1c1e;--soft:#5c5f66;--line:#d4d6da;--back:#fff;--tint:#f4f5f7}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e6e6e8;--soft:#a3a6ad;--line:#43464d;--back:#"
    "17181b;--tint:#222428}}\n"
    "*{box-sizing:border-box}\n"
    "html{-webkit-text-size-adjust:100%;text-size-adjust:100%}\n"
    "body{margin:0 "
    "auto;padding:1rem;max-width:56rem;background:var(--back);color:var(--ink);overflow-wrap:break-"
    "word;\n"
    " font:1rem/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif}\n"
    "h1{font-size:1.6rem;line-height:1.2;margin:.6rem 0 1rem}\n"
    "h2{font-size:1.25rem;line-height:1.3;margin:2.2rem 0 .6rem;padding-top:.8rem;border-top:1px "
    "solid var(--line)}\n"
    "p{margin:.6rem 0}\n"
    "a{color:inherit;text-underline-offset:.15em}\n"
    "nav ul{margin:.6rem 0;padding-left:1.2rem}\n"
    "nav li{margin:.35rem 0}\n"
    "sub,sup{font-size:.72em;line-height:0}\n"
    "figure{margin:1.4rem 0}\n"
    ".plot{max-width:540px;margin:0 auto;border:1px solid "
    "var(--line);border-radius:6px;padding:.2rem;overflow:hidden}\n"
    "@media screen and (max-width:30rem){.plot{margin:0 -.7rem;border-width:1px "
    "0;border-radius:0;padding:0}}\n"
    ".plot svg{display:block;width:100%;height:auto}\n"
    "figcaption{margin:.5rem 0;font-size:.92rem}\n"
    ".command{margin:.4rem 0;padding:.4rem .6rem;background:var(--tint);border-radius:4px;"
    "color:var(--soft);font-size:.75rem;line-height:1.35;white-space:pre-wrap;"
    "overflow-wrap:anywhere;max-height:11rem;overflow-y:auto}\n"
    "code{font-family:ui-monospace,Menlo,Consolas,'DejaVu Sans "
    "Mono',monospace;white-space:pre-wrap;overflow-wrap:anywhere}\n"
    ".scroll{overflow-x:auto;-webkit-overflow-scrolling:touch}\n"
    "table{border-collapse:collapse;font-size:.88rem;font-variant-numeric:tabular-nums;margin:0 "
    "auto}\n"
    "th,td{padding:.3rem .45rem;text-align:right;vertical-align:top}\n"
    "td{white-space:nowrap}\n"
    "td.w{white-space:normal}\n"
    ".w{text-align:left;min-width:5rem}\n"
    "td.w{overflow-wrap:anywhere}\n"
    "thead th{border-bottom:2px solid var(--line);vertical-align:bottom}\n"
    "tbody tr+tr>*{border-top:1px solid var(--line)}\n"
    "tbody th{font-weight:normal}\n"
    ".h{display:none}\n"
    "@media screen and (max-width:40rem){\n"
    " .cards,.cards tbody,.cards tr{display:block}\n"
    " .cards thead{display:none}\n"
    " .cards tr{margin:0 0 .8rem;padding:.2rem .6rem;border:1px solid "
    "var(--line);border-radius:6px}\n"
    " .cards tbody "
    "tr>*{display:flex;justify-content:space-between;gap:1rem;border:0;padding:.15rem "
    "0;white-space:normal}\n"
    " .cards tbody th{display:block;font-weight:bold;text-align:left}\n"
    " .cards .h{display:block;text-align:left;color:var(--soft);flex:0 0 auto;max-width:55%}}\n"
    ".note{margin:1rem 0;padding:.5rem .8rem;background:var(--tint);border-left:3px solid "
    "var(--soft);font-size:.92rem}\n"
    "@media print{@page{size:A4;margin:18mm 16mm}\n"
    " :root{--ink:#000;--soft:#444;--line:#bbb;--back:#fff;--tint:#fff}\n"
    " body{max-width:none;padding:0;font-size:10.5pt}\n"
    " .plot{max-width:102mm;border:0}\n"
    " figcaption{font-size:9pt}\n"
    " .command{font-size:7pt;margin:.15rem 0;padding:0;max-height:none}\n"
    " figure,.note,tr{page-break-inside:avoid;break-inside:avoid}\n"
    " figure.table{page-break-inside:auto;break-inside:auto}\n"
    " figcaption{page-break-after:avoid;break-after:avoid}\n"
    " thead{display:table-header-group}\n"
    " h2{page-break-after:avoid;break-after:avoid}\n"
    " p{orphans:3;widows:3}\n"
    " .scroll{overflow:visible}\n"
    " table{font-size:8pt}\n"
    " th,td{padding:.15rem .3rem}\n"
    " .w{min-width:0}\n"
    " nav{display:none}}\n";

/* A text between two tags. */
static void element(FILE *out, const char *open, const char *text, const char *close)
{
    fputs(open, out);
    markup_write(text, MARKUP_HTML, out);
    fputs(close, out);
}

/* The id of a section: its heading in ASCII letters, digits and hyphens. */
static void anchor(FILE *out, const char *heading)
{
    fputs("s-", out);
    for (; *heading; heading++) {
        int plain = (*heading >= 'a' && *heading <= 'z') || (*heading >= '0' && *heading <= '9');
        if (*heading >= 'A' && *heading <= 'Z')
            putc(*heading - 'A' + 'a', out);
        else
            putc(plain ? *heading : '-', out);
    }
}

void report_begin(FILE *out, const char *title, const char *generator)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
          "name=\"generator\" content=\"",
          out);
    markup_write(generator, MARKUP_PLAIN, out);
    fputs("\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
          out);
    markup_write(title, MARKUP_PLAIN, out);
    fprintf(out, "</title>\n<style>\n%s", css);
    plot_style(out);
    fputs("</style>\n</head>\n<body>\n", out);
    element(out, "<h1>", title, "</h1>\n");
}

void report_end(FILE *out) { fputs("</body>\n</html>\n", out); }

void report_contents(FILE *out, size_t n, const char *const *headings)
{
    fputs("<nav aria-label=\"Contents\"><ul>\n", out);
    for (size_t i = 0; i < n; i++) {
        fputs("<li><a href=\"#", out);
        anchor(out, headings[i]);
        element(out, "\">", headings[i], "</a></li>\n");
    }
    fputs("</ul></nav>\n", out);
}

void report_section(FILE *out, const char *heading)
{
    fputs("<h2 id=\"", out);
    anchor(out, heading);
    element(out, "\">", heading, "</h2>\n");
}

void report_paragraph(FILE *out, const char *text) { element(out, "<p>", text, "</p>\n"); }

void report_note(FILE *out, const char *text)
{
    element(out, "<p class=\"note\">", text, "</p>\n");
}

/* The commands, to be copied as they stand. */
static void put_commands(FILE *out, const char *commands)
{
    if (!commands || !*commands) return;
    fputs("<pre class=\"command\"><code>", out);
    markup_write(commands, MARKUP_PLAIN, out);
    fputs("</code></pre>\n", out);
}

static void put_caption(FILE *out, const char *caption, const char *commands)
{
    element(out, "<figcaption>", caption, "\n");
    put_commands(out, commands);
    fputs("</figcaption>\n", out);
}

void report_figure(FILE *out, const plot *p, const char *caption, const char *commands)
{
    if (plot_failed(p)) return;
    fputs("<figure>\n<div class=\"plot\" role=\"img\" aria-label=\"", out);
    markup_write(plot_title(p), MARKUP_PLAIN, out);
    fputs("\">\n", out);
    plot_svg_inline(p, out);
    fputs("</div>\n", out);
    put_caption(out, caption, commands);
    fputs("</figure>\n", out);
}

/* A number to four digits, 1.234e-07 as 1.234 x 10^-7, with true minus signs; whole numbers below
 * 10^7 in full. A dash for NaN. */
static void put_number(FILE *out, double v)
{
    char all[64];
    if (isnan(v)) {
        fputs("\u2013", out);
        return;
    }
    if (v < 0) fputs("\u2212", out);
    v = fabs(v);
    snprintf(all, sizeof all, (v == floor(v) || v >= 1000) && v < 1e7 ? "%.0f" : "%.4g", v);
    char *e = strchr(all, 'e');
    if (e) *e = 0;
    fputs(isinf(v) ? "\u221e" : all, out);
    if (e) {
        int power = atoi(e + 1);
        fprintf(out, "&#8201;\u00d7&#8201;10<sup>%s%d</sup>", power < 0 ? "\u2212" : "",
                abs(power));
    }
}

/* A cell of any kind; a dash for what a record does not have. */
static void put_cell(FILE *out, doc_cell c)
{
    switch (c.kind) {
    case CELL_NUMBER: put_number(out, c.value); break;
    case CELL_BOOL: fputs(c.value != 0 ? "yes" : "no", out); break;
    case CELL_TEXT:
        markup_write(!*c.text                     ? "\u2013"
                     : strcmp(c.text, "inf") == 0 ? "\u221e"
                                                  : c.text,
                     MARKUP_HTML, out);
        break;
    case CELL_EMPTY: fputs("\u2013", out); break;
    }
}

static int is_blank(doc_cell c)
{
    return c.kind == CELL_EMPTY || (c.kind == CELL_TEXT && !*c.text);
}

/* Whether some record has words in this column: it is then set to the left. */
static int is_text(const doc *d, const char *key)
{
    for (size_t r = 0; r < doc_rows(d); r++)
        if (doc_at(d, r, key).kind == CELL_TEXT) return 1;
    return 0;
}

/* The table of a single record: a line for each of its fields. */
static void put_record(FILE *out, const doc *d, const report_column *columns, size_t n)
{
    fputs("<table>\n<tbody>\n", out);
    for (size_t c = 0; c < n; c++) {
        element(out, "<tr><th class=\"w\" scope=\"row\">", columns[c].heading, "</th><td>");
        put_cell(out, doc_at(d, 0, columns[c].key));
        fputs("</td></tr>\n", out);
    }
    fputs("</tbody>\n</table>\n", out);
}

/* The table of several records, a line each. On a phone a table of more than four columns becomes a
 * card for each record, where each cell has its heading beside it: those headings are written into
 * the cells here, and hidden on a screen. */
static void put_records(FILE *out, const doc *d, const report_column *columns, size_t n)
{
    fputs(n > 4 ? "<table class=\"cards\">\n<thead><tr>" : "<table>\n<thead><tr>", out);
    for (size_t c = 0; c < n; c++)
        element(out,
                is_text(d, columns[c].key) ? "<th class=\"w\" scope=\"col\">"
                                           : "<th scope=\"col\">",
                columns[c].heading, "</th>");
    fputs("</tr></thead>\n<tbody>\n", out);
    for (size_t r = 0; r < doc_rows(d); r++) {
        /* a record without the second column belongs to another view of the same records */
        if (is_blank(doc_at(d, r, columns[1].key))) continue;
        fputs("<tr>", out);
        for (size_t c = 0; c < n; c++) {
            int words = is_text(d, columns[c].key);
            fprintf(out, c == 0 ? "<th scope=\"row\"%s>" : "<td%s>", words ? " class=\"w\"" : "");
            if (n > 4 && c > 0)
                element(out, "<span class=\"h\">", columns[c].heading, "</span><span>");
            put_cell(out, doc_at(d, r, columns[c].key));
            fputs(c == 0 ? "</th>" : n > 4 ? "</span></td>" : "</td>", out);
        }
        fputs("</tr>\n", out);
    }
    fputs("</tbody>\n</table>\n", out);
}

void report_table(FILE *out, const doc *d, const report_column *columns, size_t n,
                  const char *caption, const char *commands)
{
    fputs("<figure class=\"table\">\n", out);
    put_caption(out, caption, commands);
    /* it can have the focus, so that a wide table can be scrolled by the keyboard too */
    fputs("<div class=\"scroll\" tabindex=\"0\">\n", out);
    (doc_rows(d) == 1 ? put_record : put_records)(out, d, columns, n);
    fputs("</div>\n</figure>\n", out);
}
