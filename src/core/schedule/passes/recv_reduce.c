/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/passes/passes.h"

/* An operand that is neither read nor written in so many steps counts as read. */
enum { FAR = 200 };

/* Replaces a step whose work another step does. */
static const struct summand__step nothing = {.action = SUMMAND__ACTIONS, .peer = -1};

struct span {
    size_t begin, end;
};

struct joining {
    struct summand__schedule *schedule;
    const struct summand__abilities *abilities;
    struct span now, next; /* the round of the messages, and that of the reduce steps */
    size_t
        begin[SUMMAND__GROUPS]; /* first steps of earlier rounds, and the number of these rounds */
    size_t rounds;
    size_t last; /* this round's last receive that combines, plus one */
    bool any;
};

static struct span round_from(const struct summand__schedule *schedule, size_t begin)
{
    size_t end = begin;
    while (end < schedule->length && schedule->steps[end].action != SUMMAND__ROUND)
        end++;
    return (struct span){begin, end};
}

static bool combines(const struct joining *joining, const struct summand__step *step)
{
    return joining->abilities->combines(joining->abilities->context, step->peer);
}

static bool covers(struct summand__region a, struct summand__region b)
{
    return a.place == b.place && a.first <= b.first && a.first + a.count >= b.first + b.count;
}

static bool overwrites(const struct summand__step *step, struct summand__region region)
{
    return (step->action == SUMMAND__RECV || step->action == SUMMAND__COPY) &&
           covers(step->to, region);
}

/* True if only `step` reads the region from its round on before it is overwritten. */
static bool is_over(const struct summand__schedule *schedule, size_t begin, size_t step,
                    struct summand__region region)
{
    for (size_t i = begin; i < step; i++)
        if (summand__reads(&schedule->steps[i], region))
            return false;
    for (size_t i = step + 1; i < schedule->length; i++) {
        if (i > step + FAR || summand__reads(&schedule->steps[i], region))
            return false;
        if (overwrites(&schedule->steps[i], region))
            return true;
    }
    return region.place == SUMMAND__SCRATCH;
}

/* True if late messages of earlier rounds that use the region are still in flight. */
static bool is_in_use(const struct joining *joining, struct summand__region region, bool written)
{
    for (unsigned ago = 1; ago <= SUMMAND__MOST_LAG && ago <= joining->rounds; ago++) {
        const struct summand__step *step =
            &joining->schedule->steps[joining->begin[(joining->rounds - ago) % SUMMAND__GROUPS]];
        for (; step->action != SUMMAND__ROUND; step++)
            if (step->lag >= ago && ((written && summand__regions_overlap(step->from, region)) ||
                                     summand__regions_overlap(step->to, region)))
                return true;
    }
    return false;
}

/* True if messages of the receiving round do not touch an operand or result, or combine with it in
 * the order of the steps. */
static bool is_free(const struct joining *joining, size_t recv, struct summand__region region,
                    bool written)
{
    for (size_t i = joining->now.begin; i < joining->now.end; i++) {
        const struct summand__step *step = &joining->schedule->steps[i];
        if (i == recv)
            continue;
        if ((step->action == SUMMAND__SEND || step->action == SUMMAND__PUT) && written &&
            summand__regions_overlap(step->from, region) &&
            !(step->action == SUMMAND__SEND && summand__regions_equal(step->from, region) &&
              combines(joining, step)))
            return false;
        if (step->action == SUMMAND__RECV && summand__regions_overlap(step->to, region))
            return false;
        if (step->action == SUMMAND__RECV_REDUCE && summand__regions_overlap(step->from, region) &&
            !summand__regions_equal(step->to, region))
            return false;
    }
    return !is_in_use(joining, region, written);
}

/* Finds the receive of the same region in the round, after those that already combine. */
static bool find_recv(const struct joining *joining, struct summand__region region, size_t *recv)
{
    for (size_t i = joining->now.begin; i < joining->now.end; i++) {
        const struct summand__step *step = &joining->schedule->steps[i];
        *recv = i;
        if (step->action == SUMMAND__RECV && !step->lag && summand__regions_equal(step->to, region))
            return i >= joining->last && combines(joining, step);
    }
    return false;
}

/* A copy of the sendbuf to the result's place, if no other step touches that place in this round;
 * or NULL. */
static struct summand__step *find_copy(const struct joining *joining, size_t recv,
                                       struct summand__region result)
{
    struct summand__step *copy = NULL;
    for (size_t i = joining->now.begin; i < joining->now.end; i++) {
        struct summand__step *step = &joining->schedule->steps[i];
        if (i == recv ||
            !(summand__reads(step, result) || summand__regions_overlap(step->to, result)))
            continue;
        if (copy || step->action != SUMMAND__COPY || step->from.place != SUMMAND__SENDBUF ||
            !summand__regions_equal(step->to, result))
            return NULL;
        copy = step;
    }
    return copy;
}

static bool join(struct joining *joining, size_t reduce)
{
    struct summand__step *steps = joining->schedule->steps, *step = &steps[reduce], *copy = NULL;
    size_t recv;
    bool left = find_recv(joining, step->from, &recv);
    if (!left && !find_recv(joining, step->to, &recv))
        return false;
    if (left ? !is_over(joining->schedule, joining->next.begin, reduce, step->from) ||
                   !is_free(joining, recv, step->to, true)
             : !is_free(joining, recv, step->from, false))
        return false;
    if (left)
        copy = find_copy(joining, recv, step->to);
    struct summand__step *message = &steps[recv];
    message->action = SUMMAND__RECV_REDUCE;
    message->flags |= left ? SUMMAND__STEP_LEFT : 0;
    message->from = message->to;
    message->with = copy ? copy->from : left ? step->to : step->from;
    message->to = step->to;
    if (copy)
        *copy = nothing;
    *step = nothing;
    joining->last = recv + 1;
    joining->any = true;
    return true;
}

static void sweep(struct summand__schedule *schedule)
{
    size_t kept = 0;
    for (size_t i = 0; i < schedule->length; i++)
        if (schedule->steps[i].action != nothing.action)
            schedule->steps[kept++] = schedule->steps[i];
    schedule->length = kept;
}

bool summand__recv_reduce(struct summand__schedule *schedule,
                          const struct summand__abilities *abilities)
{
    struct joining joining = {.schedule = schedule, .abilities = abilities};
    joining.now = round_from(schedule, 0);
    while (joining.now.end < schedule->length) {
        joining.next = round_from(schedule, joining.now.end + 1);
        joining.last = joining.now.begin;
        for (size_t i = joining.next.begin; i < joining.next.end; i++)
            if (!summand__is_message(&schedule->steps[i]) &&
                !(schedule->steps[i].action == SUMMAND__REDUCE && join(&joining, i)))
                break;
        joining.begin[joining.rounds++ % SUMMAND__GROUPS] = joining.now.begin;
        joining.now = joining.next;
    }
    if (joining.any)
        sweep(schedule);
    return true;
}
