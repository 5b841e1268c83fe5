/* finf: from the words of the command line to a command, and from its answer to the files. A
 * command only fills a doc; whether anything of it is printed, where, in which format and with
 * which exit status is decided here, once for all commands. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "args.h"
#include "base.h"
#include "commands.h"
#include "closest.h"
#include "manual.h"
#include "output.h"
#include "points.h"
#include "spec.h"
#include "sweep.h"

/* The reason of a failure on stderr, and the exit status that goes with it. One line, whatever was
 * in the value that it quotes: control characters become question marks. */
static int complain(finf_status s, const finf_reason *why)
{
    const char *text = why->text[0] ? why->text : finf_status_text(s);
    char line[sizeof why->text] = "";
    FILE *plain = fmemopen(line, sizeof line, "w"); /* so that stderr gets it in one piece */
    if (plain) {
        doc_plain(text, plain);
        fclose(plain);
        fprintf(stderr, "finf: %s\n", line);
    } else { /* no memory: in pieces */
        fputs("finf: ", stderr);
        doc_plain(text, stderr);
        fputc('\n', stderr);
    }
    return finf_status_exit(s);
}

/* Help, version and manual go to stdout under the same check as data. */
static int print_and_close(void (*print)(FILE *))
{
    sink s;
    finf_reason why = {""};
    finf_status status = sink_open(NULL, &s, &why);
    if (!status) {
        print(s.file);
        status = sink_close(&s, &why);
    }
    return status ? complain(status, &why) : 0;
}

static void print_version(FILE *out) { fputs("finf " FINF_VERSION "\n", out); }

/* finf --version --verbose: also the libraries it runs with, where that is not obvious, and the
 * compiler. */
static void print_parts(FILE *out)
{
    print_version(out);
    finf_part p;
    for (size_t i = 0; (p = finf_part_get(i)).name; i++)
        fprintf(out, "  %-8s  %s%s%s%s\n", p.name, p.version ? p.version : "not found",
                *p.where ? " (" : "", p.where, *p.where ? ")" : "");
}

static void print_overview(FILE *out) { manual_overview(COMMANDS, out); }
static void print_roff(FILE *out) { manual_roff(COMMANDS, out); }
static void print_markdown(FILE *out) { manual_markdown(COMMANDS, out); }

/* The command whose help print_help prints: print_and_close takes a function of the stream
 * alone. */
static const command *help_of;
static void print_help(FILE *out) { manual_help(help_of, out); }

/* ---- one command ----------------------------------------------------------------------------- */

/* Whether a name, which may be NULL, ends so; .NPY is .npy. */
static int ends_with(const char *name, const char *end)
{
    size_t n = name ? strlen(name) : 0, m = strlen(end);
    return n > m && strcasecmp(name + n - m, end) == 0;
}

/* --threads, --progress and --quiet: how it runs. */
static finf_status read_manner(const args *a, finf_reason *why)
{
    double threads = 0;
    finf_status s = args_whole(a, OPT_THREADS, 1, 256, &threads, why);
    if (!s && args_given(a, OPT_PROGRESS) && args_given(a, OPT_QUIET))
        s = finf_why(why, FINF_EUSAGE, "--progress and --quiet contradict each other");
    sweep_set((unsigned)threads, args_given(a, OPT_PROGRESS) ? PROGRESS_ALWAYS
                                 : args_given(a, OPT_QUIET)  ? PROGRESS_NEVER
                                                             : PROGRESS_ON_TERMINAL);
    return s;
}

/* How to print: --format (or --json, its short form), --precision, --quiet. Without --precision the
 * digits are 0, which lets the format choose. An --output whose name ends in .npy is for NumPy. */
static finf_status read_style(const args *a, doc_style *style, finf_reason *why)
{
    int format = 0;
    double digits = 0;
    finf_status s = args_choice(a, OPT_FORMAT, &format, why);
    if (!s && args_given(a, OPT_JSON) && args_given(a, OPT_FORMAT) && format != FORMAT_JSON)
        s = finf_why(why, FINF_EUSAGE, "--json and --format %s contradict each other",
                     args_text(a, OPT_FORMAT));
    if (!s) s = args_whole(a, OPT_PRECISION, 1, 17, &digits, why);
    *style = (doc_style){args_given(a, OPT_JSON) ? FORMAT_JSON : (doc_format)format, (int)digits,
                         args_given(a, OPT_QUIET)};
    if (!s && ends_with(args_text(a, OPT_OUTPUT), ".npy")) {
        if (args_given(a, OPT_FORMAT) || args_given(a, OPT_JSON))
            return finf_why(why, FINF_EUSAGE,
                            "--output FILE.npy is for NumPy: no --format beside it");
        style->format = FORMAT_NPY;
    }
    return s;
}

/* --output and --save, which must be two files: compared first, as opening a device may empty what
 * it stands for. */
static finf_status open_files(const args *a, sink *out, sink *saved, finf_reason *why)
{
    const char *output = args_text(a, OPT_OUTPUT), *save = args_text(a, OPT_SAVE);
    if ((save && strcmp(save, "-") == 0) || (output && strcmp(output, "-") == 0))
        return finf_why(why, FINF_EUSAGE,
                        "'-' is no file to write to: without --output the answer goes to standard "
                        "output");
    if (save && sink_same(save, output))
        return finf_why(why, FINF_EUSAGE, "--save and %s name one file: '%.150s'",
                        output ? "--output" : "standard output", save);
    finf_status s = sink_open(output, out, why);
    return !s && save ? sink_open(save, saved, why) : s;
}

