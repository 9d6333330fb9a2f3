/* SPDX-License-Identifier: BSD-3-Clause */
#include "exec/lower.h"

#include <stdlib.h>

#include "schedule/compute.h"

/* A receive, and the round that waits for it. */
struct arriving {
    size_t instruction, due;
};

struct lowering {
    const struct summand__schedule *schedule;
    const struct summand__target *target;
    struct summand__instruction *of;
    size_t length;
    size_t round;
    size_t messages;              /* so far */
    size_t open[SUMMAND__GROUPS]; /* messages, by group */
    bool to_flush;                /* the current round has a put */
    struct arriving *arriving;    /* packed messages that are not unpacked */
    size_t arriving_count;
};

/* Bytes of an element of a place. */
static size_t unit_of(const struct lowering *lowering, uint32_t place)
{
    return place < SUMMAND__PLACES ? lowering->target->operator->extent
        : summand__place_unit(lowering->schedule, place);
}

/* Number of the operator's elements in a region: an element of another place is several of them. */
static size_t count_of(const struct lowering *lowering, struct summand__region region)
{
    return region.count * (unit_of(lowering, region.place) / lowering->target->operator->extent);
}

static void set_region(const struct lowering *lowering, struct summand__instruction *instruction,
                       int which, struct summand__region region)
{
    instruction->place[which] = (uint8_t)region.place;
    instruction->offset[which] = region.first * unit_of(lowering, region.place);
}

static struct summand__instruction *append(struct lowering *lowering,
                                           enum summand__instruction_kind kind,
                                           const struct summand__step *step)
{
    struct summand__instruction *instruction = &lowering->of[lowering->length++];
    *instruction = (struct summand__instruction){.kind = (uint8_t)kind,
                                                 .action = step ? step->action : SUMMAND__ACTIONS,
                                                 .flags = step ? step->flags : 0,
                                                 .leap = 1};
    return instruction;
}

static void combine_by_copy(const void *context, const void *left, const void *right, void *out,
                            size_t count)
{
    summand__combine_by_copy(context, left, right, out, count);
}

static void lower_arrival(const struct lowering *lowering, const struct summand__step *step,
                          struct summand__instruction *instruction)
{
    const struct summand__operator *op = lowering->target->operator;
    instruction->arrival =
        (struct summand__arrival){.combine = op->combine ? op->combine : combine_by_copy,
                                  .context = op->combine ? op->context : op,
                                  .left = step->flags & SUMMAND__STEP_LEFT};
    set_region(lowering, instruction, 1, step->with);
    set_region(lowering, instruction, 2, step->to);
}

/* If elements are packed, the message's data stay in the wire slot. */
static void lower_message(struct lowering *lowering, const struct summand__step *step)
{
    const struct summand__target *target = lowering->target;
    bool sends = step->action == SUMMAND__SEND, packs = target->wire;
    struct summand__region region = sends ? step->from : summand__arrives(step);
    size_t last = lowering->round + step->lag, group = last % target->groups;
    static const enum summand__instruction_kind kinds[2][2] = {
        {SUMMAND__OP_RECV, SUMMAND__OP_RECV_PACKED}, {SUMMAND__OP_SEND, SUMMAND__OP_PACK}};
    struct summand__instruction *instruction = append(lowering, kinds[sends][packs], step);
    unsigned flags = step->lag ? SUMMAND__PACED : 0;
    if (summand__is_multicast(step) && target->multicasts)
        flags |= SUMMAND__MULTICAST;
    if (step->action == SUMMAND__RECV && step->flags & SUMMAND__STEP_NONTEMPORAL)
        flags |= SUMMAND__NONTEMPORAL;
    if (packs)
        flags |= SUMMAND__VARIABLE;
    instruction->count = count_of(lowering, region);
    instruction->message =
        (struct summand__message){.count = packs ? target->slot : instruction->count,
                                  .peer = step->peer,
                                  .group = (uint8_t)group,
                                  .flags = (uint8_t)flags};
    set_region(lowering, instruction, 0, region);
    if (step->action == SUMMAND__RECV_REDUCE)
        lower_arrival(lowering, step, instruction);
    if (packs) {
        instruction->message.data =
            target->wire + lowering->messages++ % target->slots * target->slot;
        if (!sends) {
            lowering->arriving[lowering->arriving_count++] =
                (struct arriving){lowering->length - 1, last};
        }
    }
    lowering->open[group]++;
}

static void lower_local(struct lowering *lowering, const struct summand__step *step)
{
    const struct summand__operator *op = lowering->target->operator;
    struct summand__instruction *instruction = append(lowering, SUMMAND__OP_LOCAL, step);
    bool bypasses = step->flags & SUMMAND__STEP_NONTEMPORAL && op->copy_last;
    instruction->run = step->action == SUMMAND__REDUCE ? op->reduce
                       : bypasses                      ? op->copy_last
                                                       : op->copy;
    instruction->count = count_of(lowering, step->to);
    set_region(lowering, instruction, 0, step->to);
    set_region(lowering, instruction, 1, step->from);
}

