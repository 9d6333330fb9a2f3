/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of an operand that a job needs, and the piece of it that a holder has. */
#pragma once

#include "compute/combs.h"
#include "matrix/gemm/shape.h"

enum summand__gemm_side { SUMMAND__GEMM_A, SUMMAND__GEMM_B, SUMMAND__GEMM_SIDES };

/* A need is for one panel: indices [begin, end) of a share of rows or columns of C, `count` of
 * them, and [k, k + inner) of the inner dimension. */
struct summand__gemm_need {
    enum summand__gemm_side side;
    struct summand__share outer;
    int64_t begin, end, base, count; /* base: the first one's offset in the share */
    int64_t k, inner;
};

/* The piece of a need that a holder has: combs of rows and columns of its local array. The other
 * end of the combs is the packed piece (SENDER), the panel that is filled from the packed piece
 * (RECEIVER), or the panel that is filled from the holder's own array (LOCAL). */
struct summand__gemm_piece {
    struct summand__combs rows, columns;
    size_t outer, inner; /* indices */
    bool inner_rows;     /* rows of the local array are the inner dimension */
};

const struct summand__gemm_operand *summand__gemm_operand(const struct summand__gemm_shape *shape,
                                                          enum summand__gemm_side side);

/* True if rows of the operand's arrays are the inner dimension. */
bool summand__gemm_inner_rows(const struct summand__gemm_shape *shape,
                              enum summand__gemm_side side);

struct summand__gemm_need summand__gemm_needs(const struct summand__gemm_shape *shape,
                                              const struct summand__gemm_job *job, int64_t panel,
                                              enum summand__gemm_side side);

/* Makes the piece; the caller frees it. False if there is none, or out of memory (then
 * `*failed`). */
bool summand__gemm_piece(const struct summand__gemm_shape *shape,
                         const struct summand__gemm_need *need, int holder, enum summand__view view,
                         struct summand__gemm_piece *piece, bool *failed);
void summand__gemm_piece_free(struct summand__gemm_piece *piece);

/* Indices in [begin, end) that two shares have in common. */
size_t summand__gemm_overlap(const struct summand__share *a, const struct summand__share *b,
                             int64_t begin, int64_t end);

/* Elements of the piece. */
size_t summand__gemm_common(const struct summand__gemm_shape *shape,
                            const struct summand__gemm_need *need, int holder);

/* Leading dimension of a packed piece, and of a panel that has the whole need. */
size_t summand__gemm_packed_lead(const struct summand__gemm_piece *piece);
size_t summand__gemm_panel_lead(const struct summand__gemm_shape *shape,
                                const struct summand__gemm_need *need);

/* True if two needs are for the same elements. */
bool summand__gemm_same_need(const struct summand__gemm_need *a,
                             const struct summand__gemm_need *b);
