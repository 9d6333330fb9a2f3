/* SPDX-License-Identifier: BSD-3-Clause */
#include "collective/exact_plan.h"

#include <stdlib.h>

#include "algorithm/call.h"
#include "collective/arguments.h"
#include "collective/exact_check.h"
#include "collective/exact_cut.h"
#include "collective/exact_opening.h"
#include "collective/exact_stages.h"
#include "kernel/stream.h"
#include "op/predefined.h"
#include "process/error.h"

enum {
    DIGITS = 4, /* lanes each of SUMMAND__EXACT_FEW numbers that travel in the opening, at most */
    /* After so many calls formats are made anew: the largest terms may be gone. Those of formats
     * that have lasted for few calls stay in the next ones: else data of two kinds, in turn, would
     * need new formats at each call. */
    LAST = 1024,
    FEW_CALLS = 16,
    ALIGNMENT = 64
};

enum stage { OPENING, RANGES, LANES, RESULTS };

struct work {
    struct summand__state *state;
    struct summand__collective_work *user; /* the operation, as its caller gave it */
    enum summand__lanes_type type;
    size_t each; /* numbers per element */
    int segments;
    struct summand__exact_layout *layout; /* of each segment */
    int at;                               /* the current segment */
    struct summand__lanes_range *ranges;  /* of its blocks */
    size_t most_blocks;                   /* of a segment */
    int64_t *lanes;
    size_t room; /* of `lanes` */
    /* The result, until the last segment is over: of a reduce-scatter in place it would lie where
     * the terms of later segments are. Else NULL. */
    char *aside;
    size_t aside_bytes;
    struct summand__opening_shape shape;
    struct summand__opening *mine, *total;
    enum stage stage;
    summand_plan *of_ranges;
    struct summand__exact_stages of_lanes, of_results;
    summand_plan *current; /* the stage whose execution the plan has; NULL: its own, the opening */
    int code;
    bool filled, owns; /* this rank has terms; it drops their source */
};

struct summand__collective_work *summand__exact_user(void *work)
{
    return ((struct work *)work)->user;
}

static struct summand__exact_layout *layout_of(const struct work *work)
{
    return &work->layout[work->at];
}

void summand__exact_own(summand_plan *plan)
{
    ((struct work *)plan->work)->owns = true;
}

static bool in_opening(const struct work *work)
{
    return summand__exact_words(layout_of(work)) <= work->shape.room;
}

static const void *input(const struct work *work)
{
    const struct summand__operation *operation = &work->user->operation;
    return operation->source           ? operation->of
           : work->user->call.in_place ? operation->recvbuf
                                       : operation->sendbuf;
}

static const struct summand__exact_source *source(const struct work *work)
{
    return work->user->operation.source ? work->user->operation.source : &summand__exact_array;
}

/* Ranks round their own parts; or each rank with a result rounds the only part. */
static int own_part(const struct work *work)
{
    return layout_of(work)->parts > 1 ? work->state->rank : 0;
}

static bool gathers(const struct work *work)
{
    return work->user->operation.collective == SUMMAND__COLL_ALLREDUCE &&
           layout_of(work)->parts > 1;
}

/* Writes this rank's lanes, if all ranks may know the formats and its terms fit them. */
static void encode(struct work *work)
{
    const struct summand__exact_layout *layout = layout_of(work);
    struct summand__opening *mine = work->mine;
    const bool inside = in_opening(work);
    const bool fits = layout->hash && layout->calls < LAST &&
                      summand__exact_encode(layout, source(work), input(work),
                                            inside ? mine->lanes : work->lanes);
    mine->head = (struct summand__head){work->shape.signature, SUMMAND__GOOD};
    mine->formats = fits ? layout->hash : 0;
    mine->words = fits && inside ? (uint32_t)summand__exact_words(layout) : 0;
    mine->filled = work->filled;
}

