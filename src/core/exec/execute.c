/* SPDX-License-Identifier: BSD-3-Clause */
#include "exec/execute.h"

#include <stdlib.h>
#include <string.h>

#include "base/backoff.h"
#include "schedule/passes/passes.h"

/* Minimum room for a packed message; pages are touched only if one is that long. So ranks that
 * disagree on a call still receive each other's messages, and report it, instead of failing in the
 * MPI. (MPICH aborts on a message that does not fit, whatever the error handler.) */
enum { LEAST_SLOT = 65536 };

_Static_assert((int)SUMMAND__GROUPS <= (int)SUMMAND__LINK_GROUPS,
               "each round's messages are a group");

/* The largest number of elements of one message. */
static size_t largest_message(const struct summand__schedule *schedule)
{
    size_t largest = 0;
    for (size_t i = 0; i < schedule->length; i++) {
        const struct summand__step *step = &schedule->steps[i];
        size_t count = step->action == SUMMAND__SEND ? step->from.count
                       : summand__receives(step)     ? step->to.count
                                                     : 0;
        if (count > largest)
            largest = count;
    }
    return largest;
}

static bool combines(const void *context, int peer)
{
    const struct summand__link *link = context;
    return link->transport->combines(link, peer);
}

/* Transforms the schedule for this link and operator. Packed elements are combined after they are
 * unpacked, so not on arrival. */
static bool run_passes(struct summand__schedule *schedule, const struct summand__operator *operator,
                       const struct summand__link * link)
{
    const struct summand__abilities abilities = {
        .combines = link->abilities & SUMMAND__COMBINES && !operator->pack ? combines : NULL,
        .context = link,
        .nontemporal = operator->copy_last && !operator->pack };
    return summand__passes(schedule, &abilities);
}

static bool make_wire(struct summand__execution *execution,
                      const struct summand__schedule *schedule, struct summand__target *target)
{
    target->slot = largest_message(schedule) * target->operator->packed;
    if (target->slot < LEAST_SLOT)
        target->slot = LEAST_SLOT;
    target->slots = summand__schedule_width(schedule);
    target->wire = execution->wire = malloc(target->slot * target->slots + 1);
    return execution->wire;
}

static bool lower(struct summand__execution *execution, const struct summand__schedule *schedule)
{
    const struct summand__operator *op = execution->operator;
    const struct summand__link *link = execution->link;
    struct summand__target target = {.operator= op,
                                     .multicasts =
                                         !op->pack && link->abilities & SUMMAND__MULTICASTS,
                                     .ends = link->abilities & SUMMAND__ENDS};
    target.groups = execution->groups = summand__schedule_lag(schedule) + 1;
    return (!op->pack || make_wire(execution, schedule, &target)) &&
           summand__lower(schedule, &target, &execution->instructions);
}

static void bind(struct summand__execution *execution, const void *sendbuf, void *recvbuf)
{
    execution->place[SUMMAND__SENDBUF] = (unsigned char *)sendbuf; /* never written: verified */
    execution->place[SUMMAND__RECVBUF] = recvbuf;
    if (execution->tables)
        memcpy(execution->tables->place, execution->place, sizeof execution->place);
    summand__instructions_bind(&execution->instructions,
                               execution->tables ? execution->tables->place : execution->place);
}

void summand__execution_bind(struct summand__execution *execution, const void *sendbuf,
                             void *recvbuf)
{
    if (execution->place[SUMMAND__SENDBUF] != sendbuf ||
        execution->place[SUMMAND__RECVBUF] != recvbuf)
        bind(execution, sendbuf, recvbuf);
}

bool summand__execution_init(struct summand__execution *execution,
                             struct summand__schedule *schedule,
                             const struct summand__operator *operator, struct summand__link * link,
                             const void *sendbuf, void *recvbuf, void *scratch)
{
    struct summand__schedule runs = *schedule;
    summand__schedule_init(schedule);
    *execution = (struct summand__execution){.operator= operator, .link = link };
    execution->place[SUMMAND__SCRATCH] = scratch;
    bool good = run_passes(&runs, operator, link) && lower(execution, &runs);
    if (good && (runs.tables || runs.places))
        good = (execution->tables = calloc(1, sizeof *execution->tables));
    if (execution->tables)
        execution->tables->schedule = runs;
    else
        summand__schedule_free(&runs);
    if (good)
        bind(execution, sendbuf, recvbuf);
    return good;
}

