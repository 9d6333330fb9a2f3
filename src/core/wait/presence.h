/* SPDX-License-Identifier: BSD-3-Clause */
/* What a rank tells the others of its node about itself: which call it has reached, what it waits
 * for, and which process it is. Others read it when they have waited for it for long. */
#ifndef SUMMAND_WAIT_PRESENCE_H
#define SUMMAND_WAIT_PRESENCE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "algorithm/collective.h"

/* The public calls that all ranks of a communicator make in one order, besides the collectives of
 * algorithm/collective.h. Starts of plans are not numbered: a plan that could not be made on one
 * rank is perhaps started on another. */
#define SUMMAND__CALLS(X)                                                                          \
    X(SUMS, "summand_sums")                                                                        \
    X(ORDERED_REDUCE, "summand_ordered_reduce")                                                    \
    X(GOSSIP_ALLREDUCE, "summand_gossip_allreduce")                                                \
    X(SEGMENT_CREATE, "summand_segment_create")                                                    \
    X(SEGMENT_FREE, "summand_segment_free")                                                        \
    X(NOTIFY_RANGE, "summand_notify_range")                                                        \
    X(NOTIFY_RANGE_FREE, "summand_notify_range_free")                                              \
    X(MATRIX_CREATE, "summand_matrix_create")                                                      \
    X(MATRIX_GET, "summand_matrix_get")                                                            \
    X(MATRIX_SET, "summand_matrix_set")                                                            \
    X(MATRIX_EXPOSE, "summand_matrix_expose")                                                      \
    X(MATRIX_COPY, "summand_matrix_copy")                                                          \
    X(MATRIX_TRANSPOSE, "summand_matrix_transpose")                                                \
    X(MATRIX_NORM, "summand_matrix_norm")                                                          \
    X(MATRIX_READ, "summand_matrix_read")                                                          \
    X(MATRIX_WRITE, "summand_matrix_write")                                                        \
    X(PLAN_START, "summand_plan_start")

enum summand__entered_call {
    SUMMAND__ENTERED_NONE,
    SUMMAND__ENTERED_COLLECTIVE, /* + which */
    SUMMAND__ENTERED_LAST_COLLECTIVE = SUMMAND__ENTERED_COLLECTIVE + SUMMAND__COLLECTIVES - 1,
#define SUMMAND__CALL_WORD(word, name) SUMMAND__ENTERED_##word,
    SUMMAND__CALLS(SUMMAND__CALL_WORD)
#undef SUMMAND__CALL_WORD
        SUMMAND__ENTERED_CALLS,
    SUMMAND__ENTERED_INIT = 128 /* added: the call makes a plan */
};

/* The call's name, such as "summand_allreduce_init". */
void summand__call_name(unsigned call, char *name, size_t room);

enum { SUMMAND__PRESENCE_TEXT = 64 };

/* Two cache lines. Written by its rank alone; all zero at first. */
struct summand__presence {
    _Alignas(64) _Atomic uint64_t entered; /* the last call: see below */
    _Atomic uint64_t waiting; /* `entered`, while the rank has waited in that call for long */
    /* Number of the last agreement that it has left, above 16 bits, with all that follows in that
     * call; and how many numbers before that, of which the same is true. */
    _Atomic uint64_t left_agreement;
    _Atomic uint64_t left; /* it has freed the communicator */
    /* Which process it is; `started` comes last. 0: not told. */
    uint64_t process, space;
    _Atomic uint64_t started;
    _Atomic uint32_t
        has_aborted;      /* whether its page of what it aborted (wait/tags.h) says anything */
    _Atomic uint32_t use; /* of the context (fabric/fabric.h): of which communicator it tells */
    char what[SUMMAND__PRESENCE_TEXT]; /* of the call that it waits in: count, type, root */
};
_Static_assert(sizeof(struct summand__presence) == 128, "two cache lines");

/* Numbers of calls leave room for steps within one: what a rank aborts in one step it may have
 * reason to come to in the next. */
enum { SUMMAND__STEPS = 8 };

static inline uint64_t summand__public_call(uint64_t number)
{
    return number / SUMMAND__STEPS;
}

/* How a call is told: its number, from SUMMAND__STEPS on, starts of plans since then, and what it
 * is. */
static inline uint64_t summand__call_word(uint64_t number, unsigned starts, unsigned call)
{
    return number << 24 | (uint64_t)(uint16_t)starts << 8 | call;
}
static inline uint64_t summand__call_number(uint64_t word)
{
    return word >> 24;
}
static inline unsigned summand__call_starts(uint64_t word)
{
    return word >> 8 & 0xffff;
}

/* As at first; for a rank whose part in a communicator is over. */
void summand__presence_forget(struct summand__presence *own);

/* Tells which process this rank is. */
void summand__presence_begin(struct summand__presence *own);

/* Whether the rank's process is there no more; a zombie is not. False if it cannot be seen: a
 * process of another container, or one that has not told. Costs some 20 us. */
bool summand__presence_gone(const struct summand__presence *other);

#endif
