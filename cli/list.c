/* summand list: the algorithms. */
#include "list.h"

#include "json.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "list_choose.h"

extern const struct command command_list;

static bool json, markdown;
static const char *pictures;

static struct list_choose_options choose = {
    .ranks = 576, .node_size = 16, .element = 4, .bytes = "4..16m"};

static const struct option_row rows[] = {
    {"json", 'j', OPTION_FLAG, &json, NULL, "print JSON", NULL},
    {"markdown", 0, OPTION_FLAG, &markdown, NULL, "print docs/algorithms.md", NULL},
    {"pictures", 0, OPTION_TEXT, &pictures, "DIR", "with --markdown: write its pictures there",
     NULL},
    {"choose", 'c', OPTION_TEXT, &choose.collective, "NAME",
     "what is chosen for a reduce, allreduce, bcast, ...", NULL},
    {"ranks", 'p', OPTION_INT, &choose.ranks, "P", "of --choose: ranks", NULL},
    {"node-size", 'k', OPTION_INT, &choose.node_size, "K", "of --choose: ranks per node", NULL},
    {"processors", 0, OPTION_INT, &choose.processors, "N",
     "of --choose: that the ranks of one node share; 0: enough", NULL},
    {"bytes", 'n', OPTION_TEXT, &choose.bytes, "LIST",
     "of --choose: bytes of the whole vector, such as 64k or 4..16m", NULL},
    {"bytes-per-element", 'b', OPTION_INT, &choose.element, "B", "of --choose", NULL},
    {"promise", 0, OPTION_CHOICE, &choose.promise, "NAME", "of --choose: what must be promised",
     list_choose_promises},
    {"model", 'm', OPTION_TEXT, &choose.model, "NAME|FILE",
     "of --choose: a machine as in summand predict, with K ranks per node", NULL},
    {"set", 0, OPTION_TEXT, &choose.set, "LIST", "of --choose: numbers over the model's", NULL},
    {"check", 0, OPTION_FLAG, &choose.check, NULL,
     "of --choose: what it loses against the best that a search by the play of all ranks finds",
     NULL},
    {0},
};

static const struct {
    unsigned promise;
    const char *name;
} promise_rows[] = {
    {SUMMAND__RANK_ORDER, "rank order"},
    {SUMMAND__SAME_BITS, "same bits"},
    {SUMMAND__CANONICAL, "canonical"},
};

enum { PROMISES = sizeof promise_rows / sizeof *promise_rows };

static void join(char *text, size_t room, const char *separator, const char *more)
{
    size_t used = strlen(text);
    snprintf(text + used, room - used, "%s%s", used ? separator : "", more);
}

void list_collectives(const struct summand__algorithm *algorithm, char *text, size_t room)
{
    text[0] = 0;
    for (int c = 0; c < SUMMAND__COLLECTIVES; c++)
        if (algorithm->build[c])
            join(text, room, ", ", summand__collective_name((enum summand__collective)c));
}

void list_promises(const struct summand__algorithm *algorithm, char *text, size_t room)
{
    text[0] = 0;
    for (int i = 0; i < PROMISES; i++)
        if (algorithm->promises & promise_rows[i].promise)
            join(text, room, ", ", promise_rows[i].name);
    if (!*text)
        snprintf(text, room, "none");
}

void list_parameters(const struct summand__algorithm *algorithm, char *text, size_t room)
{
    text[0] = 0;
    for (int i = 0; i < SUMMAND__PARAMETERS; i++) {
        const struct summand__limits *limits = &algorithm->limits[i];
        char one[96], most[24] = "", standard[24] = "whole vector";
        if (!limits->most)
            continue;
        if (limits->most < INT_MAX)
            snprintf(most, sizeof most, "%zu", limits->most);
        if (i != SUMMAND__SEGMENT || (limits->standard && limits->standard < INT_MAX))
            snprintf(standard, sizeof standard, "%zu", limits->standard);
        int used = snprintf(one, sizeof one, "%s %zu..%s [%s]",
                            summand__parameter_name((enum summand__parameter)i), limits->least,
                            most, standard);
        if (i == SUMMAND__SEGMENT)
            snprintf(one + used, sizeof one - (size_t)used, ", at most %d of them",
                     SUMMAND__MOST_SEGMENTS);
        join(text, room, "; ", one);
    }
}

bool list_cost(const struct summand__algorithm *algorithm, enum summand__collective collective,
               struct summand__cost *cost)
{
    static size_t offsets[LIST_RANKS + 1];
    struct summand__call call = {
        .collective = collective, .ranks = LIST_RANKS, .count = LIST_COUNT, .offsets = offsets};
    for (size_t r = 0; r <= LIST_RANKS; r++)
        offsets[r] = r * LIST_COUNT;
    if (!summand__algorithm_does(algorithm, &call))
        return false;
    *cost = summand__cost_of(algorithm, &call);
    return true;
}

