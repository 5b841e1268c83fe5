/* The command line as values: first every option is recognised, then what a command needs and what
 * would have no effect are checked, and only then does the command read numbers, ranges and words
 * from the texts. */
#include "args.h"

#include "base.h"
#include "closest.h"
#include "parse.h"
#include "spec.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static const char *name_of(option_id id) { return option_get(id, NULL).name; }

/* Is one of `words` in `list`? The words stand between bars (a|b), the list's between commas
 * (a,b,c). A word with a colon in it stands for all that begin as it does up to the colon:
 * uniform:k for uniform:1000. */
static int has_word(const char *list, const char *words)
{
    for (const char *p = list; *p; p += strcspn(p, ","), p += *p == ',')
        for (const char *w = words; *w; w += strcspn(w, "|"), w += *w == '|') {
            size_t n = strcspn(w, ":|"), whole = w[n] != ':';
            if ((!whole || strcspn(p, ",") == n) && strncmp(p, w, n + !whole) == 0) return 1;
        }
    return 0;
}

/* The options of a list that ends with OPT_END, as "--spectrum or --kappa". */
static void name_options(const option_id *list, char *out, size_t size)
{
    size_t n = 0;
    for (; *list != OPT_END && n < size; list++)
        n += (size_t)snprintf(out + n, size - n, "%s--%s", n ? " or " : "", name_of(*list));
}

/* Whether the value given for an option is one that states what holds anyway, such as --dim 1 of a
 * problem in one dimension. */
static int states_what_holds(const args *a, option_id id)
{
    for (const option_truth *t = a->command->truths; t && t->option != OPT_END; t++)
        if (t->option == id && has_word(args_text(a, id), t->words)) return 1;
    return 0;
}

/* Whether a rule lets its option stand. Without words one of the needed options must be given; with
 * words the value of one, given or by default, must have one of them. An option with no value at
 * all is nothing the rule could be about, and it lets it pass. */
static int fulfilled(const args *a, const option_rule *r)
{
    for (const option_id *id = r->needs; *id != OPT_END; id++) {
        const char *text = args_text(a, *id);
        if (r->words ? !text || has_word(text, r->words) : args_given(a, *id)) return 1;
        for (size_t i = 0; r->words && i < a->repeats; i++)
            if (a->repeated[i].id == *id && has_word(a->repeated[i].text, r->words)) return 1;
    }
    return 0;
}

/* No option is passed over: one that has no effect beside the others is a mistake. */
static finf_status check_rules(const args *a, finf_reason *why)
{
    for (const option_rule *r = a->command->rules; r && r->option != OPT_END; r++) {
        if (!args_given(a, r->option) || states_what_holds(a, r->option) || fulfilled(a, r))
            continue;
        char others[96] = "";
        name_options(r->needs, others, sizeof others);
        return finf_why(why, FINF_EUSAGE, "--%s has no effect without %s%s%s%s%s",
                        name_of(r->option), others, r->words ? " " : "", r->words ? r->words : "",
                        r->because ? ": " : "", r->because ? r->because : "");
    }
    return FINF_OK;
}

/* The reason names what may have been meant, of the options of this command. */
static finf_status no_option(const command *c, const char *given, size_t length, finf_reason *why)
{
    closest near = closest_to(given + 2, length);
    for (const option_use *u = c->options; u->id != OPT_END; u++)
        closest_try(&near, name_of(u->id));
    return finf_why(why, FINF_EUSAGE, "%s has no option '%.80s'%s; 'finf %s --help' lists them",
                    c->name, given, closest_say(&near, "--").text, c->name);
}

/* How many threads and whether to say how far it is change no answer: every command takes them, and
 * the help lists them where they change anything. */
static int is_everywhere(option_id id) { return id == OPT_THREADS || id == OPT_PROGRESS; }

