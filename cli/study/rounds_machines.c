/* SPDX-License-Identifier: BSD-3-Clause */
/* summand-study rounds by the state machines themselves. */
#include "cli/study/rounds.h"

#include "cli/gossip/gossip.h"
#include "cli/ranks/interrupt.h"

#include "lab/gossip/rounds.h"
#include "lab/gossip/variants.h"

#include <stdlib.h>

enum { NODES_MOST = 1 << 22 };

static double datum(const void *context, int64_t i)
{
    const struct rounds_options *o = context;
    return summand__datum((enum summand__data_kind)o->data, (uint64_t)o->data_seed, o->nodes, i);
}

static void report(const struct rounds_options *o, const struct summand__rounds *sim,
                   double largest, struct rounds_log *log)
{
    struct summand__gossip_counts c = summand__rounds_counts(sim);
    bool accurate = largest <= o->eps;
    rounds_log_value(log, "rounds", json_integer(sim->round));
    rounds_log_value(log, "accurate", json_boolean(accurate));
    rounds_log_value(log, "messages", json_integer((json_int_t)sim->messages));
    rounds_log_value(log, "bad_states", json_integer((json_int_t)c.bad_states));
    rounds_log_value(log, "bad_messages", json_integer((json_int_t)c.bad_messages));
    rounds_log_value(log, "repairs", json_integer((json_int_t)c.repairs));
    rounds_log_value(log, "resets", json_integer((json_int_t)c.resets));
    if (o->json)
        return;
    print_line("%lld nodes, %s in %s: %d rounds, %s, %llu messages", o->nodes, o->name,
               o->twice ? "double" : "single", sim->round, accurate ? "accurate" : "NOT accurate",
               (unsigned long long)sim->messages);
    if (o->flips)
        print_line("%lld flips: bad states %llu, bad messages %llu, repairs %llu, resets %llu",
                   o->flips, (unsigned long long)c.bad_states, (unsigned long long)c.bad_messages,
                   (unsigned long long)c.repairs, (unsigned long long)c.resets);
}

static void walk(const struct rounds_options *o, struct summand__rounds *sim,
                 const struct summand__large_fault *faults, struct rounds_log *log)
{
    struct summand__rounds_fault *now = calloc((size_t)o->flips + 1, sizeof *now);
    double root, largest;
    int next = 0;
    summand__rounds_error(sim, &root, &largest);
    if (!o->json)
        print_line("round,error_root,error_largest");
    while (now && !(largest <= o->eps && next == o->flips) && sim->round < o->most &&
           !interrupted()) {
        int count = 0;
        for (; next < o->flips && faults[next].round <= sim->round; next++)
            now[count++] = (struct summand__rounds_fault){faults[next].fault, faults[next].rank};
        summand__rounds_step(sim, now, count);
        summand__rounds_error(sim, &root, &largest);
        rounds_log_row(log, sim->round, -1, root, largest);
    }
    free(now);
    report(o, sim, largest, log);
}

int rounds_by_machines(const struct rounds_options *o, const struct summand__large_fault *faults,
                       struct rounds_log *log)
{
    const char *self = "rounds";
    const struct summand__gossip_variant variant = summand__gossip_variant_named(o->name);
    const struct summand__gossip_algorithm *algorithm = variant.algorithm;
    struct summand__topology topology = {0};
    struct summand__rounds sim;
    bool scheduled = algorithm->partners;
    if (scheduled && o->topology)
        return misuse(self, "%s has its own schedule: --topology is for ps, pf, pflc, pfcc",
                      o->name);
    if (o->checkpoint)
        return misuse(self, "no --checkpoint of fewer than 3 nodes, topologies or lost messages");
    if (o->nodes > NODES_MOST)
        return misuse(self, "--nodes 4m at most, with a topology or lost messages");
    const char *wrong = scheduled
                            ? NULL
                            : summand__topology_make(&topology, o->topology ? o->topology : "full",
                                                     o->nodes, (uint64_t)o->seed);
    if (wrong)
        return misuse(self, "%s: %s", o->topology, wrong);
    struct summand__rounds_setup setup = {
        .algorithm = algorithm,
        .arith = o->twice ? &summand__arith_double : &summand__arith_single,
        .n = o->nodes,
        .seed = (uint64_t)o->seed,
        .tau = o->tau,
        .threads = (int)o->threads,
        .topology = scheduled ? NULL : &topology,
        .value = datum,
        .context = o,
        .loss = o->loss,
        .look = variant.look,
        .ordered = !o->crossing && !variant.look, /* the paper has no turns */
        .truth = summand__data_mean((enum summand__data_kind)o->data, (uint64_t)o->data_seed,
                                    o->nodes, (int)o->threads)};
    bool good = summand__rounds_open(&sim, &setup);
    if (good) {
        walk(o, &sim, faults, log);
        summand__rounds_close(&sim);
    }
    summand__topology_free(&topology);
    return good ? 0 : complain(self, "out of memory");
}
