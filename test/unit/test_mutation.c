/* SPDX-License-Identifier: BSD-3-Clause */
/* Broken schedules must not prove.
 *
 * Every algorithm's schedules, as they run without combining and on random nodes, are broken in one
 * place, at random by a fixed seed. Only mutations that cannot be harmless are used. Drop a step;
 * send, receive or reduce twice; another peer; a region shifted by one element, or a step one
 * element shorter; operands swapped. Exchange a step with a later local step that shares memory
 * with it; drop a round boundary between steps that share memory; move a receive behind the end of
 * a round whose successor uses its data. Write the buffer of a later-completing message while it is
 * under way; end a schedule before such a message; make a multicast of a message at one end only.
 * Receives that combine: the operator's other order; combined twice, not at all, with the content
 * of the result's place, before the receive that makes its operand, later, or from a rank that does
 * not combine. Read a result again although its step says that nobody does.
 *
 * Left out because they may be harmless: shifting the source of a single element, because a copy of
 * it may lie beside it (of two, one end reads another element); exchanging reductions into one
 * target if no order is promised, and equal steps; copies of an all-gather in place, because a
 * rank's own block may return to its place. */
#include "algorithm/call.h"
#include "lab/verify/cases.h"
#include "lab/verify/prove.h"
#include "unit/unit.h"

enum { MOST_RANKS = 13, TRIES = 90 };

static uint32_t random_state = 20161;

static uint32_t draw(uint32_t below)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(random_state >> 8) * below >> 24);
}

/* The node of each rank, if messages within a node are combined as they arrive; or NULL. */
static const int *nodes;

static bool is_near(int a, int b)
{
    return nodes && nodes[a] == nodes[b];
}

static bool is_message(const struct summand__step *step)
{
    return summand__is_message(step);
}

/* The message part of a receive that combines. */
static struct summand__step as_message(const struct summand__step *step)
{
    struct summand__step message = *step;
    if (step->action == SUMMAND__RECV_REDUCE) {
        message.to = step->from;
        message.from.count = 0;
    }
    return message;
}

static bool is_local(const struct summand__step *step)
{
    return step->action == SUMMAND__REDUCE || step->action == SUMMAND__COPY;
}

static bool shares(const struct summand__step *a, const struct summand__step *b)
{
    return summand__regions_overlap(a->to, b->to) || summand__regions_overlap(a->to, b->from) ||
           summand__regions_overlap(a->from, b->to);
}

static bool same_region(struct summand__region a, struct summand__region b)
{
    return a.place == b.place && a.first == b.first && a.count == b.count;
}

static bool same(const struct summand__step *a, const struct summand__step *b)
{
    return a->action == b->action && same_region(a->from, b->from) && same_region(a->to, b->to);
}

static void remove_step(struct summand__schedule *schedule, size_t i)
{
    memmove(schedule->steps + i, schedule->steps + i + 1,
            (schedule->length - i - 1) * sizeof *schedule->steps);
    schedule->length--;
}

/* The first step at or after `i` that ends a round, or the length. */
static size_t round_end(const struct summand__schedule *schedule, size_t i)
{
    while (i < schedule->length && schedule->steps[i].action != SUMMAND__ROUND)
        i++;
    return i;
}

/* A mutation of step i: false if it does not apply there. */
typedef bool mutate(const struct summand__algorithm *algorithm, const struct summand__call *call,
                    struct summand__schedule *schedule, size_t i);

static bool drop(const struct summand__algorithm *algorithm, const struct summand__call *call,
                 struct summand__schedule *schedule, size_t i)
{
    (void)algorithm, (void)call;
    if (schedule->steps[i].action == SUMMAND__ROUND)
        return false;
    remove_step(schedule, i);
    return true;
}

static bool repeat(const struct summand__algorithm *algorithm, const struct summand__call *call,
                   struct summand__schedule *schedule, size_t i)
{
    (void)algorithm, (void)call;
    if (schedule->steps[i].action == SUMMAND__ROUND || schedule->steps[i].action == SUMMAND__COPY)
        return false;
    schedule->steps = realloc(schedule->steps, (schedule->length + 1) * sizeof *schedule->steps);
    assert_non_null(schedule->steps);
    memmove(schedule->steps + i + 1, schedule->steps + i,
            (schedule->length - i) * sizeof *schedule->steps);
    schedule->capacity = ++schedule->length;
    return true;
}

