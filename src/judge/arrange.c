/* SPDX-License-Identifier: BSD-3-Clause */
/* Orders of terms, and their shares of parts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "judge/judge.h"

enum { SEED = 7 };

const char *summand_judge_order_name(enum summand_judge_order order)
{
    static const char *const names[SUMMAND_JUDGE_ORDERS] = {"as made", "reversed", "shuffled",
                                                            "dealt", "by size"};
    return order < SUMMAND_JUDGE_ORDERS ? names[order] : "?";
}

size_t summand__judge_share(size_t n, size_t parts, size_t i)
{
    return n / parts + (i < n % parts);
}

struct place {
    double size;
    size_t row;
};

static int smaller(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return x->size < y->size ? -1 : x->size > y->size ? 1 : (x->row > y->row) - (x->row < y->row);
}

static void order_rows(const double *x, size_t rows, size_t columns, size_t parts,
                       enum summand_judge_order order, struct place *places)
{
    size_t at = 0;
    for (size_t i = 0; i < rows; i++) {
        const double size = fabs(x[i * columns]);
        places[i] = (struct place){isnan(size) ? INFINITY : size, i};
    }
    if (order == SUMMAND_JUDGE_BY_SIZE)
        qsort(places, rows, sizeof *places, smaller);
    for (size_t i = 0; i < rows && order == SUMMAND_JUDGE_REVERSED; i++)
        places[i].row = rows - 1 - i;
    for (size_t p = 0; p < parts && order == SUMMAND_JUDGE_DEALT; p++)
        for (size_t i = p; i < rows; i += parts)
            places[at++].row = i;
    for (size_t i = rows; i > 1 && order == SUMMAND_JUDGE_SHUFFLED; i--) {
        const size_t j = (size_t)summand__judge_below(SEED, i, i);
        const struct place kept = places[i - 1];
        places[i - 1] = places[j];
        places[j] = kept;
    }
}

bool summand__judge_arrange(const double *x, size_t rows, size_t columns, size_t parts,
                            enum summand_judge_order order, double *y)
{
    struct place *places = malloc((rows + 1) * sizeof *places);
    if (!places)
        return false;
    order_rows(x, rows, columns, parts, order, places);
    for (size_t i = 0; i < rows; i++)
        memcpy(y + i * columns, x + places[i].row * columns, columns * sizeof *y);
    free(places);
    return true;
}
