#include "agree.h"
#include "cli.h"

#include <errno.h>
#include <mpi.h>
#include <string.h>
#include <summand/version.h>

#include "base/environment.h"
#include "base/warning.h"
#include "kernel/arch.h"

/* Every subcommand once. */
#define COMMANDS(X)                                                                                \
    X(sum)                                                                                         \
    X(bench)                                                                                       \
    X(tune)                                                                                        \
    X(generate)                                                                                    \
    X(spread)                                                                                      \
    X(verify)                                                                                      \
    X(list)                                                                                        \
    X(predict)                                                                                     \
    X(draw)                                                                                        \
    X(distribution)                                                                                \
    X(gossip)                                                                                      \
    X(info)                                                                                        \
    X(manual)

#define DECLARE(name) extern const struct command command_##name;
COMMANDS(DECLARE)
#undef DECLARE

const struct command *const cli_commands[] = {
#define ENTRY(name) &command_##name,
    COMMANDS(ENTRY)
#undef ENTRY
        NULL};

static void print_commands(FILE *out)
{
    fprintf(out,
            "summand %s: adding things up across processes\n\n"
            "Usage: [mpirun -np P] summand COMMAND [options]\n\nCommands:\n",
            summand_version());
    for (int i = 0; cli_commands[i]; i++)
        fprintf(out, "  %-14s %s\n", cli_commands[i]->name, cli_commands[i]->summary);
    fprintf(out, "\n'summand COMMAND --help' shows examples and options.\n");
}

/* A setting that cannot be followed is an error, except for the command that shows the settings. */
static void check_settings(const struct command *command, struct trouble *trouble)
{
    struct summand__complaint complaint;
    if (!strcmp(command->name, "info"))
        return;
    if (!summand__environment_check(&complaint))
        trouble_note(trouble, "%s", complaint.text);
    if (summand__arch_complaint())
        trouble_note(trouble, "%s", summand__arch_complaint());
}

/* What a command has printed may not have reached its file. */
static int check_output(const struct command *command, int status)
{
    bool failed = ferror(stdout);
    if (status || (!fflush(stdout) && !failed))
        return status;
    return complain(command->name, "standard output: %s",
                    failed ? "not everything could be written" : strerror(errno));
}

static int run(const struct command *command, int argc, char **argv)
{
    struct trouble trouble = {""};
    check_settings(command, &trouble);
    if (!command->parallel) {
        summand__warn_unknown();
        if (trouble.text[0])
            return complain(command->name, "%s", trouble.text), 2;
        return check_output(command, command->run(argc, argv));
    }
    MPI_Init(&argc, &argv);
    if (cli_rank() == 0)
        summand__warn_unknown();
    int status = agree(command->name, &trouble) ? command->run(argc, argv) : 2;
    status = check_output(command, status);
    MPI_Finalize();
    return status;
}

/* Visible: the simulator SMPI loads the command as a library and looks main up. */
SUMMAND_API int main(int argc, char **argv)
{
    if (argc < 2 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
        print_commands(argc < 2 ? stderr : stdout);
        return argc < 2 ? 2 : 0;
    }
    if (!strcmp(argv[1], "--version")) {
        printf("summand %s\n", summand_version());
        return 0;
    }
    for (int i = 0; cli_commands[i]; i++)
        if (!strcmp(argv[1], cli_commands[i]->name))
            return run(cli_commands[i], argc - 1, argv + 1);
    complain(argv[1], "no such command; 'summand --help' lists them");
    return 2;
}
