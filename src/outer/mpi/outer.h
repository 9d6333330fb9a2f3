/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of outer products as plans: the caller's arguments, the ranks' exchange about them, and the
 * plan. */
#pragma once

#include <summand/outer.h>

#include "comm/state.h"
#include "outer/algorithm/shape.h"
#include "plan/signature.h"

/* The caller's arguments. */
struct summand__outer_arguments {
    MPI_Datatype datatype;
    enum summand__outer_type type; /* SUMMAND__OUTER_TYPES if the datatype is not one of them */
    MPI_Count pairs;
    int n;
    double alpha, beta;
    const summand_outer_matrix *matrices;
    int root;
    enum summand__outer_result result; /* of options.result and root */
    summand_outer_options options;
};

/* The type of a datatype's elements, SUMMAND__OUTER_TYPES if there is none. Local. */
enum summand__outer_type summand__outer_type_of(MPI_Datatype datatype);

/* The rank that gets the whole result, or 0. */
static inline int summand__outer_root_of(const struct summand__outer_arguments *arguments)
{
    return arguments->root == SUMMAND_ROOT_ALL ? 0 : arguments->root;
}

/* True if pairs may be added in any order; and if bits may differ between ranks. */
static inline bool summand__outer_any_order(const summand_outer_options *options)
{
    return options->promise == SUMMAND_PROMISE_SAME || options->promise == SUMMAND_PROMISE_NONE;
}
static inline bool summand__outer_any_bits(const summand_outer_options *options)
{
    return options->promise == SUMMAND_PROMISE_NONE;
}

/* MPI_SUCCESS or an MPI error code of this rank's arguments. Local. */
int summand__outer_check(const struct summand__outer_arguments *arguments, int ranks);
/* The same for buffers, and for what depends on this rank's part; the other arguments must be
 * right. */
int summand__outer_check_buffers(const struct summand__outer_arguments *arguments, int rank,
                                 int ranks);

/* Adds to the signature all arguments that must agree: all but pairs, gaps between rows, and fields
 * that are this rank's own. */
void summand__outer_sign(const struct summand__outer_arguments *arguments,
                         struct summand__signature *signature, const char *call);

/* True if they differ only in buffers, functions, timeouts and room. */
bool summand__outer_same(const struct summand__outer_arguments *a,
                         const struct summand__outer_arguments *b);
/* Replaces names of algorithms by the library's own copies, because the caller may free its names.
 */
void summand__outer_keep_names(summand_outer_options *options);

/* "G of 3 matrices, 10 pairs", for messages of stuck ranks; `what` are arguments. */
void summand__outer_describe(const void *what, char *text, size_t room);

/* This rank's pairs of a matrix. */
size_t summand__outer_pairs_of(const struct summand__outer_arguments *arguments, int matrix);

/* True if the call needs results that no schedule of the table computes (factored.h). */
bool summand__outer_is_factored(const struct summand__outer_arguments *arguments);

/* A rank's part of a matrix, with the caller's options. */
struct summand__outer_block summand__outer_part_of(const struct summand__outer_arguments *arguments,
                                                   int matrix, int rank, int ranks);

/* The ranks' data about each other: the pairs of each, whether any has rows with gaps, and the room
 * of each for factors; or the words of summand__outer_tell of each rank. */
struct summand__outer_known {
    uint64_t *words;
    size_t count;
};

/* Initialises for ranks without pairs and gaps. False when out of memory; call
 * summand__outer_forget. */
bool summand__outer_known_begin(struct summand__outer_known *known,
                                const struct summand__outer_arguments *arguments, int ranks);

/* Collective: exchanges `known` with that tag (plan/join.h), together with one word of all
 * arguments that must agree. If they differ, all ranks get SUMMAND_ERR_MISMATCH. An MPI error code;
 * call summand__outer_forget in any case. `call`: name of the public call. */
int summand__outer_meet(struct summand__state *state, int tag,
                        const struct summand__outer_arguments *arguments, const char *call,
                        struct summand__outer_known *known);
void summand__outer_forget(struct summand__outer_known *known);
/* Checks that factors have room on all ranks. All ranks find the same: SUMMAND_ERR_ARGUMENT if this
 * rank's room is too small, SUMMAND_ERR_REMOTE if only others' rooms are. */
int summand__outer_check_rooms(const struct summand__outer_arguments *arguments,
                               const struct summand__outer_known *known, int ranks);
bool summand__outer_known_alike(const struct summand__outer_known *a,
                                const struct summand__outer_known *b);

/* Checks that the named algorithm does calls with these arguments, which must be right; an MPI
 * error code of this rank's. If another rank's gap between rows prevents it, summand__outer_plan
 * returns that error on all ranks. Local. */
int summand__outer_check_algorithm(const struct summand__outer_arguments *arguments,
                                   struct summand__state *state);

/* Makes a plan, which takes over what is known. Local; an MPI error code. Whether all ranks get an
 * error from it where this one gets the code: SUMMAND_ERR_ALGORITHM is the same on all; of rooms
 * that are too small all know. */
bool summand__outer_all_refuse(int code);
int summand__outer_plan(struct summand__state *state,
                        const struct summand__outer_arguments *arguments,
                        struct summand__outer_known *known, int tag, summand_plan **plan);

/* Sets the buffers and functions of a call that differs only in these. */
void summand__outer_rebind(summand_plan *plan, const struct summand__outer_arguments *arguments);
/* Whether a plan's work serves such a call: only buffers, functions and timeouts may differ.
 * `known` NULL: by the arguments alone. */
bool summand__outer_serves(const void *work, const struct summand__outer_arguments *arguments,
                           const struct summand__outer_known *known);
