/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares the choice with the best that a search by simulation finds. */
#include <stdio.h>
#include <string.h>

#include "cli/algorithms/list_choose.h"
#include "cli/common/cli.h"
#include "cli/output/progress.h"
#include "cli/output/setting.h"
#include "cli/output/table.h"
#include "cli/ranks/interrupt.h"
#include "cli/tune/comparison.h"

enum { ALGORITHMS = 64 };

/* Algorithms with an estimate this many times the choice's are not simulated. */
static const double hopeless = 2;

/* The simulation knows which ranks share a card; the choice divides a card evenly. */
static struct summand__model whole_cards(const struct summand__query *query)
{
    struct summand__query plain = *query;
    plain.grouping = NULL;
    if (query->grouping && query->node_size <= 1)
        plain.node_size = 2; /* keeps cards shared if ranks of a node are not neighbours */
    return summand__query_model(&plain);
}

struct comparison_setup list_setup(const struct list_calls *calls)
{
    const struct summand__query *query = &calls->query;
    struct comparison_setup setup = {.command = "list",
                                     .collective = query->collective,
                                     .element = query->element,
                                     .model = whole_cards(query),
                                     .tune = true,
                                     .most_bytes = 4000000000,
                                     .patience = 60};
    setup.nodes = calls->nodes;
    setup.outer = calls->form;
    setup.rank_order = query->promises != 0;
    setup.fixed[SUMMAND__NODE_SIZE] = query->node_size;
    return setup;
}

void list_what(const struct summand__algorithm *algorithm,
               const size_t parameter[SUMMAND__PARAMETERS], char *text, size_t room)
{
    char parameters[160];
    comparison_parameters_text(algorithm, parameter, parameters, sizeof parameters);
    snprintf(text, room, "%s%s%s", algorithm->name, *parameters ? " " : "", parameters);
}

int list_end(struct table *table, json_t *object, bool good, bool json)
{
    int status = 0;
    table_end(table, good && !json ? stdout : NULL);
    if (good && json)
        status = write_json("list", object, NULL);
    else
        json_decref(object);
    return interrupted() ? interrupt_say("list") : good ? status : 1;
}

/* One size: the choice, and the search's result. */
struct checked {
    double estimate, play, least; /* seconds */
    char chosen[200], best[200];
};

/* 0.05: the choice takes 5 % longer than the best. */
static double lost(const struct checked *checked)
{
    return checked->play / checked->least - 1;
}

static bool check_query(const struct list_calls *calls, const struct summand__query *query,
                        long long size, struct checked *checked)
{
    struct summand__choice choices[ALGORITHMS], chosen;
    struct comparison_setup setup = list_setup(calls);
    struct summand__predict predict = {0};
    int count = summand__choices(query, choices, ALGORITHMS), best = -1;
    struct comparison_entry least = {0};
    struct summand__call call = summand__query_call(query);
    setup.shape = query->outer;
    if (list_of_outer(calls))
        call.count = (size_t)size;
    if (count < 1 || !summand__choose(query, &chosen))
        return !complain("list", "out of memory");
    const bool ordered = setup.rank_order;
    setup.rank_order = ordered || chosen.runs;
    if (!comparison_predict(&setup, chosen.algorithm, chosen.parameter, call.ranks, call.count,
                            &predict))
        return interrupted() ? false
                             : !complain("list", "%s: %s", chosen.algorithm->name, predict.fault);
    setup.rank_order = ordered;
    least.seconds = predict.time; /* the search may miss the choice */
    memcpy(least.parameter, chosen.parameter, sizeof least.parameter);
    for (int i = 0; i < count && choices[i].seconds <= hopeless * choices[0].seconds; i++) {
        struct comparison_entry entry =
            comparison_best(&setup, choices[i].algorithm, call.ranks, call.count);
        if (entry.known && entry.seconds < least.seconds) {
            best = i;
            least = entry;
        }
    }
    const struct summand__model model = summand__query_model(query);
    *checked = (struct checked){summand__choice_seconds(query, &chosen, &model), predict.time,
                                least.seconds, "", ""};
    list_what(chosen.algorithm, chosen.parameter, checked->chosen, sizeof checked->chosen);
    list_what(best < 0 ? chosen.algorithm : choices[best].algorithm, least.parameter, checked->best,
              sizeof checked->best);
    return !interrupted();
}

static bool check_one(const struct list_calls *calls, long long size, struct checked *checked)
{
    struct summand__outer_example example = {.shape = {.layers = 0}};
    const struct summand__query query = list_query(calls, size, &example);
    const bool good = check_query(calls, &query, size, checked);
    summand__outer_release(&example.shape);
    return good;
}

static void put(const struct checked *checked, long long size, struct table *table)
{
    table_cell(table, "%lld", size);
    table_cell(table, "%.2f", checked->estimate * 1e6);
    table_cell(table, "%.2f", checked->play * 1e6);
    table_cell(table, "%.1f %%", 100 * lost(checked));
    table_cell(table, "%s", checked->chosen);
    if (!strcmp(checked->best, checked->chosen))
        return;
    table_cell(table, " ");
    table_cell(table, "best");
    table_cell(table, "%.2f", checked->least * 1e6);
    table_cell(table, " ");
    table_cell(table, "%s", checked->best);
}

static json_t *checked_json(const struct checked *checked, const struct list_calls *calls,
                            long long size)
{
    return json_make("Iffffss", list_of_outer(calls) ? "pairs" : "bytes", (json_int_t)size,
                     "estimate", checked->estimate, "play", checked->play, "best_play",
                     checked->least, "lost", lost(checked), "choice", checked->chosen, "best",
                     checked->best);
}

int list_check(const struct list_calls *calls, bool json)
{
    const struct numbers *sizes = &calls->sizes;
    struct table table;
    bool good = true;
    json_t *list = json_array();
    interrupt_listen();
    table_begin(&table,
                list_of_outer(calls)
                    ? "pairs|estimate/us|play/us|lost|<choice; below it the best, if another"
                    : "bytes|estimate/us|play/us|lost|<choice; below it the best, if another");
    for (int i = 0; i < sizes->count && good; i++) {
        struct checked checked;
        progress_show("list --check", i, sizes->count);
        good = check_one(calls, sizes->value[i], &checked);
        if (good && json)
            json_array_append_new(list, checked_json(&checked, calls, sizes->value[i]));
        else if (good)
            put(&checked, sizes->value[i], &table);
    }
    progress_show("list --check", 1, 1);
    good = good || interrupted();
    json_t *object = json_head("list");
    json_object_set_new(object, "checks", list);
    return list_end(&table, object, good, json);
}
