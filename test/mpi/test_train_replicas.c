/* np: 1 2 3 4, long: 6 8; together */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Training with replicas on any number of ranks has the bits of training on one process: weights on
 * every rank, losses, accuracies, the end by validation; also after a stop and a restart. A loss
 * that is not finite on some rank ends the training on all. */
#include <math.h>
#include <summand.h>

#include "mpi/harness.h"
#include "train/checkpoint.h"
#include "train/mpi/modes.h"
#include "unit/train.h"

static struct train_data digits;
static MPI_Comm comm;
static char path[64];

struct variant {
    const char *hidden, *loss;
    size_t batch, epochs;
    double momentum, decay, validation;
    size_t patience;
    int layers;
    size_t widths[21];
};

static const struct variant variants[] = {
    {"relu", "cross-entropy", 32, 2, 0, 0, 0, 0, 2, {784, 30, 10}},
    {"tanh", "squared", 7, 1, 0.5, 0.01, 0, 0, 3, {784, 17, 33, 12}}, /* ranks without samples */
    {"sigmoid", "cross-entropy", 64, 3, 0, 0.01, 0.25, 1, 1, {784, 10}},
    {"relu", "cross-entropy", 1, 1, 0.5, 0, 0.9, 2, 5, {784, 5, 4, 3, 4, 10}},
    {"tanh", "cross-entropy", 1000, 2, 0, 0, 0, 0, 2, {784, 9, 10}}, /* a batch of all */
    {"tanh", "cross-entropy", 16, 1, 0.5, 0, 0, 0, 20, {784, 12, 8, 7,  12, 8,  9,  12, 8,  12, 8,
                                                        11,  12, 8, 12, 8,  13, 12, 8,  12, 10}}};

static struct summand__net_shape shape_of(const struct variant *v)
{
    return train_test_shape(v->hidden, "sigmoid", v->loss, v->layers, v->widths);
}

static struct train_options options_of(const struct variant *v)
{
    struct train_options options = train_test_options(v->batch, v->epochs, 0.1);
    options.momentum = v->momentum;
    options.decay = v->decay;
    options.validation = v->validation;
    options.patience = v->patience;
    options.schedule = train_rates[1];
    return options;
}

static int open_run(struct train_run *run, const struct summand__net_shape *shape,
                    const struct train_options *options, const struct train_mode *mode)
{
    struct summand__net_fault fault = {.text = ""};
    int good = train_run_open(run, shape, summand__net_arithmetic_find("chain"), &digits, options,
                              mode, &comm, &fault);
    CHECK(good, "%s", fault.text);
    return good;
}

static void compare(const struct train_run *one, const struct train_run *all, int number)
{
    CHECK(!memcmp(one->weights.memory, all->weights.memory, one->weights.floats * sizeof(float)),
          "variant %d: other weights than on one process", number);
    CHECK(one->epoch == all->epoch && one->best_epoch == all->best_epoch, "variant %d: %zu epochs",
          number, all->epoch);
    for (size_t e = 0; e < one->epoch; e++) {
        const struct train_epoch *a = &one->history[e], *b = &all->history[e];
        CHECK(a->train.loss == b->train.loss && a->train.accuracy == b->train.accuracy &&
                  a->test.loss == b->test.loss && a->test.accuracy == b->test.accuracy,
              "variant %d, epoch %zu: loss %.17g, not %.17g", number, e, b->train.loss,
              a->train.loss);
        CHECK(a->validation.loss == b->validation.loss || isnan(a->validation.loss),
              "variant %d, epoch %zu", number, e);
    }
}

static bool stop(void *context)
{
    int *left = context;
    return !harness_rank && (*left)-- == 0; /* one rank is asked to stop */
}

static void check_variant(int number)
{
    const struct variant *v = &variants[number];
    struct summand__net_shape shape = shape_of(v);
    struct train_options options = options_of(v);
    struct train_run one, all, rest;
    struct summand__net_fault fault = {.text = ""};
    struct train_hooks none = {0};
    int left = 1;
    struct train_hooks stopping = {&left, stop, NULL, NULL, path, train_checkpoint_save};
    if (open_run(&one, &shape, &options, &train_mode_single))
        train_run_go(&one, &none, &fault);
    if (open_run(&all, &shape, &options, &train_mode_data))
        train_run_go(&all, &none, &fault);
    CHECK(!fault.text[0], "%s", fault.text);
    compare(&one, &all, number);
    train_run_close(&all);

    enum train_end end = TRAIN_FAILED;
    if (open_run(&all, &shape, &options, &train_mode_data))
        end = train_run_go(&all, &stopping, &fault);
    CHECK(end == TRAIN_STOPPED || left > 0, "%s", fault.text);
    if (open_run(&rest, &shape, &options, &train_mode_data)) {
        CHECK(train_checkpoint_load(path, &rest, &fault), "%s", fault.text);
        train_run_go(&rest, &none, &fault);
        CHECK(!fault.text[0], "%s", fault.text);
        compare(&one, &rest, number);
    }
    train_run_close(&one);
    train_run_close(&all);
    train_run_close(&rest);
}

static void check_divergence(void)
{
    static const size_t widths[] = {784, 20, 10};
    struct summand__net_shape shape = train_test_shape("linear", "linear", "squared", 2, widths);
    struct train_options options = train_test_options(8, 2, 1e4);
    struct summand__net_fault fault = {.text = ""};
    struct train_run run;
    if (open_run(&run, &shape, &options, &train_mode_data))
        CHECK(train_run_go(&run, &(struct train_hooks){0}, &fault) == TRAIN_FAILED, "went on");
    CHECK(strstr(fault.text, "not finite any more at batch "), "%s", fault.text);
    train_run_close(&run);
}

/* If rank 0 cannot write a checkpoint, all ranks get the error. */
static void check_no_file(void)
{
    struct summand__net_shape shape = shape_of(&variants[0]);
    struct train_options options = options_of(&variants[0]);
    struct train_hooks hooks = {NULL, NULL, NULL, NULL, "/no/such/folder/x", train_checkpoint_save};
    struct summand__net_fault fault = {.text = ""};
    struct train_run run;
    if (open_run(&run, &shape, &options, &train_mode_data))
        CHECK(train_run_go(&run, &hooks, &fault) == TRAIN_FAILED, "went on");
    CHECK(strstr(fault.text, harness_rank ? "another rank" : "/no/such/folder/x: No such"), "%s",
          fault.text);
    train_run_close(&run);
}

TESTS
{
    struct summand__net_fault fault = {.text = ""};
    comm = harness_comm();
    long pid = (long)getpid();
    MPI_Bcast(&pid, 1, MPI_LONG, 0, comm);
    snprintf(path, sizeof path, "/tmp/summand-replicas-%ld.model", pid);
    CHECK(train_data_digits(1, 300, 50, &digits, &fault), "%s", fault.text);
    for (int i = 0; i < (int)(sizeof variants / sizeof *variants); i++)
        check_variant(i);
    check_divergence();
    check_no_file();
    MPI_Barrier(comm);
    if (!harness_rank)
        unlink(path);
    train_data_free(&digits);
    MPI_Comm_free(&comm);
}
