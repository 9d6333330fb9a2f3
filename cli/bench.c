/* summand bench: the list of benchmarks. */
#include <string.h>

#include "bench.h"
#include "cli.h"

extern const struct command command_bench;

/* Every benchmark once. Each is a command of its own, named "bench NAME". */
#define BENCHMARKS(X) X(sum)

#define DECLARE(name) extern const struct command benchmark_##name;
BENCHMARKS(DECLARE)
#undef DECLARE

static const struct {
    const char *name;
    const struct command *command;
} benchmarks[] = {
#define ENTRY(name) {#name, &benchmark_##name},
    BENCHMARKS(ENTRY)
#undef ENTRY
        {NULL, NULL}};

static void print_list(FILE *out)
{
    fprintf(out, "summand bench: %s\n\nExamples:\n%s\nUsage: summand %s\n\nBenchmarks:\n",
            command_bench.summary, command_bench.examples, command_bench.synopsis);
    for (int i = 0; benchmarks[i].name; i++)
        fprintf(out, "  %-14s %s\n", benchmarks[i].name, benchmarks[i].command->summary);
    fprintf(out, "\n'summand bench BENCHMARK --help' shows examples and options.\n");
}

static int run(int argc, char **argv)
{
    bool asked = argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"));
    if (argc < 2 || asked) {
        if (cli_rank() == 0)
            print_list(asked ? stdout : stderr);
        return asked ? 0 : 2;
    }
    for (int i = 0; benchmarks[i].name; i++)
        if (!strcmp(argv[1], benchmarks[i].name))
            return benchmarks[i].command->run(argc - 1, argv + 1);
    if (cli_rank() == 0)
        complain("bench", "%s: no such benchmark; 'summand bench --help' lists them", argv[1]);
    return 2;
}

const struct command command_bench = {
    "bench",
    "times of our methods beside the usual ones",
    "bench BENCHMARK [options]",
    "  mpirun -np 2 summand bench sum\n"
    "  mpirun -np 2 summand bench sum --csv sum.csv --plot sum.svg\n",
    true,
    run};
