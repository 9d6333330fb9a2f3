/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact sums of vectors: SUMMAND_PROMISE_EXACT of MPI_SUM of floating types. Each rank writes its
 * terms as integers, in lanes of 64 bits; these are summed by a collective, in any order; the sums
 * are rounded once.
 *
 * Stages of a plan:
 * - opening: all ranks compare the call and the formats that they remember of the last one. Few
 *   lanes travel with it, but not those of a scan, because all ranks get the same opening; then a
 *   repeated call has no other stage.
 * - ranges, if the formats are unknown or a term does not fit: the largest and the lowest bit of
 *   each block of numbers, by an all-reduce with MPI_MAX. They give new formats. Formats show in no
 *   bit of the result.
 * - lanes: the user's collective for MPI_INT64_T and MPI_SUM. A long all-reduce is a reduce-scatter
 *   here: each rank rounds its part.
 * - results, of a long all-reduce: an all-gather of the parts. */
#pragma once

#include "collective/run.h"

/* Makes the plan of a checked operation and its draft. Local. */
int summand__exact_vector_plan(struct summand__state *state,
                               const struct summand__collective_work *draft, int tag,
                               summand_plan **plan);

/* The operation that a plan's work was bound to last. */
struct summand__collective_work *summand__exact_user(void *work);

/* True if the datatype has the numbers that the plan's work was made for; others may have their
 * size. */
bool summand__exact_takes(const void *work, MPI_Datatype datatype);

/* From now on the plan owns what its operation is `of`, and frees it by the source's `drop`. */
void summand__exact_own(summand_plan *plan);

/* Bytes of the work's memory. */
size_t summand__exact_bytes(const void *work);