/* --name, --name=value or --name value, at argv[*i]; or the operand */
static finf_status parse_option(const command *c, int argc, char **argv, int *i, args *out,
                                finf_reason *why)
{
    const char *given = strcmp(argv[*i], "-h") == 0 ? "--help" : argv[*i];
    if (c->operand && !out->operand && (*given != '-' || !given[1])) {
        out->operand = given;
        return FINF_OK;
    }
    if (strncmp(given, "--", 2) != 0 || !given[2])
        return finf_why(why, FINF_EUSAGE, "%s: unexpected argument '%.80s'; options start with --",
                        c->name, given);
    const char *equals = strchr(given, '=');
    size_t length = equals ? (size_t)(equals - given) - 2 : strlen(given) - 2;
    option_id id = option_find(given + 2, length);
    if (id == OPT_END || !(option_of_command(c, id) || is_everywhere(id)))
        return no_option(c, given, length, why);
    option_info o = option_get(id, c);
    /* of two values one would be passed over */
    if (out->value[id] && !o.repeats)
        return finf_why(why, FINF_EUSAGE, "--%s is given twice", o.name);
    if (!o.argument) {
        if (equals) return finf_why(why, FINF_EUSAGE, "--%s takes no value", o.name);
        out->value[id] = "";
        return FINF_OK;
    }
    if (!equals && *i + 1 == argc)
        return finf_why(why, FINF_EUSAGE, "--%s needs a value (%s)", o.name, o.argument);
    const char *text = equals ? equals + 1 : argv[++*i];
    if (!out->value[id]) out->value[id] = text;
    if (o.repeats && out->repeats == ARGS_REPEATS)
        return finf_why(why, FINF_EUSAGE, "--%s is given more than %d times", o.name, ARGS_REPEATS);
    if (o.repeats) {
        out->repeated[out->repeats].id = id;
        out->repeated[out->repeats++].text = text;
    }
    if (strcmp(o.argument, "LIST") == 0 && !*out->value[id])
        return finf_why(why, FINF_EPARSE, "%s: the list is empty", o.name);
    return FINF_OK;
}

/* The first option in the order of the table that is needed and not there. */
static finf_status check_needed(const args *a, finf_reason *why)
{
    const command *c = a->command;
    for (int i = 0; i < OPT_COUNT; i++) {
        const option_use *u = option_of_command(c, (option_id)i);
        if (u && u->needed && !a->value[i])
            return finf_why(why, FINF_EUSAGE, "%s needs --%s, for example: %s", c->name,
                            name_of((option_id)i), c->example);
    }
    return FINF_OK;
}

/* Every option that is one of some words (a|b, without what has a value of its own) is one of them.
 * Before the rules: a word that is misspelt would else be said to leave others without effect. */
static finf_status check_words(const args *a, finf_reason *why)
{
    finf_status s = FINF_OK;
    for (int i = 0, unused; i < OPT_COUNT && !s; i++) {
        const char *words = option_get((option_id)i, a->command).argument;
        if (a->value[i] && words && strchr(words, '|') && !strpbrk(words, ":.@"))
            s = args_choice(a, (option_id)i, &unused, why);
    }
    return s;
}

/* `finf audit nu:0.1` is `finf audit --noise nu:0.1`, unless there is a file of that name. */
static void name_operand(args *a)
{
    const char *word = a->operand;
    if (!word || !option_of_command(a->command, OPT_NOISE) || a->value[OPT_NOISE] ||
        access(word, F_OK) == 0 || !(spec_is_noise(word) || spec_is_several(word)) ||
        a->repeats == ARGS_REPEATS)
        return;
    a->operand = NULL;
    a->value[OPT_NOISE] = word;
    a->repeated[a->repeats].id = OPT_NOISE;
    a->repeated[a->repeats++].text = word;
}

/* A file whose name ends in .csv or .json is in that format, unless another is asked for. */
static void name_format(args *a)
{
    static const char *const FORMATS[] = {"csv", "json"};
    const char *dot = a->value[OPT_OUTPUT] ? strrchr(a->value[OPT_OUTPUT], '.') : NULL;
    if (!dot || a->value[OPT_FORMAT] || a->value[OPT_JSON] || a->value[OPT_EXPORT]) return;
    for (size_t i = 0; i < 2; i++)
        if (strcasecmp(dot + 1, FORMATS[i]) == 0) a->value[OPT_FORMAT] = FORMATS[i];
}

/* The texts stay where argv has them. Nothing is converted here: what an option's number may be
 * depends on the command. */
finf_status args_parse(command_table all, const command *c, int argc, char **argv, args *out,
                       finf_reason *why)
{
    *out = (args){.command = c, .all = all};
    for (int i = 1; i < argc; i++) {
        finf_status s = parse_option(c, argc, argv, &i, out, why);
        if (s) return s;
    }
    name_operand(out);
    for (int i = 0; i < OPT_COUNT; i++) {
        option_info o = option_get((option_id)i, c);
        if (out->value[i] && o.implied && !out->value[o.implies]) out->value[o.implies] = o.implied;
    }
    name_format(out);
    /* who asks for help need not have given everything */
    if (out->value[OPT_HELP] || out->value[OPT_VERSION]) return FINF_OK;
    finf_status s = check_needed(out, why);
    if (!s) s = check_words(out, why);
    return s ? s : check_rules(out, why);
}

int args_given(const args *a, option_id id) { return a->value[id] != NULL; }

const char *args_text(const args *a, option_id id)
{
    return a->value[id] ? a->value[id] : option_get(id, a->command).fallback;
}

/* What the shell would take apart stands in single quotes. */
void args_quote(const char *text, FILE *out)
{
    static const char PLAIN[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=.,:/@%^";
    if (*text && !text[strspn(text, PLAIN)]) {
        fputs(text, out);
        return;
    }
    fputc('\'', out);
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", out);
        else
            fputc(*text, out);
    }
    fputc('\'', out);
}

