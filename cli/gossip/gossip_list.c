/* SPDX-License-Identifier: BSD-3-Clause */
/* summand gossip list, summand gossip topology */
#include <stdlib.h>

#include "cli/gossip/gossip.h"
#include "cli/output/setting.h"
#include "cli/output/table.h"
#include "cli/output/text.h"

#include "gossip/machine.h"
#include "gossip/topology.h"

static int list_json(void)
{
    json_t *json = json_head("gossip list"), *algorithms = json_array(), *forms = json_array();
    for (int i = 0; summand__gossip_algorithms[i]; i++) {
        const struct summand__gossip_algorithm *a = summand__gossip_algorithms[i];
        json_array_append_new(
            algorithms, json_make("sssssbbb", "name", a->name, "description", a->description,
                                  "style", a->style == SUMMAND__ROUNDS ? "rounds" : "asynchronous",
                                  "resilient", a->resilient, "cost", a->cost, "flows", a->flows,
                                  "checked", a->checked, "simulators_only", a->study));
    }
    for (int i = 0; summand__ariths[i]; i++)
        json_array_append_new(forms, json_text(summand__ariths[i]->name));
    json_object_set_new(json, "algorithms", algorithms);
    json_object_set_new(json, "forms", forms);
    return write_json("gossip list", json, NULL);
}

static int list(struct parsing *parsing, int argc, char **argv)
{
    bool help, json = false;
    const struct option_row rows[] = {{"json", 'j', OPTION_FLAG, &json, NULL, "print JSON", NULL},
                                      {0}};
    int at = parse_options(parsing, &gossip_list, rows, argc, argv, &help);
    if (at < 0 || help)
        return at < 0 ? 2 : 0;
    if (json)
        return list_json();
    for (int i = 0; summand__gossip_algorithms[i]; i++) {
        const struct summand__gossip_algorithm *a = summand__gossip_algorithms[i];
        char text[512];
        printf("%-7s ", a->name);
        print_wrapped(a->description, 8, stdout);
        printf("        ");
        snprintf(text, sizeof text, "%s; resilient to %s",
                 a->style == SUMMAND__ROUNDS ? "in rounds" : "asynchronous", a->resilient);
        print_wrapped(text, 8, stdout);
        snprintf(text, sizeof text, "per round and rank: %s", a->cost);
        printf("        ");
        print_wrapped(text, 8, stdout);
    }
    printf("\nEach in the forms");
    for (int i = 0; summand__ariths[i]; i++)
        printf("%s %s", i ? "," : "", summand__ariths[i]->name);
    printf(".\n");
    return 0;
}

const struct command gossip_list = {
    .name = "gossip list",
    .summary = "the algorithms, what they are resilient to and what they cost",
    .synopsis = "gossip list",
    .examples = "  summand gossip list\n",
    .run = list,
};

/* Measures a topology and adds it to the table, or to `list`. */
static const char *measure(const char *name, long long nodes, long long seed, struct table *table,
                           json_t *list)
{
    struct summand__topology t;
    if (nodes < 0)
        nodes = summand__topology_nodes(name, 64);
    const char *wrong = summand__topology_make(&t, name, nodes, (uint64_t)seed);
    if (wrong)
        return wrong;
    int64_t least = summand__topology_degree(&t, 0), most = least;
    for (int64_t i = 1; i < nodes; i++) {
        int64_t degree = summand__topology_degree(&t, i);
        least = degree < least ? degree : least;
        most = degree > most ? degree : most;
    }
    int64_t diameter = summand__topology_diameter(&t);
    double gap = diameter < 0 ? 0 : summand__topology_gap(&t);
    summand__topology_free(&t);
    if (list) {
        json_array_append_new(
            list, json_make("sIIIbof", "name", name, "nodes", (json_int_t)nodes, "degree",
                            (json_int_t)least, "degree_most", (json_int_t)most, "connected",
                            diameter >= 0, "diameter",
                            diameter < 0 ? json_null() : json_integer((json_int_t)diameter),
                            "spectral_gap", gap));
        return NULL;
    }
    table_cell(table, "%s", name);
    table_cell(table, "%lld", nodes);
    table_cell(table, "%lld", (long long)least);
    table_cell(table, "%lld", (long long)most);
    if (diameter < 0) {
        table_cell(table, "-");
        table_cell(table, "not connected");
    } else {
        table_cell(table, "%lld", (long long)diameter);
        table_cell(table, "%.8g", gap);
    }
    return NULL;
}

static int topology(struct parsing *parsing, int argc, char **argv)
{
    long long nodes = -1, seed = 1;
    bool help, json = false;
    const struct option_row rows[] = {
        {"nodes", 0, OPTION_INT, &nodes, "N", "number of nodes (default: from the file, else 64)",
         NULL, 1, NO_MOST},
        {"seed", 's', OPTION_INT, &seed, "S", "seed of a random graph", NULL, ANY_SEED},
        {"json", 'j', OPTION_FLAG, &json, NULL, "print JSON", NULL},
        {0}};
    int at = parse_options(parsing, &gossip_topology, rows, argc, argv, &help);
    if (at < 0 || help)
        return at < 0 ? 2 : 0;
    static char *standard[] = {"full", "hypercube", "torus3", "torus2", "ring", "regular:4"};
    char **names = at < argc ? argv + at : standard;
    int count = at < argc ? argc - at : (int)(sizeof standard / sizeof *standard);
    json_t *list = json ? json_array() : NULL;
    struct table table;
    table_begin(&table, "<topology|nodes|degree|to|diameter|spectral gap");
    for (int k = 0; k < count; k++) {
        const char *wrong = measure(names[k], nodes, seed, &table, list);
        if (wrong) {
            json_decref(list);
            table_end(&table, stdout);
            return misuse("gossip topology", "%s: %s", names[k], wrong);
        }
    }
    table_end(&table, json ? NULL : stdout);
    if (!json)
        return 0;
    json_t *object = json_head("gossip topology");
    json_object_set_new(object, "topologies", list);
    return write_json("gossip topology", object, NULL);
}

const struct command gossip_topology = {
    .name = "gossip topology",
    .summary = "degree, diameter and spectral gap of communication topologies",
    .synopsis = "gossip topology [options] [NAME...]",
    .examples = "  summand gossip topology --nodes 64\n"
                "  summand gossip topology --nodes 1k hypercube regular:6 file:edges.txt\n",
    .run = topology,
};
