#include "lab/verify/check.h"

#include <stdlib.h>
#include <string.h>

#include "lab/verify/meaning.h"

/* Rounds that touch no more than so much are looked at in pairs, others element by element. */
enum { FEW = 16 };

enum touch {
    MESSAGE_WRITES = 1,
    MESSAGE_READS = 2,
    STEP_WRITES = 4,
    STEP_READS = 8,
    JOIN_WRITES = 16, /* what is combined with a message once all local steps are done */
    JOIN_READS = 32,
    RESULT_READS = 64 /* of a send that a transport lets read a result before it is combined into */
};

/* With what else each clashes. */
static const unsigned char clashes[] = {
    [MESSAGE_WRITES] = MESSAGE_WRITES | MESSAGE_READS | STEP_WRITES | STEP_READS | JOIN_WRITES |
                       JOIN_READS | RESULT_READS,
    [MESSAGE_READS] = MESSAGE_WRITES | STEP_WRITES | JOIN_WRITES,
    [STEP_WRITES] = MESSAGE_WRITES | MESSAGE_READS | RESULT_READS,
    [STEP_READS] = MESSAGE_WRITES,
    [JOIN_WRITES] = MESSAGE_WRITES | MESSAGE_READS | JOIN_WRITES | JOIN_READS,
    [JOIN_READS] = MESSAGE_WRITES | JOIN_WRITES,
    [RESULT_READS] = MESSAGE_WRITES | STEP_WRITES};

/* A range of what a rank can touch, its places one behind the other. */
struct summand__extent {
    size_t first, end;
    enum touch touch;
    enum summand__place place;
};

struct summand__late {
    struct summand__extent extent;
    size_t last; /* the round that waits for it */
};

/* The least ranges of each place that messages, and that local steps, touch. */
struct hull {
    size_t first[2][SUMMAND__MOST_PLACES], end[2][SUMMAND__MOST_PLACES];
};

bool summand__checker_init(struct summand__checker *checker, const struct summand__play *play)
{
    size_t steps = 1, cells = 1;
    for (int r = 0; r < play->ranks; r++) {
        size_t sum = 0;
        for (int place = 0; place < SUMMAND__MOST_PLACES; place++)
            sum += play->memories[r].count[place];
        steps = steps > play->schedules[r].length ? steps : play->schedules[r].length;
        cells = cells > sum ? cells : sum;
    }
    *checker = (struct summand__checker){0};
    checker->extents = malloc((3 * steps + summand__most_rows(play)) * sizeof *checker->extents);
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
    if (summand__has_meaning(step))
        return !summand__meaning_wrong(play, rank, i);
    if (!is_inside(memory, step->from, false) || !is_inside(memory, step->to, true))
        return false;
    if (!summand__is_message(step))
        return true;
    return step->peer >= 0 && step->peer < play->ranks && step->peer != rank &&
           !(step->from.count && step->to.count) &&
           (!summand__is_multicast(step) || summand__multicast_to_all(schedule, i, play->ranks));
}

static struct summand__extent extent_of(const struct summand__checker *checker,
                                        struct summand__region region, enum touch touch)
{
    size_t first = checker->base[region.place] + region.first;
    return (struct summand__extent){first, first + region.count, touch, region.place};
}

static void add_extent(struct summand__checker *checker, struct summand__region region,
                       enum touch touch)
{
    if (region.count)
        checker->extents[checker->extent_count++] = extent_of(checker, region, touch);
}

static bool clash(const struct summand__extent *a, const struct summand__extent *b)
{
    return a->first < b->end && b->first < a->end && a->touch & clashes[b->touch];
}

static bool any_pair(const struct summand__extent *extents, size_t count)
{
    for (size_t i = 1; i < count; i++)
        for (size_t j = 0; j < i; j++)
            if (clash(&extents[i], &extents[j]))
                return true;
    return false;
}

/* Notes with each element how it is touched; leaves nothing of it. */
static bool any_mark(const struct summand__extent *extents, size_t count, unsigned char *marks)
{
    unsigned found = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t k = extents[i].first; k < extents[i].end; k++) {
            found |= marks[k] & clashes[extents[i].touch];
            marks[k] |= (unsigned char)extents[i].touch;
        }
    for (size_t i = 0; i < count; i++)
        memset(marks + extents[i].first, 0, extents[i].end - extents[i].first);
    return found;
}

