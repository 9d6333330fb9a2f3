/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/bench/bench_choices.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "algorithm/call.h"
#include "algorithm/nearest.h"
#include "bench/need.h"
#include "cli/common/cli.h"
#include "cli/options/outer_options.h"
#include "cli/options/promises.h"
#include "select/choose.h"

static void set_parameter(summand_options *options, int which, long long value)
{
    int number = (int)(value > INT_MAX ? INT_MAX : value);
    if (which == SUMMAND__SEGMENT)
        options->segment = value;
    else
        *(which == SUMMAND__RADIX              ? &options->radix
          : which == SUMMAND__NODE_SIZE        ? &options->node_size
          : which == SUMMAND__INTER_NODE_RADIX ? &options->radix_between
                                               : &options->leaders) = number;
}

/* "segment=8k" */
static void read_parameter(struct bench_choice *choice, char *text, struct trouble *trouble)
{
    char *equals = strchr(text, '=');
    long long value;
    if (equals)
        *equals = '\0';
    for (int i = 0; i < SUMMAND__PARAMETERS; i++) {
        const struct summand__limits *limits = &choice->algorithm->limits[i];
        if (strcmp(text, summand__parameter_name((enum summand__parameter)i)) || !limits->most)
            continue;
        if (!equals || !parse_integer(equals + 1, &value) || value < 0 ||
            (size_t)value < limits->least || (size_t)value > limits->most)
            trouble_note(trouble, "--algorithms: %s: %s is not between %zu and %zu", choice->label,
                         text, limits->least, limits->most);
        else
            set_parameter(&choice->options, i, value);
        return;
    }
    trouble_note(trouble, "--algorithms: %s: %s has no parameter '%s'; see 'summand list'",
                 choice->label, choice->algorithm->name, text);
}

/* "check=detect"; false if it is something else. */
static bool read_check(struct bench_choice *choice, const char *text, struct trouble *trouble)
{
    if (strncmp(text, "check=", 6))
        return false;
    for (int i = 1; checked_words[i]; i++)
        if (!strcmp(text + 6, checked_words[i])) {
            choice->options.check = (enum summand_checked)i;
            return true;
        }
    trouble_note(trouble, "--algorithms: %s: '%s' is not check=off, detect or correct",
                 choice->label, text);
    return true;
}

/* "promise=exact", for auto. */
static void read_promise(struct bench_choice *choice, const char *text, struct trouble *trouble)
{
    const char *value = strncmp(text, "promise=", 8) ? "" : text + 8;
    for (int i = 0; promise_words_and_exact[i]; i++)
        if (!strcmp(value, promise_words_and_exact[i])) {
            choice->options.promise = promise_of_word[i];
            return;
        }
    trouble_note(trouble,
                 "--algorithms: %s: '%s' is not promise=any, rank-order, canonical or exact",
                 choice->label, text);
}

/* "ring", for the collectives inside. */
static void read_inside(struct bench_choice *choice, const char *text, struct trouble *trouble)
{
    char fault[256];
    const struct summand__algorithm *inside =
        outer_inside_named(choice->algorithm->name, text, fault);
    if (inside)
        choice->inside = inside->name;
    else
        trouble_note(trouble, "--algorithms: %s", fault);
}

struct reading {
    struct bench_choices *choices;
    enum summand_promise promise;
    const char *rival; /* of sums of outer products; NULL: of a collective */
    struct trouble *trouble;
};

static struct bench_choice *add(const struct reading *r, const char *label)
{
    struct bench_choices *choices = r->choices;
    for (int i = 0; i < choices->count; i++)
        if (!strcmp(choices->choice[i].label, label))
            return &choices->left_out; /* named twice, measured once */
    if (choices->count == TIMING_SUBJECTS || strlen(label) >= sizeof choices->left_out.label) {
        trouble_note(r->trouble, "--algorithms: more than %d, or a name too long", TIMING_SUBJECTS);
        return &choices->left_out;
    }
    struct bench_choice *choice = &choices->choice[choices->count++];
    *choice = (struct bench_choice){.options.promise = r->promise};
    snprintf(choice->label, sizeof choice->label, "%s", label);
    return choice;
}

