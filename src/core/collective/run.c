/* SPDX-License-Identifier: BSD-3-Clause */
#include "collective/run.h"

#include <stdlib.h>
#include <string.h>

#include "collective/arguments.h"
#include "collective/witness.h"

static int bind(summand_plan *plan, const struct summand__collective_work *draft)
{
    struct summand__collective_work *work = plan->work;
    int code = summand__work_bind(work, draft);
    if (code == MPI_SUCCESS)
        summand__plan_rebind(plan, summand__work_sendbuf(work), summand__work_recvbuf(work),
                             work->vector.bytes ? MPI_BYTE : work->vector.layout.datatype);
    if (code == MPI_SUCCESS && work->witness)
        code = summand__witness_bind(work);
    return code;
}

int summand__collective_repeat(struct summand__collective_work *work,
                               const struct summand__state *state,
                               const struct summand__operation *operation, bool *moved)
{
    int code = operation->source ? operation->source->check(operation, state->rank) : MPI_SUCCESS;
    if (code != MPI_SUCCESS)
        return code;
    *moved = work->operation.sendbuf != operation->sendbuf ||
             work->operation.recvbuf != operation->recvbuf || work->operation.of != operation->of;
    if (!*moved)
        return MPI_SUCCESS;
    code = summand__operation_check_buffers(operation, state, &work->types);
    if (code != MPI_SUCCESS)
        return code;
    work->operation.sendbuf = operation->sendbuf;
    work->operation.recvbuf = operation->recvbuf;
    work->operation.of = operation->of;
    return MPI_SUCCESS;
}

/* Repeats the operation that was bound last, with other buffers or with the same ones, which were
 * checked then. */
static int repeat(summand_plan *plan, const void *asked)
{
    struct summand__collective_work *work = plan->work;
    const struct summand__operation *operation =
        ((const struct summand__collective_asked *)asked)->operation;
    bool moved;
    int code = summand__collective_repeat(work, plan->state, operation, &moved);
    if (code == MPI_SUCCESS && moved)
        summand__plan_move(plan, summand__work_sendbuf(work), summand__work_recvbuf(work));
    return code;
}

/* Makes a plan with the draft's buffers. If it outlives the call, it duplicates the datatypes.
 * `witnessed`: both of its ends are checked. */
static int make_chosen(struct summand__state *state, struct summand__collective_work *draft,
                       const struct summand__choice *choice, int tag, bool outlives, bool witnessed,
                       summand_plan **plan)
{
    struct summand__schedule schedule;
    const struct summand__plan_hooks *hooks =
        witnessed ? &summand__witnessed_hooks : &summand__collective_hooks;
    int code = MPI_SUCCESS;
    *plan = NULL;
    struct summand__collective_work *work = summand__work_make(state, draft, tag);
    if (!work)
        return summand_error_code(SUMMAND_ERR_MEMORY);
    if (witnessed)
        code = summand__witness_make(work, state, summand__collective_stage);
    if (code == MPI_SUCCESS && !summand__build(choice->algorithm, &work->call, &schedule))
        code = summand_error_code(SUMMAND_ERR_MEMORY);
    if (code != MPI_SUCCESS) {
        hooks->drop(work);
        return code;
    }
    summand__schedule_trim(&schedule);
    struct summand__call complete = summand__call_complete(choice->algorithm, &work->call);
    struct summand__plan_parts parts = {.tag = tag,
                                        .operator= summand__vector_operator(&work->vector),
                                        .datatype = MPI_BYTE,
                                        .schedule = &schedule,
                                        .choice = {.algorithm = choice->algorithm,
                                                   .check = draft->asked.check,
                                                   .runs = choice->runs},
                                        .compared = witnessed,
                                        .hooks = hooks,
                                        .work = work};
    memcpy(parts.choice.parameter, complete.parameter, sizeof complete.parameter);
    code = summand__plan_make(state, &parts, plan);
    if (code == MPI_SUCCESS && outlives)
        code = summand__work_hold(work, draft);
    if (code == MPI_SUCCESS)
        code = bind(*plan, draft);
    if (code != MPI_SUCCESS)
        summand_plan_free(plan);
    return code;
}

/* The timeout does not affect the choice of a plan. */
static bool same_options(const struct summand__collective_work *work,
                         const summand_options *options)
{
    return options ? summand__options_alike(options, &work->options) && options->timeout >= 0
                   : work->default_options;
}

static bool same_numbers(const struct summand__numbers *last, const struct summand__numbers *now,
                         int ranks)
{
    bool same = !last->wide || summand__has_numbers(now);
    for (int r = 0; same && last->wide && r < ranks; r++)
        same = last->wide[r] == summand__number_at(now, r);
    return same;
}