void summand__execution_free(struct summand__execution *execution)
{
    summand__instructions_free(&execution->instructions);
    if (execution->tables)
        summand__schedule_free(&execution->tables->schedule);
    free(execution->tables);
    execution->tables = NULL;
    free(execution->wire);
    execution->wire = NULL;
}

/* Windows other than in shared memory may need MPI calls. */
static bool is_passive(const struct summand__schedule *schedule,
                       const struct summand__window *window)
{
    bool messages = false;
    for (size_t i = 0; i < schedule->length && !messages; i++)
        messages = summand__is_message(&schedule->steps[i]);
    return !messages && (!window || window->transport->address);
}

void summand__execution_attach(struct summand__execution *execution,
                               struct summand__onesided *onesided)
{
    struct summand__execution_tables *tables = execution->tables;
    if (!tables)
        return;
    const struct summand__schedule *schedule = &tables->schedule;
    tables->onesided = onesided;
    summand__onesided_init(onesided, schedule);
    for (unsigned p = 0; p < SUMMAND__MOST_PLACES; p++)
        tables->unit[p] = execution->operator->extent;
    for (unsigned p = 0; p < schedule->places; p++) {
        tables->place[SUMMAND__PLACES + p] = onesided->place[p];
        tables->unit[SUMMAND__PLACES + p] = schedule->info[p].unit;
    }
    tables->passive = is_passive(schedule, onesided->window);
    summand__instructions_bind(&execution->instructions, tables->place);
}

void summand__execution_alone(struct summand__execution *execution, bool alone)
{
    struct summand__execution_tables *tables = execution->tables;
    if (tables && tables->onesided)
        tables->onesided->undisturbed = alone && tables->passive;
}

static int pack(const struct summand__execution *execution,
                struct summand__instruction *instruction)
{
    const struct summand__operator *op = execution->operator;
    struct summand__message *message = &instruction->message;
    message->count = op->pack(op->context, instruction->here, instruction->count, message->data);
    return execution->link->transport->send(execution->link, message);
}

/* How far to run: to the first instruction that waits, to a failed poll, or to the end. */
enum until { FIRST_WAIT, FAILED_POLL, END };

/* Takes one turn of a step that computes, puts, notifies or waits for a counter, of the end of a
 * round of puts, or of a wait for messages. */
static int take_turn(struct summand__execution *execution,
                     const struct summand__instruction *instruction, bool *done)
{
    struct summand__execution_tables *tables = execution->tables;
    const struct summand__step_memory memory = {tables->place, tables->unit};
    struct summand__link *link = execution->link;
    if (instruction->kind == SUMMAND__OP_WAIT)
        return link->transport->complete(link, instruction->message.group, false, done);
    if (instruction->kind == SUMMAND__OP_FLUSH)
        return summand__onesided_flush(tables->onesided, done);
    int code = summand__onesided_step(tables->onesided, &tables->schedule, instruction->count,
                                      &memory, done);
    execution->turns += !*done && instruction->action == SUMMAND__COMPUTE;
    return code;
}

/* Progresses messages and puts between failed polls: another rank may need them before it does what
 * this rank waits for. */
static int progress(const struct summand__execution *execution)
{
    struct summand__link *link = execution->link;
    bool sending;
    link->transport->progress(link, &sending);
    return summand__onesided_progress(execution->tables->onesided);
}

/* Takes turns until the instruction is done, if the caller blocks. Callers block only in
 * computations: if a plan serves a window, the plan's wait polls and backs off. Progress comes
 * before a computation, because a transport may only then post receives, which the computation can
 * hide. */
static __attribute__((noinline)) int take_turns(struct summand__execution *execution,
                                                const struct summand__instruction *instruction,
                                                enum until until, bool *done)
{
    int code = instruction->action == SUMMAND__COMPUTE ? progress(execution) : 0;
    if (!code)
        code = take_turn(execution, instruction, done);
    while (!code && !*done && until != FIRST_WAIT) {
        code = progress(execution);
        if (code || until == FAILED_POLL)
            break;
        code = take_turn(execution, instruction, done);
    }
    return code;
}

