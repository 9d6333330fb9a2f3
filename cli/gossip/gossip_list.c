/* summand gossip list, summand gossip topology */
#include "cli/gossip/gossip.h"

#include "gossip/machine.h"
#include "gossip/topology.h"

static int list(struct parsing *parsing, int argc, char **argv)
{
    static const struct option_row rows[] = {{0}};
    bool help;
    int at = parse_options(parsing, &gossip_list, rows, argc, argv, &help);
    if (at < 0 || help)
        return at < 0 ? 2 : 0;
    for (int i = 0; summand__gossip_algorithms[i]; i++) {
        const struct summand__gossip_algorithm *a = summand__gossip_algorithms[i];
        printf("%-7s %s\n        %s; resilient to %s\n        per round and rank: %s\n", a->name,
               a->description, a->style == SUMMAND__ROUNDS ? "in rounds" : "asynchronous",
               a->resilient, a->cost);
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

static int topology(struct parsing *parsing, int argc, char **argv)
{
    long long nodes = 64, seed = 1;
    const struct option_row rows[] = {
        {"nodes", 'n', OPTION_INT, &nodes, "N", "number of nodes", NULL},
        {"seed", 's', OPTION_INT, &seed, "S", "of a random graph", NULL},
        {0}};
    bool help;
    int at = parse_options(parsing, &gossip_topology, rows, argc, argv, &help);
    if (at < 0 || help)
        return at < 0 ? 2 : 0;
    static char *standard[] = {"full", "hypercube", "torus3", "torus2", "ring", "regular:4"};
    char **names = at < argc ? argv + at : standard;
    int count = at < argc ? argc - at : (int)(sizeof standard / sizeof *standard);
    printf("%-16s %10s %10s %10s %10s %14s\n", "topology", "nodes", "degree", "to", "diameter",
           "spectral gap");
    for (int k = 0; k < count; k++) {
        struct summand__topology t;
        const char *wrong = summand__topology_make(&t, names[k], nodes, (uint64_t)seed);
        if (wrong)
            return misuse("gossip topology", "%s: %s", names[k], wrong);
        int64_t least = summand__topology_degree(&t, 0), most = least;
        for (int64_t i = 1; i < nodes; i++) {
            int64_t degree = summand__topology_degree(&t, i);
            least = degree < least ? degree : least;
            most = degree > most ? degree : most;
        }
        int64_t diameter = summand__topology_diameter(&t);
        printf("%-16s %10lld %10lld %10lld ", names[k], nodes, (long long)least, (long long)most);
        if (diameter < 0)
            printf("%10s %14s\n", "-", "not connected");
        else
            printf("%10lld %14.8g\n", (long long)diameter, summand__topology_gap(&t));
        summand__topology_free(&t);
    }
    return 0;
}

const struct command gossip_topology = {
    .name = "gossip topology",
    .summary = "degree, diameter and spectral gap of communication topologies",
    .synopsis = "gossip topology [options] [NAME...]",
    .examples = "  summand gossip topology --nodes 64\n"
                "  summand gossip topology --nodes 1k hypercube regular:6 file:edges.txt\n",
    .run = topology,
};
