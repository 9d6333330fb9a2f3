/* SPDX-License-Identifier: BSD-3-Clause */
/* Common to the algorithms for matrix products: places, counters, and steps. */
#pragma once

#include "compute/product.h"
#include "compute/tiles.h"
#include "matrix/gemm/pieces.h"
#include "schedule/compute.h"

/* Places. The caller's are the same for every algorithm. */
enum {
    SUMMAND__GEMM_PLACE_A = SUMMAND__PLACES,
    SUMMAND__GEMM_PLACE_B,
    SUMMAND__GEMM_PLACE_C,
    SUMMAND__GEMM_SLOTS,   /* window: pieces from others */
    SUMMAND__GEMM_RESULTS, /* window: columns of this rank's tile that others have computed */
    SUMMAND__GEMM_PACKED,  /* pieces for others that are not contiguous */
    SUMMAND__GEMM_PANELS,  /* panels of A and of B that are copied from pieces */
    SUMMAND__GEMM_TILE,    /* a chain that is not computed in C */
    SUMMAND__GEMM_FINISH,  /* one struct summand__gemm_finish, or none */
    SUMMAND__GEMM_VIEWS    /* and so on: others' A, B and C */
};

/* Counters of a rank. It has one of each kind for each other rank, which increments it: */
enum summand__gemm_counter {
    SUMMAND__GEMM_ARRIVED, /* stages whose pieces from that rank are there */
    SUMMAND__GEMM_PASSED,  /* pieces of others that it has passed on */
    SUMMAND__GEMM_CREDITS, /* stages that it has used */
    SUMMAND__GEMM_MADE,    /* results that it has put */
    SUMMAND__GEMM_TAKEN,   /* results of this rank that it has taken */
    SUMMAND__GEMM_COUNTERS
};

struct summand__gemm_build {
    const struct summand__call *call;
    const struct summand__gemm_shape *shape;
    struct summand__schedule *schedule;
    int rank;
};

/* Adds places and counters: `slots` elements for pieces, `results` for columns that others compute.
 */
struct summand__gemm_build summand__gemm_begin(const struct summand__call *call,
                                               struct summand__schedule *schedule, size_t slots,
                                               size_t results);

/* No inner elements: C = beta C, or zeros. */
void summand__gemm_only_update(const struct summand__gemm_build *build);

/* The value that a counter of credits must reach before a slot is reused. Use `number` of `total`
 * in a start takes slot number % slots. The previous use of that slot must be over, in this start
 * or in the one before. */
int64_t summand__gemm_credits_for(size_t slots, size_t total, size_t number);

/* Grows a temporary place to so many elements. */
void summand__gemm_room(const struct summand__gemm_build *build, uint32_t place, size_t count);

/* The number of this rank's counter for another one. expect: sets the count per start. */
uint32_t summand__gemm_counter(const struct summand__gemm_build *build,
                               enum summand__gemm_counter kind, int other);
void summand__gemm_expect(const struct summand__gemm_build *build, enum summand__gemm_counter kind,
                          int other, size_t count);

/* The array of an operand in its place. */
struct summand__columns summand__gemm_array(const struct summand__gemm_build *build,
                                            enum summand__gemm_side side);

/* Inner elements [k, k + count) of a side in an array. `array.first` is the element of inner
 * element k and of the first row or column of C. */
struct summand__gemm_segment {
    int64_t k, count;
    struct summand__columns array;
};

/* A holder's array in place, as a view that the first call adds. The operand must be shared, or the
 * holder must be this rank. */
struct summand__columns summand__gemm_view(const struct summand__gemm_build *build, uint32_t place,
                                           int holder);

/* The array in which a job's columns are computed: column 0 of the job is at `array.first`. */
struct summand__gemm_target {
    struct summand__columns array;
    int64_t rows, columns;
};

/* Adds op(A) op(B) over [k, k + count), which lies in both segments. */
void summand__gemm_multiply(const struct summand__gemm_build *build,
                            const struct summand__gemm_segment *a,
                            const struct summand__gemm_segment *b, int64_t k, int64_t count,
                            const struct summand__gemm_target *target, bool begins, bool updates);

/* C = alpha chain + beta C of columns that lie elsewhere, or a copy if that is the same. */
void summand__gemm_apply(const struct summand__gemm_build *build,
                         const struct summand__gemm_target *chain,
                         const struct summand__gemm_target *result);

/* sum += part, or a copy of the first one. */
void summand__gemm_add(const struct summand__gemm_build *build,
                       const struct summand__gemm_target *part,
                       const struct summand__gemm_target *sum, bool first);

/* Appends the finishing of this rank's columns of C, if there is any. */
void summand__gemm_finish(const struct summand__gemm_build *build,
                          const struct summand__gemm_target *result);

/* Columns [first, first + count) of a target; and the segment of B for them. */
struct summand__gemm_target summand__gemm_columns(const struct summand__gemm_target *target,
                                                  int64_t first, int64_t count);
struct summand__gemm_segment summand__gemm_behind(const struct summand__gemm_build *build,
                                                  const struct summand__gemm_segment *b,
                                                  int64_t first);

/* The number of these columns that are finished together, at least 1. */
int64_t summand__gemm_chunk(const struct summand__gemm_build *build, int64_t columns);

/* Columns of a holder's tile of C, from `first` on. The tile is this rank's own, or shared. */
struct summand__gemm_target summand__gemm_tile(const struct summand__gemm_build *build, int holder,
                                               int64_t first, int64_t columns);

/* The computations of matrix products: rows of tables, one for each local kernel, type and pair of
 * transposes. `from` is op(B), `with` op(A), and the rows of the result are the columns of C:
 * arrays are stored by columns. */

/* A chain of products over the inner dimension, or a result that is updated by such a chain. With
 * the ordered local kernel the order within a computation is that of the chain; with a BLAS it is
 * open. Between computations it is the order of the steps. */
const struct summand__kernel *summand__gemm_kernel(bool blas, enum summand__product_type type,
                                                   bool turned_a, bool turned_b, bool updates);

/* Finishing of elements of C: biases, an activation, a caller's function. Only the rank that holds
 * the elements finishes them, so ranks may differ. */

/* The one element of the place SUMMAND__GEMM_FINISH. */
struct summand__gemm_finish {
    const void *row_bias, *column_bias; /* of local rows and columns, or NULL */
    int activation;                     /* in summand__activations */
    /* Of a rectangle of this rank's array, from element (row, column) on, or NULL. */
    void (*call)(void *context, void *elements, size_t row, size_t column,
                 const struct summand__rectangle *shape);
    void *context;
    const void *array; /* address of C, and elements from one column to the next */
    size_t lead;
};

/* to = finished to; `from` is the element above. */
extern const struct summand__kernel summand__gemm_finishes[SUMMAND__PRODUCT_TYPES];
