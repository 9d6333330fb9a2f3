/* SPDX-License-Identifier: BSD-3-Clause */
#include "exec/record.h"

#include <stdlib.h>

#include "exec/execute.h"

/* Polls less than so many ns apart are one record. */
enum { AT_ONCE = 2000 };

bool summand__recording_init(struct summand__recording *recording, size_t room)
{
    *recording = (struct summand__recording){.room = room};
    recording->record = calloc(room + 1, sizeof *recording->record);
    return recording->record;
}

void summand__recording_free(struct summand__recording *recording)
{
    free(recording->record);
    *recording = (struct summand__recording){.room = 0};
}

void summand__recording_add(struct summand__recording *recording, size_t instruction,
                            uint64_t begin, uint64_t end)
{
    if (!recording->room)
        return;
    if (recording->count) {
        struct summand__record *last = &recording->record[(recording->count - 1) % recording->room];
        if (last->instruction == instruction && begin - last->end < AT_ONCE) {
            last->end = end;
            return;
        }
    }
    recording->record[recording->count++ % recording->room] =
        (struct summand__record){begin, end, (uint32_t)instruction};
}

static void read_onesided(const struct summand__execution_tables *tables, size_t number,
                          struct summand__recorded *recorded)
{
    const struct summand__step *step = &tables->schedule.steps[number];
    recorded->peer = step->peer;
    recorded->counter = step->what;
    recorded->value = step->value;
    if (step->action == SUMMAND__PUT)
        recorded->bytes = step->from.count * tables->unit[step->to.place];
    if (step->action != SUMMAND__COMPUTE)
        return;
    const struct summand__computation *computation =
        &tables->schedule.tables->computations[step->what];
    const struct summand__work work = {.from.shape = computation->from,
                                       .with.shape = computation->with,
                                       .to.shape = computation->to,
                                       .begins = computation->begins};
    recorded->flops = computation->kernel->effort(&work, tables->unit[step->to.place]).flops;
}

struct summand__recorded summand__recording_read(const struct summand__execution *execution,
                                                 const struct summand__recording *recording,
                                                 size_t i)
{
    const struct summand__record *record = &recording->record[i % recording->room];
    const struct summand__instruction *instruction =
        &execution->instructions.of[record->instruction];
    struct summand__recorded recorded = {.begin = (double)record->begin * 1e-9,
                                         .end = (double)record->end * 1e-9,
                                         .action = instruction->action};
    switch (instruction->kind) {
    case SUMMAND__OP_ONESIDED:
        read_onesided(execution->tables, instruction->count, &recorded);
        break;
    case SUMMAND__OP_SEND:
    case SUMMAND__OP_PACK:
    case SUMMAND__OP_RECV:
    case SUMMAND__OP_RECV_PACKED:
        recorded.peer = instruction->message.peer;
        recorded.group = instruction->message.group;
        recorded.bytes = instruction->message.count * execution->operator->extent;
        break;
    case SUMMAND__OP_WAIT:
    case SUMMAND__OP_FLUSH:
        recorded.action = SUMMAND__ROUND;
        recorded.group =
            instruction->kind == SUMMAND__OP_WAIT ? instruction->message.group : SUMMAND__NO_GROUP;
        break;
    default:
        break;
    }
    return recorded;
}
