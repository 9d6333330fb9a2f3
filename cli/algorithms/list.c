/* SPDX-License-Identifier: BSD-3-Clause */
/* summand list: the algorithms. */
#include "cli/algorithms/list.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "algorithm/nearest.h"
#include "algorithm/table.h"
#include "bench/need.h"
#include "cli/algorithms/list_choose.h"
#include "cli/algorithms/options_of_calls.h"
#include "cli/common/cli.h"
#include "cli/options/promises.h"
#include "cli/output/json.h"
#include "cli/output/setting.h"
#include "cli/output/table.h"
#include "cli/tune/comparison_outer.h"
#include "matrix/gemm/shape.h"
#include "plan/options.h"

extern const struct command command_list;

/* Options that describe the call for which a choice is asked. */
static const char *const of_choose[] = {
    "ranks", "node-size",         "nodes", "placement", "processors", "bytes",  "model", "set",
    "check", "bytes-per-element", "wrong", "shape",     "pairs",      "result", "type",  NULL};

/* The algorithms that are listed. */
struct filter {
    int collective;     /* -1: any */
    unsigned promises;  /* which all of them keep */
    char *const *names; /* none: all */
    int count;
    bool whole; /* every fact, not only a row of a table */
};

static bool listed(const struct filter *filter, int index)
{
    const struct summand__algorithm *algorithm = summand__algorithms[index];
    bool named = !filter->count;
    for (int i = 0; i < filter->count; i++)
        named = named || !strcmp(filter->names[i], algorithm->name);
    return named && (filter->collective < 0 || algorithm->build[filter->collective]) &&
           (algorithm->promises & filter->promises) == filter->promises;
}

static void join(char *text, size_t room, const char *separator, const char *more)
{
    size_t used = strlen(text);
    snprintf(text + used, room - used, "%s%s", used ? separator : "", more);
}

static void join_all(const char *const *names, char *text, size_t room)
{
    text[0] = 0;
    for (; *names; names++)
        join(text, room, ", ", *names);
}

void list_collectives(const summand_algorithm *algorithm, char *text, size_t room)
{
    join_all(algorithm->collectives, text, room);
}

void list_promises(const summand_algorithm *algorithm, char *text, size_t room)
{
    join_all(algorithm->promises, text, room);
    if (!*text)
        snprintf(text, room, "none");
}

void list_parameters(const summand_algorithm *algorithm, char *text, size_t room)
{
    const char *segment = summand__parameter_name(SUMMAND__SEGMENT);
    text[0] = 0;
    for (const summand_parameter *p = algorithm->parameters; p->name; p++) {
        char one[96], most[24] = "", standard[24] = "whole vector";
        bool cuts = !strcmp(p->name, segment);
        if (p->most < INT_MAX)
            snprintf(most, sizeof most, "%zu", p->most);
        if (!cuts || (p->standard && p->standard < INT_MAX))
            snprintf(standard, sizeof standard, "%zu", p->standard);
        int used = snprintf(one, sizeof one, "%s %zu..%s [%s]", p->name, p->least, most, standard);
        if (cuts)
            snprintf(one + used, sizeof one - (size_t)used, ", at most %d of them",
                     SUMMAND__MOST_SEGMENTS);
        join(text, room, "; ", one);
    }
}

bool list_cost(const struct summand__algorithm *algorithm, enum summand__collective collective,
               struct summand__cost *cost)
{
    size_t offsets[LIST_RANKS + 1];
    struct summand__call call = {
        .collective = collective, .ranks = LIST_RANKS, .count = LIST_COUNT, .offsets = offsets};
    for (size_t r = 0; r <= LIST_RANKS; r++)
        offsets[r] = r * LIST_COUNT;
    struct summand__outer_example example = {.shape = {.layers = 0}};
    struct summand__gemm_square product = {.holders = NULL};
    bool memory = true;
    if (collective == SUMMAND__COLL_OUTER) {
        static const struct nodes none;
        const struct summand__outer_form form = {.rows = LIST_COUNT,
                                                 .columns = LIST_COUNT,
                                                 .pairs = 1,
                                                 .result = comparison_first_result(algorithm)};
        struct summand__query query = {.ranks = LIST_RANKS, .node_size = 1};
        comparison_outer(&form, &none, &query, &example);
        call.outer = &example.shape;
    } else if (collective == SUMMAND__COLL_GEMM) {
        memory = summand__gemm_square(&product, LIST_COUNT, LIST_RANKS, NULL);
        call.gemm = &product.shape;
    }
    bool does = memory && summand__algorithm_does(algorithm, &call);
    if (does)
        *cost = summand__cost_of(algorithm, &call);
    need(memory && !(does && cost->unknown) ? &call : NULL);
    summand__outer_release(&example.shape);
    summand__gemm_square_release(&product);
    return does;
}

