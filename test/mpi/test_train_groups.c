/* np: 1 2, long: 4 6 8; costly; also: late/4 */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Stages on groups of ranks, bit by bit. Sync equals one process on all grids; stashed and 2bw
 * equal the same stages on one rank each. Stashed with separate twins equals its definition; poad
 * equals a training with the versions that it took. Covers momentum and decay, widths that no grid
 * divides, 1 and 20 layers, batches of one sample and larger than the data, a smaller last batch,
 * and epochs in stretches after which the pipeline is empty. Invalid lists of groups, or ones that
 * do not fit, are refused by all ranks. */
#include <summand.h>
#include <time.h>

#include "lab/train/behind.h"
#include "mpi/harness.h"
#include "train/grids.h"
#include "train/mpi/modes.h"
#include "unit/train.h"

enum { STRETCH = 3 };

static struct train_data digits;
static long long behind = -1; /* poad */
static MPI_Comm comm;

static const struct train_variant variants[] = {
    {"relu", "cross-entropy", 32, 2, 0, 4, {784, 30, 17, 33, 10}, 0, 0, 0},
    {"tanh", "squared", 7, 2, 2, 5, {784, 9, 8, 7, 16, 12}, 4, 0.5, 0.01},
    {"sigmoid", "cross-entropy", 1000, 2, 0, 3, {784, 3, 70, 10}, 0, 0, 0.02},
    {"relu", "cross-entropy", 1, 1, 1, 4, {784, 5, 4, 3, 10}, 0, 0.9, 0},
    TRAIN_VARIANT_ONE_LAYER,
    TRAIN_VARIANT_TWENTY_LAYERS};

/* For every number of ranks that the test runs on. */
static const char *const groupings[] = {"1x1",     "1x2",         "2x1",       "2x(1x1)", "1x4",
                                        "2x2",     "2x(1x2)",     "(2x1),1x2", "4x(1x1)", "1x1,3x1",
                                        "3x2",     "2x(1x2),2x1", "1x1,5x1",   "2x4",     "2x(2x2)",
                                        "4x(1x2)", "1x1,2x2,1x3", "8x(1x1)"};

/* By how many batches the weights that this rank's group used were behind, for each batch; and
 * whether ranks are delayed at random. */
enum { BATCHES = 1000 };
static size_t lags[BATCHES], lagged;
static bool late;
static unsigned draw;

static void dawdle(unsigned seldom)
{
    draw = draw * 1664525u + 1013904223u;
    const struct timespec time = {0, (long)(1000 * ((draw >> 20) % 400))};
    if (late && (draw >> 8) % seldom == 0)
        nanosleep(&time, NULL);
}

void __real_train_note_lag(struct train_run *run, size_t lag);
void __wrap_train_note_lag(struct train_run *run, size_t lag);
void __wrap_train_note_lag(struct train_run *run, size_t lag)
{
    if (lagged < BATCHES)
        lags[lagged++] = lag;
    dawdle(4);
    __real_train_note_lag(run, lag);
}

void __real_train_sample_read(const struct train_samples *samples, size_t i, float *to);
void __wrap_train_sample_read(const struct train_samples *samples, size_t i, float *to);
void __wrap_train_sample_read(const struct train_samples *samples, size_t i, float *to)
{
    dawdle(64);
    __real_train_sample_read(samples, i, to);
}

static bool train(struct train_run *run, const struct train_variant *v,
                  const struct summand__net_shape *shape, const char *groups,
                  const struct train_mode *mode, void *on)
{
    struct train_options options = train_variant_options(v);
    struct summand__net_fault fault = {.text = ""};
    struct train_hooks none = {0};
    options.groups = groups;
    options.behind = behind;
    options.stretch = v->momentum == 0 ? 0 : STRETCH;
    bool good = train_run_open(run, shape, summand__net_arithmetic_find("chain"), &digits, &options,
                               mode, on, &fault);
    good = good && train_run_go(run, &none, &fault) == TRAIN_DONE;
    CHECK(good, "%s: %s", groups ? groups : "alone", fault.text);
    if (!good)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return good;
}

