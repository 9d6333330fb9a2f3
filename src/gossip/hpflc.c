/* SPDX-License-Identifier: BSD-3-Clause */
/* HPFLC (Casas, Gansterer, Wimmer, 2018, section 6.1): the book-keeping of PFLC on the schedule of
 * HPS. A flow set to zero stays zero until its pair meets again, about N/2 rounds later. */
#include "gossip/parts.h"

const struct summand__gossip_algorithm summand__gossip_hpflc = {
    .name = "hpflc",
    .description = "push-flow with local correction in rounds of one random cycle",
    .style = SUMMAND__ROUNDS,
    .resilient = "any flip in a flow or message, but heals only when the pair meets again",
    .cost = "1 message of n + 2 words, up to 2 x round x (n + 2) additions",
    .flows = true,
    .checked = true,
    .tau = {0.5, 0.5, 0},
    .partners = summand__cycle_partners,
    .check = summand__pflc_check,
    .tick = summand__pflc_tick,
    .receive = summand__pflc_receive,
    .estimate = summand__gossip_flow_estimate,
    .exclude = summand__gossip_flow_exclude,
};
