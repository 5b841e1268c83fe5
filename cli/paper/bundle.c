/* How all files or none get into a directory: they are written into a temporary directory (the
 * "stage"). If the directory is new the stage is renamed to it, which is one step. Else every file
 * is moved into its place, what it replaces being kept in the stage until all are there, so that it
 * can be put back. */
#include "bundle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base.h"
#include "commands_file.h"
#include "output.h"

#define PATH 4300    /* characters of a name in the directory */
#define DIR_MAX 4000 /* characters of the directory's own name */

FILE *bundle_add(bundle *b, const char *name, const char *ending)
{
    if (b->n == BUNDLE_FILES) return NULL;
    struct bundle_file *f = &b->file[b->n];
    snprintf(f->name, sizeof f->name, "%s%s", name, ending);
    f->stream = memory_open(&f->memory);
    if (f->stream) b->n++;
    return f->stream;
}

void bundle_first_line(const bundle *b, FILE *stream, FILE *out)
{
    fflush(stream);
    for (size_t i = 0; i < b->n; i++) {
        const char *text = b->file[i].memory.text;
        if (b->file[i].stream == stream && text)
            fprintf(out, "%.*s\n", (int)strcspn(text, "\n"), text);
    }
}

/* Closes all files. 0 if memory ran out while one of them was written to. */
static int finish(bundle *b)
{
    int good = 1;
    for (size_t i = 0; i < b->n; i++) {
        struct bundle_file *f = &b->file[i];
        if (f->stream && fclose(f->stream) != 0) good = 0;
        f->stream = NULL;
        good &= !f->memory.failed;
    }
    return good;
}

void bundle_free(bundle *b)
{
    finish(b);
    for (size_t i = 0; i < b->n; i++) free(b->file[i].memory.text);
    b->n = 0;
}

static finf_status cannot(finf_reason *why, const char *what, const char *path)
{
    return finf_why(why, FINF_EIO, "cannot %s '%.150s': %s", what, path,
                    strerror(errno ? errno : EIO));
}

/* ---- what is there already ------------------------------------------------------------------- */

/* The directory's name without slashes at its end. 0 if it is empty or too long. */
static int trim(const char *dir, char *out)
{
    size_t n = strlen(dir);
    if (n == 0 || n > DIR_MAX) return 0;
    while (n > 1 && dir[n - 1] == '/') n--;
    memcpy(out, dir, n);
    out[n] = 0;
    return 1;
}

/* Reads the first bytes of a regular file. 0 if it is none. */
static int read_head(const char *path, char *head, size_t size)
{
    struct stat st;
    if (lstat(path, &st) != 0 || !S_ISREG(st.st_mode)) return 0;
    FILE *f = fopen(path, "r");
    if (!f) return 0;
    head[fread(head, 1, size - 1, f)] = 0;
    fclose(f);
    return 1;
}

/* Whether it is a regular file with the mark in its first 399 bytes. */
static int is_marked(const char *path)
{
    char head[400] = "";
    return read_head(path, head, sizeof head) && strstr(head, BUNDLE_MARK);
}

/* Whether the directory's COMMANDS.md, which bears the mark, says of this CSV file that it begins
 * as it does. */
static int is_listed(const char *dir, const char *name, const char *path)
{
    char head[8000] = "", index[PATH];
    snprintf(index, sizeof index, "%s/" COMMANDS_FILE, dir);
    if (!is_marked(index) || !read_head(path, head, sizeof head)) return 0;
    head[strcspn(head, "\n")] = 0;
    FILE *f = fopen(index, "r");
    if (!f) return 0;
    int listed = commands_has(f, name, head);
    fclose(f);
    return listed;
}

/* Makes the stage, in the directory itself if that exists, else beside it, so that a rename stays
 * within one file system; `out` is its name. mkdtemp makes it private: it gets the mode that a new
 * directory has. */
static finf_status make_stage(const char *dir, int exists, char *out, finf_reason *why)
{
    snprintf(out, PATH, exists ? "%s/.finf.XXXXXX" : "%s.XXXXXX", dir);
    if (!mkdtemp(out)) return cannot(why, "write", dir);
    mode_t mask = umask(0);
    umask(mask);
    chmod(out, 0777 & ~mask);
    return FINF_OK;
}

/* bundle_check but for trying to write: the name without slashes goes into `dir`, and *exists says
 * whether the directory is there. */
static finf_status check(const bundle *b, const char *given, int force, char *dir, int *exists,
                         finf_reason *why)
{
    struct stat st;
    char path[PATH];
    if (!trim(given, dir))
        return finf_why(why, FINF_EDOM, "out = '%.80s': not a directory name", given);
    *exists = stat(dir, &st) == 0;
    if (!*exists && lstat(dir, &st) == 0)
        return finf_why(why, FINF_EIO, "'%.150s' is a link to nothing", dir);
    if (*exists && !S_ISDIR(st.st_mode))
        return finf_why(why, FINF_EIO, "'%.150s' is not a directory", dir);
    if (*exists && !force)
        return finf_why(why, FINF_EIO,
                        "'%.150s' exists: --force replaces the files of this command in it", dir);
    for (size_t i = 0; *exists && i < b->n; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, b->file[i].name);
        if (lstat(path, &st) != 0) continue;
        if (!is_marked(path) && !is_listed(dir, b->file[i].name, path))
            return finf_why(
                why, FINF_EIO,
                "'%.150s' was not written by this command: it is left alone, and so is the rest",
                path);
    }
    return FINF_OK;
}

