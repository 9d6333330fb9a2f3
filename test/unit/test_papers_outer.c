/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the table has the sums of outer products of a paper (lab/papers), the choice takes none of
 * them, for any promise. So the library does without. */
#include "unit/outer_choice.h"

static const char *const papers[] = {"outer-passes", "outer-allgather", "outer-bruck"};

/* Nodes of several ranks share a card; `slow`: times as slow a network. */
static struct summand__model machine(int per_node, double slow)
{
    struct summand__model model = cluster;
    model.per_node = per_node;
    model.shared_card = per_node > 1;
    model.level[SUMMAND__WITHIN_NODE].latency = 4e-7;
    model.level[SUMMAND__WITHIN_NODE].byte = 1 / 4.7e9;
    for (int l = SUMMAND__NETWORK; l < SUMMAND__REACHES; l++) {
        model.level[l].latency *= slow;
        model.level[l].byte *= slow;
    }
    return model;
}

static size_t choices;

static void choose(const struct point *point, const struct summand__model *model, unsigned promises)
{
    struct asked asked;
    ask(&asked, point, model);
    asked.query.promises = promises;
    asked.shape.any_bits = !promises;
    const char *name = chosen_by(&asked).algorithm->name;
    for (size_t i = 0; i < sizeof papers / sizeof *papers; i++)
        if (!strcmp(name, papers[i]))
            fail_msg("%s: %d ranks, %g per node, %zu x %zu, %zu pairs, result %d, promises %x",
                     name, point->ranks, model->per_node, point->rows, point->columns, point->pairs,
                     (int)point->result, promises);
    choices++;
    summand__outer_release(&asked.shape);
}

TEST(none_is_chosen)
{
    static const int per_node[] = {1, 2, 4, 16}, nodes[] = {1, 2, 3, 8, 16, 24, 48};
    static const size_t sizes[][2] = {{16, 16}, {256, 256}, {784, 512}, {4000, 4000}, {40000, 400}};
    static const size_t pairs[] = {1, 4, 32, 256, 1024};
    static const unsigned promises[] = {SUMMAND__PAIR_ORDER, SUMMAND__SAME_BITS, 0};
    static const double slow[] = {0.1, 1, 5};
    for (size_t i = 0; i < sizeof papers / sizeof *papers; i++)
        assert_non_null(summand__algorithm_named(papers[i]));
    for (int k = 0; k < 4; k++)
        for (int m = 0; m < 3; m++) {
            const struct summand__model model = machine(per_node[k], slow[m]);
            for (int n = 0; n < 7; n++)
                for (int s = 0; s < 5; s++)
                    for (int p = 0; p < 5; p++)
                        for (int promise = 0; promise < 3; promise++) {
                            const struct point point = {.ranks = nodes[n] * per_node[k],
                                                        .rows = sizes[s][0],
                                                        .columns = sizes[s][1],
                                                        .pairs = pairs[p]};
                            choose(&point, &model, promises[promise]);
                        }
        }
    print_message("%zu choices\n", choices);
}
