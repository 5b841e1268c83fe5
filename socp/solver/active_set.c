/* Newton's method with only the multipliers that pay (theory 11.4). Of an optimizer's many
 * sequences h_t few are at work, and the cost of a step goes with the square of the number of
 * unknowns. So the program is solved with some of the unknowns that have a sign and all of X, and
 * the duals (zeta, alpha, lambda) found price the others:
 *     r_i = sum_j (2 Re(zeta* M_i) - alpha A_i + q K_i) - (G'lambda)_i.
 * Were all r_i >= 0 they would be the lambda_i that (7.i) asks for. As they are, with om =
 * max(-r_i/c_i), c_i = sum_j q K_i, the optimum of the whole program is below that of the part by
 * a relative om at most, since c'y <= f(y). That number is added to the gap. Where it is too large,
 * the unknowns that are priced lowest join, and the part is solved again from where it was. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solver.h"

enum {
    FEW = 9,    /* the slack and four single lags either way, where nothing is known */
    ROUNDS = 8, /* after so many all unknowns move */
    JOIN = 4,   /* unknowns that join in a round, at most */
    VECTOR = 8  /* rows of dense_system are as long as so many numbers times a whole one */
};
/* An unknown this much smaller than the largest is not at work. */
static const double IDLE = 1e-4;
/* The gap at which the others are first priced, and how many times it their price ends a round. */
static const double LOOK = 0.1, PAYS = 10;

typedef struct {
    const socp_program *p;
    socp_program part;
    size_t few, *at;     /* The unknowns with a sign that move, in rising order; room for all. */
    unsigned char *in;   /* For each with a sign: does it move? */
    double *x, *r, *c;   /* n: the part's point; the prices; sum_j q K */
    double *warm, *work; /* n: a start for the part; cones: factors of the rows */
    socp_duals duals;
    double tol, most; /* The gap asked for; what the unknowns that do not move may gain (om). */
    double limit;     /* That of the options; and */
    int above;        /* whether the optimum is above it. */
    double *memory;
    /* What a part is solved by. */
    finf_status (*solve)(const socp_program *, const socp_solve_options *, double *,
                         socp_outcome *);
} active;

static finf_status allocate(const socp_program *p, active *v)
{
    size_t n = p->n, J = p->cones, S = p->signs;
    *v = (active){.p = p};
    double *z = v->memory = calloc(4 * n + 4 * J, sizeof *z);
    v->at = malloc(S * sizeof *v->at);
    v->in = calloc(S, 1);
    if (!z || !v->at || !v->in) return FINF_ENOMEM;
    v->x = z;
    v->r = z + n;
    v->c = z + 2 * n;
    v->warm = z + 3 * n;
    v->work = z + 4 * n;
    v->duals = (socp_duals){.alpha = v->work + J, .zr = v->work + 2 * J, .zi = v->work + 3 * J};
    dense_combine(p->q, p->K, J, n, S, v->c);
    return FINF_OK;
}

static void release(active *v)
{
    free(v->memory);
    free(v->at);
    free(v->in);
    free(v->part.A);
}

/* The unknown i joins, if that does not make the part's rows longer in memory. */
static void fill(active *v, size_t i, size_t *n)
{
    if (*n % VECTOR == 0 || i == 0 || i >= v->p->signs || v->in[i]) return;
    v->in[i] = 1;
    ++*n;
}

/* The slack moves, and what is at work in `hint`, and as far as they cost nothing its neighbours,
 * the same side of the next sequences; without a hint, the first few. */
static void choose(active *v, const double *hint)
{
    size_t S = v->p->signs, n = v->p->n - S;
    double most = 0;
    for (size_t i = 0; hint && i < S; i++) most = fmax(most, hint[i]);
    for (size_t i = 0; i < S; i++) {
        v->in[i] = i == 0 || (hint ? hint[i] > IDLE * most : i < FEW);
        n += v->in[i];
    }
    for (size_t i = 3; hint && i < S; i++)
        if (hint[i] > IDLE * most) {
            fill(v, i - 2, &n);
            fill(v, i + 2, &n);
        }
}

