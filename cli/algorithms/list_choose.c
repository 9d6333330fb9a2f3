/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/algorithms/list_choose.h"

#include "cli/output/json.h"
#include <stdio.h>
#include <string.h>

#include "cli/algorithms/options_of_calls.h"
#include "cli/common/cli.h"
#include "cli/options/model.h"
#include "cli/options/promises.h"
#include "cli/output/setting.h"
#include "cli/output/table.h"
#include "cli/tune/comparison_outer.h"
#include "plan/options.h"

enum { ALGORITHMS = 64, RIVALS = 6, MOST_RANKS = 1 << 24 };

/* Each function makes one part of a machine free: the time saved is that part's cost. */
static void no_latency(struct summand__model *model)
{
    for (int i = 0; i < SUMMAND__REACHES; i++)
        model->level[i].latency = model->level[i].handshake = 0;
}

static void no_overhead(struct summand__model *model)
{
    for (int i = 0; i < SUMMAND__REACHES; i++)
        model->level[i].send = model->level[i].recv = model->level[i].gap = 0;
}

static void no_bytes(struct summand__model *model)
{
    for (int i = 0; i < SUMMAND__REACHES; i++)
        model->level[i].byte = 0;
}

static void no_work(struct summand__model *model)
{
    model->reduce_byte = model->copy_byte = 0;
}

static void no_products(struct summand__model *model)
{
    model->flop = model->write_byte = 0;
}

static const struct {
    const char *name;
    void (*take)(struct summand__model *model);
} costs[] = {
    {"latency", no_latency}, {"messages", no_overhead}, {"bytes", no_bytes},
    {"combining", no_work},  {"products", no_products},
};

enum { COSTS = sizeof costs / sizeof *costs };

/* The share of each cost in the estimate. Time that two costs hide from one another is in neither.
 * A cost that saves time has share 0: messages that start apart share a card for less time. */
static void shares_of(const struct summand__query *query, const struct summand__choice *choice,
                      double shares[COSTS])
{
    const struct summand__model whole = summand__query_model(query);
    const double all = summand__choice_seconds(query, choice, &whole);
    for (int i = 0; i < COSTS; i++) {
        struct summand__model model = whole;
        costs[i].take(&model);
        double left = summand__choice_seconds(query, choice, &model);
        shares[i] = left < all ? 1 - left / all : 0;
    }
}

/* Lists shares of a tenth or more, largest first. */
static void limits_text(const double shares[COSTS], char *text, size_t room)
{
    const double least = 0.1;
    bool told[COSTS] = {false};
    size_t used = 0;
    text[0] = 0;
    for (;;) {
        int largest = -1;
        for (int i = 0; i < COSTS; i++)
            if (!told[i] && shares[i] >= least && (largest < 0 || shares[i] > shares[largest]))
                largest = i;
        if (largest < 0 || used >= room)
            return;
        told[largest] = true;
        used += (size_t)snprintf(text + used, room - used, "%s%s %.0f %%", used ? ", " : "",
                                 costs[largest].name, 100 * shares[largest]);
    }
}

static void choice_text(const struct summand__choice *choice, char *text, size_t room)
{
    char parameters[160];
    comparison_parameters_text(choice->algorithm, choice->parameter, parameters, sizeof parameters);
    snprintf(text, room, "%s%s%s", choice->algorithm->name, *parameters ? " " : "", parameters);
}

static void put_row(const struct summand__query *query, long long size,
                    const struct summand__choice *choice, struct table *table)
{
    double shares[COSTS];
    char limits[160], text[200];
    shares_of(query, choice, shares);
    limits_text(shares, limits, sizeof limits);
    choice_text(choice, text, sizeof text);
    table_cell(table, "%lld", size);
    table_cell(table, "%.2f", choice->seconds * 1e6);
    table_cell(table, "%s", text);
    table_cell(table, "%s", limits);
}

/* Other algorithms by their estimates. */
static void print_rivals(const struct summand__choice *chosen,
                         const struct summand__choice *choices, int count)
{
    struct table table;
    putchar('\n');
    table_begin(&table, "us|<next best");
    for (int i = 0, told = 0; i < count && told < RIVALS; i++) {
        char text[200];
        if (choices[i].algorithm == chosen->algorithm)
            continue;
        told++;
        choice_text(&choices[i], text, sizeof text);
        table_cell(&table, "%.2f", choices[i].seconds * 1e6);
        table_cell(&table, "%s", text);
    }
    table_end(&table, stdout);
}

static json_t *choice_json(const struct summand__query *query, long long size,
                           const struct summand__choice *choice)
{
    double shares[COSTS];
    json_t *limits = json_object(), *parameters = json_object();
    shares_of(query, choice, shares);
    for (int i = 0; i < COSTS; i++)
        json_object_set_new(limits, costs[i].name, json_finite(shares[i]));
    for (int i = 0; i < SUMMAND__PARAMETERS; i++)
        if (choice->algorithm->limits[i].most && choice->parameter[i])
            json_object_set_new(parameters, summand__parameter_name((enum summand__parameter)i),
                                json_integer((json_int_t)choice->parameter[i]));
    return json_make("Isofo", query->outer ? "pairs" : "bytes", (json_int_t)size, "algorithm",
                     choice->algorithm->name, "parameters", parameters, "seconds", choice->seconds,
                     "limits", limits);
}

