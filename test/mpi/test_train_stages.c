/* np: 1 2 3 4, long: 6 8; together; also: late/3 */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Training in stages has the bits of a sequential training in which batch t sees, in a layer of
 * stage g, the weights after t - d(g) updates. In sync d is 0, which gives the bits of one process.
 * In stashed it is stages - 1 - g; with twins on separate ranks 2 (stages - 1 - g) + 1; stages - 1
 * if the last group improves all weights. In 2bw it is 1. Changing rates make new plans. Covers 1
 * to 20 layers, with batches of one sample and larger than the data. */
#include <math.h>
#include <summand.h>

#include "lab/train/behind.h"
#include "mpi/harness.h"
#include "train/checkpoint.h"
#include "train/mpi/modes.h"
#include "train/pipeline.h"
#include "unit/train.h"

static struct train_data digits;
static MPI_Comm comm;

static const struct train_variant variants[] = {
    {"relu", "cross-entropy", 32, 2, 0, 4, {784, 30, 17, 33, 10}, 0, 0, 0},
    {"tanh", "squared", 7, 2, 2, 8, {784, 9, 8, 7, 16, 5, 6, 7, 12}, 4, 0.5, 0.01},
    {"sigmoid", "cross-entropy", 1000, 3, 0, 9, {784, 9, 8, 7, 16, 5, 6, 7, 12, 10}, 2, 0.75, 0},
    {"relu", "cross-entropy", 1, 1, 1, 4, {784, 5, 4, 3, 10}, 0, 0, 0.02},
    TRAIN_VARIANT_ONE_LAYER,
    TRAIN_VARIANT_TWENTY_LAYERS};

static const struct subject {
    const struct train_mode *mode;
    const char *rule;
    int ranks; /* of a stage */
} subjects[] = {{&train_mode_sync, "sync", 1},
                {&train_mode_stashed, "stashed", 1},
                {&train_mode_2bw, "2bw", 1},
                {&train_mode_last, "last", 1},
                {&train_mode_stashed_twins, "twins", 2}};

static int open_run(struct train_run *run, const struct summand__net_shape *shape,
                    const struct train_options *options, const struct train_mode *mode,
                    void *context)
{
    struct summand__net_fault fault = {.text = ""};
    int good = train_run_open(run, shape, summand__net_arithmetic_find("chain"), &digits, options,
                              mode, context, &fault);
    CHECK(good, "%s", fault.text);
    return good;
}

static void check_mode(const struct train_variant *v, const struct subject *subject, int number)
{
    struct summand__net_shape shape =
        train_test_shape(v->hidden, "sigmoid", v->loss, v->layers, v->widths);
    struct train_options options = train_variant_options(v);
    options.stretch = number % 2 ? 4 : 0;
    struct train_pipeline p = {.shape = &shape};
    struct train_run one, all, plain;
    struct summand__net_fault fault = {.text = ""};
    struct train_hooks none = {0};
    if (harness_ranks % subject->ranks || !train_pipeline_cut(&p, harness_ranks / subject->ranks))
        return;
    struct train_behind rule = {.of = train_behind_rule_of(subject->rule), .stages = p.stages};
    if (!open_run(&all, &shape, &options, subject->mode, &comm))
        return;
    rule.stretch = all.stretch;
    if (!open_run(&one, &shape, &options, &train_mode_behind, &rule) ||
        !open_run(&plain, &shape, &options, &train_mode_single, NULL))
        return;
    enum train_end end = train_run_go(&all, &none, &fault);
    CHECK(end == TRAIN_DONE, "%s", fault.text);
    train_run_go(&one, &none, &fault);
    train_run_go(&plain, &none, &fault);
    size_t bytes = one.weights.floats * sizeof(float);
    CHECK(!memcmp(one.weights.memory, all.weights.memory, bytes),
          "mode %s (%s), variant %d: other weights", subject->mode->name, subject->rule, number);
    CHECK(!one.velocity.memory || !memcmp(one.velocity.memory, all.velocity.memory,
                                          one.velocity.floats * sizeof(float)),
          "mode %s (%s), variant %d: other velocities", subject->mode->name, subject->rule, number);
    int behind = rule.of(p.stages, 0) > 0 && v->batch < digits.train.count;
    CHECK((memcmp(plain.weights.memory, all.weights.memory, bytes) != 0) == behind,
          "mode %s, variant %d: behind or not?", subject->mode->name, number);
    for (size_t e = 0; e < v->epochs; e++)
        CHECK(one.history[e].train.loss == all.history[e].train.loss &&
                  one.history[e].train.accuracy == all.history[e].train.accuracy &&
                  one.history[e].test.loss == all.history[e].test.loss,
              "mode %s, variant %d: another loss", subject->mode->name, number);
    train_run_close(&one);
    train_run_close(&plain);
    train_run_close(&all);
}

