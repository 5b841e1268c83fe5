/* The help of a command, the man page and docs/commands.md, all printed from the tables of
 * options.c and of the commands. What differs is the markup: each format has a function that writes
 * plain text with what it must escape. */
#include "manual.h"

#include "base.h"

#include <string.h>

/* Every family of the library, a line each, and what depends on the problem. */
static const char *noise_help(void)
{
    static char text[4096];
    finf_noise_form f;
    size_t n = 0;
    for (size_t i = 0; (f = finf_noise_form_get(i)).name && n < sizeof text; i++) {
        int also = f.file && !strchr(f.form, '@'); /* it may come from a file too */
        n += (size_t)snprintf(text + n, sizeof text - n, "  %-17s %-*s%s%s\n", f.form,
                              also ? 34 : 0, f.about, also ? f.name : "", also ? "@FILE" : "");
    }
    if (n < sizeof text)
        snprintf(
            text + n, sizeof text - n,
            "  nu:paper          V = eta mu, the paper's choice\n"
            "  nu:best           the V that is best for the problem asked\n"
            "  best              the optimum over all noise for the problem asked; of iqc, what "
            "optimize finds\n"
            "  V of nu and antipgd may be a range or a list. FILE is text, CSV or .npy; - is "
            "stdin.\n");
    return text;
}

/* What spec_spectrum takes. */
static const char SPECTRUM_HELP[] =
    "  power:A           lambda_k = k^-A\n"
    "  exp:R             lambda_k = e^(-R(k-1))\n"
    "  flat              lambda_k = 1\n"
    "  step              1, 1/d, 1/d, ..\n"
    "  list:1,0.5,..     given eigenvalues                 @FILE\n"
    "  covariance@FILE   those of a symmetric matrix\n"
    "  data@FILE         those of X'X/n, X with n rows of d numbers (text, CSV, .npy; - is stdin)\n"
    "  Eigenvalues of 0 are directions without loss, and left out.\n";

/* Every optimizer of the library. */
static const char *optimizer_help(void)
{
    static char text[2048];
    finf_optimizer_form f;
    size_t n = 0;
    for (size_t i = 0; (f = finf_optimizer_form_get(i)).name && n < sizeof text; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "  %-22s %s\n", f.form, f.about);
    return text;
}

/* As finf_status_exit has them. */
static const char EXIT_STATUS[] =
    "0 answered (also when the answer is infinite); 1 audit --strict found something; 2 usage; 3 "
    "input outside the domain or "
    "malformed;\n"
    "4 tolerance or certificate not reached (the best value is still printed, also where its error "
    "is as\nlarge as itself); 5 input, output or memory.\n";

static void plain(const char *text, FILE *out) { fputs(text, out); }