static struct bench_choice *add_algorithm(const struct reading *r, const char *label,
                                          const struct summand__algorithm *algorithm, bool optional)
{
    struct bench_choice *choice = add(r, label);
    choice->algorithm = algorithm;
    choice->options.algorithm = algorithm->name;
    choice->optional = optional;
    return choice;
}

static void add_named(const struct reading *r, char *word)
{
    char label[sizeof r->choices->left_out.label], *rest = NULL;
    snprintf(label, sizeof label, "%s", word);
    const bool fits = strlen(word) < sizeof label;
    const char *name = strtok_r(word, ":", &rest);
    const struct summand__algorithm *algorithm = summand__algorithm_named(name ? name : "");
    if (!fits || !algorithm || (r->rival && !algorithm->build[SUMMAND__COLL_OUTER])) {
        trouble_note(r->trouble,
                     "--algorithms: '%s' is not all, auto, mpi%s that 'summand list' names%s",
                     name ? name : label, r->rival ? " or one for outer" : ", memory or one",
                     summand__nearest_algorithm(name ? name : label).text);
        return;
    }
    struct bench_choice *choice = add_algorithm(r, label, algorithm, false);
    for (char *text = strtok_r(NULL, ":", &rest); text; text = strtok_r(NULL, ":", &rest)) {
        if (r->rival)
            read_inside(choice, text, r->trouble);
        else if (!read_check(choice, text, r->trouble))
            read_parameter(choice, text, r->trouble);
    }
}

/* "auto:promise=canonical:check=detect" */
static void add_auto(const struct reading *r, char *word)
{
    struct bench_choice *choice = add(r, word);
    char *rest = NULL, *text = strtok_r(word + strlen("auto:"), ":", &rest);
    do
        if (!read_check(choice, text ? text : "", r->trouble))
            read_promise(choice, text ? text : "", r->trouble);
    while ((text = strtok_r(NULL, ":", &rest)));
}

static void add_all(const struct reading *r)
{
    add(r, "auto");
    add(r, r->rival ? r->rival : "mpi")->mpi = true;
    for (int i = 0; summand__algorithms[i]; i++)
        if (!r->rival || summand__algorithms[i]->build[SUMMAND__COLL_OUTER])
            add_algorithm(r, summand__algorithms[i]->name, summand__algorithms[i], true);
}

static void read_word(const struct reading *r, char *word)
{
    const char *mpi = r->rival ? r->rival : "mpi";
    if (!strcmp(word, "all"))
        add_all(r);
    else if (!strcmp(word, "auto"))
        add(r, word);
    else if (!strncmp(word, "auto:", 5) && !r->rival)
        add_auto(r, word);
    else if (!strcmp(word, "mpi") || !strcmp(word, mpi))
        add(r, mpi)->mpi = true;
    else if (!strcmp(word, "memory") && !r->rival)
        add(r, word)->memory = true;
    else if (!strncmp(word, "mpi-", 4) && r->rival)
        trouble_note(r->trouble, "--algorithms: for this result the MPI's is %s, not '%s'", mpi,
                     word);
    else
        add_named(r, word);
}

void bench_choices_read(const char *list, enum summand_promise promise, const char *rival,
                        struct bench_choices *choices, struct trouble *trouble)
{
    const struct reading r = {choices, promise, rival, trouble};
    char *copy = need(strdup(list)), *rest = NULL, *word = strtok_r(copy, ",", &rest);
    choices->count = 0;
    if (!word)
        trouble_note(trouble, "--algorithms: the list is empty");
    for (; word; word = strtok_r(NULL, ",", &rest))
        read_word(&r, word);
    free(copy);
}

bool bench_choice_does(const struct bench_choice *choice, const struct summand__call *call,
                       unsigned promises)
{
    if (!choice->algorithm)
        return true;
    struct summand__call own = *call;
    own.parameter[SUMMAND__SEGMENT] = (size_t)choice->options.segment;
    own.parameter[SUMMAND__RADIX] = (size_t)choice->options.radix;
    own.parameter[SUMMAND__NODE_SIZE] = (size_t)choice->options.node_size;
    own.parameter[SUMMAND__LEADERS] = (size_t)choice->options.leaders;
    own.parameter[SUMMAND__INTER_NODE_RADIX] = (size_t)choice->options.radix_between;
    return summand__promises_kept(choice->algorithm, call->collective, promises) &&
           summand__algorithm_does(choice->algorithm, &own);
}