/* A rank without sums tells the others. */
static void before(void *context)
{
    struct work *work = context;
    int (*ready)(const void *of, bool *filled) = source(work)->ready;
    work->filled = true;
    work->code = ready ? ready(input(work), &work->filled) : MPI_SUCCESS;
    work->stage = OPENING;
    work->at = 0;
    if (work->code == MPI_SUCCESS)
        encode(work);
    else
        *work->mine = (struct summand__opening){
            .head = {work->shape.signature, summand__error_flag_of(work->state->rank, work->code)}};
}

/* The plan takes the execution of a stage, or with NULL its own. */
static void enter(struct work *work, summand_plan *plan, enum stage stage, summand_plan *of)
{
    work->stage = stage;
    if (work->current == of)
        return;
    if (work->current)
        summand__plan_swap(plan, work->current);
    if (of)
        summand__plan_swap(plan, of);
    work->current = of;
}

/* Rounds the sums of a part, if this rank has a result. Of a reduce-scatter it gets its part. */
static void decode(struct work *work, int part, int64_t *lanes)
{
    const struct summand__call *call = &work->user->call;
    const struct summand__exact_sums sums = {work->state, summand__call_contributing(call),
                                             work->total->filled, work->each};
    if (work->code == MPI_SUCCESS && summand__call_result(call, call->rank))
        work->code =
            summand__exact_decode(layout_of(work), &sums, part, lanes,
                                  work->aside ? work->aside : work->user->operation.recvbuf);
}

/* This rank has the sums of all lanes: it rounds all parts that it gets. */
static void decode_known(struct work *work, int64_t *lanes)
{
    const int own = own_part(work), first = gathers(work) ? 0 : own;
    const int last = gathers(work) ? layout_of(work)->parts - 1 : own;
    for (int p = first; p <= last; p++)
        decode(work, p, lanes + layout_of(work)->word[p]);
}

/* Ends a segment, and begins the next one. */
static int end(struct work *work, summand_plan *plan, bool *more)
{
    layout_of(work)->calls++;
    enter(work, plan, OPENING, NULL);
    *more = work->code == MPI_SUCCESS && ++work->at < work->segments;
    if (*more)
        encode(work);
    else if (work->aside && work->code == MPI_SUCCESS)
        summand__copy_bytes(work->user->operation.recvbuf, work->aside, work->aside_bytes);
    return MPI_SUCCESS;
}

/* Parts differ in size. One rank has one part. */
static enum summand__collective collective_of_lanes(const struct work *work)
{
    const enum summand__collective user = work->user->operation.collective;
    return layout_of(work)->parts > 1  ? SUMMAND__COLL_REDUCE_SCATTER
           : summand__has_blocks(user) ? SUMMAND__COLL_ALLREDUCE
                                       : user;
}

/* The collective that sums the lanes. Ranks with a result get it in place. */
static int find_lanes(struct work *work, summand_plan **stage)
{
    const struct summand__operation *user = &work->user->operation;
    const struct summand__exact_layout *layout = layout_of(work);
    const bool receives = summand__call_result(&work->user->call, work->state->rank);
    summand_options options = user->options ? *user->options : (summand_options){.algorithm = NULL};
    options.promise = SUMMAND_PROMISE_DEFAULT;
    struct summand__operation operation = {.collective = collective_of_lanes(work),
                                           .sendbuf = receives ? MPI_IN_PLACE : work->lanes,
                                           .recvbuf = receives ? work->lanes : NULL,
                                           .count = (MPI_Count)summand__exact_words(layout),
                                           .datatype = MPI_INT64_T,
                                           .op = MPI_SUM,
                                           .root = user->root,
                                           .options = &options};
    const int parts = layout->parts;
    MPI_Count *counts = calloc((size_t)parts, sizeof *counts);
    *stage = NULL;
    if (!counts)
        return summand_error_code(SUMMAND_ERR_MEMORY);
    for (int p = 0; p < parts; p++)
        counts[p] = (MPI_Count)(layout->word[p + 1] - layout->word[p]);
    if (parts > 1)
        operation.counts.wide = counts;
    int code = summand__exact_stage(&work->of_lanes, work->state, &operation, counts, parts, stage);
    free(counts);
    return code;
}