/* Waits for messages, or for a step of take_turn. */
static int wait(struct summand__execution *execution,
                const struct summand__instruction *instruction, enum until until, bool *done)
{
    struct summand__link *link = execution->link;
    bool messages = instruction->kind == SUMMAND__OP_WAIT;
    if (messages && until == FIRST_WAIT)
        return 0;
    if (!messages || summand__execution_serves(execution))
        return take_turns(execution, instruction, until, done);
    return link->transport->complete(link, instruction->message.group, until == END, done);
}

static struct summand__recording *recording_of(const struct summand__execution *execution)
{
    const struct summand__execution_tables *tables = execution->tables;
    return tables && tables->onesided ? tables->onesided->recording : NULL;
}

/* Runs one instruction; `*done` is false if its poll fails. */
static inline int issue(struct summand__execution *execution,
                        struct summand__instruction *instruction, enum until until, bool *done)
{
    const struct summand__operator *op = execution->operator;
    struct summand__link *link = execution->link;
    *done = true;
    switch (instruction->kind) {
    case SUMMAND__OP_SEND:
        return link->transport->send(link, &instruction->message);
    case SUMMAND__OP_PACK:
        return pack(execution, instruction);
    case SUMMAND__OP_RECV:
    case SUMMAND__OP_RECV_PACKED:
        return link->transport->recv(link, &instruction->message);
    case SUMMAND__OP_UNPACK:
        op->unpack(op->context, instruction->from, instruction->here, instruction->count);
        return 0;
    case SUMMAND__OP_LOCAL:
        instruction->run(op->context, instruction->from, instruction->here, instruction->count);
        return 0;
    default:
        *done = false;
        return wait(execution, instruction, until, done);
    }
}

/* Tries to complete a receive immediately; for the round's last receive, also skips its wait. Cost
 * if that fails: some 50 instructions, and a short poll if the caller blocks. */
static inline bool take(struct summand__link *link, struct summand__instruction **instruction,
                        enum until until)
{
    if (!link->transport->take ||
        !link->transport->take(link, &(*instruction)->message, until == END))
        return false;
    if ((*instruction)[(*instruction)->leap].kind == SUMMAND__OP_WAIT)
        *instruction += (*instruction)->leap;
    return true;
}

/* The schedule is complete. */
static void conclude(struct summand__execution *execution)
{
    execution->active = false;
    if (execution->tables && execution->tables->onesided)
        execution->tables->onesided->starts++;
}

/* Issues instructions from `next` on; with a recording, records the time of each. */
static inline __attribute__((always_inline)) int
run_as(struct summand__execution *execution, enum until until, struct summand__recording *recording)
{
    struct summand__instruction *first = execution->instructions.of;
    struct summand__instruction *instruction = first + execution->next;
    for (; instruction->kind != SUMMAND__OP_END; instruction += instruction->leap) {
        bool done;
        if (!recording && instruction->awaited && take(execution->link, &instruction, until))
            continue;
        uint64_t begin = recording ? summand__clock() : 0;
        int code = issue(execution, instruction, until, &done);
        if (recording)
            summand__recording_add(recording, (size_t)(instruction - first), begin,
                                   summand__clock());
        if (code) {
            execution->active = false;
            return code;
        }
        if (!done) {
            execution->next = (size_t)(instruction - first);
            return 0;
        }
    }
    conclude(execution);
    return 0;
}

static __attribute__((noinline)) int run_recorded(struct summand__execution *execution,
                                                  enum until until,
                                                  struct summand__recording *recording)
{
    return run_as(execution, until, recording);
}

static inline int run(struct summand__execution *execution, enum until until)
{
    struct summand__recording *recording = recording_of(execution);
    return recording ? run_recorded(execution, until, recording) : run_as(execution, until, NULL);
}

static inline int begin(struct summand__execution *execution, enum until until)
{
    execution->next = execution->instructions.first;
    execution->active = true;
    return run(execution, until);
}

int summand__execution_start(struct summand__execution *execution)
{
    return begin(execution, FIRST_WAIT);
}

int summand__execution_run(struct summand__execution *execution)
{
    return begin(execution, END);
}

int summand__execution_test(struct summand__execution *execution, bool *done)
{
    int code = execution->active ? run(execution, FAILED_POLL) : 0;
    *done = !execution->active;
    return code;
}

int summand__execution_wait(struct summand__execution *execution)
{
    return execution->active ? run(execution, END) : 0;
}
