/* SPDX-License-Identifier: BSD-3-Clause */
/* The simulators agree with the state machines and with each other, and are repeatable. */
#include "lab/gossip/ancestors.h"
#include "lab/gossip/bulk.h"
#include "lab/gossip/events.h"
#include "lab/gossip/large.h"
#include "lab/gossip/rounds.h"
#include "unit/unit.h"

#include <math.h>

static double datum(const void *context, int64_t i)
{
    return summand__datum(SUMMAND__DATA_UNIFORM, 5, *(const int64_t *)context, i);
}

static double machine_value(const struct summand__rounds *sim, int64_t i)
{
    double y;
    sim->nodes[i]->algorithm->estimate(sim->nodes[i], &y);
    return y;
}

/* The array form, on one and several threads, has the bits of the HPS state machine. */
TEST(bulk_equals_the_machine)
{
    static const int64_t sizes[] = {3, 10, 1000, 9001, 16384};
    for (int threads = 1; threads <= 3; threads += 2)
        for (int s = 0; s < 5; s++)
            for (int single = 0; single < 2; single++) {
                int64_t n = sizes[s];
                struct summand__bulk bulk = {0};
                struct summand__rounds sim;
                assert_true(
                    summand__bulk_open(&bulk, n, single, SUMMAND__DATA_UNIFORM, 5, 21, threads));
                struct summand__rounds_setup setup = {.algorithm = summand__gossip_named("hps"),
                                                      .arith = single ? &summand__arith_single
                                                                      : &summand__arith_double,
                                                      .n = n,
                                                      .seed = 21,
                                                      .tau = -1,
                                                      .threads = threads,
                                                      .value = datum,
                                                      .context = &n,
                                                      .truth = bulk.truth};
                assert_true(summand__rounds_open(&sim, &setup));
                for (int round = 0; round < 9; round++) {
                    summand__bulk_step(&bulk);
                    summand__rounds_step(&sim, NULL, 0);
                }
                for (int64_t i = 0; i < n; i++)
                    assert_true(
                        machine_value(&sim, i) ==
                        (single ? (double)((float *)bulk.values)[i] : ((double *)bulk.values)[i]));
                double root, largest;
                summand__rounds_error(&sim, &root, &largest);
                assert_true(root == bulk.root && largest == bulk.largest);
                summand__rounds_close(&sim);
                summand__bulk_close(&bulk);
            }
}

TEST(ancestors_give_the_root)
{
    /* Includes rounds with more leaves than nodes. */
    enum { ROUNDS = SUMMAND__ANCESTORS_MOST };
    int64_t n = 5000;
    struct summand__bulk bulk = {0};
    double errors[SUMMAND__ANCESTORS_MOST + 1];
    assert_true(summand__bulk_open(&bulk, n, false, SUMMAND__DATA_UNIFORM, 8, 33, 1));
    int rounds =
        summand__ancestors_root(n, 33, SUMMAND__DATA_UNIFORM, 8, bulk.truth, 0, ROUNDS, errors);
    assert_int_equal(rounds, ROUNDS);
    assert_true(errors[0] == bulk.root);
    for (int round = 1; round <= ROUNDS; round++) {
        summand__bulk_step(&bulk);
        assert_true(errors[round] == bulk.root);
    }
    summand__bulk_close(&bulk);
}

enum { LARGE_ROUNDS = 14 };

struct both {
    struct summand__large large;
    struct summand__rounds sim;
};