static json_t *parameters_json(const summand_parameter *p)
{
    json_t *list = json_array();
    for (; p->name; p++)
        json_array_append_new(list,
                              json_make("sfff", "name", p->name, "least", (double)p->least, "most",
                                        (double)p->most, "default", (double)p->standard));
    return list;
}

static json_t *names_json(const char *const *names)
{
    json_t *list = json_array();
    for (; *names; names++)
        json_array_append_new(list, json_text(*names));
    return list;
}

static json_t *algorithm_json(int index)
{
    const struct summand__algorithm *algorithm = summand__algorithms[index];
    const summand_algorithm *shown = summand_algorithm_at(index);
    json_t *costs = json_array();
    for (int c = 0; c < SUMMAND__COLLECTIVES; c++) {
        const char *name = summand__collective_name((enum summand__collective)c);
        struct summand__cost cost;
        if (algorithm->build[c] && list_cost(algorithm, (enum summand__collective)c, &cost))
            json_array_append_new(
                costs, json_make("siiIII", "collective", name, "ranks", LIST_RANKS, "count",
                                 LIST_COUNT, "messages", (json_int_t)cost.messages, "elements",
                                 (json_int_t)cost.elements, "depth", (json_int_t)cost.depth));
    }
    return json_make("sssboooo", "name", shown->name, "description", shown->description, "source",
                     shown->source, "commutative_only", summand__needs_commutative(algorithm),
                     "collectives", names_json(shown->collectives), "promises",
                     names_json(shown->promises), "parameters", parameters_json(shown->parameters),
                     "costs", costs);
}

static int print_json(const struct filter *filter)
{
    json_t *list = json_array(), *object = json_head("list");
    for (int i = 0; summand__algorithms[i]; i++)
        if (listed(filter, i))
            json_array_append_new(list, algorithm_json(i));
    json_object_set_new(object, "algorithms", list);
    return write_json("list", object, NULL);
}

/* Prints text behind "    name        "; long text continues on lines below. */
static void print_fact(const char *name, const char *text)
{
    printf("    %-12s", name);
    print_wrapped(text, 16, stdout);
}

static void print_costs(const struct summand__algorithm *algorithm)
{
    for (int c = 0; c < SUMMAND__COLLECTIVES; c++) {
        const char *name = summand__collective_name((enum summand__collective)c);
        struct summand__cost cost;
        if (!algorithm->build[c])
            continue;
        if (list_cost(algorithm, (enum summand__collective)c, &cost))
            print_line("    %-21s%zu messages, %zu elements, depth %zu", name, cost.messages,
                       cost.elements, cost.depth);
        else
            print_line("    %-21snot for %d ranks", name, LIST_RANKS);
    }
}

static void print_whole(const struct filter *filter)
{
    char text[512];
    print_remark("Costs of a call on %d ranks with %d elements (of each block, if there are "
                 "blocks): messages and elements that all ranks send together, and the longest "
                 "chain of messages.",
                 LIST_RANKS, LIST_COUNT);
    for (int i = 0; summand__algorithms[i]; i++) {
        const struct summand__algorithm *algorithm = summand__algorithms[i];
        if (!listed(filter, i))
            continue;
        printf("\n%s\n    ", algorithm->name);
        print_wrapped(algorithm->description, 4, stdout);
        list_promises(summand_algorithm_at(i), text, sizeof text);
        print_fact("promises", text);
        list_parameters(summand_algorithm_at(i), text, sizeof text);
        if (*text)
            print_fact("parameters", text);
        print_fact("source", algorithm->source);
        print_costs(algorithm);
    }
}

static void print_short(const struct filter *filter)
{
    char text[512];
    struct table table;
    table_begin(&table, "<algorithm|<promises|<collectives");
    for (int i = 0; summand__algorithms[i]; i++) {
        if (!listed(filter, i))
            continue;
        table_cell(&table, "%s", summand__algorithms[i]->name);
        list_promises(summand_algorithm_at(i), text, sizeof text);
        table_cell(&table, "%s", text);
        list_collectives(summand_algorithm_at(i), text, sizeof text);
        table_cell(&table, "%s", text);
    }
    table_end(&table, stdout);
    print_remark("'summand list NAME' describes one; --all all of them; -c and --promise filter.");
}

/* Returns false after a complaint. */
static bool read_filter(const struct list_choose_options *options, struct filter *filter)
{
    const struct call_options call = {.collective = options->collective};
    enum summand__collective collective;
    bool any = false;
    if (!call_collective("list", &call, SUMMAND__COLL_ALLREDUCE, &collective))
        return false;
    filter->collective = options->collective ? (int)collective : -1;
    filter->promises = summand__promises_for(promise_of_word[options->promise]);
    for (int i = 0; i < filter->count; i++)
        if (!summand__algorithm_named(filter->names[i]))
            return misuse("list", "%s: no such algorithm%s; 'summand list' names them",
                          filter->names[i], summand__nearest_algorithm(filter->names[i]).text),
                   false;
    for (int i = 0; summand__algorithms[i]; i++)
        any = any || listed(filter, i);
    return any || !complain("list", "no algorithm is all of this");
}

