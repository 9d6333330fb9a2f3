/* SPDX-License-Identifier: BSD-3-Clause */
/* Completion of commands, options and their choices in bash, zsh and fish, from the tables of
 * --help. Where there is nothing to choose, the shell completes names of files. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/commands.h"
#include "cli/output/output.h"

extern const struct command page_completion;

struct shell {
    const char *before, *after; /* around the program's name in the file's */
    void (*begin)(FILE *out);
    void (*command)(FILE *out, const struct command *command, const struct option_row *rows);
    void (*end)(FILE *out);
};

/* Text between single quotes, in which `escape` stands for a quote. */
static void quoted(FILE *out, const char *words, const char *escape)
{
    for (; *words; words++)
        if (*words == '\'')
            fputs(escape, out);
        else
            fputc(*words, out);
}

/* The program's name as a word of functions. */
static void print_function(FILE *out)
{
    for (const char *at = program->name; *at; at++)
        fputc(*at == '-' ? '_' : *at, out);
}

static void print_choices(FILE *out, const struct option_row *row)
{
    for (int i = 0; row->kind == OPTION_CHOICE && row->choices[i]; i++)
        fprintf(out, "%s%s", i ? " " : "", row->choices[i]);
}

static void print_words(FILE *out, const struct command *const *commands)
{
    for (int i = 0; commands[i]; i++)
        fprintf(out, "%s%s", i ? " " : "", command_word(commands[i]));
}

/* Calls `act` for each family. */
static void families_each(FILE *out, void (*act)(FILE *out, const struct command *family))
{
    for (int i = 0; program->commands[i]; i++)
        if (program->commands[i]->members)
            act(out, program->commands[i]);
}

/* bash: one function with a case for each command. */

static void bash_family(FILE *out, const struct command *family)
{
    fprintf(out, "    2/%s) words='", family->name);
    print_words(out, family->members);
    fprintf(out, "' ;;\n    */%s) command+=\" ${COMP_WORDS[2]}\" ;;\n", family->name);
}

static void bash_begin(FILE *out)
{
    fprintf(out, "# Completion of %s for bash; its build made this.\n_", program->name);
    print_function(out);
    fputs("()\n{\n"
          "    local now=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
          "    local command=${COMP_WORDS[1]} words= word\n"
          "    for word in \"${COMP_WORDS[@]:1:COMP_CWORD - 1}\"; do\n"
          "        [[ $word != -- ]] || return 0 # words of another program\n"
          "    done\n"
          "    # --name=value is three words.\n"
          "    if [[ $now == = ]]; then now=; elif [[ $before == = ]]; then "
          "before=${COMP_WORDS[COMP_CWORD - 2]}; fi\n"
          "    case $COMP_CWORD/$command in\n"
          "    1/*) words='",
          out);
    print_words(out, program->commands);
    fputs(" --help --version' ;;\n    2/help) [[ $now == -* ]] || words='", out);
    print_words(out, program->commands);
    fputs("' ;;\n", out);
    families_each(out, bash_family);
    fputs("    esac\n    [[ $words ]] || case $command in\n", out);
}

static void bash_command(FILE *out, const struct command *command, const struct option_row *rows)
{
    fprintf(out, "    '%s')\n        case $before in\n", command->name);
    for (const struct option_row *row = rows; row->name; row++)
        if (row->kind == OPTION_CHOICE) {
            fprintf(out, "        --%s", row->name);
            if (row->letter)
                fprintf(out, " | -%c", row->letter);
            fputs(") words='", out);
            print_choices(out, row);
            fputs("' ;;\n", out);
        }
    fputs("        *) [[ $now != -* ]] || words='", out);
    for (const struct option_row *row = rows; row->name; row++) {
        fprintf(out, "--%s ", row->name);
        if (row->letter)
            fprintf(out, "-%c ", row->letter);
    }
    fputs("--help -h' ;;\n        esac ;;\n", out);
}

static void bash_end(FILE *out)
{
    fputs("    esac\n    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$now\")\n}\n"
          "complete -o default -F _",
          out);
    print_function(out);
    fprintf(out, " %s\n", program->name);
}

/* zsh: the words of a command are left to _arguments. */