/* ---- putting the files there ----------------------------------------------------------------- */

typedef struct {
    char dir[DIR_MAX + 1];
    char stage[PATH];
    int exists;          /* the directory is there already */
    char now[PATH + 64]; /* of the present file: its place, */
    char new[PATH + 64]; /* where it is before it gets there, */
    char old[PATH + 64]; /* and where what it replaces is kept */
} job;

/* Fills in now, new and old for the file of this name. */
static void name_paths(job *j, const char *name)
{
    snprintf(j->now, sizeof j->now, "%s/%s", j->dir, name);
    snprintf(j->new, sizeof j->new, "%s/%s", j->stage, name);
    snprintf(j->old, sizeof j->old, "%s/%s.old", j->stage, name);
}

/* Writes all files into the stage, with the modes of those they replace. */
static finf_status write_files(const bundle *b, job *j, finf_reason *why)
{
    for (size_t i = 0; i < b->n; i++) {
        const struct bundle_file *f = &b->file[i];
        struct stat st;
        name_paths(j, f->name);
        errno = 0;
        FILE *out = fopen(j->new, "w");
        if (!out) return cannot(why, "write", j->now);
        int bad = fwrite(f->memory.text, 1, f->memory.size, out) != f->memory.size;
        bad |= fclose(out) != 0;
        if (bad) return cannot(why, "write", j->now);
        if (j->exists && stat(j->now, &st) == 0) chmod(j->new, st.st_mode & 07777);
    }
    return FINF_OK;
}

/* Undoes the moves of the first n files: what stood in their places goes back there. 0 if something
 * could not be put back. */
static int put_back(const bundle *b, job *j, size_t n)
{
    int good = 1;
    while (n-- > 0) {
        struct stat st;
        name_paths(j, b->file[n].name);
        if (lstat(j->old, &st) == 0)
            good &= rename(j->old, j->now) == 0;
        else
            unlink(j->now);
    }
    return good;
}

/* Moves the files into their places, one by one; what a file replaces is kept in the stage, by a
 * hard link (so that its place is never empty) or, on file systems without links, by a rename. If
 * one fails all are put back. *keep = 1: not even that worked, and the stage is needed still. */
static finf_status move_files(const bundle *b, job *j, int *keep, finf_reason *why)
{
    for (size_t i = 0; i < b->n; i++) {
        struct stat st;
        name_paths(j, b->file[i].name);
        int replaces = lstat(j->now, &st) == 0;
        int bad = replaces && link(j->now, j->old) != 0 && rename(j->now, j->old) != 0;
        if (!bad && rename(j->new, j->now) == 0) continue;
        finf_status s = cannot(why, "write", j->now);
        if (lstat(j->now, &st) != 0) rename(j->old, j->now);
        *keep = !put_back(b, j, i);
        if (*keep)
            finf_why(why, s, "cannot put everything back: what was there is in '%.150s'", j->stage);
        return s;
    }
    return FINF_OK;
}

/* Removes the stage with whatever is left in it. */
static void remove_stage(const bundle *b, job *j)
{
    for (size_t i = 0; i < b->n; i++) {
        name_paths(j, b->file[i].name);
        unlink(j->new);
        unlink(j->old);
    }
    rmdir(j->stage);
}

/* bundle_install once the files are closed and signals wait. */
static finf_status install(const bundle *b, const char *dir, int force, job *j, finf_reason *why)
{
    int keep = 0;
    finf_status s = check(b, dir, force, j->dir, &j->exists, why);
    if (!s) s = make_stage(j->dir, j->exists, j->stage, why);
    if (s) return s;
    s = write_files(b, j, why);
    if (!s && j->exists) s = move_files(b, j, &keep, why);
    if (!s && !j->exists && rename(j->stage, j->dir) != 0) s = cannot(why, "write", j->dir);
    if (!keep && (s || j->exists)) remove_stage(b, j);
    return s;
}

finf_status bundle_check(const bundle *b, const char *given, int force, finf_reason *why)
{
    char dir[DIR_MAX + 1], stage[PATH];
    int exists;
    finf_status s = check(b, given, force, dir, &exists, why);
    if (s) return s;
    sigset_t before;
    signals_hold(&before);
    s = make_stage(dir, exists, stage, why); /* to see whether it can be written to at all */
    if (!s) rmdir(stage);
    signals_release(&before);
    return s;
}

finf_status bundle_install(bundle *b, const char *dir, int force, finf_reason *why)
{
    if (!finish(b)) return finf_why(why, FINF_ENOMEM, "no memory for the files");
    job *j = calloc(1, sizeof *j);
    if (!j) return finf_why(why, FINF_ENOMEM, "no memory");
    sigset_t before;
    signals_hold(&before);
    finf_status s = install(b, dir, force, j, why);
    signals_release(&before);
    free(j);
    return s;
}
