/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/algorithms/options_of_calls.h"

#include <stdlib.h>
#include <string.h>

#include "algorithm/call.h"
#include "algorithm/nearest.h"
#include "base/nearest.h"
#include "bench/need.h"
#include "cli/options/model.h"

enum { MOST_RANKS = 1 << 24 };

bool call_collective_of(const char *command, const char *option, const char *word,
                        enum summand__collective *collective)
{
    char names[256] = "";
    struct summand__nearest nearest = summand__nearest_to(word);
    for (int c = 0; c < SUMMAND__COLLECTIVES; c++) {
        const char *name = summand__collective_name((enum summand__collective)c);
        size_t used = strlen(names);
        if (!strcmp(word, name)) {
            *collective = (enum summand__collective)c;
            return true;
        }
        snprintf(names + used, sizeof names - used, "%s%s", used ? "|" : "", name);
        summand__nearest_try(&nearest, name);
    }
    return !complain(command, "--%s: '%s' is not one of %s%s", option, word, names,
                     summand__nearest_text(&nearest).text);
}

bool call_collective(const char *command, const struct call_options *options,
                     enum summand__collective standard, enum summand__collective *collective)
{
    *collective = standard;
    return !options->collective ||
           call_collective_of(command, "collective", options->collective, collective);
}

static int parameter_named(const char *name)
{
    for (int i = 0; i < SUMMAND__PARAMETERS; i++)
        if (!strcmp(name, summand__parameter_name((enum summand__parameter)i)))
            return i;
    return -1;
}

/* A value outside every algorithm's range is an error, and is not adjusted silently. */
static bool in_some_range(const struct comparison_setup *setup, int parameter, long long value)
{
    for (int i = 0; summand__algorithms[i]; i++) {
        const struct summand__limits *limits = &summand__algorithms[i]->limits[parameter];
        if (setup->only && strcmp(setup->only, summand__algorithms[i]->name))
            continue;
        if (limits->most && (size_t)value >= limits->least && (size_t)value <= limits->most)
            return true;
    }
    return false;
}

static bool read_parameters(const char *command, const char *text, struct comparison_setup *setup)
{
    if (!*text)
        return !complain(command, "--parameters: '' is not a list such as segment=1000,radix=4");
    static const char all[] = "segment, radix, node, leaders";
    char *copy = need(strdup(text)), *rest = NULL;
    bool good = true;
    for (char *one = strtok_r(copy, ",", &rest); good && one; one = strtok_r(NULL, ",", &rest)) {
        char *equals = strchr(one, '=');
        if (equals)
            *equals = 0;
        int which = parameter_named(one);
        struct numbers value;
        if (which < 0)
            good = !complain(command, "--parameters: '%s' is not one of %s%s", one, all,
                             summand__nearest_in(one, all).text);
        else if (!equals)
            good = !complain(command, "--parameters: '%s' has no value; %s=1000 has one", one, one);
        else if (!read_numbers(equals + 1, 1, 1ll << 60, &value) || value.count != 1 ||
                 !in_some_range(setup, which, value.value[0]))
            good = !complain(command, "--parameters: %s=%s is in no algorithm's range", one,
                             equals + 1);
        else
            setup->fixed[which] = (size_t)value.value[0];
    }
    free(copy);
    return good;
}

/* Given nodes determine the number of ranks. */
static bool read_nodes(const char *command, const struct call_options *options,
                       struct comparison_setup *setup)
{
    struct numbers *ranks = &setup->ranks;
    if (!nodes_read(command, &options->nodes, ranks->value[0], (long long)setup->model.per_node,
                    &setup->nodes))
        return false;
    if (!setup->nodes.ranks)
        return true;
    if (!options->nodes.sizes && ranks->count > 1)
        return !complain(command, "--placement: needs one rank count, or --nodes");
    if (options->root >= setup->nodes.ranks)
        return !complain(command, "--root: no rank %lld among %d", options->root,
                         setup->nodes.ranks);
    ranks->count = 1;
    ranks->value[0] = setup->nodes.ranks;
    setup->model.per_node = setup->nodes.most;
    return true;
}

