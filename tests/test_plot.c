/* cli/plot: ticks, lines of text, labels that do not overlap, gaps, escaping, values under the
 * pointer, colours in the dark, and documents drawn. */
#include "no_memory.h"
#include "parts.h"
#include "plot_document.h"
#include "support.h"

/* ---- what was written ------------------------------------------------------------------------ */

static char *written(const plot *p, int whole_file)
{
    memory_file m;
    FILE *out = memory_open(&m);
    if (whole_file)
        plot_svg(p, "a test", out);
    else
        plot_svg_inline(p, out);
    ck_assert_int_eq(fclose(out), 0);
    return m.text;
}

static size_t count(const char *s, const char *what)
{
    size_t n = 0;
    for (; (s = strstr(s, what)); s += strlen(what)) n++;
    return n;
}

/* The end of a tag at s, every value of which is quoted; NULL if it is not well formed. */
static const char *tag_end(const char *s)
{
    char quote = 0;
    for (; *s; s++) {
        if (quote && *s == '<') return NULL;
        if (quote ? *s == quote : *s == '"' || *s == '\'')
            quote = quote ? 0 : *s;
        else if (!quote && *s == '>')
            return s;
    }
    return NULL;
}

/* Whether s is well-formed XML, as far as it matters here: tags closed in order, entities known. */
static int is_xml(const char *s)
{
    char open[32][16];
    int depth = 0;
    for (; *s; s++) {
        if (*s == '&' && strncmp(s, "&amp;", 5) && strncmp(s, "&lt;", 4) && strncmp(s, "&gt;", 4) &&
            strncmp(s, "&quot;", 6))
            return 0;
        if (*s != '<') continue;
        const char *end = strncmp(s, "<!--", 4) == 0 ? strstr(s, "-->") + 2 : tag_end(s);
        size_t n = strcspn(s + 1 + (s[1] == '/'), " />");
        if (!end || n >= sizeof *open) return 0;
        if (s[1] == '/') {
            if (depth-- == 0 || strncmp(open[depth], s + 2, n) || open[depth][n]) return 0;
        } else if (s[1] != '!' && s[1] != '?' && end[-1] != '/') {
            if (depth == 32) return 0;
            snprintf(open[depth++], sizeof *open, "%.*s", (int)n, s + 1);
        }
        s = end;
    }
    return depth == 0;
}

static plot *new_plot(plot_scale x, plot_scale y)
{
    return plot_new("A title", "a subtitle", (plot_axis){"learning rate eta", "eta", x},
                    (plot_axis){"F_inf", NULL, y});
}

/* A curve of n points y at x = 1, 2, .. */
static void add(plot *p, const char *name, const double *y, size_t n)
{
    double x[64];
    for (size_t i = 0; i < n; i++) x[i] = (double)(i + 1);
    plot_add(p, &(plot_series){.name = name, .x = x, .y = y, .n = n});
}

/* ---- axes ------------------------------------------------------------------------------------ */

/* The labels of the ticks of an axis over these two values, between blanks. */
static void tick_labels(plot_scale scale, double from, double to, char out[400])
{
    axis x, y;
    double at[2] = {from, to}, zero[2] = {1, 1};
    plot *p = new_plot(scale, PLOT_LINEAR);
    plot_add(p, &(plot_series){.x = at, .y = zero, .n = 2});
    axis_find(p, &x, &y);
    plot_free(p);
    *out = 0;
    for (int i = 0; i < x.n; i++)
        if (x.ticks[i].major)
            snprintf(out + strlen(out), 400 - strlen(out), "%s%s", *out ? " " : "",
                     x.ticks[i].label);
}

START_TEST(ticks)
{
    static const struct {
        plot_scale scale;
        double from, to;
        const char *labels;
    } ROWS[] = {
        {PLOT_LINEAR, 0, 1, "0.0 0.2 0.4 0.6 0.8 1.0"},
        {PLOT_LINEAR, -3, 12, "\u22122 0 2 4 6 8 10 12"},
        {PLOT_LINEAR, 0, 2e6, "0.0 0.5 1.0 1.5 2.0"}, /* times 10^6 */
        {PLOT_LOG, 1e-3, 1, "0.001 0.01 0.1 1"},
        {PLOT_LOG, 1e-8, 1e-2, "10^{\u22128} 10^{\u22126} 10^{\u22124} 10^{\u22122}"},
        {PLOT_LOG, 0.02, 0.18, "0.02 0.03 0.05 0.07 0.1 0.15"},
        {PLOT_LOG, 2, 1000, "10 100 1000"},
        {PLOT_LOG, 3e-9, 9e-9, "3 4 5 6 7 8 9"}, /* times 10^-9 */
        {PLOT_LOG, 2e-9, 1.6e-8,
         "2\u00b710^{\u22129} 3\u00b710^{\u22129} 5\u00b710^{\u22129} 7\u00b710^{\u22129} "
         "10^{\u22128} 1.5\u00b710^{\u22128}"},
        {PLOT_LOG, 10, 12, "10.0 10.5 11.0 11.5 12.0"},
    };
    char labels[400];
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        tick_labels(ROWS[i].scale, ROWS[i].from, ROWS[i].to, labels);
        ck_assert_str_eq(labels, ROWS[i].labels);
    }
}
END_TEST