static int enter_lanes(struct work *work, summand_plan *plan)
{
    summand_plan *stage;
    int code = find_lanes(work, &stage);
    if (code == MPI_SUCCESS)
        enter(work, plan, LANES, stage);
    return code;
}

/* Makes room for the lanes of new formats. The stages know the old place. */
static int take_formats(struct work *work)
{
    summand__exact_layout_set(layout_of(work), work->ranges);
    const size_t words = summand__exact_words(layout_of(work));
    if (in_opening(work) || words <= work->room)
        return MPI_SUCCESS;
    summand__exact_stages_free(&work->of_lanes);
    free(work->lanes);
    const size_t bytes = (words + SUMMAND__EXACT_SPARE) * sizeof *work->lanes;
    const size_t lines = (bytes + ALIGNMENT - 1) / ALIGNMENT;
    work->lanes = aligned_alloc(ALIGNMENT, lines * ALIGNMENT);
    work->room = work->lanes ? words : 0;
    return work->lanes ? MPI_SUCCESS : summand_error_code(SUMMAND_ERR_MEMORY);
}

static int after_opening(struct work *work, summand_plan *plan, bool *more)
{
    struct summand__opening *total = work->total;
    if (total->head.error_flag) {
        if (work->code == MPI_SUCCESS)
            work->code = summand__error_flag_code(total->head.error_flag);
        return end(work, plan, more);
    }
    if (!total->formats) {
        const struct summand__exact_layout *layout = layout_of(work);
        for (size_t b = 0; b < work->most_blocks; b++)
            work->ranges[b] = SUMMAND__LANES_RANGE_NONE;
        summand__exact_range(layout, source(work), input(work), work->ranges);
        if (layout->hash && layout->calls < FEW_CALLS)
            summand__exact_widen(layout, work->ranges);
        enter(work, plan, RANGES, work->of_ranges);
        return MPI_SUCCESS;
    }
    if (!total->words && !in_opening(work))
        return enter_lanes(work, plan);
    decode_known(work, total->lanes);
    return end(work, plan, more);
}

static int after_ranges(struct work *work, summand_plan *plan)
{
    enter(work, plan, OPENING, NULL);
    int code = take_formats(work);
    if (code != MPI_SUCCESS)
        return code;
    encode(work);
    if (!work->mine->formats) /* terms that fitted their own range do not fit now */
        return summand__refuse(SUMMAND_ERR_ARGUMENT,
                               "the elements to be summed changed while the call ran");
    return in_opening(work) ? MPI_SUCCESS : enter_lanes(work, plan);
}

/* The all-gather of the parts. */
static int find_results(struct work *work, summand_plan **stage)
{
    const struct summand__exact_layout *layout = layout_of(work);
    const int parts = layout->parts;
    char *y = (char *)work->user->operation.recvbuf +
              layout->part[0].to * summand__lanes_element(work->type);
    *stage = NULL;
    MPI_Count *counts = calloc(2 * (size_t)parts, sizeof *counts);
    if (!counts)
        return summand_error_code(SUMMAND_ERR_MEMORY);
    for (int p = 0; p < parts; p++) {
        counts[p] = (MPI_Count)(layout->part[p].count / work->each);
        counts[parts + p] = (MPI_Count)((layout->part[p].to - layout->part[0].to) / work->each);
    }
    const summand_options options = summand__work_stage_options(work->user);
    const struct summand__operation operation = {.collective = SUMMAND__COLL_ALLGATHERV,
                                                 .sendbuf = MPI_IN_PLACE,
                                                 .recvbuf = y,
                                                 .datatype = work->user->operation.datatype,
                                                 .counts.wide = counts,
                                                 .displacements.wide = counts + parts,
                                                 .options = &options};
    int code =
        summand__exact_stage(&work->of_results, work->state, &operation, counts, parts, stage);
    free(counts);
    if (code == MPI_SUCCESS)
        summand__plan_move(*stage, NULL, y);
    return code;
}

