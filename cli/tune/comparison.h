/* SPDX-License-Identifier: BSD-3-Clause */
/* Predictions of all algorithms that do a call, on one machine, for many rank counts or sizes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "cli/options/nodes.h"
#include "cli/options/numbers.h"
#include "outer/algorithm/shape.h"
#include "play/simulate_call.h"

enum { COMPARED_ALGORITHMS = 64 };

struct comparison_setup {
    const char *command; /* named in messages */
    enum summand__collective collective;
    struct numbers ranks, counts;     /* one of them has one number; counts are pairs if `outer` has
                                         rows */
    struct summand__outer_form outer; /* of a sum of outer products; 0 rows: squares of the count */
    /* Of a sum of outer products, with the choice of what is inside. NULL: by the model. */
    const struct summand__outer_shape *shape;
    long long root;
    size_t element; /* bytes */
    struct summand__model model;
    struct nodes nodes; /* if nodes are given: any sizes, any order */
    const char *model_name;
    const char *only;                  /* this algorithm; NULL: all */
    bool rank_order;                   /* only those that keep rank order */
    bool combines;                     /* as it runs if messages of a node are combined */
    bool tune;                         /* try radices and leaders too, not only segments */
    size_t fixed[SUMMAND__PARAMETERS]; /* 0: free */
    size_t most_bytes;
    double patience; /* seconds of processor time for one prediction; 0: no limit */
};

/* One algorithm at one point, with its best parameters. */
struct comparison_entry {
    bool known; /* it does the call and was predicted */
    size_t parameter[SUMMAND__PARAMETERS];
    double seconds;
    size_t messages[SUMMAND__REACHES], bytes[SUMMAND__REACHES];
};

struct comparison_crossing {
    long long at; /* the first count, or rank count, at which `after` is faster */
    bool exact;   /* else somewhere up to `at` */
    int before, after;
};

struct comparison {
    const struct comparison_setup *setup;
    int algorithms, points;
    const struct summand__algorithm *algorithm[COMPARED_ALGORITHMS];
    struct comparison_entry *entries; /* [algorithm][point] */
    int best[NUMBERS_MOST];           /* algorithm, or -1 */
    int chosen[NUMBERS_MOST]; /* of a sum of outer products: the library's choice; else -1 */
    int crossings;
    struct comparison_crossing crossing[NUMBERS_MOST];
};

int comparison_ranks(const struct comparison_setup *setup, int point);
size_t comparison_count(const struct comparison_setup *setup, int point);
bool comparison_by_ranks(const struct comparison_setup *setup);
/* "ranks", "elements" or "pairs": what the points count. */
const char *comparison_axis(const struct comparison_setup *setup);
const struct comparison_entry *comparison_at(const struct comparison *comparison, int algorithm,
                                             int point);

/* Reports omitted predictions on stderr, with reasons. After Ctrl-C leaves out incomplete
 * points. */
bool comparison_run(const struct comparison_setup *setup, struct comparison *comparison);
void comparison_free(struct comparison *comparison);

/* False if this algorithm would do the first point, but not with the one that the setup names
 * inside. */
bool comparison_runs_inside(const struct comparison_setup *setup,
                            const struct summand__algorithm *algorithm);

/* Predicts one algorithm with these parameters for a call with this number of ranks and
 * elements. */
bool comparison_predict(const struct comparison_setup *setup,
                        const struct summand__algorithm *algorithm,
                        const size_t parameter[SUMMAND__PARAMETERS], int ranks, size_t count,
                        struct summand__predict *predict);

/* The algorithm's best parameters: the search of the automatic choice, with predictions instead of
 * estimates; .known is false if it does not do the call. */
struct comparison_entry comparison_best(const struct comparison_setup *setup,
                                        const struct summand__algorithm *algorithm, int ranks,
                                        size_t count);

/* " segment=1024 radix=4": the parameters that the algorithm has. */
void comparison_parameters_text(const struct summand__algorithm *algorithm,
                                const size_t parameter[SUMMAND__PARAMETERS], char *text,
                                size_t room);

void comparison_print(const struct comparison *comparison);
void comparison_csv(const struct comparison *comparison);
int comparison_json(const struct comparison *comparison);
bool comparison_svg(const struct comparison *comparison, const char *path);
