/* SPDX-License-Identifier: BSD-3-Clause */
/* summand-study rounds: algorithms in rounds on all N nodes. */
#include "cli/study/rounds.h"

#include "base/number.h"
#include "cli/gossip/gossip.h"
#include "cli/ranks/interrupt.h"
#include "cli/study/experiment.h"

#include "gossip/topology.h"
#include "lab/gossip/large.h"
#include "lab/gossip/variants.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const algorithms[] = {"hps", "hpflc", "hpfcc", "ardb", "ps",
                                         "pf",  "pflc",  "pfcc",  NULL};
static const char *const variants[] = {"library", "permutation", "printed", "recomputed", NULL};
static const char *const variables[] = {"flow", "message", "input", NULL};
static const enum summand__fault_variable variable_of[] = {
    SUMMAND__FAULT_FLOW, SUMMAND__FAULT_MESSAGE, SUMMAND__FAULT_INPUT};
enum { ARDB = 3, FLIPS_MOST = 100000 };

/* Rounds of flips: "LOW..HIGH" or one. */
static bool parse_when(const char *text, int *low, int *high)
{
    long long first, last;
    bool good = summand__read_integer(&text, &first);
    last = first;
    if (good && !strncmp(text, "..", 2)) {
        text += 2;
        good = summand__read_integer(&text, &last);
    }
    good = good && !*text && first >= 0 && last >= first && last < 1 << 20;
    *low = good ? (int)first : 0;
    *high = good ? (int)last : 0;
    return good;
}

static int by_round(const void *a, const void *b)
{
    const struct summand__large_fault *f = a, *g = b;
    return (f->round > g->round) - (f->round < g->round);
}

/* Draws flips at random nodes; NULL after a complaint. */
static struct summand__large_fault *draw_flips(const struct rounds_options *o)
{
    int low, high;
    parse_when(o->when, &low, &high);
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
        complain("rounds", "out of memory");
    return faults;
}

static void report(const struct rounds_options *o, const struct summand__large *large,
                   double seconds, struct rounds_log *log)
{
    bool accurate = large->largest <= o->eps;
    double bytes = (double)o->nodes * (o->twice ? 8 : 4) * (large->weighted ? 2 : 1);
    const struct summand__gossip_counts *c = &large->counts;
    rounds_log_value(log, "rounds", json_integer(large->values.round));
    rounds_log_value(log, "accurate", json_boolean(accurate));
    rounds_log_value(log, "seconds", json_finite(seconds));
    rounds_log_value(log, "bytes", json_finite(bytes));
    rounds_log_value(log, "bad_states", json_integer((json_int_t)c->bad_states));
    rounds_log_value(log, "bad_messages", json_integer((json_int_t)c->bad_messages));
    rounds_log_value(log, "repairs", json_integer((json_int_t)c->repairs));
    rounds_log_value(log, "resets", json_integer((json_int_t)c->resets));
    if (o->json)
        return;
    print_line("%lld nodes, %s in %s: %d rounds, %s, %.2f s, %.2f GiB for values", o->nodes,
               o->name, o->twice ? "double" : "single", large->values.round,
               accurate ? "accurate" : "NOT accurate", seconds, bytes / 0x1p30);
    if (o->flips)
        print_line("%lld flips: bad states %llu, bad messages %llu, repairs %llu, resets %llu",
                   o->flips, (unsigned long long)c->bad_states, (unsigned long long)c->bad_messages,
                   (unsigned long long)c->repairs, (unsigned long long)c->resets);
}

static int walk(const struct rounds_options *o, struct summand__large *large,
                struct rounds_log *log)
{
    const char *self = "rounds";
    double start = gossip_clock();
    int status = 0;
    if (!o->json)
        printf("round,seconds,error_root,error_largest\n");
    while (!(large->largest <= o->eps) && large->values.round < o->most && !status &&
           !interrupted()) {
        double begin = gossip_clock();
        if (!summand__large_step(large))
            return complain(self, "out of memory for the weights of %lld nodes", o->nodes);
        gossip_progress("round", 1, 1);
        rounds_log_row(log, large->values.round, gossip_clock() - begin, large->root,
                       large->largest);
        if (o->checkpoint && !summand__large_save(large, o->checkpoint))
            status = complain(self, "%s: %s", o->checkpoint, strerror(errno));
    }
    report(o, large, gossip_clock() - start, log);
    return status;
}

