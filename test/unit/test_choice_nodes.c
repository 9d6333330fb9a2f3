/* SPDX-License-Identifier: BSD-3-Clause */
/* All candidates of the choice on few, many and uneven nodes, over fast and slow networks. No
 * estimate is below what the busiest card's bytes take. Estimates and the choice are compared with
 * the play of all ranks, for calls with few messages; `test_choice_nodes all` plays longer ones,
 * and more lengths. `test_choice_nodes random [CALLS [SEED]]` plays all candidates of random calls
 * on random machines, `test_choice_nodes machines [CALLS [SEED [NAME]]]` those of random calls on
 * each machine of a list, of up to 768 ranks. Both print how many times as long as the best by the
 * play the choice takes, and the processor time of choosing. */
#define UNIT_MAIN
#include <math.h>
#include <time.h>

#include "algorithm/call.h"
#include "select/choose.h"
#include "select/defaults.h"
#include "unit/estimated.h"
#include "unit/unit.h"

enum { MOST_NODES = 64, MOST_RANKS = 24 * MOST_NODES, UNEVEN = 3 };

static bool thorough;
static size_t most_messages = 60; /* of a call that is played */

/* Sizes of nodes, in turn: even, or such ends of uneven ones. */
struct cluster {
    int nodes, ranks, most, size[MOST_NODES], node[MOST_RANKS];
    struct summand__groupings *groupings;
    struct summand__model model;
};

/* `each` ranks on every node, or row -each of the uneven ones. */
static struct cluster cluster_of(int nodes, int each, const struct summand__level *network)
{
    static const int uneven[UNEVEN][3] = {{4, 2, 3}, {3, 1, 1}, {16, 8, 16}};
    struct cluster cluster = {.nodes = nodes, .model = summand__cluster_model};
    for (int i = 0; i < nodes; i++) {
        int size = each > 0 ? each : uneven[-each][i % 3];
        cluster.size[i] = size;
        cluster.most = size > cluster.most ? size : cluster.most;
        for (int k = 0; k < size; k++)
            cluster.node[cluster.ranks++] = i;
    }
    assert_true(summand__groupings_make(cluster.node, cluster.ranks, nodes, &cluster.groupings));
    cluster.model.per_node = cluster.most;
    cluster.model.shared_card = cluster.most > 1;
    cluster.model.fair_card = 1;
    cluster.model.cross = 0.05;
    if (network) {
        cluster.model.eager = 65536;
        cluster.model.level[SUMMAND__NETWORK] = cluster.model.level[SUMMAND__FAR] = *network;
    }
    return cluster;
}

/* Deals the ranks of even nodes out in turn. */
static void scatter(struct cluster *cluster)
{
    free(cluster->groupings);
    for (int rank = 0; rank < cluster->ranks; rank++)
        cluster->node[rank] = rank % cluster->nodes;
    assert_true(summand__groupings_make(cluster->node, cluster->ranks, cluster->nodes,
                                        &cluster->groupings));
}

/* What no algorithm can avoid: a node's card gets all that the node lacks, or sends all that others
 * lack of it. */
static double least_time(const struct cluster *cluster, const struct summand__call *call)
{
    double bytes = (double)summand__call_total(call) * ELEMENT, most = 0;
    for (int i = 0; i < cluster->nodes && cluster->nodes > 1; i++) {
        double own = summand__has_blocks(call->collective) ? bytes / call->ranks : 0;
        most = fmax(most, bytes - own * cluster->size[i]);
    }
    return most * cluster->model.level[SUMMAND__NETWORK].byte;
}

/* A search of one call among all algorithms. */
struct trial {
    const struct cluster *cluster;
    struct summand__model model;
    double best; /* the least play */
    bool ends;   /* plays end once they take longer */
};

static struct {
    long all, low;
    double lowest, lowest_chosen, lost, worst;
    long choices;
} tally;