/* One fault on the same nodes, simulated as arrays and as state machines. */
static void run_both(struct both *both, const char *algorithm, bool single, int64_t n,
                     struct summand__large_fault fault)
{
    /* Not 0.5: a flow's weight is 0.5, so rounding decides whether a doubled one is seen. */
    double tau = !strcmp(algorithm, "hpflc") ? 0.4 : -1;
    struct summand__large_setup setup = {.algorithm = summand__gossip_named(algorithm),
                                         .n = n,
                                         .single = single,
                                         .tau = tau,
                                         .data_seed = 5,
                                         .seed = 21,
                                         .threads = 1,
                                         .faults = &fault,
                                         .count = 1};
    assert_null(summand__large_open(&both->large, &setup));
    struct summand__rounds_setup other = {.algorithm = setup.algorithm,
                                          .arith = single ? &summand__arith_single
                                                          : &summand__arith_double,
                                          .n = n,
                                          .seed = 21,
                                          .tau = tau,
                                          .threads = 1,
                                          .value = datum,
                                          .context = &n,
                                          .truth = both->large.values.truth};
    struct summand__rounds_fault touch = {fault.fault, fault.rank};
    assert_true(summand__rounds_open(&both->sim, &other));
    for (int round = 0; round < LARGE_ROUNDS; round++) {
        assert_true(summand__large_step(&both->large));
        summand__rounds_step(&both->sim, &touch, round == fault.round);
    }
}

static double large_value(const struct summand__large *large, int64_t i)
{
    return summand__bulk_get(&large->values, i) /
           (large->weighted ? summand__bulk_get(&large->weights, i) : 1);
}

/* Relative to the larger one: a flip in the exponent of a message reaches 1e300. */
static double difference(double a, double b)
{
    if (!(fabs(a) < INFINITY) || !(fabs(b) < INFINITY))
        return isnan(a) == isnan(b) && (isnan(a) || a == b) ? 0 : INFINITY;
    return fabs(a - b) / fmax(1, fmax(fabs(a), fabs(b)));
}

/* Every bit of every variable: all nodes, errors and counts equal those of the state machines. With
 * 5 nodes, a damaged pair meets again soon. */
TEST(large_systems_suffer_faults_as_the_machines_do)
{
    static const char *const names[] = {"hps", "hpflc", "hpfcc"};
    static const int64_t sizes[] = {5, 200};
    for (int a = 0; a < 3; a++)
        for (int k = 0; k < 2 * 2 * 3 * 64; k++) {
            int bit = k % 64, variable = k / 64 % 3, single = k / 192 % 2;
            int64_t n = sizes[k / 384];
            struct both both;
            if (a == 0 && bit % 32 == 30) /* to infinity: nothing is left to compare */
                continue;
            run_both(&both, names[a], single, n,
                     (struct summand__large_fault){
                         .fault = {(enum summand__fault_variable)variable, SUMMAND__FAULT_ANY, bit},
                         .rank = bit % n,
                         .round = bit % 6});
            for (int64_t i = 0; i < n; i++)
                assert_true(difference(large_value(&both.large, i), machine_value(&both.sim, i)) <=
                            (single ? 1e-5 : 1e-13));
            double root, largest;
            summand__rounds_error(&both.sim, &root, &largest);
            assert_true(difference(both.large.largest, largest) <= (single ? 1e-5 : 1e-13));
            struct summand__gossip_counts have = both.large.counts;
            struct summand__gossip_counts want = summand__rounds_counts(&both.sim);
            assert_int_equal(have.resets, want.resets);
            assert_int_equal(have.repairs, want.repairs);
            assert_int_equal(have.bad_messages, want.bad_messages);
            summand__large_close(&both.large);
            summand__rounds_close(&both.sim);
        }
}

static struct summand__large open_large(int64_t n)
{
    static const struct summand__large_fault faults[] = {
        {{SUMMAND__FAULT_FLOW, SUMMAND__FAULT_VALUE, 30}, 4, 2},
        {{SUMMAND__FAULT_FLOW, SUMMAND__FAULT_WEIGHT, 20}, 6, 5}};
    struct summand__large_setup setup = {.algorithm = summand__gossip_named("hpflc"),
                                         .n = n,
                                         .single = true,
                                         .tau = -1,
                                         .data_seed = 8,
                                         .seed = 33,
                                         .threads = 1,
                                         .faults = faults,
                                         .count = 2};
    struct summand__large large;
    assert_null(summand__large_open(&large, &setup));
    return large;
}

