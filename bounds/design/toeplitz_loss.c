/* The loss of Toeplitz noise and its derivatives by beta, without a matrix. (theory 12.4)
 *
 * Let xi(t) be the state t steps after a unit of noise, xi(t+1) = A xi(t) + gain beta_t, xi(0) = 0.
 * Noise that began at any earlier step adds the same squares, so that
 *
 *     <M, BB'> = sum_j m_j sum_{s=1..n} [ U(s) half_j (report' xi_j(s))^2 + W_j(s) xi_j1(s)^2 ],
 *
 * U(s) = sum_{t>=s} u_t and W_j(s) the same sum of what `feed` of the adjoint recursion is: a sum
 * of squares. The derivatives come from the adjoint of xi, from s = n down, as do W and U. xi is
 * kept at the beginning of every block of steps, and computed again within a block. */
#include "design.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    size_t block;   /* steps of a block */
    double *kept;   /* xi at the beginning of every block; the allocation of all */
    double *xi;     /* xi at every step of a block, and one more */
    double *back;   /* the adjoint of xi */
    double *next;   /* room for as much */
    double *W;      /* d: W_j(s) */
    double *report; /* d: report' xi */
    double *room;   /* d */
} pass;

static finf_status pass_make(const finf_design *r, pass *a)
{
    size_t length = r->p * r->d;
    a->block = (size_t)sqrt((double)r->n) + 1;
    size_t blocks = r->n / a->block + 1;
    a->kept = calloc((blocks + a->block + 3) * length + 3 * r->d, sizeof *a->kept);
    if (!a->kept) return FINF_ENOMEM;
    a->xi = a->kept + blocks * length;
    a->back = a->xi + (a->block + 1) * length;
    a->next = a->back + length;
    a->W = a->next + length;
    a->report = a->W + r->d;
    a->room = a->report + r->d;
    return FINF_OK;
}

/* One step of plain SGD's response, whose state is a single number. */
FINF_VECTOR static void respond_one(size_t d, const double *restrict q, const double *restrict x,
                                    double add, double *restrict next)
{
    for (size_t j = 0; j < d; j++) next[j] = q[j] * x[j] + add;
}

static void respond(const finf_design *r, const double *x, double beta, double *next)
{
    if (r->p == 1) {
        respond_one(r->d, r->A[0].value, x, r->gain[0] * beta, next);
        return;
    }
    design_advance(r, x, next);
    for (size_t i = 0; i < r->p; i++)
        for (size_t j = 0; j < r->d && r->gain[i] != 0; j++)
            next[i * r->d + j] += r->gain[i] * beta;
}

/* Forward over all steps, keeping xi where a block begins. */
static finf_status forward(const finf_design *r, const double *beta, pass *a)
{
    size_t length = r->p * r->d;
    double *x = a->xi, *next = a->xi + length;
    memset(x, 0, length * sizeof *x);
    for (size_t t = 0; t < r->n; t++) {
        if (t % a->block == 0) {
            memcpy(a->kept + t / a->block * length, x, length * sizeof *x);
            if (finf_cancelled(r->o.cancel)) return FINF_ETOL;
        }
        respond(r, x, beta[t], next);
        double *swap = x;
        x = next;
        next = swap;
    }
    return FINF_OK;
}

/* told = report' x, and the place of its first entry where that is x itself. */
static const double *reported(const finf_design *r, const double *x, const pass *a)
{
    if (r->p == 1 && r->report[0] == 1) return x;
    memset(a->report, 0, r->d * sizeof *a->report);
    for (size_t i = 0; i < r->p; i++)
        if (r->report[i] != 0) design_add(r->d, r->report[i], x + i * r->d, a->report);
    return a->report;
}

/* What step s adds to the loss, x = xi(s), told = report' x; `room` has d numbers. */
FINF_VECTOR static void squares(const finf_design *r, const double *restrict x,
                                const double *restrict told, double U, const double *restrict W,
                                double *restrict room)
{
    const double *restrict count = r->count;
    const double *restrict half = r->half;
    for (size_t j = 0; j < r->d; j++)
        room[j] = count[j] * (U * half[j] * told[j] * told[j] + W[j] * x[j] * x[j]);
}

/* And to the adjoint: the derivative by xi(s). */
FINF_VECTOR static void slopes(const finf_design *r, const double *x, const double *told, double U,
                               const pass *a)
{
    size_t d = r->d;
    for (size_t j = 0; j < d; j++) a->back[j] += 2 * r->count[j] * a->W[j] * x[j];
    for (size_t i = 0; i < r->p; i++) {
        double f = 2 * U * r->report[i];
        for (size_t j = 0; j < d && f != 0; j++)
            a->back[i * d + j] += f * r->count[j] * r->half[j] * told[j];
    }
}

/* gain' back, over all directions. */
static double gather(const finf_design *r, const double *back)
{
    double sum = 0;
    for (size_t i = 0; i < r->p; i++)
        if (r->gain[i] != 0) sum += r->gain[i] * design_sum(r->d, back + i * r->d);
    return sum;
}

/* back <- A' back. */
static void go_back(const finf_design *r, pass *a)
{
    double *swap = a->back;
    memset(a->next, 0, r->p * r->d * sizeof *a->next);
    for (size_t e = 0; e < r->entries; e++)
        design_add_product(r->d, a->back + r->A[e].row * r->d, r->A[e].value,
                           a->next + r->A[e].column * r->d);
    a->back = a->next;
    a->next = swap;
}

/* Back over the steps s = from+1..to of a block, whose xi are made from that of `from`. */
static double backward(const finf_design *r, const double *u, const double *beta, size_t from,
                       size_t to, double *U, design_adjoint *adjoint, pass *a, double *gradient)
{
    size_t length = r->p * r->d;
    double loss = 0;
    memcpy(a->xi, a->kept + from / a->block * length, length * sizeof *a->xi);
    for (size_t t = from; t < to; t++)
        respond(r, a->xi + (t - from) * length, beta[t], a->xi + (t + 1 - from) * length);
    for (size_t s = to; s > from; s--) {
        double weight = u[s] * design_scale(r, s);
        design_adjoint_step(r, weight, adjoint);
        *U += weight;
        design_add(r->d, 1, adjoint->feed, a->W);
        const double *x = a->xi + (s - from) * length, *told = reported(r, x, a);
        squares(r, x, told, *U, a->W, a->room);
        loss += design_sum(r->d, a->room);
        if (!gradient) continue;
        go_back(r, a);
        slopes(r, x, told, *U, a);
        gradient[s - 1] = gather(r, a->back);
    }
    return loss;
}

void design_toeplitz_weights(const finf_design *r, double *u)
{
    design_weights(r, u);
    if (r->o.objective != FINF_DESIGN_MAX) return;
    memset(u, 0, (r->n + 1) * sizeof *u);
    u[r->n] = 1;
}

finf_status design_toeplitz_loss(const finf_design *r, const double *u, const double *beta,
                                 double *loss, double *gradient)
{
    pass a = {0};
    design_adjoint adjoint = {0};
    finf_status s = design_adjoint_make(r, &adjoint);
    if (!s) s = pass_make(r, &a);
    if (!s) s = forward(r, beta, &a);
    double sum = 0, U = 0;
    for (size_t to = r->n; to > 0 && !s;) {
        size_t from = (to - 1) / a.block * a.block;
        sum += backward(r, u, beta, from, to, &U, &adjoint, &a, gradient);
        to = from;
        if (finf_cancelled(r->o.cancel)) s = FINF_ETOL;
    }
    *loss = sum;
    design_adjoint_free(&adjoint);
    free(a.kept);
    return s;
}
