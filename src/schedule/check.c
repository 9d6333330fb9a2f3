#include "schedule/check.h"

#include <stdlib.h>
#include <string.h>

#include "schedule/hull.h"

/* Rounds that touch no more than so much are looked at in pairs; others are sorted. */
enum { FEW = 16 };

enum touch { MESSAGE_WRITES = 1, MESSAGE_READS = 2, STEP_WRITES = 4, STEP_READS = 8 };
enum { TOUCHES = 4 };

/* Places lie one behind the other: an extent is a range of all that a rank can touch. */
struct summand__extent {
    uint64_t first, end;
    unsigned touch, clashes; /* enum touch: what it is, and with what else it clashes */
};

struct summand__late {
    struct summand__extent extent;
    struct summand__region region;
    size_t last; /* the round that waits for it */
};

bool summand__checker_init(struct summand__checker *checker, const struct summand__play *play)
{
    size_t most = 1;
    for (int r = 0; r < play->ranks; r++)
        most = most > play->schedules[r].length ? most : play->schedules[r].length;
    *checker = (struct summand__checker){0};
    checker->extents = malloc(2 * most * sizeof *checker->extents);
    checker->lates = malloc(most * sizeof *checker->lates);
    checker->last = malloc((size_t)play->ranks * sizeof *checker->last);
    return checker->extents && checker->lates && checker->last;
}

void summand__checker_free(struct summand__checker *checker)
{
    free(checker->extents);
    free(checker->lates);
    free(checker->last);
}

static bool is_message(const struct summand__step *step)
{
    return step->action == SUMMAND__SEND || step->action == SUMMAND__RECV;
}

static bool is_inside(const struct summand__memory *memory, struct summand__region region,
                      bool write)
{
    return region.first + region.count <= memory->count[region.place] &&
           !(write && region.count && !memory->writable[region.place]);
}

static bool is_good(const struct summand__play *play, int rank, size_t i)
{
    const struct summand__schedule *schedule = &play->schedules[rank];
    const struct summand__memory *memory = &play->memories[rank];
    const struct summand__step *step = &schedule->steps[i];
    if (!is_inside(memory, step->from, false) || !is_inside(memory, step->to, true))
        return false;
    if (!is_message(step))
        return true;
    return step->peer >= 0 && step->peer < play->ranks && step->peer != rank &&
           !(step->from.count && step->to.count) &&
           (!step->to_all || summand__sends_to_all(schedule, i, play->ranks));
}

static struct summand__extent extent_of(struct summand__region region, bool message, bool writes)
{
    static const unsigned clashes[] = {[MESSAGE_WRITES] = MESSAGE_WRITES | MESSAGE_READS |
                                                          STEP_WRITES | STEP_READS,
                                       [MESSAGE_READS] = MESSAGE_WRITES | STEP_WRITES,
                                       [STEP_WRITES] = MESSAGE_WRITES | MESSAGE_READS,
                                       [STEP_READS] = MESSAGE_WRITES};
    unsigned touch =
        message ? (writes ? MESSAGE_WRITES : MESSAGE_READS) : (writes ? STEP_WRITES : STEP_READS);
    uint64_t first = (uint64_t)region.place << 56 | region.first;
    return (struct summand__extent){first, first + region.count, touch, clashes[touch]};
}

static bool clash(const struct summand__extent *a, const struct summand__extent *b)
{
    return a->first < b->end && b->first < a->end && a->touch & b->clashes;
}

static bool any_pair(const struct summand__extent *extents, size_t count)
{
    for (size_t i = 1; i < count; i++)
        for (size_t j = 0; j < i; j++)
            if (clash(&extents[i], &extents[j]))
                return true;
    return false;
}

