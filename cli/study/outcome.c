/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/study/outcome.h"

#include "lab/gossip/events.h"
#include "lab/gossip/rounds.h"

#include <math.h>

enum { MOST_NODES = 64 };

static bool noticed(const struct summand__gossip_counts *c)
{
    return c->bad_messages + c->bad_states + c->repairs + c->resets > 0;
}

static double datum(const void *context, int64_t i)
{
    const struct experiment *e = context;
    int exponent;
    frexp(e->scale, &exponent); /* magnitudes up to 1, as the runner makes them */
    return ldexp(e->scale * summand__datum(e->kind, e->seed, e->nodes, i), -exponent);
}

static double truth_of(const struct experiment *e)
{
    long double sum = 0;
    for (int i = 0; i < e->nodes; i++)
        sum += datum(e, i);
    return (double)(sum / e->nodes);
}

static struct outcome by_rounds(const struct experiment *e, const struct injection *injection,
                                double clean)
{
    struct outcome outcome = {.error = INFINITY};
    struct summand__rounds sim;
    struct summand__rounds_setup setup = {.algorithm = e->algorithm,
                                          .arith = e->arith,
                                          .n = e->nodes,
                                          .seed = e->seed,
                                          .tau = -1,
                                          .threads = 1,
                                          .value = datum,
                                          .context = e,
                                          .truth = truth_of(e)};
    struct summand__random random = {injection ? summand__stream(e->seed, injection->seed) : 0};
    struct summand__rounds_fault fault = {0};
    int when = -1, first = -1, most = clean > 0 ? (int)(3 * clean) + 4 * e->nodes : 1000;
    if (!summand__rounds_open(&sim, &setup))
        return outcome;
    if (injection) {
        fault = (struct summand__rounds_fault){
            injection->fault, (int64_t)summand__random_below(&random, (uint64_t)e->nodes)};
        sim.random.state = summand__random_bits(&random);
        when = (int)injection->when;
    }
    if (e->algorithm->rounds)
        most = e->algorithm->rounds(e->nodes);
    /* Accurate means accurate from a round on, after the fault. */
    while (sim.round < most && (first < 0 || sim.round <= when || sim.round < first + 3)) {
        double root;
        summand__rounds_step(&sim, &fault, injection && sim.round == when);
        summand__rounds_error(&sim, &root, &outcome.error);
        bool accurate = outcome.error <= e->eps;
        first = !accurate ? -1 : first < 0 ? sim.round : first;
    }
    struct summand__gossip_counts counts = summand__rounds_counts(&sim);
    outcome.healed = outcome.error <= e->eps;
    outcome.rounds = first < 0 ? sim.round : first;
    outcome.noticed = noticed(&counts);
    summand__rounds_close(&sim);
    return outcome;
}

static struct outcome by_events(const struct experiment *e, const struct injection *injection,
                                double clean)
{
    double values[MOST_NODES];
    struct summand__topology topology;
    struct summand__events_outcome happened = {.error = INFINITY};
    for (int i = 0; i < e->nodes; i++)
        values[i] = e->scale * summand__datum(e->kind, e->seed, e->nodes, i);
    summand__topology_make(&topology, "hypercube", e->nodes, 1);
    struct summand__events_setup setup = {.algorithm = e->algorithm,
                                          .arith = e->arith,
                                          .topology = &topology,
                                          .values = values,
                                          .seed = e->seed,
                                          .tau = -1,
                                          .eps = e->eps,
                                          .crossing = true,
                                          .most_messages =
                                              clean > 0 ? (int)(5 * clean) + 200 : 5000,
                                          .period = {1, 0.2, false},
                                          .latency = {0.75, 2.0 / 3, false},
                                          .fault_after = injection ? (int)injection->when : -1,
                                          .stop_rank = -1};
    if (injection) {
        setup.fault = injection->fault;
        setup.fault_seed = injection->seed;
    }
    summand__events_run(&setup, &happened);
    summand__topology_free(&topology);
    return (struct outcome){.healed = happened.converged,
                            .noticed = noticed(&happened.counts),
                            .rounds = happened.messages,
                            .error = happened.error};
}

struct outcome outcome_of(const struct experiment *e, const struct injection *injection,
                          double clean)
{
    return e->algorithm->style == SUMMAND__ROUNDS ? by_rounds(e, injection, clean)
                                                  : by_events(e, injection, clean);
}
