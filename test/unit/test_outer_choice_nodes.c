/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of outer products on nodes of several ranks: the choice by estimates loses 10 % at most, as
 * in test_outer_choice.c. */
#include "unit/outer_choice.h"

/* The same cluster with nodes of several ranks that share a card, and 4.7 GB/s within a node. */
static struct summand__model nodes_of(int ranks)
{
    struct summand__model model = cluster;
    model.per_node = ranks;
    model.shared_card = ranks > 1;
    model.level[SUMMAND__WITHIN_NODE].latency = 4e-7;
    model.level[SUMMAND__WITHIN_NODE].byte = 1 / 4.7e9;
    return model;
}

/* Choices lost up to 15 % while a grid's slices for a column counted as those for a row. */
TEST(nodes_of_ranks)
{
    static const int nodes[] = {1, 2, 4, 8, 16};
    static const size_t sizes[][2] = {{256, 256}, {784, 512}, {2000, 2000}};
    static const size_t pairs[] = {1, 4, 16, 64};
    struct loss loss = {0, 0, 0, 0};
    for (size_t n = 0; n < sizeof nodes / sizeof *nodes; n++) {
        const struct summand__model model = nodes_of(nodes[n]);
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
                for (int result = 0; result <= SUMMAND__OUTER_ROOT; result++) {
                    const struct point point = {.ranks = nodes[n] < 16 ? 16 : 32,
                                                .rows = sizes[s][0],
                                                .columns = sizes[s][1],
                                                .pairs = pairs[k],
                                                .result = (enum summand__outer_result)result};
                    compare(&point, &model, SUMMAND__PAIR_ORDER, &loss);
                }
    }
    conclude(&loss);
}

/* The ends of nodes cut rows of the grid, and columns have more ranks on some nodes. Choices of
 * these lost 22 to 40 %. */
TEST(nodes_cut_rows)
{
    static const struct {
        int node;
        struct point point;
    } points[] = {{7, {.ranks = 14, .rows = 218, .columns = 208, .pairs = 3}},
                  {6, {.ranks = 30, .rows = 403, .columns = 937, .pairs = 13}},
                  {15, {.ranks = 30, .rows = 460, .columns = 932, .pairs = 3}}};
    struct loss loss = {0, 0, 0, 0};
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        const struct summand__model model = nodes_of(points[i].node);
        struct point point = points[i].point;
        point.result = SUMMAND__OUTER_BLOCKS;
        compare(&point, &model, SUMMAND__PAIR_ORDER, &loss);
    }
    conclude(&loss);
}
