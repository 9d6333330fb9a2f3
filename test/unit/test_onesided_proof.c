/* SPDX-License-Identifier: BSD-3-Clause */
/* Puts, counters and computations are proved for any number of starts; broken schedules are not.
 *
 * Every sample of lab/sample/ proves for several sizes. Then one step of one rank is broken: a wait
 * dropped, or for one too few; a notification dropped, moved before its put, or of another counter;
 * a put to another slot or dropped; two computations swapped, or one dropped or repeated; a shape
 * changed. None of these is harmless in the samples, so each must be caught. */
#include "compute/kernels.h"
#include "lab/sample/sample.h"
#include "lab/verify/prove_steps.h"
#include "unit/unit.h"

enum { MOST_RANKS = 6, MOST_STARTS = 8 };

struct subject {
    const struct summand__sample *sample;
    struct summand__sample_size size;
};

static const struct summand__sample_size sizes[] = {
    {.ranks = 2, .blocks = 1, .slots = 1, .rows = 1, .count = 3, .tile = 2},
    {.ranks = 2, .blocks = 5, .slots = 2, .rows = 3, .count = 2, .tile = 2},
    {.ranks = 3, .blocks = 4, .slots = 4, .rows = 4, .count = 5, .tile = 3},
    {.ranks = 4, .blocks = 3, .slots = 5, .rows = 2, .count = 2, .tile = 1},
    {.ranks = 6, .blocks = 7, .slots = 3, .rows = 2, .count = 3, .tile = 8},
};
enum { SIZES = sizeof sizes / sizeof *sizes };

static uint32_t expected(const void *context, struct summand__expressions *pool, int rank,
                         uint32_t place, size_t i)
{
    const struct subject *subject = context;
    (void)place;
    return subject->sample->expected(&subject->size, pool, rank, i);
}

static void build(const struct subject *subject, struct summand__schedule *schedules)
{
    for (int r = 0; r < subject->size.ranks; r++) {
        summand__schedule_init(&schedules[r]);
        subject->sample->build(&subject->size, r, &schedules[r]);
        assert_false(schedules[r].failed);
    }
}

static void drop(const struct subject *subject, struct summand__schedule *schedules)
{
    for (int r = 0; r < subject->size.ranks; r++)
        summand__schedule_free(&schedules[r]);
}

static bool prove(const struct subject *subject, const struct summand__schedule *schedules,
                  struct summand__steps_proof *proof)
{
    *proof = (struct summand__steps_proof){.ranks = subject->size.ranks,
                                           .schedules = schedules,
                                           .expected = expected,
                                           .context = subject,
                                           .most_starts = MOST_STARTS};
    return summand__prove_steps(proof);
}

TEST(samples_prove)
{
    for (int s = 0; summand__samples[s]; s++)
        for (size_t z = 0; z < SIZES; z++) {
            struct subject subject = {summand__samples[s], sizes[z]};
            struct summand__schedule schedules[MOST_RANKS];
            struct summand__steps_proof proof;
            build(&subject, schedules);
            bool good = prove(&subject, schedules, &proof);
            if (!good)
                fail_msg("%s, %d ranks: %s", subject.sample->name, subject.size.ranks, proof.fault);
            print_message("%-8s %d ranks: %zu puts, %zu waits, proved for ever after %u starts\n",
                          subject.sample->name, subject.size.ranks, proof.puts, proof.waits,
                          proof.starts);
            drop(&subject, schedules);
        }
}

static uint32_t random_state = 4711;

static uint32_t draw(uint32_t below)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(random_state >> 8) * below >> 24);
}

static void remove_step(struct summand__schedule *schedule, size_t i)
{
    memmove(schedule->steps + i, schedule->steps + i + 1,
            (schedule->length - i - 1) * sizeof *schedule->steps);
    schedule->length--;
}

/* A mutation of step i: false if it does not apply there. */
typedef bool mutate(const struct subject *subject, struct summand__schedule *schedule, size_t i);

static bool missing_wait(const struct subject *subject, struct summand__schedule *schedule,
                         size_t i)
{
    (void)subject;
    if (schedule->steps[i].action != SUMMAND__WAIT_COUNTER)
        return false;
    remove_step(schedule, i);
    return true;
}

static bool one_too_few(const struct subject *subject, struct summand__schedule *schedule, size_t i)
{
    (void)subject;
    if (schedule->steps[i].action != SUMMAND__WAIT_COUNTER)
        return false;
    schedule->steps[i].value--;
    return true;
}

static bool missing_notify(const struct subject *subject, struct summand__schedule *schedule,
                           size_t i)
{
    (void)subject;
    if (schedule->steps[i].action != SUMMAND__NOTIFY)
        return false;
    remove_step(schedule, i);
    return true;
}

/* A credit may come early if no wait names exactly it: a wait for a later one covers it. */
static bool is_named(const struct subject *subject, const struct summand__schedule *schedule,
                     size_t i)
{
    const struct summand__step *steps = schedule->steps;
    size_t all = 0, so_far = 0;
    for (size_t j = 0; j < schedule->length; j++)
        if (steps[j].action == SUMMAND__NOTIFY && steps[j].peer == steps[i].peer &&
            steps[j].what == steps[i].what) {
            all++;
            so_far += j <= i;
        }
    return so_far == all || so_far + subject->size.slots <= all;
}

