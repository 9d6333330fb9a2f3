/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of outer products in predictions: the shape of a point, and the library's choice. */
#pragma once

#include "cli/tune/comparison.h"
#include "select/choose.h"

/* The form of a point: that of --shape with `count` pairs, or a square with `count` rows. */
struct summand__outer_form comparison_form(const struct comparison_setup *setup, size_t count);

/* Makes the shape with the library's choice of collectives and numbers inside, and sets `query` to
 * the sum. The query has all else: ranks, nodes, promises and the machine. No algorithm does the
 * sum if none runs the one that the form names inside. Release the shape afterwards. */
void comparison_outer(const struct summand__outer_form *form, const struct nodes *nodes,
                      struct summand__query *query, struct summand__outer_example *example);

/* The same for a point of the setup, in the order of pairs. `chosen`: the library's choice, NULL
 * if it has none; or NULL. */
void comparison_example(const struct comparison_setup *setup, int ranks, size_t count,
                        struct summand__outer_example *example,
                        const struct summand__algorithm **chosen);

/* The first result that the algorithm makes, whole ones first. */
enum summand__outer_result comparison_first_result(const struct summand__algorithm *algorithm);
