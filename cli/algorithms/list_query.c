/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/algorithms/list_choose.h"

#include "cli/tune/comparison_outer.h"

struct summand__query list_query(const struct list_calls *calls, long long size,
                                 struct summand__outer_example *example)
{
    struct summand__query query = calls->query;
    struct summand__outer_form form = calls->form;
    form.pairs = query.bytes = (size_t)size;
    if (list_of_outer(calls))
        comparison_outer(&form, &calls->nodes, &query, example);
    return query;
}
