/* SPDX-License-Identifier: BSD-3-Clause */
/* Lowering: lowered and raised again, a schedule is the same as before. Covers all algorithms,
 * packed or not, with and without multicasts, as built and after passes. Bound to places,
 * instructions have the addresses of their regions; instructions without effect are skipped. */
#include "exec/lower.h"
#include "lab/sample/sample.h"
#include "lab/verify/cases.h"
#include "lab/verify/schedules.h"
#include "schedule/passes/passes.h"
#include "unit/unit.h"

enum { EXTENT = 24 };

static bool near(const void *context, int peer)
{
    (void)context;
    return peer % 3 != 1;
}

static void nothing(const void *context, const void *from, void *to, size_t count)
{
    (void)context, (void)from, (void)to, (void)count;
}

static const struct summand__operator op = {
    .extent = EXTENT, .reduce = nothing, .copy = nothing, .copy_last = nothing};

static unsigned char *place[SUMMAND__MOST_PLACES];

/* A receive is awaited if only receives of its group lie between it and the group's wait. */
static bool is_awaited(const struct summand__instruction *instruction)
{
    unsigned group = instruction->message.group;
    while (instruction->kind == SUMMAND__OP_RECV && instruction->message.group == group)
        instruction += instruction->leap;
    return instruction->kind == SUMMAND__OP_WAIT && instruction->message.group == group;
}

/* Counts the instructions that do something, and the sends and receives among them. Each message is
 * waited for, and each wait is for a message. */
static void follow(const struct summand__instructions *instructions, size_t *all, size_t *messages)
{
    size_t open[SUMMAND__GROUPS] = {0}, under_way = 0;
    for (size_t i = instructions->first; i < instructions->length; i += instructions->of[i].leap) {
        const struct summand__instruction *instruction = &instructions->of[i];
        bool message = instruction->kind <= SUMMAND__OP_RECV_PACKED;
        ++*all;
        *messages += message;
        if (message) {
            open[instruction->message.group]++;
            under_way++;
        } else if (instruction->kind == SUMMAND__OP_WAIT &&
                   instruction->message.group == SUMMAND__WHOLE_OPERATION) {
            assert_int_equal(under_way, 0);
        } else if (instruction->kind == SUMMAND__OP_WAIT) {
            assert_true(open[instruction->message.group]);
            under_way -= open[instruction->message.group];
            open[instruction->message.group] = 0;
        }
        assert_int_equal(instruction->awaited,
                         instruction->kind == SUMMAND__OP_RECV && is_awaited(instruction));
        if (message || instruction->kind == SUMMAND__OP_LOCAL)
            assert_ptr_equal(instruction->here,
                             place[instruction->place[0]] + instruction->offset[0]);
        if (instruction->kind == SUMMAND__OP_SEND || instruction->kind == SUMMAND__OP_RECV)
            assert_ptr_equal(instruction->message.data, instruction->here);
        if (instruction->action == SUMMAND__RECV_REDUCE)
            assert_ptr_equal(instruction->message.combine, &instruction->arrival);
        if (instruction->action == SUMMAND__RECV_REDUCE)
            assert_int_equal(instruction->arrival.left,
                             !!(instruction->flags & SUMMAND__STEP_LEFT));
    }
    assert_int_equal(under_way, 0);
}

static struct summand__region region_of(const struct summand__instruction *instruction, int which,
                                        size_t extent)
{
    return summand__region((enum summand__place)instruction->place[which],
                           instruction->offset[which] / extent, instruction->count);
}

static struct summand__step raise_step(const struct summand__instruction *instruction, size_t round,
                                       unsigned groups, size_t extent)
{
    struct summand__step step = {
        .action = instruction->action, .flags = instruction->flags, .peer = -1};
    struct summand__region first = region_of(instruction, 0, extent);
    if (summand__is_message(&step)) {
        step.peer = instruction->message.peer;
        step.lag = (uint8_t)((instruction->message.group + groups - round % groups) % groups);
        assert_int_equal(!!(instruction->message.flags & SUMMAND__PACED), step.lag > 0);
    }
    switch (step.action) {
    case SUMMAND__SEND:
        step.from = first;
        break;
    case SUMMAND__RECV_REDUCE:
        step.from = first;
        step.with = region_of(instruction, 1, extent);
        step.to = region_of(instruction, 2, extent);
        break;
    case SUMMAND__REDUCE:
    case SUMMAND__COPY:
        step.from = region_of(instruction, 1, extent);
        step.to = first;
        break;
    case SUMMAND__RECV:
        step.to = first;
        break;
    default:
        break;
    }
    return step;
}

/* Raises the instructions to steps again, of elements of `extent` bytes, in `groups` groups.
 * `kept`: the schedule that holds the steps that compute, put, notify or wait for counters. */
static bool raise_schedule(const struct summand__instructions *instructions, unsigned groups,
                           size_t extent, const struct summand__schedule *kept,
                           struct summand__schedule *schedule)
{
    size_t round = 0;
    summand__schedule_init(schedule);
    schedule->steps = malloc(instructions->length * sizeof *schedule->steps);
    if (!schedule->steps)
        return false;
    schedule->capacity = instructions->length;
    for (size_t i = 0; i < instructions->length; i++) {
        const struct summand__instruction *instruction = &instructions->of[i];
        if (instruction->kind == SUMMAND__OP_ONESIDED)
            schedule->steps[schedule->length++] = kept->steps[instruction->count];
        else if (instruction->action != SUMMAND__ACTIONS)
            schedule->steps[schedule->length++] = raise_step(instruction, round, groups, extent);
        round += instruction->action == SUMMAND__ROUND;
    }
    return true;
}

