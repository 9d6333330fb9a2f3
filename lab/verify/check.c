/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/verify/check.h"

#include <stdlib.h>
#include <string.h>

#include "lab/verify/meaning.h"
#include "lab/verify/schedules.h"
#include "lab/verify/touch.h"

/* Rounds that touch at most this number of regions are checked in pairs, others element by
 * element. */
enum { FEW = 16 };

/* A range that a rank can touch; places lie one behind the other. */
struct summand__extent {
    size_t first, end;
    enum summand__touch touch;
    enum summand__place place;
};

struct summand__late {
    struct summand__extent extent;
    size_t last; /* the round that waits for it */
};

/* The least ranges of each place that messages, and that local steps, touch; if there are many
 * places, some share one. */
enum { HULLS = 8 };
struct hull {
    size_t first[2][HULLS], end[2][HULLS];
};

bool summand__checker_init(struct summand__checker *checker, const struct summand__play *play)
{
    size_t steps = 1, cells = 1;
    for (int r = 0; r < play->ranks; r++) {
        size_t sum = 0;
        for (unsigned place = 0; place < play->memories[r].places; place++)
            sum += play->memories[r].place[place].count;
        steps = steps > play->schedules[r].length ? steps : play->schedules[r].length;
        cells = cells > sum ? cells : sum;
    }
    checker->base[0] = checker->extent_count = checker->late_count = 0;
    checker->extents = malloc((SUMMAND__MOST_TOUCHED * steps + summand__most_rows(play, cells)) *
                              sizeof *checker->extents);
    checker->lates = malloc(steps * sizeof *checker->lates);
    checker->last = malloc((size_t)play->ranks * sizeof *checker->last);
    checker->marks = calloc(cells, 1);
    return checker->extents && checker->lates && checker->last && checker->marks;
}

void summand__checker_free(struct summand__checker *checker)
{
    free(checker->extents);
    free(checker->lates);
    free(checker->last);
    free(checker->marks);
}

/* True if a region equals another one or is disjoint from it. */
static bool is_whole(struct summand__region a, struct summand__region b)
{
    return summand__regions_equal(a, b) || !summand__regions_overlap(a, b);
}

/* Operands are disjoint; the result is disjoint from them, or is one of them. */
static bool is_recv_reduce(const struct summand__play *play, int rank,
                           const struct summand__step *step)
{
    return !step->lag && summand__is_near(play, rank, step->peer) &&
           step->from.count == step->to.count && step->with.count == step->to.count &&
           !summand__regions_overlap(step->from, step->with) && is_whole(step->from, step->to) &&
           is_whole(step->with, step->to);
}

static bool is_message(const struct summand__play *play, int rank, size_t i)
{
    const struct summand__schedule *schedule = &play->schedules[rank];
    const struct summand__step *step = &schedule->steps[i];
    return step->peer >= 0 && step->peer < play->ranks && step->peer != rank &&
           (step->action == SUMMAND__RECV_REDUCE ? is_recv_reduce(play, rank, step)
                                                 : !(step->from.count && step->to.count)) &&
           (!summand__is_multicast(step) || summand__multicast_to_all(schedule, i, play->ranks));
}

static bool is_good(const struct summand__play *play, int rank, size_t i)
{
    const struct summand__memory *memory = &play->memories[rank];
    const struct summand__step *step = &play->schedules[rank].steps[i];
    if (summand__has_meaning(step))
        return !summand__meaning_wrong(play, rank, i);
    bool combines = step->action == SUMMAND__RECV_REDUCE;
    if (!summand__holds(memory, step->from, combines) || !summand__holds(memory, step->to, true))
        return false;
    if (combines ? !summand__holds(memory, step->with, false) : step->with.count > 0)
        return false;
    if (step->lag > SUMMAND__MOST_LAG)
        return false;
    if (summand__is_message(step))
        return is_message(play, rank, i);
    return step->action == SUMMAND__REDUCE || step->action == SUMMAND__COPY;
}

static struct summand__extent extent_of(const struct summand__checker *checker,
                                        struct summand__region region, enum summand__touch touch)
{
    size_t first = checker->base[region.place] + region.first;
    return (struct summand__extent){first, first + region.count, touch, region.place};
}

static bool clash(const struct summand__extent *a, const struct summand__extent *b)
{
    return a->first < b->end && b->first < a->end && a->touch & summand__clashes[b->touch];
}

static bool any_pair(const struct summand__extent *extents, size_t count)
{
    for (size_t i = 1; i < count; i++)
        for (size_t j = 0; j < i; j++)
            if (clash(&extents[i], &extents[j]))
                return true;
    return false;
}

/* Notes for each element how it is touched; clears the notes. */
static bool any_mark(const struct summand__extent *extents, size_t count, unsigned char *marks)
{
    unsigned found = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t k = extents[i].first; k < extents[i].end; k++) {
            found |= marks[k] & summand__clashes[extents[i].touch];
            marks[k] |= (unsigned char)extents[i].touch;
        }
    for (size_t i = 0; i < count; i++)
        memset(marks + extents[i].first, 0, extents[i].end - extents[i].first);
    return found;
}

