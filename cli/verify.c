/* summand verify: proves every algorithm for every rank count and root. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "reduce/prove.h"

extern const struct command command_verify;

static long long max_ranks = 128;
static const char *algorithm_name;
static bool quiet;

static const struct option_row rows[] = {
    {"ranks", 'p', OPTION_INT, &max_ranks, "P", "rank counts 1..P", NULL},
    {"algorithm", 'a', OPTION_TEXT, &algorithm_name, "NAME", "this algorithm only", NULL},
    {"quiet", 'q', OPTION_FLAG, &quiet, NULL, "print faults only", NULL},
    {0},
};

enum { MOST_SHOWN = 10 }; /* faults printed per algorithm and collective */

struct tally {
    size_t proofs, faults;
};

static const size_t counts[] = {0, 1, 3};

static bool prove_one(const struct summand__algorithm *algorithm, const struct summand__call *call,
                      struct tally *tally)
{
    struct summand__proof proof;
    tally->proofs++;
    if (summand__prove(algorithm, call, &proof))
        return true;
    if (tally->faults++ >= MOST_SHOWN)
        return false;
    printf("%s %s: ranks %d root %d count %zu%s: %s\n", algorithm->name,
           summand__collective_name(call->collective), call->ranks, call->root, call->count,
           call->in_place ? " in place" : "", proof.fault);
    return false;
}

static bool rooted(enum summand__collective collective)
{
    return collective != SUMMAND__COLL_ALLREDUCE;
}

static void prove_ranks(const struct summand__algorithm *algorithm,
                        enum summand__collective collective, int ranks, struct tally *tally)
{
    int roots = rooted(collective) ? ranks : 1;
    for (int root = 0; root < roots; root++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            for (int in_place = 0; in_place < 2; in_place++) {
                struct summand__call call = {.collective = collective,
                                             .ranks = ranks,
                                             .root = root,
                                             .count = counts[c],
                                             .in_place = in_place};
                if (in_place && collective == SUMMAND__COLL_BCAST)
                    continue;
                if (summand__algorithm_does(algorithm, &call))
                    prove_one(algorithm, &call, tally);
            }
}

static void progress(const struct summand__algorithm *algorithm, int ranks)
{
    if (isatty(2))
        fprintf(stderr, "\r%-24s %4d ranks ", algorithm->name, ranks);
}

static size_t prove_algorithm(const struct summand__algorithm *algorithm)
{
    size_t faults = 0;
    for (int c = 0; c < SUMMAND__COLLECTIVES; c++) {
        struct tally tally = {0};
        if (!algorithm->build[c])
            continue;
        for (int ranks = 1; ranks <= max_ranks; ranks++) {
            progress(algorithm, ranks);
            prove_ranks(algorithm, (enum summand__collective)c, ranks, &tally);
        }
        if (isatty(2))
            fprintf(stderr, "\r%40s\r", "");
        if (!quiet)
            printf("%-20s %-10s %8zu proofs %6zu faults   %s%s%s\n", algorithm->name,
                   summand__collective_name((enum summand__collective)c), tally.proofs,
                   tally.faults, algorithm->promises & SUMMAND__RANK_ORDER ? "rank-order " : "",
                   algorithm->promises & SUMMAND__SAME_BITS ? "same-bits " : "",
                   algorithm->promises & SUMMAND__CANONICAL ? "canonical" : "");
        faults += tally.faults;
    }
    return faults;
}

static int run(int argc, char **argv)
{
    bool help;
    int operand = parse_options(&command_verify, rows, argc, argv, &help);
    if (operand < 0 || help)
        return help ? 0 : 2;
    if (operand < argc)
        return complain("verify", "%s: no operands expected", argv[operand]), 2;
    if (max_ranks < 1 || max_ranks > 4096)
        return complain("verify", "--ranks: %lld is not between 1 and 4096", max_ranks), 2;
    if (algorithm_name && !summand__algorithm_named(algorithm_name))
        return complain("verify", "%s: no such algorithm", algorithm_name), 2;
    size_t faults = 0;
    for (int i = 0; summand__algorithms[i]; i++)
        if (!algorithm_name || !strcmp(algorithm_name, summand__algorithms[i]->name))
            faults += prove_algorithm(summand__algorithms[i]);
    return faults ? 1 : 0;
}

const struct command command_verify = {
    .name = "verify",
    .summary = "prove every algorithm correct for every rank count and root, without MPI",
    .synopsis = "verify [options]",
    .examples = "  summand verify                     all algorithms, 1..128 ranks, every root\n"
                "  summand verify -a binomial -p 300  one algorithm, up to 300 ranks\n",
    .parallel = false,
    .run = run,
};
