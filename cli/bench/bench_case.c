/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/bench/bench_case.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "algorithm/call.h"
#include "base/page.h"
#include "collective/work.h"
#include "op/predefined.h"
#include "plan/options.h"

enum { GARBAGE = 0xa5 };

static bool is(const struct bench_case *c, enum summand__collective collective)
{
    return c->call->collective->collective == collective;
}

static bool at_root(const struct bench_case *c)
{
    return !summand__has_root(c->call->collective->collective) || c->rank == c->call->root;
}

/* Cuts the vector of a reduce_scatter into nearly equal blocks. */
static void cut(struct bench_case *c)
{
    for (int r = 0; r < c->ranks; r++) {
        size_t from = summand__cut((size_t)c->count, (size_t)r, (size_t)c->ranks);
        size_t to = summand__cut((size_t)c->count, (size_t)r + 1, (size_t)c->ranks);
        c->counts[r] = (int)(to - from);
        if (r == c->rank) {
            c->own = from;
            c->len = to - from;
        }
    }
}

static void *make_buffer(const struct bench_case *c, size_t bytes)
{
    const size_t room = summand__whole_pages(bytes + 1, SUMMAND__PAGE);
    return c->call->plain ? malloc(room) : aligned_alloc(SUMMAND__PAGE, room);
}

static void make_buffers(struct bench_case *c, struct trouble *trouble)
{
    size_t vector = (size_t)c->count * c->call->type->extent;
    c->send_bytes = vector;
    c->recv_bytes = is(c, SUMMAND__COLL_ALLGATHER) ? vector * (size_t)c->ranks : vector;
    c->send = make_buffer(c, c->send_bytes);
    for (int i = 0; i < 2; i++)
        c->result[i] = make_buffer(c, c->recv_bytes);
    c->recv = c->result[0];
    c->counts = malloc((size_t)c->ranks * sizeof *c->counts);
    if (!c->send || !c->result[0] || !c->result[1] || !c->counts)
        trouble_note(trouble, "out of memory");
    else if (is(c, SUMMAND__COLL_REDUCE_SCATTER))
        cut(c);
    c->sendbuf = c->call->in_place && at_root(c) ? MPI_IN_PLACE : c->send;
}

/* Without an operator the library counts segments in bytes of data; a choice counts elements. */
static size_t segment_unit(const struct bench_case *c)
{
    int size = 1;
    if (!c->call->op)
        MPI_Type_size(c->call->type->datatype(), &size);
    return (size_t)size;
}

/* "chain:segment=8192", for a plan whose algorithm was not named. */
static void name_choice(const struct bench_case *c, const summand_plan *plan, char *text,
                        size_t room)
{
    const struct summand__algorithm *algorithm = plan->choice.algorithm;
    const size_t *parameter = plan->choice.parameter;
    size_t used = (size_t)snprintf(text, room, "%s", algorithm->name);
    for (int i = 0; i < SUMMAND__PARAMETERS && used < room; i++)
        if (algorithm->limits[i].most && parameter[i])
            used += (size_t)snprintf(text + used, room - used, ":%s=%zu",
                                     summand__parameter_name((enum summand__parameter)i),
                                     parameter[i] / (i == SUMMAND__SEGMENT ? segment_unit(c) : 1));
}

static void make_subject(struct bench_case *c, const struct bench_choice *choice,
                         struct trouble *trouble)
{
    struct bench_subject *subject = bench_subject_add(&c->subjects, c, choice);
    summand_options *options = &subject->options;
    *options = choice->options;
    options->segment *= (MPI_Count)segment_unit(c);
    if (choice->mpi || choice->memory || (choice->algorithm && !c->call->plan))
        return;
    trouble_note_mpi(trouble, choice->label,
                     c->call->collective->make(c, options, subject->comm, &subject->plan));
    if (subject->plan && !choice->algorithm)
        name_choice(c, subject->plan, subject->chosen, sizeof subject->chosen);
    if (!c->call->plan)
        summand_plan_free(&subject->plan);
}

static unsigned needed_promises(const struct bench_call *call)
{
    const bool commutes = !call->op || call->op->op;
    const bool exact = call->promise == SUMMAND_PROMISE_EXACT; /* by any algorithm */
    return (exact ? 0 : summand__promises_for(call->promise)) |
           (commutes ? 0 : SUMMAND__RANK_ORDER);
}

/* True if `memory` can be measured: the library has a kernel, and vectors of all ranks exist. */
static bool combines(const struct bench_case *c)
{
    const struct bench_call *call = c->call;
    return (is(c, SUMMAND__COLL_REDUCE) || is(c, SUMMAND__COLL_ALLREDUCE)) &&
           summand__predefined(call->handle, call->type->datatype()).kernel;
}

/* The rate at which the ranks combine from memory, without messages: each combines its part of the
 * vector from buffers of its own. */
static int run_memory(struct bench_case *c)
{
    size_t from = summand__cut((size_t)c->count, (size_t)c->rank, (size_t)c->ranks);
    size_t to = summand__cut((size_t)c->count, (size_t)c->rank + 1, (size_t)c->ranks);
    size_t at = from * c->call->type->extent;
    struct summand__predefined kernel =
        summand__predefined(c->call->handle, c->call->type->datatype());
    summand__predefined_run(&kernel, c->send + at, c->recv + at, c->recv + at, to - from);
    return MPI_SUCCESS;
}

