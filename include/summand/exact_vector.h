/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact sums of many columns on one process: an accumulator of a vector that never rounds. Needs no
 * MPI. summand_exact_vector_reduce (summand/columns.h) adds up those of all ranks.
 *
 * Terms are whole rows, or single elements by their index: a histogram, a scatter of fluxes. Each
 * element is the exact sum of its terms, so the result depends neither on the order of the calls
 * nor on how the terms were dealt to accumulators. Only a rounding function rounds, once, to
 * nearest even. Terms of several types may be mixed.
 *
 * Special values are those of summand/exact.h, with one addition: _add_at adds +0.0 to every
 * element, too. So an element to which nothing was added is +0.0, also beside others.
 *
 * Memory. Blocks of 256 elements share their range of exponents. An element takes 8 bytes for each
 * 40 bits of the range of its block: from the lowest set bit of a term to the highest one. That is
 * 16 or 24 bytes for doubles of similar magnitude, 448 for all doubles there are; 8 more in blocks
 * with an infinity, a NaN or perhaps a -0.0. Memory grows as terms come. An array of summand_exact
 * has 544 bytes for each.
 *
 * Errors. Functions that add, merge or round return enum summand_exact_status. After
 * SUMMAND_EXACT_MEMORY the accumulator has no value: until it is cleared, they return that status
 * and write nothing. Only a wrong index or count is SUMMAND_EXACT_INDEX then, too.
 *
 * All functions are local. Threads may call them at the same time on different accumulators. Inputs
 * may lie at any address, and are not modified. Each call uses less than 48 KiB of stack. The
 * caller's floating-point environment does not affect the result, and stays as it is. */
#ifndef SUMMAND_EXACT_VECTOR_H
#define SUMMAND_EXACT_VECTOR_H

#include <stddef.h>
#include <stdint.h>
#include <summand/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An accumulator of a vector. */
typedef struct summand_exact_vector summand_exact_vector;

enum summand_exact_status {
    SUMMAND_EXACT_OK = 0,
    SUMMAND_EXACT_MEMORY = 1, /**< out of memory: the accumulator has no value until cleared */
    SUMMAND_EXACT_INDEX = 2   /**< an index is not below the count, or counts differ: nothing was
                                   added */
};

/** Makes an accumulator of empty sums.
 *  @param count elements
 *  @return NULL when out of memory; to be freed by summand_exact_vector_free */
SUMMAND_API summand_exact_vector *summand_exact_vector_new(size_t count);

/** Frees an accumulator and sets it to NULL; does nothing for NULL. */
SUMMAND_API void summand_exact_vector_free(summand_exact_vector **vector);

/** Empties the sums, also after SUMMAND_EXACT_MEMORY. Keeps the memory, for terms to come. */
SUMMAND_API void summand_exact_vector_clear(summand_exact_vector *vector);

/** The number of elements. */
SUMMAND_API size_t summand_exact_vector_count(const summand_exact_vector *vector);

/** The bytes of memory that an accumulator has now. */
SUMMAND_API size_t summand_exact_vector_bytes(const summand_exact_vector *vector);

/** Adds rows: for each row i and element j, x[i lead + j] to sum j.
 *  @param vector [inout] an accumulator of n elements
 *  @param rows number of rows, zero included
 *  @param lead elements from the beginning of a row to that of the next one
 *  @param x [in] rows of n elements
 *  @return SUMMAND_EXACT_OK or SUMMAND_EXACT_MEMORY */
SUMMAND_API int summand_exact_vector_add(summand_exact_vector *vector, size_t rows, size_t lead,
                                         const double *x);
SUMMAND_API int summand_exact_vector_add_f32(summand_exact_vector *vector, size_t rows, size_t lead,
                                             const float *x);
/** The same of IEEE half precision (binary16), as bits. */
SUMMAND_API int summand_exact_vector_add_f16(summand_exact_vector *vector, size_t rows, size_t lead,
                                             const uint16_t *x);
/** The same of bfloat16, as bits. */
SUMMAND_API int summand_exact_vector_add_bf16(summand_exact_vector *vector, size_t rows,
                                              size_t lead, const uint16_t *x);

/** Adds single terms: x[i] to sum index[i], for each i. An index may come several times. Indices
 *  are checked first.
 *  @param n number of terms
 *  @param index [in] n indices below the accumulator's count
 *  @param x [in] n values
 *  @return SUMMAND_EXACT_OK, _MEMORY, or _INDEX: nothing was added */
SUMMAND_API int summand_exact_vector_add_at(summand_exact_vector *vector, size_t n,
                                            const size_t *index, const double *x);
SUMMAND_API int summand_exact_vector_add_at_f32(summand_exact_vector *vector, size_t n,
                                                const size_t *index, const float *x);

/** Adds the sums of another accumulator: vector += other, element by element.
 *  @param vector [inout]
 *  @param other [in] another accumulator of as many elements
 *  @return SUMMAND_EXACT_OK; _MEMORY, also if `other` has no value; _INDEX if the counts differ */
SUMMAND_API int summand_exact_vector_merge(summand_exact_vector *vector,
                                           const summand_exact_vector *other);

/** Rounds each sum once to nearest even.
 *  @param y [out] as many elements as the accumulator has
 *  @return SUMMAND_EXACT_OK or SUMMAND_EXACT_MEMORY: y was not written */
SUMMAND_API int summand_exact_vector_round(const summand_exact_vector *vector, double *y);
SUMMAND_API int summand_exact_vector_round_f32(const summand_exact_vector *vector, float *y);
SUMMAND_API int summand_exact_vector_round_f16(const summand_exact_vector *vector, uint16_t *y);
SUMMAND_API int summand_exact_vector_round_bf16(const summand_exact_vector *vector, uint16_t *y);

#ifdef __cplusplus
}
#endif
#endif
