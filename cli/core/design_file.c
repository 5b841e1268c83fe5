#include "design_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "bytes.h"
#include "doc.h"
#include "input.h"
#include "memory.h"
#include "noise_filter.h"

enum { STEPS, SENS2, SIGMA, RHO, CLIP, FACTS }; /* the columns of [design] */

/* ---- writing --------------------------------------------------------------------------------- */

finf_status design_file_command(const args *a, const char *before, FILE *out, finf_reason *why)
{
    memory_file line = {0};
    FILE *f = memory_open(&line);
    if (f) args_print(a, f);
    finf_status s = FINF_OK;
    if (!f || fclose(f) != 0 || line.failed) s = finf_why(why, FINF_ENOMEM, "no memory");
    if (!s) {
        fputs(before, out);
        doc_plain(line.text, out);
        fputc('\n', out);
    }
    free(line.text);
    return s;
}

static void put_list(const char *part, const char *name, const double *x, size_t n, FILE *out)
{
    fprintf(out, "[%s]\nt,%s\n", part, name);
    for (size_t i = 0; i < n; i++) fprintf(out, "%zu,%.17g\n", i, x[i]);
}

/* As short as a stream needs it, and c, which every reader takes. */
static finf_status put_noise(const design_file *f, FILE *out, finf_reason *why)
{
    noise_filter short_form = {0};
    size_t n = f->steps;
    double *c = malloc(n * sizeof *c);
    if (!c) return finf_why(why, FINF_ENOMEM, "no memory to save %zu numbers", n);
    finf_status s = finf_noise_coef(f->noise, n, c, why);
    if (!s) s = noise_filter_make(f->noise, n, &short_form, why);
    if (!s && short_form.kind == FILTER_BUFFERS) {
        fprintf(out, "[blt]\ntheta,omega\n");
        for (size_t i = 0; i < short_form.n; i++)
            fprintf(out, "%.17g,%.17g\n", short_form.coef[i], short_form.coef[short_form.n + i]);
    }
    if (!s && short_form.kind == FILTER_INPUTS && short_form.n < n)
        put_list("beta", "beta", short_form.coef, short_form.n, out);
    while (n > 1 && c[n - 1] == 0) n--;
    if (!s) put_list("strategy", "c", c, n, out);
    noise_filter_free(&short_form);
    free(c);
    return s;
}

static void put_recursion(const design_file *f, FILE *out)
{
    static const char *const NAMES[] = {"decay", "out", "in"};
    size_t row = 3 * f->buffers + 1;
    fputs("[recursion]\ngain", out);
    for (size_t c = 0; c < 3 * f->buffers; c++)
        fprintf(out, ",%s%zu", NAMES[c / f->buffers], c % f->buffers);
    fputc('\n', out);
    for (size_t i = 0; i < f->steps * row; i++)
        fprintf(out, "%.17g%c", f->recursion[i], (i + 1) % row ? ',' : '\n');
}

static void put_matrix(const design_file *f, FILE *out)
{
    size_t n = f->steps;
    fputs("[noising]\n", out);
    for (size_t i = 0; i < n * n; i++) fprintf(out, "%.17g%c", f->B[i], (i + 1) % n ? ',' : '\n');
}

