/* SPDX-License-Identifier: BSD-3-Clause */
/* Options that name a sum of outer products, shared by `predict`, `draw` and `list --choose`. */
#pragma once

#include "cli/common/cli.h"
#include "cli/options/numbers.h"
#include "outer/algorithm/shape.h"

struct outer_form_options {
    const char *shape, *pairs;
    int result, type; /* index of the names */
};

/* Words of results, in the order of enum summand__outer_result, and of types; the last is NULL. */
extern const char *const outer_result_names[], *const outer_type_names[];
/* ", in rows": where a result goes, for sentences; "" for whole ones. */
extern const char *const outer_result_ends[];

#define OUTER_OPTIONS(o)                                                                             \
    {"shape",    0,     OPTION_TEXT,                                                                 \
     &(o).shape, "N,M", "of sums of outer products: rows and columns; else squares of --count",      \
     NULL},                                                                                          \
        {"pairs",     0,                                                                             \
         OPTION_TEXT, &(o).pairs,                                                                    \
         "LIST",      "of sums of outer products: pairs of each rank, else 1; with --shape several", \
         NULL},                                                                                      \
        {"result",          0,     OPTION_CHOICE,                                                    \
         &(o).result,       "WHO", "of sums of outer products: which ranks get which part",          \
         outer_result_names},                                                                        \
    {                                                                                                \
        "type", 0, OPTION_CHOICE, &(o).type, "TYPE", "of sums of outer products: of the factors",    \
            outer_type_names                                                                         \
    }

/* Reads the form; without --shape it has 0 rows, for squares. `pairs`: those of --pairs. Returns
 * false after a complaint; also if an option was given, but the call is not such a sum
 * (`outer`). */
bool outer_form_read(const char *command, const struct parsing *parsing, bool outer,
                     const struct outer_form_options *options, struct summand__outer_form *form,
                     struct numbers *pairs);

/* Cuts "outer-allreduce:ring" into the name of a sum of outer products and that of an algorithm
 * inside, which it returns; NULL: there is no colon. */
enum { OUTER_NAME_MOST = 96 };
const char *outer_name_cut(const char *word, char name[OUTER_NAME_MOST]);
/* The algorithm inside. Returns NULL, and writes what is wrong, if a sum cannot have it. */
const struct summand__algorithm *outer_inside_named(const char *word, const char *inside,
                                                    char fault[256]);

/* "784 x 512 doubles, 16 pairs of each rank, in rows" */
void outer_form_text(const struct summand__outer_form *form, char *text, size_t room);
