/* SPDX-License-Identifier: BSD-3-Clause */
/* k sums as one operation: this rank's terms, the operand that travels, the results. */
#ifndef SUMMAND_SUM_SUMS_H
#define SUMMAND_SUM_SUMS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <summand/sum.h>

#include "plan/error_flag.h"
#include "plan/plan.h"
#include "plan/signature.h"

struct summand__sums_call;

/* How to sum: one row for each. Others may bring rows of their own (sum/calls.h). */
struct summand__sum_method {
    const char *name; /* in texts of errors: the promise that it keeps */
    uint32_t number;  /* travels in the signature: no two methods have the same */
    bool plain;       /* takes real elements one after another alone */
    bool tree;        /* elements have places in the index tree; else any order does */
    /* With `tree`: makes a plan for a good call, if `error` of this rank is MPI_SUCCESS.
     * Collective, an error of one rank is one of all. */
    int (*plan)(struct summand__state *state, const struct summand__sums_call *call, int error,
                int tag, summand_plan **plan);
    /* Whether a plan's work is right for a call (struct summand__sums_call), as far as this rank
     * can tell: it has other terms and results, of the same shape. NULL: no plan is kept. */
    bool (*serves)(const void *work, const void *call);
    /* Gives such a plan the terms and results of the call. */
    void (*rebind)(summand_plan *plan, const struct summand__sums_call *call);
    /* The number of the call that made the plan: alike on all ranks, of no other plan. */
    uint64_t (*made_by)(const summand_plan *plan);
    size_t (*bytes)(const void *work); /* that such a plan takes */
};

/* The row that keeps a promise; NULL: there is no such promise. */
const struct summand__sum_method *summand__sum_method_of(enum summand_promise promise);

/* What is asked, as the caller gave it. */
struct summand__sums_call {
    int k;
    int root;
    const summand_term *terms;
    void *results;
    const struct summand__sum_method *method; /* NULL: of no method */
    const summand_options *options;           /* as given, or NULL */
    const struct summand__choice *choice;     /* what they name; NULL: nothing */
    const uint64_t *offers; /* exact, without terms: numbers, falling, and a 0; NULL: none */
    /* The public call, of which this is a part; NULL: itself. */
    const struct summand__sums_call *whole;
    uint32_t signature; /* alike on ranks that ask for the same */
    bool single;        /* floats, not doubles */
    bool complex;       /* pairs of these */
    bool one;           /* the public call is of one sum: its arguments are not those of `terms` */
    bool init;          /* a plan is made */
};

/* Bytes of an element. */
static inline size_t summand__sums_width(const struct summand__sums_call *call)
{
    return (call->complex ? 2 : 1) * (call->single ? sizeof(float) : sizeof(double));
}

/* "MPI_DOUBLE", for an element. */
const char *summand__sums_type_name(const struct summand__sums_call *call);

/* The signature of a call: of k, method, kinds, type, root and choice. */
uint32_t summand__sums_signature(const struct summand__sums_call *call);

/* The same with names, for an agreement. Of a good call, which must stay. */
void summand__sums_sign(const struct summand__sums_call *call,
                        struct summand__signature *signature);
/* Reads what the options name: into `choice`, if it is anything. */
void summand__sums_choose(struct summand__sums_call *call, struct summand__choice *choice);

/* Whether a call names the same as the one that named `choice`, or both nothing. */
static inline bool summand__sums_same_choice(bool chosen, const struct summand__choice *choice,
                                             const struct summand__sums_call *call)
{
    const struct summand__choice *other = call->choice;
    return chosen == (other != NULL) &&
           (!other || (choice->algorithm == other->algorithm &&
                       !memcmp(choice->parameter, other->parameter, sizeof choice->parameter)));
}

/* A term of a good call, with its elements where they are: MPI_IN_PLACE and strides of 0 are
 * resolved. */
summand_term summand__sums_term(const struct summand__sums_call *call, int i);

/* What is wrong with a call on this rank: MPI_SUCCESS or an MPI error code, explained. */
int summand__sums_check(const struct summand__sums_call *call, const struct summand__state *state);

/* Makes a plan for a call whose `error` travels in place of its terms. Local. */
int summand__exact_plan(struct summand__state *state, const struct summand__sums_call *call,
                        int error, int tag, summand_plan **plan);
/* Of the rows. */
int summand__tree_plan(struct summand__state *state, const struct summand__sums_call *call,
                       int error, int tag, summand_plan **plan);

/* Whether an exact plan's work is for messages of the shape that a call has (struct
 * summand__sums_call): the shape is all that such plans depend on. */
bool summand__exact_plan_serves(const void *work, const void *call);

/* Gives an exact plan other terms and results of the same shape: for blocking calls. With an error
 * code of this rank the plan only passes the error on. */
void summand__exact_plan_rebind(summand_plan *plan, const struct summand__sums_call *call,
                                int error);

/* Of a plan without terms, on a rank with the result, after a run that succeeded: the largest
 * number that all ranks have offered; 0: there is none. */
uint64_t summand__exact_plan_offered(const summand_plan *plan);

bool summand__tree_plan_serves(const void *work, const void *call);
void summand__tree_plan_rebind(summand_plan *plan, const struct summand__sums_call *call);
uint64_t summand__tree_plan_made_by(const summand_plan *plan);
size_t summand__tree_plan_bytes(const void *work);

#endif
