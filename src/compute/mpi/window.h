/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of window transports, and what they share: the layout of slots, checks of arguments,
 * waiting. */
#pragma once

#include <mpi.h>

#include "comm/state.h"
#include "transport/transport.h"
#include "wait/wait.h"

/* Ends with NULL (src/tables). The first available one is used, except those that must be named. */
extern const struct summand__window_transport *const summand__window_transports[];

extern const struct summand__window_transport summand__shm_window, summand__rma_window,
    summand__p2p_window;

/* Local: returns a window over another one, which it closes, or that one itself. NULL except in
 * tests, which set it before the first call (test/late/late.h). */
extern struct summand__window *(*summand__window_over)(struct summand__window *lower);

/* Collective: opens a window of the first transport that is available, has all of these abilities,
 * and is named by SUMMAND_TRANSPORT or need not be named. It continues with the next one if `open`
 * returns MPI_ERR_UNSUPPORTED_OPERATION, on all ranks. For the one that SUMMAND_TRANSPORT names,
 * this is an error. */
int summand__window_open(struct summand__state *state, const struct summand__window_spec *spec,
                         unsigned abilities, struct summand__window **window);

/* The first member of every window. All ranks lay out their memory in the same way. */
struct summand__window_base {
    struct summand__window window; /* first */
    struct summand__state *state;
    size_t bytes;  /* of a rank's slots, with heads and trailers: whole cache lines */
    size_t *start; /* of each slot's data in the rank's slots */
};

/* Local: allocates a struct of `bytes`, zero except for the base. NULL when out of memory, or if
 * the spec is invalid. */
struct summand__window_base *
summand__window_base_make(struct summand__state *state, const struct summand__window_spec *spec,
                          const struct summand__window_transport *transport, size_t bytes);

/* Local: notes the result of a collective that makes a window. After SUMMAND_ERR_TIMEOUT the
 * communicator has an unfinished collective, so no window or plan is made on it any more. */
void summand__window_left(struct summand__state *state, int code);

/* Facts that the ranks exchange when they open a window. */
struct summand__window_terms {
    bool deadline;                          /* any rank's spec has one */
    uint64_t living[SUMMAND__WINDOW_WORDS]; /* tags of any rank's windows */
};

/* Collective: checks that all ranks have the same spec (else SUMMAND_ERR_MISMATCH, or MPI_ERR_ARG)
 * and their memory (else SUMMAND_ERR_MEMORY). Result and terms are the same on all ranks, except
 * SUMMAND_ERR_TIMEOUT if not all join within SUMMAND_TIMEOUT. */
int summand__window_agree(struct summand__state *state, const struct summand__window_spec *spec,
                          bool has_memory, struct summand__window_terms *terms);

/* Local: true if the system has so much memory now. Call it before the MPI allocates: if that fails
 * on one rank, the others may wait for ever. */
bool summand__window_can_allocate(size_t bytes);

/* Local: true if the MPI may put so many bytes of each rank into a file, as it does within nodes. A
 * file beyond the limit of `ulimit -f` ends the program. */
bool summand__window_may_have_file(const struct summand__state *state, size_t bytes);

/* Sets this rank's memory: base->bytes bytes of zeros on cache lines. */
void summand__window_base_expose(struct summand__window_base *base, unsigned char *memory);

/* NULL is allowed. */
void summand__window_base_free(struct summand__window_base *base);

/* Return MPI_SUCCESS, or the error of the arguments. */
int summand__window_check_put(const struct summand__window *window, const struct summand__put *put);
int summand__window_check_get(const struct summand__window *window, const struct summand__get *get);
int summand__window_check_notify(const struct summand__window *window, int rank, int counter);
int summand__window_check_counter(const struct summand__window *window, int counter);
int summand__window_check_rank(const struct summand__window *window, int rank);

/* The place of a put in the target's slots. */
static inline size_t summand__window_place(const struct summand__window_base *base,
                                           const struct summand__put *put)
{
    return base->start[put->slot] + (size_t)put->offset;
}

/* Waits with the window's watch. `awaited` calls `each` for the ranks that are waited for, with
 * `context`; NULL: those that the watch knows. */
int summand__window_wait_until(struct summand__window *window, summand__poll *poll, void *context,
                               void (*awaited)(const void *of, summand__each_rank *each, void *to),
                               double timeout);

/* `wait_any` by polls of the transport's `test`. */
int summand__window_wait_any(struct summand__window *window, int n,
                             const struct summand__counter_wait *waits, double timeout, int *which);