/* Whether a receive from step `begin` on, before `end`, is joined to that result. */
static bool is_joined(const struct summand__play *play, int rank, size_t begin, size_t end,
                      struct summand__region result)
{
    const struct summand__fused *fused = play->fused[rank];
    for (size_t i = begin; i < end; i++)
        if (fused[i].reduce &&
            summand__regions_equal(play->schedules[rank].steps[fused[i].reduce - 1].to, result))
            return true;
    return false;
}

/* Whether a receive is joined with a step that combines what it receives, and with no copy, or one
 * of the sendbuf to where a left operand is combined into. */
static bool is_join(const struct summand__play *play, int rank, size_t recv)
{
    const struct summand__step *steps = play->schedules[rank].steps;
    const struct summand__fused *fused = &play->fused[rank][recv];
    const struct summand__step *reduce = &steps[fused->reduce - 1];
    bool left = summand__regions_equal(steps[recv].to, reduce->from);
    if (steps[recv].action != SUMMAND__RECV || reduce->action != SUMMAND__REDUCE ||
        !is_good(play, rank, fused->reduce - 1) ||
        !(left || summand__regions_equal(steps[recv].to, reduce->to)))
        return false;
    if (!fused->copy)
        return true;
    const struct summand__step *copy = &steps[fused->copy - 1];
    return left && copy->action == SUMMAND__COPY && is_good(play, rank, fused->copy - 1) &&
           copy->from.place == SUMMAND__SENDBUF && summand__regions_equal(copy->to, reduce->to);
}

/* A receive that is joined: its operands may be results of those before it. */
static void add_join(struct summand__checker *checker, const struct summand__play *play, int rank,
                     size_t begin, size_t recv)
{
    const struct summand__step *steps = play->schedules[rank].steps;
    const struct summand__step *step = &steps[play->fused[rank][recv].reduce - 1];
    struct summand__region arrived = steps[recv].to;
    if (!summand__regions_equal(arrived, step->to) || is_joined(play, rank, begin, recv, step->to))
        add_extent(checker, arrived, MESSAGE_WRITES);
    if (!summand__regions_equal(arrived, step->from) &&
        !is_joined(play, rank, begin, recv, step->from))
        add_extent(checker, step->from, JOIN_READS);
    if (!is_joined(play, rank, begin, recv, step->to))
        add_extent(checker, step->to, JOIN_WRITES);
}

/* Whether a send is one that a transport lets read a result before it is combined into. */
static bool may_read_result(const struct summand__play *play, int rank,
                            const struct summand__step *step)
{
    return step->action == SUMMAND__SEND && !step->lag &&
           step->peer / play->node == rank / play->node;
}

/* Rows of rectangles, one by one: other tiles may lie between them. */
static void add_computation(struct summand__checker *checker,
                            const struct summand__schedule *schedule, size_t i)
{
    for (int which = 0; which < 3; which++) {
        struct summand__tile tile = summand__step_tile(schedule, i, which);
        for (size_t row = 0; row < tile.shape.rows; row++)
            add_extent(checker, summand__tile_row(&tile, row),
                       which < 2 ? STEP_READS : STEP_WRITES);
    }
}

/* What a step of the round [begin, end) touches. */
static bool add_step(struct summand__checker *checker, const struct summand__play *play, int rank,
                     size_t begin, size_t end, size_t i)
{
    const struct summand__step *step = &play->schedules[rank].steps[i];
    const struct summand__fused *fused = play->fused ? &play->fused[rank][i] : NULL;
    bool message = summand__is_message(step);
    if (step->action == SUMMAND__COMPUTE) {
        add_computation(checker, &play->schedules[rank], i);
        return true;
    }
    if (step->action == SUMMAND__PUT) {
        add_extent(checker, step->from, MESSAGE_READS);
        return true;
    }
    if (fused && fused->reduce) {
        if (!is_join(play, rank, i))
            return false;
        add_join(checker, play, rank, begin, i);
        return true;
    }
    if (fused && fused->joined)
        return true;
    if (fused && may_read_result(play, rank, step) &&
        is_joined(play, rank, begin, end, step->from)) {
        add_extent(checker, step->from, RESULT_READS);
        return true;
    }
    add_extent(checker, step->from, message ? MESSAGE_READS : STEP_READS);
    add_extent(checker, step->to, message ? MESSAGE_WRITES : STEP_WRITES);
    return true;
}

