/* SPDX-License-Identifier: BSD-3-Clause */
#include "sum/store.h"

#include <stdlib.h>
#include <string.h>

#include "ordered/number.h"

enum summand__tree_kind summand__tree_kind_of(enum summand_kind kind)
{
    static const enum summand__tree_kind kinds[] = {[SUMMAND_KIND_SUM] = SUMMAND__TREE_SUM,
                                                    [SUMMAND_KIND_ASUM] = SUMMAND__TREE_ASUM,
                                                    [SUMMAND_KIND_DOT] = SUMMAND__TREE_DOT,
                                                    [SUMMAND_KIND_NRM2] = SUMMAND__TREE_SQUARES,
                                                    [SUMMAND_KIND_DOT_CONJUGATED] =
                                                        SUMMAND__TREE_DOT};
    return kinds[kind];
}

/* Stores the square root of a number, double or float. */
static void store_square_root(const void *square, bool single, void *result)
{
    double wide = 0;
    float narrow = 0;
    if (single)
        memcpy(&narrow, square, sizeof narrow);
    else
        memcpy(&wide, square, sizeof wide);
    wide = __builtin_sqrt(wide);
    narrow = __builtin_sqrtf(narrow);
    summand__number_store(single ? (const void *)&narrow : (const void *)&wide, single, result);
}

void summand__store_root(const void *root, enum summand_kind kind, bool single, bool complex,
                         void *result)
{
    static const double none[2] = {0, 0};
    const size_t width = single ? sizeof(float) : sizeof(double);
    const char *parts = root ? root : (const void *)none;
    if (kind == SUMMAND_KIND_NRM2)
        store_square_root(parts, single, result);
    else
        summand__number_store(parts, single, result);
    if (complex)
        summand__number_store(parts + width, single, (char *)result + width);
}

bool summand__keep_terms(const struct summand__sums_call *call, summand_term **terms,
                         struct summand__part **parts)
{
    size_t k = (size_t)call->k;
    *terms = calloc(k + 1, sizeof **terms);
    *parts = calloc(k + 1, sizeof **parts);
    if (!*terms || !*parts)
        return false;
    for (size_t i = 0; i < k; i++) {
        (*terms)[i] = summand__sums_term(call, (int)i);
        (*parts)[i] = (struct summand__part){call->terms[i].displacement, call->terms[i].count};
    }
    return true;
}

int summand__sums_layout(struct summand__state *state, const struct summand__sums_call *call,
                         int error, int tag, struct summand__part *parts, bool keep,
                         struct summand__layout *layout)
{
    struct summand__signature signature = {.count = 0};
    if (!parts && error == MPI_SUCCESS)
        error = summand_error_code(SUMMAND_ERR_MEMORY);
    if (error == MPI_SUCCESS)
        summand__sums_sign(call, &signature);
    return summand__layout_make(state, error, &signature, tag, call->k, parts, keep, layout);
}
