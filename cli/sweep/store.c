#include "store.h"

#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "sqlite_library.h"

#ifdef FINF_SQLITE_SONAME

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* In the header of the file, so that a database of something else is not taken for ours. */
#define APPLICATION "1718185574" /* "finf" as a number */
#define LAYOUT 1                 /* of the tables below */

static const char TABLES[] =
    "BEGIN IMMEDIATE;"
    "CREATE TABLE about (version TEXT NOT NULL, jobs INTEGER NOT NULL);"
    "CREATE TABLE jobs (job INTEGER PRIMARY KEY, arguments TEXT NOT NULL, status TEXT NOT NULL,"
    " reason TEXT NOT NULL, answer TEXT, seconds REAL NOT NULL, version TEXT NOT NULL);"
    "PRAGMA application_id = " APPLICATION ";"
    "PRAGMA user_version = 1;";

struct store {
    const sqlite_library *sql;
    sqlite3 *db;
    sqlite3_stmt *insert;
    const char *path; /* borrowed */
    size_t jobs;      /* that it is of, once store_read_about has read it */
    int lock;         /* descriptor of the file, locked while we write; -1: none */
    int made;         /* the file was not there before */
    int written;      /* it has something in it */
};

/* ---- what went wrong ------------------------------------------------------------------------- */

/* The reason of SQLite's last failure; where it saw none what it read makes no sense. */
static finf_status failed(const store *s, const char *doing, finf_reason *why)
{
    int code = s->db ? s->sql->errcode(s->db) & 0xff : SQLITE_NOMEM;
    if (code == SQLITE_NOMEM)
        return finf_why(why, FINF_ENOMEM, "no memory for the database '%.120s'", s->path);
    if (code == SQLITE_NOTADB) return finf_why(why, FINF_EIO, "'%.150s' is no database", s->path);
    if (code == SQLITE_CORRUPT || code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE)
        return finf_why(why, FINF_EIO, "the database '%.150s' is damaged", s->path);
    return finf_why(why, FINF_EIO, "cannot %s '%.120s': %.80s", doing, s->path,
                    s->sql->errmsg(s->db));
}

static finf_status run(const store *s, const char *sql, finf_reason *why)
{
    return s->sql->exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK ? FINF_OK
                                                                   : failed(s, "write", why);
}

/* The one whole number that a question gives. */
static finf_status ask(const store *s, const char *sql, long long *out, finf_reason *why)
{
    sqlite3_stmt *q = NULL;
    finf_status status = FINF_OK;
    if (s->sql->prepare_v2(s->db, sql, -1, &q, NULL) != SQLITE_OK || s->sql->step(q) != SQLITE_ROW)
        status = failed(s, "read", why);
    else
        *out = s->sql->column_int64(q, 0);
    s->sql->finalize(q);
    return status;
}

/* The text of a column; NULL: there is none, or one with a NUL in it, which nobody wrote. */
static const char *text_at(const store *s, sqlite3_stmt *q, int column)
{
    const char *text = (const char *)s->sql->column_text(q, column);
    return text && strlen(text) == (size_t)s->sql->column_bytes(q, column) ? text : NULL;
}

/* ---- opening --------------------------------------------------------------------------------- */

/* A file that is locked by another sweep is not written by this one. (flock does not meet the locks
 * of SQLite, and the descriptor is closed after those: closing one ends them all.) */
