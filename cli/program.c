/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/commands.h"
#include "cli/ranks/agree.h"

#include <mpi.h>
#include <string.h>
#include <summand/version.h>

#include "base/environment.h"
#include "base/warning.h"
#include "cli/output/stdout.h"
#include "cli/ranks/launched.h"
#include "compute/blas.h"
#include "kernel/arch.h"

/* An invalid setting is an error, except for commands that show settings. */
static void check_settings(struct trouble *trouble)
{
    struct summand__complaint complaint;
    if (!summand__environment_check(&complaint))
        trouble_note(trouble, "%s", complaint.text);
    if (summand__arch_complaint())
        trouble_note(trouble, "%s", summand__arch_complaint());
    if (summand__blas_fault())
        trouble_note(trouble, "%s", summand__blas_fault());
}

/* True for commands that only show information. */
static bool only_asks(const struct command *command)
{
    static const char *const names[] = {"info", "help", "version", NULL};
    for (int i = 0; names[i]; i++)
        if (!strcmp(command->name, names[i]))
            return true;
    return false;
}

/* A command that starts a launcher is no rank. It gives "--launches=0" to the processes that it
 * starts. */
static bool starts_launcher(int argc, char **argv)
{
    bool asked = false;
    for (int i = 1; i < argc; i++)
        asked = asked || !strncmp(argv[i], "--launches", 10) || !strncmp(argv[i], "-L", 2);
    return asked && !launched_again(argc, argv);
}

static bool asks_help(int argc, char **argv)
{
    return argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"));
}

static bool is_parallel(const struct command *command, int argc, char **argv)
{
    bool with = false;
    for (int i = 1; i < argc; i++)
        with = with || (strlen(argv[i]) > 2 && !strncmp(argv[i], "--network", strlen(argv[i])));
    return command->parallel == WITH_NETWORK ? with : command->parallel == true;
}

/* Help without a launcher needs no MPI, whose start takes time. */
static bool needs_mpi(const struct command *command, int argc, char **argv)
{
    return is_parallel(command, argc, argv) && !starts_launcher(argc, argv) &&
           !(asks_help(argc, argv) && launched_size() == 1);
}

static int run_on_ranks(const struct command *command, struct trouble *trouble, int argc,
                        char **argv)
{
    char apart[512];
    int level; /* after Ctrl-C a thread may answer; it does not call MPI (interrupt.h) */
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    if (launched_apart(apart, sizeof apart)) {
        if (launched_rank() == 0)
            complain(command->name, "%s", apart);
        MPI_Finalize();
        return launched_end(2);
    }
    if (cli_rank() == 0)
        summand__warn_unknown();
    int status = agree(command->name, trouble) ? command_run(command, true, argc, argv) : 2;
    status = stdout_end(command->name, status);
    if (status)
        launched_await_reader();
    MPI_Finalize(); /* so no rank fails before */
    return status;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct trouble trouble = {""};
    if (!only_asks(command))
        check_settings(&trouble);
    if (needs_mpi(command, argc, argv))
        return run_on_ranks(command, &trouble, argc, argv);
    launched_one_speaks();
    summand__warn_unknown();
    if (trouble.text[0])
        return launched_end(misuse(command->name, "%s", trouble.text));
    return launched_end(stdout_end(command->name, command_run(command, false, argc, argv)));
}

/* Lists a family's commands, if none of them is named; or all commands. */
static int list_commands(const struct command *family, int argc, char **argv)
{
    int status = 2;
    launched_one_speaks();
    if (family && argc > 1 && !asks_help(argc, argv)) {
        misuse(family->name, "%s: no such option", argv[1]);
    } else if (family && argc > 1) {
        status = 0;
        if (!launched_idle()) {
            print_commands(family, stdout);
            status = stdout_end(family->name, 0);
        }
    } else {
        print_commands(family, stderr);
    }
    return launched_end(status);
}

/* Another name of a command. */
static const char *synonym(const char *word)
{
    static const struct {
        const char *option, *command;
    } rows[] = {{"--help", "help"}, {"-h", "help"}, {"--version", "version"}, {"-V", "version"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(word, rows[i].option))
            return rows[i].command;
    return word;
}

int program_main(const struct program *now, int argc, char **argv)
{
    int words;
    program_set(now);
    stdout_begin();
    memory_begin();
    if (argc < 2)
        return list_commands(NULL, argc, argv);
    argv[1] = (char *)synonym(argv[1]);
    const struct command *command = command_find(argc - 1, argv + 1, &words);
    if (!command)
        return launched_end(2);
    argc -= words;
    argv += words;
    return command->members ? list_commands(command, argc, argv) : run(command, argc, argv);
}