finf_status design_file_write(const design_file *f, const args *a, const char *family, FILE *out,
                              finf_reason *why)
{
    finf_status s = design_file_command(a, "# ", out, why);
    if (s) return s;
    fputs("# family ", out);
    doc_plain(family, out);
    fprintf(out, "\n[design]\nsteps,sens2,sigma,rho,clip\n%zu,%.17g,%.17g,%.17g,%.17g\n", f->steps,
            f->sens2, f->sigma, f->rho, f->clip);
    if (f->noise) return put_noise(f, out, why);
    if (f->recursion) put_recursion(f, out);
    if (f->B) put_matrix(f, out);
    return FINF_OK;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Whether there is a line [part]. */
static finf_status has_part(const char *path, const char *part, int *found, finf_reason *why)
{
    char *text = NULL, line[32];
    size_t size = 0;
    finf_status s = bytes_read(path, &text, &size, why);
    snprintf(line, sizeof line, "\n[%s]", part);
    *found = !s && (strstr(text, line) || strncmp(text, line + 1, strlen(line) - 1) == 0);
    free(text);
    return s;
}

static finf_status read_blt(const char *path, finf_noise **out, finf_reason *why)
{
    input_table t;
    finf_status s = input_read(path, "blt", &t, why);
    if (s) return s;
    double *x = malloc(2 * t.rows * sizeof *x);
    if (!x)
        s = finf_why(why, FINF_ENOMEM, "no memory");
    else if (t.columns != 2)
        s = finf_why(why, FINF_EPARSE, "'%.120s' [blt] has %zu columns: must be theta,omega", path,
                     t.columns);
    for (size_t i = 0; i < t.rows && !s; i++) {
        x[i] = t.data[2 * i];
        x[t.rows + i] = t.data[2 * i + 1];
    }
    if (!s) s = finf_noise_blt(x, x + t.rows, t.rows, out, why);
    free(x);
    free(t.data);
    return s;
}

static finf_status read_list(const char *path, const char *part, finf_noise **out, finf_reason *why)
{
    double *x = NULL;
    size_t n = 0;
    finf_status s = input_list(path, part, &x, &n, why);
    if (!s)
        s = strcmp(part, "beta") == 0 ? finf_noise_fir(x, n, out, why)
                                      : finf_noise_strategy(x, n, out, why);
    free(x);
    return s;
}

finf_status design_file_noise(const char *path, finf_noise **out, finf_reason *why)
{
    int blt = 0, beta = 0;
    finf_reason reason = {""};
    *out = NULL;
    finf_status s = has_part(path, "blt", &blt, why);
    if (!s) s = has_part(path, "beta", &beta, why);
    if (s) return s;
    if (blt) return read_blt(path, out, why);
    if (beta) return read_list(path, "beta", out, why);
    s = read_list(path, "strategy", out, &reason);
    if (s == FINF_EPARSE)
        return finf_why(why, s, "'%.80s' has no coefficients [strategy]: %.120s", path,
                        reason.text);
    if (s && why) *why = reason;
    return s;
}

static finf_status check_facts(const char *path, const double *x, finf_reason *why)
{
    static const char *const NAMES[FACTS] = {"steps", "sens2", "sigma", "rho", "clip"};
    if (!(x[STEPS] <= FINF_SYSTEM_MAX && x[STEPS] == floor(x[STEPS])))
        return finf_why(why, FINF_EDOM, "'%.120s': steps = %s: must be a whole number from 1 to %u",
                        path, finf_show(x[STEPS]).s, FINF_SYSTEM_MAX);
    for (int i = 0; i < FACTS; i++)
        if (!(x[i] > 0))
            return finf_why(why, FINF_EDOM, "'%.120s': %s = %s: must be positive", path, NAMES[i],
                            finf_show(x[i]).s);
    return FINF_OK;
}

static finf_status read_facts(const char *path, design_file *f, finf_reason *why)
{
    input_table t;
    int found = 0;
    finf_status s = has_part(path, "design", &found, why);
    if (!s && !found)
        s = finf_why(why, FINF_EPARSE,
                     "'%.120s' has no part [design]: it must be what 'finf design --save' wrote",
                     path);
    if (!s) s = input_read(path, "design", &t, why);
    if (s) return s;
    if (t.columns != FACTS || t.rows != 1)
        s = finf_why(why, FINF_EPARSE,
                     "'%.120s' [design] has %zu lines of %zu numbers: must be one of steps,sens2,"
                     "sigma,rho,clip",
                     path, t.rows, t.columns);
    if (!s) s = check_facts(path, t.data, why);
    if (!s) {
        f->steps = (size_t)t.data[STEPS];
        f->sens2 = t.data[SENS2];
        f->sigma = t.data[SIGMA];
        f->rho = t.data[RHO];
        f->clip = t.data[CLIP];
    }
    free(t.data);
    return s;
}

/* n rows of n numbers, those above the diagonal 0. */
static finf_status read_matrix(const char *path, design_file *f, finf_reason *why)
{
    input_table t;
    size_t n = f->steps;
    finf_status s = input_read(path, "noising", &t, why);
    if (s) return s;
    f->B = t.data;
    if (t.rows != n || t.columns != n)
        return finf_why(why, FINF_EPARSE,
                        "'%.120s' [noising] has %zu rows of %zu numbers: must be %zu of %zu", path,
                        t.rows, t.columns, n, n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            if (j > i ? f->B[i * n + j] != 0 : j == i && f->B[i * n + j] == 0)
                return finf_why(
                    why, FINF_EDOM, "'%.100s' [noising] row %zu, column %zu is %s: must be %s",
                    path, i + 1, j + 1, finf_show(f->B[i * n + j]).s,
                    j > i ? "0, above the diagonal" : "another number, on the diagonal");
    return FINF_OK;
}

/* A row of 3k+1 numbers for every step; what they may be the stream says. */
static finf_status read_recursion(const char *path, design_file *f, finf_reason *why)
{
    input_table t;
    finf_status s = input_read(path, "recursion", &t, why);
    if (s) return s;
    f->recursion = t.data;
    f->buffers = (t.columns - 1) / 3;
    if (t.rows == f->steps && t.columns > 1 && t.columns % 3 == 1) return FINF_OK;
    return finf_why(why, FINF_EPARSE,
                    "'%.120s' [recursion] has %zu rows of %zu numbers: must be %zu of 3k+1", path,
                    t.rows, t.columns, f->steps);
}

finf_status design_file_read(const char *path, design_file *out, finf_reason *why)
{
    int matrix = 0, recursion = 0;
    *out = (design_file){0};
    finf_status s = read_facts(path, out, why);
    if (!s) s = has_part(path, "noising", &matrix, why);
    if (!s) s = has_part(path, "recursion", &recursion, why);
    if (!s)
        s = recursion ? read_recursion(path, out, why)
            : matrix  ? read_matrix(path, out, why)
                      : design_file_noise(path, &out->noise, why);
    if (s) design_file_free(out);
    return s;
}

void design_file_free(design_file *f)
{
    finf_noise_free(f->noise);
    free(f->B);
    free(f->recursion);
    *f = (design_file){0};
}