static int after_lanes(struct work *work, summand_plan *plan, bool *more)
{
    summand_plan *stage;
    decode(work, own_part(work), work->lanes);
    if (work->code != MPI_SUCCESS && (gathers(work) || work->at + 1 < work->segments))
        return work->code; /* others wait for this rank */
    if (!gathers(work))
        return end(work, plan, more);
    enter(work, plan, OPENING, NULL);
    int code = find_results(work, &stage);
    if (code == MPI_SUCCESS)
        enter(work, plan, RESULTS, stage);
    return code;
}

static int next(void *context, summand_plan *plan, bool *more)
{
    struct work *work = context;
    int code = work->current ? summand__collective_stage_after(work->current) : MPI_SUCCESS;
    if (code != MPI_SUCCESS)
        return code;
    switch (work->stage) {
    case OPENING:
        return after_opening(work, plan, more);
    case RANGES:
        return after_ranges(work, plan);
    case LANES:
        return after_lanes(work, plan, more);
    default:
        return end(work, plan, more);
    }
}

static int after(void *context)
{
    return ((const struct work *)context)->code;
}

static void drop(void *context)
{
    struct work *work = context;
    if (!work)
        return;
    summand_plan_free(&work->of_ranges);
    summand__exact_stages_free(&work->of_lanes);
    summand__exact_stages_free(&work->of_results);
    if (work->owns)
        source(work)->drop((void *)input(work));
    if (work->user)
        summand__collective_hooks.drop(work->user);
    summand__exact_layouts_free(work->layout, work->segments);
    free(work->ranges);
    free(work->lanes);
    free(work->aside);
    free(work->mine);
    free(work->total);
    free(work);
}

static void describe(const void *context, char *text, size_t room)
{
    const struct work *work = context;
    summand__operation_describe(&work->user->operation, text, room);
}

static const struct summand__plan_hooks hooks = {
    .before = before, .after = after, .drop = drop, .describe = describe, .next = next};

bool summand__exact_takes(const void *context, MPI_Datatype datatype)
{
    const struct work *work = context;
    enum summand__lanes_type type;
    size_t each;
    return summand__datatype_lanes(datatype, &type, &each) && type == work->type &&
           each == work->each;
}

size_t summand__exact_bytes(const void *context)
{
    const struct work *work = context;
    const size_t copies = 1 + summand__exact_stages_count(&work->of_lanes); /* their scratch */
    return sizeof *work + copies * work->room * sizeof *work->lanes + work->aside_bytes +
           2 * work->shape.room * sizeof *work->lanes +
           work->most_blocks *
               (sizeof *work->ranges + (size_t)work->segments * sizeof *work->layout->format);
}

static bool make_layouts(struct work *work)
{
    work->layout = summand__exact_cut(&work->user->call, work->type, work->each,
                                      !work->user->asked.algorithm, &work->segments);
    for (int s = 0; work->layout && s < work->segments; s++) {
        work->layout[s].checked = summand__checked(work->state, work->user->asked.check);
        const size_t blocks = summand__exact_blocks(&work->layout[s]);
        work->most_blocks = blocks > work->most_blocks ? blocks : work->most_blocks;
    }
    return work->layout;
}