/* One option with its value, if it takes one. */
static void print_option(const args *a, option_id id, const char *text, FILE *out)
{
    option_info o = option_get(id, a->command);
    fprintf(out, " --%s", o.name);
    if (!o.argument) return;
    fputc(' ', out);
    args_quote(text, out);
}

void args_print(const args *a, FILE *out)
{
    /* say where and how to print, not what is computed */
    static const option_id PRINTING[] = {OPT_SAVE, OPT_VERBOSE, OPT_FORMAT,    OPT_JSON,
                                         OPT_CSV,  OPT_OUTPUT,  OPT_PRECISION, OPT_QUIET,
                                         OPT_PLOT, OPT_THREADS, OPT_PROGRESS,  OPT_HEADER_COMMENT};
    fprintf(out, "finf %s", a->command->name);
    if (a->operand) {
        fputc(' ', out);
        args_quote(a->operand, out);
    }
    for (int i = 0; i < OPT_COUNT; i++) {
        int shown = a->value[i] != NULL, times = 0;
        for (size_t k = 0; k < sizeof PRINTING / sizeof *PRINTING; k++)
            shown &= PRINTING[k] != (option_id)i;
        if (!shown) continue;
        for (size_t k = 0; k < a->repeats; k++)
            if (a->repeated[k].id == (option_id)i && ++times)
                print_option(a, (option_id)i, a->repeated[k].text, out);
        if (!times) print_option(a, (option_id)i, a->value[i], out);
    }
}

finf_status args_number(const args *a, option_id id, double *x, finf_reason *why)
{
    const char *text = args_text(a, id);
    return text ? parse_number(text, name_of(id), x, why) : FINF_OK;
}

finf_status args_whole(const args *a, option_id id, double min, double max, double *x,
                       finf_reason *why)
{
    double value = NAN;
    finf_status s = args_number(a, id, &value, why);
    if (s || isnan(value)) return s;
    if (!(value >= min && value <= max && value == floor(value)))
        return finf_why(why, FINF_EDOM, "%s = %.80s: must be a whole number from %.15g to %.15g",
                        name_of(id), args_text(a, id), min, max);
    *x = value;
    return FINF_OK;
}

/* Two ways to write a seed: digits, up to 2^64 - 1, or any other spelling of a whole number (1e9)
 * that a double holds exactly. args_number comes first for its messages on what is no number at
 * all. */
finf_status args_seed(const args *a, option_id id, unsigned long long *seed, finf_reason *why)
{
    const char *text = args_text(a, id);
    /* below 2^53 a double is the number that was written */
    const double exact = 9007199254740992.0;
    double value = NAN;
    finf_status s = args_number(a, id, &value, why);
    if (s) return s;
    errno = 0;
    /* digits alone are read as an integer, which keeps all 64 bits of it */
    *seed = strtoull(text, NULL, 10);
    if (text[strspn(text, "0123456789")] == '\0' && errno == 0) return FINF_OK;
    if (!(value >= 0 && value < exact && value == floor(value)))
        return finf_why(
            why, FINF_EDOM,
            "%s = %.80s: must be a whole number from 0 to %llu (from 2^53 on in digits)",
            name_of(id), text, ULLONG_MAX);
    *seed = (unsigned long long)value; /* 1e9 is one */
    return FINF_OK;
}

/* FROM:TO:log|lin:COUNT */
typedef struct {
    double from, to, count;
    int is_log;
} range;

static finf_status check_range(const char *name, const range *r, finf_reason *why)
{
    if (!(r->count >= 2 && r->count <= 100000 && r->count == floor(r->count)))
        return finf_why(why, FINF_EDOM,
                        "%s: %.15g points in a range, must be a whole number from 2 to 100000",
                        name, r->count);
    if (r->is_log && !(r->from > 0 && r->to > 0))
        return finf_why(why, FINF_EDOM, "%s: a log range needs positive ends", name);
    double reach = r->is_log ? r->to / r->from : r->to - r->from;
    if (!isfinite(reach) || (r->is_log && reach == 0))
        return finf_why(why, FINF_EDOM, "%s: from %s to %s is too far for a range", name,
                        finf_show(r->from).s, finf_show(r->to).s);
    return FINF_OK;
}

/* Its values, equally spaced or in equal ratios. The last one is `to` itself, free of the rounding
 * of its formula. */
static finf_status fill_range(const range *r, double **list, size_t *n, finf_reason *why)
{
    double reach = r->is_log ? r->to / r->from : r->to - r->from;
    *n = (size_t)r->count;
    *list = malloc(*n * sizeof **list);
    if (!*list) return finf_why(why, FINF_ENOMEM, "no memory");
    for (size_t i = 0; i < *n; i++) {
        double f = (double)i / (r->count - 1);
        (*list)[i] = i + 1 == *n ? r->to
                     : r->is_log ? r->from * pow(reach, f)
                                 : r->from + reach * f;
    }
    return FINF_OK;
}