static void compare(const struct train_run *one, const struct train_run *all, const char *groups,
                    int number)
{
    CHECK(!memcmp(one->weights.memory, all->weights.memory, one->weights.floats * sizeof(float)),
          "variant %d, %s, %s: other weights", number, all->mode->name, groups);
    for (size_t e = 0; e < one->options.epochs; e++)
        CHECK(one->history[e].train.loss == all->history[e].train.loss &&
                  one->history[e].train.accuracy == all->history[e].train.accuracy &&
                  one->history[e].test.loss == all->history[e].test.loss,
              "variant %d, %s, %s: another loss", number, all->mode->name, groups);
}

/* The same stages on as many ranks; returns the result on all ranks. */
static void check_behind(const struct train_variant *v, const struct summand__net_shape *shape,
                         const char *groups, int stages, int number,
                         const struct train_mode *of_groups, const struct train_mode *of_ranks)
{
    struct train_run all;
    MPI_Comm some;
    float *weights = NULL;
    size_t floats = 0;
    train(&all, v, shape, groups, of_groups, &comm);
    floats = all.weights.floats;
    weights = malloc(floats * sizeof *weights);
    MPI_Comm_split(comm, harness_rank < stages ? 0 : MPI_UNDEFINED, 0, &some);
    if (some != MPI_COMM_NULL) {
        struct train_run few;
        MPI_Comm_set_errhandler(some, MPI_ERRORS_RETURN);
        train(&few, v, shape, NULL, of_ranks, &some);
        compare(&few, &all, groups, number);
        memcpy(weights, few.weights.memory, floats * sizeof *weights);
        train_run_close(&few);
        MPI_Comm_free(&some);
    }
    MPI_Bcast(weights, (int)floats, MPI_FLOAT, 0, comm);
    CHECK(!memcmp(weights, all.weights.memory, floats * sizeof *weights),
          "variant %d, %s, %s: other weights", number, of_groups->name, groups);
    free(weights);
    train_run_close(&all);
}

static size_t most_behind(int stages, int g)
{
    (void)stages, (void)g;
    return (size_t)behind;
}

/* Poad with late ranks: the versions that its groups used are not too old, mixed or torn. One
 * process with the same versions gets the same result. */
static void check_poad(const struct train_variant *v, const struct summand__net_shape *shape,
                       const char *groups, int number, const struct train_run *plain)
{
    struct train_behind rule = {.of = most_behind, .stretch = v->momentum == 0 ? 256 : STRETCH};
    struct summand__net_fault fault = {.text = ""};
    struct train_grids grids;
    struct train_run one, all;
    train_grids_read(groups, &grids, &fault);
    lagged = 0;
    late = true;
    train(&all, v, shape, groups, &train_mode_poad_groups, &comm);
    late = false;
    rule.stages = grids.count;
    rule.batches = v->epochs * train_run_batches(&all);
    size_t *seen = calloc((size_t)grids.count * rule.batches, sizeof *seen), sum = 0;
    for (int g = 0; g < grids.count; g++) {
        int root = grids.of[g].first;
        if (harness_rank == root)
            CHECK(lagged == rule.batches, "%zu versions of %zu", lagged, rule.batches);
        memcpy(seen + (size_t)g * rule.batches, lags, rule.batches * sizeof *seen);
        MPI_Bcast(seen + (size_t)g * rule.batches, (int)rule.batches, MPI_UNSIGNED_LONG, root,
                  comm);
    }
    for (size_t i = 0; i < (size_t)grids.count * rule.batches; i++) {
        CHECK(seen[i] <= (size_t)behind, "%zu behind of %lld", seen[i], behind);
        sum += seen[i];
    }
    rule.seen = seen;
    train(&one, v, shape, NULL, &train_mode_behind, &rule);
    compare(&one, &all, groups, number);
    if (!sum)
        compare(plain, &all, groups, number);
    CHECK(all.history[0].lag.most <= (size_t)behind &&
              all.history[0].lag.batches * v->epochs == (size_t)grids.count * rule.batches,
          "%zu batches, %zu behind", (size_t)all.history[0].lag.batches,
          (size_t)all.history[0].lag.most);
    train_run_close(&one);
    train_run_close(&all);
    free(seen);
}