/* Copies from a row of the whole program to one of the part. */
static void part_row(const active *v, const double *row, double *out)
{
    size_t S = v->p->signs;
    for (size_t k = 0; k < v->few; k++) out[k] = row[v->at[k]];
    memcpy(out + v->few, row + S, (v->p->n - S) * sizeof *out);
}

/* The program without the unknowns that do not move. Its start is that of the whole one. */
static finf_status make_part(active *v)
{
    const socp_program *p = v->p;
    socp_program *o = &v->part;
    v->few = 0;
    for (size_t i = 0; i < p->signs; i++)
        if (v->in[i]) v->at[v->few++] = i;
    size_t n = p->n - p->signs + v->few, J = p->cones, R = v->few + 2;
    free(o->A);
    *o = *p;
    double *z = o->A = malloc((4 * J * n + R * n + R + n) * sizeof *z);
    if (!z) return FINF_ENOMEM;
    o->n = n;
    o->rows = R;
    o->signs = v->few;
    o->Mr = z + J * n;
    o->Mi = z + 2 * J * n;
    o->K = z + 3 * J * n;
    o->G = z + 4 * J * n;
    o->g0 = o->G + R * n;
    o->start = o->g0 + R;
    for (size_t j = 0; j < J; j++) {
        part_row(v, p->A + j * p->n, o->A + j * n);
        part_row(v, p->Mr + j * p->n, o->Mr + j * n);
        part_row(v, p->Mi + j * p->n, o->Mi + j * n);
        part_row(v, p->K + j * p->n, o->K + j * n);
    }
    for (size_t i = 0; i < R; i++) {
        size_t from = i < v->few ? v->at[i] : p->signs + i - v->few;
        part_row(v, p->G + from * p->n, o->G + i * n);
        o->g0[i] = p->g0[from];
    }
    part_row(v, p->start, o->start);
    return FINF_OK;
}

/* The part's point as one of the whole program. */
static void expand(const active *v, double *x)
{
    size_t S = v->p->signs;
    memset(x, 0, S * sizeof *x);
    for (size_t k = 0; k < v->few; k++) x[v->at[k]] = v->x[k];
    memcpy(x + S, v->x + v->few, (v->p->n - S) * sizeof *x);
}

/* The prices of all unknowns with a sign; returns om of those that do not move. */
static double price(active *v)
{
    const socp_program *p = v->p;
    size_t n = p->n, J = p->cones, S = p->signs;
    const socp_duals *d = &v->duals;
    double most = 0;
    memcpy(v->r, v->c, S * sizeof *v->r);
    for (size_t j = 0; j < J; j++) v->work[j] = -d->alpha[j];
    dense_combine(v->work, p->A, J, n, S, v->r);
    for (size_t j = 0; j < J; j++) v->work[j] = 2 * d->zr[j];
    dense_combine(v->work, p->Mr, J, n, S, v->r);
    for (size_t j = 0; j < J; j++) v->work[j] = 2 * d->zi[j];
    dense_combine(v->work, p->Mi, J, n, S, v->r);
    for (size_t e = 0; e < 2; e++) dense_axpy(-d->end[e], p->G + (S + e) * n, S, v->r);
    for (size_t i = 0; i < S; i++)
        if (!v->in[i] && v->r[i] < 0) most = fmax(most, -v->r[i] / v->c[i]);
    return most;
}

/* Those priced lowest join, if they may gain a tenth of what the lowest may. */
static void join(active *v, double most)
{
    for (int k = 0; k < JOIN; k++) {
        size_t lowest = 0;
        double gain = 0.1 * most;
        for (size_t i = 0; i < v->p->signs; i++)
            if (!v->in[i] && -v->r[i] / v->c[i] >= gain) {
                lowest = i;
                gain = -v->r[i] / v->c[i];
            }
        v->in[lowest] = 1; /* the slack, which moves already, where there is none */
    }
}

