/* finf: from the words of the command line to a command, and from its answer to the files. A
 * command only fills a doc; whether anything of it is printed, where, in which format and with
 * which exit status is decided here, once for all commands. */
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "base.h"
#include "commands.h"
#include "draw.h"
#include "bytes.h"
#include "kept.h"
#include "closest.h"
#include "cmd.h"
#include "completion.h"
#include "manual.h"
#include "output.h"
#include "points.h"
#include "ranks.h"
#include "sqlite_library.h"
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

/* That with MPI is another program, told by its name. */
static void print_version(FILE *out)
{
    if (ranks_library())
        fprintf(out, "finf-mpi %s (%s)\n", FINF_VERSION, ranks_library());
    else
        fputs("finf " FINF_VERSION "\n", out);
}

/* finf --version --verbose: also the libraries it runs with, where that is not obvious, and the
 * compiler. */
static void print_parts(FILE *out)
{
    print_version(out);
    finf_part p;
    for (size_t i = 0; (p = finf_part_get(i)).name; i++)
        fprintf(out, "  %-9s  %s%s%s%s\n", p.name, p.version ? p.version : "not found",
                *p.where ? " (" : "", p.where, *p.where ? ")" : "");
    const char *sqlite = sqlite_library_version();
    fprintf(out, "  %-9s  %s\n", "SQLite", sqlite ? sqlite : "not found");
}

static void print_overview(FILE *out) { manual_overview(COMMANDS, out); }
static void print_roff(FILE *out) { manual_roff(COMMANDS, out); }
static void print_markdown(FILE *out) { manual_markdown(COMMANDS, out); }
static void print_bash(FILE *out) { completion_bash(COMMANDS, out); }
static void print_zsh(FILE *out) { completion_zsh(COMMANDS, out); }

/* The command whose help print_help prints: print_and_close takes a function of the stream
 * alone. */
static const command *help_of;
static void print_help(FILE *out) { manual_help(help_of, out); }

/* ---- one command ----------------------------------------------------------------------------- */

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

/* How to print: --format (or --json and --csv, short forms), --precision, --quiet. Without
 * --precision the digits are 0, which lets the format choose. An --output whose name ends in .npy
 * is for NumPy. */
static finf_status read_style(const args *a, doc_style *style, finf_reason *why)
{
    int format = 0;
    double digits = 0;
    finf_status s = args_choice(a, OPT_FORMAT, &format, why);
    if (!s && args_given(a, OPT_JSON) && args_given(a, OPT_FORMAT) && format != FORMAT_JSON)
        s = finf_why(why, FINF_EUSAGE, "--json and --format %s contradict each other",
                     args_text(a, OPT_FORMAT));
    if (!s && args_given(a, OPT_CSV) && format != FORMAT_CSV)
        s = finf_why(why, FINF_EUSAGE, "--csv and --format %s contradict each other",
                     args_text(a, OPT_FORMAT));
    if (!s) s = args_whole(a, OPT_PRECISION, 1, 17, &digits, why);
    *style = (doc_style){args_given(a, OPT_JSON) ? FORMAT_JSON : (doc_format)format, (int)digits,
                         args_given(a, OPT_QUIET)};
    if (!s && wants_npy(a)) {
        if ((args_given(a, OPT_FORMAT) && format != FORMAT_NPY) || args_given(a, OPT_JSON))
            return finf_why(why, FINF_EUSAGE,
                            "--output FILE.npy is for NumPy: no --format beside it");
        style->format = FORMAT_NPY;
    }
    if (!s && args_given(a, OPT_HEADER_COMMENT) && style->format != FORMAT_CSV)
        s = finf_why(why, FINF_EUSAGE,
                     "--header-comment is a line of --format csv: the others have no such line");
    return s;
}

/* The files that a command line names, in the order in which they are put into their places. */
enum { OUT, SAVED, PLOTTED, STATE, FILES };
static const option_id FILE_OPTIONS[FILES] = {OPT_OUTPUT, OPT_SAVE, OPT_PLOT, OPT_STATE};

/* Nor may one of them be a file that is read: a database or a key that an answer replaces is lost.
 * The words `export` and `status` of sweep are no files. */
static finf_status spare_inputs(const args *a, option_id written, finf_reason *why)
{
    static const option_id READ[] = {OPT_DESIGN, OPT_KEY, OPT_DB};
    const char *path = args_text(a, written), *given = a->operand;
    for (size_t i = 0; path && i < sizeof READ / sizeof *READ; i++) {
        const char *read = args_text(a, READ[i]);
        if (read && sink_same(path, read))
            return finf_why(why, FINF_EUSAGE, "--%s and --%s name one file: '%.150s'",
                            option_get(written, NULL).name, option_get(READ[i], NULL).name, path);
    }
    if (path && given && strcmp(given, "export") != 0 && strcmp(given, "status") != 0 &&
        sink_same(path, given))
        return finf_why(why, FINF_EUSAGE, "--%s names the file that is read: '%.150s'",
                        option_get(written, NULL).name, path);
    return FINF_OK;
}

/* Two of them must not be one file: compared first, as opening a device may empty what it stands
 * for. */