bool summand__collective_repeats(const struct summand__collective_work *work,
                                 const struct summand__operation *operation)
{
    const struct summand__operation *last = &work->operation;
    return work->simple && last->collective == operation->collective &&
           last->count == operation->count && last->datatype == operation->datatype &&
           last->op == operation->op && last->root == operation->root &&
           last->source == operation->source && same_options(work, operation->options) &&
           (last->sendbuf == MPI_IN_PLACE) == (operation->sendbuf == MPI_IN_PLACE) &&
           last->sendcount == operation->sendcount && last->sendtype == operation->sendtype &&
           same_numbers(&last->counts, &operation->counts, work->call.ranks) &&
           same_numbers(&last->displacements, &operation->displacements, work->call.ranks);
}

static bool repeats(const void *work, const void *asked)
{
    return summand__collective_repeats(
        work, ((const struct summand__collective_asked *)asked)->operation);
}

int summand__collective_check(struct summand__plan_call *call)
{
    struct summand__collective_asked *asked = call->asked;
    int code = summand__operation_check(asked->operation, call->state);
    return code == MPI_SUCCESS ? summand__work_read(&asked->draft, asked->operation, call->state)
                               : code;
}

static bool serves(const void *work, const void *asked)
{
    return summand__work_serves(work, &((const struct summand__collective_asked *)asked)->draft);
}

static int rebind(const struct summand__plan_call *call, summand_plan *plan)
{
    return bind(plan, &((const struct summand__collective_asked *)call->asked)->draft);
}

static int make(struct summand__plan_call *call, int code, summand_plan **plan)
{
    struct summand__collective_asked *asked = call->asked;
    struct summand__choice choice;
    const bool witnessed =
        call->state->ranks > 1 && summand__checked(call->state, asked->draft.asked.check);
    code = summand__work_choose(&asked->draft, call->state, &choice);
    return code == MPI_SUCCESS ? make_chosen(call->state, &asked->draft, &choice, call->tag,
                                             call->init, witnessed, plan)
                               : code;
}

static void sign(const struct summand__plan_call *call, struct summand__signature *signature)
{
    const summand_plan *plan = *call->plan;
    summand__work_sign(signature, plan->work, plan->choice.algorithm, call->state, call->init);
}

void summand__collective_describe(const void *asked, char *text, size_t room)
{
    summand__operation_describe(((const struct summand__collective_asked *)asked)->operation, text,
                                room);
}

static const struct summand__call_kind kind = {.repeats = repeats,
                                               .repeat = repeat,
                                               .check = summand__collective_check,
                                               .sign = sign,
                                               .describe = summand__collective_describe,
                                               .serves = serves,
                                               .rebind = rebind,
                                               .make = make};

int summand__collective_stage(struct summand__state *state,
                              const struct summand__operation *operation, summand_plan **stage)
{
    struct summand__collective_work draft;
    struct summand__choice choice;
    *stage = NULL;
    int code = summand__work_read(&draft, operation, state);
    if (code == MPI_SUCCESS)
        code = summand__work_choose(&draft, state, &choice);
    return code == MPI_SUCCESS ? make_chosen(state, &draft, &choice, 0, false, false, stage) : code;
}

int summand__collective_stage_after(summand_plan *stage)
{
    return stage->hooks->after(stage->work);
}

struct summand__plan_call summand__collective_call(const struct summand__call_kind *of,
                                                   struct summand__collective_asked *asked,
                                                   bool init)
{
    const struct summand__operation *operation = asked->operation;
    const struct summand__exact_source *source = operation->source;
    return (struct summand__plan_call){
        .kind = of,
        .name = summand__operation_name(operation, init),
        .entered = source ? source->entered : SUMMAND__ENTERED_COLLECTIVE + operation->collective,
        .timeout = operation->options ? operation->options->timeout : 0,
        .asked = asked,
        .agrees = operation->agrees,
        .quiet = operation->quiet};
}

int summand__collective_run(const struct summand__operation *operation, MPI_Comm comm)
{
    struct summand__collective_asked asked;
    asked.operation = operation;
    struct summand__plan_call call = summand__collective_call(&kind, &asked, false);
    return summand__call_run(&call, comm);
}

int summand__collective_init(const struct summand__operation *operation, MPI_Comm comm,
                             summand_plan **plan)
{
    struct summand__collective_asked asked;
    asked.operation = operation;
    struct summand__plan_call call = summand__collective_call(&kind, &asked, true);
    return summand__call_init(&call, comm, plan);
}