TEST(a_saved_run_goes_on_as_if_never_stopped)
{
    char path[] = "/tmp/summand-large-XXXXXX";
    int handle = mkstemp(path);
    assert_true(handle >= 0);
    struct summand__large whole = open_large(777), part = open_large(777), wrong = open_large(778);
    for (int round = 0; round < 8; round++)
        assert_true(summand__large_step(&whole));
    for (int round = 0; round < 4; round++)
        assert_true(summand__large_step(&part));
    assert_true(summand__large_save(&part, path));
    summand__large_close(&part);
    part = open_large(777);
    assert_true(summand__large_load(&part, path));
    assert_false(summand__large_load(&wrong, path));
    while (part.values.round < 8)
        assert_true(summand__large_step(&part));
    assert_true(whole.weighted && whole.counts.resets == 1);
    assert_memory_equal(part.values.values, whole.values.values, 777 * sizeof(float));
    assert_memory_equal(part.weights.values, whole.weights.values, 777 * sizeof(float));
    assert_memory_equal(&part.counts, &whole.counts, sizeof part.counts);
    assert_true(part.largest == whole.largest && part.root == whole.root);
    summand__large_close(&whole);
    summand__large_close(&part);
    summand__large_close(&wrong);
    remove(path);
}

/* Of 2^log nodes. */
static void compare_ardb(int log)
{
    int64_t n = (int64_t)1 << log;
    double eps[] = {0.1, 0.01, 1e-12}, root, largest;
    int root_steps[3], largest_steps[3], want_root[3] = {-1, -1, -1}, want[3] = {-1, -1, -1};
    double truth = summand__data_mean(SUMMAND__DATA_UNIFORM, 5, n, 1);
    struct summand__rounds sim;
    struct summand__rounds_setup setup = {.algorithm = summand__gossip_named("ardb"),
                                          .arith = &summand__arith_double,
                                          .n = n,
                                          .seed = 0,
                                          .tau = -1,
                                          .threads = 1,
                                          .value = datum,
                                          .context = &n,
                                          .truth = truth};
    assert_true(summand__rounds_open(&sim, &setup));
    for (int step = 0; step <= log; step++) {
        summand__rounds_error(&sim, &root, &largest);
        for (int k = 0; k < 3; k++) {
            want_root[k] = want_root[k] < 0 && root <= eps[k] ? step : want_root[k];
            want[k] = want[k] < 0 && largest <= eps[k] ? step : want[k];
        }
        summand__rounds_step(&sim, NULL, 0);
    }
    summand__rounds_close(&sim);
    assert_true(truth == summand__ardb_steps(log, SUMMAND__DATA_UNIFORM, 5, 3, eps, root_steps,
                                             largest_steps));
    assert_memory_equal(root_steps, want_root, sizeof want_root);
    assert_memory_equal(largest_steps, want, sizeof want);
}

/* Fewer nodes than lanes, than a block of leaves, and several blocks. */
TEST(ardb_steps_are_those_of_the_machine)
{
    compare_ardb(1);
    compare_ardb(2);
    compare_ardb(10);
    compare_ardb(15);
}

struct scene {
    struct summand__topology topology;
    double values[32];
    struct summand__events_setup setup;
};

static struct scene *make_scene(const char *algorithm, const struct summand__arith *arith)
{
    struct scene *scene = calloc(1, sizeof *scene);
    assert_null(summand__topology_make(&scene->topology, "hypercube", 32, 1));
    for (int i = 0; i < 32; i++)
        scene->values[i] = summand__datum(SUMMAND__DATA_UNIFORM, 7, 32, i);
    scene->setup = (struct summand__events_setup){.algorithm = summand__gossip_named(algorithm),
                                                  .arith = arith,
                                                  .topology = &scene->topology,
                                                  .values = scene->values,
                                                  .seed = 4,
                                                  .tau = -1,
                                                  .eps = 1e-13,
                                                  .most_messages = 2000,
                                                  .period = {1, 0.2, false},
                                                  .latency = {1, 1, false},
                                                  .fault_after = -1,
                                                  .stop_rank = -1};
    return scene;
}

static void free_scene(struct scene *scene)
{
    summand__topology_free(&scene->topology);
    free(scene);
}

