/* SPDX-License-Identifier: BSD-3-Clause */
/* Asynchronous push-flow stays converged, because the two ends of an edge take turns. Without
 * turns, crossing messages drive weights through 0 and runs diverge again. */
#include "lab/gossip/data.h"
#include "lab/gossip/events.h"
#include "unit/unit.h"
#include <math.h>

enum { NODES = 32, SEEDS = 6 };

static struct summand__events_outcome run(const char *algorithm, const struct summand__arith *arith,
                                          uint64_t seed, struct summand__events_setup more)
{
    struct summand__topology topology;
    struct summand__events_outcome outcome;
    double values[NODES];
    for (int i = 0; i < NODES; i++)
        values[i] = summand__datum(SUMMAND__DATA_UNIFORM, seed, NODES, i);
    assert_null(summand__topology_make(&topology, "hypercube", NODES, 1));
    struct summand__events_setup setup = more;
    setup.algorithm = summand__gossip_named(algorithm);
    setup.arith = arith;
    setup.topology = &topology;
    setup.values = values;
    setup.seed = seed;
    setup.tau = -1;
    setup.period = (struct summand__duration){1, 0.2, false};
    setup.latency = (struct summand__duration){0.75, 2.0 / 3, false};
    setup.fault_after = setup.stop_rank = -1;
    assert_true(summand__events_run(&setup, &outcome));
    summand__topology_free(&topology);
    return outcome;
}

TEST(ordered_runs_stay)
{
    static const char *const names[] = {"pf", "pflc", "pfcc"};
    int left = 0;
    for (int a = 0; a < 3; a++)
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            struct summand__events_setup setup = {
                .eps = 1e-12, .stay = true, .most_messages = 2500};
            struct summand__events_outcome fixed =
                run(names[a], &summand__arith_fixed, seed, setup);
            struct summand__events_outcome real =
                run(names[a], &summand__arith_double, seed, setup);
            assert_true(fixed.converged && fixed.from >= 0 && fixed.worst < 1e-11);
            assert_true(real.converged && real.from >= 0 && real.worst < 1e-11);
            assert_true(fixed.first <= fixed.from && fixed.from < 1000);
            setup.crossing = true;
            left += !(run(names[a], &summand__arith_double, seed, setup).worst < 1e-3);
        }
    assert_true(left > 0);
}

TEST(lost_and_doubled_messages_are_made_good)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct summand__events_setup setup = {
            .eps = 1e-12, .most_messages = 2000, .loss = 0.1, .duplication = 0.1};
        assert_true(run("pfcc", &summand__arith_fixed, seed, setup).converged);
        setup.fault = (struct summand__fault){SUMMAND__FAULT_FLOW, SUMMAND__FAULT_ANY, -1};
        setup.fault_rate = 1e-4;
        assert_true(run("pfcc", &summand__arith_fixed, seed, setup).converged);
    }
}

/* One course, stopped at the same message: the errors differ only by their reference value. */
TEST(norms_differ_by_their_units)
{
    struct summand__topology topology;
    struct summand__events_outcome outcome[3];
    double values[NODES], sum = 0, squares = 0;
    assert_null(summand__topology_make(&topology, "hypercube", NODES, 1));
    for (int scale = -400; scale <= 400; scale += 400) {
        sum = squares = 0;
        for (int i = 0; i < NODES; i++) {
            double x = summand__datum(SUMMAND__DATA_UNIFORM, 5, NODES, i) - 0.3;
            values[i] = ldexp(x, scale);
            sum += x / NODES;
            squares += x * x / NODES;
        }
        for (int norm = 0; norm < 3; norm++) {
            struct summand__events_setup setup = {.algorithm = summand__gossip_named("pfcc"),
                                                  .arith = &summand__arith_double,
                                                  .topology = &topology,
                                                  .values = values,
                                                  .seed = 3,
                                                  .tau = -1,
                                                  .eps = 0,
                                                  .norm = (enum summand__events_norm)norm,
                                                  .most_messages = 60,
                                                  .period = {1, 0.2, false},
                                                  .latency = {0.75, 2.0 / 3, false},
                                                  .fault_after = -1,
                                                  .stop_rank = -1};
            assert_true(summand__events_run(&setup, &outcome[norm]));
        }
        double absolute = ldexp(outcome[SUMMAND__ABSOLUTE].error, -scale);
        assert_true(absolute > 1e-9);
        assert_true(fabs(outcome[SUMMAND__OF_MEAN].error * fabs(sum) / absolute - 1) < 1e-12);
        assert_true(fabs(outcome[SUMMAND__OF_RMS].error * sqrt(squares) / absolute - 1) < 1e-12);
    }
    summand__topology_free(&topology);
}

/* No error is relative to a mean of 0: the call says so at once. */
TEST(zero_means_are_refused)
{
    struct summand__topology topology;
    struct summand__events_outcome outcome;
    const double values[4] = {1, -1, 1, -1};
    assert_null(summand__topology_make(&topology, "ring", 4, 1));
    for (int norm = 0; norm < 3; norm++) {
        struct summand__events_setup setup = {.algorithm = summand__gossip_named("pfcc"),
                                              .arith = &summand__arith_fixed,
                                              .topology = &topology,
                                              .values = values,
                                              .eps = 1e-9,
                                              .norm = (enum summand__events_norm)norm,
                                              .most_messages = 1000,
                                              .period = {1, 0.2, false},
                                              .latency = {0.75, 2.0 / 3, false},
                                              .fault_after = -1,
                                              .stop_rank = -1};
        assert_true(summand__events_run(&setup, &outcome) == (norm != SUMMAND__OF_MEAN));
        assert_true(norm == SUMMAND__OF_MEAN ? outcome.wrong != NULL : outcome.converged);
    }
    summand__topology_free(&topology);
}