static bool other_peer(const struct summand__algorithm *algorithm, const struct summand__call *call,
                       struct summand__schedule *schedule, size_t i)
{
    struct summand__step *step = &schedule->steps[i];
    (void)algorithm;
    if (!is_message(step) || call->ranks < 3)
        return false;
    int peer = step->peer;
    while (peer == step->peer || peer == call->rank)
        peer = (int)draw((uint32_t)call->ranks);
    step->peer = peer;
    return true;
}

/* Whether the order of operands can be seen in the result. */
static bool in_rank_order(const struct summand__algorithm *algorithm,
                          const struct summand__call *call)
{
    return summand__promises_of(algorithm, call) & SUMMAND__RANK_ORDER;
}

/* Ranks that changed places may combine in any order, so a local operand may also go into the next
 * reduction. */
static bool shift(const struct summand__algorithm *algorithm, const struct summand__call *call,
                  struct summand__schedule *schedule, size_t i)
{
    struct summand__step *step = &schedule->steps[i];
    bool any = call->grouping && !in_rank_order(algorithm, call);
    if (step->action == SUMMAND__ROUND || (any && step->action == SUMMAND__REDUCE))
        return false;
    bool combines = step->action == SUMMAND__RECV_REDUCE;
    struct summand__region *operand = combines ? &step->with : &step->from;
    bool to = step->to.count && (!operand->count || draw(2));
    struct summand__region *region = to ? &step->to : operand;
    if (!to && region->count < 2)
        return false;
    region->first += region->first && draw(2) ? (size_t)-1 : 1;
    return true;
}

static bool shorten(const struct summand__algorithm *algorithm, const struct summand__call *call,
                    struct summand__schedule *schedule, size_t i)
{
    struct summand__step *step = &schedule->steps[i];
    (void)algorithm, (void)call;
    if (step->action == SUMMAND__ROUND || (is_local(step) && step->to.count < 2))
        return false;
    step->to.count -= step->to.count > 0;
    step->from.count -= step->from.count > 0;
    step->with.count -= step->with.count > 0;
    return true;
}

static bool swap_operands(const struct summand__algorithm *algorithm,
                          const struct summand__call *call, struct summand__schedule *schedule,
                          size_t i)
{
    struct summand__step *step = &schedule->steps[i];
    (void)algorithm, (void)call;
    if (!is_local(step))
        return false;
    struct summand__region from = step->from;
    step->from = step->to;
    step->to = from;
    return true;
}

/* Exchanges local steps i < j if one uses the result of the other. */
static bool exchange(const struct summand__algorithm *algorithm, const struct summand__call *call,
                     struct summand__schedule *schedule, size_t i)
{
    struct summand__step *steps = schedule->steps;
    for (size_t j = i + 1; is_local(&steps[i]) && j < schedule->length; j++) {
        if (!is_local(&steps[j]) || !shares(&steps[i], &steps[j]))
            continue;
        bool target = steps[i].action == SUMMAND__REDUCE && steps[j].action == SUMMAND__REDUCE &&
                      summand__regions_overlap(steps[i].to, steps[j].to);
        if ((target && !in_rank_order(algorithm, call)) || same(&steps[i], &steps[j]))
            return false;
        struct summand__step step = steps[i];
        steps[i] = steps[j];
        steps[j] = step;
        return true;
    }
    return false;
}

/* Drops the end of step i's round if the next round has a step that clashes with a message. */
static bool join_rounds(const struct summand__algorithm *algorithm,
                        const struct summand__call *call, struct summand__schedule *schedule,
                        size_t i)
{
    const struct summand__step *steps = schedule->steps;
    size_t middle = round_end(schedule, i);
    if (middle == schedule->length)
        return false;
    (void)algorithm, (void)call;
    const struct summand__step first = as_message(&steps[i]);
    for (size_t j = middle + 1; j < round_end(schedule, middle + 1); j++) {
        const struct summand__step second = as_message(&steps[j]);
        if ((is_message(&first) || is_message(&second)) && shares(&first, &second)) {
            remove_step(schedule, middle);
            return true;
        }
    }
    return false;
}

