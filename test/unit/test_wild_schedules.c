/* SPDX-License-Identifier: BSD-3-Clause */
/* Proofs of schedules with wild fields terminate: with an error or, if the field means nothing,
 * with a proof. Sanitizers check that they read no memory out of bounds (preset asan).
 *
 * One field of one step, place or computation of a correct schedule gets a value from the ends of
 * its type, or one that is nearly right. If no other value can be harmless, the schedule must be
 * refused. */
#include "algorithm/call.h"
#include "lab/sample/sample.h"
#include "lab/verify/prove.h"
#include "lab/verify/prove_steps.h"
#include "lab/verify/schedules.h"
#include "unit/unit.h"

enum { RANKS = 4, TRIES = 4000, MOST_STARTS = 4 };

static uint32_t random_state = 11;

static uint32_t draw(uint32_t below)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(random_state >> 8) * below >> 24);
}

static size_t wild(size_t now)
{
    const size_t values[] = {0,
                             1,
                             now + 1,
                             now - 1,
                             2 * now,
                             1u << 20,
                             SIZE_MAX,
                             SIZE_MAX - now,
                             SIZE_MAX >> 1,
                             (size_t)1 << 55,
                             (size_t)1 << 40,
                             now ^ 4};
    return values[draw(sizeof values / sizeof *values)];
}

static void wild_region(struct summand__region *region)
{
    switch (draw(3)) {
    case 0:
        region->place = (uint8_t)draw(256);
        break;
    case 1:
        region->first = wild(region->first);
        break;
    default:
        region->count = wild(region->count);
    }
}

static void wild_step(struct summand__step *step)
{
    struct summand__region *regions[] = {&step->from, &step->with, &step->to};
    switch (draw(8)) {
    case 0:
        step->action = (uint8_t)draw(256);
        break;
    case 1:
        step->lag = (uint8_t)draw(256);
        break;
    case 2:
        step->flags = (uint8_t)draw(256);
        break;
    case 3:
        step->peer = (int32_t)wild((size_t)step->peer);
        break;
    case 4:
        step->what = (uint32_t)wild(step->what);
        break;
    case 5:
        step->value = (int32_t)wild((size_t)step->value);
        break;
    default:
        wild_region(regions[draw(3)]);
    }
}

/* Changes a rectangle of a computation; returns whether there is any. */
static bool wild_shape(const struct summand__schedule *schedule)
{
    if (!schedule->tables || !schedule->tables->n_computations)
        return false;
    struct summand__computation *computation =
        &schedule->tables->computations[draw(schedule->tables->n_computations)];
    struct summand__rectangle *shapes[] = {&computation->from, &computation->with,
                                           &computation->to};
    struct summand__rectangle *shape = shapes[draw(3)];
    size_t *fields[] = {&shape->rows, &shape->count, &shape->pitch}, *field = fields[draw(3)];
    *field = wild(*field);
    return true;
}

/* Uses another computation's number: its rows are then checked twice. */
static bool same_computation(const struct summand__schedule *schedule)
{
    uint32_t all = schedule->tables ? schedule->tables->n_computations : 0, most = 0;
    for (uint32_t c = 1; c < all; c++)
        if (schedule->tables->computations[c].to.rows >
            schedule->tables->computations[most].to.rows)
            most = c;
    for (size_t i = 0; i < schedule->length; i++)
        if (schedule->steps[i].action == SUMMAND__COMPUTE)
            schedule->steps[i].what = most;
    return all > 0;
}

static void make_wild(struct summand__schedule *schedule)
{
    bool made = false;
    if (draw(8) == 0)
        made = wild_shape(schedule);
    else if (draw(32) == 0)
        made = same_computation(schedule);
    if (!made && schedule->length)
        wild_step(&schedule->steps[draw((uint32_t)schedule->length)]);
}

struct tally {
    size_t refused, proved;
};

static void note(struct tally *tally, bool good, const char *fault)
{
    if (!good)
        assert_true(*fault);
    tally->refused += !good;
    tally->proved += good;
}

static void free_all(struct summand__schedule *schedules)
{
    for (int r = 0; r < RANKS; r++)
        summand__schedule_free(&schedules[r]);
}

static uint32_t expected(const void *context, struct summand__expressions *pool, int rank,
                         uint32_t place, size_t i)
{
    static const struct summand__sample_size size = {RANKS, 3, 2, 3, 4, 2};
    const struct summand__sample *sample = context;
    (void)place;
    return sample->expected(&size, pool, rank, i);
}

