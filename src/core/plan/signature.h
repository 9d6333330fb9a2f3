/* SPDX-License-Identifier: BSD-3-Clause */
/* The signature of a call: its arguments that must be equal on all ranks, each with a name for the
 * text of a mismatch. */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "comm/state.h"

struct summand__argument {
    const char *name;
    int64_t value; /* compared */
    bool any;      /* equals any value of other ranks */
    /* Prints `value`; called if ranks differ, before the call returns. */
    void (*say)(const struct summand__argument *argument, char *text, size_t room);
    /* Input of `say`. */
    const void *of;
    MPI_Op op;
    MPI_Datatype datatype;
    MPI_Count count;
};

/* Ranks that make the same call, by name, have the same arguments at the same indices. */
struct summand__signature {
    int count;
    struct summand__argument argument[SUMMAND__AGREED];
    bool failed; /* out of memory */
};

/* Starts a signature with the name of the public call. */
void summand__sign_call(struct summand__signature *signature, const char *call);

/* Adds an argument; the caller may change the result. Names and words must stay valid. */
struct summand__argument *summand__sign_number(struct summand__signature *signature,
                                               const char *name, int64_t value);
struct summand__argument *summand__sign_real(struct summand__signature *signature, const char *name,
                                             double value);
/* `word` NULL: not given. */
struct summand__argument *summand__sign_word(struct summand__signature *signature, const char *name,
                                             const char *word);
/* A user's operator equals every other user's operator that is as commutative. */
struct summand__argument *summand__sign_op(struct summand__signature *signature, const char *name,
                                           MPI_Op op);
/* The type signature of one element; of `count` elements, and their bytes. */
struct summand__argument *summand__sign_datatype(struct summand__signature *signature,
                                                 const char *name, MPI_Datatype datatype);
void summand__sign_data(struct summand__signature *signature, const char *name, MPI_Count count,
                        MPI_Datatype datatype);

/* Adds an argument that this rank does not have. */
void summand__sign_any(struct summand__signature *signature, const char *name);

/* Accumulate a hash of numbers; hash a word. */
int64_t summand__sign_mix(int64_t hash, int64_t value);
int64_t summand__sign_hash(const char *word);