/* With the available BLAS, whose bits may depend on pieces: close to the weights of one process. */
static void check_blas(void)
{
    const struct summand__net_arithmetic *blas = summand__net_arithmetic_find("blas");
    const struct train_variant *v = &variants[0];
    struct summand__net_shape shape =
        train_test_shape(v->hidden, "sigmoid", v->loss, v->layers, v->widths);
    struct train_options options = train_variant_options(v);
    struct train_run one, all;
    struct summand__net_fault fault = {.text = ""};
    struct train_hooks none = {0};
    if (!summand__net_arithmetic_available(blas))
        return;
    CHECK(train_run_open(&one, &shape, summand__net_arithmetic_find("chain"), &digits, &options,
                         &train_mode_single, &comm, &fault) &&
              train_run_open(&all, &shape, blas, &digits, &options, &train_mode_sync, &comm,
                             &fault) &&
              train_run_go(&one, &none, &fault) == TRAIN_DONE &&
              train_run_go(&all, &none, &fault) == TRAIN_DONE,
          "%s", fault.text);
    for (size_t i = 0; i < one.weights.floats && !fault.text[0]; i++)
        CHECK(fabsf(one.weights.memory[i] - all.weights.memory[i]) < 1e-4F,
              "blas: weight %zu is %g, not %g", i, (double)all.weights.memory[i],
              (double)one.weights.memory[i]);
    CHECK(fabs(one.history[1].train.loss - all.history[1].train.loss) < 1e-4, "blas: another loss");
    train_run_close(&one);
    train_run_close(&all);
}

/* All ranks report what stages cannot do, and nobody waits. */
static void check_refusals(void)
{
    static const size_t widths[] = {784, 10};
    struct summand__net_shape shape =
        train_test_shape("relu", "sigmoid", "cross-entropy", 1, widths);
    struct train_options options = train_test_options(8, 1, 0.1);
    struct summand__net_fault fault = {.text = ""};
    struct train_run run;
    bool good = train_run_open(&run, &shape, summand__net_arithmetic_find("chain"), &digits,
                               &options, &train_mode_sync, &comm, &fault);
    CHECK(good == (harness_ranks == 1), "one layer in %d stages", harness_ranks);
    if (good)
        train_run_close(&run);
    else
        CHECK(strstr(fault.text, "too few for"), "%s", fault.text);
}

TESTS
{
    struct summand__net_fault fault = {.text = ""};
    comm = harness_comm();
    CHECK(train_data_digits(1, 200, 50, &digits, &fault), "%s", fault.text);
    for (int i = 0; i < (int)(sizeof variants / sizeof *variants); i++)
        for (size_t s = 0; s < sizeof subjects / sizeof *subjects; s++)
            check_mode(&variants[i], &subjects[s], i);
    if (harness_ranks <= variants[0].layers)
        check_blas();
    check_refusals();
    train_data_free(&digits);
    MPI_Comm_free(&comm);
}