/* Whatever the range: at least two labels, not too many, in order, inside, and none twice. */
START_TEST(ticks_of_any_range)
{
    rng r = {7};
    for (int i = 0; i < 4000; i++) {
        plot_scale scale = i % 2 ? PLOT_LOG : PLOT_LINEAR;
        double low = log_uniform(&r, 1e-12, 1e12), high = low * (1 + log_uniform(&r, 1e-3, 1e9));
        axis x, y;
        int major = 0, last = -1;
        plot *p = new_plot(scale, PLOT_LINEAR);
        plot_add(p, &(plot_series){.x = (double[]){low, high}, .y = (double[]){1, 1}, .n = 2});
        axis_find(p, &x, &y);
        for (int k = 0; k < x.n; k++) {
            ck_assert(x.ticks[k].at >= x.lo - 1e-6 * (x.hi - x.lo));
            ck_assert(x.ticks[k].at <= x.hi + 1e-6 * (x.hi - x.lo));
            if (!x.ticks[k].major) continue;
            if (last >= 0) {
                ck_assert(x.ticks[k].at > x.ticks[last].at);
                ck_assert_str_ne(x.ticks[k].label, x.ticks[last].label);
            }
            last = k;
            major++;
        }
        ck_assert_msg(major >= 2 && major <= 11, "%d labels from %g to %g (%s)", major, low, high,
                      scale == PLOT_LOG ? "log" : "linear");
        plot_free(p);
    }
}
END_TEST

/* ---- text in lines --------------------------------------------------------------------------- */

/* Appends the characters of s but for blanks and the marks of literals. */
static void append_solid(char *to, const char *s)
{
    size_t n = strlen(to);
    for (; *s; s++)
        if (*s != ' ' && *s != 1) to[n++] = *s;
    to[n] = 0;
}

START_TEST(lines)
{
    rng r = {11};
    static const char *const PIECES[] = {"F_inf",
                                         "of",
                                         "the",
                                         "noise",
                                         "\1nu_0",
                                         "a^2<b>\1",
                                         "beta@averyveryverylongfilename.csv",
                                         "\u03b7",
                                         "x_{ab}"};
    for (int i = 0; i < 3000; i++) {
        char text[600] = "", joined[900] = "";
        wrapped w;
        double room = 4 + 20 * uniform(&r);
        for (int k = 0; k < 9; k++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", k ? " " : "",
                     PIECES[(size_t)(uniform(&r) * COUNT(PIECES))]);
        wrap(text, room, WRAP_LINES, &w);
        int cut = w.n == WRAP_LINES && strstr(w.line[w.n - 1], "\u2026");
        for (int k = 0; k < w.n; k++) {
            /* the ellipsis is allowed to stand over */
            ck_assert_msg(markup_width(w.line[k]) <= room + (cut ? 1 : 1e-9), "'%s'", w.line[k]);
            append_solid(joined, w.line[k]);
        }
        if (cut) joined[strlen(joined) - strlen("\u2026")] = 0;
        char plain[600] = "";
        append_solid(plain, text);
        ck_assert_msg(cut ? strncmp(plain, joined, strlen(joined)) == 0 : !strcmp(plain, joined),
                      "'%s' became '%s'", plain, joined);
    }
}
END_TEST

/* ---- labels ---------------------------------------------------------------------------------- */

/* Isotonic regression by its other formula: max over j <= i of min over k >= i of the mean of
 * d_j..d_k. */
static double isotonic(const double *d, size_t n, size_t i)
{
    double best = -INFINITY;
    for (size_t j = 0; j <= i; j++) {
        double least = INFINITY, sum = 0;
        for (size_t k = j; k < n; k++) {
            sum += d[k];
            if (k >= i) least = fmin(least, sum / (double)(k - j + 1));
        }
        best = fmax(best, least);
    }
    return best;
}

