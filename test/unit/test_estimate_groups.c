/* SPDX-License-Identifier: BSD-3-Clause */
/* Estimates of nodes in groups (groups.c) against the simulation of all ranks. */
#include "algorithm/call.h"
#include "algorithm/hierarchical/parts.h"
#include "select/defaults.h"
#include "unit/estimated.h"
#include "unit/unit.h"

/* Nodes of one rank on fair cards. */
static struct summand__model even_cards(void)
{
    struct summand__model model = summand__cluster_model;
    model.per_node = 1;
    model.shared_card = model.reduce_byte = model.copy_byte = 0;
    model.fair_card = 1;
    model.cross = 0.05;
    return model;
}

/* Groups of nodes, the last one smaller: they share the exchanged data by its size. */
TEST(smaller_last_groups)
{
    static const size_t sizes[] = {2, 3, 4, 6};
    struct summand__model model = even_cards();
    for (int p = 3; p <= 12; p++)
        for (int s = 0; s < 4 && sizes[s] < (size_t)p; s++)
            for (int collective = SUMMAND__COLL_REDUCE; collective <= SUMMAND__COLL_ALLREDUCE;
                 collective++) {
                struct summand__call call = call_for(collective, p, 64);
                call.parameter[SUMMAND__NODE_SIZE] = call.parameter[SUMMAND__LEADERS] = sizes[s];
                double ratio = summand__estimate_of(&summand__groups, &call, ELEMENT, &model) /
                               played(&summand__groups, &call, &model);
                bool chain = p > 2 * (int)sizes[s]; /* of groups, some of them early */
                if (!(ratio > 0.78 && ratio < (chain ? 1.55 : 1.2)))
                    fail_msg("%s, %d nodes in groups of %zu: %.2f of the play",
                             summand__collective_name(call.collective), p, sizes[s], ratio);
            }
}

/* Other algorithms with several leaders, on nodes with an odd number of ranks and one card per
 * rank; messages may cost nothing. */
TEST(odd_nodes)
{
    static const char *const names[] = {"node-rabenseifner", "node-circulant", "node-direct"};
    struct summand__model model = even_cards(), free_network = even_cards();
    model.eager = free_network.eager = 1e6;
    for (int reach = 0; reach < SUMMAND__REACHES; reach++)
        free_network.level[reach] = (struct summand__level){.latency = 0};
    for (int i = 0; i < 3; i++)
        for (int nodes = 2; nodes <= 5; nodes++) {
            const struct summand__algorithm *other = summand__algorithm_named(names[i]);
            struct summand__call call = call_for(SUMMAND__COLL_ALLREDUCE, 3 * nodes, 160000);
            for (int p = 0; p < SUMMAND__PARAMETERS; p++)
                call.parameter[p] = other->limits[p].standard;
            call.parameter[SUMMAND__NODE_SIZE] = call.parameter[SUMMAND__LEADERS] = 3;
            double ratio =
                summand__estimate_of(other, &call, ELEMENT, &model) / played(other, &call, &model);
            if (!(ratio > 0.8 && ratio < 1.1))
                fail_msg("%s, %d nodes of 3: %.2f of the play", names[i], nodes, ratio);
            assert_true(summand__estimate_of(other, &call, ELEMENT, &free_network) >= 0);
        }
}