/* Both files are whole before either is in its place. comment: the command line that goes before
 * the CSV; NULL: none. */
static finf_status write_all(const doc *d, doc_style style, const args *comment,
                             const memory_file *text, sink *out, sink *saved, finf_reason *why)
{
    finf_status s = FINF_OK;
    if (text) {
        fwrite(text->text, 1, text->size, saved->file);
        s = sink_finish(saved, why);
    }
    if (!s && comment) {
        fputs("# ", out->file);
        args_print(comment, out->file);
        fputc('\n', out->file);
    }
    if (!s && !doc_print(d, style, out->file))
        s = finf_why(why, FINF_ENOMEM, "no memory for the output");
    if (!s) s = sink_close(out, why);
    if (!s && text) s = sink_close(saved, why);
    return s;
}

/* Runs a command and prints its answer. FINF_ETOL is the one failure that prints too: the doc then
 * holds the best value there is, and the exit status says that it missed its tolerance. An answer
 * whose error is as large as itself is of that kind, whatever the command thought of it. */
static int run(const args *a)
{
    finf_reason why = {""};
    doc_style style;
    sink out = {0}, saved = {0};
    doc *d = doc_new();
    points_shape shape;
    finf_status s = d ? read_style(a, &style, &why) : FINF_ENOMEM;
    if (!s) s = read_manner(a, &why);
    if (!s) s = open_files(a, &out, &saved, &why); /* before the work: a bad path costs nothing */
    if (!s) s = points_run(a, d, &shape, &why);
    /* closed before doc_failed is asked, as memory may have run out in it */
    const memory_file *text = d ? doc_end_saved(d) : NULL;
    if ((!s || s == FINF_ETOL) && doc_failed(d))
        s = finf_why(&why, FINF_ENOMEM, "no memory for the output");
    finf_reason imprecise;
    if ((!s || s == FINF_ETOL) && doc_imprecise(d, &imprecise) && !s) {
        s = FINF_ETOL;
        why = imprecise;
    }
    int code = 0;
    if (s) code = complain(s, &why);
    if (!s || (s == FINF_ETOL && !doc_empty(d))) {
        /* a missed tolerance stays in `code`, unless writing fails too */
        const args *comment = args_given(a, OPT_HEADER_COMMENT) ? a : NULL;
        if ((s = write_all(d, style, comment, text, &out, &saved, &why))) code = complain(s, &why);
    }
    sink_drop(&out);
    sink_drop(&saved);
    doc_free(d);
    spec_forget();
    return code;
}

/* Takes the place of FFTW's own function, which the linker finds only after this one: FFTW treats a
 * failed allocation as a failed assertion and would end the program. finf_fftw_failed does not
 * return where FFTW was planning a transform of ours: it jumps back there, and the transform fails
 * with FINF_ENOMEM. Any other assertion does end the program. */
__attribute__((visibility("default"))) void fftw_assertion_failed(const char *what, int line,
                                                                  const char *file);
void fftw_assertion_failed(const char *what, int line, const char *file)
{
    finf_fftw_failed();
    fprintf(stderr, "finf: fftw, %s:%d: assertion failed: %s\n", file, line, what);
    abort();
}

/* What is no command (--help, --version, --man, --markdown) is answered first. A command's own
 * --help and --version are options of it, so that a misspelt option beside them is still
 * refused. */
int main(int argc, char **argv)
{
    /* one thread of OpenBLAS, unless the user says how many: answers do not depend on the machine's
     * cores, and a thread that cannot be started does not end the program */
    setenv("OPENBLAS_NUM_THREADS", "1", 0);
    if (!sink_prepare()) return finf_status_exit(FINF_EIO);
    const char *word = argc > 1 ? argv[1] : "";
    finf_reason why = {""};
    if (argc == 1) {
        manual_overview(COMMANDS, stderr);
        return finf_status_exit(FINF_EUSAGE);
    }
    if (strcmp(word, "help") == 0 && argc > 2) { /* finf help gamma */
        argv[1] = argv[2];
        argv[2] = "--help";
        word = argv[1];
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "help") == 0 || strcmp(word, "-h") == 0)
        return print_and_close(print_overview);
    if (strcmp(word, "--version") == 0)
        return print_and_close(argc > 2 && strcmp(argv[2], "--verbose") == 0 ? print_parts
                                                                             : print_version);
    if (strcmp(word, "--man") == 0) return print_and_close(print_roff);
    if (strcmp(word, "--markdown") == 0) return print_and_close(print_markdown);
    help_of = command_find(COMMANDS, word);
    if (!help_of) {
        closest near = closest_to(word, strlen(word));
        for (command_table c = COMMANDS; *c; c++) closest_try(&near, (*c)->name);
        finf_why(&why, FINF_EUSAGE, "no command '%.60s'%s; 'finf --help' lists them", word,
                 closest_say(&near, "").text);
        return complain(FINF_EUSAGE, &why);
    }
    args a;
    finf_status s = args_parse(COMMANDS, help_of, argc - 1, argv + 1, &a, &why);
    if (s) return complain(s, &why);
    if (args_given(&a, OPT_HELP)) return print_and_close(print_help);
    if (args_given(&a, OPT_VERSION)) return print_and_close(print_version);
    return run(&a);
}