/* How many times as long as the best the choices take, by collective, and what they cost. */
enum { MOST_LOSSES = 4096 };
struct losses {
    double lost[MOST_LOSSES];
    size_t count;
    double spent, longest; /* processor time, s */
    char worst[120];
};
static struct losses losses[SUMMAND__COLLECTIVES];

/* Seconds; 0 for a call of many messages, or one that takes longer than `enough`, if that is not 0.
 */
static double play_of(const struct trial *trial, const struct summand__algorithm *algorithm,
                      const struct summand__call *call, double enough)
{
    if (summand__volume_of(algorithm, call).messages > most_messages)
        return 0;
    struct summand__predict predict = {
        .element = ELEMENT, .model = &trial->model, .node = trial->cluster->node, .enough = enough};
    if (!summand__simulate_call(algorithm, call, &predict) && !predict.slow)
        fail_msg("%s: %s", algorithm->name, predict.fault);
    return predict.slow ? 0 : predict.time;
}

static double processor_time(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void add_loss(struct losses *of, double lost, double spent,
                     const struct summand__query *query, const struct summand__choice *choice)
{
    if (of->count == MOST_LOSSES)
        return;
    double most = 0;
    for (size_t i = 0; i < of->count; i++)
        most = fmax(most, of->lost[i]);
    if (lost > most)
        snprintf(of->worst, sizeof of->worst, "%s %zu B, %d ranks%s: %s",
                 summand__collective_name(query->collective), query->bytes, query->ranks,
                 query->promises ? ", in order" : "", choice->algorithm->name);
    of->lost[of->count++] = lost;
    of->spent += spent;
    of->longest = fmax(of->longest, spent);
}

static double try(struct summand__search *search, const struct summand__call *call)
{
    struct trial *trial = search->context;
    const struct summand__algorithm *algorithm = search->algorithm;
    double estimate = summand__estimate_of(algorithm, call, ELEMENT, &trial->model);
    double least = least_time(trial->cluster, call);
    if (!(estimate >= 0.9999 * least))
        fail_msg("%s %s, %d ranks on %d nodes, %zu elements, segment %zu radix %zu leaders %zu: "
                 "estimate %g, bytes alone take %g",
                 algorithm->name, summand__collective_name(call->collective), call->ranks,
                 trial->cluster->nodes, call->count, call->parameter[SUMMAND__SEGMENT],
                 call->parameter[SUMMAND__RADIX], call->parameter[SUMMAND__LEADERS], estimate,
                 least);
    double time = play_of(trial, algorithm, call, trial->ends ? trial->best : 0);
    if (time > 0 && trial->cluster->nodes > 1) {
        double ratio = estimate / time;
        tally.all++;
        tally.low += ratio < 1 / 1.5;
        tally.lowest = fmin(tally.lowest, ratio);
    }
    trial->best = time > 0 ? fmin(trial->best, time) : trial->best;
    return estimate;
}

/* As summand__choices searches, but without leaving out what another candidate beats by far. */
static void search_all(const struct summand__query *query, struct trial *trial)
{
    struct summand__call call = summand__query_call(query);
    bool several = query->node_size > 1 && trial->cluster->nodes >= 4;
    call.parameter[SUMMAND__NODE_SIZE] = query->node_size;
    for (int i = 0; summand__algorithms[i]; i++) {
        const struct summand__algorithm *algorithm = summand__algorithms[i];
        struct summand__search search = {.seconds = try,
                                         .context = trial,
                                         .algorithm = algorithm,
                                         .call = call,
                                         .element = ELEMENT};
        if (algorithm->estimate && !(several && algorithm->sees_nodes) &&
            summand__algorithm_does(algorithm, &call) &&
            summand__promises_kept(algorithm, query->collective, query->promises))
            summand__search(&search);
    }
}

/* `of`: tallies of this machine, or NULL. */
static void choose_on(const struct cluster *cluster, enum summand__collective collective,
                      size_t bytes, unsigned promises, struct losses *of)
{
    struct summand__query asked = {.collective = collective,
                                   .ranks = cluster->ranks,
                                   .node_size = (size_t)cluster->most,
                                   .bytes = bytes,
                                   .element = ELEMENT,
                                   .model = &cluster->model,
                                   .groupings = cluster->groupings};
    struct summand__query query = summand__query_promising(&asked, promises);
    asked.grouping = NULL; /* nodes, not groups, have cards */
    struct trial trial = {cluster, summand__query_model(&asked), INFINITY, of != NULL};
    struct summand__call call = summand__query_call(&query);
    struct summand__choice choice;
    double begin = processor_time();
    assert_true(summand__choose(&query, &choice));
    double spent = processor_time() - begin;
    memcpy(call.parameter, choice.parameter, sizeof call.parameter);
    if (choice.runs)
        call.grouping = &cluster->groupings->ordered;
    double chosen = play_of(&trial, choice.algorithm, &call, 0);
    trial.best = chosen > 0 ? chosen : INFINITY;
    search_all(&query, &trial);
    if (chosen > 0 && cluster->nodes > 1) {
        double lost = chosen / trial.best;
        tally.choices++;
        tally.lost += lost;
        tally.worst = fmax(tally.worst, lost);
        add_loss(&losses[collective], lost, spent, &query, &choice);
        if (of)
            add_loss(of, lost, spent, &query, &choice);
        double estimate = summand__choice_seconds(&query, &choice, &trial.model);
        tally.lowest_chosen = fmin(tally.lowest_chosen, estimate / chosen);
    }
}

static void choices_on(int nodes, int each, const struct summand__level *network)
{
    struct cluster cluster = cluster_of(nodes, each, network);
    for (int c = 0; c < SUMMAND__MPI_COLLECTIVES && cluster.ranks > 1; c++) {
        enum summand__collective collective = (enum summand__collective)c;
        unsigned most = summand__has_operator(collective) ? SUMMAND__RANK_ORDER : 0;
        for (size_t bytes = 16; bytes <= (size_t)4 << 20; bytes *= thorough ? 2 : 16)
            for (unsigned promises = 0; promises <= most; promises++)
                if (!summand__has_offsets(collective))
                    choose_on(&cluster, collective, bytes, promises, NULL);
    }
    free(cluster.groupings);
}

TEST(all_clusters)
{
    static const int nodes[] = {1, 2, 3, 4, 5, 8, 17, 48};
    static const int each[] = {1, 2, 3, 4, 8, 16, 24, 0, -1, -2};
    /* TCP at 1 Gbit/s */
    static const struct summand__level slow = {
        .latency = 1e-4, .send = 5e-6, .recv = 1e-6, .byte = 8e-9, .handshake = 2e-4};
    tally.lowest = tally.lowest_chosen = 1;
    for (int n = 0; n < 8; n++)
        for (int e = 0; e < 10; e++) {
            choices_on(nodes[n], each[e], NULL);
            choices_on(nodes[n], each[e], &slow);
        }
    print_message("%ld estimates: %.2f %% below the play / 1.5, least %.2f of it\n", tally.all,
                  100.0 * (double)tally.low / (double)tally.all, tally.lowest);
    print_message("%ld choices: %.3f of the best on average, %.2f at most; least estimate %.2f\n",
                  tally.choices, tally.lost / (double)tally.choices, tally.worst,
                  tally.lowest_chosen);
    assert_true(tally.all > 1000 && tally.choices > 500);
    assert_true((double)tally.low <= 0.01 * (double)tally.all && tally.lowest > 0.3);
    assert_true(tally.lost <= 1.01 * (double)tally.choices && tally.worst <= 1.3);
    assert_true(tally.lowest_chosen >= 0.45);
}

static uint64_t state = 1;

static double uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-53;
}

