#include "exec/lower.h"

#include <stdlib.h>

struct lowering {
    const struct summand__schedule *schedule;
    const struct summand__target *target;
    struct summand__operation *of;
    size_t length;
    size_t round;
    size_t messages;              /* so far */
    size_t open[SUMMAND__GROUPS]; /* messages, by their groups */
    bool to_flush;                /* the round at hand has put something */
    size_t *arriving;             /* packed messages that are not unpacked: operations ... */
    size_t *due;                  /* ... and their last rounds */
    size_t arriving_count;
};

static void set_region(const struct lowering *lowering, struct summand__operation *operation,
                       int which, struct summand__region region)
{
    operation->place[which] = (uint8_t)region.place;
    operation->offset[which] = region.first * lowering->target->operator->extent;
}

static struct summand__operation *append(struct lowering *lowering,
                                         enum summand__operation_kind kind,
                                         const struct summand__step *step)
{
    struct summand__operation *operation = &lowering->of[lowering->length++];
    *operation = (struct summand__operation){.kind = (uint8_t)kind,
                                             .action = step ? step->action : SUMMAND__ACTIONS,
                                             .flags = step ? step->flags : 0,
                                             .leap = 1};
    return operation;
}

static void combine_by_copy(const void *context, const void *left, const void *right, void *out,
                            size_t count)
{
    summand__combine_by_copy(context, left, right, out, count);
}

static void lower_arrival(const struct lowering *lowering, const struct summand__step *step,
                          struct summand__operation *operation)
{
    const struct summand__operator *op = lowering->target->operator;
    operation->arrival =
        (struct summand__arrival){.combine = op->combine ? op->combine : combine_by_copy,
                                  .context = op->combine ? op->context : op,
                                  .left = step->flags & SUMMAND__STEP_LEFT};
    set_region(lowering, operation, 1, step->with);
    set_region(lowering, operation, 2, step->to);
}

/* The message's data lie in the wire for good where elements are packed. */
static void lower_message(struct lowering *lowering, const struct summand__step *step)
{
    const struct summand__target *target = lowering->target;
    bool sends = step->action == SUMMAND__SEND, packs = target->wire;
    struct summand__region region = sends ? step->from : summand__arrives(step);
    size_t last = lowering->round + step->lag, group = last % target->groups;
    static const enum summand__operation_kind kinds[2][2] = {
        {SUMMAND__OP_RECV, SUMMAND__OP_RECV_PACKED}, {SUMMAND__OP_SEND, SUMMAND__OP_PACK}};
    struct summand__operation *operation = append(lowering, kinds[sends][packs], step);
    unsigned flags = step->lag ? SUMMAND__PACED : 0;
    if (summand__is_multicast(step) && target->multicasts)
        flags |= SUMMAND__MULTICAST;
    if (step->action == SUMMAND__RECV && step->flags & SUMMAND__STEP_NONTEMPORAL)
        flags |= SUMMAND__NONTEMPORAL;
    operation->count = region.count;
    operation->message = (struct summand__message){.count = packs ? target->slot : region.count,
                                                   .peer = step->peer,
                                                   .group = (uint8_t)group,
                                                   .flags = (uint8_t)flags};
    set_region(lowering, operation, 0, region);
    if (step->action == SUMMAND__RECV_REDUCE)
        lower_arrival(lowering, step, operation);
    if (packs) {
        operation->message.data =
            target->wire + lowering->messages++ % target->slots * target->slot;
        if (!sends) {
            lowering->arriving[lowering->arriving_count] = lowering->length - 1;
            lowering->due[lowering->arriving_count++] = last;
        }
    }
    lowering->open[group]++;
}

static void lower_local(struct lowering *lowering, const struct summand__step *step)
{
    const struct summand__operator *op = lowering->target->operator;
    struct summand__operation *operation = append(lowering, SUMMAND__OP_LOCAL, step);
    bool bypasses = step->flags & SUMMAND__STEP_NONTEMPORAL && op->copy_last;
    operation->run = step->action == SUMMAND__REDUCE ? op->reduce
                     : bypasses                      ? op->copy_last
                                                     : op->copy;
    operation->count = step->to.count;
    set_region(lowering, operation, 0, step->to);
    set_region(lowering, operation, 1, step->from);
}

/* Messages move while the step waits: those of the round are not completed before it, as what they
 * bring may be combined then; looking for another group moves them. */
static void lower_onesided(struct lowering *lowering, size_t step)
{
    const struct summand__step *steps = lowering->schedule->steps;
    struct summand__operation *operation = append(lowering, SUMMAND__OP_ONESIDED, &steps[step]);
    operation->count = step;
    operation->message.group =
        (uint8_t)((lowering->round % lowering->target->groups + 1) % SUMMAND__LINK_GROUPS);
    lowering->to_flush = lowering->to_flush || steps[step].action == SUMMAND__PUT;
}

/* What the round at hand has waited for, in the order in which it was posted. */
static void unpack_due(struct lowering *lowering)
{
    size_t kept = 0;
    for (size_t i = 0; i < lowering->arriving_count; i++) {
        if (lowering->due[i] != lowering->round) {
            lowering->arriving[kept] = lowering->arriving[i];
            lowering->due[kept++] = lowering->due[i];
            continue;
        }
        const struct summand__operation *recv = &lowering->of[lowering->arriving[i]];
        struct summand__operation *operation = append(lowering, SUMMAND__OP_UNPACK, NULL);
        operation->from = recv->message.data;
        operation->count = recv->count;
        operation->place[0] = recv->place[0];
        operation->offset[0] = recv->offset[0];
    }
    lowering->arriving_count = kept;
}

