/* SPDX-License-Identifier: BSD-3-Clause */
/* The loss of choices by a wrong model: choices by wrong numbers, simulated on the true machine. */
#include <stdio.h>
#include <string.h>

#include "cli/algorithms/list_choose.h"
#include "cli/common/cli.h"
#include "cli/output/progress.h"
#include "cli/output/setting.h"
#include "cli/output/table.h"
#include "cli/ranks/interrupt.h"

static void change_latency(struct summand__model *model, double factor)
{
    for (int reach = SUMMAND__NETWORK; reach < SUMMAND__REACHES; reach++)
        model->level[reach].latency *= factor;
}

static void change_byte(struct summand__model *model, double factor)
{
    for (int reach = SUMMAND__NETWORK; reach < SUMMAND__REACHES; reach++)
        model->level[reach].byte *= factor;
}

/* The wrong belief about the network, in words and as a JSON name; `shorter`: less than the
 * truth. */
static const struct {
    const char *words, *name;
    void (*change)(struct summand__model *model, double factor);
    bool shorter;
} beliefs[] = {
    {"latency long", "latency_long", change_latency, false},
    {"short", "latency_short", change_latency, true},
    {"bytes slow", "bytes_slow", change_byte, false},
    {"fast", "bytes_fast", change_byte, true},
};
enum { BELIEFS = sizeof beliefs / sizeof *beliefs };

/* A choice and its seconds on the true machine. */
struct made {
    struct summand__choice choice;
    double seconds;
};

struct outcome {
    double right, wrong[BELIEFS]; /* seconds */
    char chosen[200], worst[200]; /* worst: of the wrong choices */
};

static bool play(const struct comparison_setup *calls, const struct summand__choice *choice,
                 const struct summand__query *query, double *seconds)
{
    struct summand__predict predict = {0};
    struct summand__call call = summand__query_call(query);
    struct comparison_setup setup = *calls;
    setup.rank_order |= choice->runs;
    if (!comparison_predict(&setup, choice->algorithm, choice->parameter, call.ranks, call.count,
                            &predict))
        return interrupted() ? false
                             : !complain("list", "%s: %s", choice->algorithm->name, predict.fault);
    *seconds = predict.time;
    return true;
}

static bool choose(const struct summand__query *query, struct summand__choice *choice)
{
    return summand__choose(query, choice) || !complain("list", "out of memory");
}

static bool same(const struct summand__choice *a, const struct summand__choice *b)
{
    return a->algorithm == b->algorithm && a->runs == b->runs &&
           !memcmp(a->parameter, b->parameter, sizeof a->parameter);
}

/* By the numbers of `model`; NULL: the right ones. The choice `right` is not simulated again. But
 * those of sums of outer products also differ in the collectives inside, so they are. */
static bool make(const struct list_calls *calls, long long size, const struct summand__model *model,
                 const struct made *right, struct made *made)
{
    struct summand__outer_example example = {.shape = {.layers = 0}};
    struct comparison_setup setup = list_setup(calls);
    struct list_calls misled = *calls;
    if (model)
        misled.query.model = model;
    const struct summand__query query = list_query(&misled, size, &example);
    setup.shape = query.outer;
    bool good = choose(&query, &made->choice);
    if (good && right && !query.outer && same(&made->choice, &right->choice))
        made->seconds = right->seconds;
    else
        good = good && play(&setup, &made->choice, &query, &made->seconds);
    summand__outer_release(&example.shape);
    return good;
}

static bool believe(const struct list_calls *calls, long long size, double factor,
                    struct outcome *outcome)
{
    const struct comparison_setup setup = list_setup(calls);
    struct made right, wrong;
    double slowest = 0;
    if (!make(calls, size, NULL, NULL, &right))
        return false;
    outcome->right = right.seconds;
    list_what(right.choice.algorithm, right.choice.parameter, outcome->chosen,
              sizeof outcome->chosen);
    memcpy(outcome->worst, outcome->chosen, sizeof outcome->worst);
    for (int i = 0; i < BELIEFS; i++) {
        struct summand__model model = setup.model;
        beliefs[i].change(&model, beliefs[i].shorter ? 1 / factor : factor);
        if (!make(calls, size, &model, &right, &wrong))
            return false;
        outcome->wrong[i] = wrong.seconds;
        if (wrong.seconds > slowest) {
            slowest = wrong.seconds;
            list_what(wrong.choice.algorithm, wrong.choice.parameter, outcome->worst,
                      sizeof outcome->worst);
        }
    }
    return true;
}

/* Calls without elements take no time. */
static double times_as_fast(double right, double wrong)
{
    return right == wrong ? 1 : right / wrong;
}

static void put(const struct outcome *outcome, long long size, struct table *table)
{
    table_cell(table, "%lld", size);
    table_cell(table, "%.2f", outcome->right * 1e6);
    for (int i = 0; i < BELIEFS; i++)
        table_cell(table, "%.2f", times_as_fast(outcome->right, outcome->wrong[i]));
    table_cell(table, "%s", outcome->chosen);
    if (!strcmp(outcome->chosen, outcome->worst))
        return;
    for (int i = 0; i < BELIEFS + 1; i++)
        table_cell(table, " ");
    table_cell(table, "worst");
    table_cell(table, "%s", outcome->worst);
}

static json_t *outcome_json(const struct outcome *outcome, const char *unit, long long size)
{
    json_t *object = json_make("Ifss", unit, (json_int_t)size, "play", outcome->right, "choice",
                               outcome->chosen, "worst", outcome->worst);
    for (int i = 0; i < BELIEFS; i++)
        json_object_set_new(object, beliefs[i].name, json_finite(outcome->wrong[i]));
    return object;
}

int list_wrong(const struct list_calls *calls, double factor, bool json)
{
    const struct numbers *sizes = &calls->sizes;
    const char *unit = list_of_outer(calls) ? "pairs" : "bytes";
    struct table table;
    bool good = true;
    json_t *list = json_array();
    char head[200];
    snprintf(head, sizeof head, "%s|play/us|%s|%s|%s|%s|<choice; below it the slowest wrong one",
             unit, beliefs[0].words, beliefs[1].words, beliefs[2].words, beliefs[3].words);
    interrupt_listen();
    table_begin(&table, head);
    for (int i = 0; i < sizes->count && good; i++) {
        struct outcome outcome = {0};
        progress_show("list --wrong", i, sizes->count);
        good = believe(calls, sizes->value[i], factor, &outcome);
        if (good && json)
            json_array_append_new(list, outcome_json(&outcome, unit, sizes->value[i]));
        else if (good)
            put(&outcome, sizes->value[i], &table);
    }
    progress_show("list --wrong", 1, 1);
    good = good || interrupted();
    if (good && !json)
        print_remark("Times as fast as the choice by the right numbers, where latency or time per "
                     "byte between nodes is believed to be %g times as long or as short%s:",
                     factor,
                     list_of_outer(calls) ? "; the collectives inside are chosen anew, too" : "");
    json_t *object = json_head("list");
    json_object_set_new(object, "factor", json_finite(factor));
    json_object_set_new(object, "wrong", list);
    return list_end(&table, object, good, json);
}