static finf_status open_files(const args *a, sink files[FILES], finf_reason *why)
{
    const char *path[FILES];
    for (int i = 0; i < FILES; i++) {
        path[i] = args_text(a, FILE_OPTIONS[i]);
        if (path[i] && strcmp(path[i], "-") == 0)
            return finf_why(why, FINF_EUSAGE,
                            "'-' is no file to write to: without --output the answer goes to "
                            "standard output");
    }
    if (names_npy(path[SAVED]))
        return finf_why(why, FINF_EUSAGE,
                        "--save '%.120s': what is saved is text, and more than an array: give a "
                        "name that does not end in .npy",
                        path[SAVED]);
    for (int i = 1; i < FILES; i++)
        for (int k = 0; k < i; k++)
            if (path[i] && (path[k] || k == OUT) && sink_same(path[i], path[k]))
                return finf_why(why, FINF_EUSAGE, "--%s and %s%s name one file: '%.150s'",
                                option_get(FILE_OPTIONS[i], NULL).name,
                                path[k] ? "--" : "standard output",
                                path[k] ? option_get(FILE_OPTIONS[k], NULL).name : "", path[i]);
    finf_status s = FINF_OK;
    for (int i = 0; i < FILES && !s; i++) s = spare_inputs(a, FILE_OPTIONS[i], why);
    for (int i = 0; i < FILES && !s; i++)
        if (path[i] || i == OUT) s = sink_open(path[i], &files[i], why);
    if (!s && files[STATE].file) sink_private(&files[STATE]);
    return s;
}

/* The answer as it is printed. */
static finf_status print_answer(const args *a, const doc *d, doc_style style, FILE *out,
                                finf_reason *why)
{
    if (args_given(a, OPT_HEADER_COMMENT)) {
        fputs("# ", out);
        args_print(a, out);
        fputc('\n', out);
    }
    return doc_print(d, style, out) ? FINF_OK
                                    : finf_why(why, FINF_ENOMEM, "no memory for the output");
}

/* The state after what was written; none if a reader closed the pipe before he had all of it. */
static finf_status write_state(const doc *d, sink files[FILES], finf_reason *why)
{
    fflush(files[OUT].file);
    if (ferror(files[OUT].file)) {
        sink_drop(&files[STATE]);
        return FINF_OK;
    }
    if (!doc_print_state(d, files[STATE].file))
        return finf_why(why, FINF_ENOMEM, "no memory for the state");
    return sink_finish(&files[STATE], why);
}

/* All files are whole before any is in its place. */
static finf_status write_all(const args *a, const doc *d, const points_shape *shape,
                             doc_style style, const memory_file *text, sink files[FILES],
                             finf_reason *why)
{
    finf_status s = FINF_OK;
    int plotted = files[PLOTTED].file != NULL, state = files[STATE].file != NULL;
    if (text) {
        fwrite(text->text, 1, text->size, files[SAVED].file);
        s = sink_finish(&files[SAVED], why);
    }
    if (!s && plotted) s = draw(a, d, shape, files[PLOTTED].file, why);
    if (!s && plotted) s = sink_finish(&files[PLOTTED], why);
    if (!s) s = print_answer(a, d, style, files[OUT].file, why);
    if (!s && state) s = write_state(d, files, why);
    if (!s) s = sink_close(&files[OUT], why);
    if (!s && text) s = sink_close(&files[SAVED], why);
    if (!s && plotted) s = sink_close(&files[PLOTTED], why);
    if (!s && state) s = sink_close(&files[STATE], why);
    return s;
}

/* Runs a command and prints its answer. FINF_ETOL is the one failure that prints too: the doc then
 * holds the best value there is, and the exit status says that it missed its tolerance. An answer
 * whose error is as large as itself is of that kind, whatever the command thought of it. */
static int run(const args *a)
{
    finf_reason why = {""};
    doc_style style = {0};
    sink files[FILES] = {0};
    points_shape shape;
    doc *d = doc_new();
    finf_status s = d ? read_style(a, &style, &why) : FINF_ENOMEM;
    if (!s) s = read_manner(a, &why);
    if (!s) s = draw_check(a, &why);
    if (!s) s = open_files(a, files, &why); /* before the work: a bad path costs nothing */
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
    if (!s || (s == FINF_ETOL && !doc_empty(d))) {
        /* one line in the end: of a missed tolerance, unless writing fails too */
        finf_reason unwritten = {""};
        finf_status wrote = write_all(a, d, &shape, style, text, files, &unwritten);
        if (wrote) why = unwritten;
        if (wrote) s = wrote;
    }
    int code = s ? complain(s, &why) : 0;
    if (!code && args_given(a, OPT_STRICT) && doc_object_count(d)) code = 1;
    for (int i = 0; i < FILES; i++) sink_drop(&files[i]);
    doc_free(d);
    kept_forget();
    bytes_forget();
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
static int command_line(int argc, char **argv)
{
    finf_reason why = {""};
    const char *word = argc > 1 ? argv[1] : "";
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
    if (strcmp(word, "--completion") == 0) {
        const char *shell = argc > 2 ? argv[2] : "";
        if (strcmp(shell, "bash") == 0) return print_and_close(print_bash);
        if (strcmp(shell, "zsh") == 0) return print_and_close(print_zsh);
        finf_why(&why, FINF_EUSAGE, "--completion '%.60s': must be bash or zsh", shell);
        return complain(FINF_EUSAGE, &why);
    }
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

/* A sweep may have several ranks, of which the first reads the command line, and prints. */
int main(int argc, char **argv)
{
    finf_reason why = {""};
    if (!sink_prepare()) return finf_status_exit(FINF_EIO);
    /* one thread of OpenBLAS, unless the user says how many: answers do not depend on the machine's
     * cores, and a thread that cannot be started does not end the program */
    if (setenv("OPENBLAS_NUM_THREADS", "1", 0)) return complain(FINF_ENOMEM, &why);
    int sweep = argc > 1 && strcmp(argv[1], "sweep") == 0;
    if (sweep && ranks_begin() > 0) return ranks_work(COMMANDS);
    int code = command_line(argc, argv);
    if (sweep) ranks_end(code);
    return code;
}