/* Far from the end already: what the others may gain is far more than what this part may; or all of
 * them together cannot bring the optimum below the limit. */
static int others_pay(void *data, double value, double gap)
{
    active *v = data;
    if (gap > LOOK) return 0;
    v->most = price(v);
    v->above = v->limit > 0 && value * (1 - gap - v->most) > v->limit;
    return v->above || (v->most > PAYS * gap && v->most > v->tol);
}

/* One round: the part solved, or as far as it is worth while; v->most is what the others may gain.
 * FINF_ETOL: it was not solved. */
static finf_status solve_part(active *v, const socp_solve_options *opt, const double *warm,
                              socp_outcome *out)
{
    socp_solve_options s = *opt;
    finf_status st = make_part(v);
    if (st != FINF_OK) return st;
    if (!isfinite(socp_program_value(&v->part, v->part.start))) return FINF_ETOL;
    if (warm) part_row(v, warm, v->warm);
    s.warm = warm ? v->warm : NULL;
    s.duals = &v->duals;
    s.not_least = 1;
    s.enough = others_pay;
    s.data = v;
    v->most = INFINITY;
    v->tol = opt->tol;
    v->limit = opt->limit;
    v->above = 0;
    st = v->solve(&v->part, &s, v->x, out);
    if (out->code == SOCP_ENOUGH) return FINF_OK;
    if (st == FINF_OK) v->most = price(v);
    if (st != FINF_OK) return st;
    if (opt->kkt) {
        opt->kkt->moved = v->few;
        memcpy(opt->kkt->at, v->at, v->few * sizeof *v->at);
    }
    return FINF_OK;
}

/* Rounds until the part's gap and om are below tol. FINF_ETOL: they are not, or it was cancelled;
 * x is then a point of the whole program all the same where a part was solved. */
static finf_status rounds(active *v, const socp_solve_options *opt, double *x, socp_outcome *out)
{
    const double *warm = opt->warm;
    finf_status st = FINF_OK;
    for (int k = 0, before = 0; k < ROUNDS && st == FINF_OK; k++, before = out->iterations) {
        st = solve_part(v, opt, warm, out);
        if (st != FINF_OK) return st;
        out->iterations += before;
        expand(v, x);
        warm = x;
        out->gap += v->most;
        if (out->gap <= opt->tol || v->above) return FINF_OK;
        join(v, v->most);
    }
    return FINF_ETOL;
}

finf_status socp_newton_few(const socp_program *p, const socp_solve_options *opt, double *x,
                            socp_outcome *out)
{
    active v;
    socp_solve_options whole = *opt;
    if (p->signs <= FEW || p->signs == p->n) return socp_newton(p, opt, x, out);
    int least = opt->hint ? 0 : socp_least(p, opt, x, out);
    if (least > 0) return out->code ? FINF_ETOL : FINF_OK;
    finf_status st = least < 0 ? FINF_ENOMEM : allocate(p, &v);
    if (least < 0) return st;
    out->code = 0;
    if (st == FINF_OK) {
        v.solve = socp_newton;
        choose(&v, opt->hint);
        st = rounds(&v, opt, x, out);
    }
    release(&v);
    if (st != FINF_ETOL || out->code == SOCP_CANCELLED) return st;
    whole.not_least = 1;
    return socp_newton(p, &whole, x, out);
}

/* By what Newton's method found at work: mostly one round, and few. */
finf_status socp_ecos_few(const socp_program *p, const socp_solve_options *opt, double *x,
                          socp_outcome *out)
{
    active v;
    if (!opt->hint || p->signs <= FEW || p->signs == p->n) return socp_ecos(p, opt, x, out);
    finf_status st = allocate(p, &v);
    out->code = 0;
    if (st == FINF_OK) {
        v.solve = socp_ecos;
        choose(&v, opt->hint);
        st = rounds(&v, opt, x, out);
    }
    release(&v);
    if (st != FINF_ETOL || out->code == SOCP_CANCELLED) return st;
    return socp_ecos(p, opt, x, out);
}
