/* SPDX-License-Identifier: BSD-3-Clause */
/* The signature of a call: its arguments that must be alike on all ranks, each with a name, so that
 * a mismatch can be told in words. */
#ifndef SUMMAND_PLAN_SIGNATURE_H
#define SUMMAND_PLAN_SIGNATURE_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "comm/state.h"

struct summand__argument {
    const char *name;
    int64_t value; /* compared */
    bool any;      /* goes with whatever the other ranks have */
    /* What `value` stands for, in words; called where ranks differ, before the call returns. */
    void (*say)(const struct summand__argument *argument, char *text, size_t room);
    /* What `say` needs. */
    const void *of;
    MPI_Op op;
    MPI_Datatype datatype;
    MPI_Count count;
};

/* Ranks that make the same call, by name, have the same arguments at the same places. */
struct summand__signature {
    int count;
    struct summand__argument argument[SUMMAND__AGREED];
    bool failed; /* out of memory */
};

/* Begins with the name of the public call. */
void summand__sign_call(struct summand__signature *signature, const char *call);

/* The next argument; the caller may change what is returned. Names and words must stay. */
struct summand__argument *summand__sign_number(struct summand__signature *signature,
                                               const char *name, int64_t value);
struct summand__argument *summand__sign_real(struct summand__signature *signature, const char *name,
                                             double value);
/* NULL: none is given. */
struct summand__argument *summand__sign_word(struct summand__signature *signature, const char *name,
                                             const char *word);
/* A user's operator goes with every other of the user's that commutes alike. */
struct summand__argument *summand__sign_op(struct summand__signature *signature, const char *name,
                                           MPI_Op op);
/* Type signature of one element; of all `count`, and their bytes. */
struct summand__argument *summand__sign_datatype(struct summand__signature *signature,
                                                 const char *name, MPI_Datatype datatype);
void summand__sign_data(struct summand__signature *signature, const char *name, MPI_Count count,
                        MPI_Datatype datatype);

/* One that this rank has not. */
void summand__sign_any(struct summand__signature *signature, const char *name);

/* A running hash of numbers, and of words. */
int64_t summand__sign_mix(int64_t hash, int64_t value);
int64_t summand__sign_hash(const char *word);

#endif
