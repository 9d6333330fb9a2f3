/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/tune/comparison_outer.h"

#include "bench/need.h"
#include "outer/select.h"

struct summand__outer_form comparison_form(const struct comparison_setup *setup, size_t count)
{
    struct summand__outer_form form = setup->outer;
    if (form.rows)
        form.pairs = count;
    else
        form.rows = form.columns = count;
    return form;
}

void comparison_outer(const struct summand__outer_form *form, const struct nodes *nodes,
                      struct summand__query *query, struct summand__outer_example *example)
{
    const struct summand__call call = {.collective = SUMMAND__COLL_OUTER, .ranks = query->ranks};
    const struct summand__outer_part inside = {.algorithm = form->inside};
    struct summand__choice choice = {.algorithm = NULL};
    if (!summand__outer_example(example, form, query->ranks))
        need(NULL);
    example->shape.grouping = summand__grouping_for(nodes->groupings, false);
    example->shape.runs = summand__grouping_for(nodes->groupings, true);
    query->grouping = example->shape.grouping;
    const enum summand__selection selection =
        summand__select_outer(query, NULL, &example->shape, &inside, &call, &choice);
    if (selection != SUMMAND__SELECTED && !(selection == SUMMAND__NONE_SELECTED && form->inside))
        need(NULL);
    query->collective = SUMMAND__COLL_OUTER;
    query->bytes = query->element = summand__outer_result_size(form->type);
    query->outer = &example->shape;
    query->grouping = NULL; /* the shape's, for collectives inside */
}

void comparison_example(const struct comparison_setup *setup, int ranks, size_t count,
                        struct summand__outer_example *example,
                        const struct summand__algorithm **chosen)
{
    const struct summand__outer_form form = comparison_form(setup, count);
    struct summand__query query = {.ranks = ranks,
                                   .node_size = (size_t)setup->model.per_node,
                                   .promises = SUMMAND__PAIR_ORDER,
                                   .model = &setup->model};
    struct summand__choice choice;
    comparison_outer(&form, &setup->nodes, &query, example);
    const int choices = chosen ? summand__choices(&query, &choice, 1) : 1;
    if (choices < 0 || (!choices && !form.inside))
        need(NULL);
    if (chosen)
        *chosen = choices ? choice.algorithm : NULL;
}

enum summand__outer_result comparison_first_result(const struct summand__algorithm *algorithm)
{
    enum { FEW = 4 };
    static const struct nodes none;
    for (int result = 0; result < SUMMAND__OUTER_RESULTS; result++) {
        struct summand__outer_form form = {.rows = FEW, .columns = FEW, .pairs = 1};
        struct summand__outer_example example;
        struct summand__query query = {.ranks = FEW, .node_size = 1};
        form.result = (enum summand__outer_result)result;
        if (result == SUMMAND__OUTER_PARCELS)
            continue;
        comparison_outer(&form, &none, &query, &example);
        const struct summand__call call = {
            .collective = SUMMAND__COLL_OUTER, .ranks = FEW, .outer = &example.shape};
        const bool does = summand__algorithm_does(algorithm, &call);
        summand__outer_release(&example.shape);
        if (does)
            return form.result;
    }
    return SUMMAND__OUTER_ALL;
}