static void check(const struct summand__schedule *schedule, const struct summand__target *target,
                  size_t sends_left)
{
    struct summand__instructions instructions;
    struct summand__schedule raised;
    size_t all = 0, messages = 0, want = 0;
    assert_true(summand__lower(schedule, target, &instructions));
    summand__instructions_bind(&instructions, place);
    assert_true(raise_schedule(&instructions, target->groups, EXTENT, schedule, &raised));
    raised.scratch = schedule->scratch;
    assert_true(summand__schedules_equal(&raised, schedule));
    follow(&instructions, &all, &messages);
    for (size_t i = 0; i < schedule->length; i++)
        want += summand__is_message(&schedule->steps[i]);
    assert_int_equal(messages, want - sends_left);
    assert_true(all > messages && all <= instructions.length);
    const size_t length = instructions.length;
    const struct summand__instruction *last = length > 1 ? &instructions.of[length - 2] : NULL;
    assert_int_equal(last && last->kind == SUMMAND__OP_WAIT &&
                         last->message.group == SUMMAND__WHOLE_OPERATION,
                     target->ends);
    summand__schedule_free(&raised);
    summand__instructions_free(&instructions);
}

static bool lower_case(const struct summand__algorithm *algorithm,
                       const struct summand__call *shape, void *context)
{
    struct summand__call call = *shape;
    unsigned char wire[1];
    size_t *cases = context;
    for (call.rank = 0; call.rank < call.ranks; call.rank++, ++*cases) {
        struct summand__schedule schedule;
        const struct summand__abilities abilities = {*cases % 2 ? near : NULL, NULL, true};
        size_t repeats = 0;
        assert_true(summand__build(algorithm, &call, &schedule));
        assert_true(summand__passes(&schedule, &abilities));
        struct summand__target target = {.operator= & op,
                                         .groups = summand__schedule_lag(&schedule) + 1};
        check(&schedule, &target, 0);
        target.multicasts = true;
        for (size_t i = 0; i < schedule.length; i++)
            repeats +=
                schedule.steps[i].action == SUMMAND__SEND && !summand__begins_send(&schedule, i);
        check(&schedule, &target, repeats);
        target.multicasts = false;
        target.ends = true;
        target.wire = wire;
        target.slots = 1;
        if (!abilities.combines)
            check(&schedule, &target, 0);
        summand__schedule_free(&schedule);
    }
    return true;
}

TEST(every_algorithm)
{
    static const int ranks[] = {1, 2, 3, 5, 8};
    size_t cases = 0;
    for (int p = 0; p < SUMMAND__MOST_PLACES; p++)
        place[p] = malloc(1);
    for (int i = 0; summand__algorithms[i]; i++)
        for (int c = 0; c < SUMMAND__MPI_COLLECTIVES; c++)
            for (size_t p = 0; p < sizeof ranks / sizeof *ranks; p++)
                assert_true(summand__cases(summand__algorithms[i], (enum summand__collective)c,
                                           ranks[p], SUMMAND__FEW_CASES, lower_case, &cases));
    for (int p = 0; p < SUMMAND__MOST_PLACES; p++)
        free(place[p]);
    assert_true(cases > 10000);
}

/* Each step that is no message is one instruction, in its order among messages. Exactly the rounds
 * that put are flushed before their messages are waited for. */
TEST(computations_and_counters)
{
    for (int s = 0; s < 2; s++)
        for (int rank = 0; rank < 4; rank++) {
            struct summand__sample_size size = {
                .ranks = 4, .blocks = 5, .slots = 2, .rows = 6, .count = 7, .tile = 4};
            struct summand__target target = {.operator= & op, .groups = 1};
            struct summand__instructions instructions;
            struct summand__schedule schedule, raised;
            size_t flushes = 0;
            summand__schedule_init(&schedule);
            if (s)
                summand__sample_mixed(&size, "recursive-doubling", rank, 10, &schedule);
            else
                summand__sample_named("gather-product")->build(&size, rank, &schedule);
            assert_false(schedule.failed);
            target.groups += summand__schedule_lag(&schedule);
            assert_true(summand__lower(&schedule, &target, &instructions));
            assert_true(raise_schedule(&instructions, target.groups, EXTENT, &schedule, &raised));
            raised.scratch = schedule.scratch;
            assert_true(summand__schedules_equal(&raised, &schedule));
            bool put = false;
            for (size_t i = 0; i < instructions.length; i++) {
                const struct summand__instruction *instruction = &instructions.of[i];
                bool flush = instruction->kind == SUMMAND__OP_FLUSH;
                assert_false(instruction->awaited);
                assert_true(!flush || put);
                assert_false(instruction->kind == SUMMAND__OP_WAIT && put);
                put = (put && !flush) || instruction->action == SUMMAND__PUT;
                flushes += flush;
            }
            assert_true(!put && flushes);
            summand__schedule_free(&raised);
            summand__schedule_free(&schedule);
            summand__instructions_free(&instructions);
        }
}
