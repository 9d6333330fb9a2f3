/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of one algorithm that another one is built from. */
#pragma once

#include "gossip/machine.h"

extern const struct summand__gossip_algorithm summand__gossip_pfcc;

void summand__push_sum_tick(struct summand__gossip_node *node, int64_t to,
                            struct summand__gossip_outbox *outbox);
void summand__push_sum_receive(struct summand__gossip_node *node, int64_t from,
                               const struct summand__gossip_message *message,
                               struct summand__gossip_outbox *outbox);
void summand__push_sum_estimate(const struct summand__gossip_node *node, double *y);

bool summand__pflc_check(struct summand__gossip_node *node, struct summand__gossip_outbox *outbox);
void summand__pflc_tick(struct summand__gossip_node *node, int64_t to,
                        struct summand__gossip_outbox *outbox);
void summand__pflc_receive(struct summand__gossip_node *node, int64_t from,
                           const struct summand__gossip_message *message,
                           struct summand__gossip_outbox *outbox);

/* The check of cooperative correction: `tell` tells the partner of each bad flow. True if there is
 * one: then nothing is pushed, because the damage would spread. If no single flow is bad, the total
 * is off by rounding alone. */
bool summand__cooperative_check(struct summand__gossip_node *node,
                                struct summand__gossip_outbox *outbox,
                                void (*tell)(const struct summand__gossip_node *node, int slot,
                                             struct summand__gossip_outbox *outbox));

/* The same without the guard of the initial mass. */
bool summand__flows_check(struct summand__gossip_node *node, struct summand__gossip_outbox *outbox,
                          void (*tell)(const struct summand__gossip_node *node, int slot,
                                       struct summand__gossip_outbox *outbox));

/* Posts the rank's own values, which rank and partner exchange in doubling. */
void summand__doubling_tick(struct summand__gossip_node *node, int64_t to,
                            struct summand__gossip_outbox *outbox);

/* Partners: one cycle through all ranks, another one in every round. */
struct summand__partners summand__cycle_partners(uint64_t seed, int64_t ranks, int round,
                                                 int64_t rank);
/* Partners of recursive doubling. */
struct summand__partners summand__doubling_partners(uint64_t seed, int64_t ranks, int round,
                                                    int64_t rank);
int summand__doubling_rounds(int64_t ranks);
