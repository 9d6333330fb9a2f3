/* SPDX-License-Identifier: BSD-3-Clause */
/* Options that name a call and a machine, shared by `predict` and `draw`. */
#pragma once

#include "cli/common/cli.h"
#include "cli/options/outer_options.h"
#include "cli/tune/comparison.h"

struct call_options {
    const char *ranks, *count;
    const char *collective; /* NULL: reduce */
    long long element, per_node, root;
    struct node_options nodes;
    struct outer_form_options outer;
    const char *algorithm, *model, *set, *parameters;
};

#define CALL_OPTIONS(o)                                                                            \
    CALL_OPTIONS_OF(o, "LIST", "rank counts, such as 16..576+16",                                  \
                    "elements (of each block where there are blocks), such as 1..1m:4")

/* The same for one rank count and one size, in other words. */
#define CALL_OPTIONS_OF(o, number, ranks_help, count_help)                                         \
    {"ranks", 'p', OPTION_TEXT, &(o).ranks, number, ranks_help, NULL},                             \
        {"per-node", 'k', OPTION_INT, &(o).per_node, "K", "ranks per node; else the model's",      \
         NULL,       1,   1 << 24},                                                                \
        NODE_OPTIONS((o).nodes), OUTER_OPTIONS((o).outer),                                         \
        {"count", 'n', OPTION_TEXT, &(o).count, number, count_help, NULL},                         \
        {"bytes-per-element",                                                                      \
         0,                                                                                        \
         OPTION_INT,                                                                               \
         &(o).element,                                                                             \
         "B",                                                                                      \
         "bytes of an element; those of a sum of outer products have --type",                      \
         NULL,                                                                                     \
         1,                                                                                        \
         1 << 20},                                                                                 \
        {"collective", 'c',                                                                        \
         OPTION_TEXT,  &(o).collective,                                                            \
         "NAME",       "reduce, allreduce, scan, bcast, reduce_scatter, ...",                      \
         NULL},                                                                                    \
        {"root", 'r', OPTION_INT, &(o).root, "R", "root rank", NULL, 0, (1 << 24) - 1},            \
        {"algorithm", 'a',                                                                         \
         OPTION_TEXT, &(o).algorithm,                                                              \
         "NAME",      "only this algorithm; outer-allreduce:ring: and ring inside",                \
         NULL},                                                                                    \
        {"parameters", 'P',                                                                        \
         OPTION_TEXT,  &(o).parameters,                                                            \
         "LIST",       "parameters, such as segment=1000,radix=4",                                 \
         NULL},                                                                                    \
        {"model",    0,           OPTION_TEXT,                                                     \
         &(o).model, "NAME|FILE", "ib36x16, eth48, node, unit, one-port, or a file",               \
         NULL},                                                                                    \
    {                                                                                              \
        "set", 0, OPTION_TEXT, &(o).set, "LIST", "numbers that replace the model's", NULL          \
    }

/* Reads a collective's name, given by an option. Returns false after a complaint. */
bool call_collective_of(const char *command, const char *option, const char *word,
                        enum summand__collective *collective);
/* The same of --collective; `standard` if it is not given. */
bool call_collective(const char *command, const struct call_options *options,
                     enum summand__collective standard, enum summand__collective *collective);

/* Fills ranks, counts, root, element, model, only, fixed, and the form of a sum of outer products;
 * `setup` has the collective. The caller frees `nodes`. Returns false after a complaint. */
bool call_setup(const char *command, const struct parsing *parsing,
                const struct call_options *options, struct comparison_setup *setup);
