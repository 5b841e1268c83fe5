#include "completion.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

/* What may stand behind an option. */
typedef enum { NOTHING, WORDS, FILES, NOISE, SPECTRUM, OPTIMIZER, ANYTHING } value_kind;

static value_kind kind_of(option_id id, const option_info *o)
{
    switch (id) {
    case OPT_NOISE: return NOISE;
    case OPT_SPECTRUM: return SPECTRUM;
    case OPT_OPTIMIZER: return OPTIMIZER;
    default:
        if (!o->argument) return NOTHING;
        if (strchr(o->argument, '|')) return WORDS;
        return strncmp(o->argument, "FILE", 4) == 0 || strcmp(o->argument, "DIR") == 0 ? FILES
                                                                                       : ANYTHING;
    }
}

/* The words between bars, parted by blanks; of ema:A only what is before and with the colon. */
static void put_choices(const char *words, FILE *out)
{
    for (const char *w = words; *w;) {
        size_t n = strcspn(w, "|"), known = strcspn(w, ":|");
        fprintf(out, "%s%.*s", w == words ? "" : " ", (int)(known + (w[known] == ':')), w);
        w += n + (w[n] == '|');
    }
}

/* The beginnings of a noise, with its colon or @ where something must follow. */
static void put_noises(FILE *out)
{
    finf_noise_form f;
    for (size_t i = 0; (f = finf_noise_form_get(i)).name; i++) {
        if (!strchr(f.form, '@')) fprintf(out, "%s%s ", f.name, strchr(f.form, ':') ? ":" : "");
        if (f.file) fprintf(out, "%s@ ", f.name);
    }
    fputs("nu:paper nu:best best", out);
}

static void put_values(value_kind kind, const option_info *o, FILE *out)
{
    finf_optimizer_form f;
    if (kind == WORDS) put_choices(o->argument, out);
    if (kind == NOISE) put_noises(out);
    if (kind == SPECTRUM) fputs("power: exp: flat step list: @ covariance@ data@", out);
    for (size_t i = 0; kind == OPTIMIZER && (f = finf_optimizer_form_get(i)).name; i++)
        fprintf(out, "%s%s%s", i ? " " : "", f.name, strchr(f.form, ':') ? ":" : "");
}

/* Options of a command, in the order of the table, parted by blanks. */
static void put_options(const command *c, FILE *out)
{
    const char *before = "";
    for (int i = 0; i < OPT_COUNT; i++)
        if (option_of_command(c, (option_id)i)) {
            fprintf(out, "%s--%s", before, option_get((option_id)i, c).name);
            before = " ";
        }
}

/* ---- bash ------------------------------------------------------------------------------------ */

/* The values of an option are the same in all commands, so that they need not be told by command.
 */
static void bash_values(FILE *out)
{
    for (int i = OPT_END + 1; i < OPT_COUNT; i++) {
        option_info o = option_get((option_id)i, NULL);
        value_kind kind = kind_of((option_id)i, &o);
        if (kind == NOTHING || kind == ANYTHING) continue;
        fprintf(out, "        --%s) ", o.name);
        if (kind == FILES)
            fputs("files=1 ;;\n", out);
        else {
            fputs("words='", out);
            put_values(kind, &o, out);
            fputs("' ;;\n", out);
        }
    }
}

void completion_bash(command_table all, FILE *out)
{
    fputs("# bash completion of finf; written by 'finf --completion bash'\n"
          "_finf() {\n"
          "    local cur prev words='' files=''\n"
          "    # a word may have colons in it: they part no words here\n"
          "    if declare -F _get_comp_words_by_ref >/dev/null; then\n"
          "        _get_comp_words_by_ref -n :=@ cur prev\n"
          "    else\n"
          "        cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
          "    fi\n"
          "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        words='",
          out);
    for (command_table c = all; *c; c++) fprintf(out, "%s ", (*c)->name);
    fputs("help --help --version'\n    else\n        case $prev in\n", out);
    bash_values(out);
    fputs("        *) case ${COMP_WORDS[1]} in\n", out);
    for (command_table c = all; *c; c++) {
        fprintf(out, "            %s) words='", (*c)->name);
        put_options(*c, out);
        fputs((*c)->operand ? "'; case $cur in -*) ;; *) files=1 ;; esac ;;\n" : "' ;;\n", out);
    }
    fputs("            esac ;;\n        esac\n    fi\n"
          "    case $cur in *@*) files=1 words='' ;; esac\n"
          "    if [ -n \"$files\" ]; then\n"
          "        local start=${cur%%@*}\n"
          "        case $cur in *@*) COMPREPLY=($(compgen -f -P \"$start@\" -- \"${cur#*@}\")) ;;\n"
          "        *) COMPREPLY=($(compgen -f -- \"$cur\")) ;; esac\n"
          "    else\n"
          "        COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
          "    fi\n"
          "    case ${COMPREPLY[0]-} in *:|*@) [ ${#COMPREPLY[@]} -eq 1 ] && compopt -o nospace ;; "
          "esac\n"
          "    if declare -F __ltrim_colon_completions >/dev/null; then\n"
          "        __ltrim_colon_completions \"$cur\"\n"
          "    fi\n"
          "}\n"
          "complete -F _finf finf\n",
          out);
}

/* ---- zsh ------------------------------------------------------------------------------------- */

/* Within the quotes and brackets of _arguments. */
static void zsh_escaped(const char *text, FILE *out)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", out);
        else {
            if (strchr("[]:\\", *text)) fputc('\\', out);
            fputc(*text == '\n' ? ' ' : *text, out);
        }
    }
}

static void zsh_option(const command *c, option_id id, FILE *out)
{
    option_info o = option_get(id, c);
    value_kind kind = kind_of(id, &o);
    fprintf(out, "            '%s--%s[", o.repeats ? "*" : "", o.name);
    zsh_escaped(o.help, out);
    fputc(']', out);
    if (kind != NOTHING) fprintf(out, ":%s:", o.name);
    if (kind == FILES)
        fputs("_files", out);
    else if (kind != NOTHING && kind != ANYTHING) {
        memory_file m = {0};
        FILE *f = memory_open(&m);
        if (f) {
            put_values(kind, &o, f);
            fclose(f);
        }
        fputs("(", out);
        if (m.text) zsh_escaped(m.text, out);
        fputs(")", out);
        free(m.text);
    }
    fputs("' \\\n", out);
}

void completion_zsh(command_table all, FILE *out)
{
    fputs("#compdef finf\n# zsh completion of finf; written by 'finf --completion zsh'\n_finf() {\n"
          "    local -a commands\n    commands=(\n",
          out);
    for (command_table c = all; *c; c++) {
        fprintf(out, "        '%s:", (*c)->name);
        zsh_escaped((*c)->summary, out);
        fputs("'\n", out);
    }
    fputs("    )\n    if (( CURRENT == 2 )); then\n        _describe command commands\n        "
          "return\n    fi\n    local command=$words[2]\n    shift words\n    (( CURRENT-- ))\n"
          "    case $command in\n",
          out);
    for (command_table c = all; *c; c++) {
        fprintf(out, "        %s) _arguments \\\n", (*c)->name);
        for (int i = 0; i < OPT_COUNT; i++)
            if (option_of_command(*c, (option_id)i)) zsh_option(*c, (option_id)i, out);
        if ((*c)->operand) fprintf(out, "            '1:%s:_files' \\\n", (*c)->operand);
        fputs("            ;;\n", out);
    }
    fputs("    esac\n}\n_finf \"$@\"\n", out);
}