/* The constants of the finite-time rates that --set takes, a line each, escaped by `put`. */
static void constant_lines(void (*put)(const char *, FILE *), FILE *out)
{
    char line[160];
#define LINE(name, value, zero, meaning)                                                           \
    snprintf(line, sizeof line, "  %-13s %s (%s)\n", #name, meaning, finf_show(value).s);          \
    put(line, out);
    FINF_RATE_CONSTANT_LIST(LINE)
#undef LINE
}

/* What an option means, and its default. */
static void meaning(const option_info *o, void (*put)(const char *, FILE *), FILE *out)
{
    if (o->subject) put(o->subject, out);
    put(o->help, out);
    if (o->fallback) fprintf(out, " (default %s)", o->fallback);
}

/* ---- --help ---------------------------------------------------------------------------------- */

#define HELP_WIDTH 100
#define HELP_INDENT 31

/* Text from column `at` on, broken at blanks (or where it has an end of line) so that no line is
 * longer than HELP_WIDTH; further lines begin at column `indent`. */
static void put_wrapped(const char *text, size_t *at, size_t indent, FILE *out)
{
    while (*text) {
        size_t n = strcspn(text, " \n");
        int full = *at > indent && *at + n > HELP_WIDTH;
        /* the blank before a word is written with it, or is an end of line */
        if (full) {
            fprintf(out, "\n%*s", (int)indent, "");
            *at = indent;
        }
        fprintf(out, "%.*s", (int)n, text);
        *at += n;
        text += n;
        if (!*text) return;
        text++;
        if (*at + 1 + strcspn(text, " \n") > HELP_WIDTH) {
            fprintf(out, "\n%*s", (int)indent, "");
            *at = indent;
        } else {
            fputc(' ', out);
            ++*at;
        }
    }
}

/* Two columns; what is too long for the first one gets a line of its own. */
static void option_lines(const command *c, FILE *out)
{
    for (int i = 0; i < OPT_COUNT; i++) {
        if (!option_of_command(c, (option_id)i)) continue;
        option_info o = option_get((option_id)i, c);
        char left[80], fallback[80];
        snprintf(left, sizeof left, "--%s%s%s", o.name, o.argument ? " " : "",
                 o.argument ? o.argument : "");
        fprintf(out, "  %-28s", left);
        if (strlen(left) > 28) fprintf(out, "\n  %-28s", "");
        fputc(' ', out);
        size_t at = HELP_INDENT;
        if (o.subject) put_wrapped(o.subject, &at, HELP_INDENT, out);
        put_wrapped(o.help, &at, HELP_INDENT, out);
        snprintf(fallback, sizeof fallback, " (default %s)", o.fallback ? o.fallback : "");
        if (o.fallback) put_wrapped(fallback, &at, HELP_INDENT, out);
        fputc('\n', out);
    }
}

/* Whether some option of a command takes a range or a list. */
static int takes_ranges(const command *c)
{
    for (const option_use *u = c->options; u->id != OPT_END; u++) {
        option_info o = option_get(u->id, c);
        if (o.key && !o.repeats) return 1;
    }
    return 0;
}

static const char RANGES_HELP[] =
    "  E, K, D, R, T and other numbers may be a list 0.1,0.2 or a range 0.01:1:log:9 "
    "(0.1:0.5:lin:5):\n  an answer each, as a table; --plot draws it.\n";

/* The spellings of --noise, --spectrum and --set are explained where the command has them. */
void manual_help(const command *c, FILE *out)
{
    size_t at = 0;
    fprintf(out, "finf %s: %s\n\n", c->name, c->summary);
    put_wrapped(c->about, &at, 0, out);
    if (c->operand) fprintf(out, "\n\nUsage\n  finf %s %s [options]", c->name, c->operand);
    fputs("\n\nOptions\n", out);
    option_lines(c, out);
    if (option_of_command(c, OPT_NOISE)) fprintf(out, "\nNOISE\n%s", noise_help());
    if (option_of_command(c, OPT_SPECTRUM)) fprintf(out, "\nSPECTRUM\n%s", SPECTRUM_HELP);
    if (option_of_command(c, OPT_OPTIMIZER)) fprintf(out, "\nOPTIMIZER\n%s", optimizer_help());
    if (takes_ranges(c)) fprintf(out, "\nRANGES\n%s", RANGES_HELP);
    if (option_of_command(c, OPT_SET)) {
        fputs("\nCONSTANTS (--set, with their defaults)\n", out);
        constant_lines(plain, out);
    }
    fprintf(out, "\nExample\n  %s\n", c->example);
}

void manual_overview(command_table all, FILE *out)
{
    fputs("finf: how well private learning with correlated noise can do\n\nCommands\n", out);
    for (; *all; all++) fprintf(out, "  finf %-10s %s\n", (*all)->name, (*all)->summary);
    fputs("\n'finf COMMAND --help' has the options and an example. 'finf --version' has the "
          "version.\n",
          out);
}

/* ---- the man page ---------------------------------------------------------------------------- */

/* roff: a line must not begin with . or ', and - and \ are escaped */
static void roff(const char *text, FILE *out)
{
    for (int start = 1; *text; text++) {
        if (start && (*text == '.' || *text == '\'')) fputs("\\&", out);
        if (*text == '\\' || *text == '-') fputc('\\', out);
        fputc(*text, out);
        start = *text == '\n';
    }
}

/* Lines that are kept as they are. */
static void roff_block(const char *text, FILE *out)
{
    fputs(".nf\n", out);
    roff(text, out);
    fputs(".fi\n", out);
}

/* Either text may be NULL. */
static int same(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

/* Do both commands have the option, and mean the same by it? */
static int alike(option_id id, const command *a, const command *b)
{
    if (!option_of_command(a, id) || !option_of_command(b, id)) return 0;
    option_info x = option_get(id, a), y = option_get(id, b);
    return same(x.help, y.help) && same(x.fallback, y.fallback);
}

/* The man page has an option once, for all commands. Each of its meanings is printed once, behind
 * the names of the commands that have it; if all that have the option mean the same, none is
 * named. */
static void roff_option(option_id id, command_table all, FILE *out)
{
    option_info o = option_get(id, NULL);
    int users = 0, meanings = 0;
    fprintf(out, ".TP\n.B \\-\\-%s", o.name);
    if (o.argument) fprintf(out, " \\fI%s\\fR", o.argument);
    fputc('\n', out);
    for (command_table c = all; *c; c++) users += option_of_command(*c, id) != NULL;
    for (command_table c = all; *c; c++) {
        int count = 0, first = option_of_command(*c, id) != NULL;
        /* only the first command with a meaning prints it, for all that share it */
        for (command_table b = all; b < c; b++) first &= !alike(id, *b, *c);
        if (!first) continue;
        if (meanings++) fputs(".br\n", out);
        for (command_table b = c; *b; b++) count += alike(id, *b, *c);
        const char *before = "";
        for (command_table b = c; *b && count < users; b++)
            if (alike(id, *b, *c)) {
                fprintf(out, "%s\\fI%s\\fR", before, (*b)->name);
                before = ", ";
            }
        if (*before) fputs(": ", out);
        o = option_get(id, *c);
        meaning(&o, roff, out);
        fputc('\n', out);
    }
}

/* Options come once, after all commands: most are those of several. */
void manual_roff(command_table all, FILE *out)
{
    fputs(".TH FINF 1 \"\" \"finf " FINF_VERSION "\" \"User Commands\"\n.SH NAME\n"
          "finf \\- how well private learning with correlated noise can do\n.SH SYNOPSIS\n.B "
          "finf\n.I COMMAND\n[options]\n"
          ".SH DESCRIPTION\nDP\\-FTRL trains with noise z_t = sum beta_tau w_{t\\-tau}. finf "
          "computes its sensitivity and the\n"
          "asymptotic suboptimality F_inf of training with it, exactly where an exact value is "
          "known, each number with its\n"
          "error.\n.SH COMMANDS\n",
          out);
    for (command_table c = all; *c; c++) {
        fprintf(out, ".TP\n.B %s\n", (*c)->name);
        roff((*c)->about, out);
        fputs("\n.br\nExample: ", out);
        roff((*c)->example, out);
        fputc('\n', out);
    }
    fputs(".SH OPTIONS\n", out);
    for (int i = OPT_END + 1; i < OPT_COUNT; i++) roff_option((option_id)i, all, out);
    fputs(".SH NOISE\n", out);
    roff_block(noise_help(), out);
    fputs(".SH SPECTRUM\n", out);
    roff_block(SPECTRUM_HELP, out);
    fputs(".SH OPTIMIZER\n", out);
    roff_block(optimizer_help(), out);
    fputs(".SH RANGES\n", out);
    roff_block(RANGES_HELP, out);
    fputs(".SH CONSTANTS\nof 'rates \\-\\-table finite', by \\-\\-set:\n.nf\n", out);
    constant_lines(roff, out);
    fputs(".fi\n.SH EXIT STATUS\n", out);
    fputs(EXIT_STATUS, out);
}

/* ---- docs/commands.md ------------------------------------------------------------------------ */

/* Within a table, outside of code: a bar would end the cell, and these would mark up the text. */
static void markdown(const char *text, FILE *out)
{
    for (; *text; text++) {
        if (strchr("|*_<>[]`\\", *text)) fputc('\\', out);
        fputc(*text, out);
    }
}

/* A line of a table of options. absent: a note on the commands that do not have it; "" for none. */
static void markdown_option(const option_info *o, int needed, const char *absent, FILE *out)
{
    fprintf(out, "| `--%s", o->name);
    if (o->argument) fputc(' ', out);
    for (const char *p = o->argument; p && *p; p++) fprintf(out, *p == '|' ? "\\|" : "%c", *p);
    fputs("` | ", out);
    if (o->subject) markdown(o->subject, out);
    markdown(o->help, out);
    markdown(absent, out);
    fputs(" | ", out);
    if (o->fallback) fprintf(out, "`%s`", o->fallback);
    if (needed) fputs("needed", out);
    fputs(" |\n", out);
}

/* The options that nearly every command has are told once, before the commands: they mean the same
 * everywhere. ANY is a command that has these alone, so that option_of_command can be asked. */
static const option_use COMMON[] = {COMMON_OPTIONS, {.id = OPT_END}};
static const command ANY = {.options = COMMON};

static const char TABLE_HEAD[] = "\n| option | meaning | default |\n|---|---|---|\n";

/* The table of them, with the commands that do not have one. */
static void markdown_common(command_table all, FILE *out)
{
    fputs(TABLE_HEAD, out);
    for (int i = 0; i < OPT_COUNT; i++) {
        /* who does not have the option: "; not of coef, privacy" */
        char absent[200] = "";
        size_t n = 0;
        if (!option_of_command(&ANY, (option_id)i)) continue;
        for (command_table c = all; *c && n < sizeof absent; c++)
            if (!option_of_command(*c, (option_id)i))
                n += (size_t)snprintf(absent + n, sizeof absent - n, "%s%s", n ? ", " : "; not of ",
                                      (*c)->name);
        option_info o = option_get((option_id)i, NULL);
        markdown_option(&o, 0, absent, out);
    }
}

/* A command's own options: those that are not common to all. */
static void markdown_options(const command *c, FILE *out)
{
    int any = 0;
    for (int i = 0; i < OPT_COUNT; i++) {
        const option_use *u = option_of_command(c, (option_id)i);
        if (!u || option_of_command(&ANY, u->id)) continue;
        option_info o = option_get(u->id, c);
        if (!any++) fputs(TABLE_HEAD, out);
        markdown_option(&o, u->needed, "", out);
    }
}

/* A command: what it answers, its options, links to the spellings they take, an example. */
static void markdown_command(const command *c, FILE *out)
{
    fprintf(out, "\n## finf %s\n\n**", c->name);
    markdown(c->summary, out);
    fputs("**\n\n", out);
    markdown(c->about, out);
    fputc('\n', out);
    markdown_options(c, out);
    if (option_of_command(c, OPT_NOISE)) fputs("\n`N`: [noise](#noise)", out);
    if (option_of_command(c, OPT_SPECTRUM))
        fprintf(out, "%s`S`: [spectrum](#spectrum)", option_of_command(c, OPT_NOISE) ? "; " : "\n");
    if (option_of_command(c, OPT_OPTIMIZER)) fputs("; `O`: [optimizer](#optimizer)", out);
    if (option_of_command(c, OPT_SET)) fputs("; `NAME`: [constants](#constants)", out);
    if (option_of_command(c, OPT_NOISE) || option_of_command(c, OPT_SPECTRUM)) fputs(".\n", out);
    fprintf(out, "\nExample:\n\n    %s\n", c->example);
}

/* Lines that are kept as they are. */
static void markdown_block(const char *text, FILE *out)
{
    fputs("\n```\n", out);
    fputs(text, out);
    fputs("```\n", out);
}

void manual_markdown(command_table all, FILE *out)
{
    fputs("# The commands of finf\n\n"
          "Written by `make docs` from the tables that `finf COMMAND --help` prints; not to be "
          "edited.\n\n| command | answers |\n|---|---|\n",
          out);
    for (command_table c = all; *c; c++) {
        fprintf(out, "| [`finf %s`](#finf-%s) | ", (*c)->name, (*c)->name);
        markdown((*c)->summary, out);
        fputs(" |\n", out);
    }
    fputs("\nOptions of every command:\n", out);
    markdown_common(all, out);
    fputs("\nExit status: ", out);
    markdown(EXIT_STATUS, out);
    for (command_table c = all; *c; c++) markdown_command(*c, out);
    fputs("\n## Noise\n\nWhat `--noise` takes:\n", out);
    markdown_block(noise_help(), out);
    fputs("\n## Spectrum\n\nWhat `--spectrum` takes:\n", out);
    markdown_block(SPECTRUM_HELP, out);
    fputs("\n## Optimizer\n\nWhat `--optimizer` takes:\n", out);
    markdown_block(optimizer_help(), out);
    fputs("\n## Ranges\n", out);
    markdown_block(RANGES_HELP, out);
    fputs("\n## Constants\n\nOf `finf rates --table finite`, by `--set`:\n\n```\n", out);
    constant_lines(plain, out);
    fputs("```\n", out);
}