/* Separate twins, on two such groups per stage. */
static void check_twins(const struct train_variant *v, const struct summand__net_shape *shape,
                        const char *groups, int stages, int number, const struct train_run *plain)
{
    struct train_behind rule = {.of = train_behind_rule_of("twins"),
                                .stages = stages,
                                .stretch = v->momentum == 0 ? 256 : STRETCH};
    struct train_run one, all;
    train(&one, v, shape, NULL, &train_mode_behind, &rule);
    train(&all, v, shape, groups, &train_mode_stashed_twins_groups, &comm);
    compare(&one, &all, groups, number);
    train_run_close(&one);
    train_run_close(&all);
    for (behind = 3; behind >= 0; behind -= 3)
        if (behind || number < 2)
            check_poad(v, shape, groups, number, plain);
    behind = -1;
}

static void check(const struct train_variant *v, int number)
{
    struct summand__net_shape shape =
        train_test_shape(v->hidden, "sigmoid", v->loss, v->layers, v->widths);
    struct train_run one;
    /* On two ranks with momentum and stretches, and with many layers. */
    bool with_twins = harness_ranks > 2 || number % 4 == 1;
    train(&one, v, &shape, NULL, &train_mode_single, &comm);
    for (size_t i = 0; i < sizeof groupings / sizeof *groupings; i++) {
        struct train_grids grids;
        struct summand__net_fault fault = {.text = ""};
        struct train_run all;
        CHECK(train_grids_read(groupings[i], &grids, &fault), "%s", fault.text);
        if (2 * grids.ranks == harness_ranks && grids.count <= v->layers && with_twins)
            check_twins(v, &shape, groupings[i], grids.count, number, &one);
        if (grids.ranks != harness_ranks || grids.count > v->layers)
            continue;
        train(&all, v, &shape, groupings[i], &train_mode_sync_groups, &comm);
        compare(&one, &all, groupings[i], number);
        train_run_close(&all);
        check_behind(v, &shape, groupings[i], grids.count, number, &train_mode_stashed_groups,
                     &train_mode_stashed);
        check_behind(v, &shape, groupings[i], grids.count, number, &train_mode_2bw_groups,
                     &train_mode_2bw);
    }
    train_run_close(&one);
}

static void check_refusals(void)
{
    static const char *const lists[] = {"",     "x",       "1x",      "0x1",  "1x2,",    "2x(1x2",
                                        "1x1 ", "1x1;1x1", "0x(1x1)", "-1x2", "65x(1x1)"};
    struct train_grids grids;
    struct train_run run;
    struct summand__net_shape shape =
        train_test_shape("relu", "sigmoid", "cross-entropy", 1, variants[4].widths);
    struct train_options options = train_test_options(8, 1, 0.1);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        struct summand__net_fault fault = {.text = ""};
        CHECK(!train_grids_read(lists[i], &grids, &fault) && fault.text[0], "'%s'", lists[i]);
    }
    static const char *const unfit[] = {"9x9", "7x(1x1)"};
    for (int i = 0; i < 2; i++) {
        struct summand__net_fault fault = {.text = ""};
        options.groups = unfit[i];
        CHECK(!train_run_open(&run, &shape, summand__net_arithmetic_find("chain"), &digits,
                              &options, &train_mode_sync_groups, &comm, &fault) &&
                  strstr(fault.text, "ranks, and there are"),
              "%s: '%s'", unfit[i], fault.text);
    }
}

TESTS
{
    struct summand__net_fault fault = {.text = ""};
    draw = (unsigned)harness_rank;
    comm = harness_comm();
    CHECK(train_data_digits(1, 60, 20, &digits, &fault), "%s", fault.text);
    /* On more ranks, two variants only, because some MPIs spin while they wait. */
    for (int i = 0; i < (int)(sizeof variants / sizeof *variants); i++)
        if (harness_ranks <= 2 || i == 0 || i == 2)
            check(&variants[i], i);
    check_refusals();
    train_data_free(&digits);
    MPI_Comm_free(&comm);
}