static double between(double least, double most)
{
    return least * pow(most / least, uniform());
}

/* Of any length, a third of them in rank order. */
static void call_on(const struct cluster *cluster, enum summand__collective collective,
                    struct losses *of)
{
    bool ordered = summand__has_operator(collective) && uniform() < 0.3;
    if (!summand__has_offsets(collective))
        choose_on(cluster, collective, (size_t)between(8, 4e6) / ELEMENT * ELEMENT,
                  ordered ? SUMMAND__RANK_ORDER : 0, of);
}

/* Up to 64 ranks on even nodes, often on two or three; in a quarter of the calls uneven nodes, of
 * up to 216 ranks. */
static void random_call(int number)
{
    int nodes = 2 + (int)(uniform() < 0.5 ? 2 * uniform() : between(1, 15)) % 15;
    struct summand__level network = {.latency = between(3e-7, 1e-4),
                                     .send = between(5e-8, 5e-6),
                                     .recv = between(5e-8, 5e-6),
                                     .byte = between(2e-11, 8e-9)};
    network.handshake = network.latency * (1 + 2 * uniform());
    int each = uniform() < 0.25 ? -(int)(UNEVEN * uniform()) : (int)between(1, 64 / nodes + 1);
    struct cluster cluster = cluster_of(nodes, each, &network);
    struct summand__level *node = &cluster.model.level[SUMMAND__WITHIN_NODE];
    enum summand__collective collective =
        (enum summand__collective)(number % SUMMAND__MPI_COLLECTIVES);
    cluster.model.eager = between(1024, 131072);
    cluster.model.fair_card = uniform() < 0.8;
    node->latency = between(1e-7, 1e-6);
    node->send = node->recv = between(2e-8, 3e-7);
    node->byte = between(2e-11, 3e-10);
    call_on(&cluster, collective, NULL);
    free(cluster.groupings);
}

