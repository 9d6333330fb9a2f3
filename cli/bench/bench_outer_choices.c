/* SPDX-License-Identifier: BSD-3-Clause */
/* The methods that `summand bench outer` compares. */
#include <stdlib.h>
#include <string.h>

#include "algorithm/algorithm.h"
#include "algorithm/nearest.h"
#include "bench/need.h"
#include "cli/bench/bench_choices.h"
#include "cli/bench/bench_outer.h"

const char *outer_rival(enum summand__outer_result result)
{
    return result == SUMMAND__OUTER_ALL    ? "mpi-allreduce"
           : result == SUMMAND__OUTER_ROOT ? "mpi-reduce"
                                           : "mpi-reduce-scatter";
}

static struct outer_choice *add(struct outer_choices *choices, const char *label,
                                struct trouble *trouble)
{
    for (int i = 0; i < choices->count; i++)
        if (!strcmp(choices->choice[i].label, label))
            return &choices->left_out; /* named twice, measured once */
    if (choices->count == TIMING_SUBJECTS || strlen(label) >= sizeof choices->left_out.label) {
        trouble_note(trouble, "--algorithms: more than %d, or a name too long", TIMING_SUBJECTS);
        return &choices->left_out;
    }
    struct outer_choice *choice = &choices->choice[choices->count++];
    *choice = (struct outer_choice){.ordered = true};
    snprintf(choice->label, sizeof choice->label, "%s", label);
    return choice;
}

static void add_algorithm(struct outer_choices *choices, const char *label,
                          const struct summand__algorithm *algorithm, bool optional,
                          struct trouble *trouble)
{
    struct outer_choice *choice = add(choices, label, trouble);
    choice->algorithm = algorithm->name;
    choice->optional = optional;
    choice->ordered = algorithm->promises & SUMMAND__PAIR_ORDER;
    choice->apart = !(algorithm->promises & SUMMAND__SAME_BITS);
}

static void add_named(struct outer_choices *choices, const char *word, struct trouble *trouble)
{
    char name[96];
    snprintf(name, sizeof name, "%s", word);
    char *inside = strchr(name, ':');
    if (inside)
        *inside++ = '\0';
    const struct summand__algorithm *algorithm = summand__algorithm_named(name), *of_inside = NULL;
    if (inside)
        of_inside = summand__algorithm_named(inside);
    if (!algorithm || !algorithm->build[SUMMAND__COLL_OUTER]) {
        trouble_note(trouble,
                     "--algorithms: '%s' is not all, auto, mpi or one for outer that 'summand "
                     "list' names%s",
                     name, summand__nearest_algorithm(name).text);
        return;
    }
    if (inside && (!of_inside || of_inside->build[SUMMAND__COLL_OUTER])) {
        trouble_note(trouble, "--algorithms: %s: '%s' is not an algorithm of a collective inside%s",
                     name, inside, summand__nearest_algorithm(inside).text);
        return;
    }
    add_algorithm(choices, word, algorithm, false, trouble);
    if (of_inside)
        choices->choice[choices->count - 1].inside = of_inside->name;
}

static void read_one(struct outer_choices *choices, const char *word,
                     enum summand__outer_result result, struct trouble *trouble)
{
    const char *rival = outer_rival(result);
    bool all = !strcmp(word, "all");
    if (all || !strcmp(word, "auto"))
        add(choices, "auto", trouble);
    if (all || !strcmp(word, "mpi") || !strcmp(word, rival)) {
        struct outer_choice *choice = add(choices, rival, trouble);
        choice->mpi = true;
        choice->ordered = false;
    } else if (!strncmp(word, "mpi-", 4)) {
        trouble_note(trouble, "--algorithms: for this result the MPI's is %s, not '%s'", rival,
                     word);
    } else if (strcmp(word, "auto")) {
        add_named(choices, word, trouble);
    }
    for (int i = 0; all && summand__algorithms[i]; i++)
        if (summand__algorithms[i]->build[SUMMAND__COLL_OUTER])
            add_algorithm(choices, summand__algorithms[i]->name, summand__algorithms[i], true,
                          trouble);
}

struct reading {
    struct outer_choices *choices;
    enum summand__outer_result result;
    struct trouble *trouble;
};

static void read_word(void *context, char *word)
{
    const struct reading *r = context;
    read_one(r->choices, word, r->result, r->trouble);
}

void outer_choices_read(const char *list, enum summand__outer_result result,
                        struct outer_choices *choices, struct trouble *trouble)
{
    choices->count = 0;
    bench_choices_each(list, read_word, &(struct reading){choices, result, trouble}, trouble);
}