/* Notes what the steps of the round touch; false if one of them alone is wrong, or may overtake a
 * receive before it. */
static bool take_steps(struct summand__checker *checker, const struct summand__play *play, int rank,
                       size_t begin, size_t end, size_t round)
{
    const struct summand__step *steps = play->schedules[rank].steps;
    checker->extent_count = 0;
    for (size_t i = begin; i < end; i++) {
        if (!is_good(play, rank, i) || !add_step(checker, play, rank, begin, end, i))
            return false;
        if (steps[i].action == SUMMAND__RECV) {
            size_t *last = &checker->last[steps[i].peer];
            if (*last > round + steps[i].lag)
                return false;
            *last = round + steps[i].lag;
        }
    }
    return true;
}

static bool is_of_step(const struct summand__extent *extent)
{
    return extent->touch & (STEP_WRITES | STEP_READS);
}

static struct hull hull_of(const struct summand__extent *extents, size_t count)
{
    struct hull hull = {{{0}}, {{0}}};
    for (size_t i = 0; i < count; i++) {
        bool step = is_of_step(&extents[i]);
        size_t *first = &hull.first[step][extents[i].place];
        size_t *end = &hull.end[step][extents[i].place];
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
        if (hull->first[step][extent->place] < extent->end &&
            extent->first < hull->end[step][extent->place])
            return true;
    return false;
}

/* Late messages against the steps of this round: most touch nothing near them. Forgets those that
 * are through. */
static bool any_late(struct summand__checker *checker, size_t round)
{
    struct hull hull = hull_of(checker->extents, checker->extent_count);
    size_t kept = 0;
    for (size_t l = 0; l < checker->late_count; l++) {
        const struct summand__late *late = &checker->lates[l];
        if (late->last < round)
            continue;
        if (reaches(&hull, &late->extent))
            for (size_t i = 0; i < checker->extent_count; i++)
                if (clash(&late->extent, &checker->extents[i]))
                    return true;
        if (kept++ != l)
            checker->lates[kept - 1] = *late;
    }
    checker->late_count = kept;
    return false;
}

/* What the late messages of the round touch. */
static void add_lates(struct summand__checker *checker, const struct summand__step *steps,
                      size_t begin, size_t end, size_t round)
{
    for (size_t i = begin; i < end; i++) {
        bool sent = steps[i].action == SUMMAND__SEND;
        struct summand__region region = sent ? steps[i].from : steps[i].to;
        if (region.count && summand__is_message(&steps[i]) && steps[i].lag)
            checker->lates[checker->late_count++] = (struct summand__late){
                extent_of(checker, region, sent ? MESSAGE_READS : MESSAGE_WRITES),
                round + steps[i].lag};
    }
}

size_t summand__check_rank(struct summand__checker *checker, const struct summand__play *play,
                           int rank)
{
    const struct summand__schedule *schedule = &play->schedules[rank];
    const struct summand__step *steps = schedule->steps;
    const size_t *count = play->memories[rank].count;
    bool lags = summand__schedule_lag(schedule) > 0;
    for (int place = 1; place < SUMMAND__MOST_PLACES; place++)
        checker->base[place] = checker->base[place - 1] + count[place - 1];
    memset(checker->last, 0, (size_t)play->ranks * sizeof *checker->last);
    checker->late_count = 0;
    for (size_t begin = 0, end, round = 0; begin < schedule->length; begin = end + 1, round++) {
        for (end = begin; end < schedule->length && steps[end].action != SUMMAND__ROUND;)
            end++;
        if (!take_steps(checker, play, rank, begin, end, round) ||
            (checker->late_count && any_late(checker, round)))
            return round;
        if (lags)
            add_lates(checker, steps, begin, end, round);
        if (checker->extent_count <= FEW
                ? any_pair(checker->extents, checker->extent_count)
                : any_mark(checker->extents, checker->extent_count, checker->marks))
            return round;
    }
    return SUMMAND__NO_ROUND;
}
