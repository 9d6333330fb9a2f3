/* SPDX-License-Identifier: BSD-3-Clause */
/* Predictions with computations, puts and counters: the times match a calculation by hand, and
 * overlap costs less than the parts one after the other. */
#include "compute/kernels.h"
#include "lab/sample/sample.h"
#include "play/predict.h"
#include "play/stage.h"
#include "unit/unit.h"

/* A put of m bytes costs its sender 5, then 20 + 2 m on its way; a byte of memory costs 1. */
static const struct summand__model model = {
    .per_node = 1,
    .eager = 0,
    .copy_byte = 1,
    .flop = 50,
    .write_byte = 1,
    .level = {[SUMMAND__NETWORK] = {
                  .latency = 20, .send = 5, .recv = 7, .gap = 1, .byte = 2, .handshake = 100}}};

enum { N = 3 };

/* Rank 0 puts three elements, then notifies; rank 1 adds them to its own, then counts a credit,
 * which rank 0 waits for. */
static bool build(const void *context, int rank, struct summand__schedule *schedule)
{
    (void)context;
    summand__schedule_init(schedule);
    uint32_t input = summand__add_place(schedule, SUMMAND__INPUT, sizeof(double), N);
    uint32_t window = summand__add_place(schedule, SUMMAND__WINDOW, sizeof(double), N);
    uint32_t result = summand__add_place(schedule, SUMMAND__RESULT, sizeof(double), N);
    summand__add_counter(schedule, !rank, 1);
    if (!rank)
        summand__put(schedule, 1, summand__region((enum summand__place)input, 0, N),
                     summand__region((enum summand__place)window, 0, N));
    if (!rank)
        summand__notify(schedule, 1, 0);
    summand__wait_counter(schedule, 0, 1);
    if (rank) {
        summand__compute(schedule, summand__kernel_named("add"), summand__tile(window, 0, 1, N, N),
                         summand__tile(input, 0, 1, N, N), summand__tile(result, 0, 1, N, N), true);
        summand__notify(schedule, 0, 0);
    }
    summand__round(schedule);
    return !schedule->failed;
}

TEST(by_hand)
{
    double finish[2];
    struct summand__model machine = model;
    struct summand__predict predict = {
        .ranks = 2, .element = sizeof(double), .model = &machine, .build = build, .finish = finish};
    if (!summand__predict(&predict))
        fail_msg("%s", predict.fault);
    double arrived = 5 + 20 + 2 * N * sizeof(double);
    double added = arrived + N * 50; /* 150 for operations, 72 for memory */
    assert_float_equal(finish[1], added + 5, 1e-9);
    assert_float_equal(finish[0], added + 5 + 20, 1e-9);
    assert_int_equal(predict.messages[SUMMAND__NETWORK], 2);
    machine.flop = 1;
    assert_true(summand__predict(&predict));
    assert_float_equal(finish[1], arrived + 3 * N * sizeof(double) + 5, 1e-9);
    machine.put_asks = 1; /* first the target hears of it */
    assert_true(summand__predict(&predict));
    assert_float_equal(finish[1], 20 + arrived + 3 * N * sizeof(double) + 5, 1e-9);
}

/* A rank that computes polls at the ends of parts, any other rank at once. */
TEST(looks)
{
    struct summand__busy busy[] = {{10, 70, 20}, {70, 100, 50}};
    const struct summand__actor actor = {.busy = busy, .busies = 2};
    static const double at[][2] = {{5, 5},   {10, 10},  {31, 50},   {50, 50},
                                   {65, 70}, {71, 100}, {100, 100}, {120, 120}};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++)
        assert_float_equal(summand__stage_look(&actor, at[i][0]), at[i][1], 1e-9);
}

static double time_of(const struct summand__sample *sample, struct summand__sample_size size,
                      double flop, double copy)
{
    struct summand__model machine = model;
    machine.copy_byte = machine.write_byte = copy;
    machine.flop = flop;
    struct summand__predict predict = {.model = &machine};
    if (!summand__sample_predict(sample, &size, &predict))
        fail_msg("%s: %s", sample->name, predict.fault);
    return predict.time;
}

/* Gather and product together cost more than either alone, and less than their sum. */
TEST(overlap)
{
    const struct summand__sample *sample = summand__sample_named("gather-product");
    struct summand__sample_size size = sample->usual;
    double both = time_of(sample, size, 0.5, 0), gather = time_of(sample, size, 0, 0);
    double product = 0.5 * 2 * (double)(size.blocks * (size_t)size.ranks * size.rows * size.count);
    assert_true(both > product && both > gather);
    assert_true(both < 0.9 * (gather + product));
}

/* More slots let a sender run further ahead. */
TEST(slots)
{
    const struct summand__sample *sample = summand__sample_named("slot-ring");
    struct summand__sample_size size = {
        .ranks = 5, .blocks = 20, .slots = 1, .rows = 1, .count = 1};
    double last = 1e300;
    for (; size.slots <= 4; size.slots++) {
        double time = time_of(sample, size, 1, 0);
        assert_true(time < last);
        last = time;
    }
}
