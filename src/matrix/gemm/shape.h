/* SPDX-License-Identifier: BSD-3-Clause */
/* A product of distributed matrices, C = alpha op(A) op(B) + beta C: the parts that ranks hold, and
 * the columns that they compute.
 *
 * Every rank that holds a part of C (its tile) computes columns of this tile. Ranks that hold only
 * A or B compute other columns of it, if `helps` is set, so that all have the same amount of work.
 */
#pragma once

#include "algorithm/algorithm.h"
#include "compute/product.h"
#include "shape/cyclic.h"

struct summand__gemm_operand {
    const struct summand__holder *holder; /* each rank at most once */
    int count;
    size_t lead; /* of this rank's array: elements from one column to the next */
    bool turned; /* transposed */
    bool shared; /* all ranks access the arrays of all holders in place; these have no gaps between
                    columns */
};

/* A job of a rank: computes columns [first, first + count) of the local array of one holder of C.
 * Or a box (boxes.h); then `holder` is -1: these columns of C and rows [row, row + rows), over
 * inner elements [k, k + inner) alone. */
struct summand__gemm_job {
    int holder, rank;
    int64_t first, count;
    int64_t row, rows, k, inner;
};

/* The number of parts into which gemm-boxes cuts the three dimensions; rows 0: no boxes. */
struct summand__gemm_boxes {
    int rows, columns, inner; /* parts */
    size_t panel, slots;      /* as below */
    double seconds;           /* estimated; 0: no estimate */
};

struct summand__gemm_shape {
    enum summand__product_type type;
    bool blas; /* local products by the BLAS; else in order */
    int64_t rows, columns, inner;
    double alpha, beta;
    struct summand__gemm_operand a, b, c;
    size_t block;  /* gemm-pairs: the greatest length of a piece in any dimension; 0: not cut */
    bool finishes; /* this rank finishes its elements of C (finish.h) */
    size_t finish; /* columns of C that are finished together; 0: all */
    bool helps;    /* ranks without C compute, too */
    size_t panel,
        slots;     /* inner elements of a panel, and panels for which a rank has room; 0: all */
    size_t chains; /* number of ranks that get a piece from its holder; the others get it from a
                      rank that has it; 0: all get it from the holder */
    size_t ramp; /* pieces into which the first panel is cut, because no rank computes before it has
                    arrived; 0 is 1 */
    size_t back; /* columns that a helper puts at a time; 0: all that it has computed */
    struct summand__gemm_boxes boxes;
    double seconds; /* estimated, with these panels; 0: no estimate */
    int64_t deep;   /* 0: jobs are columns of tiles; else jobs are boxes, and this is the most inner
                       elements of one (summand__gemm_deal_boxes) */
    /* Set by summand__gemm_prepare. By rank; a rank's jobs are in order. */
    struct summand__gemm_job *job;
    int jobs;
    size_t slot, results; /* most elements of a slot, and of the results that others put */
};

/* Deals out the jobs. False when out of memory; even then call summand__gemm_release. */
bool summand__gemm_prepare(struct summand__gemm_shape *shape);
void summand__gemm_release(struct summand__gemm_shape *shape);

/* The inner elements of the product: none if alpha is 0. */
static inline int64_t summand__gemm_inner(const struct summand__gemm_shape *shape)
{
    return shape->alpha == 0 ? 0 : shape->inner;
}

/* The most elements of the inner dimension in a panel; panels of a job; and inner elements
 * [k, k + count) of one of them, none if a box is shorter than others. */
int64_t summand__gemm_panel(const struct summand__gemm_shape *shape);
int64_t summand__gemm_panels(const struct summand__gemm_shape *shape);
void summand__gemm_panel_range(const struct summand__gemm_shape *shape,
                               const struct summand__gemm_job *job, int64_t panel, int64_t *k,
                               int64_t *count);

/* A rank's jobs: the first one, and their number. */
const struct summand__gemm_job *summand__gemm_jobs_of(const struct summand__gemm_shape *shape,
                                                      int rank, size_t *count);

/* Sets the number of chains with the least estimated time between nodes of a model (panels_pays.c);
 * 0: holders put all pieces at the beginning, which `direct` allows. Chains need a ring of slots.
 * If a rank has two jobs there are no chains, because the others would wait for its second job, and
 * `seconds` is not set. False when out of memory. */
bool summand__gemm_chains(struct summand__gemm_shape *shape, int ranks,
                          const struct summand__model *model, bool direct);

/* Inputs of the width of panels (panels_width.c). */
struct summand__gemm_terms {
    int ranks;
    const struct summand__model *model; /* of the network, if there are several nodes */
    size_t memory;                      /* bytes for the slots of a rank; 0: 256 MiB */
    size_t panel;                       /* a width that is given, or 0 */
    int parts;                          /* of the inner dimension, as A has them */
    bool one_node;
    bool parts_add;   /* sums may be added by parts, so boxes are considered */
    bool only_faster; /* boxes that cannot be faster are left out */
};

/* Bytes. */
static inline size_t summand__gemm_memory(const struct summand__gemm_terms *terms)
{
    return terms->memory ? terms->memory : (size_t)256 << 20;
}

/* Deals out the jobs, as summand__gemm_prepare does, and sets `panel`, `slots`, `chains`, `ramp`
 * and `back`. */
bool summand__gemm_lay_out(struct summand__gemm_shape *shape,
                           const struct summand__gemm_terms *terms);

/* True if a job's columns are computed in the holder's array, possibly another rank's. */
static inline bool summand__gemm_in_place(const struct summand__gemm_shape *shape,
                                          const struct summand__gemm_job *job)
{
    return shape->c.shared && job->holder >= 0;
}

/* Panels of all jobs of a rank. */
size_t summand__gemm_stages(const struct summand__gemm_shape *shape, int rank);

/* True if the result is alpha op(A) op(B) + beta C, and not the product itself. */
static inline bool summand__gemm_updates(const struct summand__gemm_shape *shape)
{
    return shape->alpha != 1 || shape->beta != 0;
}

/* Columns of a job that a helper puts at a time, at least 1. */
int64_t summand__gemm_back(const struct summand__gemm_shape *shape,
                           const struct summand__gemm_job *job);

/* The number of a rank among the holders, or -1. */
int summand__gemm_holder(const struct summand__gemm_operand *operand, int rank);

/* Leading dimension of a holder's array; if the operand is not shared, of this rank's array. */
size_t summand__gemm_lead(const struct summand__gemm_operand *operand, int holder);

/* Rows and columns of a holder's local array. */
void summand__gemm_extent(const struct summand__holder *holder, int64_t *rows, int64_t *columns);

/* The default example of lists, predictions and drawings: square matrices of doubles with one block
 * on each rank, A and C on the first half of the ranks, B on the others. With a model, panels are
 * those of the library between nodes. NULL: four panels of any width, without chains. Release it
 * afterwards. False when out of memory. */
struct summand__gemm_square {
    struct summand__gemm_shape shape;
    struct summand__holder *holders;
};
bool summand__gemm_square(struct summand__gemm_square *square, size_t size, int ranks,
                          const struct summand__model *model);
/* Matrices for gemm-pairs on the same ranks: A is size x inner, B inner x size, in blocks that each
 * grid's ranks hold in turn; `block` rows or columns of C, and `inner_block` inner elements.
 * Release it, too. */
bool summand__gemm_dealt(struct summand__gemm_square *square, size_t size, size_t inner,
                         size_t block, size_t inner_block, int ranks);
void summand__gemm_square_release(struct summand__gemm_square *square);
