/* SPDX-License-Identifier: BSD-3-Clause */
/* Notices of aborts, for ranks that do not all share memory: a rank sends each other rank a message
 * with a tag of its own. No rank waits for it. A rank that has waited without progress looks for
 * notices; a rank that fails receives those of others. The rest stays in the MPI until the end
 * (fabric/closing.h). A notice cannot be mistaken: it names its communicator and call by numbers
 * that are never reused. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct summand__channel;

/* An operation that another rank has aborted: WHATS times its number, plus its kind (notice.c). */
struct summand__notice {
    uint64_t number, cause; /* wait/cause.h */
};

/* Those that this rank may still enter; of the communicator. */
struct summand__notices {
    struct summand__notice few[4], *notice; /* `few`, or memory for more */
    size_t count, room;
};

/* Tells all others that this rank has aborted call `number`, or, with `plan`, the plan that this
 * call made. Does nothing if all share memory. With `rest`: this rank also joins no later part of
 * the call. Local. */
void summand__notices_send(struct summand__channel *channel, uint64_t number, bool plan, bool rest,
                           uint64_t cause);

/* True if another rank has sent such a notice of the call or plan. Local. */
bool summand__notices_received(struct summand__channel *channel, uint64_t number);

/* The cause that a received notice of it names. */
uint64_t summand__notices_cause(const struct summand__channel *channel, uint64_t number);

void summand__notices_free(struct summand__notices *notices);
