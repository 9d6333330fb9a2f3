/* What a product of distributed matrices is about: C = alpha op(A) op(B) + beta C, who holds what,
 * and who computes what.
 *
 * Every rank that holds something of C computes columns of its own tile of C; ranks that hold only
 * A or B help them with others, where that is asked for, so that all have equally much to do. */
#ifndef SUMMAND_ALGORITHM_GEMM_SHAPE_H
#define SUMMAND_ALGORITHM_GEMM_SHAPE_H

#include "algorithm/algorithm.h"
#include "kernel/product.h"
#include "shape/cyclic.h"

struct summand__gemm_operand {
    const struct summand__holder *holder; /* a rank at most once */
    int count;
    size_t lead; /* of this rank's array: elements from one column to the next */
    bool turned; /* it enters transposed */
    bool shared; /* all ranks reach the arrays of all holders where they lie; these have no gaps
                    between columns */
};

/* Columns [first, first + count) of the local array of one holder of C, made by a rank. */
struct summand__gemm_job {
    int holder, rank;
    int64_t first, count;
};

struct summand__gemm_shape {
    enum summand__product_type type;
    bool blas; /* local products by the BLAS; else in order */
    int64_t rows, columns, inner;
    double alpha, beta;
    struct summand__gemm_operand a, b, c;
    size_t block;  /* gemm-pairs: pieces are no longer than that in any dimension; 0: as they are */
    bool finishes; /* this rank's elements of C, when they are there (finish.h) */
    size_t finish; /* columns of C at a time whose last step is taken together; 0: all */
    bool helps;    /* whether ranks without C compute, too */
    size_t panel, slots; /* of the inner dimension at a time, and how many of these a rank has room
                            for; 0: all */
    size_t chains; /* so many ranks get a piece from its holder, each of the others from another one
                      that has it; 0: all from the holder */
    size_t ramp;   /* pieces that the first panel is cut into: nobody computes before it has come; 0
                    is 1 */
    size_t back;   /* columns that a helper puts at a time; 0: all that it has made */
    /* Set by summand__gemm_prepare. By rank; a rank's jobs are in order. */
    struct summand__gemm_job *job;
    int jobs;
    size_t slot, results; /* elements of a slot, and of the results that others put, at most */
};

/* Deals the jobs out. False when out of memory; to be released all the same. */
bool summand__gemm_prepare(struct summand__gemm_shape *shape);
void summand__gemm_release(struct summand__gemm_shape *shape);

/* The inner elements that count: none where alpha is 0. */
static inline int64_t summand__gemm_inner(const struct summand__gemm_shape *shape)
{
    return shape->alpha == 0 ? 0 : shape->inner;
}

/* The most elements of the inner dimension in a panel; panels; and inner elements [k, k + count) of
 * one of them. */
int64_t summand__gemm_panel(const struct summand__gemm_shape *shape);
int64_t summand__gemm_panels(const struct summand__gemm_shape *shape);
void summand__gemm_panel_range(const struct summand__gemm_shape *shape, int64_t panel, int64_t *k,
                               int64_t *count);

/* A rank's jobs: the first one, and how many. */
const struct summand__gemm_job *summand__gemm_jobs_of(const struct summand__gemm_shape *shape,
                                                      int rank, size_t *count);

/* How many chains are estimated to take least time between nodes of a model, as far as cards and
 * computing are busy (panels_pays.c); 0: with holders that put all pieces at the beginning, which
 * `direct` allows. With chains goes a ring of slots; there are none where a rank has two jobs: it
 * would go through one of them while others go through theirs, and then keep them waiting with the
 * other one. False when out of memory. */
bool summand__gemm_chains(struct summand__gemm_shape *shape, int ranks,
                          const struct summand__model *model, bool direct);

/* What panels are cut for (panels_width.c). */
struct summand__gemm_terms {
    int ranks;
    const struct summand__model *model; /* of the network, where there are several nodes */
    size_t memory;                      /* bytes for the slots of a rank; 0: 256 MiB */
    size_t panel;                       /* a width that is given, or 0 */
    int parts;                          /* of the inner dimension, as A has them */
    bool one_node;
};

/* Deals the jobs out, as summand__gemm_prepare does, and sets `panel`, `slots`, `chains`, `ramp`
 * and `back`. */
bool summand__gemm_lay_out(struct summand__gemm_shape *shape,
                           const struct summand__gemm_terms *terms);

/* Panels of all jobs of a rank. */
size_t summand__gemm_stages(const struct summand__gemm_shape *shape, int rank);

/* Whether the result is alpha op(A) op(B) + beta C, and not the product itself. */
static inline bool summand__gemm_updates(const struct summand__gemm_shape *shape)
{
    return shape->alpha != 1 || shape->beta != 0;
}

/* Columns of a job that a helper puts at a time, at least 1. */
int64_t summand__gemm_back(const struct summand__gemm_shape *shape,
                           const struct summand__gemm_job *job);

/* The holder that a rank is, or -1. */
int summand__gemm_holder(const struct summand__gemm_operand *operand, int rank);

/* Elements from one column of a holder's array to the next; where it is not shared, of this rank's.
 */
size_t summand__gemm_lead(const struct summand__gemm_operand *operand, int holder);

/* Rows and columns of a holder's local array. */
void summand__gemm_extent(const struct summand__holder *holder, int64_t *rows, int64_t *columns);

/* The product of square matrices of doubles with one block on each rank: A and C on the first half
 * of the ranks, B on the others; what is listed, predicted and drawn where nothing else is said.
 * With a model panels are those of the library between nodes. NULL: four panels, however narrow
 * they are, and nothing is passed on. To be released. False when out of memory. */
struct summand__gemm_square {
    struct summand__gemm_shape shape;
    struct summand__holder *holders;
};
bool summand__gemm_square(struct summand__gemm_square *square, size_t size, int ranks,
                          const struct summand__model *model);
void summand__gemm_square_release(struct summand__gemm_square *square);

#endif
