/* SPDX-License-Identifier: BSD-3-Clause */
/* Why no algorithm does a sum of outer products. */
#pragma once

#include "outer/mpi/outer.h"
#include "outer/select.h"

/* MPI_SUCCESS, or SUMMAND_ERR_ALGORITHM for names that no call takes. Local. */
int summand__outer_check_names(const summand_outer_options *options);

/* SUMMAND_ERR_ALGORITHM for a call that summand__select_outer refused. The text says which feature
 * of the call the algorithm lacks. Takes the same arguments and leaves them unusable. */
int summand__outer_refuse_choice(const struct summand__query *query,
                                 const struct summand__tuning *tuning,
                                 struct summand__outer_shape *shape,
                                 const struct summand__outer_part *inside,
                                 const struct summand__call *call,
                                 const summand_outer_options *options);

/* The same for a call with lists, tiles or pairs of each matrix. */
int summand__outer_refuse_factored(const struct summand__outer_arguments *arguments);