static bool early_notify(const struct subject *subject, struct summand__schedule *schedule,
                         size_t i)
{
    struct summand__step *steps = schedule->steps, step = steps[i];
    if (step.action != SUMMAND__NOTIFY || !i ||
        (steps[i - 1].action != SUMMAND__PUT && steps[i - 1].action != SUMMAND__COMPUTE) ||
        (steps[i - 1].action == SUMMAND__COMPUTE && !is_named(subject, schedule, i)))
        return false;
    steps[i] = steps[i - 1];
    steps[i - 1] = step;
    return true;
}

static bool other_counter(const struct subject *subject, struct summand__schedule *schedule,
                          size_t i)
{
    struct summand__step *step = &schedule->steps[i];
    (void)subject;
    if (step->action != SUMMAND__NOTIFY && step->action != SUMMAND__WAIT_COUNTER)
        return false;
    step->what = step->what ? step->what - 1 : step->what + 1;
    return true;
}

static bool wrong_slot(const struct subject *subject, struct summand__schedule *schedule, size_t i)
{
    struct summand__step *step = &schedule->steps[i];
    if (step->action != SUMMAND__PUT)
        return false;
    size_t count = schedule->info[step->to.place - (unsigned)SUMMAND__PLACES].count;
    size_t slots = count / step->to.count;
    (void)subject;
    if (slots < 2)
        return false;
    step->to.first = (step->to.first + step->to.count) % count;
    return true;
}

static bool other_source(const struct subject *subject, struct summand__schedule *schedule,
                         size_t i)
{
    struct summand__step *step = &schedule->steps[i];
    (void)subject;
    if (step->action != SUMMAND__PUT || !step->from.first)
        return false;
    step->from.first--;
    return true;
}

static bool missing_put(const struct subject *subject, struct summand__schedule *schedule, size_t i)
{
    (void)subject;
    if (schedule->steps[i].action != SUMMAND__PUT)
        return false;
    remove_step(schedule, i);
    return true;
}

/* Two computations into the same elements, or of different arrivals. */
static bool swapped(const struct subject *subject, struct summand__schedule *schedule, size_t i)
{
    struct summand__step *steps = schedule->steps;
    (void)subject;
    for (size_t j = i + 1; steps[i].action == SUMMAND__COMPUTE && j < schedule->length; j++)
        if (steps[j].action == SUMMAND__COMPUTE &&
            (steps[j].from.place != steps[i].from.place ||
             steps[j].from.first != steps[i].from.first) &&
            (steps[j].to.first == steps[i].to.first || subject->sample->usual.tile == 0)) {
            struct summand__step step = steps[i];
            steps[i] = steps[j];
            steps[j] = step;
            return true;
        }
    return false;
}

static bool missing_compute(const struct subject *subject, struct summand__schedule *schedule,
                            size_t i)
{
    (void)subject;
    if (schedule->steps[i].action != SUMMAND__COMPUTE)
        return false;
    remove_step(schedule, i);
    return true;
}

static bool shifted(const struct subject *subject, struct summand__schedule *schedule, size_t i)
{
    struct summand__step *step = &schedule->steps[i];
    (void)subject;
    if (step->action != SUMMAND__COMPUTE)
        return false;
    struct summand__region *regions[] = {&step->from, &step->with, &step->to};
    struct summand__region *region = regions[draw(3)];
    region->first += region->first && draw(2) ? (size_t)-1 : 1;
    return true;
}

static bool other_shape(const struct subject *subject, struct summand__schedule *schedule, size_t i)
{
    (void)subject;
    if (schedule->steps[i].action != SUMMAND__COMPUTE)
        return false;
    struct summand__computation *computation =
        &schedule->tables->computations[schedule->steps[i].what];
    computation->to.count++;
    return true;
}

static const struct {
    const char *name;
    mutate *apply;
} mutations[] = {
    {"missing wait", missing_wait},
    {"one too few", one_too_few},
    {"missing notify", missing_notify},
    {"early notify", early_notify},
    {"other counter", other_counter},
    {"wrong slot", wrong_slot},
    {"other source", other_source},
    {"missing put", missing_put},
    {"swapped", swapped},
    {"missing compute", missing_compute},
    {"shifted", shifted},
    {"other shape", other_shape},
};
enum { MUTATIONS = sizeof mutations / sizeof *mutations };

/* Of two ranks, each one's counters imply the other's: the mutations need three. */
static void break_rank(const struct subject *subject, int m, int rank, size_t *made)
{
    struct summand__schedule schedules[MOST_RANKS];
    struct summand__steps_proof proof;
    size_t length = 1;
    for (size_t i = 0; i < length; i++) {
        build(subject, schedules);
        length = schedules[rank].length;
        if (mutations[m].apply(subject, &schedules[rank], i)) {
            if (prove(subject, schedules, &proof))
                fail_msg("%s, %d ranks: %s of rank %d's step %zu is not caught",
                         subject->sample->name, subject->size.ranks, mutations[m].name, rank, i);
            ++*made;
        }
        drop(subject, schedules);
    }
}

