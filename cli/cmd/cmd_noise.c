/* finf noise: a stream of correlated noise, to be added to gradients. (theory 13.5-13.7)
 *
 * The numbers go out as bytes, or as a .npy, a step at a time while they are drawn: they may be
 * more than memory holds. With --format they are a table, beside what is known of the stream. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd.h"
#include "noise_source.h"
#include "sweep.h"

#define TABLE_MOST 1e7 /* numbers in a table */

/* What is asked for. */
typedef struct {
    double steps;   /* to be drawn, */
    double from;    /* from this one on; NaN: from the state's, or 0 */
    double horizon; /* of the whole run; NaN: not given */
    double dim;
    noise_source of;
    finf_stream_options o;
    unsigned char key[FINF_STREAM_KEY];
    unsigned char *state; /* bytes of --state, where that file is there; owned */
    size_t state_size;
    int beginning; /* noise without a recursion, and nobody said how long the run is */
} request;

/* ---- reading --------------------------------------------------------------------------------- */

/* A whole file; *bytes is NULL where there is none, and else owned by the caller. */
static finf_status read_bytes(const char *path, unsigned char **bytes, size_t *size,
                              finf_reason *why)
{
    size_t room = 4096, got;
    FILE *f = fopen(path, "rb");
    *bytes = NULL;
    *size = 0;
    if (!f && errno == ENOENT) return FINF_OK;
    if (!f) return finf_why(why, FINF_EIO, "cannot read '%.150s': %s", path, strerror(errno));
    *bytes = malloc(room);
    while (*bytes && (got = fread(*bytes + *size, 1, room - *size, f)) > 0) {
        *size += got;
        if (*size < room) continue;
        unsigned char *grown = realloc(*bytes, room *= 2);
        if (!grown) free(*bytes);
        *bytes = grown;
    }
    finf_status s = FINF_OK;
    if (!*bytes)
        s = finf_why(why, FINF_ENOMEM, "no memory for '%.150s'", path);
    else if (ferror(f))
        s = finf_why(why, FINF_EIO, "cannot read '%.150s': %s", path, strerror(errno));
    fclose(f);
    return s;
}

static finf_status read_key(const args *a, request *r, finf_reason *why)
{
    unsigned char *bytes = NULL;
    size_t size = 0;
    if (args_given(a, OPT_SEED)) {
        if (args_given(a, OPT_KEY))
            return finf_why(why, FINF_EUSAGE, "--seed and --key: one of them");
        r->o.seeded = 1;
        return args_seed(a, OPT_SEED, &r->o.seed, why);
    }
    if (!args_given(a, OPT_KEY)) return FINF_OK;
    const char *path = args_text(a, OPT_KEY);
    finf_status s = read_bytes(path, &bytes, &size, why);
    if (!s && !bytes)
        s = finf_why(why, FINF_EIO, "cannot read '%.150s': %s", path, strerror(ENOENT));
    if (!s && size != FINF_STREAM_KEY)
        s = finf_why(why, FINF_EPARSE, "the key '%.120s' has %zu bytes: must have %d", path, size,
                     FINF_STREAM_KEY);
    if (!s) memcpy(r->key, bytes, FINF_STREAM_KEY);
    r->o.key = r->key;
    free(bytes);
    return s;
}

/* a:b, the coordinates a, a+1, .., b-1. */
static finf_status read_coordinates(const args *a, request *r, finf_reason *why)
{
    const char *text = args_text(a, OPT_COORDINATES), *colon = text ? strchr(text, ':') : NULL;
    double from, to;
    finf_reason ignored;
    if (!text) return FINF_OK;
    if (!colon || parse_part(text, colon, "coordinates", &from, &ignored) ||
        parse_number(colon + 1, "coordinates", &to, &ignored) || from != floor(from) ||
        to != floor(to) || !(from >= 0 && from < to && to <= r->dim))
        return finf_why(why, FINF_EDOM,
                        "coordinates '%.60s': must be a:b, 0 <= a < b <= %s, for a, .., b-1", text,
                        finf_show(r->dim).s);
    r->o.first = (unsigned long long)from;
    r->o.count = (size_t)(to - from);
    return FINF_OK;
}

