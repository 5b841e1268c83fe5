/* --export c: C11 without any library. The caller brings the normals. */
#include "export.h"

/* clang-format off */

static const char HEAD[] =
    "@ABOUT@//\n"
    "// Compile:  cc -std=c11 -O2 -c noise.c\n"
    "// Test:     cc -std=c11 -DFINF_SELFTEST noise.c -o noise && ./noise\n"
    "#include <stddef.h>\n"
    "\n"
    "#define NOISE_STEPS @STEPS@ULL // of the run: there is no noise after them; 0: any number\n"
    "#define NOISE_SIGMA @SIGMA@ // of w, where z is added to the sum of clipped gradients\n"
    "#define NOISE_BATCH @BATCH@.0 // 1: added to the sum; n: to the mean over n examples\n"
    "#define NOISE_MEMORY @MEMORY@U // vectors of state\n"
    "\n"
    "// The state of a run: with `past` all that is needed to go on, and a secret.\n"
    "typedef struct {\n"
    "    unsigned long long t; // the next step\n"
    "    size_t dim;           // coordinates\n"
    "    double *past;         // NOISE_MEMORY * dim numbers, the caller's\n"
    "} noise_state;\n"
    "\n"
    "// Step 0 of a run.\n"
    "void noise_start(noise_state *s, size_t dim, double *past);\n"
    "// The noise of the next step. x: in, dim independent standard normals; out, what is to be\n"
    "// added to @ADDED@ of the clipped gradients. Privacy needs normals that nobody can\n"
    "// predict: make them of a cryptographic generator with a secret key (libsodium's\n"
    "// randombytes_buf, getrandom), never of rand() or a seed. Returns 0; or -1 after the last\n"
    "// step, and x is as it was.\n"
    "int noise_step(noise_state *s, double *x);\n"
    "\n";

static const char *const COEF[EXPORT_KINDS] = {
    [EXPORT_WHITE] =
    "static const double GAIN = @GAIN@;\n"
    "\n",
    [EXPORT_BUFFERS] =
    "static const double DECAY[] = @COEF@;\n"
    "static const double SCALE[] = @SCALE@;\n"
    "\n",
    [EXPORT_OUTPUTS] =
    "static const double C[] = @COEF@;\n"
    "\n",
    [EXPORT_INPUTS] =
    "static const double BETA[] = @COEF@;\n"
    "\n",
    [EXPORT_ROWS] =
    "static const double B[] = @COEF@;\n"
    "\n",
    [EXPORT_STEPS] =
    "// GAIN has a number for every step, the others have NOISE_MEMORY.\n"
    "static const double GAIN[] = @GAINS@;\n"
    "static const double DECAY[] = @COEF@;\n"
    "static const double OUT[] = @OUT@;\n"
    "static const double IN[] = @IN@;\n"
    "\n",
};

static const char WHITE[] =
    "// z = GAIN w.\n"
    "static void correlate(noise_state *s, double *x)\n"
    "{\n"
    "    for (size_t j = 0; j < s->dim; j++) x[j] *= GAIN;\n"
    "}\n"
    "\n";

static const char BUFFERS[] =
    "// z = w - sum_i SCALE_i S_i, then S_i = DECAY_i S_i + z.\n"
    "static void correlate(noise_state *s, double *x)\n"
    "{\n"
    "    for (size_t i = 0; i < NOISE_MEMORY; i++)\n"
    "        for (size_t j = 0; j < s->dim; j++) x[j] -= SCALE[i] * s->past[i * s->dim + j];\n"
    "    for (size_t i = 0; i < NOISE_MEMORY; i++)\n"
    "        for (size_t j = 0; j < s->dim; j++)\n"
    "            s->past[i * s->dim + j] = DECAY[i] * s->past[i * s->dim + j] + x[j];\n"
    "}\n"
    "\n";

static const char OUTPUTS[] =
    "// The place in which step t is kept.\n"
    "static double *place(const noise_state *s, unsigned long long t)\n"
    "{\n"
    "    return s->past + (size_t)(t % NOISE_MEMORY) * s->dim;\n"
    "}\n"
    "\n"
    "// z_t = (w_t - sum_{s>0} C_s z_{t-s})/C_0.\n"
    "static void correlate(noise_state *s, double *x)\n"
    "{\n"
    "    for (unsigned lag = 1; lag <= NOISE_MEMORY && lag <= s->t; lag++) {\n"
    "        const double *z = place(s, s->t - lag);\n"
    "        for (size_t j = 0; j < s->dim; j++) x[j] -= C[lag] * z[j];\n"
    "    }\n"
    "    double *kept = place(s, s->t);\n"
    "    for (size_t j = 0; j < s->dim; j++) kept[j] = x[j] /= C[0];\n"
    "}\n"
    "\n";

static const char INPUTS[] =
    "// The place in which step t is kept.\n"
    "static double *place(const noise_state *s, unsigned long long t)\n"
    "{\n"
    "    return s->past + (size_t)(t % NOISE_MEMORY) * s->dim;\n"
    "}\n"
    "\n"
    "// z_t = sum_s BETA_s w_{t-s}.\n"
    "static void correlate(noise_state *s, double *x)\n"
    "{\n"
    "    double *kept = place(s, s->t);\n"
    "    for (size_t j = 0; j < s->dim; j++) {\n"
    "        kept[j] = x[j];\n"
    "        x[j] *= BETA[0];\n"
    "    }\n"
    "    for (unsigned lag = 1; lag < NOISE_MEMORY && lag <= s->t; lag++) {\n"
    "        const double *w = place(s, s->t - lag);\n"
    "        for (size_t j = 0; j < s->dim; j++) x[j] += BETA[lag] * w[j];\n"
    "    }\n"
    "}\n"
    "\n";

