/* SPDX-License-Identifier: BSD-3-Clause */
#include "select/choose.h"

#include <math.h>
#include <string.h>

#include "algorithm/call.h"

/* A machine; `poor`: out of memory in an estimate. */
struct machine {
    struct summand__model model;
    bool poor;
};

/* Seconds of the work of all ranks on the processors that they share. Each byte of a message is
 * copied, only once for a multicast, and copied or combined on arrival. */
static double shared_work(const struct summand__algorithm *algorithm,
                          const struct summand__call *call, size_t element, struct machine *machine)
{
    const struct summand__model *model = &machine->model;
    struct summand__call blocks = *call;
    blocks.collective = summand__collectives[call->collective].even; /* taken as equal */
    const struct summand__level *level = &model->level[SUMMAND__WITHIN_NODE];
    struct summand__cost cost = summand__volume_of(algorithm, &blocks);
    if (cost.unknown) {
        machine->poor = true;
        return INFINITY;
    }
    double written = (double)(cost.messages - cost.repeats), read = (double)cost.messages;
    double moved = (double)(2 * cost.elements - cost.repeated) * (double)element;
    return (written * level->send + read * level->recv + moved * model->copy_byte) /
           model->processors;
}

/* `seconds` by an estimate or a play, and what neither has: the work of pieces, and that of ranks
 * that share processors. Counts messages only for calls that take less than `enough` without them.
 */
static double with_work(double seconds, const struct summand__algorithm *algorithm,
                        const struct summand__call *call, size_t element, struct machine *machine,
                        double enough)
{
    const struct summand__model *model = &machine->model;
    size_t segment = call->parameter[SUMMAND__SEGMENT];
    if (segment && segment < call->count)
        seconds += (double)call->count / (double)segment * model->piece;
    return model->processors > 0 && seconds < enough
               ? seconds + shared_work(algorithm, call, element, machine)
               : seconds;
}

static double seconds_of(const struct summand__algorithm *algorithm,
                         const struct summand__call *call, size_t element, struct machine *machine,
                         double enough)
{
    double seconds = summand__estimate_of(algorithm, call, element, &machine->model);
    return with_work(seconds, algorithm, call, element, machine, enough);
}

double summand__played_seconds(double seconds, const struct summand__algorithm *algorithm,
                               const struct summand__call *call, size_t element,
                               const struct summand__model *model)
{
    struct machine machine = {*model, false};
    return with_work(seconds, algorithm, call, element, &machine, INFINITY);
}

double summand__choice_seconds(const struct summand__query *query,
                               const struct summand__choice *choice,
                               const struct summand__model *model)
{
    struct summand__call call = summand__query_call(query);
    struct machine machine = {*model, false};
    memcpy(call.parameter, choice->parameter, sizeof call.parameter);
    if (choice->runs)
        call.grouping = &query->groupings->ordered;
    return seconds_of(choice->algorithm, &call, query->element, &machine, INFINITY);
}

static double estimate(struct summand__search *search, const struct summand__call *call)
{
    return seconds_of(search->algorithm, call, search->element, search->context, search->enough);
}

/* Of equal times, prefers more promises, then an algorithm without nodes, then the table's order.
 */
static bool faster(const struct summand__choice *a, const struct summand__choice *b)
{
    static const double even = 1 + 1e-9;
    bool levels = a->algorithm->limits[SUMMAND__NODE_SIZE].most > 0;
    bool other = b->algorithm->limits[SUMMAND__NODE_SIZE].most > 0;
    if (a->seconds * even < b->seconds || b->seconds * even < a->seconds)
        return a->seconds < b->seconds;
    bool canonical = a->algorithm->promises & SUMMAND__CANONICAL;
    if (canonical != !!(b->algorithm->promises & SUMMAND__CANONICAL))
        return canonical;
    return !levels && other;
}

/* Inserts a choice in order. */
static int insert(struct summand__choice *choices, int count, int room,
                  const struct summand__choice *choice)
{
    int at = count < room ? count : room - 1;
    if (count == room && !faster(choice, &choices[at]))
        return count;
    for (; at > 0 && faster(choice, &choices[at - 1]); at--)
        choices[at] = choices[at - 1];
    choices[at] = *choice;
    return count < room ? count + 1 : room;
}

int summand__choices(const struct summand__query *query, struct summand__choice *choices, int room)
{
    struct machine machine = {summand__query_model(query), false};
    struct summand__call call = summand__query_call(query);
    int count = 0;
    call.parameter[SUMMAND__NODE_SIZE] = query->node_size;
    for (int i = 0; summand__algorithms[i]; i++) {
        struct summand__search search = {.seconds = estimate,
                                         .context = &machine,
                                         .algorithm = summand__algorithms[i],
                                         .call = call,
                                         .element = query->element,
                                         .rival = count ? choices[0].seconds : 0};
        if (!search.algorithm->estimate || !summand__may_be_chosen(query, search.algorithm, &call))
            continue;
        summand__search(&search);
        if (search.best.algorithm)
            count = insert(choices, count, room, &search.best);
    }
    return machine.poor ? -1 : count;
}