/* Rows of rectangles, one by one: other tiles may lie between them. */
static void add_computation(struct summand__checker *checker,
                            const struct summand__schedule *schedule, size_t i)
{
    for (int which = 0; which < 3; which++) {
        struct summand__tile tile = summand__step_tile(schedule, i, which);
        for (size_t row = 0; row < tile.shape.rows && tile.shape.count; row++)
            checker->extents[checker->extent_count++] =
                extent_of(checker, summand__tile_row(&tile, row),
                          which < 2 ? SUMMAND__STEP_READS : SUMMAND__STEP_WRITES);
    }
}

/* Notes what the round's steps touch; false if a step is wrong by itself, or may overtake an
 * earlier receive. */
static bool take_steps(struct summand__checker *checker, const struct summand__play *play, int rank,
                       const struct summand__round_steps *round, size_t number)
{
    const struct summand__step *steps = play->schedules[rank].steps;
    const bool plain = !round->combines;
    checker->extent_count = 0;
    checker->lags = false;
    for (size_t i = round->begin; i < round->end; i++) {
        struct summand__touched touched[SUMMAND__MOST_TOUCHED];
        if (!is_good(play, rank, i))
            return false;
        checker->lags = checker->lags || steps[i].lag;
        if (steps[i].action == SUMMAND__COMPUTE)
            add_computation(checker, &play->schedules[rank], i);
        int count = plain && !summand__has_meaning(&steps[i])
                        ? summand__touches_plain(&steps[i], touched)
                        : summand__touches(play, rank, round, i, touched);
        for (int t = 0; t < count; t++)
            checker->extents[checker->extent_count++] =
                extent_of(checker, touched[t].region, touched[t].touch);
        if (summand__receives(&steps[i])) {
            size_t *last = &checker->last[steps[i].peer];
            if (*last > number + steps[i].lag)
                return false;
            *last = number + steps[i].lag;
        }
    }
    return true;
}

static bool is_of_step(const struct summand__extent *extent)
{
    return extent->touch & (SUMMAND__STEP_WRITES | SUMMAND__STEP_READS);
}

static struct hull hull_of(const struct summand__extent *extents, size_t count)
{
    struct hull hull = {{{0}}, {{0}}};
    for (size_t i = 0; i < count; i++) {
        bool step = is_of_step(&extents[i]);
        size_t *first = &hull.first[step][(unsigned)extents[i].place % HULLS];
        size_t *end = &hull.end[step][(unsigned)extents[i].place % HULLS];
        if (!*end || extents[i].first < *first)
            *first = extents[i].first;
        if (extents[i].end > *end)
            *end = extents[i].end;
    }
    return hull;
}

static bool reaches(const struct hull *hull, const struct summand__extent *extent)
{
    for (int step = 0; step < 2; step++)
        if (hull->first[step][(unsigned)extent->place % HULLS] < extent->end &&
            extent->first < hull->end[step][(unsigned)extent->place % HULLS])
            return true;
    return false;
}

/* Compares late messages with this round's steps: most touch nothing near them. Removes completed
 * ones. */
static bool any_late(struct summand__checker *checker, size_t round)
{
    bool few = checker->extent_count <= FEW; /* then each costs less than their hull */
    struct hull hull;
    size_t kept = 0;
    if (!few)
        hull = hull_of(checker->extents, checker->extent_count);
    for (size_t l = 0; l < checker->late_count; l++) {
        const struct summand__late *late = &checker->lates[l];
        if (late->last < round)
            continue;
        if (few || reaches(&hull, &late->extent))
            for (size_t i = 0; i < checker->extent_count; i++)
                if (clash(&late->extent, &checker->extents[i]))
                    return true;
        if (kept++ != l)
            checker->lates[kept - 1] = *late;
    }
    checker->late_count = kept;
    return false;
}

/* Adds what the round's late messages touch. */
static void add_lates(struct summand__checker *checker, const struct summand__step *steps,
                      size_t begin, size_t end, size_t round)
{
    for (size_t i = begin; i < end; i++) {
        bool sent = steps[i].action == SUMMAND__SEND;
        struct summand__region region = sent ? steps[i].from : steps[i].to;
        if (region.count && summand__is_message(&steps[i]) && steps[i].lag)
            checker->lates[checker->late_count++] = (struct summand__late){
                extent_of(checker, region, sent ? SUMMAND__MESSAGE_READS : SUMMAND__MESSAGE_WRITES),
                round + steps[i].lag};
    }
}

size_t summand__check_rank(struct summand__checker *checker, const struct summand__play *play,
                           int rank)
{
    const struct summand__schedule *schedule = &play->schedules[rank];
    const struct summand__step *steps = schedule->steps;
    const struct summand__memory *memory = &play->memories[rank];
    for (unsigned place = 1; place < memory->places; place++)
        checker->base[place] = checker->base[place - 1] + memory->place[place - 1].count;
    memset(checker->last, 0, (size_t)play->ranks * sizeof *checker->last);
    checker->late_count = 0;
    struct summand__round_steps round = {0, 0, false};
    for (size_t number = 0; round.begin < schedule->length; round.begin = round.end + 1, number++) {
        round = summand__round_from(schedule, round.begin);
        if (!take_steps(checker, play, rank, &round, number) ||
            (checker->late_count && any_late(checker, number)))
            return number;
        if (checker->lags)
            add_lates(checker, steps, round.begin, round.end, number);
        if (checker->extent_count <= FEW
                ? any_pair(checker->extents, checker->extent_count)
                : any_mark(checker->extents, checker->extent_count, checker->marks))
            return number;
    }
    return SUMMAND__NO_ROUND;
}
