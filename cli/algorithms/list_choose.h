/* What the library chooses by itself, and why. */
#ifndef SUMMAND_CLI_ALGORITHMS_LIST_CHOOSE_H
#define SUMMAND_CLI_ALGORITHMS_LIST_CHOOSE_H

#include <stdbool.h>

#include "cli/common/nodes.h"
#include "cli/common/numbers.h"
#include "select/choose.h"

struct list_choose_options {
    const char *collective;
    long long ranks, node_size, processors, element;
    const char *bytes;
    int promise; /* index of list_choose_promises */
    const char *model, *set;
    struct node_options nodes;
    bool json, check;
};

extern const char *const list_choose_promises[];

/* Prints the choice with its estimates, one row per size, the rivals where there is one size. The
 * exit status. */
int list_choose(const struct list_choose_options *options);

/* The choice for each size, played, and the best that is known to the play. The exit status. */
int list_check(struct summand__query *query, const struct nodes *nodes, const struct numbers *bytes,
               bool json);

#endif