static void show_part(void *context, double fraction)
{
    (void)context;
    gossip_progress("round", fraction, 1);
}

static int open_and_walk(const struct rounds_options *o, const struct summand__large_fault *faults,
                         struct rounds_log *log)
{
    const char *self = "rounds";
    struct summand__large large;
    struct summand__large_setup setup = {.algorithm = summand__gossip_named(o->name),
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
    gossip_progress("round", 1, 1);
    if (wrong)
        return complain(self, "%s", wrong);
    int status = 0;
    rounds_log_value(log, "initial_seconds", json_finite(gossip_clock() - start));
    if (!o->json)
        print_line("initial data %.2f s", gossip_clock() - start);
    fflush(stdout);
    if (o->checkpoint && !access(o->checkpoint, F_OK)) {
        if (!summand__large_load(&large, o->checkpoint))
            status = complain(self, "%s: not the state of such a run", o->checkpoint);
        else if (!o->json)
            print_line("goes on after round %d of %s", large.values.round, o->checkpoint);
    }
    if (!status)
        status = walk(o, &large, log);
    summand__large_close(&large);
    return status;
}

/* Averages of blocks of 2^step nodes, without storing values. */
static int run_ardb(const struct rounds_options *o, struct rounds_log *log)
{
    int steps = 0, root, all;
    while (steps < 62 && (1ll << steps) < o->nodes)
        steps++;
    if (1ll << steps != o->nodes || o->flips || o->checkpoint || o->loss > 0 || o->topology)
        return misuse("rounds", "ardb: a power of two of nodes, no flips, no checkpoint, no "
                                "loss, no topology");
    if (o->plot)
        return misuse("rounds", "ardb: nothing to --plot");
    double start = gossip_clock();
    enum summand__data_kind kind = (enum summand__data_kind)o->data;
    summand__ardb_steps(steps, kind, (uint64_t)o->data_seed, 1, &o->eps, &root, &all);
    rounds_log_value(log, "rounds_root", json_integer(root));
    rounds_log_value(log, "rounds_all", json_integer(all));
    rounds_log_value(log, "seconds", json_finite(gossip_clock() - start));
    if (o->json)
        return 0;
    print_line("%lld nodes, ardb to %g: %d rounds at the root, %d at all nodes (-1: not in %d), "
               "%.2f s",
               o->nodes, o->eps, root, all, steps, gossip_clock() - start);
    return 0;
}

static int simulate(const struct rounds_options *o)
{
    struct rounds_log log;
    struct summand__large_fault *faults = draw_flips(o);
    if (!faults)
        return 1;
    rounds_log_begin(&log, o);
    bool machines = o->nodes < 3 || o->loss > 0 || o->topology || o->algorithm > ARDB || o->variant;
    int status = o->algorithm == ARDB ? run_ardb(o, &log)
                 : machines           ? rounds_by_machines(o, faults, &log)
                                      : open_and_walk(o, faults, &log);
    free(faults);
    return rounds_log_end(&log, status);
}

static int run_rounds(struct parsing *parsing, int argc, char **argv)
{
    struct rounds_options o = {.nodes = -1,
                               .seed = 1,
                               .data_seed = 1,
                               .most = 200,
                               .eps = 1e-6,
                               .tau = -1,
                               .bit = -1,
                               .when = "5"};
    const struct option_row rows[] = {
        {"algorithm", 'a', OPTION_CHOICE, &o.algorithm, "NAME", "what to run", algorithms},
        {"variant", 0, OPTION_CHOICE, &o.variant, "V",
         "as in the library; hps, hpflc: any random permutation; pfcc: as printed; pfcc: the input "
         "recomputed",
         variants},
        {"nodes", 0, OPTION_INT, &o.nodes, "N",
         "number of nodes, up to 1000000000 and more (default: from the file, else 1m)", NULL, 1,
         NO_MOST},
        {"eps", 'e', OPTION_REAL, &o.eps, "E", "stop at this largest relative error", NULL, 0,
         DBL_MAX},
        {"most", 0, OPTION_INT, &o.most, "R", "stop after this many rounds", NULL, 1, INT_MAX},
        {"double", 0, OPTION_FLAG, &o.twice, NULL, "double precision rather than single", NULL},
        {"data", 0, OPTION_CHOICE, &o.data, "KIND", "initial data", summand__data_names},
        {"seed", 's', OPTION_INT, &o.seed, "S", "seed of the schedule and the flips", NULL,
         ANY_SEED},
        {"data-seed", 0, OPTION_INT, &o.data_seed, "S", "seed of the data", NULL, ANY_SEED},
        {"threads", 0, OPTION_INT, &o.threads, "T", "else one per processor", NULL, THREADS},
        {"flips", 0, OPTION_INT, &o.flips, "K", "bits flipped, at random nodes", NULL, 0,
         FLIPS_MOST},
        {"flip-round", 0, OPTION_TEXT, &o.when, "R..R", "when: a round or a range of them", NULL},
        {"flip-in", 0, OPTION_CHOICE, &o.variable, "VAR", "where", variables},
        {"bit", 0, OPTION_INT, &o.bit, "B", "which bit; else drawn", NULL, 0, 63},
        {"topology", 0, OPTION_TEXT, &o.topology, "NAME",
         "topology of ps, pf, pflc, pfcc: full, ring, file:PATH, ...", NULL},
        {"loss", 0, OPTION_REAL, &o.loss, "P", "probability that a push is lost", NULL, 0, 1},
        {"crossing", 0, OPTION_FLAG, &o.crossing, NULL,
         "messages of one edge may cross, as in the paper", NULL},
        {"plot", 0, OPTION_OUTPUT, &o.plot, "FILE", "draw the errors as SVG", NULL},
        {"json", 'j', OPTION_FLAG, &o.json, NULL, "print JSON", NULL},
        {"tau", 0, OPTION_REAL, &o.tau, "TAU", "checksum threshold; else the algorithm's", NULL, 0,
         DBL_MAX},
        {"checkpoint", 0, OPTION_OUTPUT, &o.checkpoint, "FILE",
         "save after each round, and continue from there", NULL},
        {0}};
    bool help;
    int at = parse_options(parsing, &study_rounds, rows, argc, argv, &help);
    if (at < 0 || help)
        return at < 0 ? 2 : 0;
    if (o.nodes < 0)
        o.nodes = summand__topology_nodes(o.topology, 1 << 20);
    int low, high;
    if (o.nodes < 1)
        return misuse("rounds", "--topology: no nodes");
    if (!parse_when(o.when, &low, &high))
        return misuse("rounds", "--flip-round: '%s' is not ROUND or LOW..HIGH, up to 1048575",
                      o.when);
    char name[32];
    snprintf(name, sizeof name, "%s%s%s", algorithms[o.algorithm], o.variant ? "-" : "",
             o.variant ? variants[o.variant] : "");
    if (!summand__gossip_variant_named(name).algorithm)
        return misuse("rounds", "--variant %s: %s has none", variants[o.variant],
                      algorithms[o.algorithm]);
    o.name = name;
    interrupt_listen();
    int status = simulate(&o);
    return interrupted() && !status ? interrupt_say("rounds") : status;
}

const struct command study_rounds = {
    .name = "rounds",
    .summary = "HPS, HPFLC, HPFCC, ARDB on up to billions of nodes, PS to PFCC on any topology",
    .synopsis = "rounds [options]",
    .examples = "  summand-study rounds --nodes 1m --eps 1e-6\n"
                "  summand-study rounds --nodes 1m --most 2 --checkpoint state.bin\n"
                "  summand-study rounds --algorithm pfcc --topology torus2 --nodes 64 --loss 0.05 "
                "--double --most 500\n"
                "  summand-study rounds --algorithm hpflc --nodes 1m --flips 10 --bit 30\n"
                "  summand-study rounds --algorithm pfcc --variant printed --nodes 32 --most 40\n",
    .run = run_rounds,
};