START_TEST(labels_do_not_overlap)
{
    rng r = {3};
    for (int trial = 0; trial < 5000; trial++) {
        double want[PLOT_LABELS], height[PLOT_LABELS], at[PLOT_LABELS], d[PLOT_LABELS], total = 0;
        size_t n = 1 + (size_t)(uniform(&r) * PLOT_LABELS);
        for (size_t i = 0; i < n; i++) {
            height[i] = 5 + 8 * uniform(&r);
            want[i] = (i ? want[i - 1] : 0) + 25 * uniform(&r) * (uniform(&r) < 0.6);
            d[i] = want[i] - total - height[i] / 2;
            total += height[i];
        }
        double top = -10, bottom = top + total + 100 * uniform(&r);
        labels_spread(want, height, n, top, bottom, at);
        ck_assert(at[0] - height[0] / 2 >= top - 1e-9);
        ck_assert(at[n - 1] + height[n - 1] / 2 <= bottom + 1e-9);
        for (size_t i = 0; i < n; i++) {
            double g = fmax(top, fmin(bottom - total, isotonic(d, n, i)));
            ck_assert_double_eq_tol(at[i] - (want[i] - d[i]), g, 1e-9);
            if (i) ck_assert(at[i] - at[i - 1] >= (height[i] + height[i - 1]) / 2 - 1e-9);
        }
    }
}
END_TEST

/* Many curves through one point: labelled while there is room, below the plot when there is none.
 */
START_TEST(labels_or_legend)
{
    for (size_t curves = 1; curves <= 40; curves++) {
        layout l;
        plot *p = new_plot(PLOT_LINEAR, PLOT_LINEAR);
        for (size_t k = 0; k < curves; k++) {
            char name[32];
            snprintf(name, sizeof name, "nu:0.%zu", k);
            add(p, name, (double[]){(double)k, 1}, 2);
        }
        layout_find(p, &l);
        ck_assert_int_eq(l.all_in_legend, curves > 13);
        ck_assert_uint_eq(l.labels, l.all_in_legend ? 0 : curves);
        for (size_t i = 1; i < l.labels; i++)
            ck_assert(l.label[i].y - l.label[i - 1].y >= SIZE_TEXT * LEADING);
        char *svg = written(p, 1);
        ck_assert(is_xml(svg));
        for (size_t k = 0; k < curves && (k < 23 || curves <= 24); k++) {
            char name[32];
            snprintf(name, sizeof name, ":0.%zu</text>", k);
            ck_assert_uint_eq(count(svg, name), 1);
        }
        ck_assert(l.bottom < 2 * PLOT_WIDTH);
        free(svg);
        plot_free(p);
    }
}
END_TEST

/* ---- what is drawn --------------------------------------------------------------------------- */

START_TEST(gaps)
{
    plot *p = new_plot(PLOT_LINEAR, PLOT_LOG);
    add(p, "curve", (double[]){1, 2, NAN, 3, INFINITY, 5, 0, 7, 8}, 9);
    char *svg = written(p, 0);
    const char *path = strstr(svg, "stroke-linejoin");
    ck_assert_ptr_nonnull(path);
    char line[400];
    snprintf(line, sizeof line, "%.*s", (int)strcspn(path, ">"), path);
    ck_assert_uint_eq(count(line, "M"), 2);
    ck_assert_uint_eq(count(line, "L"), 2);
    ck_assert_uint_eq(count(svg, "a3.2 3.2 0 0 0 6.4 0"), 2); /* 3 and 5 stand alone */
    ck_assert_uint_eq(count(svg, "nan") + count(svg, "inf "), 0);
    ck_assert_ptr_nonnull(strstr(svg, "eta = 3\ncurve: no value<"));
    ck_assert_ptr_nonnull(strstr(svg, "eta = 5\ncurve: infinite<"));
    free(svg);
    plot_free(p);
    p = new_plot(PLOT_LOG, PLOT_LOG);
    add(p, "curve", (double[]){NAN, INFINITY, -1}, 3);
    svg = written(p, 0);
    ck_assert(is_xml(svg) && strstr(svg, "no data"));
    free(svg);
    plot_free(p);
}
END_TEST

