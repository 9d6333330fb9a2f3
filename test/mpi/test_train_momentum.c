/* np: 4; together */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Momentum and decay on grids of more than one rank: velocities are block-cyclic like the weights,
 * and of twins only the one that goes back has them. The result has the bits of one process: plain
 * descent for sync, the definition of the delays for the other modes. */
#include <summand.h>

#include "lab/train/behind.h"
#include "mpi/harness.h"
#include "train/mpi/groups.h"
#include "train/mpi/modes.h"
#include "unit/train.h"

static const struct grids_case {
    const char *groups, *rule;
    int stages;
    const struct train_mode *mode;
} cases[] = {{"2x2", "sync", 1, &train_mode_sync_groups},
             {"1x2,2x1", "stashed", 2, &train_mode_stashed_groups},
             {"1x2", "twins", 1, &train_mode_stashed_twins_groups}};

static MPI_Comm comm;
static struct train_data digits;
static const size_t widths[] = {784, 9, 10};

static void train(struct train_run *run, const struct summand__net_shape *shape, const char *groups,
                  const struct train_mode *mode, void *on)
{
    struct train_options options = train_test_options(16, 1, 0.05);
    struct summand__net_fault fault = {.text = ""};
    struct train_hooks none = {0};
    options.momentum = 0.5;
    options.decay = 0.01;
    options.groups = groups;
    bool good = train_run_open(run, shape, summand__net_arithmetic_find("chain"), &digits, &options,
                               mode, on, &fault) &&
                train_run_go(run, &none, &fault) == TRAIN_DONE;
    CHECK(good, "%s: %s", groups ? groups : "alone", fault.text);
    if (!good)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

static void check(const struct grids_case *c, const struct summand__net_shape *shape)
{
    struct train_behind rule = {
        .of = train_behind_rule_of(c->rule), .stages = c->stages, .stretch = 256};
    struct train_run one, all;
    train(&one, shape, NULL, &train_mode_behind, &rule);
    train(&all, shape, c->groups, c->mode, &comm);
    CHECK(!memcmp(one.weights.memory, all.weights.memory, one.weights.floats * sizeof(float)),
          "%s, %s: other weights", c->mode->name, c->groups);
    CHECK(!memcmp(one.velocity.memory, all.velocity.memory, one.velocity.floats * sizeof(float)),
          "%s, %s: other velocities", c->mode->name, c->groups);
    const struct groups *own = all.kept;
    for (int l = own->first; l <= own->last; l++)
        CHECK(!own->velocity[l].at == (own->twins && !own->reverse), "%s: velocity of layer %d",
              c->groups, l);
    train_run_close(&one);
    train_run_close(&all);
}

TESTS
{
    struct summand__net_fault fault = {.text = ""};
    comm = harness_comm();
    struct summand__net_shape shape =
        train_test_shape("tanh", "sigmoid", "cross-entropy", 2, widths);
    CHECK(train_data_digits(1, 40, 10, &digits, &fault), "%s", fault.text);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check(&cases[i], &shape);
    train_data_free(&digits);
    MPI_Comm_free(&comm);
}