static void zsh_commands(FILE *out, const struct command *const *commands)
{
    fputs("commands=(", out);
    for (int i = 0; commands[i]; i++) {
        fprintf(out, " '%s:", command_word(commands[i]));
        quoted(out, commands[i]->summary, "'\\''");
        fputc('\'', out);
    }
    fputs(" )", out);
}

static void zsh_family(FILE *out, const struct command *family)
{
    fprintf(out, "    3/%s) ", family->name);
    zsh_commands(out, family->members);
    fprintf(out, " ;;\n    */%s) taken=2 ;;\n", family->name);
}

static void zsh_begin(FILE *out)
{
    fprintf(out, "#compdef %s\n# Its build made this.\nlocal -a commands options\n", program->name);
    fputs("integer taken=1\ncase $CURRENT/$words[2] in\n    2/*) ", out);
    zsh_commands(out, program->commands);
    fputs("\n        commands+=(--help:'the commands' --version:'the version') ;;\n    3/help) [[ "
          "$words[3] == -* ]] || ",
          out);
    zsh_commands(out, program->commands);
    fputs(" ;;\n", out);
    families_each(out, zsh_family);
    fputs("esac\nif (( $#commands )); then\n    _describe command commands\n    return\nfi\n"
          "case ${words[2,taken+1]} in\n",
          out);
}

/* What _arguments takes for one spelling of an option. */
static void zsh_option(FILE *out, const struct option_row *row, const char *spelling,
                       const char *joint)
{
    fputs("    '", out);
    if (row->letter)
        fprintf(out, "(-%c --%s)", row->letter, row->name);
    fprintf(out, "%s%s[", spelling, row->metavar ? joint : "");
    for (const char *at = row->help; *at; at++)
        if (*at == '\'')
            fputs("'\\''", out);
        else
            fprintf(out, "%s%c", strchr("[]\\", *at) ? "\\" : "", *at);
    fputc(']', out);
    if (row->metavar) {
        fprintf(out, "%s%s:", row->kind == OPTION_MAYBE ? "::" : ":", "value");
        if (row->kind == OPTION_CHOICE) {
            fputc('(', out);
            print_choices(out, row);
            fputc(')', out);
        } else {
            fputs(row->kind == OPTION_FOLDER ? "_files -/" : "_files", out);
        }
    }
    fputs("'\n", out);
}

static void zsh_command(FILE *out, const struct command *command, const struct option_row *rows)
{
    fprintf(out, "'%s') options=(\n", command->name);
    for (; rows->name; rows++) {
        char spelling[80];
        snprintf(spelling, sizeof spelling, "--%s", rows->name);
        zsh_option(out, rows, spelling, rows->kind == OPTION_MAYBE ? "=-" : "=");
        snprintf(spelling, sizeof spelling, "-%c", rows->letter);
        if (rows->letter)
            zsh_option(out, rows, spelling, rows->kind == OPTION_MAYBE ? "-" : "+");
    }
    fputs("    '(-h --help)'{-h,--help}'[shows examples and options]'\n    ) ;;\n", out);
}

static void zsh_end(FILE *out)
{
    fputs("esac\nshift $taken words\n(( CURRENT -= taken ))\n"
          "_arguments -S : $options '*:file:_files'\n",
          out);
}

/* fish: a line for each word, and the words before it. */

static void fish_line(FILE *out, const char *when, const char *name)
{
    fprintf(out, "complete -c %s -n '__", program->name);
    print_function(out);
    fprintf(out, "_%s%s%s'", when, *name ? " " : "", name);
}

static void fish_commands(FILE *out, const char *before, const struct command *const *commands)
{
    for (int i = 0; commands[i]; i++) {
        fish_line(out, "after", before);
        fprintf(out, " -f -a %s -d '", command_word(commands[i]));
        quoted(out, commands[i]->summary, "\\'");
        fputs("'\n", out);
    }
}

static void fish_family(FILE *out, const struct command *family)
{
    fish_commands(out, family->name, family->members);
}

static void fish_function(FILE *out, const char *name, const char *test)
{
    fputs("function __", out);
    print_function(out);
    fprintf(out, "_%s\n    set -l words (commandline -opc)\n    set -e words[1]\n    %s\nend\n",
            name, test);
}