START_TEST(escaped)
{
    const char *bad = "<b>&\"']]>--\x02\xff";
    plot *p = plot_new(bad, bad, (plot_axis){bad, NULL, PLOT_LINEAR},
                       (plot_axis){bad, NULL, PLOT_LINEAR});
    add(p, bad, (double[]){1, 2, 3}, 3);
    add(p, "\1beta:1,_{x\1 F_inf", (double[]){1, 3, 3}, 3);
    add(p, "\1_{\1}\1x_a\1", (double[]){1, 3, 5}, 3);
    plot_note(p, bad);
    plot_describe(p, bad);
    plot_command(p, "finf mean --noise 'beta:1;<2>' --plot x.svg");
    for (int whole_file = 0; whole_file < 2; whole_file++) {
        char *svg = written(p, whole_file);
        ck_assert(is_xml(svg));
        ck_assert_ptr_null(strstr(svg, "<b>"));
        ck_assert(!strchr(svg, 1) && !strchr(svg, 2) && !strchr(svg, '\xff'));
        ck_assert_ptr_nonnull(strstr(svg, "--noise 'beta:1;&lt;2&gt;' --plot"));
        ck_assert_ptr_nonnull(strstr(svg, ">beta:1,_{x F<tspan"));
        free(svg);
    }
    plot_free(p);
}
END_TEST

/* The rectangles under the pointer cover the frame from side to side, and name every value. */
START_TEST(hover)
{
    double x[300], y[300], a[3] = {1, 10, 100}, b[3] = {0.5, 0.25, 1.0 / 3}, e[3] = {0.1, 0, 0.2};
    plot *p = new_plot(PLOT_LOG, PLOT_LINEAR);
    plot_add(p, &(plot_series){.name = "first", .x = a, .y = b, .error = e, .n = 3});
    plot_add(p, &(plot_series){.name = "second", .x = a, .y = a, .low = b, .high = a, .n = 3});
    char *svg = written(p, 0);
    ck_assert_uint_eq(count(svg, "class=\"fp-hit"), 3);
    ck_assert_ptr_nonnull(
        strstr(svg, "<title>eta = 1\nfirst: 0.5 \u00b1 0.1\nsecond: 1 [0.5, 1]</title>"));
    ck_assert_ptr_nonnull(strstr(svg, "first: 0.33333"));
    free(svg);
    plot_free(p);
    for (size_t i = 0; i < 300; i++) {
        x[i] = (double)i;
        y[i] = 2 * x[i];
    }
    layout l;
    p = new_plot(PLOT_LINEAR, PLOT_LINEAR);
    plot_add(p, &(plot_series){.name = "", .x = x, .y = y, .n = 300});
    layout_find(p, &l);
    svg = written(p, 0);
    double at = l.frame.x;
    size_t n = 0;
    for (const char *s = svg; (s = strstr(s, "class=\"fp-hit")); s++, n++) {
        double from, width;
        ck_assert_int_eq(
            sscanf(strstr(s, " x="), " x=\"%lf\" y=\"%*f\" width=\"%lf\"", &from, &width), 2);
        ck_assert_double_eq_tol(from, at, 0.02);
        ck_assert(width > 2.5);
        at = from + width;
    }
    ck_assert(n > 30);
    ck_assert_double_eq_tol(at, l.frame.x + l.frame.w, 0.02);
    ck_assert_ptr_nonnull(strstr(svg, "<title>eta = 0\nF_inf: 0</title>"));
    free(svg);
    plot_free(p);
}
END_TEST

/* Every class that is drawn with has a colour in the dark. */
START_TEST(dark)
{
    plot *p = new_plot(PLOT_LINEAR, PLOT_LINEAR);
    for (int c = 0; c < PLOT_COLOURS; c++)
        plot_add(p, &(plot_series){.name = "x",
                                   .x = (double[]){1, 2},
                                   .y = (double[]){c, 2 * c},
                                   .n = 2,
                                   .colour = c,
                                   .marks = 1});
    char *svg = written(p, 1);
    const char *style = strstr(svg, "@media screen and (prefers-color-scheme:dark)");
    const char *end = strstr(svg, "</style>");
    ck_assert(style && end && style < end);
    for (const char *s = end; (s = strstr(s, "fp-")); s++) {
        char rule[16] = ".";
        strncat(rule, s, strspn(s, "abcdefghijklmnopqrstuvwxyz-0123456789"));
        ck_assert_msg(strstr(style, rule) || !strcmp(rule, ".fp-hit"), "%s", rule);
    }
    ck_assert_uint_eq(count(svg, "<script"), 0);
    free(svg);
    char *within = written(p, 0);
    ck_assert_ptr_null(strstr(within, "<style"));
    free(within);
    plot_free(p);
}
END_TEST