static json_t *parameters_json(const struct summand__algorithm *algorithm)
{
    json_t *list = json_array();
    for (int i = 0; i < SUMMAND__PARAMETERS; i++) {
        const struct summand__limits *limits = &algorithm->limits[i];
        if (limits->most)
            json_array_append_new(
                list, json_pack("{s:s, s:f, s:f, s:f}", "name",
                                summand__parameter_name((enum summand__parameter)i), "least",
                                (double)limits->least, "most", (double)limits->most, "default",
                                (double)limits->standard));
    }
    return list;
}

static json_t *algorithm_json(const struct summand__algorithm *algorithm)
{
    json_t *collectives = json_array(), *promises = json_array(), *costs = json_array();
    for (int i = 0; i < PROMISES; i++)
        if (algorithm->promises & promise_rows[i].promise)
            json_array_append_new(promises, json_string(promise_rows[i].name));
    for (int c = 0; c < SUMMAND__COLLECTIVES; c++) {
        const char *name = summand__collective_name((enum summand__collective)c);
        struct summand__cost cost;
        if (!algorithm->build[c])
            continue;
        json_array_append_new(collectives, json_string(name));
        if (list_cost(algorithm, (enum summand__collective)c, &cost))
            json_array_append_new(costs, json_pack("{s:s, s:i, s:i, s:I, s:I, s:I}", "collective",
                                                   name, "ranks", LIST_RANKS, "count", LIST_COUNT,
                                                   "messages", (json_int_t)cost.messages,
                                                   "elements", (json_int_t)cost.elements, "depth",
                                                   (json_int_t)cost.depth));
    }
    return json_pack("{s:s, s:s, s:s, s:b, s:o, s:o, s:o, s:o}", "name", algorithm->name,
                     "description", algorithm->description, "source", algorithm->source,
                     "commutative_only", summand__needs_commutative(algorithm), "collectives",
                     collectives, "promises", promises, "parameters", parameters_json(algorithm),
                     "costs", costs);
}

static int print_json(void)
{
    json_t *list = json_array();
    for (int i = 0; summand__algorithms[i]; i++)
        json_array_append_new(list, algorithm_json(summand__algorithms[i]));
    int code = json_dumpf(list, stdout, JSON_INDENT(2));
    printf("\n");
    json_decref(list);
    return code ? complain("list", "cannot be written") : 0;
}

static void print_text(void)
{
    char text[512];
    for (int i = 0; summand__algorithms[i]; i++) {
        const struct summand__algorithm *algorithm = summand__algorithms[i];
        printf("%s%s\n    %s\n", i ? "\n" : "", algorithm->name, algorithm->description);
        list_promises(algorithm, text, sizeof text);
        printf("    promises    %s\n", text);
        list_parameters(algorithm, text, sizeof text);
        if (*text)
            printf("    parameters  %s\n", text);
        printf("    source      %s\n", algorithm->source);
        for (int c = 0; c < SUMMAND__COLLECTIVES; c++) {
            struct summand__cost cost;
            if (!algorithm->build[c])
                continue;
            printf("    %-21s", summand__collective_name((enum summand__collective)c));
            if (list_cost(algorithm, (enum summand__collective)c, &cost))
                printf("%zu messages, %zu elements, depth %zu", cost.messages, cost.elements,
                       cost.depth);
            else
                printf("not for %d ranks", LIST_RANKS);
            printf("\n");
        }
    }
    printf(
        "\nCosts: sent by all ranks together and the longest chain of messages, on %d ranks with "
        "%d elements (of each block).\n",
        LIST_RANKS, LIST_COUNT);
}

static int run(int argc, char **argv)
{
    bool help;
    int operand = parse_options(&command_list, rows, argc, argv, &help);
    if (operand < 0 || help)
        return help ? 0 : 2;
    if (operand < argc)
        return complain("list", "%s: no operands expected", argv[operand]), 2;
    if (pictures && !markdown)
        return complain("list", "--pictures: wants --markdown"), 2;
    if (json && markdown)
        return complain("list", "--json and --markdown are both given; choose one"), 2;
    if (choose.check && (json || !choose.collective))
        return complain("list", "--check: wants --choose, without --json"), 2;
    choose.json = json;
    if (choose.collective)
        return list_choose(&choose);
    if (markdown)
        return list_markdown(stdout, pictures) ? 0 : 1;
    if (json)
        return print_json();
    print_text();
    return 0;
}

const struct command command_list = {
    .name = "list",
    .summary = "the algorithms: collectives, promises, parameters, costs",
    .synopsis = "list [options]",
    .examples = "  summand list\n"
                "  summand list --json\n"
                "  summand list --choose allreduce --ranks 576 --node-size 16 --bytes 4..16m\n"
                "  summand list --choose reduce -p 8 -k 8 --bytes 64k --promise canonical\n"
                "  summand list --markdown --pictures docs/pictures > docs/algorithms.md\n",
    .parallel = false,
    .run = run,
};
