/* SPDX-License-Identifier: BSD-3-Clause */
/* A small witness: leaves out pieces of the rows as long as two cases still differ, the pieces ever
 * smaller (the idea of delta debugging: Zeller and Hildebrandt 2002). */
#include <stdlib.h>
#include <string.h>

#include "judge/judge.h"

struct shrinking {
    const struct summand__judge_trial *trial;
    struct summand_judge_case *pair;
    double *results; /* of two cases */
    int left;        /* runs that may still be made */
    enum summand__judge_end end;
};

/* True if the cases differ on these rows; then the pair has their results, in the first column that
 * differs. */
static bool differ(struct shrinking *shrinking, const double *x, size_t rows)
{
    const size_t columns = shrinking->trial->columns;
    double *const a = shrinking->results, *const b = a + columns;
    struct summand_judge_case pair[2] = {shrinking->pair[0], shrinking->pair[1]};
    shrinking->left -= 2;
    if (shrinking->trial->row_each)
        pair[0].parts = pair[1].parts = rows;
    for (int side = 0; side < 2; side++) {
        const enum summand__judge_end end =
            summand__judge_run(shrinking->trial, x, rows, &pair[side], side ? b : a);
        if (end == SUMMAND__JUDGE_FAILED)
            return false;
        shrinking->end = end;
        if (end != SUMMAND__JUDGE_DONE)
            return false;
    }
    for (size_t j = 0; j < columns; j++)
        if (!summand__judge_same(a[j], b[j])) {
            pair[0].result = a[j];
            pair[1].result = b[j];
            memcpy(shrinking->pair, pair, sizeof pair);
            return true;
        }
    return false;
}

/* Leaves out pieces of `piece` rows where it can. Returns the rows that stay. */
static size_t leave_out(struct shrinking *shrinking, double *x, double *fewer, size_t rows,
                        size_t piece)
{
    const size_t columns = shrinking->trial->columns;
    size_t at = 0;
    while (at + piece <= rows && rows > piece && shrinking->left >= 2 &&
           shrinking->end == SUMMAND__JUDGE_DONE) {
        memcpy(fewer, x, at * columns * sizeof *x);
        memcpy(fewer + at * columns, x + (at + piece) * columns,
               (rows - at - piece) * columns * sizeof *x);
        if (differ(shrinking, fewer, rows - piece)) {
            rows -= piece;
            memcpy(x, fewer, rows * columns * sizeof *x);
        } else
            at += piece;
    }
    return rows;
}

enum summand__judge_end summand__judge_shrink(const struct summand__judge_trial *trial,
                                              struct summand_judge_witness *witness)
{
    struct shrinking shrinking = {.trial = trial, .pair = witness->pair, .left = trial->shrinks};
    double *fewer = malloc(witness->terms * trial->columns * sizeof *fewer);
    shrinking.results = malloc(2 * trial->columns * sizeof *shrinking.results);
    for (size_t piece = witness->terms / 2;
         fewer && shrinking.results && piece > 0 && shrinking.left >= 2; piece /= 2)
        witness->terms = leave_out(&shrinking, witness->x, fewer, witness->terms, piece);
    free(fewer);
    free(shrinking.results);
    return shrinking.end;
}
