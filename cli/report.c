#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char css[] =
    ":root{color-scheme:light dark;--ink:#1c1c1e;--soft:#5c5f66;--line:#d4d6da;--back:#fff;--tint:#f4f5f7}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e6e6e8;--soft:#a3a6ad;--line:#43464d;--back:#17181b;--tint:#222428}}\n"
    "*{box-sizing:border-box}\n"
    "html{-webkit-text-size-adjust:100%;text-size-adjust:100%}\n"
    "body{margin:0 auto;padding:1rem;max-width:52rem;background:var(--back);color:var(--ink);overflow-wrap:break-word;\n"
    " font:1rem/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif}\n"
    "h1{font-size:1.6rem;line-height:1.2;margin:.6rem 0 1rem}\n"
    "h2{font-size:1.25rem;line-height:1.3;margin:2.2rem 0 .6rem;padding-top:.8rem;border-top:1px solid var(--line)}\n"
    "p{margin:.6rem 0}\n"
    "a{color:inherit;text-underline-offset:.15em}\n"
    "nav ul{margin:.6rem 0;padding-left:1.2rem}\n"
    "nav li{margin:.35rem 0}\n"
    "sub,sup{font-size:.72em;line-height:0}\n"
    "figure{margin:1.4rem 0}\n"
    ".plot{background:#fff;max-width:600px;margin:0 auto;border:1px solid var(--line);border-radius:6px;padding:.2rem}\n"
    ".plot svg{display:block;width:100%;height:auto}\n"
    "figcaption{margin:.5rem 0;font-size:.92rem}\n"
    ".command{margin:.3rem 0;color:var(--soft);font-size:.8rem}\n"
    "code{font-family:ui-monospace,Menlo,Consolas,'DejaVu Sans "
    "Mono',monospace;white-space:pre-wrap;overflow-wrap:anywhere}\n"
    ".scroll{overflow-x:auto;-webkit-overflow-scrolling:touch}\n"
    "table{border-collapse:collapse;font-size:.88rem;font-variant-numeric:tabular-nums;margin:0 auto}\n"
    "th,td{padding:.3rem .5rem;text-align:right;white-space:nowrap}\n"
    "thead th{border-bottom:2px solid var(--line);vertical-align:bottom}\n"
    "tbody tr+tr>*{border-top:1px solid var(--line)}\n"
    "th.label{text-align:left;font-weight:normal;position:sticky;left:0;background:var(--back)}\n"
    "thead th.label{font-weight:bold}\n"
    ".note{margin:1rem 0;padding:.5rem .8rem;background:var(--tint);border-left:3px solid var(--soft);font-size:.92rem}\n"
    "@media print{@page{size:A4;margin:18mm 16mm}\n"
    " :root{--ink:#000;--soft:#444;--line:#bbb;--back:#fff;--tint:#fff}\n"
    " body{max-width:none;padding:0;font-size:10.5pt}\n"
    " .plot{max-width:125mm;border:0}\n"
    " figure,.note,tr{page-break-inside:avoid;break-inside:avoid}\n"
    " thead{display:table-header-group}\n"
    " h2{page-break-after:avoid;break-after:avoid}\n"
    " p{orphans:3;widows:3}\n"
    " .scroll{overflow:visible}\n"
    " table{font-size:8pt}\n"
    " th,td{padding:.15rem .3rem}\n"
    " thead th{white-space:normal}\n"
    " nav{display:none}}\n";

static void element(FILE *out, const char *open, const char *text, const char *close)
{
    fputs(open, out);
    plot_text(text, TEXT_HTML, out);
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

void report_begin(FILE *out, const char *title)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
          out);
    plot_text(title, TEXT_PLAIN, out);
    fprintf(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n", css);
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

void report_note(FILE *out, const char *text) { element(out, "<p class=\"note\">", text, "</p>\n"); }

static void put_caption(FILE *out, const char *caption, const char *command)
{
    if (!caption && !command) return;
    element(out, "<figcaption>", caption, "");
    if (command) {
        fputs("<p class=\"command\"><code>$ ", out);
        plot_text(command, TEXT_VERBATIM, out);
        fputs("</code></p>", out);
    }
    fputs("</figcaption>\n", out);
}

void report_figure(FILE *out, const plot *p, const char *caption, const char *command)
{
    if (plot_failed(p)) return;
    fputs("<figure>\n<div class=\"plot\" role=\"img\" aria-label=\"", out);
    plot_text(plot_title(p), TEXT_PLAIN, out);
    fputs("\">\n", out);
    plot_svg_inline(p, out);
    fputs("</div>\n", out);
    put_caption(out, caption, command);
    fputs("</figure>\n", out);
}

/* 1.2345e-07 as 1.2345 x 10^-7, with a true minus sign. */
static void put_number(FILE *out, double v, int digits)
{
    char all[64];
    if (isnan(v))
        fputs("\u2013", out);
    else if (isinf(v))
        fputs(v < 0 ? "\u2212\u221e" : "\u221e", out);
    else {
        snprintf(all, sizeof all, "%.*g", digits, fabs(v));
        char *e = strchr(all, 'e');
        if (e) *e = 0;
        fprintf(out, "%s%s", v < 0 ? "\u2212" : "", all);
        if (e) {
            int power = atoi(e + 1);
            fprintf(out, "&#8201;\u00d7&#8201;10<sup>%s%d</sup>", power < 0 ? "\u2212" : "", abs(power));
        }
    }
}

void report_table(FILE *out, const report_table_data *t)
{
    fputs("<figure class=\"table\">\n", out);
    put_caption(out, t->caption, t->command);
    /* focusable, so that the keyboard scrolls it too */
    fputs("<div class=\"scroll\" tabindex=\"0\">\n<table>\n<thead><tr>", out);
    if (t->labels) element(out, "<th class=\"label\" scope=\"col\">", t->label_name, "</th>");
    for (size_t c = 0; c < t->columns; c++) element(out, "<th scope=\"col\">", t->names[c], "</th>");
    fputs("</tr></thead>\n<tbody>\n", out);
    int digits = t->digits > 0 ? t->digits : 5;
    for (size_t r = 0; r < t->rows; r++) {
        fputs("<tr>", out);
        if (t->labels) element(out, "<th class=\"label\" scope=\"row\">", t->labels[r], "</th>");
        for (size_t c = 0; c < t->columns; c++) {
            fputs("<td>", out);
            put_number(out, t->data[r * t->columns + c], digits < 17 ? digits : 17);
            fputs("</td>", out);
        }
        fputs("</tr>\n", out);
    }
    fputs("</tbody>\n</table>\n</div>\n</figure>\n", out);
}
