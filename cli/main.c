#include "cli.h"

#include <mpi.h>
#include <string.h>
#include <summand/version.h>

#include "kernel/arch.h"

/* Every subcommand once. */
#define COMMANDS(X)                                                                                \
    X(sum)                                                                                         \
    X(bench)                                                                                       \
    X(generate)                                                                                    \
    X(spread)                                                                                      \
    X(verify)                                                                                      \
    X(list)                                                                                        \
    X(predict)                                                                                     \
    X(draw)                                                                                        \
    X(distribution)                                                                                \
    X(gossip)                                                                                      \
    X(info)

#define DECLARE(name) extern const struct command command_##name;
COMMANDS(DECLARE)
#undef DECLARE

static const struct command *const commands[] = {
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
    for (int i = 0; commands[i]; i++)
        fprintf(out, "  %-14s %s\n", commands[i]->name, commands[i]->summary);
    fprintf(out, "\n'summand COMMAND --help' shows examples and options.\n");
}

/* A setting that cannot be followed is an error, except for the command that shows the settings. */
static int run(const struct command *command, int argc, char **argv)
{
    if (summand__arch_complaint() && strcmp(command->name, "info"))
        return complain(command->name, "%s", summand__arch_complaint()), 2;
    if (!command->parallel)
        return command->run(argc, argv);
    MPI_Init(&argc, &argv);
    int status = command->run(argc, argv);
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
    for (int i = 0; commands[i]; i++)
        if (!strcmp(argv[1], commands[i]->name))
            return run(commands[i], argc - 1, argv + 1);
    complain(argv[1], "no such command; 'summand --help' lists them");
    return 2;
}