static void lower_onesided(struct lowering *lowering, size_t step)
{
    const struct summand__step *steps = lowering->schedule->steps;
    struct summand__instruction *instruction = append(lowering, SUMMAND__OP_ONESIDED, &steps[step]);
    instruction->count = step;
    lowering->to_flush = lowering->to_flush || steps[step].action == SUMMAND__PUT;
}

/* Unpacks messages that the current round has waited for, in the order of posting. */
static void unpack_due(struct lowering *lowering)
{
    size_t kept = 0;
    for (size_t i = 0; i < lowering->arriving_count; i++) {
        if (lowering->arriving[i].due != lowering->round) {
            lowering->arriving[kept++] = lowering->arriving[i];
            continue;
        }
        const struct summand__instruction *recv = &lowering->of[lowering->arriving[i].instruction];
        struct summand__instruction *instruction = append(lowering, SUMMAND__OP_UNPACK, NULL);
        instruction->from = recv->message.data;
        instruction->count = recv->count;
        instruction->place[0] = recv->place[0];
        instruction->offset[0] = recv->offset[0];
    }
    lowering->arriving_count = kept;
}

/* Ends a round; `step` NULL: the last one. */
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

/* A receive can replace its wait only without puts, which need turns during a wait. */
static bool is_awaited(const struct lowering *lowering,
                       const struct summand__instruction *instruction,
                       const struct summand__instruction *next)
{
    return instruction->kind == SUMMAND__OP_RECV && !lowering->schedule->tables &&
           (next->kind == SUMMAND__OP_WAIT || next->awaited) &&
           next->message.group == instruction->message.group;
}

/* Sets leaps: instructions with something to do skip those without. */
static void set_leaps(struct lowering *lowering, struct summand__instructions *instructions)
{
    size_t next = lowering->length;
    for (size_t i = lowering->length; i-- > 0;) {
        struct summand__instruction *instruction = &lowering->of[i];
        bool idle = !instruction->leap;
        instruction->leap = (uint32_t)(next - i);
        instruction->awaited =
            next < lowering->length && is_awaited(lowering, instruction, &lowering->of[next]);
        if (!idle)
            next = i;
    }
    *instructions = (struct summand__instructions){lowering->of, next, lowering->length};
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
    if (lowering->target->ends)
        append(lowering, SUMMAND__OP_WAIT, NULL)->message.group = SUMMAND__WHOLE_OPERATION;
    append(lowering, SUMMAND__OP_END, NULL);
}

bool summand__lower(const struct summand__schedule *schedule, const struct summand__target *target,
                    struct summand__instructions *instructions)
{
    struct lowering lowering = {.schedule = schedule, .target = target};
    /* A step needs one more if it is unpacked, or if it puts and is flushed. */
    size_t room = (target->wire || schedule->tables ? 2 : 1) * schedule->length + 3;
    *instructions = (struct summand__instructions){0};
    if (room > UINT32_MAX)
        return false;
    lowering.of = malloc(room * sizeof *lowering.of);
    if (target->wire)
        lowering.arriving = malloc(schedule->length * sizeof *lowering.arriving + 1);
    bool good = lowering.of && (!target->wire || lowering.arriving);
    if (good) {
        lower_steps(&lowering);
        set_leaps(&lowering, instructions);
    } else {
        free(lowering.of);
    }
    free(lowering.arriving);
    return good;
}

void summand__instructions_free(struct summand__instructions *instructions)
{
    free(instructions->of);
    *instructions = (struct summand__instructions){0};
}

static void *address(unsigned char *const *place, const struct summand__instruction *instruction,
                     int which)
{
    return place[instruction->place[which]] + instruction->offset[which];
}

static void set_lasting(struct summand__message *message, bool lasting)
{
    message->flags = (uint8_t)(message->flags & ~SUMMAND__LASTING);
    message->flags |= lasting ? SUMMAND__LASTING : 0;
}

void summand__instructions_bind(struct summand__instructions *instructions,
                                unsigned char *const *place)
{
    for (size_t i = 0; i < instructions->length; i++) {
        struct summand__instruction *instruction = &instructions->of[i];
        if (instruction->kind >= SUMMAND__OP_ONESIDED)
            continue;
        instruction->here = address(place, instruction, 0);
        if (instruction->kind == SUMMAND__OP_SEND || instruction->kind == SUMMAND__OP_RECV)
            instruction->message.data = instruction->here;
        if (instruction->kind == SUMMAND__OP_SEND)
            set_lasting(&instruction->message,
                        instruction->place[0] == SUMMAND__SENDBUF &&
                            place[SUMMAND__SENDBUF] != place[SUMMAND__RECVBUF]);
        if (instruction->kind == SUMMAND__OP_LOCAL)
            instruction->from = address(place, instruction, 1);
        if (instruction->action == SUMMAND__RECV_REDUCE) {
            instruction->arrival.with = address(place, instruction, 1);
            instruction->arrival.out = address(place, instruction, 2);
            instruction->message.combine = &instruction->arrival;
        }
    }
}
