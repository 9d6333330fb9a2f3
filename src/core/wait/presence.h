/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank's presence: the call that it has reached, its wait, and its process. Ranks of its node
 * read it when they have waited for it for long. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "algorithm/collective.h"

/* Public calls that all ranks of a communicator make in one order, besides the collectives of
 * algorithm/collective.h. Starts of plans are not numbered: a plan that one rank failed to make may
 * be started on another. */
#define SUMMAND__CALLS(X)                                                                          \
    X(SUMS, "summand_sums")                                                                        \
    X(COLUMN_SUMS, "summand_column_sums")                                                          \
    X(EXACT_VECTOR_REDUCE, "summand_exact_vector_reduce")                                          \
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
    SUMMAND__ENTERED_COLLECTIVE, /* + its number */
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

/* The rank has freed the communicator; or it is in MPI_Finalize. */
#define SUMMAND__LEFT_FREED UINT64_MAX
#define SUMMAND__LEFT_FINALIZED (UINT64_MAX - 1)

/* Two cache lines. Only its rank writes it; all zero at first. */
struct summand__presence {
    _Alignas(64) _Atomic uint64_t entered; /* the last call: see below */
    _Atomic uint64_t waiting; /* `entered`, while the rank has waited in that call for long */
    /* Above 16 bits: the number of the last agreement that the rank has left, with the rest of that
     * call. Below: how many numbers before it the same is true for. */
    _Atomic uint64_t left_agreement;
    _Atomic uint64_t left; /* `entered` of the last call that the rank has left, or one of these */
    /* The process; `started` is written last. 0: not known. */
    uint64_t process, space;
    _Atomic uint64_t started;
    _Atomic uint32_t has_aborted; /* its page of aborted tags (wait/tags.h) is not empty */
    _Atomic uint32_t use; /* of the context (fabric/fabric.h): identifies the communicator */
    char what[SUMMAND__PRESENCE_TEXT]; /* the call that it waits in: count, type, root */
};
_Static_assert(sizeof(struct summand__presence) == 128, "two cache lines");

/* Numbers of calls leave room for steps within a call: a rank may abort one step and join the
 * next. */
enum { SUMMAND__STEPS = 8 };

static inline uint64_t summand__public_call(uint64_t number)
{
    return number / SUMMAND__STEPS;
}

/* The published word of a call: its number, from SUMMAND__STEPS on, starts of plans since then, and
 * its kind. */
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

/* The number space (PID namespace) of this process; 0 if /proc belongs to another one. */
uint64_t summand__presence_space(void);

/* Clears a presence when the rank has left its communicator. */
void summand__presence_forget(struct summand__presence *own);

/* Publishes this rank's process. */
void summand__presence_begin(struct summand__presence *own);

/* True if the rank's process has ended; a zombie counts as ended. False if it cannot be seen: in
 * another container, or not published. Costs some 20 us. */
bool summand__presence_gone(const struct summand__presence *other);
