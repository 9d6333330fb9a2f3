/* SPDX-License-Identifier: BSD-3-Clause */
/* The paper's algorithms that the library does not offer: what they do, and why it does not. */
#include "gossip/topology.h"
#include "lab/gossip/data.h"
#include "lab/gossip/rounds.h"
#include "lab/gossip/variants.h"
#include "unit/unit.h"

#include <math.h>

enum { N = 64 };

static double datum(const void *context, int64_t i)
{
    (void)context;
    return summand__datum(SUMMAND__DATA_UNIFORM, 5, N, i);
}

static double two(const void *context, int64_t i)
{
    return ((const double *)context)[i];
}

/* Of N nodes on their schedule, or on the full graph. */
static struct summand__rounds_setup setup_of(const char *name, const struct summand__arith *arith,
                                             const struct summand__topology *topology)
{
    struct summand__gossip_variant variant = summand__gossip_variant_named(name);
    assert_non_null(variant.algorithm);
    return (struct summand__rounds_setup){.algorithm = variant.algorithm,
                                          .arith = arith,
                                          .n = N,
                                          .seed = 3,
                                          .tau = -1,
                                          .threads = 1,
                                          .topology = variant.algorithm->partners ? NULL : topology,
                                          .value = datum,
                                          .look = variant.look,
                                          .truth =
                                              summand__data_mean(SUMMAND__DATA_UNIFORM, 5, N, 1)};
}

static double error_after(const struct summand__rounds_setup *setup, int rounds,
                          const struct summand__rounds_fault *fault, int when)
{
    struct summand__rounds sim;
    double root, largest;
    assert_true(summand__rounds_open(&sim, setup));
    for (int round = 0; round < rounds; round++)
        summand__rounds_step(&sim, fault, round == when);
    summand__rounds_error(&sim, &root, &largest);
    summand__rounds_close(&sim);
    return largest;
}

/* All permutations occur: cycles of any number of ranks, some of one rank, some of two. */
TEST(permutations_are_not_cycles_alone)
{
    const struct summand__gossip_algorithm *hps =
        summand__gossip_variant_named("hps-permutation").algorithm;
    int resting = 0, crossing = 0;
    for (int round = 0; round < 100; round++) {
        bool hit[N] = {false};
        for (int i = 0; i < N; i++) {
            struct summand__partners p = hps->partners(7, N, round, i);
            int64_t to = p.to < 0 ? i : p.to;
            assert_true(to < N && !hit[to]);
            hit[to] = true;
            assert_true(p.to < 0 ? p.from < 0 : hps->partners(7, N, round, p.to).from == i);
            resting += p.to < 0;
            crossing += p.to >= 0 && p.to == p.from;
        }
    }
    /* Of each 1 in the mean of a permutation; both counts are about Poisson of 100. */
    assert_between(resting, 60, 140);
    assert_between(crossing, 50, 150);
}

TEST(any_permutation_does_for_push_sum_but_not_for_flows)
{
    struct summand__rounds_setup setup = setup_of("hps-permutation", &summand__arith_double, NULL);
    assert_true(error_after(&setup, 120, NULL, -1) < 1e-13);
    setup = setup_of("hpflc", &summand__arith_double, NULL);
    assert_true(error_after(&setup, 120, NULL, -1) < 1e-13);
    setup = setup_of("hpflc-permutation", &summand__arith_double, NULL);
    assert_true(error_after(&setup, 120, NULL, -1) > 1e-9);
}

/* Two nodes with a and b. The first one pushes b/2 of its a, the second one half of what the first
 * has then, a - b/2. So they hold 3a/2 - b/4 and 3b/2, and weights of 5/4 and 3/2: mass is made. */
TEST(half_of_the_partners_estimate_is_no_half_of_the_own)
{
    const double values[] = {0.5, 0.25};
    double y;
    struct summand__topology topology;
    struct summand__rounds sim;
    struct summand__rounds_setup setup;
    assert_null(summand__topology_make(&topology, "full", 2, 1));
    setup = setup_of("pfcc-printed", &summand__arith_double, &topology);
    setup.n = 2;
    setup.value = two;
    setup.context = values;
    assert_true(summand__rounds_open(&sim, &setup));
    summand__rounds_step(&sim, NULL, 0);
    sim.nodes[0]->algorithm->estimate(sim.nodes[0], &y);
    assert_true(fabs(y - (1.5 * 0.5 - 0.25 * 0.25) / 1.25) < 1e-15);
    sim.nodes[1]->algorithm->estimate(sim.nodes[1], &y);
    assert_true(fabs(y - 0.25) < 1e-15);
    summand__rounds_close(&sim);
    summand__topology_free(&topology);
}

TEST(algorithm_5_as_printed_does_not_converge)
{
    struct summand__topology topology;
    assert_null(summand__topology_make(&topology, "full", N, 1));
    struct summand__rounds_setup setup = setup_of("pfcc", &summand__arith_double, &topology);
    setup.ordered = true;
    assert_true(error_after(&setup, 200, NULL, -1) < 1e-9);
    setup = setup_of("pfcc-printed", &summand__arith_double, &topology);
    assert_true(error_after(&setup, 200, NULL, -1) > 0.1);
    summand__topology_free(&topology);
}

/* Each seventh bit of each word of an input. In floating point tau is 1e-10, and no smaller change
 * is seen. */
TEST(a_bad_input_is_the_estimate_less_the_flows)
{
    struct summand__topology topology;
    assert_null(summand__topology_make(&topology, "hypercube", N, 1));
    for (int form = 0; form < 2; form++) {
        const struct summand__arith *arith = form ? &summand__arith_fixed : &summand__arith_double;
        struct summand__rounds_setup setup = setup_of("pfcc-recomputed", arith, &topology);
        setup.ordered = true;
        for (int component = SUMMAND__FAULT_VALUE; component <= SUMMAND__FAULT_CHECKSUM;
             component++)
            for (int bit = 0; bit < 64; bit += 7) {
                struct summand__rounds_fault fault = {
                    {SUMMAND__FAULT_INPUT, (enum summand__fault_component)component, bit}, 9};
                double error = error_after(&setup, 300, &fault, 20);
                assert_true(error < (form ? 1e-14 : 1e-9));
            }
    }
    summand__topology_free(&topology);
}