static int in_order(const void *a, const void *b)
{
    const struct summand__extent *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

/* In order of where they begin, an extent meets one before it if that one has not ended. */
static bool any_sorted(struct summand__extent *extents, size_t count)
{
    uint64_t ends[TOUCHES] = {0};
    qsort(extents, count, sizeof *extents, in_order);
    for (size_t i = 0; i < count; i++)
        for (unsigned t = 0; t < TOUCHES; t++) {
            if (extents[i].clashes & 1u << t && ends[t] > extents[i].first)
                return true;
            if (extents[i].touch == 1u << t && ends[t] < extents[i].end)
                ends[t] = extents[i].end;
        }
    return false;
}

/* Notes what the steps of the round touch; false if one of them alone is wrong, or may overtake a
 * receive before it. */
static bool take_steps(struct summand__checker *checker, const struct summand__play *play, int rank,
                       size_t begin, size_t end, size_t round)
{
    const struct summand__step *steps = play->schedules[rank].steps;
    checker->extent_count = 0;
    for (size_t i = begin; i < end; i++) {
        bool message = is_message(&steps[i]);
        if (!is_good(play, rank, i))
            return false;
        if (steps[i].from.count)
            checker->extents[checker->extent_count++] = extent_of(steps[i].from, message, false);
        if (steps[i].to.count)
            checker->extents[checker->extent_count++] = extent_of(steps[i].to, message, true);
        if (steps[i].action == SUMMAND__RECV) {
            size_t *last = &checker->last[steps[i].peer];
            if (*last > round + steps[i].lag)
                return false;
            *last = round + steps[i].lag;
        }
    }
    return true;
}

/* Most late messages are told apart from messages, and from local steps, by what these touch in
 * all. Forgets those that are through. */
static bool any_late(struct summand__checker *checker, const struct summand__step *steps,
                     size_t begin, size_t end, size_t round)
{
    struct summand__hull hulls[2] = {{{0}, {0}}};
    size_t kept = 0;
    for (size_t i = begin; checker->late_count && i < end; i++) {
        summand__hull_cover(&hulls[is_message(&steps[i])], steps[i].from);
        summand__hull_cover(&hulls[is_message(&steps[i])], steps[i].to);
    }
    for (size_t l = 0; l < checker->late_count; l++) {
        const struct summand__late *late = &checker->lates[l];
        if (late->last < round)
            continue;
        if (summand__hull_reaches(&hulls[0], late->region) ||
            summand__hull_reaches(&hulls[1], late->region))
            for (size_t i = 0; i < checker->extent_count; i++)
                if (clash(&late->extent, &checker->extents[i]))
                    return true;
        checker->lates[kept++] = *late;
    }
    checker->late_count = kept;
    return false;
}

static void add_lates(struct summand__checker *checker, const struct summand__step *steps,
                      size_t begin, size_t end, size_t round)
{
    for (size_t i = begin; i < end; i++) {
        bool writes = steps[i].action == SUMMAND__RECV;
        struct summand__region region = writes ? steps[i].to : steps[i].from;
        if (steps[i].lag && is_message(&steps[i]))
            checker->lates[checker->late_count++] = (struct summand__late){
                extent_of(region, true, writes), region, round + steps[i].lag};
    }
}

size_t summand__check_rank(struct summand__checker *checker, const struct summand__play *play,
                           int rank)
{
    const struct summand__schedule *schedule = &play->schedules[rank];
    const struct summand__step *steps = schedule->steps;
    bool lags = summand__schedule_lag(schedule) > 0;
    memset(checker->last, 0, (size_t)play->ranks * sizeof *checker->last);
    checker->late_count = 0;
    for (size_t begin = 0, end, round = 0; begin < schedule->length; begin = end + 1, round++) {
        for (end = begin; end < schedule->length && steps[end].action != SUMMAND__ROUND;)
            end++;
        if (!take_steps(checker, play, rank, begin, end, round) ||
            any_late(checker, steps, begin, end, round))
            return round;
        if (lags)
            add_lates(checker, steps, begin, end, round);
        if (checker->extent_count > FEW ? any_sorted(checker->extents, checker->extent_count)
                                        : any_pair(checker->extents, checker->extent_count))
            return round;
    }
    return SUMMAND__NO_ROUND;
}