static finf_status read_request(const args *a, request *r, finf_reason *why)
{
    int dtype = 0;
    *r = (request){.from = NAN, .horizon = NAN, .o = finf_stream_options_default()};
    finf_status s = args_whole(a, OPT_STEPS, 1, FINF_STEPS_MAX, &r->steps, why);
    if (!s) s = args_whole(a, OPT_DIM, 1, FINF_DIM_MAX, &r->dim, why);
    if (!s) s = args_whole(a, OPT_FROM, 0, 1e15, &r->from, why);
    if (!s) s = args_whole(a, OPT_HORIZON, 1, FINF_STEPS_MAX, &r->horizon, why);
    if (!s) s = args_choice(a, OPT_DTYPE, &dtype, why);
    if (!s) s = read_coordinates(a, r, why);
    if (!s) s = read_key(a, r, why);
    if (!s && args_given(a, OPT_STATE))
        s = read_bytes(args_text(a, OPT_STATE), &r->state, &r->state_size, why);
    r->o.dtype = (finf_stream_dtype)dtype;
    return s;
}

/* Steps of the whole run, which fix the sensitivity, and the past that is to be kept. One call that
 * begins at 0 and saves no state is a whole run; NaN where nobody said. */
static double whole_run(const args *a, const request *r)
{
    if (!isnan(r->horizon)) return r->horizon;
    return args_given(a, OPT_STATE) || r->from > 0 ? NAN : r->steps;
}

/* sigma as given, or of the privacy target: for the sensitivity of the whole run. A design has
 * both. */
static finf_status find_sigma(const args *a, request *r, finf_reason *why)
{
    int target = args_given(a, OPT_RHO) || args_given(a, OPT_EPSILON) || args_given(a, OPT_DELTA);
    int designed = noise_source_is_design(&r->of);
    const finf_noise *noise = noise_source_noise(&r->of);
    double run = whole_run(a, r);
    sensitivity x;
    setting privacy;
    finf_real sens2;
    if (args_given(a, OPT_SIGMA) + target > 1 || !(args_given(a, OPT_SIGMA) || target || designed))
        return finf_why(why, FINF_EUSAGE, "give one of --sigma, --rho, or --epsilon with --delta%s",
                        target ? ", not several" : "");
    if (args_given(a, OPT_SIGMA)) return args_number(a, OPT_SIGMA, &r->o.sigma, why);
    if (designed) return noise_source_sigma(a, &r->of, &r->o.sigma, why);
    if (isnan(run))
        return finf_why(why, FINF_EUSAGE,
                        "a part of a run needs --horizon, the steps of the whole, for its "
                        "sensitivity; or --sigma");
    finf_status s = read_setting(a, &privacy, why);
    if (!s && run == r->steps) {
        s = read_sensitivity(a, noise, &x, why);
        if (!s) sens2 = sensitivity_meant(&x);
    } else if (!s) {
        if (args_given(a, OPT_PARTICIPATIONS) || args_given(a, OPT_EPOCHS))
            return finf_why(why, FINF_EUSAGE,
                            "several participations in a part of a run: find sigma with 'finf "
                            "privacy', and give it by --sigma");
        s = finf_noise_sensitivity_at(noise, (size_t)run, &sens2, why);
    }
    if (!s) r->o.sigma = finf_noise_multipliers(&privacy.set, sens2).sigma.value;
    return s;
}

/* ---- the stream ------------------------------------------------------------------------------ */

/* To where --state stopped. A --seed, --key or --from beside it may only say what holds anyway. */
static finf_status restore(const args *a, const request *r, finf_stream *s, finf_reason *why)
{
    unsigned char given[FINF_STREAM_KEY], kept[FINF_STREAM_KEY];
    finf_reason reason = {""};
    finf_stream_key(s, given);
    finf_status status = finf_stream_restore(s, r->state, r->state_size, &reason);
    if (status)
        return finf_why(why, status, "'%.80s': %.160s", args_text(a, OPT_STATE), reason.text);
    finf_stream_key(s, kept);
    if ((r->o.seeded || r->o.key) && memcmp(given, kept, sizeof kept) != 0)
        return finf_why(why, FINF_EDOM, "'%.120s' was begun with another %s",
                        args_text(a, OPT_STATE), r->o.seeded ? "seed" : "key");
    double step = (double)finf_stream_describe(s).step;
    if (!isnan(r->from) && r->from != step)
        return finf_why(why, FINF_EDOM, "from = %s, but '%.120s' goes on at step %s",
                        finf_show(r->from).s, args_text(a, OPT_STATE), finf_show(step).s);
    return FINF_OK;
}