/* The end of a round; of the last one without a step for it. */
static void lower_round(struct lowering *lowering, const struct summand__step *step)
{
    size_t group = lowering->round % lowering->target->groups;
    if (lowering->to_flush)
        append(lowering, SUMMAND__OP_FLUSH, NULL);
    lowering->to_flush = false;
    if (step || lowering->open[group])
        append(lowering, SUMMAND__OP_WAIT, step)->message.group = (uint8_t)group;
    if (!lowering->open[group] && step)
        lowering->of[lowering->length - 1].leap = 0; /* nothing to do */
    lowering->open[group] = 0;
    unpack_due(lowering);
    lowering->round++;
}

/* Operations that have something to do leap over those that have not. */
static void set_leaps(struct lowering *lowering, struct summand__operations *operations)
{
    size_t next = lowering->length;
    for (size_t i = lowering->length; i-- > 0;) {
        struct summand__operation *operation = &lowering->of[i];
        bool idle = !operation->leap;
        operation->leap = (uint32_t)(next - i);
        if (!idle)
            next = i;
    }
    *operations = (struct summand__operations){lowering->of, next, lowering->length};
}

static void lower_steps(struct lowering *lowering)
{
    const struct summand__schedule *schedule = lowering->schedule;
    for (size_t i = 0; i < schedule->length; i++) {
        const struct summand__step *step = &schedule->steps[i];
        if (step->action == SUMMAND__ROUND)
            lower_round(lowering, step);
        else if (summand__is_message(step))
            lower_message(lowering, step);
        else if (step->action == SUMMAND__REDUCE || step->action == SUMMAND__COPY)
            lower_local(lowering, step);
        else
            lower_onesided(lowering, i);
        if (step->action == SUMMAND__SEND && summand__is_multicast(step) &&
            lowering->target->multicasts && !summand__begins_send(schedule, i)) {
            lowering->of[lowering->length - 1].leap = 0;
            lowering->open[lowering->of[lowering->length - 1].message.group]--;
        }
    }
    lower_round(lowering, NULL);
    append(lowering, SUMMAND__OP_END, NULL);
}

bool summand__lower(const struct summand__schedule *schedule, const struct summand__target *target,
                    struct summand__operations *operations)
{
    struct lowering lowering = {.schedule = schedule, .target = target};
    /* Of a step one more where it is unpacked, or where it puts and is flushed. */
    size_t room = (target->wire || schedule->tables ? 2 : 1) * schedule->length + 2;
    *operations = (struct summand__operations){0};
    if (room > UINT32_MAX)
        return false;
    lowering.of = malloc(room * sizeof *lowering.of);
    if (target->wire) {
        lowering.arriving = malloc(room * sizeof *lowering.arriving);
        lowering.due = malloc(room * sizeof *lowering.due);
    }
    bool good = lowering.of && (!target->wire || (lowering.arriving && lowering.due));
    if (good) {
        lower_steps(&lowering);
        set_leaps(&lowering, operations);
    } else {
        free(lowering.of);
    }
    free(lowering.arriving);
    free(lowering.due);
    return good;
}

void summand__operations_free(struct summand__operations *operations)
{
    free(operations->of);
    *operations = (struct summand__operations){0};
}

static void *address(unsigned char *const *place, const struct summand__operation *operation,
                     int which)
{
    return place[operation->place[which]] + operation->offset[which];
}

void summand__operations_bind(struct summand__operations *operations, unsigned char *const *place)
{
    for (size_t i = 0; i < operations->length; i++) {
        struct summand__operation *operation = &operations->of[i];
        if (operation->kind >= SUMMAND__OP_ONESIDED)
            continue;
        operation->here = address(place, operation, 0);
        if (operation->kind == SUMMAND__OP_SEND || operation->kind == SUMMAND__OP_RECV)
            operation->message.data = operation->here;
        if (operation->kind == SUMMAND__OP_LOCAL)
            operation->from = address(place, operation, 1);
        if (operation->action == SUMMAND__RECV_REDUCE) {
            operation->arrival.with = address(place, operation, 1);
            operation->arrival.out = address(place, operation, 2);
            operation->message.combine = &operation->arrival;
        }
    }
}

static struct summand__region region_of(const struct summand__operation *operation, int which,
                                        size_t extent)
{
    return summand__region((enum summand__place)operation->place[which],
                           operation->offset[which] / extent, operation->count);
}

static struct summand__step raise_step(const struct summand__operation *operation, size_t round,
                                       unsigned groups, size_t extent)
{
    struct summand__step step = {
        .action = operation->action, .flags = operation->flags, .peer = -1};
    struct summand__region first = region_of(operation, 0, extent);
    if (summand__is_message(&step)) {
        step.peer = operation->message.peer;
        step.lag = (uint8_t)((operation->message.group + groups - round % groups) % groups);
    }
    switch (step.action) {
    case SUMMAND__SEND:
        step.from = first;
        break;
    case SUMMAND__RECV_REDUCE:
        step.from = first;
        step.with = region_of(operation, 1, extent);
        step.to = region_of(operation, 2, extent);
        break;
    case SUMMAND__REDUCE:
    case SUMMAND__COPY:
        step.from = region_of(operation, 1, extent);
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

bool summand__raise_schedule(const struct summand__operations *operations, unsigned groups,
                             size_t extent, struct summand__schedule *schedule)
{
    size_t round = 0;
    summand__schedule_init(schedule);
    schedule->steps = malloc(operations->length * sizeof *schedule->steps);
    if (!schedule->steps)
        return false;
    schedule->capacity = operations->length;
    for (size_t i = 0; i < operations->length; i++) {
        const struct summand__operation *operation = &operations->of[i];
        if (operation->action != SUMMAND__ACTIONS)
            schedule->steps[schedule->length++] = raise_step(operation, round, groups, extent);
        round += operation->action == SUMMAND__ROUND;
    }
    return true;
}