static int list(const struct list_choose_options *options, struct filter *filter)
{
    if (!read_filter(options, filter))
        return 2;
    if (options->json)
        return print_json(filter);
    if (filter->whole || filter->count)
        print_whole(filter);
    else
        print_short(filter);
    return 0;
}

static int run(struct parsing *parsing, int argc, char **argv)
{
    struct list_choose_options choose = {
        .ranks = 576, .node_size = 16, .element = 4, .bytes = "4..16m"};
    struct filter filter = {.collective = -1};
    bool help;
    const struct option_row rows[] = {
        {"all", 0, OPTION_FLAG, &filter.whole, NULL, "everything about each algorithm", NULL},
        {"collective", 'c', OPTION_TEXT, &choose.collective, "NAME",
         "only algorithms of reduce, allreduce, bcast, reduce_scatter, ...", NULL},
        {"promise", 0, OPTION_CHOICE, &choose.promise, "NAME",
         "only algorithms that promise this of the bits; with --choose, the choice among them",
         promise_words},
        {"json", 'j', OPTION_FLAG, &choose.json, NULL, "print JSON", NULL},
        {"choose", 0, OPTION_TEXT, &choose.chosen, "NAME",
         "the library's choice for reduce, allreduce, bcast, ...; the options below describe the "
         "call "
         "and the machine",
         NULL},
        {"ranks", 'p', OPTION_INT, &choose.ranks, "P", "number of ranks", NULL, 1, 1 << 24},
        {"node-size", 'k', OPTION_INT, &choose.node_size, "K", "ranks per node", NULL, 1, 1 << 24},
        NODE_OPTIONS(choose.nodes),
        {"processors", 0, OPTION_INT, &choose.processors, "N",
         "processors that the ranks of one node share; else enough", NULL, 1, 1 << 24},
        {"bytes", 0, OPTION_TEXT, &choose.bytes, "LIST",
         "bytes of the whole vector, such as 64k or 4..16m", NULL},
        {"bytes-per-element", 0, OPTION_INT, &choose.element, "B", "bytes of an element", NULL, 1,
         1 << 20},
        OUTER_OPTIONS(choose.outer),
        {"model", 0, OPTION_TEXT, &choose.model, "NAME|FILE",
         "a machine as in summand predict, with K ranks per node", NULL},
        {"set", 0, OPTION_TEXT, &choose.set, "LIST", "numbers that replace the model's", NULL},
        {"check", 0, OPTION_FLAG, &choose.check, NULL,
         "compare the choice with the fastest algorithm by a simulation of all ranks", NULL},
        {"wrong", 0, OPTION_REAL, &choose.wrong, "F",
         "compare the choice with those for a wrong latency, or a wrong time per byte, between "
         "nodes: "
         "F times as long, and F times as short",
         NULL, 1, 1000},
        {0},
    };
    int operand = parse_options(parsing, &command_list, rows, argc, argv, &help);
    if (operand < 0 || help)
        return help ? 0 : 2;
    filter.names = argv + operand;
    filter.count = argc - operand;
    if (!options_only_with(parsing, "list", "--choose", choose.chosen, of_choose))
        return 2;
    if (!choose.chosen)
        return list(&choose, &filter);
    if (filter.count)
        return misuse("list", "%s: goes without --choose", *filter.names);
    if (choose.collective || filter.whole)
        return misuse("list", "--%s: goes without --choose", filter.whole ? "all" : "collective");
    return list_choose(&choose, parsing);
}

const struct command command_list = {
    .name = "list",
    .summary = "the algorithms: collectives, promises, parameters, costs",
    .synopsis = "list [options] [NAME...]",
    .examples = "  summand list\n"
                "  summand list binomial\n"
                "  summand list --collective bcast --all\n"
                "  summand list --promise canonical --json\n"
                "  summand list --choose allreduce --ranks 576 --node-size 16 --bytes 4..16m\n"
                "  summand list --choose reduce -p 8 -k 8 --bytes 64k --promise canonical\n"
                "  summand list --choose allreduce -p 64 --bytes 1k,64k --check\n"
                "  summand list --choose outer -p 48 -k 1 --shape 784,512 --pairs 1,16,64\n"
                "  summand list --choose reduce -p 64 --bytes 1k,64k --wrong 2\n",
    .parallel = false,
    .run = run,
};