static finf_status needs_horizon(const args *a, finf_reason *why)
{
    return finf_why(why, FINF_EUSAGE,
                    "a part of --noise %.60s after step %d needs --horizon, the steps of the whole "
                    "run",
                    args_text(a, OPT_NOISE), FINF_STREAM_SUMS);
}

/* A recursion goes on after the steps of a design or of --horizon, but its privacy does not. */
static finf_status check_steps(const args *a, const request *r, const finf_stream *s,
                               unsigned long long from, finf_reason *why)
{
    unsigned long long end = finf_stream_describe(s).steps, steps = (unsigned long long)r->steps;
    if (!isnan(r->horizon)) end = (unsigned long long)r->horizon; /* a design has one too */
    if (!end || (from <= end && steps <= end - from)) return FINF_OK;
    if (r->beginning) return needs_horizon(a, why);
    return finf_why(why, FINF_EDOM, "steps %llu to %llu: the run has %llu", from, from + steps - 1,
                    end);
}

/* Before the first step that is asked for. Steps that are not there are refused before those
 * before them are run through, which may take long. */
static finf_status make_stream(const args *a, request *r, finf_stream **out, finf_reason *why)
{
    const finf_cancel cancel = {sweep_interrupted, NULL};
    double run = whole_run(a, r), from = isnan(r->from) ? 0 : r->from;
    r->o.steps = isnan(run) ? 0 : (size_t)run;
    if (from > 0 && !r->state && !r->o.seeded && !r->o.key)
        return finf_why(why, FINF_EUSAGE,
                        "--from %s needs --seed, --key or a --state that is there: with a new key "
                        "nobody has the steps before",
                        finf_show(from).s);
    finf_status s = noise_source_stream(&r->of, r->dim, &r->o, out, why);
    if (s == FINF_EUSAGE && isnan(run) && strstr(why->text, "no recursion")) {
        r->o.steps = FINF_STREAM_SUMS; /* of which every run has the same bits */
        r->beginning = 1;
        s = noise_source_stream(&r->of, r->dim, &r->o, out, why);
    }
    if (s) return s;
    unsigned long long first = (unsigned long long)from;
    if (r->state) s = restore(a, r, *out, why);
    if (!s && r->state) first = finf_stream_describe(*out).step;
    if (!s) s = check_steps(a, r, *out, first, why);
    return s || r->state ? s : finf_stream_skip(*out, first, &cancel, why);
}

/* ---- out ------------------------------------------------------------------------------------- */

/* Numbers that are drawn while they are written. */
typedef struct {
    finf_stream *stream;
    size_t steps, count, width; /* numbers of a step, bytes of a number */
    unsigned char *room;        /* for a step */
    unsigned char *state;       /* for the state after it; NULL: not wanted */
} drawing;

static void drawing_free(void *data)
{
    drawing *x = data;
    finf_stream_free(x->stream);
    free(x->room);
    free(x->state);
    free(x);
}

/* A header of 128 bytes, and the numbers in the machine's order. */
static void put_npy_header(const drawing *x, FILE *out)
{
    char text[119];
    const uint16_t one = 1;
    int n = snprintf(
        text, sizeof text, "{'descr': '%c%s', 'fortran_order': False, 'shape': (%zu, %zu), }",
        *(const unsigned char *)&one ? '<' : '>', x->width == 4 ? "f4" : "f8", x->steps, x->count);
    fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, out);
    fprintf(out, "%s%*s\n", text, 117 - n, "");
}

static int put_numbers(void *data, doc_format format, FILE *out)
{
    drawing *x = data;
    if (format == FORMAT_NPY) put_npy_header(x, out);
    for (size_t t = 0; t < x->steps && !ferror(out); t++) {
        if (finf_stream_next(x->stream, x->room, NULL)) return 0;
        fwrite(x->room, x->width, x->count, out);
    }
    return 1;
}