/* The four fields of FROM:TO:log|lin:COUNT: field i is [at[i], at[i+1] - 1). 0 if there are more or
 * fewer. */
static int split_range(const char *text, const char *at[5])
{
    int fields = 0;
    for (const char *p = text; fields < 4; p++) {
        at[fields++] = p;
        p += strcspn(p, ":");
        at[fields] = p + 1;
        if (!*p) return fields == 4;
    }
    return 0;
}

/* Whether [text, end) is this word. */
static int is_word(const char *text, const char *end, const char *word)
{
    return strlen(word) == (size_t)(end - text) && strncmp(text, word, strlen(word)) == 0;
}

static finf_status read_range(const char *text, const char *name, range *r, finf_reason *why)
{
    const char *at[5];
    int whole = split_range(text, at);
    *r = (range){NAN, NAN, NAN, whole && is_word(at[2], at[3] - 1, "log")};
    if (!whole || (!r->is_log && !is_word(at[2], at[3] - 1, "lin")))
        return finf_why(why, FINF_EPARSE,
                        "%s = '%.80s': a range is FROM:TO:log:COUNT or FROM:TO:lin:COUNT", name,
                        text);
    finf_status s = parse_part(at[0], at[1] - 1, name, &r->from, why);
    if (!s) s = parse_part(at[1], at[2] - 1, name, &r->to, why);
    if (!s) s = parse_part(at[3], at[4] - 1, name, &r->count, why);
    return s ? s : check_range(name, r, why);
}

/* A range is known by its colons and a list by its commas, which no number has. */
finf_status args_numbers(const char *text, const char *name, double **list, size_t *n,
                         finf_reason *why)
{
    range r;
    *list = NULL;
    *n = 0;
    if (!strpbrk(text, ":,")) { /* a single number is a list of one, named without its place */
        *n = 1;
        *list = malloc(sizeof **list);
        return *list ? parse_number(text, name, *list, why)
                     : finf_why(why, FINF_ENOMEM, "no memory");
    }
    if (!strchr(text, ':')) return parse_list(text, text + strlen(text), name, list, n, why);
    finf_status s = read_range(text, name, &r, why);
    return s ? s : fill_range(&r, list, n, why);
}

finf_status args_numbers_count(const char *text, const char *name, size_t *n, finf_reason *why)
{
    range r;
    double *list = NULL;
    finf_status s;
    if (strchr(text, ':')) {
        s = read_range(text, name, &r, why);
        *n = s ? 0 : (size_t)r.count;
        return s;
    }
    s = args_numbers(text, name, &list, n, why);
    free(list);
    return s;
}

finf_status args_range(const args *a, option_id id, double **list, size_t *n, finf_reason *why)
{
    return args_numbers(args_text(a, id), name_of(id), list, n, why);
}

finf_status args_sized(const args *a, option_id id, const char *plain, const char *sized,
                       double max, size_t *n, finf_reason *why)
{
    const char *text = args_text(a, id);
    size_t length = strlen(sized);
    double value;
    *n = 0;
    if (strcmp(text, plain) == 0) return FINF_OK;
    if (strncmp(text, sized, length) != 0 || text[length] != ':') {
        closest near = closest_to(text, strcspn(text, ":"));
        closest_try(&near, plain);
        closest_try(&near, sized);
        return finf_why(why, FINF_EUSAGE, "--%s '%.80s': must be %s or %s:n%s", name_of(id), text,
                        plain, sized, closest_say(&near, "").text);
    }
    finf_status s = parse_number(text + length + 1, name_of(id), &value, why);
    if (!s && !(value >= 1 && value <= max && value == floor(value)))
        s = finf_why(why, FINF_EDOM, "%s = %.80s: must be a whole number from 1 to %.15g",
                     name_of(id), text, max);
    if (!s) *n = (size_t)value;
    return s;
}

/* The words of the table are in its `argument`, between bars. */
finf_status args_choice(const args *a, option_id id, int *choice, finf_reason *why)
{
    option_info o = option_get(id, a->command);
    const char *text = args_text(a, id), *word = o.argument;
    for (int i = 0; *word; i++) {
        size_t length = strcspn(word, "|");
        if (is_word(word, word + length, text)) {
            *choice = o.numbers ? o.numbers[i] : i;
            return FINF_OK;
        }
        word += length + (word[length] == '|');
    }
    closest near = closest_to(text, strlen(text));
    closest_try_words(&near, o.argument);
    return finf_why(why, FINF_EUSAGE, "--%s '%.80s': must be one of %s%s", o.name, text, o.argument,
                    closest_say(&near, "").text);
}