static bool make_memory(struct work *work)
{
    const struct summand__call *call = &work->user->call;
    const size_t total = summand__call_total(call) * work->each;
    /* All ranks get all of the opening, but other lanes in a scan. */
    const bool few = total <= SUMMAND__EXACT_FEW && !summand__is_prefix(call->collective);
    work->shape.room = few ? DIGITS * total : 0;
    if (few && work->layout->checked)
        work->shape.room += SUMMAND__CHECK_LANES * work->most_blocks;
    const size_t bytes = summand__opening_operator(&work->shape).extent;
    work->mine = malloc(bytes + SUMMAND__EXACT_SPARE * sizeof(int64_t));
    work->total = malloc(bytes);
    work->ranges = calloc(work->most_blocks + 1, sizeof *work->ranges);
    if (call->in_place && summand__has_blocks(call->collective) && work->segments > 1) {
        work->aside_bytes = summand__call_block(call, call->rank).count * work->each *
                            summand__lanes_element(work->type);
        work->aside = malloc(work->aside_bytes);
    }
    return work->mine && work->total && work->ranges && (work->aside || !work->aside_bytes);
}

static int make_of_ranges(struct work *work)
{
    const size_t fields = work->most_blocks * sizeof *work->ranges / sizeof(int64_t);
    const summand_options options = summand__work_stage_options(work->user);
    const struct summand__operation operation = {.collective = SUMMAND__COLL_ALLREDUCE,
                                                 .sendbuf = MPI_IN_PLACE,
                                                 .recvbuf = work->ranges,
                                                 .count = (MPI_Count)fields,
                                                 .datatype = MPI_INT64_T,
                                                 .op = MPI_MAX,
                                                 .options = &options};
    return summand__collective_stage(work->state, &operation, &work->of_ranges);
}

/* The chosen algorithm must do the collective; `choice` is what one lane per number would use. */
static int choose(const struct work *work, struct summand__choice *choice)
{
    struct summand__collective_work draft = *work->user;
    draft.promises = 0;
    return summand__work_choose(&draft, work->state, choice);
}

static int make_work(struct summand__state *state, const struct summand__collective_work *draft,
                     int tag, struct work *work)
{
    const int most = 1 << SUMMAND__LANES_RANKS_LOG2_MOST;
    if (state->ranks > most)
        return summand__refuse_as(MPI_ERR_COMM, "comm has %d ranks; exact sums take at most %d",
                                  state->ranks, most);
    work->state = state;
    if (!summand__datatype_lanes(draft->operation.datatype, &work->type, &work->each))
        return summand_error_code(SUMMAND_ERR_ARGUMENT); /* checked before */
    work->user = summand__work_make(state, draft, tag);
    if (!work->user)
        return summand_error_code(SUMMAND_ERR_MEMORY);
    int code = summand__work_bind(work->user, draft);
    if (code != MPI_SUCCESS)
        return code;
    if (!make_layouts(work) || !make_memory(work))
        return summand_error_code(SUMMAND_ERR_MEMORY);
    work->shape.signature = summand__work_hash(work->user, work->type);
    return make_of_ranges(work);
}

int summand__exact_vector_plan(struct summand__state *state,
                               const struct summand__collective_work *draft, int tag,
                               summand_plan **plan)
{
    struct work *work = calloc(1, sizeof *work);
    struct summand__choice choice;
    *plan = NULL;
    if (!work)
        return summand_error_code(SUMMAND_ERR_MEMORY);
    int code = make_work(state, draft, tag, work);
    if (code == MPI_SUCCESS)
        code = choose(work, &choice);
    if (code != MPI_SUCCESS) {
        drop(work);
        return code;
    }
    const struct summand__plan_parts parts = {.tag = tag,
                                              .root = SUMMAND_ROOT_ALL,
                                              .choice = {.check = work->user->asked.check},
                                              .operator= summand__opening_operator(&work->shape),
                                              .sendbuf = work->mine,
                                              .recvbuf = work->total,
                                              .hooks = &hooks,
                                              .work = work};
    code = summand__plan_make(state, &parts, plan);
    if (code == MPI_SUCCESS)
        (*plan)->choice = choice;
    return code;
}
