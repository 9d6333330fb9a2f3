/* summand verify: proves every algorithm for many rank counts, roots and counts. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "reduce/call.h"
#include "reduce/cases.h"
#include "reduce/prove.h"

extern const struct command command_verify;

static long long max_ranks;
static const char *algorithm_name;
static bool quiet, whole;

static const struct option_row rows[] = {
    {"ranks", 'p', OPTION_INT, &max_ranks, "P", "rank counts 1..P, every root", NULL},
    {"algorithm", 'a', OPTION_TEXT, &algorithm_name, "NAME", "this algorithm only", NULL},
    {"all", 0, OPTION_FLAG, &whole, NULL, "every root for 1..257 ranks, and up to 1025 ranks",
     NULL},
    {"quiet", 'q', OPTION_FLAG, &quiet, NULL, "print faults only", NULL},
    {0},
};

enum { MOST_SHOWN = 10 }; /* faults printed per algorithm and collective */

struct tally {
    size_t proofs, faults;
};

static void print_case(const struct summand__algorithm *algorithm, const struct summand__call *call)
{
    printf("%s %s: ranks %d", algorithm->name, summand__collective_name(call->collective),
           call->ranks);
    if (summand__has_root(call->collective))
        printf(" root %d", call->root);
    printf(" count %zu", summand__call_total(call));
    for (int i = 0; i < SUMMAND__PARAMETERS; i++)
        if (call->parameter[i])
            printf(" %s %zu", summand__parameter_name((enum summand__parameter)i),
                   call->parameter[i]);
    printf("%s", call->in_place ? " in place" : "");
}

static bool prove_case(const struct summand__algorithm *algorithm, const struct summand__call *call,
                       void *context)
{
    struct tally *tally = context;
    struct summand__proof proof;
    tally->proofs++;
    if (summand__prove(algorithm, call, &proof) || tally->faults++ >= MOST_SHOWN)
        return true;
    print_case(algorithm, call);
    printf(": %s\n", proof.fault);
    return true;
}

/* How thoroughly each rank count is proved, unless --ranks asks for all. */
struct extent {
    int all_roots, few_all_roots, many, most; /* up to how many ranks */
};
static const struct extent quick = {20, 0, 66, 257}, complete = {66, 257, 66, 1025},
                           asked = {20, 4096, 0, 0}; /* --ranks */

static bool effort_for(int ranks, enum summand__effort *effort)
{
    const struct extent *extent = max_ranks ? &asked : whole ? &complete : &quick;
    bool beside = false;
    for (int power = 1; power <= extent->most; power *= 2)
        beside = beside || (ranks >= power - 1 && ranks <= power + 1);
    if (ranks <= extent->all_roots)
        *effort = SUMMAND__ALL_ROOTS;
    else if (ranks <= extent->few_all_roots)
        *effort = SUMMAND__FEW_ALL_ROOTS;
    else if (ranks <= extent->many)
        *effort = SUMMAND__MANY_CASES;
    else
        *effort = SUMMAND__FEW_CASES;
    return *effort != SUMMAND__FEW_CASES || beside;
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
        for (int ranks = 1; ranks <= (max_ranks ? max_ranks : 1025); ranks++) {
            enum summand__effort effort;
            if (!effort_for(ranks, &effort))
                continue;
            progress(algorithm, ranks);
            if (!summand__cases(algorithm, (enum summand__collective)c, ranks, effort, prove_case,
                                &tally))
                tally.faults++;
        }
        if (isatty(2))
            fprintf(stderr, "\r%40s\r", "");
        if (!quiet)
            printf("%-20s %-20s %8zu proofs %6zu faults   %s%s%s\n", algorithm->name,
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
    if (max_ranks < 0 || max_ranks > 4096)
        return complain("verify", "--ranks: %lld is not between 0 and 4096", max_ranks), 2;
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
    .summary =
        "prove every algorithm correct for 1..66 ranks and some to 257, or more, without MPI",
    .synopsis = "verify [options]",
    .examples =
        "  summand verify                     all algorithms, in about two minutes\n"
        "  summand verify --all               every root for 1..257 ranks, and up to 1025 ranks\n"
        "  summand verify -a binomial -p 300  one algorithm, up to 300 ranks\n",
    .parallel = false,
    .run = run,
};