/* Machines like those of bench/platforms, and others. Nodes, ranks on each (or minus a row of the
 * uneven ones), nodes under a switch, bandwidth of these over that of the switch's links upwards;
 * then of the network the longest message that does not wait, latency, that to other switches, time
 * of a processor per message, and bytes a second. */
static const struct machine {
    const char *name;
    int nodes, each;
    bool scattered;
    double per_switch, oversubscription, eager, latency, far, processor, bandwidth;
} machines[] = {
    {"ib-36x16", 36, 16, false, 0, 1, 16383, 1.6e-6, 3.2e-6, 0.25e-6, 3.196e9},
    {"eth-48x16", 48, 16, false, 45, 1, 16383, 5e-6, 10e-6, 0.5e-6, 1.175e9},
    {"ib-64x2", 64, 2, false, 0, 1, 16383, 1.6e-6, 3.2e-6, 0.25e-6, 3.196e9},
    {"eth1-7x9", 7, 9, false, 0, 1, 65535, 30e-6, 30e-6, 1e-6, 117.5e6},
    {"2 x 8", 2, 8, false, 0, 1, 16383, 1.6e-6, 3.2e-6, 0.25e-6, 3.196e9},
    {"2 x 16, 1 Gb/s", 2, 16, false, 0, 1, 65535, 30e-6, 30e-6, 1e-6, 117.5e6},
    {"3 x 16", 3, 16, false, 0, 1, 16383, 1.6e-6, 3.2e-6, 0.25e-6, 3.196e9},
    {"4, 2, 3 x 3", 9, 0, false, 0, 1, 16383, 1.6e-6, 3.2e-6, 0.25e-6, 3.196e9},
    {"16, 8, 16", 3, -2, false, 0, 1, 16383, 1.6e-6, 3.2e-6, 0.25e-6, 3.196e9},
    {"12 x 8 in turn", 12, 8, true, 0, 1, 16383, 1.6e-6, 3.2e-6, 0.25e-6, 3.196e9},
    {"fat tree 32 x 4, 4 : 1", 32, 4, false, 8, 4, 16383, 1.6e-6, 3.2e-6, 0.25e-6, 3.196e9},
    {"dragonfly 32 x 4", 32, 4, false, 4, 2, 16383, 1.2e-6, 4.8e-6, 0.25e-6, 6.4e9},
    {"torus 64 x 1, by rows", 64, 1, false, 4, 2, 16383, 1e-6, 5e-6, 0.5e-6, 1.6e9},
};
enum { MACHINES = sizeof machines / sizeof *machines };

