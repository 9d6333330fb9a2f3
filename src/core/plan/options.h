/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks of options that several kinds of calls have. */
#pragma once

#include <summand/options.h>

#include "algorithm/algorithm.h"
#include "plan/signature.h"
#include "select/search.h"

/* MPI_SUCCESS, or the error of the first invalid field, explained. `name` is the name of the public
 * call's argument, such as "options". Local. */
int summand__options_check(const char *name, const summand_options *options,
                           enum summand_promise most);

/* The same for a promise and a timeout, which the options of all capabilities have. `most` is the
 * strongest promise that the call keeps. */
int summand__promise_check(const char *name, enum summand_promise promise,
                           enum summand_promise most);
int summand__timeout_check(const char *name, double timeout);

/* The choice that valid options name and set; NULL: none. */
struct summand__choice summand__options_choice(const summand_options *options);

/* Signs all options that must be equal on all ranks; `promise` is the name of the promise kept. */
void summand__options_sign(struct summand__signature *signature, const summand_options *options,
                           const char *promise);

/* "SUMMAND_PROMISE_SAME"; NULL for an invalid value. */
const char *summand__promise_name(enum summand_promise promise);

/* The promises that an algorithm then needs (enum summand__promise). */
unsigned summand__promises_for(enum summand_promise promise);

/* The same for a name of an algorithm, or NULL; `argument` as in "options.algorithm". */
int summand__algorithm_check(const char *argument, const char *algorithm);

/* The same for an algorithm that must do a collective. */
int summand__algorithm_check_for(const char *argument, const char *algorithm,
                                 enum summand__collective collective);

/* SUMMAND_ERR_ALGORITHM, with the reason, for an existing algorithm that does not do the call.
 * `given` NULL: the library has found none. */
int summand__algorithm_refuse(const char *argument, const struct summand__algorithm *given,
                              const struct summand__call *call, unsigned promises);
