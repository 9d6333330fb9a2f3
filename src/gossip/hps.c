/* SPDX-License-Identifier: BSD-3-Clause */
/* High performance push-sum (Casas, Gansterer, Wimmer, 2018, section 6): push-sum in rounds; in
 * each round the ranks form one cycle in random order. If all weights are equal at the start, they
 * do not change. */
#include "base/permutation.h"
#include "gossip/parts.h"

struct summand__partners summand__cycle_partners(uint64_t seed, int64_t ranks, int round,
                                                 int64_t rank)
{
    if (ranks == 1)
        return (struct summand__partners){-1, -1};
    if (ranks == 2) /* in a 2-cycle the messages would cross: take turns */
        return (struct summand__partners){round % 2 == rank ? 1 - rank : -1,
                                          round % 2 == rank ? -1 : 1 - rank};
    struct summand__permutation p;
    summand__permutation_make(&p, (uint64_t)ranks, seed, (uint64_t)round);
    return (struct summand__partners){(int64_t)summand__cycle_next(&p, (uint64_t)rank),
                                      (int64_t)summand__cycle_previous(&p, (uint64_t)rank)};
}

const struct summand__gossip_algorithm summand__gossip_hps = {
    .name = "hps",
    .description = "push-sum in rounds of one random cycle through all ranks",
    .style = SUMMAND__ROUNDS,
    .resilient = "nothing",
    .cost = "1 message of n + 1 words",
    .partners = summand__cycle_partners,
    .tick = summand__push_sum_tick,
    .receive = summand__push_sum_receive,
    .estimate = summand__push_sum_estimate,
};
