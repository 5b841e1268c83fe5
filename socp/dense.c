/* Dense symmetric positive definite systems for the Newton method: rank-4 accumulation, scaled Cholesky, one refinement. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "socp.h"

/* H += sum of r r' over four rows, upper triangle: where the time goes, so the CPU's vector width is asked for */
FINF_VECTOR static void rank4(double *restrict H, size_t n, const double *restrict r)
{
    const double *r0 = r, *r1 = r + n, *r2 = r + 2 * n, *r3 = r + 3 * n;
    for (size_t i = 0; i < n; i++) {
        double f0 = r0[i], f1 = r1[i], f2 = r2[i], f3 = r3[i], *restrict h = H + i * n;
        for (size_t k = i; k < n; k++) h[k] += f0 * r0[k] + f1 * r1[k] + f2 * r2[k] + f3 * r3[k];
    }
}

void socp_axpy(double f, const double *restrict x, size_t n, double *restrict y)
{
    for (size_t i = 0; i < n; i++) y[i] += f * x[i];
}

double socp_dot(const double *x, const double *y, size_t n)
{
    double s = 0;
    for (size_t i = 0; i < n; i++) s += x[i] * y[i];
    return s;
}

finf_status socp_dense_make(size_t n, socp_dense *out)
{
    double *z = calloc(n * n + 7 * n, sizeof *z);
    if (!z) return FINF_ENOMEM;
    *out = (socp_dense){.n = n, .H = z, .row = z + n * n, .scale = z + n * n + 4 * n, .work = z + n * n + 5 * n};
    return FINF_OK;
}

void socp_dense_free(socp_dense *d)
{
    if (d) free(d->H), *d = (socp_dense){0};
}

void socp_dense_clear(socp_dense *d)
{
    memset(d->H, 0, d->n * d->n * sizeof *d->H);
    d->fill = 0;
}

/* Room for the next row r of H += r r'; filled in by the caller before the next call. */
double *socp_dense_row(socp_dense *d)
{
    if (d->fill == 4) rank4(d->H, d->n, d->row), d->fill = 0;
    return d->row + d->n * d->fill++;
}

/* Scales H to unit diagonal and factors it, H = U'U in the upper triangle; the strict lower one keeps H. A pivot lost to
 * rounding drops its unknown from the solution. Returns 0 if H is not finite. */
int socp_dense_factor(socp_dense *d)
{
    size_t n = d->n;
    double *H = d->H, *scale = d->scale;
    memset(d->row + d->fill * n, 0, (4 - d->fill) * n * sizeof *H);
    rank4(H, n, d->row);
    for (size_t i = 0; i < n; i++) scale[i] = 1 / sqrt(H[i * n + i]);
    for (size_t i = 0; i < n; i++)
        for (size_t k = i; k < n; k++) H[k * n + i] = H[i * n + k] *= scale[i] * scale[k];
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++) socp_axpy(-H[k * n + i], H + k * n + i, n - i, H + i * n + i);
        double pivot = H[i * n + i];
        if (!isfinite(pivot)) return 0;
        double f = pivot > 1e-15 ? 1 / sqrt(pivot) : 0;
        for (size_t k = i + 1; k < n; k++) H[i * n + k] *= f;
        H[i * n + i] = f; /* the inverse of U's diagonal */
    }
    return 1;
}

static void substitute(const socp_dense *d, double *b)
{
    size_t n = d->n;
    for (size_t i = 0; i < n; i++) {
        const double *u = d->H + i * n;
        b[i] *= u[i];
        socp_axpy(-b[i], u + i + 1, n - i - 1, b + i + 1);
    }
    for (size_t i = n; i-- > 0;) {
        const double *u = d->H + i * n;
        b[i] = u[i] * (b[i] - socp_dot(u + i + 1, b + i + 1, n - i - 1));
    }
}

/* b <- H^{-1} b, refined once: the residual is what would stay of the dual infeasibility. */
void socp_dense_solve(const socp_dense *d, double *b)
{
    size_t n = d->n;
    double *y = d->work, *r = d->work + n;
    for (size_t i = 0; i < n; i++) y[i] = r[i] = b[i] * d->scale[i];
    substitute(d, y);
    for (size_t i = 0; i < n; i++) {
        r[i] -= y[i] + socp_dot(d->H + i * n, y, i);
        socp_axpy(-y[i], d->H + i * n, i, r);
    }
    substitute(d, r);
    for (size_t i = 0; i < n; i++) b[i] = (y[i] + r[i]) * d->scale[i];
}
