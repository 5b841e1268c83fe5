/* cli/sweep/worker.c: jobs in a process of their own, which is killed. */
#include <signal.h>

#include "commands.h"
#include "support.h"
#include "sweep.h"
#include "worker.h"

enum { JOBS = 6 };

static jobs *jobs_of(const char *csv)
{
    jobs *j = NULL;
    finf_reason why = {""};
    ck_assert_msg(!jobs_parse("jobs.csv", strdup(csv), strlen(csv), COMMANDS, &j, &why), "%s",
                  why.text);
    return j;
}

/* The answers of all jobs, in one text; their statuses in `status`. */
static char *answers_of(worker *w, size_t n, finf_status *status)
{
    static char all[1 << 16];
    uint64_t left[JOBS];
    memory_file m;
    finf_reason why = {""};
    FILE *f = memory_open(&m);
    all[0] = '\0';
    for (size_t i = 0; i < n; i++) left[i] = i;
    ck_assert_msg(!worker_run(w, left, n, f, &why), "%s", why.text);
    fclose(f);
    ck_assert(!m.failed);
    const char *p = m.text;
    for (size_t i = 0; i < n; i++) {
        job_result r;
        p = worker_unpack(p, &r);
        ck_assert(r.job == i && !r.cut && r.arguments);
        status[i] = r.status;
        strcat(strcat(all, r.answer ? r.answer : r.why.text), "\n");
        job_result_free(&r);
    }
    ck_assert(p == m.text + m.size);
    free(m.text);
    return all;
}

static const char MEANS[] = "mean,--noise,sgd,--eta,0.1\nmean,--noise,sgd,--eta,-1\n"
                            "mean,--noise,nu:0.1,--eta,0.2\n";

/* A process that is gone before it is asked is replaced by another one. */
START_TEST(a_new_process)
{
    finf_status status[3];
    worker w = {.j = jobs_of(MEANS)};
    sweep_set(1, PROGRESS_NEVER);
    char *first = strdup(answers_of(&w, 3, status));
    ck_assert(status[0] == FINF_OK && status[1] == FINF_EDOM && status[2] == FINF_OK);
    ck_assert(strstr(first, "\"F_inf\"") && strstr(first, "eta = -1: must be positive"));
    pid_t pid = w.pid;
    ck_assert_str_eq(answers_of(&w, 3, status), first);
    ck_assert_int_eq(w.pid, pid);
    kill(pid, SIGKILL);
    ck_assert_str_eq(answers_of(&w, 3, status), first);
    ck_assert_int_ne(w.pid, pid);
    worker_end(&w);
    ck_assert_int_eq(w.pid, 0);
    worker_end(&w);
    jobs_free((jobs *)w.j);
    free(first);
}
END_TEST

static worker *victim;
static int kills;

/* Kills every process that is waited for, once. */
static void kill_it(void)
{
    static pid_t last;
    if (victim->pid != last && !kill(victim->pid, SIGKILL)) kills++;
    last = victim->pid;
}

/* A job with which the process dies again and again has no answer; that is said, and does not last
 * for ever. */
START_TEST(a_job_that_kills)
{
    finf_status status[1];
    worker w = {.j = jobs_of("simulate,--problem,mean,--noise,sgd,--eta,0.001,--seed,1,"
                             "--relative-error,1e-6\n"),
                .beat = kill_it};
    sweep_set(1, PROGRESS_NEVER);
    victim = &w;
    char *text = answers_of(&w, 1, status);
    ck_assert_msg(status[0] == FINF_EIO && job_is_unsettled(status[0]), "%s", text);
    ck_assert_str_eq(text, "signal 9 ended the process of this job, each time\n");
    ck_assert_int_eq(kills, 4);
    worker_end(&w);
    jobs_free((jobs *)w.j);
}
END_TEST

static TCase *make(void)
{
    TCase *tc = tcase_create("worker");
    tcase_add_test(tc, a_new_process);
    tcase_add_test(tc, a_job_that_kills);
    return tc;
}

int main(void) { return run_suite("worker", make); }