TEST(events_repeat_themselves_and_variants_agree)
{
    static const char *const names[] = {"pf", "pflc", "pfcc", NULL};
    struct summand__events_outcome first, again;
    for (int a = 0; names[a]; a++) {
        struct scene *scene = make_scene(names[a], &summand__arith_double);
        assert_true(summand__events_run(&scene->setup, &again));
        if (!a)
            first = again;
        assert_true(again.converged);
        assert_memory_equal(&first, &again, sizeof first);
        free_scene(scene);
    }
}

TEST(push_flow_heals_from_loss_doubling_and_flips)
{
    static const char *const names[] = {"pf", "pflc", "pfcc", NULL};
    for (int a = 0; names[a]; a++)
        for (int form = 0; form <= 2; form += 2)
            for (int bit = 0; bit < 64; bit += 7) {
                struct scene *scene = make_scene(names[a], summand__ariths[form]);
                struct summand__events_outcome outcome;
                scene->setup.loss = 0.05;
                scene->setup.duplication = 0.05;
                scene->setup.fault =
                    (struct summand__fault){SUMMAND__FAULT_FLOW, SUMMAND__FAULT_VALUE, bit};
                scene->setup.fault_after = 60;
                if (a || form || bit < 50) { /* PF in floating point loses the digits */
                    assert_true(summand__events_run(&scene->setup, &outcome));
                    assert_true(outcome.converged);
                    assert_int_equal(outcome.flips, 1);
                }
                free_scene(scene);
            }
}

TEST(push_sum_does_not_heal)
{
    struct scene *scene = make_scene("ps", &summand__arith_double);
    struct summand__events_outcome outcome;
    scene->setup.fault = (struct summand__fault){SUMMAND__FAULT_INPUT, SUMMAND__FAULT_VALUE, 50};
    scene->setup.fault_after = 10;
    scene->setup.most_messages = 400;
    assert_true(summand__events_run(&scene->setup, &outcome));
    assert_false(outcome.converged);
    free_scene(scene);
}

TEST(a_reported_stop_leaves_the_average_of_the_others)
{
    struct scene *scene = make_scene("pfcc", &summand__arith_fixed);
    struct summand__events_outcome outcome;
    scene->setup.stop_rank = 9;
    scene->setup.stop_time = 40;
    scene->setup.report_delay = 10;
    assert_true(summand__events_run(&scene->setup, &outcome));
    assert_true(outcome.converged && outcome.time >= 50);
    free_scene(scene);
}

TEST(topologies_have_their_known_measures)
{
    static const struct {
        const char *name;
        int64_t n, degree, diameter;
        double gap;
    } known[] = {
        {"full", 32, 31, 1, 0.5 * (1 + 1 / 31.0)},          {"hypercube", 32, 5, 5, 0.2},
        {"ring", 12, 2, 6, 0.5 * (1 - 0.8660254037844387)}, {"torus2", 16, 4, 4, 0.25},
        {"torus3", 27, 6, 3, 0.5 * (1 - (2 + -0.5) / 3)},
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        struct summand__topology t;
        assert_null(summand__topology_make(&t, known[k].name, known[k].n, 1));
        for (int64_t i = 0; i < t.n; i++)
            assert_int_equal(summand__topology_degree(&t, i), known[k].degree);
        assert_int_equal(summand__topology_diameter(&t), known[k].diameter);
        assert_true(fabs(summand__topology_gap(&t) - known[k].gap) < 1e-5);
        summand__topology_free(&t);
    }
    struct summand__topology t;
    for (int degree = 3; degree < 8; degree++) {
        char name[24];
        snprintf(name, sizeof name, "regular:%d", degree);
        assert_null(summand__topology_make(&t, name, 40, 2));
        for (int64_t i = 0; i < t.n; i++)
            assert_int_equal(summand__topology_degree(&t, i), degree);
        summand__topology_free(&t);
    }
    assert_non_null(summand__topology_make(&t, "hypercube", 12, 1));
    assert_non_null(summand__topology_make(&t, "regular:3", 5, 1));
    assert_non_null(summand__topology_make(&t, "regular:4x", 6, 1));
    assert_non_null(summand__topology_make(&t, "moebius", 5, 1));
}