static int put_state(void *data, FILE *out)
{
    drawing *x = data;
    size_t size = finf_stream_state_size(x->stream);
    if (finf_stream_state(x->stream, x->state, size, NULL)) return 0;
    fwrite(x->state, 1, size, out);
    return 1;
}

/* Takes the stream. */
static finf_status show_numbers(const args *a, finf_stream *s, size_t steps, doc *d,
                                finf_reason *why)
{
    static const doc_writer WRITER = {put_numbers, put_state, drawing_free};
    finf_stream_facts f = finf_stream_describe(s);
    drawing *x = calloc(1, sizeof *x);
    if (x) {
        *x = (drawing){.stream = s, .steps = steps, .count = f.count};
        x->width = f.dtype == FINF_STREAM_F32 ? sizeof(float) : sizeof(double);
        x->room = malloc(f.count * x->width);
        if (args_given(a, OPT_STATE)) x->state = malloc(finf_stream_state_size(s));
        if (x->room && (x->state || !args_given(a, OPT_STATE))) {
            doc_row(d);
            doc_written_by(d, &WRITER, x);
            return FINF_OK;
        }
        drawing_free(x);
    } else
        finf_stream_free(s);
    return finf_why(why, FINF_ENOMEM, "no memory for a step of %zu numbers", f.count);
}

static void show_facts(const args *a, const request *r, const finf_stream_facts *f, doc *d)
{
    char range[64];
    noise_source_show(d, a, &r->of);
    doc_number(d, "d", SHOWN, (double)f->dim, "dimension");
    snprintf(range, sizeof range, "%llu:%llu", f->first, f->first + f->count);
    doc_string(d, "coordinates", f->count == f->dim ? DATA_ONLY : SHOWN, range, "of these");
    doc_number(d, "from", f->step ? SHOWN : DATA_ONLY, (double)f->step, "the first step");
    doc_number(d, "sigma", SHOWN, f->sigma, "standard deviation of w_t");
    doc_string(d, "generator", SHOWN, f->generator, NULL);
    doc_bool(d, "seeded", SHOWN, f->seeded,
             f->seeded ? "the seed is known: for experiments, not for privacy"
                       : "the key is secret");
    doc_string(d, "method", SHOWN, f->method, NULL);
    doc_whole(d, "memory", SHOWN, f->memory, "vectors of state");
}

/* steps rows of count numbers, with the facts above. */
static finf_status show_table(const args *a, const request *r, finf_stream *s, doc *d,
                              finf_reason *why)
{
    size_t steps = (size_t)r->steps;
    finf_stream_facts f = finf_stream_describe(s);
    size_t n = f.count + 1;
    if ((double)n * (double)steps > TABLE_MOST)
        return finf_why(why, FINF_EDOM,
                        "%zu steps of %zu numbers: a table has at most 1e7; without --format they "
                        "are written as bytes",
                        steps, f.count);
    double *data = malloc(n * steps * sizeof *data);
    char(*label)[32] = malloc(n * sizeof *label);
    const char **names = malloc(n * sizeof *names);
    finf_status status = data && label && names ? FINF_OK : finf_why(why, FINF_ENOMEM, "no memory");
    for (size_t j = 0; j < n && !status; j++) {
        snprintf(label[j], sizeof *label, "z%llu", f.first + j - 1);
        names[j] = j ? label[j] : "step";
    }
    for (size_t t = 0; t < steps && !status; t++) {
        data[t * n] = (double)(f.step + t);
        status = finf_stream_next(s, data + t * n + 1, why);
    }
    if (!status) {
        doc_row(d);
        doc_heading(d, "A stream of correlated noise");
        show_facts(a, r, &f, d);
        doc_table(d, "z", n, names, data, steps);
    }
    free(data);
    free(label);
    free(names);
    return status;
}

