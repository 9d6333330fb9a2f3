/* What the library chooses by itself, and why. */
#ifndef SUMMAND_CLI_LIST_CHOOSE_H
#define SUMMAND_CLI_LIST_CHOOSE_H

#include <stdbool.h>

struct list_choose_options {
    const char *collective;
    long long ranks, node_size, element;
    const char *bytes;
    int promise; /* index of list_choose_promises */
    const char *model, *set;
    bool json;
};

extern const char *const list_choose_promises[];

/* Prints the choice with its estimates, one row per size, the rivals where there is one size. The
 * exit status. */
int list_choose(const struct list_choose_options *options);

#endif
