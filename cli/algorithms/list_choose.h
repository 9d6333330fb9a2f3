/* SPDX-License-Identifier: BSD-3-Clause */
/* What the library chooses by itself, and why. */
#pragma once

#include <stdbool.h>

#include "cli/options/nodes.h"
#include "cli/options/numbers.h"
#include "cli/options/outer_options.h"
#include "cli/output/json.h"
#include "cli/output/table.h"
#include "cli/tune/comparison.h"
#include "select/choose.h"

struct list_choose_options {
    const char *chosen;     /* the collective of the call */
    const char *collective; /* only for a list */
    long long ranks, node_size, processors, element;
    const char *bytes;
    int promise; /* index of promise_words */
    const char *model, *set;
    struct node_options nodes;
    struct outer_form_options outer;
    bool json, check;
    double wrong; /* 0: not given */
};

/* The calls whose choices are asked: sizes in bytes, or of a sum of outer products the pairs of
 * each rank. */
struct list_calls {
    struct summand__query query; /* of the first, without its size */
    struct nodes nodes;
    struct numbers sizes;
    struct summand__outer_form form; /* of outer */
};

static inline bool list_of_outer(const struct list_calls *calls)
{
    return calls->query.collective == SUMMAND__COLL_OUTER;
}

/* A call of this size. `example`: of outer; release its shape afterwards. */
struct summand__query list_query(const struct list_calls *calls, long long size,
                                 struct summand__outer_example *example);

/* Prints the choice with its estimates, one row per size; for a single size, the rivals too.
 * Returns the exit status. */
int list_choose(const struct list_choose_options *options, const struct parsing *parsing);

/* Prints the choice for each size, its simulated time, and the best simulated time. Returns the
 * exit status. */
int list_check(const struct list_calls *calls, bool json);

/* The same with latency or time per byte between nodes wrong by `factor`, up or down: prints the
 * remaining speed. Returns the exit status. */
int list_wrong(const struct list_calls *calls, double factor, bool json);

/* The setup that simulates the calls on their true machine. */
struct comparison_setup list_setup(const struct list_calls *calls);

/* "algorithm parameters", for a table cell. */
void list_what(const struct summand__algorithm *algorithm,
               const size_t parameter[SUMMAND__PARAMETERS], char *text, size_t room);

/* Ends a list by sizes and frees table and object: prints one of them if `good`. Returns the exit
 * status. */
int list_end(struct table *table, json_t *object, bool good, bool json);