static finf_status check_form(const args *a, int table, finf_reason *why)
{
    if (a->is_point)
        return finf_why(why, FINF_EUSAGE, "noise is one stream: one --noise, and no ranges");
    if (table && args_given(a, OPT_STATE))
        return finf_why(why, FINF_EUSAGE,
                        "--state goes on where numbers written as bytes or .npy stopped, not a "
                        "table: --output FILE or FILE.npy, and no --format beside it");
    return FINF_OK;
}

static finf_status cmd_noise(const args *a, doc *d, finf_reason *why)
{
    int table = args_given(a, OPT_FORMAT) || args_given(a, OPT_JSON) ||
                (!args_given(a, OPT_OUTPUT) && isatty(STDOUT_FILENO)); /* no bytes to a terminal */
    request r = {.state = NULL};
    finf_stream *s = NULL;
    finf_status status = check_form(a, table, why);
    if (!status) status = read_request(a, &r, why);
    if (!status) status = noise_source_read(a, &r.horizon, &r.of, why);
    if (!status) status = find_sigma(a, &r, why);
    if (!status && table) r.o.dtype = FINF_STREAM_F64;
    if (!status) status = make_stream(a, &r, &s, why);
    if (!status && table) status = show_table(a, &r, s, d, why);
    if (!status && !table) {
        status = show_numbers(a, s, (size_t)r.steps, d, why);
        s = NULL; /* taken */
    }
    finf_stream_free(s);
    noise_source_free(&r.of);
    free(r.state);
    return status;
}

static const option_use OPTIONS[] = {
    {.id = OPT_NOISE, .help = "the noise beta (see NOISE)"},
    {.id = OPT_DESIGN},
    {.id = OPT_STEPS, .needed = 1, .help = "how many steps are drawn"},
    {.id = OPT_DIM, .needed = 1, .help = "coordinates of the noise, and of --spectrum"},
    {.id = OPT_SIGMA},
    {.id = OPT_RHO,
     .help = "or rho-zCDP: sigma for the sensitivity of the steps (default: of --design)"},
    {.id = OPT_EPSILON},
    {.id = OPT_DELTA},
    {.id = OPT_CLIP},
    PARTICIPATION_OPTIONS,
    {.id = OPT_HORIZON},
    {.id = OPT_DTYPE},
    {.id = OPT_SEED,
     .help = "for experiments only: the same numbers again, and no privacy (default: a new secret "
             "key from the system)"},
    {.id = OPT_KEY},
    {.id = OPT_FROM},
    {.id = OPT_COORDINATES},
    {.id = OPT_STATE},
    {.id = OPT_ETA, .help = "step size, for nu:paper, nu:best and best"},
    {.id = OPT_SPECTRUM, .help = "for these: of linear regression (see SPECTRUM)"},
    {.id = OPT_KAPPA, .help = "for these: L/mu of the bound of iqc (neither: mean estimation)"},
    COMMON_OPTIONS,
    {.id = OPT_END}};

#define NEEDS_NOISE(id)                                                                            \
    {                                                                                              \
        .option = id, .needs = {OPT_NOISE}, .because = "a design was made for what it says"        \
    }
static const option_rule RULES[] = {PARTICIPATION_RULES,         NEEDS_NOISE(OPT_PARTICIPATIONS),
                                    NEEDS_NOISE(OPT_SEPARATION), NEEDS_NOISE(OPT_EPOCHS),
                                    NEEDS_NOISE(OPT_ETA),        NEEDS_NOISE(OPT_SPECTRUM),
                                    NEEDS_NOISE(OPT_KAPPA),      {.option = OPT_END}};

const command command_noise = {
    .name = "noise",
    .summary = "a stream of correlated noise to add to gradients",
    .about =
        "T steps of D numbers, row by row: bytes (f64 or f32), or with --output FILE.npy an array\n"
        "for NumPy; with --format, and on a terminal, a table. Any coordinates and any steps can "
        "be\n"
        "drawn by themselves, with the same bits, given the same --seed or --key. Noise hides\n"
        "gradients only from those who do not know the key: a seed is for experiments.",
    .example = "finf noise --noise 'blt:0.9,0.5;0.2,0.1' --steps 3 --dim 2 --sigma 1 --seed 1",
    .options = OPTIONS,
    .rules = RULES,
    .run = cmd_noise,
};