/* Moves a receive into the next round, which needs it. */
static bool delay(const struct summand__algorithm *algorithm, const struct summand__call *call,
                  struct summand__schedule *schedule, size_t i)
{
    struct summand__step step = schedule->steps[i];
    size_t middle = round_end(schedule, i);
    (void)algorithm, (void)call;
    for (size_t j = middle + 1; step.action == SUMMAND__RECV && j < round_end(schedule, middle + 1);
         j++)
        if (shares(&step, &schedule->steps[j])) {
            memmove(schedule->steps + i, schedule->steps + i + 1,
                    (middle - i) * sizeof *schedule->steps);
            schedule->steps[middle] = step;
            return true;
        }
    return false;
}

/* Moves the next step that writes the buffer of a later-completing message into the round behind
 * the message's. */
static bool overwrite(const struct summand__algorithm *algorithm, const struct summand__call *call,
                      struct summand__schedule *schedule, size_t i)
{
    struct summand__step *steps = schedule->steps;
    (void)algorithm, (void)call;
    size_t begin = round_end(schedule, i) + 1;
    for (size_t j = begin; steps[i].lag && j < schedule->length; j++) {
        struct summand__step step = steps[j];
        if (!summand__regions_overlap(steps[i].from, step.to) &&
            !summand__regions_overlap(steps[i].to, step.to))
            continue;
        memmove(steps + begin + 1, steps + begin, (j - begin) * sizeof *steps);
        steps[begin] = step;
        return true;
    }
    return false;
}

/* Ends a schedule before a later-completing message is complete. */
static bool forget(const struct summand__algorithm *algorithm, const struct summand__call *call,
                   struct summand__schedule *schedule, size_t i)
{
    (void)algorithm, (void)call;
    unsigned lag = schedule->steps[i].lag, rounds = 0;
    for (size_t j = i; j < schedule->length; j++)
        rounds += schedule->steps[j].action == SUMMAND__ROUND;
    for (size_t j = schedule->length - 1; lag && rounds >= lag; j--)
        if (schedule->steps[j].action == SUMMAND__ROUND) {
            remove_step(schedule, j);
            rounds--;
        }
    return lag > 0;
}

/* A message that completes later at its other end only. */
static bool punctual(const struct summand__algorithm *algorithm, const struct summand__call *call,
                     struct summand__schedule *schedule, size_t i)
{
    unsigned lag = schedule->steps[i].lag;
    (void)algorithm;
    schedule->steps[i].lag = 0;
    return lag > 0 && !is_near(call->rank, schedule->steps[i].peer);
}

/* A multicast that is one at one end only, or misses some ranks. */
static bool multicast(const struct summand__algorithm *algorithm, const struct summand__call *call,
                      struct summand__schedule *schedule, size_t i)
{
    (void)algorithm;
    if (!is_message(&schedule->steps[i]) || call->ranks < 3)
        return false;
    schedule->steps[i].flags ^= SUMMAND__STEP_MULTICAST;
    return true;
}

#include "mutate_combining.h"

/* Adds a read of a result of which a step says that nobody reads it. */
static bool not_again(const struct summand__algorithm *algorithm, const struct summand__call *call,
                      struct summand__schedule *schedule, size_t i)
{
    struct summand__step *step = &schedule->steps[i];
    bool read = false;
    (void)algorithm, (void)call;
    if (step->action == SUMMAND__SEND || step->flags & SUMMAND__STEP_NONTEMPORAL || !step->to.count)
        return false;
    for (size_t j = i + 1; j < schedule->length && !read; j++) {
        if (summand__regions_overlap(schedule->steps[j].to, step->to) &&
            schedule->steps[j].action != SUMMAND__REDUCE)
            break;
        read = !summand__is_message(&schedule->steps[j]) &&
               summand__reads(&schedule->steps[j], step->to);
    }
    step->flags |= SUMMAND__STEP_NONTEMPORAL;
    return read;
}

static const struct {
    const char *name;
    mutate *apply;
} mutations[] = {
    {"drop", drop},
    {"repeat", repeat},
    {"other peer", other_peer},
    {"shift", shift},
    {"shorten", shorten},
    {"swap operands", swap_operands},
    {"exchange", exchange},
    {"join rounds", join_rounds},
    {"delay", delay},
    {"overwrite", overwrite},
    {"forget", forget},
    {"punctual", punctual},
    {"multicast", multicast},
    {"other side", other_side},
    {"once more", once_more},
    {"not at all", not_at_all},
    {"without copy", without_copy},
    {"crossed", crossed},
    {"late", late},
    {"of far", of_far},
    {"not again", not_again},
};
enum { MUTATIONS = sizeof mutations / sizeof *mutations, COMBINING = 13, OF_FAR = 19 };

