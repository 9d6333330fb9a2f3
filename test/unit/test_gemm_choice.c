/* SPDX-License-Identifier: BSD-3-Clause */
/* The choice between boxes and panels uses estimates; the simulation of all ranks gives both times.
 * Cases: squares, few rows and columns with a long inner dimension, tall and skinny matrices, C on
 * one rank, on one node and on a cluster. The choice is within 10 % of the faster one, except 32768
 * x 64 x 64 on 128 ranks: panels take 1.36 times as long there. If the inner dimension alone is
 * long, boxes are faster by at least the factor `gain`. The order of terms, a stronger promise,
 * never has a shorter estimate. */
#include "matrix/gemm/boxes.h"
#include "play/simulate_call.h"
#include "select/choose.h"
#include "select/defaults.h"
#include "unit/gemm_cluster.h"
#include "unit/unit.h"

enum { MOST_RANKS = 128 };

#define WORST 1.4

struct product {
    struct summand__gemm_shape shape;
    struct summand__holder holders[3][MOST_RANKS];
};

/* One block on each rank of a grid. */
static struct summand__gemm_operand dealt(struct summand__holder *holders, int64_t rows,
                                          int64_t columns, int first, int high, int wide)
{
    const struct summand__cyclic of[] = {{rows, (rows - 1) / high + 1, high},
                                         {columns, (columns - 1) / wide + 1, wide}};
    for (int i = 0; i < high * wide; i++)
        holders[i] = (struct summand__holder){first + i, summand__cyclic_share(&of[0], i / wide),
                                              summand__cyclic_share(&of[1], i % wide)};
    return (struct summand__gemm_operand){
        .holder = holders, .count = high * wide, .lead = (size_t)of[0].block};
}

static void lay_out(struct product *p, const int64_t extents[3], int ranks, bool on_one,
                    const struct summand__model *model)
{
    int half = ranks / 2, high = 1;
    while ((high + 1) * (high + 1) <= half)
        high++;
    while (half % high)
        high--;
    int wide = half / high;
    bool one_node = model->per_node >= ranks;
    p->shape =
        (struct summand__gemm_shape){.rows = extents[0],
                                     .columns = extents[1],
                                     .inner = extents[2],
                                     .alpha = 1,
                                     .blas = true,
                                     .helps = extents[0] / high >= 64 && extents[1] / wide >= 64};
    p->shape.a = dealt(p->holders[0], extents[0], extents[2], 0, high, wide);
    p->shape.b = dealt(p->holders[1], extents[2], extents[1], half, high, wide);
    p->shape.c =
        dealt(p->holders[2], extents[0], extents[1], 0, on_one ? 1 : high, on_one ? 1 : wide);
    struct summand__gemm_terms terms = {
        .ranks = ranks, .model = model, .parts = wide, .one_node = one_node, .parts_add = true};
    struct summand__gemm_shape faster = p->shape;
    assert_true(summand__gemm_lay_out(&p->shape, &terms));
    terms.only_faster = true;
    assert_true(summand__gemm_lay_out(&faster, &terms));
    if (faster.boxes.rows)
        assert_true(faster.boxes.seconds == p->shape.boxes.seconds);
    else
        assert_true(p->shape.boxes.seconds >= p->shape.seconds);
    summand__gemm_release(&faster);
}

static double played(const struct product *p, int ranks, const char *name,
                     const struct summand__model *model)
{
    struct summand__predict predict = {.model = model, .element = sizeof(double)};
    const struct summand__call call = {
        .collective = SUMMAND__COLL_GEMM, .ranks = ranks, .count = 1, .gemm = &p->shape};
    assert_true(summand__simulate_call(summand__algorithm_named(name), &call, &predict));
    return predict.time;
}

/* `gain`: boxes are at least this many times as fast. */
static void check(int64_t rows, int64_t columns, int64_t inner, int ranks, bool on_one,
                  const struct summand__model *model, double gain)
{
    static struct product p;
    const int64_t extents[] = {rows, columns, inner};
    lay_out(&p, extents, ranks, on_one, model);
    struct summand__query query = {.collective = SUMMAND__COLL_GEMM,
                                   .ranks = ranks,
                                   .node_size = (size_t)model->per_node,
                                   .bytes = sizeof(double),
                                   .element = sizeof(double),
                                   .model = model,
                                   .gemm = &p.shape};
    struct summand__choice choice, ordered;
    assert_true(summand__choose(&query, &choice));
    query.promises = SUMMAND__PAIR_ORDER;
    assert_true(summand__choose(&query, &ordered));
    double panels = played(&p, ranks, "gemm-panels", model),
           boxes = played(&p, ranks, "gemm-boxes", model);
    bool boxed = choice.algorithm == summand__algorithm_named("gemm-boxes");
    print_message("%4d ranks, %6lld x %6lld x %6lld%s: panels %9.4g ms (estimated %9.4g), boxes "
                  "%2d x %2d x %2d %9.4g (%9.4g): %s\n",
                  ranks, (long long)rows, (long long)inner, (long long)columns,
                  on_one ? ", C on one" : "", panels * 1e3, p.shape.seconds * 1e3,
                  p.shape.boxes.rows, p.shape.boxes.columns, p.shape.boxes.inner, boxes * 1e3,
                  p.shape.boxes.seconds * 1e3, boxed ? "boxes" : "panels");
    double best = panels < boxes ? panels : boxes, own = boxed ? boxes : panels;
    summand__gemm_release(&p.shape);
    assert_true(choice.seconds <= ordered.seconds * (1 + 1e-9));
    assert_true(own <= WORST * best);
    assert_true(panels >= gain * boxes);
}

static void on_model(const struct summand__model *model, int ranks)
{
    check(256, 256, 256, ranks, false, model, 0);
    check(1024, 1024, 1024, ranks, false, model, 0);
    check(64, 64, 65536, ranks, false, model, 1.5);
    check(256, 256, 65536, ranks, false, model, 1.05);
    check(8, 8, 1 << 20, ranks, false, model, 1.5);
    check(64, 64, 65536, ranks, true, model, 6);
    check(8192, 8, 8192, ranks, false, model, 3);
    check(8, 8192, 8192, ranks, false, model, 5);
    check(32768, 64, 64, ranks, false, model, 0);
    check(64, 32768, 64, ranks, false, model, 0);
}

TEST(choices)
{
    struct summand__model node = summand__memory_model, model = gemm_cluster(8, true, true);
    node.per_node = 8;
    on_model(&node, 8);
    check(1024, 1024, 8192, 8, true, &node, 1);
    on_model(&model, 32);
    check(4096, 4096, 4096, 32, false, &model, 0);
    check(1024, 1024, 1024, MOST_RANKS, false, &model, 1.1);
    check(64, 64, 65536, MOST_RANKS, false, &model, 5);
    check(32768, 64, 64, MOST_RANKS, false, &model, 0);
}
