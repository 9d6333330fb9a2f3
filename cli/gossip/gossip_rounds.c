/* summand study rounds: round-based algorithms on all of N nodes. */
#include "cli/gossip/gossip.h"

#include "lab/gossip/large.h"
#include "lab/gossip/rounds.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const algorithms[] = {"hps", "hpflc", "hpfcc", "ardb", NULL};
static const char *const variables[] = {"flow", "message", "input", NULL};
static const enum summand__fault_variable variable_of[] = {
    SUMMAND__FAULT_FLOW, SUMMAND__FAULT_MESSAGE, SUMMAND__FAULT_INPUT};
enum { ARDB = 3, FLIPS_MOST = 100000 };

struct options {
    long long nodes, seed, data_seed, most, threads, runs, flips, bit;
    double eps, tau;
    int data, algorithm, variable;
    bool twice;
    const char *checkpoint, *when;
};

/* Rounds at which flips strike: "LOW..HIGH" or one. */
static bool parse_when(const char *text, int *low, int *high)
{
    char *end;
    *low = *high = (int)strtol(text, &end, 10);
    if (end != text && !strncmp(end, "..", 2))
        *high = (int)strtol(end + 2, &end, 10);
    return end != text && !*end && *low >= 0 && *high >= *low && *high < 1 << 20;
}

static int by_round(const void *a, const void *b)
{
    const struct summand__large_fault *f = a, *g = b;
    return (f->round > g->round) - (f->round < g->round);
}

/* Flips at random nodes; NULL after saying what is wrong. */
static struct summand__large_fault *draw_flips(const struct options *o)
{
    int low, high;
    if (o->flips < 0 || o->flips > FLIPS_MOST || !parse_when(o->when, &low, &high)) {
        complain("study rounds", "--flips must be 0..%d and --flip-round ROUND or LOW..HIGH",
                 FLIPS_MOST);
        return NULL;
    }
    struct summand__large_fault *faults = calloc((size_t)o->flips + 1, sizeof *faults);
    struct summand__random random = {summand__stream((uint64_t)o->seed, 0x666c6970u)};
    for (long long f = 0; faults && f < o->flips; f++) {
        faults[f].fault.variable = variable_of[o->variable];
        faults[f].fault.component = SUMMAND__FAULT_ANY;
        faults[f].fault.bit = (int)o->bit;
        faults[f].rank = (int64_t)summand__random_below(&random, (uint64_t)o->nodes);
        faults[f].round = low + (int)summand__random_below(&random, (uint64_t)(high - low + 1));
    }
    if (faults)
        qsort(faults, (size_t)o->flips, sizeof *faults, by_round);
    else
        complain("study rounds", "out of memory");
    return faults;
}

static void report(const struct options *o, const struct summand__large *large, double seconds)
{
    const struct summand__gossip_counts *c = &large->counts;
    printf("%lld nodes, %s in %s: %d rounds, %s, %.2f s, %.2f GiB for values\n", o->nodes,
           algorithms[o->algorithm], o->twice ? "double" : "single", large->values.round,
           large->largest <= o->eps ? "accurate" : "NOT accurate", seconds,
           (double)o->nodes * (o->twice ? 8 : 4) * (large->weighted ? 2 : 1) / 0x1p30);
    if (o->flips)
        printf("%lld flips: bad states %llu, bad messages %llu, repairs %llu, resets %llu\n",
               o->flips, (unsigned long long)c->bad_states, (unsigned long long)c->bad_messages,
               (unsigned long long)c->repairs, (unsigned long long)c->resets);
}

static int walk(const struct options *o, struct summand__large *large)
{
    const char *self = "study rounds";
    double start = gossip_clock();
    int status = 0;
    printf("round,seconds,error_root,error_largest\n");
    while (!(large->largest <= o->eps) && large->values.round < o->most && !status) {
        double begin = gossip_clock();
        if (!summand__large_step(large))
            return complain(self, "out of memory for the weights of %lld nodes", o->nodes);
        gossip_progress("round", 1, 1);
        printf("%d,%.3f,%g,%g\n", large->values.round, gossip_clock() - begin, large->root,
               large->largest);
        fflush(stdout);
        if (o->checkpoint && !summand__large_save(large, o->checkpoint))
            status = complain(self, "%s: %s", o->checkpoint, strerror(errno));
    }
    report(o, large, gossip_clock() - start);
    return status;
}

static void show_part(void *context, double fraction)
{
    (void)context;
    gossip_progress("round", fraction, 1);
}

static int open_and_walk(const struct options *o)
{
    const char *self = "study rounds";
    struct summand__large large;
    struct summand__large_fault *faults = draw_flips(o);
    if (!faults)
        return 1;
    struct summand__large_setup setup = {.algorithm =
                                             summand__gossip_named(algorithms[o->algorithm]),
                                         .n = o->nodes,
                                         .single = !o->twice,
                                         .tau = o->tau,
                                         .kind = (enum summand__data_kind)o->data,
                                         .data_seed = (uint64_t)o->data_seed,
                                         .seed = (uint64_t)o->seed,
                                         .threads = (int)o->threads,
                                         .faults = faults,
                                         .count = (int)o->flips,
                                         .watch = show_part};
    double start = gossip_clock();
    const char *wrong = summand__large_open(&large, &setup);
    free(faults);
    gossip_progress("round", 1, 1);
    if (wrong)
        return complain(self, "%s", wrong);
    int status = 0;
    printf("initial data %.2f s\n", gossip_clock() - start);
    fflush(stdout);
    if (o->checkpoint && !access(o->checkpoint, F_OK)) {
        if (summand__large_load(&large, o->checkpoint))
            printf("goes on after round %d of %s\n", large.values.round, o->checkpoint);
        else
            status = complain(self, "%s: not the state of such a run", o->checkpoint);
    }
    if (!status)
        status = walk(o, &large);
    summand__large_close(&large);
    return status;
}