TEST(any_steps)
{
    static const struct summand__sample_size size = {RANKS, 3, 2, 3, 4, 2};
    struct tally tally = {0, 0};
    for (int try = 0; try < TRIES; try++) {
        const struct summand__sample *sample = summand__samples[try % 2];
        struct summand__schedule schedules[RANKS];
        for (int r = 0; r < RANKS; r++) {
            summand__schedule_init(&schedules[r]);
            sample->build(&size, r, &schedules[r]);
        }
        make_wild(&schedules[draw(RANKS)]);
        struct summand__steps_proof proof = {.ranks = RANKS,
                                             .schedules = schedules,
                                             .expected = expected,
                                             .context = sample,
                                             .most_starts = MOST_STARTS};
        note(&tally, summand__prove_steps(&proof), proof.fault);
        free_all(schedules);
    }
    print_message("%zu refused, %zu proved\n", tally.refused, tally.proved);
    assert_true(tally.refused > TRIES / 3);
}

TEST(collectives)
{
    static const int node[RANKS] = {0, 0, 1, 0};
    static const char *const names[] = {"chain", "rabenseifner", "linear", "two-tree"};
    struct tally tally = {0, 0};
    for (int try = 0; try < TRIES; try++) {
        const struct summand__algorithm *algorithm = summand__algorithm_named(names[try % 4]);
        const struct summand__call call = {.collective = try % 8 < 4 ? SUMMAND__COLL_REDUCE
                                                                     : SUMMAND__COLL_ALLREDUCE,
                                           .ranks = RANKS,
                                           .count = 9,
                                           .parameter = {[SUMMAND__SEGMENT] = 3}};
        const int *where = try % 16 < 8 ? NULL : node;
        struct summand__schedule schedules[RANKS];
        struct summand__proof proof;
        if (!summand__algorithm_does(algorithm, &call))
            continue;
        assert_true(summand__placed_schedules(algorithm, &call, where, schedules));
        make_wild(&schedules[draw(RANKS)]);
        note(&tally, summand__prove_schedules(algorithm, &call, where, schedules, &proof),
             proof.fault);
        free_all(schedules);
    }
    print_message("%zu refused, %zu proved\n", tally.refused, tally.proved);
    assert_true(tally.refused > TRIES / 4);
}

/* One step of rank 0's part of a chain. */
static struct summand__step *one_step(struct summand__schedule *schedules,
                                      enum summand__action action)
{
    for (int r = 0; r < RANKS; r++)
        for (size_t i = 0; i < schedules[r].length; i++)
            if (schedules[r].steps[i].action == action)
                return &schedules[r].steps[i];
    fail_msg("no such step");
    return NULL;
}

static void refused(enum summand__action action, void (*spoil)(struct summand__step *step),
                    const char *why)
{
    const struct summand__algorithm *algorithm = summand__algorithm_named("chain");
    const struct summand__call call = {
        .collective = SUMMAND__COLL_REDUCE, .ranks = RANKS, .count = 9};
    struct summand__schedule schedules[RANKS];
    struct summand__proof proof;
    assert_true(summand__placed_schedules(algorithm, &call, NULL, schedules));
    spoil(one_step(schedules, action));
    assert_false(summand__prove_schedules(algorithm, &call, NULL, schedules, &proof));
    if (!strstr(proof.fault, why))
        fail_msg("\"%s\" instead of: %s", proof.fault, why);
    free_all(schedules);
}

/* Its end wraps to 0 in size_t. */
static void wrap(struct summand__step *step)
{
    step->from.first = 1;
    step->from.count = SIZE_MAX;
}

static void go_elsewhere(struct summand__step *step)
{
    step->to.place = 200;
    step->to.count = 0;
}

static void be_late(struct summand__step *step)
{
    step->lag = SUMMAND__GROUPS;
}

static void be_nothing(struct summand__step *step)
{
    step->action = 99;
}

/* The last send of a multicast is a receive instead. */
TEST(one_to_all)
{
    const struct summand__algorithm *algorithm = summand__algorithm_named("k-nomial");
    const struct summand__call call = {.collective = SUMMAND__COLL_BCAST,
                                       .ranks = RANKS,
                                       .count = 9,
                                       .parameter = {[SUMMAND__RADIX] = RANKS}};
    struct summand__schedule schedules[RANKS];
    struct summand__proof proof;
    assert_true(summand__placed_schedules(algorithm, &call, NULL, schedules));
    size_t last = summand__sends_end(&schedules[0], 0) - 1;
    assert_int_equal(last, RANKS - 2);
    schedules[0].steps[last].action = SUMMAND__RECV;
    assert_false(summand__prove_schedules(algorithm, &call, NULL, schedules, &proof));
    if (!strstr(proof.fault, "no message to all"))
        fail_msg("instead: %s", proof.fault);
    free_all(schedules);
}

TEST(each_by_name)
{
    refused(SUMMAND__SEND, wrap, "is outside of");
    refused(SUMMAND__SEND, go_elsewhere, "there is no place 200");
    refused(SUMMAND__SEND, be_late, "is late by 5 rounds");
    refused(SUMMAND__RECV, be_nothing, "no step is not of a collective");
}
