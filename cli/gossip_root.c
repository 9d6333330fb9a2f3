/* summand gossip root: the root's error by the tree of its ancestors. */
#include "gossip.h"

#include "gossip/ancestors.h"

#include <stdlib.h>

struct options {
    long long nodes, seed, data_seed, most, runs;
    double eps;
    int data;
};

static int compare(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static int run_root(int argc, char **argv)
{
    struct options o = {
        .nodes = 1 << 30, .seed = 1, .data_seed = 1, .most = 28, .eps = 1e-3, .runs = 100};
    const struct option_row rows[] = {
        {"nodes", 'n', OPTION_INT, &o.nodes, "N", "number of nodes", NULL},
        {"eps", 'e', OPTION_REAL, &o.eps, "E", "stop at this relative error of the root", NULL},
        {"most", 0, OPTION_INT, &o.most, "R", "stop after so many rounds (2^R leaves)", NULL},
        {"runs", 'r', OPTION_INT, &o.runs, "K", "schedules, all on the same data", NULL},
        {"data", 0, OPTION_CHOICE, &o.data, "KIND", "initial data", summand__data_names},
        {"seed", 's', OPTION_INT, &o.seed, "S", "of the first schedule", NULL},
        {"data-seed", 0, OPTION_INT, &o.data_seed, "S", "of the data", NULL},
        {0}};
    bool help;
    int at = parse_options(&gossip_root, rows, argc, argv, &help);
    if (at < 0 || help)
        return at < 0 ? 2 : 0;
    if (o.nodes < 3 || o.runs < 1 || o.runs > 1 << 20)
        return complain("gossip root", "--nodes must be at least 3 and --runs 1..1m");
    double start = gossip_clock(), errors[SUMMAND__ANCESTORS_MOST + 1];
    enum summand__data_kind kind = (enum summand__data_kind)o.data;
    double truth = summand__data_mean(kind, (uint64_t)o.data_seed, o.nodes, 0);
    double mean_time = gossip_clock() - start;
    int *rounds = malloc((size_t)o.runs * sizeof *rounds), missed = 0;
    for (long long r = 0; rounds && r < o.runs; r++) {
        rounds[r] =
            summand__ancestors_root(o.nodes, (uint64_t)(o.seed + r), kind, (uint64_t)o.data_seed,
                                    truth, o.eps, (int)o.most, errors);
        missed += errors[rounds[r]] > o.eps;
        gossip_progress("root", (double)(r + 1), (double)o.runs);
    }
    if (!rounds)
        return complain("gossip root", "out of memory");
    qsort(rounds, (size_t)o.runs, sizeof *rounds, compare);
    printf("%lld nodes, root's error to %g, %lld runs: median %d rounds (%d..%d), %d not reached\n"
           "%.2f s, of it %.2f s for the true mean\n",
           o.nodes, o.eps, o.runs, rounds[o.runs / 2], rounds[0], rounds[o.runs - 1], missed,
           gossip_clock() - start, mean_time);
    free(rounds);
    return 0;
}

const struct command gossip_root = {
    .name = "gossip root",
    .summary = "rounds of HPS until the root is accurate, by the tree of its ancestors",
    .synopsis = "gossip root [options]",
    .examples = "  summand gossip root --nodes 1g --eps 1e-3 --runs 100\n",
    .run = run_root,
};