static const char ROWS[] =
    "// z_t = sum_{s<=t} B_ts w_s. Row t of B begins at t (t+1)/2.\n"
    "static void correlate(noise_state *s, double *x)\n"
    "{\n"
    "    size_t t = (size_t)s->t, d = s->dim;\n"
    "    const double *row = B + t * (t + 1) / 2;\n"
    "    for (size_t j = 0; j < d; j++) {\n"
    "        s->past[t * d + j] = x[j];\n"
    "        x[j] *= row[t];\n"
    "    }\n"
    "    for (size_t i = 0; i < t; i++)\n"
    "        for (size_t j = 0; j < d; j++) x[j] += row[i] * s->past[i * d + j];\n"
    "}\n"
    "\n";

static const char STEPS[] =
    "// y = w - sum_i OUT_ti S_i, then S_i = DECAY_ti S_i + IN_ti y; z = GAIN_t y.\n"
    "static void correlate(noise_state *s, double *x)\n"
    "{\n"
    "    size_t t = (size_t)s->t, d = s->dim;\n"
    "    const double *decay = DECAY + t * NOISE_MEMORY;\n"
    "    const double *out = OUT + t * NOISE_MEMORY, *in = IN + t * NOISE_MEMORY;\n"
    "    for (size_t i = 0; i < NOISE_MEMORY; i++)\n"
    "        for (size_t j = 0; j < d; j++) x[j] -= out[i] * s->past[i * d + j];\n"
    "    for (size_t i = 0; i < NOISE_MEMORY; i++)\n"
    "        for (size_t j = 0; j < d; j++)\n"
    "            s->past[i * d + j] = decay[i] * s->past[i * d + j] + in[i] * x[j];\n"
    "    for (size_t j = 0; j < d; j++) x[j] *= GAIN[t];\n"
    "}\n"
    "\n";

static const char TAIL[] =
    "void noise_start(noise_state *s, size_t dim, double *past)\n"
    "{\n"
    "    s->t = 0;\n"
    "    s->dim = dim;\n"
    "    s->past = past;\n"
    "    size_t n = NOISE_MEMORY * dim;\n"
    "    for (size_t i = 0; i < n; i++) past[i] = 0;\n"
    "}\n"
    "\n"
    "int noise_step(noise_state *s, double *x)\n"
    "{\n"
    "    const unsigned long long steps = NOISE_STEPS;\n"
    "    if (steps && s->t >= steps) return -1;\n"
    "    correlate(s, x);\n"
    "    for (size_t j = 0; j < s->dim; j++) x[j] *= NOISE_SIGMA / NOISE_BATCH;\n"
    "    s->t++;\n"
    "    return 0;\n"
    "}\n"
    "\n"
    "#ifdef FINF_SELFTEST\n"
    "#include <stdio.h>\n"
    "\n"
    "// What finf makes, at sigma = 1, of two known w: 1, 0, 0, .. and\n"
    "// ((7t + 3) mod 5) - 2.\n"
    "static const double EXPECTED[][3] = {\n"
    "@TEST@};\n"
    "\n"
    "int main(void)\n"
    "{\n"
    "    static double past[2 * NOISE_MEMORY + 1];\n"
    "    double worst = 0, largest = 0;\n"
    "    size_t k = 0, rows = sizeof EXPECTED / sizeof *EXPECTED;\n"
    "    noise_state s;\n"
    "    noise_start(&s, 2, past);\n"
    "    for (unsigned t = 0; t < @TEST_STEPS@; t++) {\n"
    "        double x[2] = {t == 0, (double)((7 * t + 3) % 5) - 2};\n"
    "        if (noise_step(&s, x)) return 1;\n"
    "        if (k == rows || t < EXPECTED[k][0]) continue;\n"
    "        for (int j = 0; j < 2; j++) {\n"
    "            double want = EXPECTED[k][j + 1];\n"
    "            double off = x[j] / (NOISE_SIGMA / NOISE_BATCH) - want;\n"
    "            if (off > worst || -off > worst) worst = off > 0 ? off : -off;\n"
    "            if (want > largest || -want > largest) largest = want > 0 ? want : -want;\n"
    "        }\n"
    "        k++;\n"
    "    }\n"
    "    int good = k == rows && worst <= 1e-12 * largest;\n"
    "    printf(\"self-test %s: %u values of finf, off by at most %.1e\\n\",\n"
    "           good ? \"passed\" : \"FAILED\", (unsigned)(2 * k), worst);\n"
    "    return !good;\n"
    "}\n"
    "#endif\n";

/* clang-format on */

const export_template export_c = {
    .comment = "//",
    .list = {"{", "}"},
    .between = ",",
    .pair = {"{", ", ", "}"},
    .head = HEAD,
    .coef = COEF,
    .filter = {WHITE, BUFFERS, OUTPUTS, INPUTS, ROWS, STEPS},
    .tail = TAIL,
};
