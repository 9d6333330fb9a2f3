/* summand bench: the list of benchmarks. */
#include <mpi.h>
#include <string.h>

#include "bench.h"
#include "cli.h"

extern const struct command command_bench;

/* Every benchmark once. Each is a command of its own, named "bench NAME". */
#define BENCHMARKS(X)                                                                              \
    X(reduce) X(allreduce) X(reduce_scatter) X(bcast) X(allgather) X(sum) X(compare) X(overhead)

#define DECLARE(name) extern const struct command benchmark_##name;
BENCHMARKS(DECLARE)
#undef DECLARE

const struct command *const bench_commands[] = {
#define ENTRY(name) &benchmark_##name,
    BENCHMARKS(ENTRY)
#undef ENTRY
        NULL};

/* Without "bench ". */
static const char *word_of(const struct command *benchmark)
{
    return benchmark->name + strlen("bench ");
}

static void print_list(FILE *out)
{
    fprintf(out, "summand bench: %s\n\nExamples:\n%s\nUsage: summand %s\n\nBenchmarks:\n",
            command_bench.summary, command_bench.examples, command_bench.synopsis);
    for (int i = 0; bench_commands[i]; i++)
        fprintf(out, "  %-14s %s\n", word_of(bench_commands[i]), bench_commands[i]->summary);
    fprintf(out, "\n'summand bench BENCHMARK --help' shows examples and options.\n");
}

/* A command that starts the launcher by itself is no rank. "--launches=0" is what it tells those
 * that it starts. */
static bool starts_launcher(int argc, char **argv)
{
    bool asked = false, told = false;
    for (int i = 1; i < argc; i++) {
        asked = asked || !strncmp(argv[i], "--launches", 10) || !strncmp(argv[i], "-L", 2);
        told = told || !strcmp(argv[i], "--launches=0");
    }
    return asked && !told;
}

static int no_benchmark(int argc, char **argv)
{
    bool asked = argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"));
    if (cli_rank() == 0) {
        if (argc < 2 || asked)
            print_list(asked ? stdout : stderr);
        else
            complain("bench", "%s: no such benchmark; 'summand bench --help' lists them", argv[1]);
    }
    return asked ? 0 : 2;
}

static int run(int argc, char **argv)
{
    const struct command *command = NULL;
    for (int i = 0; argc > 1 && bench_commands[i]; i++)
        if (!strcmp(argv[1], word_of(bench_commands[i])))
            command = bench_commands[i];
    if (command && (!command->parallel || starts_launcher(argc, argv)))
        return command->run(argc - 1, argv + 1);
    MPI_Init(&argc, &argv);
    int status = command ? command->run(argc - 1, argv + 1) : no_benchmark(argc, argv);
    MPI_Finalize();
    return status;
}

const struct command command_bench = {
    .name = "bench",
    .summary = "times of our methods beside the usual ones",
    .synopsis = "bench BENCHMARK [options]",
    .examples = "  mpirun -np 2 summand bench allreduce\n"
                "  mpirun -np 2 summand bench sum --csv sum.csv --plot sum.svg\n",
    .parallel = false, /* not with --launches: see starts_launcher */
    .run = run,
};
