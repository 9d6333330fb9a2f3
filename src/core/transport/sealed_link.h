/* SPDX-License-Identifier: BSD-3-Clause */
/* A link of messages with seals: what its files share. */
#pragma once

#include "op/packing.h"
#include "transport/over.h"
#include "transport/sealed_log.h"
#include "transport/sealed_repair.h"

struct summand__sealed {
    struct summand__over over; /* first */
    const struct summand__state *state;
    struct summand__packing packing;
    const int *rank_of;
    int self; /* this rank's number among those of the schedule */
    size_t offset;
    bool dense;
    struct summand__sealed_message *first, **last, *free;
    uint32_t *sent, *got; /* by rank: numbers of messages; behind them, of multicasts */
    struct summand__repairs repairs;
    struct summand__sealed_log log; /* if the operation may be run again */
    bool logs;
    int code; /* error of `progress`, returned by `complete`; or MPI_SUCCESS */
};

static inline bool summand__sealed_repairs(const struct summand__sealed *own)
{
    return own->repairs.state;
}

/* Where the bytes of the message lie. */
static inline unsigned char *summand__sealed_bytes(const struct summand__sealed *own,
                                                   const struct summand__sealed_message *made,
                                                   size_t length)
{
    return made->framed ? made->seal + summand__seal_bytes(length)
           : own->dense ? (unsigned char *)made->message.data + own->offset
                        : made->packed;
}

/* Checks and delivers the messages of a group that has arrived, in the order of posting, up to one
 * of which a part has been asked for again: then `*done` becomes false. Returns an MPI error code.
 */
int summand__sealed_deliver(struct summand__sealed *own, unsigned group, bool *done);
