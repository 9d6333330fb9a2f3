/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums by methods that are not public, for instance those of lab/. */
#pragma once

#include "plan/call.h"
#include "sum/sums.h"

/* Sums by the tree, whose plans are cached. */
extern const struct summand__call_kind summand__tree_kind;

/* summand_sums and summand_sums_init, also in errors, by any method, with default options. The
 * method must stay valid. */
int summand__sums_by(const struct summand__sum_method *method, int k, const summand_term *terms,
                     void *results, MPI_Datatype datatype, int root, MPI_Comm comm);
int summand__sums_init_by(const struct summand__sum_method *method, int k,
                          const summand_term *terms, void *results, MPI_Datatype datatype, int root,
                          MPI_Comm comm, summand_plan **plan);
