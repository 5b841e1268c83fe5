/* Seconds of the processor that a call takes in C, for bench_python.py, which loads this into its
 * own process: the same library, and the same luck with memory, as the calls from Python. */
#include <finf.h>
#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static finf_noise *noise;
static finf_spectrum *spectrum;
static finf_system *hundred;

static void call_noise(void)
{
    finf_noise *one;
    if (!finf_noise_nu(0.01, &one, NULL)) finf_noise_free(one);
}

static void call_coef(void)
{
    static double beta[1000];
    finf_noise_beta(noise, 1000, beta, NULL);
}

static void call_mean(void)
{
    finf_mean_result r;
    finf_mean(noise, 0.1, NULL, &r);
}

/* With what the answer in Python has beside it; but eta_max, which Python finds once a spectrum,
 * and the contraction, which it finds when it is asked for. */
static void call_linreg(void)
{
    finf_linreg_result r;
    finf_rates rates;
    finf_privacy_setting set = finf_privacy_setting_default();
    finf_linreg(noise, 0.02, spectrum, NULL, &r);
    finf_rates_spectrum(spectrum, 0.02, &set, &rates);
}

static void call_iqc(void)
{
    finf_iqc_options o = finf_iqc_options_default();
    finf_iqc_result r;
    o.solver = FINF_IQC_NEWTON;
    finf_iqc(noise, 0.1, 100, &o, &r);
}

static void call_curve(void)
{
    finf_system *system;
    finf_curve_result r;
    if (finf_system_toeplitz(noise, 10000, &system, NULL)) return;
    finf_curve(system, 0.02, spectrum, NULL, &r);
    finf_curve_result_free(&r);
    finf_system_free(system);
}

static void call_audit(void)
{
    static finf_audit_result r;
    finf_audit_options o = finf_audit_options_default();
    o.steps = 100;
    finf_audit_noise(noise, &o, &r);
}

static void call_participation(void)
{
    finf_participation r;
    finf_system_participation(hundred, 3, 30, NULL, &r, NULL);
}

static const struct {
    const char *name;
    void (*call)(void);
} CALLS[] = {{"noise", call_noise}, {"coef", call_coef},
             {"mean", call_mean},   {"linreg", call_linreg},
             {"iqc", call_iqc},     {"curve", call_curve},
             {"audit", call_audit}, {"participation", call_participation}};

double bench_seconds(const char *name, int calls);

/* Seconds a call, of so many; negative: there is no such call. */
double bench_seconds(const char *name, int calls)
{
    if (!noise &&
        (finf_noise_nu(0.01, &noise, NULL) || finf_spectrum_power(1, 128, &spectrum, NULL) ||
         finf_system_toeplitz(noise, 100, &hundred, NULL)))
        return -1;
    for (size_t i = 0; i < sizeof CALLS / sizeof *CALLS; i++) {
        if (strcmp(CALLS[i].name, name) != 0) continue;
        double began = now();
        for (int k = 0; k < calls; k++) CALLS[i].call();
        return (now() - began) / calls;
    }
    return -1;
}
