/* SPDX-License-Identifier: BSD-3-Clause */
/* What the library chooses by itself, and why. */
#ifndef SUMMAND_CLI_ALGORITHMS_LIST_CHOOSE_H
#define SUMMAND_CLI_ALGORITHMS_LIST_CHOOSE_H

#include <stdbool.h>

#include "cli/common/json.h"
#include "cli/common/nodes.h"
#include "cli/common/numbers.h"
#include "cli/common/table.h"
#include "cli/tune/comparison.h"
#include "select/choose.h"

struct list_choose_options {
    const char *collective;
    long long ranks, node_size, processors, element;
    const char *bytes;
    int promise; /* index of promise_words */
    const char *model, *set;
    struct node_options nodes;
    bool json, check;
    double wrong; /* 0: not given */
};

/* Prints the choice with its estimates, one row per size, the rivals where there is one size. The
 * exit status. */
int list_choose(const struct list_choose_options *options);

/* The choice for each size, played, and the best that is known to the play. The exit status. */
int list_check(struct summand__query *query, const struct nodes *nodes, const struct numbers *bytes,
               bool json);

/* The same where latency or time per byte between nodes is believed to be `factor` times as long or
 * as short: how much of the speed is left. The exit status. */
int list_wrong(struct summand__query *query, const struct nodes *nodes, const struct numbers *bytes,
               double factor, bool json);

/* How calls of the query are played, on its machine as it is. */
struct comparison_setup list_setup(const struct summand__query *query, const struct nodes *nodes);

/* "algorithm parameters", for a cell. */
void list_what(const struct summand__algorithm *algorithm,
               const size_t parameter[SUMMAND__PARAMETERS], char *text, size_t room);

/* The end of a list by sizes: prints the table, or the JSON object, which it takes; with `good`
 * false neither. The exit status. */
int list_end(struct table *table, json_t *object, bool good, bool json);

#endif
