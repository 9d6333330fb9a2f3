/* The simulators agree with the state machines and with each other, and repeat themselves. */
#include "gossip/ancestors.h"
#include "gossip/bulk.h"
#include "gossip/events.h"
#include "gossip/rounds.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
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

/* The array form, on one and several threads, has the bits of the state machine of HPS. */
static void bulk_equals_the_machine(void **state)
{
    (void)state;
    static const int64_t sizes[] = {3, 10, 1000, 9001, 16384};
    for (int threads = 1; threads <= 3; threads += 2)
        for (int s = 0; s < 5; s++)
            for (int single = 0; single < 2; single++) {
                int64_t n = sizes[s];
                struct summand__bulk bulk;
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

static void ancestors_give_the_root(void **state)
{
    (void)state;
    int64_t n = 5000;
    struct summand__bulk bulk;
    double errors[SUMMAND__ANCESTORS_MOST + 1];
    assert_true(summand__bulk_open(&bulk, n, false, SUMMAND__DATA_UNIFORM, 8, 33, 1));
    int rounds =
        summand__ancestors_root(n, 33, SUMMAND__DATA_UNIFORM, 8, bulk.truth, 0, 15, errors);
    assert_int_equal(rounds, 15);
    assert_true(errors[0] == bulk.root);
    for (int round = 1; round <= 15; round++) {
        summand__bulk_step(&bulk);
        assert_true(errors[round] == bulk.root);
    }
    summand__bulk_close(&bulk);
}

static void a_saved_run_goes_on_as_if_never_stopped(void **state)
{
    (void)state;
    char path[] = "/tmp/summand-bulk-XXXXXX";
    int handle = mkstemp(path);
    assert_true(handle >= 0);
    struct summand__bulk whole, part, wrong;
    assert_true(summand__bulk_open(&whole, 777, true, SUMMAND__DATA_UNIFORM, 8, 33, 1));
    assert_true(summand__bulk_open(&part, 777, true, SUMMAND__DATA_UNIFORM, 8, 33, 1));
    assert_true(summand__bulk_open(&wrong, 778, true, SUMMAND__DATA_UNIFORM, 8, 33, 1));
    for (int round = 0; round < 6; round++)
        summand__bulk_step(&whole);
    for (int round = 0; round < 3; round++)
        summand__bulk_step(&part);
    assert_true(summand__bulk_save(&part, path));
    summand__bulk_step(&part);
    assert_true(summand__bulk_load(&part, path));
    assert_false(summand__bulk_load(&wrong, path));
    while (part.round < 6)
        summand__bulk_step(&part);
    assert_memory_equal(part.values, whole.values, 777 * sizeof(float));
    assert_true(part.largest == whole.largest);
    summand__bulk_close(&whole);
    summand__bulk_close(&part);
    summand__bulk_close(&wrong);
    remove(path);
}

static void ardb_steps_are_those_of_the_machine(void **state)
{
    (void)state;
    int64_t n = 1024;
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
    for (int step = 0; step <= 10; step++) {
        summand__rounds_error(&sim, &root, &largest);
        for (int k = 0; k < 3; k++) {
            want_root[k] = want_root[k] < 0 && root <= eps[k] ? step : want_root[k];
            want[k] = want[k] < 0 && largest <= eps[k] ? step : want[k];
        }
        summand__rounds_step(&sim, NULL, 0);
    }
    summand__rounds_close(&sim);
    summand__ardb_steps(10, SUMMAND__DATA_UNIFORM, 5, truth, 3, eps, root_steps, largest_steps);
    assert_memory_equal(root_steps, want_root, sizeof want_root);
    assert_memory_equal(largest_steps, want, sizeof want);
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

static void events_repeat_themselves_and_variants_agree(void **state)
{
    (void)state;
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

static void push_flow_heals_from_loss_doubling_and_flips(void **state)
{
    (void)state;
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

static void push_sum_does_not_heal(void **state)
{
    (void)state;
    struct scene *scene = make_scene("ps", &summand__arith_double);
    struct summand__events_outcome outcome;
    scene->setup.fault = (struct summand__fault){SUMMAND__FAULT_INPUT, SUMMAND__FAULT_VALUE, 50};
    scene->setup.fault_after = 10;
    scene->setup.most_messages = 400;
    assert_true(summand__events_run(&scene->setup, &outcome));
    assert_false(outcome.converged);
    free_scene(scene);
}

static void a_reported_stop_leaves_the_average_of_the_others(void **state)
{
    (void)state;
    struct scene *scene = make_scene("pfcc", &summand__arith_fixed);
    struct summand__events_outcome outcome;
    scene->setup.stop_rank = 9;
    scene->setup.stop_time = 40;
    scene->setup.report_delay = 10;
    assert_true(summand__events_run(&scene->setup, &outcome));
    assert_true(outcome.converged && outcome.time >= 50);
    free_scene(scene);
}

static void topologies_have_their_known_measures(void **state)
{
    (void)state;
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
        char name[16];
        snprintf(name, sizeof name, "regular:%d", degree);
        assert_null(summand__topology_make(&t, name, 40, 2));
        for (int64_t i = 0; i < t.n; i++)
            assert_int_equal(summand__topology_degree(&t, i), degree);
        summand__topology_free(&t);
    }
    assert_non_null(summand__topology_make(&t, "hypercube", 12, 1));
    assert_non_null(summand__topology_make(&t, "regular:3", 5, 1));
    assert_non_null(summand__topology_make(&t, "moebius", 5, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bulk_equals_the_machine),
        cmocka_unit_test(ancestors_give_the_root),
        cmocka_unit_test(a_saved_run_goes_on_as_if_never_stopped),
        cmocka_unit_test(ardb_steps_are_those_of_the_machine),
        cmocka_unit_test(events_repeat_themselves_and_variants_agree),
        cmocka_unit_test(push_flow_heals_from_loss_doubling_and_flips),
        cmocka_unit_test(push_sum_does_not_heal),
        cmocka_unit_test(a_reported_stop_leaves_the_average_of_the_others),
        cmocka_unit_test(topologies_have_their_known_measures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