/* A curve that lies on another is seen: the lower one is wide and pale. */
START_TEST(curves_on_each_other)
{
    plot *p = new_plot(PLOT_LINEAR, PLOT_LINEAR);
    add(p, "a", (double[]){1, 2, 3, 4}, 4);
    add(p, "b", (double[]){1, 2, 3, 4}, 4);
    add(p, "c", (double[]){4, 3, 2, 1}, 4);
    char *svg = written(p, 0);
    ck_assert_uint_eq(count(svg, "stroke-width=\"4.5\" stroke-opacity=\".4\""), 1);
    ck_assert_uint_eq(count(svg, "stroke-width=\"2\""), 2);
    free(svg);
    plot_free(p);
}
END_TEST

/* ---- documents ------------------------------------------------------------------------------- */

/* Two noises at three eta, in the order in which a sweep might give them. */
static doc *two_noises(void)
{
    doc *d = doc_new();
    static const double ETA[] = {1, 0.01, 0.1};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 3; i++) {
            doc_row(d);
            doc_string(d, "noise", DATA_ONLY, k ? "nu:0.05" : "sgd", NULL);
            doc_number(d, "eta", DATA_ONLY, ETA[i], NULL);
            doc_number(d, "kappa", DATA_ONLY, 10, NULL);
            doc_number(d, "F_inf", DATA_ONLY, k && i == 0 ? INFINITY : ETA[i] / (k + 1), NULL);
            doc_number(d, "F_best", DATA_ONLY, k && i == 2 ? NAN : ETA[i] / 4, NULL);
            if (k && i == 0) doc_string(d, "reason", DATA_ONLY, "nu < eta_x", NULL);
        }
    return d;
}

static char *drawn(const doc *d, const plot_request *r)
{
    memory_file m;
    FILE *out = memory_open(&m);
    finf_reason why;
    finf_status s = plot_document(d, r, out, &why);
    fclose(out);
    ck_assert_msg(s == FINF_OK, "%s", why.text);
    ck_assert(is_xml(m.text));
    return m.text;
}

START_TEST(documents)
{
    doc *d = two_noises();
    plot_request r = {.x = "eta",
                      .x_log = 1,
                      .y = {"F_inf"},
                      .by = {"noise", "kappa", "eta"},
                      .subtitle = "kappa = 10, F_x"};
    char *svg = drawn(d, &r);
    ck_assert_ptr_nonnull(strstr(svg, ">nu:0.05</text>"));
    ck_assert_ptr_nonnull(strstr(svg, ">sgd</text>"));
    ck_assert_ptr_nonnull(strstr(svg, ">kappa = 10, F_x</text>"));
    ck_assert_ptr_nonnull(strstr(svg, "eta = 0.01\nsgd: 0.01\nnu:0.05: 0.005</title>"));
    ck_assert_ptr_nonnull(strstr(svg, "eta = 1\nsgd: 1\nnu:0.05: infinite</title>"));
    ck_assert_ptr_nonnull(strstr(svg, ">nu:0.05: infinite at \u03b7 = 1 (nu &lt; eta_x)</text>"));
    ck_assert_ptr_null(strstr(svg, "sgd: infinite at"));
    free(svg);
    r.y[1] = "F_best";
    r.y[2] = "not there";
    svg = drawn(d, &r);
    ck_assert_ptr_nonnull(strstr(svg, "nu:0.05, F_best: no value</title>"));
    ck_assert_ptr_nonnull(strstr(svg, ": no value at \u03b7 = 0.1"));
    ck_assert_ptr_nonnull(strstr(svg, "stroke-dasharray"));
    free(svg);
    doc_free(d);
}
END_TEST

/* Gaps that curves share are said once; long numbers are short in labels, whole under the pointer.
 */