static struct cluster machine_of(const struct machine *machine)
{
    struct summand__level level = {.latency = machine->latency,
                                   .send = machine->processor,
                                   .recv = machine->processor,
                                   .byte = 1 / machine->bandwidth};
    struct cluster cluster = cluster_of(machine->nodes, machine->each, &level);
    cluster.model.eager = machine->eager;
    cluster.model.per_switch = machine->per_switch;
    cluster.model.oversubscription = machine->oversubscription;
    cluster.model.level[SUMMAND__FAR].latency = machine->far;
    if (machine->scattered)
        scatter(&cluster);
    return cluster;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_losses(const char *name, struct losses *of)
{
    double sum = 0;
    for (size_t i = 0; i < of->count; i++)
        sum += of->lost[i];
    qsort(of->lost, of->count, sizeof(double), ascending);
    const double count = (double)of->count;
    if (of->count)
        printf("%-22s %5zu %6.3f %6.2f %6.2f %8.3f %8.3f  %s\n", name, of->count, sum / count,
               of->lost[of->count - 1 - of->count / 100], of->lost[of->count - 1],
               1e3 * of->spent / count, 1e3 * of->longest, of->worst);
}

static void print_heading(const char *name)
{
    printf("%-22s %5s %6s %6s %6s %8s %8s\n", name, "calls", "mean", "99 %", "worst", "ms mean",
           "ms most");
}

static int print_collectives(void)
{
    print_heading("collective");
    for (int c = 0; c < SUMMAND__COLLECTIVES; c++)
        print_losses(summand__collective_name((enum summand__collective)c), &losses[c]);
    return tally.choices ? 0 : 1;
}

static int random_calls(int calls)
{
    most_messages = 60000;
    tally.lowest = tally.lowest_chosen = 1;
    for (int i = 0; i < calls; i++)
        random_call(i);
    return print_collectives();
}

/* The named one, or all. */
static int machine_calls(int calls, const char *name)
{
    static struct losses of[MACHINES];
    most_messages = 400000;
    print_heading("machine");
    for (int m = 0; m < MACHINES; m++) {
        struct cluster cluster = machine_of(&machines[m]);
        for (int i = 0; i < calls && (!name || !strcmp(name, machines[m].name)); i++)
            call_on(&cluster, (enum summand__collective)(i % SUMMAND__MPI_COLLECTIVES), &of[m]);
        print_losses(machines[m].name, &of[m]);
        fflush(stdout);
        free(cluster.groupings);
    }
    return print_collectives();
}

/* Few calls on those of up to 128 ranks, as `machines` has more of. */
TEST(listed_machines)
{
    static struct losses of;
    const size_t before = most_messages;
    most_messages = 20000;
    for (int m = 0; m < MACHINES; m++)
        for (int i = 0; i < SUMMAND__MPI_COLLECTIVES && machines[m].nodes * machines[m].each <= 128;
             i++) {
            struct cluster cluster = machine_of(&machines[m]);
            call_on(&cluster, (enum summand__collective)i, &of);
            free(cluster.groupings);
        }
    print_heading("machines");
    print_losses("up to 128 ranks", &of);
    assert_true(of.count > 50 && of.lost[of.count - 1] <= 1.5);
    most_messages = before;
}

int main(int argc, char **argv)
{
    const int calls = argc > 2 ? atoi(argv[2]) : 1000;
    if (argc > 3)
        state = strtoull(argv[3], NULL, 10);
    if (argc > 1 && !strcmp(argv[1], "random"))
        return random_calls(calls);
    if (argc > 1 && !strcmp(argv[1], "machines"))
        return machine_calls(calls, argc > 4 ? argv[4] : NULL);
    thorough = argc > 1 && !strcmp(argv[1], "all");
    most_messages = thorough ? 300 : most_messages;
    return cmocka_run_group_tests(unit_tests, NULL, NULL);
}