TEST(every_mutation)
{
    size_t made[MUTATIONS] = {0};
    for (int s = 0; summand__samples[s]; s++)
        for (size_t z = 0; z < SIZES; z++)
            for (int m = 0; m < MUTATIONS && sizes[z].ranks > 2; m++)
                for (int r = 0; r < sizes[z].ranks; r++)
                    break_rank(&(struct subject){summand__samples[s], sizes[z]}, m, r, &made[m]);
    for (int m = 0; m < MUTATIONS; m++) {
        print_message("%-16s %4zu caught\n", mutations[m].name, made[m]);
        assert_true(made[m] >= 40);
    }
}

/* A window of two slots: rank 0 puts to one of them, which rank 1 copies. */
struct turning {
    struct summand__schedule schedules[2];
    bool turns, reads; /* changes to the other slot after the first start; of rank 1's read alone */
};

static uint32_t turn(const void *context, struct summand__expressions *pool, int rank,
                     uint32_t place, size_t i)
{
    struct turning *turning = *(struct turning *const *)context;
    (void)pool, (void)rank, (void)place, (void)i;
    for (int r = turning->reads; r < 2 && turning->turns; r++)
        for (size_t s = 0; s < turning->schedules[r].length; s++) {
            struct summand__step *step = &turning->schedules[r].steps[s];
            if (step->action == SUMMAND__PUT)
                step->to.first = 1;
            if (step->action == SUMMAND__COMPUTE)
                step->from.first = 1;
        }
    return SUMMAND__UNDEFINED;
}

static void build_turning(struct turning *turning)
{
    for (int r = 0; r < 2; r++) {
        struct summand__schedule *schedule = &turning->schedules[r];
        summand__schedule_init(schedule);
        uint32_t input = summand__add_place(schedule, SUMMAND__INPUT, 8, 2);
        uint32_t window = summand__add_place(schedule, SUMMAND__WINDOW, 8, 2);
        uint32_t result = summand__add_place(schedule, SUMMAND__RESULT, 8, 1);
        summand__add_counter(schedule, 1 - r, 1);
        if (r == 0) {
            summand__wait_counter(schedule, 0, 0);
            summand__put(schedule, 1,
                         summand__region((enum summand__place)input, 0, 1 + turning->reads),
                         summand__region((enum summand__place)window, 0, 1 + turning->reads));
            summand__notify(schedule, 1, 0);
        } else {
            summand__wait_counter(schedule, 0, 1);
            summand__compute(schedule, summand__kernel_named("pack"),
                             summand__tile(window, 0, 1, 1, 1), summand__tile(0, 0, 0, 0, 0),
                             summand__tile(result, 0, 1, 1, 1), true);
            summand__notify(schedule, 0, 0);
        }
        summand__round(schedule);
        assert_false(schedule->failed);
    }
}

/* Each start is right by itself. If starts differ, that does not prove all further ones. */
TEST(starts_that_differ)
{
    for (int reads = 0; reads < 2; reads++)
        for (int turns = 0; turns < 2; turns++) {
            struct turning turning = {.turns = turns, .reads = reads}, *context = &turning;
            build_turning(&turning);
            struct summand__steps_proof proof = {.ranks = 2,
                                                 .schedules = turning.schedules,
                                                 .expected = turn,
                                                 .context = &context,
                                                 .most_starts = MOST_STARTS};
            bool good = summand__prove_steps(&proof);
            if (good == (bool)turns)
                fail_msg("turns %d, reads %d: %s", turns, reads, proof.fault);
            if (turns)
                assert_non_null(strstr(proof.fault, "otherwise than the start before"));
            for (int r = 0; r < 2; r++)
                summand__schedule_free(&turning.schedules[r]);
        }
}

/* Rank 0 puts to rank 1, whose one counter is rank 0's. Rank 2 may not notify it, because a
 * wait for it says what rank 0 has done. */
TEST(another_producer)
{
    for (int notifies = 0; notifies < 2; notifies++) {
        struct turning turning = {.turns = false}, *context = &turning;
        struct summand__schedule schedules[3];
        build_turning(&turning);
        memcpy(schedules, turning.schedules, sizeof turning.schedules);
        struct summand__schedule *third = &schedules[2];
        summand__schedule_init(third);
        summand__add_place(third, SUMMAND__INPUT, 8, 2);
        summand__add_place(third, SUMMAND__WINDOW, 8, 2);
        if (notifies)
            summand__notify(third, 1, 0);
        summand__round(third);
        struct summand__steps_proof proof = {.ranks = 3,
                                             .schedules = schedules,
                                             .expected = turn,
                                             .context = &context,
                                             .most_starts = MOST_STARTS};
        bool good = summand__prove_steps(&proof);
        if (good == (bool)notifies || (notifies && !strstr(proof.fault, "of another producer")))
            fail_msg("notifies %d: %s", notifies, proof.fault);
        for (int r = 0; r < 3; r++)
            summand__schedule_free(&schedules[r]);
    }
}