/* Reads nodes of any sizes. Ranks may be reordered unless their order is asked for. */
static bool read_nodes(const struct list_choose_options *options, struct summand__query *query,
                       struct nodes *nodes)
{
    if (!nodes_read("list", &options->nodes, options->ranks, options->node_size, nodes))
        return false;
    bool ordered = summand__keeps_order(query->collective, query->promises);
    query->grouping = summand__grouping_for(nodes->groupings, ordered);
    query->groupings = query->outer || query->gemm ? NULL : nodes->groupings;
    if (nodes->ranks) {
        query->ranks = nodes->ranks;
        query->node_size = (size_t)(query->grouping ? query->grouping->most : nodes->most);
    }
    return true;
}

/* Pairs in their order, unless any order is asked for. */
static bool read_outer(const struct list_choose_options *options, const struct parsing *parsing,
                       struct list_calls *calls)
{
    const bool outer = list_of_outer(calls);
    struct numbers pairs;
    if (!outer_form_read("list", parsing, outer, &options->outer, &calls->form, &pairs))
        return false;
    if (!outer)
        return true;
    if (!calls->form.rows)
        return !misuse("list", "--choose outer: needs --shape");
    if (option_given(parsing, "bytes") || option_given(parsing, "bytes-per-element"))
        return !misuse("list", "--choose outer: --bytes and --bytes-per-element are of "
                               "collectives of the MPI; --shape and --type give them");
    calls->sizes = pairs;
    calls->query.element = summand__outer_result_size(calls->form.type);
    calls->query.promises = option_given(parsing, "promise") &&
                                    promise_of_word[options->promise] == SUMMAND_PROMISE_SAME
                                ? 0
                                : SUMMAND__PAIR_ORDER;
    return true;
}

static bool read_calls(const struct list_choose_options *options, const struct parsing *parsing,
                       struct list_calls *calls, struct summand__model *model)
{
    struct summand__query *query = &calls->query;
    if (!call_collective_of("list", "choose", options->chosen, &query->collective))
        return false;
    if (query->collective == SUMMAND__COLL_GEMM)
        return !complain("list",
                         "--choose: gemm depends on more than bytes: 'summand predict -c gemm' "
                         "compares its algorithms");
    if (!read_numbers_by(options->bytes, 0, 1ll << 50, 4, &calls->sizes))
        return !complain("list", "--bytes: '%s' is not a list of at most %d sizes", options->bytes,
                         NUMBERS_MOST);
    query->ranks = (int)options->ranks;
    query->node_size = (size_t)options->node_size;
    query->processors = (int)options->processors;
    query->element = (size_t)options->element;
    query->promises = summand__promises_for(promise_of_word[options->promise]);
    if (!read_outer(options, parsing, calls) || !read_nodes(options, query, &calls->nodes))
        return false;
    if (!options->model && !options->set)
        return true;
    query->model = model;
    return model_get("list", options->model, options->set, model);
}

/* One row; for a single size, its rivals too. False when out of memory. */
static bool choose_one(const struct list_calls *calls, int number, struct table *table,
                       json_t *list)
{
    struct summand__choice choices[ALGORITHMS], chosen;
    struct summand__outer_example example = {.shape = {.layers = 0}};
    const long long size = calls->sizes.value[number];
    const struct summand__query query = list_query(calls, size, &example);
    const int count = summand__choices(&query, choices, ALGORITHMS);
    const bool good = count >= 1 && summand__choose(&query, &chosen);
    if (good && list)
        json_array_append_new(list, choice_json(&query, size, &chosen));
    else if (good)
        put_row(&query, size, &chosen, table);
    summand__outer_release(&example.shape);
    if (good && !list && calls->sizes.count == 1) {
        table_end(table, stdout);
        print_rivals(&chosen, choices, count);
    }
    return good;
}

static int choose_all(const struct list_calls *calls, bool json)
{
    struct table table;
    json_t *list = json ? json_array() : NULL;
    bool good = true;
    table_begin(&table, list_of_outer(calls) ? "pairs|us|<choice|<limited by"
                                             : "bytes|us|<choice|<limited by");
    for (int i = 0; i < calls->sizes.count && good; i++)
        good = choose_one(calls, i, &table, list);
    if (list || calls->sizes.count != 1 || !good)
        table_end(&table, list || !good ? NULL : stdout);
    if (!good) {
        json_decref(list);
        return complain("list", "out of memory");
    }
    if (!list)
        return 0;
    json_t *object = json_head("list");
    json_object_set_new(object, "choices", list);
    return write_json("list", object, NULL);
}

int list_choose(const struct list_choose_options *options, const struct parsing *parsing)
{
    struct list_calls calls = {.query = {0}};
    struct summand__model model;
    if (options->check && options->wrong > 0)
        return misuse("list", "--check and --wrong exclude each other");
    if (!read_calls(options, parsing, &calls, &model))
        return 2;
    int status = options->wrong > 0 ? list_wrong(&calls, options->wrong, options->json)
                 : options->check   ? list_check(&calls, options->json)
                                    : choose_all(&calls, options->json);
    nodes_free(&calls.nodes);
    return status;
}
