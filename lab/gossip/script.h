/* SPDX-License-Identifier: BSD-3-Clause */
/* Faults by a script, for the event simulator: which bits flip, where and when. */
#ifndef SUMMAND_LAB_GOSSIP_SCRIPT_H
#define SUMMAND_LAB_GOSSIP_SCRIPT_H

#include "gossip/fault.h"

struct summand__scripted {
    int64_t rank, to; /* to: the flow kept with it, or the message to it; below 0: any, drawn */
    enum summand__fault_variable variable;
    enum summand__fault_component component;
    uint64_t bits; /* which flip: bit 0 is 1 */
    int after;     /* when the rank has sent so many messages ... */
    int burst;     /* ... and before this many sends in a row, at least 1 */
    bool both;     /* the other copy alike: the partner's of the flow, the second of the input */
};

struct summand__events;

/* What is wrong with the scripted faults of the run's setup, as a sentence without end; or NULL. */
const char *summand__script_check(const struct summand__events *run);
/* Before rank `node` ticks. Returns whether a node has changed: `node` or, with `both`, *other
 * (else below 0). */
bool summand__script_tick(struct summand__events *run, int node, int64_t *other);
/* A message on its way. */
void summand__script_send(struct summand__events *run, int from,
                          struct summand__gossip_message *message);

#endif
