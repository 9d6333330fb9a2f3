/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/bench/bench_choices.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "algorithm/call.h"
#include "algorithm/nearest.h"
#include "bench/need.h"
#include "cli/common/cli.h"
#include "cli/common/promises.h"
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

static struct bench_choice *add(struct bench_choices *choices, const char *label,
                                enum summand_promise promise, struct trouble *trouble)
{
    for (int i = 0; i < choices->count; i++)
        if (!strcmp(choices->choice[i].label, label))
            return &choices->left_out; /* named twice, measured once */
    if (choices->count == TIMING_SUBJECTS) {
        trouble_note(trouble, "--algorithms: more than %d", TIMING_SUBJECTS);
        return &choices->left_out;
    }
    struct bench_choice *choice = &choices->choice[choices->count++];
    *choice = (struct bench_choice){.options.promise = promise};
    snprintf(choice->label, sizeof choice->label, "%s", label);
    return choice;
}

static void add_named(struct bench_choices *choices, const struct summand__algorithm *algorithm,
                      const char *label, bool optional, enum summand_promise promise,
                      struct trouble *trouble)
{
    struct bench_choice *choice = add(choices, label, promise, trouble);
    choice->algorithm = algorithm;
    choice->options.algorithm = algorithm->name;
    choice->optional = optional;
}

static void read_one(struct bench_choices *choices, char *word, enum summand_promise promise,
                     struct trouble *trouble)
{
    char name[sizeof choices->choice->label], *rest = NULL;
    bool all = !strcmp(word, "all"), automatic = all || !strcmp(word, "auto");
    if (!strncmp(word, "auto:", 5))
        read_promise(add(choices, word, promise, trouble), word + 5, trouble);
    if (automatic)
        add(choices, "auto", promise, trouble);
    if (all || !strcmp(word, "mpi"))
        add(choices, "mpi", promise, trouble)->mpi = true;
    if (!strcmp(word, "memory"))
        add(choices, "memory", promise, trouble)->memory = true;
    for (int i = 0; all && summand__algorithms[i]; i++)
        add_named(choices, summand__algorithms[i], summand__algorithms[i]->name, true, promise,
                  trouble);
    if (automatic || !strncmp(word, "auto:", 5) || !strcmp(word, "mpi") || !strcmp(word, "memory"))
        return;
    snprintf(name, sizeof name, "%s", word);
    strtok_r(name, ":", &rest);
    const struct summand__algorithm *algorithm = summand__algorithm_named(name);
    if (!algorithm || strlen(word) >= sizeof name) {
        trouble_note(trouble,
                     "--algorithms: '%s' is not all, auto, mpi, memory or one that 'summand list' "
                     "names%s",
                     name, summand__nearest_algorithm(name).text);
        return;
    }
    add_named(choices, algorithm, word, false, promise, trouble);
    struct bench_choice *choice = &choices->choice[choices->count - 1];
    for (char *text = strtok_r(NULL, ":", &rest); text; text = strtok_r(NULL, ":", &rest))
        read_parameter(choice, text, trouble);
}

void bench_choices_each(const char *list, void (*read)(void *context, char *word), void *context,
                        struct trouble *trouble)
{
    char *copy = need(strdup(list)), *rest = NULL, *word = strtok_r(copy, ",", &rest);
    if (!word)
        trouble_note(trouble, "--algorithms: the list is empty");
    for (; word; word = strtok_r(NULL, ",", &rest))
        read(context, word);
    free(copy);
}

struct reading {
    struct bench_choices *choices;
    enum summand_promise promise;
    struct trouble *trouble;
};

static void read_word(void *context, char *word)
{
    const struct reading *r = context;
    read_one(r->choices, word, r->promise, r->trouble);
}

void bench_choices_read(const char *list, enum summand_promise promise,
                        struct bench_choices *choices, struct trouble *trouble)
{
    choices->count = 0;
    bench_choices_each(list, read_word, &(struct reading){choices, promise, trouble}, trouble);
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
