/* ECOS backend, theory 7.6: the same program as a second-order cone program, solved by an
 * independent code.
 *
 *     minimise  sum_j q_j (b_j + k_j)
 *     subject to  || (2 Re m, 2 Im m, a - b) ||_j <= (a + b)_j,   G x + g0 >= 0,
 *
 * with one unknown b_j = psi_j - k_j a cone. Everything is balanced to order one by the congruence
 * a/a*, m/sqrt(a* b*), b/b* with a*, b* typical values at the node, and by one unit for all
 * unknowns, that of the slack. */
#include <math.h>
#include <stdlib.h>

#include "ecos.h"

/* ECOS's exit codes; 10 more: the same, but only to its looser tolerances. */
static const char *status_text(long code)
{
    switch (code) {
    case 0: return "optimal";
    case 1:
    case 11: return "primal infeasible";
    case 2:
    case 12: return "dual infeasible";
    case 10: return "inaccurate";
    case -1: return "iteration limit";
    case -2: return "numerical trouble";
    case -3: return "outside the cone";
    case SOCP_CANCELLED: return "cancelled";
    default: return "fatal error";
    }
}

/* Column-compressed G and the right-hand side, in arrays ECOS may scale in place. */
typedef struct {
    long n, m, *jc, *ir, *q;
    double *pr, *c, *h, *col; /* col: unknown = col * ECOS's unknown */
    double *fa, *fb, *fr;     /* 1/a*, 1/b* a cone, 1/s* an inequality */
    double offset, scale;     /* objective here = offset + scale * ECOS's */
} cone_program;

/* a*, b*, s* and the size of the unknowns, from a strictly feasible point. X, zero at the start,
 * cancels most of m, so with causality the objective is of the size of k alone. The last two
 * inequalities are a >= 0 at w = 0 and pi; the others say x_i >= 0, and an unknown without a sign
 * is one of X. */
static void balance(const socp_program *p, const double *x, cone_program *g)
{
    int causal = p->n > p->rows - 2;
    double unit = 0;
    for (size_t i = 0; i < p->rows - 2; i++) unit = fmax(unit, x[i]);
    for (size_t j = 0; j < p->cones; j++) {
        double a = p->a0[j], r = p->m0r[j], i = p->m0i[j], k = p->k0[j];
        if (!p->interior) a = fabs(a); /* no a > 0 is known: the size of its terms */
        for (size_t t = 0; t < p->n; t++) {
            a += p->interior ? p->A[j * p->n + t] * x[t] : fabs(p->A[j * p->n + t] * x[t]);
            k += p->K[j * p->n + t] * x[t];
            r += p->Mr[j * p->n + t] * x[t];
            i += p->Mi[j * p->n + t] * x[t];
        }
        g->fa[j] = 1 / a;
        g->fb[j] = 1 / ((r * r + i * i) / a + k);
        g->scale += p->q[j] * (causal ? k : 1 / g->fb[j]);
    }
    for (size_t i = 0; i < p->rows; i++) {
        double s = p->interior ? p->g0[i] : fabs(p->g0[i]);
        for (size_t t = 0; t < p->n; t++)
            s += p->interior ? p->G[i * p->n + t] * x[t] : fabs(p->G[i * p->n + t] * x[t]);
        g->fr[i] = i < p->rows - 2 ? 1 / unit : 1 / s;
    }
    for (size_t t = 0; t < p->n; t++) g->col[t] = unit;
}

/* One block for the numbers and one for the indices, with room for a matrix without zeros. */
static int allocate(const socp_program *p, cone_program *g)
{
    size_t n = p->n + p->cones, m = p->rows + 4 * p->cones, nz = p->n * m + 2 * p->cones;
    double *d = calloc(nz + 2 * n + m + 2 * p->cones + p->rows, sizeof *d);
    long *l = calloc(nz + n + 1 + p->cones, sizeof *l);
    *g = (cone_program){.n = (long)n, .m = (long)m};
    g->pr = d;
    g->ir = l;
    if (!d || !l) return 0;
    g->c = d + nz;
    g->col = g->c + n;
    g->h = g->col + n;
    g->fa = g->h + m;
    g->fb = g->fa + p->cones;
    g->fr = g->fb + p->cones;
    g->jc = l + nz;
    g->q = g->jc + n + 1;
    return 1;
}

/* ECOS minimises c'x over s = h - G x in the cones. The rows of its G are the inequalities and
 * then, for each cone, a + b, a - b, 2 Re m, 2 Im m; its columns are the unknowns and then the
 * b_j. */