static finf_status take_lock(store *s, finf_reason *why)
{
    struct stat st;
    s->made = stat(s->path, &st) != 0;
    if (!s->made && !S_ISREG(st.st_mode))
        return finf_why(why, FINF_EIO, "cannot write '%.150s': no regular file", s->path);
    s->lock = open(s->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (s->lock < 0) {
        s->made = 0;
        return finf_why(why, FINF_EIO, "cannot write '%.150s': %s", s->path, strerror(errno));
    }
    if (flock(s->lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        s->made = 0;
        return finf_why(why, FINF_EIO, "another sweep is at work on '%.150s'", s->path);
    }
    return FINF_OK;
}

/* Whether it is a database of a sweep, or an empty one. */
static finf_status check_kind(const store *s, int *empty, finf_reason *why)
{
    long long application = 0, layout = 0, tables = 0;
    finf_status status = ask(s, "PRAGMA application_id", &application, why);
    if (!status) status = ask(s, "PRAGMA user_version", &layout, why);
    if (!status) status = ask(s, "SELECT count(*) FROM sqlite_schema", &tables, why);
    if (status) return status;
    *empty = tables == 0;
    if (tables && application != atoll(APPLICATION))
        return finf_why(why, FINF_EIO, "'%.150s' is a database, but not of a sweep", s->path);
    if (tables && layout != LAYOUT)
        return finf_why(why, FINF_EDOM,
                        "'%.120s' has layout %lld of a sweep's tables: this finf reads %d", s->path,
                        layout, LAYOUT);
    return FINF_OK;
}

static finf_status make(store *s, const jobs *j, finf_reason *why)
{
    char about[160];
    snprintf(about, sizeof about, "INSERT INTO about VALUES ('%s', %zu); COMMIT", FINF_VERSION,
             jobs_count(j));
    finf_status status = run(s, TABLES, why);
    return status ? status : run(s, about, why);
}

/* Whether row i of the database is job i of these jobs. */
static finf_status check_row(const store *s, const jobs *j, size_t i, const char *there,
                             finf_reason *why)
{
    char *here = job_arguments(j, i);
    if (!here) return finf_why(why, FINF_ENOMEM, "no memory for the database '%.120s'", s->path);
    finf_status status = FINF_OK;
    if (strcmp(here, there) != 0)
        status = finf_why(why, FINF_EDOM,
                          "'%.60s' is of other jobs: job %zu is %.70s there, %.70s here", s->path,
                          i + 1, there, here);
    free(here);
    return status;
}

/* The jobs that are settled, after a look whether they are these jobs. */
static finf_status read_done(const store *s, const jobs *j, char *done, size_t *count,
                             finf_reason *why)
{
    sqlite3_stmt *q = NULL;
    finf_status status = FINF_OK;
    int code = s->sql->prepare_v2(s->db, "SELECT job, arguments, status FROM jobs", -1, &q, NULL);
    while (code == SQLITE_OK && !status && (code = s->sql->step(q)) == SQLITE_ROW) {
        long long i = s->sql->column_int64(q, 0);
        const char *there = text_at(s, q, 1), *word = text_at(s, q, 2);
        finf_status ended;
        code = SQLITE_OK;
        if (i < 0 || (size_t)i >= jobs_count(j) || !there || !job_status_read(word, &ended))
            status = failed(s, "read", why);
        else
            status = check_row(s, j, (size_t)i, there, why);
        if (status || job_is_unsettled(ended)) continue;
        done[i] = 1;
        ++*count;
    }
    if (!status && code != SQLITE_DONE) status = failed(s, "read", why);
    s->sql->finalize(q);
    return status;
}

/* A database that is there must be of these jobs, and of this version: one table has the numbers of
 * one program. */
static finf_status check_jobs(store *s, const jobs *j, char *done, size_t *count, finf_reason *why)
{
    store_about about;
    finf_status status = store_read_about(s, &about, why);
    if (status) return status;
    if (strcmp(about.version, FINF_VERSION) != 0)
        return finf_why(why, FINF_EDOM,
                        "'%.120s' was made by finf %s, this is %s: take another file", s->path,
                        about.version, FINF_VERSION);
    if (about.jobs != jobs_count(j))
        return finf_why(why, FINF_EDOM, "'%.120s' is of other jobs: %zu, not %zu", s->path,
                        about.jobs, jobs_count(j));
    return read_done(s, j, done, count, why);
}

/* Opens the file, and asks something of it, as SQLite reads it only then. A name such as :memory:
 * or file:x?mode=memory means something else to SQLite, and one that begins with ./ does not. */
static finf_status connect(store *s, int flags, int *empty, finf_reason *why)
{
    size_t size = strlen(s->path) + 3;
    char *name = malloc(size);
    if (!name) return finf_why(why, FINF_ENOMEM, "no memory for the database '%.120s'", s->path);
    snprintf(name, size, "%s%s", *s->path == '/' ? "" : "./", s->path);
    int code = s->sql->open_v2(name, &s->db, flags, NULL);
    free(name);
    if (code != SQLITE_OK) return failed(s, "open", why);
    s->sql->busy_timeout(s->db, 10000);
    return check_kind(s, empty, why);
}

/* The write-ahead log keeps what was committed, whenever the program is killed, and costs a fsync
 * only now and then; where a file system cannot have it the journal of old does the same, slower.
 */
static finf_status prepare(store *s, finf_reason *why)
{
    static const char INSERT[] = "INSERT OR REPLACE INTO jobs VALUES (?, ?, ?, ?, ?, ?, ?)";
    finf_status status = run(s, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL", why);
    if (!status && s->sql->prepare_v2(s->db, INSERT, -1, &s->insert, NULL) != SQLITE_OK)
        status = failed(s, "write", why);
    return status;
}

static finf_status new_store(const char *path, store **out, finf_reason *why)
{
    finf_status status;
    const sqlite_library *sql = sqlite_get(&status, why);
    *out = NULL;
    if (!sql) return status;
    store *s = calloc(1, sizeof *s);
    if (!s) return finf_why(why, FINF_ENOMEM, "no memory for the database");
    *s = (store){.sql = sql, .path = path, .lock = -1};
    *out = s;
    return FINF_OK;
}

finf_status store_open(const char *path, const jobs *j, char *done, size_t *count, store **out,
                       finf_reason *why)
{
    int empty = 0;
    *count = 0;
    finf_status status = new_store(path, out, why);
    store *s = *out;
    if (!status) status = take_lock(s, why);
    if (!status) status = connect(s, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, &empty, why);
    if (!status) status = empty ? make(s, j, why) : check_jobs(s, j, done, count, why);
    if (!status) s->written = 1;
    return status ? status : prepare(s, why);
}

finf_status store_open_read(const char *path, store **out, finf_reason *why)
{
    struct stat st;
    int empty = 0;
    finf_status status = new_store(path, out, why);
    if (!status && stat(path, &st) != 0)
        status = finf_why(why, FINF_EIO, "cannot open '%.150s': %s", path, strerror(errno));
    /* what a killed writer left half way is put right by who opens it next, so not only to read;
     * SQLite itself does with reading where the file cannot be written */
    if (!status) status = connect(*out, SQLITE_OPEN_READWRITE, &empty, why);
    if (!status && empty)
        status = finf_why(why, FINF_EIO, "'%.150s' is no database of a sweep", path);
    return status;
}

/* A database that nobody writes is one file, which can be read where nothing can be written. */
void store_close(store *s)
{
    if (!s) return;
    s->sql->finalize(s->insert);
    if (s->lock >= 0 && s->written)
        s->sql->exec(s->db, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
    s->sql->close(s->db);
    if (s->made && !s->written) unlink(s->path);
    if (s->lock >= 0) close(s->lock);
    free(s);
}

/* ---- writing --------------------------------------------------------------------------------- */

static int insert(store *s, const job_result *r)
{
    const sqlite_library *q = s->sql;
    sqlite3_stmt *x = s->insert;
    q->bind_int64(x, 1, (sqlite3_int64)r->job);
    q->bind_text(x, 2, r->arguments, -1, SQLITE_STATIC);
    q->bind_text(x, 3, job_status_word(r->status), -1, SQLITE_STATIC);
    q->bind_text(x, 4, r->why.text, -1, SQLITE_STATIC);
    q->bind_text(x, 5, r->answer, -1, SQLITE_STATIC); /* NULL is NULL */
    q->bind_double(x, 6, r->seconds);
    q->bind_text(x, 7, FINF_VERSION, -1, SQLITE_STATIC);
    int code = q->step(x);
    q->reset(x);
    return code == SQLITE_DONE;
}

/* Whether the file is still the one that was opened: what is written to one that was removed is
 * lost, and SQLite would not say so. */
static finf_status check_there(const store *s, finf_reason *why)
{
    struct stat ours, there;
    if (fstat(s->lock, &ours) == 0 && stat(s->path, &there) == 0 && ours.st_dev == there.st_dev &&
        ours.st_ino == there.st_ino && there.st_size > 0)
        return FINF_OK;
    return finf_why(why, FINF_EIO,
                    "cannot write '%.120s': it was removed, emptied or replaced during the sweep",
                    s->path);
}

finf_status store_add(store *s, const job_result *r, size_t n, finf_reason *why)
{
    finf_status status = check_there(s, why);
    if (!status) status = run(s, "BEGIN IMMEDIATE", why);
    for (size_t i = 0; i < n && !status; i++)
        if (!r[i].cut && r[i].arguments && !insert(s, &r[i])) status = failed(s, "write", why);
    if (!status) status = run(s, "COMMIT", why);
    if (status) s->sql->exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

/* ---- reading --------------------------------------------------------------------------------- */

finf_status store_read_about(store *s, store_about *out, finf_reason *why)
{
    sqlite3_stmt *q = NULL;
    finf_status status = FINF_OK;
    if (s->sql->prepare_v2(s->db, "SELECT version, jobs FROM about", -1, &q, NULL) != SQLITE_OK ||
        s->sql->step(q) != SQLITE_ROW) {
        status = failed(s, "read", why);
    } else {
        const char *version = text_at(s, q, 0);
        long long n = s->sql->column_int64(q, 1);
        if (!version || n < 1 || n > JOBS_MAX) status = failed(s, "read", why);
        snprintf(out->version, sizeof out->version, "%s", version ? version : "");
        out->jobs = s->jobs = (size_t)n;
    }
    s->sql->finalize(q);
    return status;
}

/* What a row has, if it is one that was written; 0: it is damaged. */
static int read_row(const store *s, sqlite3_stmt *q, store_row *x)
{
    finf_status ended;
    long long job = s->sql->column_int64(q, 0);
    int none = s->sql->column_type(q, 4) == SQLITE_NULL;
    *x = (store_row){(size_t)job,      text_at(s, q, 1), text_at(s, q, 2),
                     text_at(s, q, 3), text_at(s, q, 4), s->sql->column_double(q, 5)};
    return job >= 0 && x->job < s->jobs && x->arguments && x->reason && (x->answer || none) &&
           job_status_read(x->status, &ended);
}

finf_status store_rows(store *s,
                       finf_status (*row)(const store_row *x, void *ctx, finf_reason *why),
                       void *ctx, finf_reason *why)
{
    static const char ROWS[] =
        "SELECT job, arguments, status, reason, answer, seconds FROM jobs ORDER BY job";
    sqlite3_stmt *q = NULL;
    finf_status status = FINF_OK;
    int code = s->sql->prepare_v2(s->db, ROWS, -1, &q, NULL);
    while (code == SQLITE_OK && !status && (code = s->sql->step(q)) == SQLITE_ROW) {
        code = SQLITE_OK;
        store_row x;
        status = read_row(s, q, &x) ? row(&x, ctx, why) : failed(s, "read", why);
    }
    if (!status && code != SQLITE_DONE) status = failed(s, "read", why);
    s->sql->finalize(q);
    return status;
}

#else /* without SQLite */

static finf_status without(store **out, finf_reason *why)
{
    *out = NULL;
    return finf_why(why, FINF_EUSAGE, "finf was built without SQLite, which sweeps need");
}

finf_status store_open(const char *path, const jobs *j, char *done, size_t *count, store **out,
                       finf_reason *why)
{
    (void)path;
    (void)j;
    (void)done;
    *count = 0;
    return without(out, why);
}

finf_status store_open_read(const char *path, store **out, finf_reason *why)
{
    (void)path;
    return without(out, why);
}

void store_close(store *s) { (void)s; }

finf_status store_add(store *s, const job_result *r, size_t n, finf_reason *why)
{
    (void)r;
    (void)n;
    return without(&s, why);
}

finf_status store_read_about(store *s, store_about *out, finf_reason *why)
{
    *out = (store_about){.jobs = 0};
    return without(&s, why);
}

finf_status store_rows(store *s,
                       finf_status (*row)(const store_row *x, void *ctx, finf_reason *why),
                       void *ctx, finf_reason *why)
{
    (void)row;
    (void)ctx;
    return without(&s, why);
}

#endif
