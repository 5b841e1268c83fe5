/* finf sweep: many jobs, a row each in a database, from which a sweep that was stopped goes on. */
#include <stdlib.h>

#include "bytes.h"
#include "closest.h"
#include "cmd.h"
#include "ranks.h"
#include "run.h"
#include "sweep.h"
#include "table.h"

/* There is no such file: perhaps one of the words was meant. */
static finf_status not_read(const char *path, finf_reason *why)
{
    finf_reason inner = *why;
    closest near = closest_to(path, strlen(path));
    closest_try_words(&near, "export|status");
    return finf_why(why, FINF_EIO, "%.200s%s", inner.text, closest_say(&near, "").text);
}

/* The jobs of the file; with several ranks all get them. */
static finf_status read_jobs(const args *a, jobs **out, finf_reason *why)
{
    char *text = NULL;
    size_t size;
    *out = NULL;
    finf_status s = bytes_read(a->operand, &text, &size, why);
    if (s == FINF_EIO) s = not_read(a->operand, why);
    char *copy = !s && ranks_count() > 1 ? malloc(size + 1) : NULL;
    if (copy) memcpy(copy, text, size + 1);
    if (!s) s = jobs_parse(a->operand, text, size, a->all, out, why);
    if (!s && ranks_count() > 1 && !copy) s = finf_why(why, FINF_ENOMEM, "no memory for the jobs");
    unsigned threads = args_given(a, OPT_THREADS) ? sweep_threads() : 1;
    if (!s && copy) ranks_share(a->operand, copy, size, threads);
    free(copy);
    return s;
}

/* What was run is shown, also after Ctrl-C. */
static finf_status run_left(const jobs *j, const char *done, store *s, doc *d, finf_reason *why)
{
    run_counts counts;
    finf_reason other;
    finf_status status = run_jobs(j, done, s, &counts, why);
    if (!status && counts.unsettled)
        return finf_why(why, FINF_EIO,
                        "%zu of %zu jobs had no memory, or a file could not be read ('finf sweep "
                        "status' names the first): the same command tries them again",
                        counts.unsettled, jobs_count(j));
    if (status && status != FINF_ETOL) return status;
    finf_status shown = table_status(s, counts.run, d, status ? &other : why);
    return finf_worse(status, shown);
}

/* How many processes mpirun has started, as Open MPI or MPICH says it. */
static long processes_started(void)
{
    const char *text = getenv("OMPI_COMM_WORLD_SIZE");
    if (!text) text = getenv("PMI_SIZE");
    return text ? strtol(text, NULL, 10) : 1;
}

static finf_status sweep_jobs(const args *a, doc *d, finf_reason *why)
{
    if (!ranks_library() && processes_started() > 1)
        return finf_why(why, FINF_EUSAGE,
                        "this is one of %ld processes, and finf knows nothing of the others: "
                        "mpirun is for finf-mpi",
                        processes_started());
    jobs *j = NULL;
    store *s = NULL;
    char *done = NULL;
    size_t count = 0;
    finf_status status = read_jobs(a, &j, why);
    if (!status && !(done = calloc(jobs_count(j), 1)))
        status = finf_why(why, FINF_ENOMEM, "no memory for %zu jobs", jobs_count(j));
    if (!status) status = store_open(args_text(a, OPT_DB), j, done, &count, &s, why);
    if (!status) status = run_left(j, done, s, d, why);
    store_close(s);
    jobs_free(j);
    free(done);
    return status;
}

static finf_status read_database(const args *a, int export, doc *d, finf_reason *why)
{
    store *s = NULL;
    finf_status status = store_open_read(args_text(a, OPT_DB), &s, why);
    if (!status)
        status = export ? table_export(s, a->all, args_text(a, OPT_WITHOUT),
                                       args_given(a, OPT_PLOT), d, why)
                        : table_status(s, (size_t)-1, d, why);
    store_close(s);
    return status;
}

static finf_status cmd_sweep(const args *a, doc *d, finf_reason *why)
{
    const char *what = a->operand;
    if (!what)
        return finf_why(why, FINF_EUSAGE,
                        "sweep needs a file of jobs, or the word export or status");
    int export = strcmp(what, "export") == 0, status = strcmp(what, "status") == 0;
    option_id only[] = {OPT_PLOT, OPT_WITHOUT};
    for (size_t i = 0; i < 2 && !export; i++)
        if (args_given(a, only[i]))
            return finf_why(why, FINF_EUSAGE, "--%s is of 'finf sweep export'",
                            option_get(only[i], a->command).name);
    if ((export || status) && args_given(a, OPT_RESUME))
        return finf_why(why, FINF_EUSAGE, "--resume is of 'finf sweep JOBS', which goes on");
    return export || status ? read_database(a, export, d, why) : sweep_jobs(a, d, why);
}

static const option_use OPTIONS[] = {
    {.id = OPT_DB, .needed = 1},
    {.id = OPT_RESUME},
    {.id = OPT_WITHOUT},
    {.id = OPT_PLOT, .help = "export: also draw it, against the option with most values"},
    {.id = OPT_THREADS,
     .help = "1 to 256, as many as there are cores (finf-mpi: of each rank, 1); no answer depends "
             "on it"},
    {.id = OPT_PROGRESS},
    {.id = OPT_FORMAT, .fallback = "text", .help = "how to print", .argument = "text|csv|json|npy"},
    {.id = OPT_JSON},
    {.id = OPT_CSV},
    {.id = OPT_OUTPUT},
    {.id = OPT_HEADER_COMMENT},
    {.id = OPT_PRECISION},
    {.id = OPT_QUIET},
    {.id = OPT_HELP},
    {.id = OPT_VERSION},
    {.id = OPT_END}};

const command command_sweep = {
    .name = "sweep",
    .summary = "a grid of jobs, resumable, on one machine or many",
    .about =
        "Runs every job of a file (a grid in TOML, or CSV with a command line in each line) and\n"
        "keeps each answer in a database as soon as it is there: stopped at any moment and "
        "started\n"
        "again it goes on with what is left. 'finf sweep export' gives the table, 'finf sweep\n"
        "status' how far it is. docs/sweep.md has more.",
    .example = "finf sweep jobs.toml --db sweep.db",
    .operand = "JOBS|export|status",
    .options = OPTIONS,
    .run = cmd_sweep,
};
