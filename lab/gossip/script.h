/* SPDX-License-Identifier: BSD-3-Clause */
/* Faults by a script, for the event simulator: which bits flip, where and when. */
#pragma once

#include "gossip/fault.h"

struct summand__scripted {
    int64_t rank, to; /* to: the neighbour of the flow, or of the message; below 0: drawn */
    enum summand__fault_variable variable;
    enum summand__fault_component component;
    uint64_t bits; /* which flip: bit 0 is 1 */
    int after;     /* when the rank has sent so many messages ... */
    int burst;     /* ... and before this many sends in a row, at least 1 */
    bool both; /* the other copy flips too: the partner's of the flow, the second of the input */
};

struct summand__events;

/* The error in the scripted faults of the run's setup, as a sentence without its end; or NULL. */
const char *summand__script_check(const struct summand__events *run);
/* Call before rank `node` ticks. Returns true if a node has changed: `node` and, with `both`, a
 * second node, which goes to `other` (else below 0). */
bool summand__script_tick(struct summand__events *run, int node, int64_t *other);
/* Call for a message that is being sent. */
void summand__script_send(struct summand__events *run, int from,
                          struct summand__gossip_message *message);
