/* SPDX-License-Identifier: BSD-3-Clause */
/* k sums as one operation: this rank's terms, the operand in messages, the results. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <summand/sum.h>

#include "plan/error_flag.h"
#include "plan/plan.h"
#include "plan/signature.h"

struct summand__sums_call;

/* A method of summation: one row each. Others may add rows of their own (sum/calls.h). */
struct summand__sum_method {
    const char *name; /* the promise that it keeps, for texts of errors */
    uint32_t number;  /* part of the signature: unique to the method */
    bool plain;       /* takes contiguous real elements only */
    bool tree;        /* elements have places in the index tree; else their order does not matter */
    /* With `tree`: makes a plan for a valid call if this rank's `error` is MPI_SUCCESS. Collective;
     * an error of one rank is an error of all. */
    int (*plan)(struct summand__state *state, const struct summand__sums_call *call, int error,
                int tag, summand_plan **plan);
    /* True if a plan's work fits a call (struct summand__sums_call), as far as this rank can know:
     * the call has other terms and results, of the same shape. NULL: no plan is cached. */
    bool (*serves)(const void *work, const void *call);
    /* Gives a plan the terms and results of the call. */
    void (*rebind)(summand_plan *plan, const struct summand__sums_call *call);
    /* The number of the call that made the plan: equal on all ranks, unique to the plan. */
    uint64_t (*made_by)(const summand_plan *plan);
    size_t (*bytes)(const void *work); /* memory of a plan */
};

/* The method that keeps a promise; NULL if there is no such promise. */
const struct summand__sum_method *summand__sum_method_of(enum summand_promise promise);

/* The call as the caller gave it. */
struct summand__sums_call {
    int k;
    int root;
    const summand_term *terms;
    void *results;
    const struct summand__sum_method *method; /* NULL: invalid */
    const summand_options *options;           /* or NULL */
    const struct summand__choice *choice;     /* from the options; NULL: none */
    const uint64_t *offers; /* exact, without terms: falling numbers and a 0; NULL: none */
    /* The public call if this is a part of it; else NULL. */
    const struct summand__sums_call *whole;
    uint32_t signature; /* equal on ranks with equal calls */
    bool single;        /* floats, not doubles */
    bool complex;       /* pairs of these */
    bool one;           /* the public call has one sum: its arguments are not called `terms` */
    bool init;          /* the call makes a plan */
};

/* Bytes of an element. */
static inline size_t summand__sums_width(const struct summand__sums_call *call)
{
    return (call->complex ? 2 : 1) * (call->single ? sizeof(float) : sizeof(double));
}

/* The name of an element's type, such as "MPI_DOUBLE". */
const char *summand__sums_type_name(const struct summand__sums_call *call);

/* A hash of the call: of k, method, kinds, type, root and choice. */
uint32_t summand__sums_signature(const struct summand__sums_call *call);

/* The signature of a valid call, with names, for an agreement. The call must stay valid. */
void summand__sums_sign(const struct summand__sums_call *call,
                        struct summand__signature *signature);
/* Reads the choice that the options name, if any, into `choice`. */
void summand__sums_choose(struct summand__sums_call *call, struct summand__choice *choice);

/* True if a call has the same choice as an earlier one, or neither has one. */
static inline bool summand__sums_same_choice(bool chosen, const struct summand__choice *choice,
                                             const struct summand__sums_call *call)
{
    const struct summand__choice *other = call->choice;
    return chosen == (other != NULL) &&
           (!other || (choice->algorithm == other->algorithm && choice->check == other->check &&
                       !memcmp(choice->parameter, other->parameter, sizeof choice->parameter)));
}

/* A term of a valid call, with MPI_IN_PLACE and strides of 0 resolved. */
summand_term summand__sums_term(const struct summand__sums_call *call, int i);

/* Checks a call on this rank: MPI_SUCCESS or an MPI error code, explained. */
int summand__sums_check(const struct summand__sums_call *call, const struct summand__state *state);

/* Makes a plan for a call; its `error` is sent in place of its terms. Local. */
int summand__exact_plan(struct summand__state *state, const struct summand__sums_call *call,
                        int error, int tag, summand_plan **plan);
/* Functions of the methods. */
int summand__tree_plan(struct summand__state *state, const struct summand__sums_call *call,
                       int error, int tag, summand_plan **plan);

/* True if an exact plan's work fits the messages of a call (struct summand__sums_call): such plans
 * depend on the shape alone. */
bool summand__exact_plan_serves(const void *work, const void *call);

/* Gives an exact plan other terms and results of the same shape, for blocking calls. With an error
 * code of this rank, the plan only sends the error. */
void summand__exact_plan_rebind(summand_plan *plan, const struct summand__sums_call *call,
                                int error);

/* The largest number that all ranks have offered, or 0. For a plan without terms, on a rank with
 * the result, after a successful run. */
uint64_t summand__exact_plan_offered(const summand_plan *plan);

bool summand__tree_plan_serves(const void *work, const void *call);
void summand__tree_plan_rebind(summand_plan *plan, const struct summand__sums_call *call);
uint64_t summand__tree_plan_made_by(const summand_plan *plan);
size_t summand__tree_plan_bytes(const void *work);