START_TEST(shared_gaps)
{
    doc *d = doc_new();
    static const char *const NOISE[] = {"nu:0.31622776601683794", "beta@f123456789012.csv", "sgd"};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 8; i++) {
            doc_row(d);
            doc_string(d, "noise", DATA_ONLY, NOISE[k], NULL);
            doc_number(d, "eta", DATA_ONLY, i + 1, NULL);
            doc_number(d, "F_inf", DATA_ONLY, i > 1 ? HUGE_VAL : i + k + 1.0, NULL);
            doc_number(d, "F_best", DATA_ONLY, k < 2 && i == 3 ? NAN : 0.1 * (i + k + 1), NULL);
        }
    plot_request r = {.x = "eta", .y = {"F_inf"}, .by = {"noise"}};
    char *svg = drawn(d, &r);
    ck_assert_uint_eq(count(svg, "infinite at"), 1);
    ck_assert_ptr_nonnull(strstr(svg, ">every curve: infinite at \u03b7 = 3, 4, 5, 6 and 2 more<"));
    ck_assert_ptr_nonnull(strstr(svg, ">nu:0.3162</text>"));
    ck_assert_ptr_nonnull(strstr(svg, "nu:0.31622776601683794: 1"));
    free(svg);
    r.y[0] = "F_best";
    svg = drawn(d, &r);
    ck_assert_uint_eq(count(svg, "no value at"), 1);
    ck_assert_ptr_null(strstr(svg, "every curve"));
    free(svg);
    doc_free(d);
}
END_TEST

/* A document that is a table of numbers, as `curve` has it. */
START_TEST(document_of_a_table)
{
    static const char *const NAMES[] = {"t", "sgd", "nu:best"};
    static const double DATA[] = {1, 5, 4, 2, 4, 3, 3, 3, 1};
    doc *d = doc_new();
    doc_row(d);
    doc_string(d, "system", DATA_ONLY, "sgd", NULL);
    doc_table(d, "curve", 3, NAMES, DATA, 3);
    plot_request r = {.x = "t", .y = {"sgd", "nu:best"}, .by = {"system"}, .title = "Down"};
    char *svg = drawn(d, &r);
    ck_assert_ptr_nonnull(strstr(svg, "<title>Down</title>"));
    ck_assert_ptr_nonnull(strstr(svg, "t = 2\nsgd: 4\nnu:best: 3</title>"));
    free(svg);
    doc_free(d);
}
END_TEST

START_TEST(refused)
{
    doc *d = two_noises();
    finf_reason why;
    memory_file m;
    FILE *out = memory_open(&m);
    plot_request no_x = {.x = "etta", .y = {"F_inf"}}, no_y = {.x = "eta", .y = {"F_exact"}};
    ck_assert_int_eq(plot_document(d, &no_x, out, &why), FINF_EDOM);
    ck_assert_str_eq(why.text, "nothing to draw: no 'etta'");
    ck_assert_int_eq(plot_document(d, &no_y, out, &why), FINF_EDOM);
    ck_assert_str_eq(why.text, "nothing to draw: no 'F_exact'");
    fclose(out);
    ck_assert_ptr_null(m.text);
    doc_free(d);
}
END_TEST

/* Without memory nothing is written, and the status says so. */
START_TEST(no_memory)
{
    doc *d = two_noises();
    plot_request r = {.x = "eta", .y = {"F_inf", "F_best"}, .by = {"noise"}, .command = "finf"};
    finf_reason why;
    char *whole = drawn(d, &r);
    for (long k = 1; k < 60; k++) {
        memory_file m;
        FILE *out = memory_open(&m);
        allocations_left = k;
        finf_status s = plot_document(d, &r, out, &why);
        allocations_left = -1;
        fclose(out);
        ck_assert(s == FINF_OK || s == FINF_ENOMEM);
        ck_assert(s == FINF_OK || !m.text);
        if (s == FINF_OK && !m.failed) ck_assert_str_eq(m.text, whole);
        free(m.text);
    }
    free(whole);
    doc_free(d);
    ck_assert(plot_failed(NULL));
    plot_add(NULL, &(plot_series){0});
    plot_svg(NULL, NULL, NULL);
    plot_free(NULL);
}
END_TEST

static TCase *make(void)
{
    TCase *t = tcase_create("plot");
    tcase_add_test(t, ticks);
    tcase_add_test(t, ticks_of_any_range);
    tcase_add_test(t, lines);
    tcase_add_test(t, labels_do_not_overlap);
    tcase_add_test(t, labels_or_legend);
    tcase_add_test(t, gaps);
    tcase_add_test(t, escaped);
    tcase_add_test(t, hover);
    tcase_add_test(t, dark);
    tcase_add_test(t, curves_on_each_other);
    tcase_add_test(t, documents);
    tcase_add_test(t, shared_gaps);
    tcase_add_test(t, document_of_a_table);
    tcase_add_test(t, refused);
    tcase_add_test(t, no_memory);
    return t;
}

int main(void) { return run_suite("plot", make); }
