/* SPDX-License-Identifier: BSD-3-Clause */
/* The messages of an operation, so that its repeat can be compared with it. A rank has received all
 * that a message depends on before it sends that. So if one rank computes wrongly, the first
 * message that it sends otherwise comes before all that it receives otherwise; on each other rank
 * it comes behind. Cost: 8 bytes for each message, and a check word of its words. */
#pragma once

#include "transport/sealed_message.h"

struct summand__sealed_log {
    struct summand__sealed_entry {
        uint32_t word, number;
    } * of;                 /* in the order of posting, which both runs have */
    size_t room;            /* entries from here on are lost: out of memory */
    uint32_t posted, moved; /* messages so far; those that were sent or received */
    bool repeats;           /* this run is the second one */
    uint32_t sent, got;     /* numbers in the first run of the first that differ; or UINT32_MAX */
    int to;                 /* whom the first one is sent to; -1: all others */
};

/* A message is posted. */
void summand__sealed_log_post(struct summand__sealed_log *log,
                              struct summand__sealed_message *made);

/* A message has left, or has arrived whole. */
void summand__sealed_log_end(struct summand__sealed_log *log,
                             const struct summand__sealed_message *made);

/* The operation is over. */
void summand__sealed_log_stop(struct summand__sealed_log *log);

/* For the caller of a plan whose ranks compare words. The operation that is over begins again. */
void summand__sealed_repeat(struct summand__link *link);

/* Tells if this rank has computed wrongly, after the repeat; `result`: that of the repeat differs.
 * Writes to `where` before or behind which of its messages. */
bool summand__sealed_is_wrong(const struct summand__link *link, bool result, char *where,
                              size_t room);
