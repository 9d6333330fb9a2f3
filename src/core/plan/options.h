/* SPDX-License-Identifier: BSD-3-Clause */
/* What is wrong with the options of a call, which several kinds of calls have. */
#ifndef SUMMAND_PLAN_OPTIONS_H
#define SUMMAND_PLAN_OPTIONS_H

#include <summand/options.h>

#include "algorithm/algorithm.h"
#include "plan/signature.h"
#include "select/search.h"

/* MPI_SUCCESS, or the error of the first field that is wrong, explained. `name` is how the public
 * call's argument is called, such as "options". Local. */
int summand__options_check(const char *name, const summand_options *options,
                           enum summand_promise most);

/* The same for a promise and a timeout, which the options of all capabilities have. `most` is the
 * strongest promise that the call keeps. */
int summand__promise_check(const char *name, enum summand_promise promise,
                           enum summand_promise most);
int summand__timeout_check(const char *name, double timeout);

/* What is named and set, of values that are allowed; NULL: nothing is. */
struct summand__choice summand__options_choice(const summand_options *options);

/* All that must be alike on all ranks, with `promise` for the promise that is kept. */
void summand__options_sign(struct summand__signature *signature, const summand_options *options,
                           const char *promise);

/* "SUMMAND_PROMISE_SAME"; NULL for what is no promise. */
const char *summand__promise_name(enum summand_promise promise);

/* What an algorithm must promise then, of enum summand__promise. */
unsigned summand__promises_for(enum summand_promise promise);

/* The same for a name of an algorithm, or NULL; `argument` as in "options.algorithm". */
int summand__algorithm_check(const char *argument, const char *algorithm);

/* The same for an algorithm that must do a collective. */
int summand__algorithm_check_for(const char *argument, const char *algorithm,
                                 enum summand__collective collective);

/* SUMMAND_ERR_ALGORITHM for an algorithm that is there but does not do the call: says why. A
 * `given` of NULL: the library has found none. */
int summand__algorithm_refuse(const char *argument, const struct summand__algorithm *given,
                              const struct summand__call *call, unsigned promises);

#endif