struct tally {
    size_t made[MUTATIONS], all;
};

static bool may_come_back(const struct summand__call *call, const struct summand__step *step)
{
    return step->action == SUMMAND__COPY && call->in_place &&
           !summand__has_operator(call->collective);
}

static void try_one(const struct summand__algorithm *algorithm, const struct summand__call *call,
                    struct summand__schedule *schedules, struct tally *tally)
{
    size_t which = draw(MUTATIONS);
    struct summand__call view = *call;
    view.rank = (int)draw((uint32_t)call->ranks);
    struct summand__schedule *broken = &schedules[view.rank], kept = *broken;
    if (!kept.length)
        return;
    size_t step = draw((uint32_t)kept.length);
    for (size_t i = step; nodes && which >= COMBINING && which < OF_FAR && i < kept.length; i++)
        if (combines(&kept, i)) {
            step = i;
            break;
        }
    if (may_come_back(call, &kept.steps[step]))
        return;
    broken->steps = malloc(kept.length * sizeof *broken->steps);
    assert_non_null(broken->steps);
    memcpy(broken->steps, kept.steps, kept.length * sizeof *broken->steps);
    if (mutations[which].apply(algorithm, &view, broken, step)) {
        struct summand__proof proof;
        if (summand__prove_schedules(algorithm, call, nodes, schedules, &proof))
            fail_msg("%s %s: %d ranks, root %d, count %zu, segment %zu%s: %s of rank %d's step %zu "
                     "(%s) is not caught%s",
                     algorithm->name, summand__collective_name(call->collective), call->ranks,
                     call->root, call->count, call->parameter[SUMMAND__SEGMENT],
                     call->in_place ? ", in place" : "", mutations[which].name, view.rank, step,
                     summand__action_name(kept.steps[step].action), nodes ? ", on nodes" : "");
        tally->made[which]++;
        tally->all++;
    }
    free(broken->steps);
    *broken = kept;
}

static bool mutate_case(const struct summand__algorithm *algorithm,
                        const struct summand__call *call, void *context)
{
    struct summand__schedule schedules[MOST_RANKS];
    int node[MOST_RANKS];
    for (int combining = 0; combining < 2; combining++) {
        int some = 1 + (int)draw(3);
        for (int r = 0; r < call->ranks; r++)
            node[r] = (int)draw((uint32_t)some);
        nodes = combining ? node : NULL;
        assert_true(summand__placed_schedules(algorithm, call, nodes, schedules));
        for (int i = 0; i < TRIES / 2; i++)
            try_one(algorithm, call, schedules, context);
        for (int r = 0; r < call->ranks; r++)
            summand__schedule_free(&schedules[r]);
    }
    return true;
}

/* Other mutations are made in test_outer_proof.c, with its proofs. */
static bool does_collectives(const struct summand__algorithm *algorithm)
{
    int c = 0;
    while (c < SUMMAND__MPI_COLLECTIVES && !algorithm->build[c])
        c++;
    return c < SUMMAND__MPI_COLLECTIVES;
}

TEST(every_mutation)
{
    static const int ranks[] = {2, 3, 5, 8, 13};
    size_t made[MUTATIONS] = {0};
    for (int i = 0; summand__algorithms[i]; i++) {
        struct tally tally = {{0}, 0};
        if (!does_collectives(summand__algorithms[i]))
            continue;
        for (int c = 0; c < SUMMAND__MPI_COLLECTIVES; c++)
            for (size_t p = 0; p < sizeof ranks / sizeof *ranks; p++)
                assert_true(summand__cases(summand__algorithms[i], (enum summand__collective)c,
                                           ranks[p], SUMMAND__FEW_CASES, mutate_case, &tally));
        print_message("%-22s %6zu broken schedules caught\n", summand__algorithms[i]->name,
                      tally.all);
        assert_true(tally.all >= 300);
        for (int m = 0; m < MUTATIONS; m++)
            made[m] += tally.made[m];
    }
    for (int m = 0; m < MUTATIONS; m++) {
        print_message("%-22s %6zu\n", mutations[m].name, made[m]);
        assert_true(made[m] >= 100);
    }
}
