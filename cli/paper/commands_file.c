/* COMMANDS.md: written section by section, and read to know a CSV file again. */
#include "commands_file.h"

#include <string.h>

#define INDENT "    " /* before the first line of a file: Markdown shows it as it is */

void commands_head(const char *mark, FILE *out)
{
    fprintf(
        out,
        "# The commands behind the data\n\n%s\n\n"
        "For each file: its first line, the commands that print its numbers, and which column is "
        "which key of\ntheir output (`name: key`; `-`, `sqrt` and `/` are taken of them). The "
        "files are plain CSV, 17 digits:\n"
        "`pandas.read_csv(f)` reads each of them, and `numpy.genfromtxt(f, names=True, "
        "delimiter=\",\")` those\nof numbers.\n",
        mark);
}

void commands_begin(const char *name, const char *what, FILE *out)
{
    fprintf(out, "\n## %s.csv\n\n%s\n\n" INDENT, name, what);
}

void commands_shell(FILE *out) { fputs("\n```sh\n", out); }

void commands_end(FILE *out) { fputs("```\n", out); }

/* Reads a line, of which what does not fit is dropped, without its end. 0: there is none. */
static int read_line(FILE *in, char *line, size_t size)
{
    if (!fgets(line, (int)size, in)) return 0;
    size_t n = strcspn(line, "\n");
    for (int c = line[n] == '\n' ? '\n' : 0; c != '\n' && c != EOF;) c = getc(in);
    line[n] = 0;
    return 1;
}

int commands_has(FILE *index, const char *file, const char *header)
{
    char line[8192];
    int within = 0;
    while (read_line(index, line, sizeof line)) {
        if (strncmp(line, "## ", 3) == 0) within = strcmp(line + 3, file) == 0;
        if (within && strncmp(line, INDENT, strlen(INDENT)) == 0)
            return strcmp(line + strlen(INDENT), header) == 0;
    }
    return 0;
}