static void fish_begin(FILE *out)
{
    fprintf(out, "# Completion of %s for fish; its build made this.\n", program->name);
    fish_function(out, "after", "test \"$words\" = \"$argv\"");
    fish_function(out, "in",
                  "not contains -- -- $words; and string match -q -- \"$argv *\" \"$words \"");
    fish_commands(out, "", program->commands);
    fish_line(out, "after", "");
    fputs(" -f -a '--help --version'\n", out);
    fish_commands(out, "help", program->commands);
    families_each(out, fish_family);
}

static void fish_command(FILE *out, const struct command *command, const struct option_row *rows)
{
    for (; rows->name; rows++) {
        fish_line(out, "in", command->name);
        fprintf(out, " -l %s", rows->name);
        if (rows->letter)
            fprintf(out, " -s %c", rows->letter);
        if (rows->kind == OPTION_CHOICE) {
            fputs(" -x -a '", out);
            print_choices(out, rows);
            fputc('\'', out);
        } else if (rows->kind == OPTION_FOLDER) {
            fputs(" -x -a '(__fish_complete_directories)'", out);
        } else if (rows->metavar && rows->kind != OPTION_MAYBE) {
            fputs(" -r", out);
        }
        fputs(" -d '", out);
        quoted(out, rows->help, "\\'");
        fputs("'\n", out);
    }
    fish_line(out, "in", command->name);
    fputs(" -l help -s h -d 'shows examples and options'\n", out);
}

static void fish_end(FILE *out)
{
    (void)out;
}

static const struct shell shells[] = {
    {"", ".bash", bash_begin, bash_command, bash_end},
    {"_", "", zsh_begin, zsh_command, zsh_end},
    {"", ".fish", fish_begin, fish_command, fish_end},
};

/* The shell's file that is being written. */
struct completion {
    const struct shell *shell;
    FILE *file;
};

/* Replaces the help on the screen. */
static void options_to_shell(const struct command *command, const struct option_row *rows,
                             void *context)
{
    struct completion *completion = context;
    completion->shell->command(completion->file, command, rows);
}

static void command_to_shell(const struct command *command, void *context)
{
    char word[80], ask[] = "--help", *argv[] = {word, ask, NULL};
    snprintf(word, sizeof word, "%s", command->name);
    struct parsing parsing = {.help = options_to_shell, .context = context};
    command->run(&parsing, 2, argv);
}

static bool write_shell(const char *directory, const struct shell *shell)
{
    char path[PATH_MAX];
    struct output output;
    snprintf(path, sizeof path, "%s/%s%s%s", directory, shell->before, program->name, shell->after);
    if (!output_open(&output, "completion", path))
        return false;
    struct completion completion = {shell, output.file};
    shell->begin(output.file);
    commands_each(program->commands, command_to_shell, &completion);
    shell->end(output.file);
    return output_close(&output, true);
}

static bool write_shells(const struct program *of, const char *directory)
{
    bool good = true;
    program_set(of);
    for (size_t i = 0; good && i < sizeof shells / sizeof *shells; i++)
        good = write_shell(directory, &shells[i]);
    return good;
}

static int run(struct parsing *parsing, int argc, char **argv)
{
    const char *directory = "shells";
    bool help;
    const struct option_row rows[] = {
        {"output", 'o', OPTION_FOLDER, &directory, "DIR", "where the files go", NULL}, {0}};
    int first = parse_options(parsing, &page_completion, rows, argc, argv, &help);
    if (help || first < 0)
        return help ? 0 : 2;
    if (first < argc)
        return misuse("completion", "%s: no operand expected", argv[first]);
    if (mkdir(directory, 0777) && errno != EEXIST)
        return complain("completion", "%s: %s", directory, strerror(errno));
    return !(write_shells(&program_summand, directory) && write_shells(&program_study, directory));
}

const struct command page_completion = {
    .name = "completion",
    .summary = "writes the completion of words for shells",
    .synopsis = "completion [options]",
    .examples = "  summand-pages completion -o shells && . shells/summand.bash\n",
    .parallel = false,
    .run = run,
};
