/* SPDX-License-Identifier: BSD-3-Clause */
/* Recursive doubling (Thakur and Gropp, 2003), the deterministic comparator. The lower rank's
 * operand is first, so all ranks get the same bits. Ranks beyond the largest power of two send
 * their operand before the first exchange, and get the result after the last. */
#include "gossip/parts.h"

#include <string.h>

static int64_t power_below(int64_t ranks, int *log)
{
    int64_t power = 1;
    *log = 0;
    while (2 * power <= ranks) {
        power *= 2;
        ++*log;
    }
    return power;
}

int summand__doubling_rounds(int64_t ranks)
{
    int log;
    return power_below(ranks, &log) == ranks ? log : log + 2;
}

struct summand__partners summand__doubling_partners(uint64_t seed, int64_t ranks, int round,
                                                    int64_t rank)
{
    (void)seed;
    struct summand__partners none = {-1, -1};
    int log;
    int64_t power = power_below(ranks, &log), extra = ranks - power;
    int step = round - (extra > 0);
    if (step >= 0 && step < log)
        return rank < power ? (struct summand__partners){rank ^ (int64_t)1 << step,
                                                         rank ^ (int64_t)1 << step}
                            : none;
    bool fold_in = step < 0;
    if (rank >= power)
        return fold_in ? (struct summand__partners){rank - power, -1}
                       : (struct summand__partners){-1, rank - power};
    if (rank < extra)
        return fold_in ? (struct summand__partners){-1, rank + power}
                       : (struct summand__partners){rank + power, -1};
    return none;
}

void summand__doubling_tick(struct summand__gossip_node *node, int64_t to,
                            struct summand__gossip_outbox *outbox)
{
    if (to >= 0)
        summand__gossip_post(outbox, node, to, SUMMAND__MASS, node->own);
}

static void receive(struct summand__gossip_node *node, int64_t from,
                    const struct summand__gossip_message *message,
                    struct summand__gossip_outbox *outbox)
{
    (void)outbox;
    union summand__word sum[SUMMAND__GOSSIP_WIDTH];
    int log;
    size_t bytes = node->width * sizeof *sum;
    if (node->rank >= power_below(node->ranks, &log)) { /* the result returns */
        memcpy(node->own, message->body, bytes);
        return;
    }
    bool lower_first = node->rank < from;
    memcpy(sum, lower_first ? node->own : message->body, bytes);
    node->arith->add(sum, lower_first ? message->body : node->own, node->width);
    memcpy(node->own, sum, bytes);
}

const struct summand__gossip_algorithm summand__gossip_rd = {
    .name = "rd",
    .description = "recursive doubling, for comparison",
    .style = SUMMAND__ROUNDS,
    .resilient = "nothing",
    .cost = "1 message of n + 1 words; log2 N rounds",
    .partners = summand__doubling_partners,
    .rounds = summand__doubling_rounds,
    .tick = summand__doubling_tick,
    .receive = receive,
    .estimate = summand__push_sum_estimate,
};