static void build(const socp_program *p, cone_program *g)
{
    size_t n = p->n, R = p->rows, nz = 0;
    for (size_t i = 0; i < R; i++) g->h[i] = g->fr[i] * p->g0[i];
    /* s = h - G x, so every coefficient enters with its sign changed */
    for (size_t t = 0; t < n; t++) {
        double col = g->col[t];
        for (size_t i = 0; i < R; i++)
            if (p->G[i * n + t] != 0) {
                g->ir[nz] = (long)i;
                g->pr[nz++] = -g->fr[i] * col * p->G[i * n + t];
            }
        for (size_t j = 0; j < p->cones; j++) {
            double fa = g->fa[j], fm = 2 * sqrt(fa * g->fb[j]), a = -fa * col * p->A[j * n + t];
            double v[4] = {a, a, -fm * col * p->Mr[j * n + t], -fm * col * p->Mi[j * n + t]};
            for (size_t e = 0; e < 4; e++)
                if (v[e] != 0) {
                    g->ir[nz] = (long)(R + 4 * j + e);
                    g->pr[nz++] = v[e];
                }
            g->c[t] += p->q[j] * p->K[j * n + t] * col / g->scale;
        }
        g->jc[t + 1] = (long)nz;
    }
    for (size_t j = 0; j < p->cones; j++) {
        double fa = g->fa[j], fm = 2 * sqrt(fa * g->fb[j]), *h = g->h + R + 4 * j;
        h[0] = h[1] = fa * p->a0[j];
        h[2] = fm * p->m0r[j];
        h[3] = fm * p->m0i[j];
        g->ir[nz] = (long)(R + 4 * j);
        g->pr[nz++] = -1;
        g->ir[nz] = (long)(R + 4 * j + 1);
        g->pr[nz++] = 1;
        g->jc[n + j + 1] = (long)nz;
        g->c[n + j] = p->q[j] / (g->fb[j] * g->scale);
        g->offset += p->q[j] * p->k0[j];
        g->q[j] = 4;
    }
}

/* The duals in the units of the program. With s = h - G x the condition c + G'z = 0 is, times
 * scale/col, the one that active_set.c prices by. */
static void keep_duals(const socp_program *p, const cone_program *g, const double *z, socp_duals *d)
{
    size_t R = p->rows;
    for (size_t j = 0; j < p->cones; j++) {
        const double *c = z + R + 4 * j;
        double fm = 2 * sqrt(g->fa[j] * g->fb[j]);
        d->alpha[j] = g->scale * g->fa[j] * (c[0] + c[1]);
        d->zr[j] = -g->scale * fm * c[2] / 2;
        d->zi[j] = -g->scale * fm * c[3] / 2;
    }
    for (size_t e = 0; e < 2; e++) d->end[e] = g->scale * g->fr[R - 2 + e] * z[R - 2 + e];
}

/* One solve balanced about the point `at`. x is written for codes 0 and 10 only. */
static finf_status attempt(const socp_program *p, const socp_solve_options *opt, const double *at,
                           double *x, socp_outcome *out)
{
    cone_program g;
    const ecos_library *ecos = ecos_get();
    ecos_work *w = NULL;
    out->status = "set-up failed";
    out->code = -100;
    if (allocate(p, &g)) {
        balance(p, at, &g);
        build(p, &g);
        w = ecos->setup(g.n, g.m, 0, (long)p->rows, (long)p->cones, g.q, 0, g.pr, g.jc, g.ir, NULL,
                        NULL, NULL, g.c, g.h, NULL);
    }
    if (w) {
        w->stgs->verbose = 0;
        w->stgs->maxit = opt->max_iter > 0 ? opt->max_iter : 100;
        /* the objective exceeds offset, which ECOS does not see: this absolute gap is the relative
         * one asked for */
        w->stgs->feastol = opt->tol;
        w->stgs->reltol = opt->tol;
        w->stgs->abstol = opt->tol * g.offset / g.scale;
        out->code = (int)ecos_run(ecos, w, opt);
        out->status = status_text(out->code);
        out->iterations += (int)w->info->iter;
        if (out->code == 0 || out->code == 10) {
            for (size_t t = 0; t < p->n; t++) x[t] = w->x[t] * g.col[t];
            out->value = (g.offset + g.scale * w->info->pcost) * p->scale;
            out->gap = fabs(w->info->gap * g.scale * p->scale / out->value);
            if (opt->duals) keep_duals(p, &g, w->z, opt->duals);
        }
        ecos->cleanup(w, 0);
    }
    free(g.pr);
    free(g.ir);
    return !w ? FINF_ENOMEM : out->code == 0 ? FINF_OK : FINF_ETOL;
}

/* Code 0 or failure. Where no feasible start is known (phase_one.c) ECOS, which needs none, is to
 * say that there is none. An inaccurate end (10) is never a number, but it is a better point to
 * balance about: one more try. */
finf_status socp_ecos(const socp_program *p, const socp_solve_options *opt, double *x,
                      socp_outcome *out)
{
    double t0 = finf_seconds();
    *out = (socp_outcome){.code = -100, .status = "not found", .value = NAN, .gap = INFINITY};
    if (!socp_ecos_version()) return FINF_EUSAGE;
    if (p->interior && !isfinite(socp_program_value(p, p->start))) {
        out->status = "no feasible start";
        return FINF_ETOL;
    }
    finf_status st = attempt(p, opt, p->start, x, out);
    if (out->code == 10) {
        double *at = malloc(p->n * sizeof *at);
        if (!at) return FINF_ENOMEM;
        for (size_t t = 0; t < p->n; t++) at[t] = 0.95 * x[t] + 0.05 * p->start[t];
        if (isfinite(socp_program_value(p, at))) st = attempt(p, opt, at, x, out);
        free(at);
    }
    if (st != FINF_OK) {
        out->value = NAN;
        out->gap = INFINITY;
    }
    out->seconds = finf_seconds() - t0;
    return st;
}