static void make(void *context, struct trouble *trouble)
{
    struct bench_case *c = context;
    MPI_Comm_rank(MPI_COMM_WORLD, &c->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &c->ranks);
    make_buffers(c, trouble);
}

static void drop(void *context)
{
    struct bench_case *c = context;
    while (c->subjects.count)
        bench_subject_leave(&c->subjects);
    free(c->send);
    free(c->result[0]);
    free(c->result[1]);
    free(c->counts);
}

/* Writes contributions to input buffers and garbage to output buffers. */
static void fill(struct bench_case *c)
{
    const struct bench_call *call = c->call;
    const struct element_type *type = call->type;
    bool here = c->sendbuf == MPI_IN_PLACE || is(c, SUMMAND__COLL_BCAST);
    char *place = c->recv;
    memset(c->recv, GARBAGE, c->recv_bytes);
    if (is(c, SUMMAND__COLL_ALLGATHER))
        place += (size_t)c->rank * c->send_bytes;
    if (!here)
        place = c->send;
    if (!is(c, SUMMAND__COLL_BCAST) || c->rank == call->root)
        elements_fill(type, call->op, c->rank, c->ranks, 0, (uint64_t)c->count, place);
}

static void compare(const struct bench_case *c, const char *label, struct trouble *trouble)
{
    const struct bench_call *call = c->call;
    bool blocks = is(c, SUMMAND__COLL_REDUCE_SCATTER);
    uint64_t first = blocks ? c->own : 0, count = blocks ? c->len : (uint64_t)c->count, wrong;
    int64_t expected = 0, found = 0;
    int sources = is(c, SUMMAND__COLL_ALLGATHER) ? c->ranks : 1;
    const struct summand__call here = {
        .collective = call->collective->collective, .rank = c->rank, .ranks = c->ranks};
    const int combined = summand__call_contributing(&here);
    if (summand__has_operator(here.collective) && (!at_root(c) || !combined))
        return;
    for (int r = 0; r < sources; r++) {
        const char *vector = c->recv + (size_t)r * c->send_bytes;
        const int from = call->op ? 0 : sources > 1 ? r : call->root;
        wrong = elements_check(call->type, call->op, from, call->op ? combined : 1, c->ranks, first,
                               count, vector, &expected, &found);
        if (wrong < count)
            trouble_note(trouble,
                         "%s: wrong result of %d elements: element %" PRIu64 " on rank %d is "
                         "%" PRId64 " and should be %" PRId64,
                         label, c->count, first + wrong, c->rank, found, expected);
    }
}

static int run_subject(void *context)
{
    const struct bench_subject *s = context;
    struct bench_case *c = s->of;
    c->recv = c->result[s->choice->mpi];
    if (s->choice->mpi)
        return c->call->collective->mpi(c, s->comm);
    if (s->choice->memory)
        return run_memory(c);
    return s->plan ? bench_plan_run(s->plan) : c->call->collective->ours(c, &s->options, s->comm);
}

void bench_case_write(void *context)
{
    enum { LINE = 64 };
    const struct bench_case *c = context;
    const bool bcast = is(c, SUMMAND__COLL_BCAST), here = bcast || c->sendbuf == MPI_IN_PLACE;
    if (bcast && c->rank != c->call->root)
        return; /* it has no operand */
    for (int i = 0; i < (here ? 2 : 1); i++) {
        volatile char *operand = here ? c->result[i] : c->send;
        for (size_t at = 0; at < (here ? c->recv_bytes : c->send_bytes); at += LINE)
            operand[at] = operand[at];
    }
}

/* Subjects are the same on all ranks: an algorithm does not depend on the rank. */
static int make_subjects(void *context, struct timing_subject *subjects, struct trouble *trouble)
{
    struct bench_case *c = context;
    size_t *offsets = calloc((size_t)c->ranks + 1, sizeof *offsets);
    if (!offsets) {
        trouble_note(trouble, "out of memory");
        return 0;
    }
    for (int r = 0; r < c->ranks; r++)
        offsets[r + 1] = summand__cut((size_t)c->count, (size_t)r + 1, (size_t)c->ranks);
    struct summand__call call = {.collective = c->call->collective->collective,
                                 .rank = c->rank,
                                 .ranks = c->ranks,
                                 .root = c->call->root,
                                 .count = (size_t)c->count,
                                 .offsets = offsets,
                                 .in_place = c->call->in_place};
    for (int i = 0; i < c->choices->count; i++) {
        const struct bench_choice *choice = &c->choices->choice[i];
        if (choice->memory ? combines(c)
                           : bench_choice_does(choice, &call, needed_promises(c->call)))
            make_subject(c, choice, trouble);
        else if (!choice->optional)
            trouble_note(trouble, "%s does not do this %s: its operator, promise, root or ranks",
                         choice->label, summand__collective_name(c->call->collective->collective));
    }
    free(offsets);
    return bench_subjects_list(&c->subjects, run_subject, subjects);
}

static void check(void *context, const struct timing_subject *subject, struct trouble *trouble)
{
    struct bench_case *c = context;
    const struct bench_choice *choice = ((struct bench_subject *)subject->context)->choice;
    c->recv = c->result[choice->mpi];
    fill(c);
    int code = run_subject(subject->context);
    trouble_note_mpi(trouble, choice->label, code);
    if (code == MPI_SUCCESS && !choice->memory)
        compare(c, choice->label, trouble);
}

const struct bench_kind bench_case_kind = {.make = make,
                                           .subjects = make_subjects,
                                           .check = check,
                                           .chosen = bench_subject_chosen,
                                           .drop = drop};
