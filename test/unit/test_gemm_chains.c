/* SPDX-License-Identifier: BSD-3-Clause */
/* The choice of chains for pieces of a product, and of their number, uses estimates. The simulation
 * of all ranks gives the time of each choice. The chosen one is at most 4 % slower than the best,
 * on clusters with shared and own cards, fair ones and ones that serve one message after the other.
 * */
#include "matrix/gemm/shape.h"
#include "play/simulate_call.h"
#include "unit/gemm_cluster.h"
#include "unit/unit.h"

static const size_t all_chains[] = {0, 1, 2, 4};
enum { CHAINS = sizeof all_chains / sizeof *all_chains };

static double played(struct summand__gemm_square *square, size_t n, int ranks, size_t chains,
                     const struct summand__model *model)
{
    enum { RING = 3 };
    struct summand__gemm_shape *shape = &square->shape;
    struct summand__predict predict = {.model = model, .element = sizeof(double)};
    shape->chains = chains;
    shape->slots = chains ? RING : 0;
    summand__gemm_release(shape);
    assert_true(summand__gemm_prepare(shape));
    const struct summand__call call = {
        .collective = SUMMAND__COLL_GEMM, .ranks = ranks, .count = n, .gemm = shape};
    assert_true(summand__simulate_call(summand__algorithm_named("gemm-panels"), &call, &predict));
    return predict.time;
}

static void check(int ranks, size_t n, const struct summand__model *model, bool expected)
{
    struct summand__gemm_square square;
    double best = 0, own = 0;
    assert_true(summand__gemm_square(&square, n, ranks, model));
    const size_t chosen = square.shape.chains;
    for (int i = 0; i < CHAINS; i++) {
        double time = played(&square, n, ranks, all_chains[i], model);
        best = !i || time < best ? time : best;
        own = all_chains[i] == chosen ? time : own;
    }
    summand__gemm_square_release(&square);
    print_message("%3d ranks, n = %5zu: %zu chains, %.4g ms, best %.4g ms\n", ranks, n, chosen,
                  own * 1e3, best * 1e3);
    assert_true(own > 0 && own <= 1.04 * best);
    assert_int_equal(chosen > 0, expected);
}

TEST(choices)
{
    const struct summand__model even = gemm_cluster(8, true, true),
                                own = gemm_cluster(1, false, false),
                                turns = gemm_cluster(8, true, false);
    check(8, 1024, &even, false); /* of one node */
    check(32, 1024, &even, true);
    check(32, 4096, &even, true);
    check(128, 1024, &even, false); /* too few panels to fill chains */
    check(32, 4096, &own, false);
    check(32, 2048, &turns, true);
}
