#include "schedule/passes/fuse.h"

/* Steps after which an operand that was neither read nor written is taken to be read. */
enum { FAR = 200 };

struct span {
    size_t begin, end;
};

struct fusing {
    const struct summand__schedule *schedule;
    struct summand__fused *fused;
    bool (*may)(const void *context, int peer);
    const void *context;
    struct span now, next;         /* the round of the messages, and that of the reduce steps */
    size_t begin[SUMMAND__GROUPS]; /* of the rounds before, and how many there are */
    size_t rounds;
    size_t last; /* joined receive of this round, plus one */
};

static struct span round_from(const struct summand__schedule *schedule, size_t begin)
{
    size_t end = begin;
    while (end < schedule->length && schedule->steps[end].action != SUMMAND__ROUND)
        end++;
    return (struct span){begin, end};
}

static bool covers(struct summand__region a, struct summand__region b)
{
    return a.place == b.place && a.first <= b.first && a.first + a.count >= b.first + b.count;
}

static bool reads(const struct summand__step *step, struct summand__region region)
{
    bool from = step->action == SUMMAND__SEND || step->action == SUMMAND__REDUCE ||
                step->action == SUMMAND__COPY;
    return (from && summand__regions_overlap(step->from, region)) ||
           (step->action == SUMMAND__REDUCE && summand__regions_overlap(step->to, region));
}

static bool overwrites(const struct summand__step *step, struct summand__region region)
{
    return (step->action == SUMMAND__RECV || step->action == SUMMAND__COPY) &&
           covers(step->to, region);
}

/* Whether, besides `step`, nobody reads the region from its round on before it is written anew. */
static bool is_over(const struct summand__schedule *schedule, size_t begin, size_t step,
                    struct summand__region region)
{
    for (size_t i = begin; i < step; i++)
        if (reads(&schedule->steps[i], region))
            return false;
    for (size_t i = step + 1; i < schedule->length; i++) {
        if (i > step + FAR || reads(&schedule->steps[i], region))
            return false;
        if (overwrites(&schedule->steps[i], region))
            return true;
    }
    return region.place == SUMMAND__SCRATCH;
}

/* Whether late messages of rounds before are still under way that use a region. */
static bool is_in_use(const struct fusing *fusing, struct summand__region region, bool written)
{
    for (unsigned ago = 1; ago <= SUMMAND__MOST_LAG && ago <= fusing->rounds; ago++) {
        const struct summand__step *step =
            &fusing->schedule->steps[fusing->begin[(fusing->rounds - ago) % SUMMAND__GROUPS]];
        for (; step->action != SUMMAND__ROUND; step++)
            if (step->lag >= ago && ((written && summand__regions_overlap(step->from, region)) ||
                                     summand__regions_overlap(step->to, region)))
                return true;
    }
    return false;
}

/* Whether messages of the receiving round leave an operand or result alone, or are joined with it
 * in the order that the steps have. */
static bool is_free(const struct fusing *fusing, size_t recv, struct summand__region region,
                    bool written)
{
    for (size_t i = fusing->now.begin; i < fusing->now.end; i++) {
        const struct summand__step *step = &fusing->schedule->steps[i];
        if (i == recv)
            continue;
        if (step->action == SUMMAND__SEND && written &&
            summand__regions_overlap(step->from, region) &&
            !(summand__regions_equal(step->from, region) &&
              fusing->may(fusing->context, step->peer)))
            return false;
        if (step->action == SUMMAND__RECV && summand__regions_overlap(step->to, region) &&
            !(fusing->fused[i].reduce && summand__regions_equal(step->to, region)))
            return false;
    }
    return !is_in_use(fusing, region, written);
}

/* The receive of the round, behind those that are joined, of the same region. */
static bool find_recv(const struct fusing *fusing, struct summand__region region, size_t *recv)
{
    for (size_t i = fusing->now.begin; i < fusing->now.end; i++) {
        const struct summand__step *step = &fusing->schedule->steps[i];
        *recv = i;
        if (step->action == SUMMAND__RECV && !step->lag && summand__regions_equal(step->to, region))
            return i >= fusing->last && fusing->may(fusing->context, step->peer);
    }
    return false;
}

/* A copy of the sendbuf to where the result will be, to which nothing else happens meanwhile. */
static void join_copy(const struct fusing *fusing, struct summand__fused *recv,
                      struct summand__region result)
{
    for (size_t i = fusing->now.begin; i < fusing->now.end; i++) {
        const struct summand__step *step = &fusing->schedule->steps[i];
        bool touches = reads(step, result) || summand__regions_overlap(step->to, result);
        if (!touches || fusing->fused[i].joined)
            continue;
        if (step->action == SUMMAND__COPY && step->from.place == SUMMAND__SENDBUF &&
            summand__regions_equal(step->to, result) && !recv->copy) {
            recv->copy = i + 1;
            continue;
        }
        recv->copy = 0;
        return;
    }
    if (recv->copy)
        fusing->fused[recv->copy - 1].joined = true;
}

static bool join(struct fusing *fusing, size_t reduce)
{
    const struct summand__step *step = &fusing->schedule->steps[reduce];
    size_t recv;
    bool left = find_recv(fusing, step->from, &recv);
    if (!left && !find_recv(fusing, step->to, &recv))
        return false;
    if (left ? !is_over(fusing->schedule, fusing->next.begin, reduce, step->from) ||
                   !is_free(fusing, recv, step->to, true)
             : !is_free(fusing, recv, step->from, false))
        return false;
    fusing->fused[recv].reduce = reduce + 1;
    fusing->fused[reduce].joined = true;
    fusing->last = recv + 1;
    if (left)
        join_copy(fusing, &fusing->fused[recv], step->to);
    return true;
}

void summand__fuse(const struct summand__schedule *schedule,
                   bool (*may)(const void *context, int peer), const void *context,
                   struct summand__fused *fused)
{
    struct fusing fusing = {.schedule = schedule, .fused = fused, .may = may, .context = context};
    for (size_t i = 0; i < schedule->length; i++)
        fused[i] = (struct summand__fused){0};
    fusing.now = round_from(schedule, 0);
    while (fusing.now.end < schedule->length) {
        fusing.next = round_from(schedule, fusing.now.end + 1);
        fusing.last = fusing.now.begin;
        for (size_t i = fusing.next.begin; i < fusing.next.end; i++) {
            enum summand__action action = schedule->steps[i].action;
            if (action == SUMMAND__COPY || (action == SUMMAND__REDUCE && !join(&fusing, i)))
                break;
        }
        fusing.begin[fusing.rounds++ % SUMMAND__GROUPS] = fusing.now.begin;
        fusing.now = fusing.next;
    }
}