static double datum(const void *context, int64_t i)
{
    const struct options *o = context;
    return summand__datum((enum summand__data_kind)o->data, (uint64_t)o->data_seed, o->nodes, i);
}

/* One node, or two that take turns, which have no cycle: by the state machines. */
static int walk_few(const struct options *o)
{
    const char *self = "gossip rounds";
    struct summand__rounds sim;
    struct summand__rounds_setup setup = {
        .algorithm = summand__gossip_named(algorithms[o->algorithm]),
        .arith = o->twice ? &summand__arith_double : &summand__arith_single,
        .n = o->nodes,
        .seed = (uint64_t)o->seed,
        .tau = o->tau,
        .threads = 1,
        .value = datum,
        .context = o,
        .truth = summand__data_mean((enum summand__data_kind)o->data, (uint64_t)o->data_seed,
                                    o->nodes, 1)};
    if (o->flips || o->checkpoint)
        return complain(self, "--flips and --checkpoint need at least 3 nodes");
    if (!summand__rounds_open(&sim, &setup))
        return complain(self, "out of memory");
    double root, largest;
    summand__rounds_error(&sim, &root, &largest);
    printf("round,error_root,error_largest\n");
    while (!(largest <= o->eps) && sim.round < o->most) {
        summand__rounds_step(&sim, NULL, 0);
        summand__rounds_error(&sim, &root, &largest);
        printf("%d,%g,%g\n", sim.round, root, largest);
    }
    printf("%lld nodes, %s in %s: %d rounds, %s\n", o->nodes, algorithms[o->algorithm],
           o->twice ? "double" : "single", sim.round,
           largest <= o->eps ? "accurate" : "NOT accurate");
    summand__rounds_close(&sim);
    return 0;
}

/* Averages of blocks of 2^step nodes; nothing is stored. */
static int run_ardb(const struct options *o)
{
    int log = 0, root, all;
    while (log < 62 && (1ll << log) < o->nodes)
        log++;
    if (1ll << log != o->nodes || o->flips || o->checkpoint)
        return misuse("study rounds", "ardb: a power of two of nodes, no flips, no checkpoint");
    double start = gossip_clock();
    enum summand__data_kind kind = (enum summand__data_kind)o->data;
    double truth = summand__data_mean(kind, (uint64_t)o->data_seed, o->nodes, (int)o->threads);
    summand__ardb_steps(log, kind, (uint64_t)o->data_seed, truth, 1, &o->eps, &root, &all);
    printf("%lld nodes, ardb to %g: %d rounds at the root, %d at all nodes (-1: not in %d), "
           "%.2f s\n",
           o->nodes, o->eps, root, all, log, gossip_clock() - start);
    return 0;
}

static int run_rounds(struct parsing *parsing, int argc, char **argv)
{
    struct options o = {.nodes = 1 << 20,
                        .seed = 1,
                        .data_seed = 1,
                        .most = 200,
                        .eps = 1e-6,
                        .tau = -1,
                        .bit = -1,
                        .when = "5"};
    const struct option_row rows[] = {
        {"algorithm", 'a', OPTION_CHOICE, &o.algorithm, "NAME", "what to run", algorithms},
        {"nodes", 'n', OPTION_INT, &o.nodes, "N", "number of nodes (1000000000 is fine)", NULL},
        {"eps", 'e', OPTION_REAL, &o.eps, "E", "stop at this largest relative error", NULL},
        {"most", 0, OPTION_INT, &o.most, "R", "stop after so many rounds", NULL},
        {"double", 0, OPTION_FLAG, &o.twice, NULL, "double precision rather than single", NULL},
        {"data", 0, OPTION_CHOICE, &o.data, "KIND", "initial data", summand__data_names},
        {"seed", 's', OPTION_INT, &o.seed, "S", "of the schedule and the flips", NULL},
        {"data-seed", 0, OPTION_INT, &o.data_seed, "S", "of the data", NULL},
        {"threads", 0, OPTION_INT, &o.threads, "T", "0: one per processor", NULL},
        {"flips", 0, OPTION_INT, &o.flips, "K", "bits flipped, at random nodes", NULL},
        {"flip-round", 0, OPTION_TEXT, &o.when, "R..R", "when: a round or a range of them", NULL},
        {"flip-in", 0, OPTION_CHOICE, &o.variable, "VAR", "where", variables},
        {"bit", 0, OPTION_INT, &o.bit, "B", "which bit; below 0: drawn", NULL},
        {"tau", 0, OPTION_REAL, &o.tau, "TAU", "checksum threshold; below 0: default", NULL},
        {"checkpoint", 0, OPTION_TEXT, &o.checkpoint, "FILE",
         "save after each round, go on from it", NULL},
        {0}};
    bool help;
    int at = parse_options(parsing, &gossip_rounds, rows, argc, argv, &help);
    if (at < 0 || help)
        return at < 0 ? 2 : 0;
    if (o.nodes < 1)
        return misuse("study rounds", "--nodes must be at least 1");
    return o.algorithm == ARDB ? run_ardb(&o) : o.nodes < 3 ? walk_few(&o) : open_and_walk(&o);
}

const struct command gossip_rounds = {
    .name = "study rounds",
    .summary = "HPS, HPFLC, HPFCC, ARDB on all of up to billions of nodes, round by round",
    .synopsis = "study rounds [options]",
    .examples = "  summand study rounds --nodes 1m --eps 1e-6\n"
                "  summand study rounds --nodes 16m --most 2 --checkpoint state.bin\n"
                "  summand study rounds --algorithm hpflc --nodes 64m --flips 10 --bit 30\n",
    .run = run_rounds,
};