static bool check_numbers(const char *command, const struct call_options *options,
                          struct comparison_setup *setup)
{
    if (!read_numbers(options->ranks, 1, MOST_RANKS, &setup->ranks))
        return !complain(command,
                         "--ranks: '%s' is not a list of at most %d rank counts from 1 to %d",
                         options->ranks, NUMBERS_MOST, MOST_RANKS);
    if (!read_numbers(options->count, 0, 1ll << 40, &setup->counts))
        return !complain(command, "--count: '%s' is not a list of at most %d counts from 0 to 2^40",
                         options->count, NUMBERS_MOST);
    for (int i = 0; i < setup->ranks.count; i++)
        if (!options->nodes.sizes && options->root >= setup->ranks.value[i])
            return !complain(command, "--root: no rank %lld among %lld", options->root,
                             setup->ranks.value[i]);
    return true;
}

/* After the counts are read: with a shape these are pairs. */
static bool read_outer(const char *command, const struct parsing *parsing,
                       const struct call_options *options, struct comparison_setup *setup)
{
    const bool outer = setup->collective == SUMMAND__COLL_OUTER;
    struct numbers pairs;
    if (!outer_form_read(command, parsing, outer, &options->outer, &setup->outer, &pairs))
        return false;
    if (setup->collective >= SUMMAND__MPI_COLLECTIVES)
        setup->element = sizeof(double);
    if (!outer)
        return true;
    setup->element = summand__outer_result_size(setup->outer.type);
    if (option_given(parsing, "bytes-per-element"))
        return !misuse(command, "--bytes-per-element: --type gives the elements of outer");
    if (!setup->outer.rows)
        return true;
    if (option_given(parsing, "count"))
        return !misuse(command, "--count and --shape exclude each other; --pairs may be a list");
    setup->counts = pairs;
    return true;
}

/* The algorithm, and the one inside: "outer-allreduce:ring". */
static bool read_algorithm(const char *command, const char *word, struct comparison_setup *setup)
{
    char name[OUTER_NAME_MOST], fault[256];
    const char *inside = outer_name_cut(word, name);
    const struct summand__algorithm *algorithm = summand__algorithm_named(name);
    if (!algorithm)
        return !complain(command, "%s: no such algorithm%s; 'summand list' names them", name,
                         summand__nearest_algorithm(name).text);
    setup->only = algorithm->name;
    if (!inside)
        return true;
    if (!algorithm->build[SUMMAND__COLL_OUTER])
        return !complain(command, "%s: %s has no algorithm inside", word, name);
    setup->outer.inside = outer_inside_named(word, inside, fault);
    return setup->outer.inside || !complain(command, "%s", fault);
}

bool call_setup(const char *command, const struct parsing *parsing,
                const struct call_options *options, struct comparison_setup *setup)
{
    setup->command = command;
    setup->root = options->root;
    setup->element = (size_t)options->element;
    setup->model_name = options->model ? options->model : model_entries[0].name;
    if (!check_numbers(command, options, setup) || !read_outer(command, parsing, options, setup) ||
        (options->algorithm && !read_algorithm(command, options->algorithm, setup)) ||
        !model_get(command, options->model, options->set, &setup->model) ||
        (options->parameters && !read_parameters(command, options->parameters, setup)))
        return false;
    if (options->per_node)
        setup->model.per_node = (double)options->per_node;
    if (!read_nodes(command, options, setup))
        return false;
    long long most = 0;
    for (int i = 0; i < setup->ranks.count; i++)
        most = setup->ranks.value[i] > most ? setup->ranks.value[i] : most;
    if ((double)most > setup->model.per_node && model_is_of_one_node(options->model, &setup->model))
        complain(command,
                 "warning: %s was measured on one node: its times between nodes say nothing",
                 options->model);
    return true;
}
