/* The noise given by |B|^2 on a grid of frequencies: B is the minimum-phase factor of its
 * spline. What a general optimiser returns.  (theory 1.4)
 *
 * noise->own is the spline (spline_density.c), noise->coef is empty. There is no spelling: the
 * grid is in a file. */
#include <math.h>
#include <stdlib.h>

#include "family.h"
#include "spline_density.h"

/* w = NULL: n frequencies evenly from 0 to pi. */
finf_status finf_noise_spectrum(const double *w, const double *s, size_t n, finf_noise **out,
                                finf_reason *why)
{
    spline_density *density = NULL;
    finf_status status = noise_make(&noise_spectrum, NULL, 0, out, why);
    if (status) return status;
    status = spline_density_make(w, s, n, &density, why);
    (*out)->own = density;
    if (!status) return FINF_OK;
    finf_noise_free(*out);
    *out = NULL;
    return status;
}

void noise_spectrum_set_exact(finf_noise *noise, const spline_exact *exact)
{
    spline_density_set_exact(noise->own, exact);
}

static void release(finf_noise *noise) { spline_density_free(noise->own); }

static finf_status beta(const finf_noise *noise, size_t n, double *out, finf_reason *why)
{
    return spline_density_factor(noise->own, 1, n, out, NULL, why);
}

finf_status noise_spectrum_factor(const finf_noise *noise, int sign, size_t n, double *out,
                                  double *error, finf_reason *why)
{
    return spline_density_factor(noise->own, sign, n, out, error, why);
}

static finf_status coef(const finf_noise *noise, size_t n, double *out, finf_reason *why)
{
    return spline_density_factor(noise->own, -1, n, out, NULL, why);
}

/* The phase is an integral over all of (0, pi): this costs as many operations as the spline has
 * nodes. */
static double complex response(const finf_noise *noise, double w)
{
    double size = sqrt(spline_density_at(noise->own, w));
    double phase = spline_density_phase(noise->own, w);
    return size * cexp(I * phase);
}

static double density(const finf_noise *noise, double t)
{
    return spline_density_at_t(noise->own, t);
}

static size_t knots(const finf_noise *noise, double *w)
{
    return spline_density_knots(noise->own, w);
}

static double scale(const finf_noise *noise) { return spline_density_scale(noise->own); }

/* The integral of 1/|B|^2: B is minimum phase by construction. (theory 2.3) */
static finf_status gamma2(const finf_noise *noise, finf_sensitivity *out)
{
    out->minimum_phase = 1;
    out->gamma2 = spline_density_gamma2(noise->own);
    return FINF_OK;
}

/* Every c_t is off by what the factorisation says. */
static finf_status gamma2_at(const finf_noise *noise, size_t T, finf_real *out, finf_reason *why)
{
    double *c = malloc(T * sizeof *c), error = 0;
    long double sum = 0, lost = 0;
    finf_status s = c ? spline_density_factor(noise->own, -1, T, c, &error, why)
                      : finf_why(why, FINF_ENOMEM, "no memory for %zu steps", T);
    for (size_t t = 0; t < T && !s; t++) {
        sum += (long double)c[t] * c[t];
        lost += 2 * fabsl((long double)c[t] * error);
    }
    free(c);
    return s ? s : noise_squares_result(sum, lost, out, why);
}

/* The spline's integral against the kernel of theory 5.6, for each b by itself; nothing can
 * fail. */
static finf_status energy(const finf_noise *noise, const double *b, size_t m, double *T,
                          double *relerr, finf_reason *why)
{
    (void)why;
    *relerr = 0;
    for (size_t j = 0; j < m; j++) {
        finf_real x = spline_density_energy(noise->own, b[j]);
        T[j] = x.value;
        *relerr = fmax(*relerr, x.error / x.value);
    }
    return FINF_OK;
}

/* The minimum-phase factor by the cepstrum: O(n log n), where response would take O(n nodes). The
 * even series of log|B| becomes causal by doubling its positive half and dropping the other one. */
static finf_status stream(const finf_noise *noise, size_t n, double *room, double complex *B)
{
    for (size_t j = 0; j <= n / 2; j++) {
        double w = 2 * FINF_PI * (double)j / (double)n;
        B[j] = log(spline_density_at(noise->own, w)) / 2;
    }
    finf_status s = series_untransform(B, n, room);
    for (size_t t = 1; t < n / 2; t++) room[t] *= 2;
    if (!s) s = series_transform(room, n / 2 + 1, n, B);
    for (size_t j = 0; j <= n / 2 && !s; j++) B[j] = cexp(B[j]);
    return s;
}

const noise_family noise_spectrum = {
    .name = "spectrum",
    .form = "spectrum@FILE",
    .about = "|B(w)|^2: two columns w, |B|^2, or one on a uniform grid 0..pi",
    .from_table = finf_noise_spectrum,
    .pairs = "w, |B|^2",
    .release = release,
    .beta = beta,
    .coef = coef,
    .response = response,
    .density = density,
    .scale = scale,
    .knots = knots,
    .gamma2 = gamma2,
    .gamma2_at = gamma2_at,
    .energy = energy,
    .stream = stream,
};
