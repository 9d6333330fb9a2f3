/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan/plan.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/fpenv_call.h"
#include "plan/active.h"
#include "plan/options.h"
#include "process/error.h"
#include "select/select.h"

int summand__plan_position(const int *rank_of, int rank)
{
    int position = rank;
    if (rank_of)
        for (position = 0; rank_of[position] != rank;)
            position++;
    return position;
}

/* Builds a reduction of one element of any size, for instance exact sums or forests of subtrees. */
static int build_schedule(summand_plan *plan, const struct summand__plan_parts *parts,
                          struct summand__schedule *schedule)
{
    const struct summand__state *state = plan->state;
    bool all = parts->root == SUMMAND_ROOT_ALL;
    struct summand__call call = {
        .collective = all ? SUMMAND__COLL_ALLREDUCE : SUMMAND__COLL_REDUCE,
        .rank = summand__plan_position(parts->rank_of, state->rank),
        .ranks = state->ranks,
        .root = all ? 0 : summand__plan_position(parts->rank_of, parts->root),
        .count = 1,
    };
    struct summand__choice *choice = &plan->choice;
    enum summand__selection selection = summand__select_bundle(
        call.collective, call.ranks, (size_t)state->nodes.most, parts->promises, choice);
    memcpy(call.parameter, choice->parameter, sizeof call.parameter);
    if (selection == SUMMAND__NONE_SELECTED)
        return summand__algorithm_refuse("options.algorithm", choice->algorithm, &call,
                                         parts->promises);
    if (selection == SUMMAND__SELECTION_FAILED)
        return summand_error_code(SUMMAND_ERR_MEMORY);
    call = summand__call_complete(choice->algorithm, &call);
    memcpy(choice->parameter, call.parameter, sizeof choice->parameter);
    return summand__build(choice->algorithm, &call, schedule)
               ? MPI_SUCCESS
               : summand_error_code(SUMMAND_ERR_MEMORY);
}

static int build(summand_plan *plan, const struct summand__plan_parts *parts,
                 struct summand__schedule *schedule)
{
    int code = parts->schedule ? MPI_SUCCESS : build_schedule(plan, parts, schedule);
    if (code != MPI_SUCCESS)
        return code;
    void *scratch = plan->hooks->scratch
                        ? plan->hooks->scratch(plan->work, schedule->scratch)
                        : (plan->scratch = malloc(schedule->scratch * parts->operator.extent + 1));
    const struct summand__link_spec spec = {.state = plan->state,
                                            .datatype =
                                                parts->operator.pack ? MPI_BYTE : parts->datatype,
                                            .tag = parts->tag,
                                            .rank_of = parts->rank_of,
                                            .most = summand__schedule_width(schedule),
                                            .checked = plan->checked,
                                            .compared = parts->compared};
    bool good = scratch && summand__route_open(&plan->route, &spec) &&
                summand__execution_init(&plan->execution, schedule, &plan->operator,
                                        plan->route.link, parts->sendbuf, parts->recvbuf, scratch);
    if (good && parts->onesided)
        summand__execution_attach(&plan->execution, parts->onesided);
    return good ? MPI_SUCCESS : summand_error_code(SUMMAND_ERR_MEMORY);
}

static void drop(summand_plan *plan)
{
    summand__active_take(plan->state);
    summand__active_leave(plan->state);
    if (summand__route_close(&plan->route)) { /* else the MPI may still use this memory */
        summand__execution_free(&plan->execution);
        free(plan->scratch);
        plan->hooks->drop(plan->work);
    }
    summand__tags_release(&plan->state->tags, plan->tag);
    summand__state_release(plan->state);
    free(plan);
}

int summand__plan_make(struct summand__state *state, const struct summand__plan_parts *parts,
                       summand_plan **made)
{
    summand_plan *plan = malloc(sizeof *plan);
    *made = NULL;
    if (!plan) {
        if (parts->schedule)
            summand__schedule_free(parts->schedule);
        parts->hooks->drop(parts->work);
        return summand_error_code(SUMMAND_ERR_MEMORY);
    }
    summand__state_hold(state);
    summand__active_take(state); /* another thread may move the links that this one joins */
    *plan = (summand_plan){.state = state,
                           .operator= parts->operator,
                           .choice = parts->choice,
                           .checked = summand__checked(state, parts->choice.check),
                           .hooks = parts->hooks,
                           .work = parts->work,
                           .tag = parts->tag};
    bool held = summand__tags_hold(&state->tags, plan->tag);
    /* An operand is one message of at most INT_MAX bytes. All ranks see the error: none waits. */
    bool fits = !parts->operator.pack || state->ranks == 1 || parts->operator.packed <= INT_MAX;
    struct summand__schedule schedule = {0};
    if (parts->schedule)
        schedule = *parts->schedule;
    int code = !fits   ? MPI_ERR_COUNT
               : !held ? summand_error_code(SUMMAND_ERR_MEMORY)
                       : build(plan, parts, &schedule);
    summand__schedule_free(&schedule); /* unless the execution has taken it */
    if (code != MPI_SUCCESS) {
        drop(plan);
        return code;
    }
    bool lives = plan->tag >= SUMMAND__CALL_TAGS;
    plan->watch = (struct summand__watch){.channel = &state->channel,
                                          .plan = lives ? atomic_load(state->channel.entered) : 0,
                                          .describe = plan->hooks->describe,
                                          .what = plan->work};
    plan->wait = (struct summand__wait){
        .backoff = {.oversubscribed = state->nodes.most > state->nodes.processors, .awake = true},
        .watch = &plan->watch};
    summand__route_watch(&plan->route, &plan->watch);
    if (plan->execution.tables) /* the link does not know the producers of puts */
        plan->watch.awaited = NULL;
    *made = plan;
    return MPI_SUCCESS;
}

void summand__plan_abandon(struct summand__state *state, int tag)
{
    if (!state->parted)
        return;
    summand__active_take(state);
    summand__route_abort_plan(state, tag, state->channel.calls, true, MPI_SUCCESS);
}

void summand__plan_move(summand_plan *plan, const void *sendbuf, void *recvbuf)
{
    summand__execution_bind(&plan->execution, sendbuf, recvbuf);
}

void summand__plan_rebind(summand_plan *plan, const void *sendbuf, void *recvbuf,
                          MPI_Datatype datatype)
{
    summand__plan_move(plan, sendbuf, recvbuf);
    summand__route_carry(&plan->route, datatype);
}

/* Ends a plan's run, with an error of the transport or the result. A failed plan may have messages
 * in transit, so it never starts again. */
static int conclude(summand_plan *plan, int code)
{
    if (code == MPI_SUCCESS)
        code = plan->broken; /* set while another plan was waited for */
    plan->broken = code;
    summand__backoff_reset(&plan->wait.backoff);
    summand__watch_end(&plan->watch);
    if (code != MPI_SUCCESS)
        summand__route_abort_plan(plan->state, summand__route_tag_of(&plan->route),
                                  summand__watch_number(&plan->watch), plan->watch.notified, code);
    else
        code = plan->hooks->after(plan->work);
    /* Ranks that disagree leave messages behind. */
    if (code != MPI_SUCCESS && plan->route.link->abilities & SUMMAND__LITTERS)
        plan->state->spoiled = true;
    return code;
}

int summand__plan_finish(summand_plan *plan, int code)
{
    plan->started = false;
    summand__active_remove(plan);
    return conclude(plan, code);
}

int summand__plan_begin(summand_plan *plan)
{
    if (plan->broken != MPI_SUCCESS)
        return plan->broken;
    summand__active_take(plan->state);
    plan->hooks->before(plan->work);
    plan->started = plan->used = true;
    plan->more = plan->hooks->next != NULL;
    summand__active_add(plan);
    int code = summand__execution_start(&plan->execution);
    return code == MPI_SUCCESS ? code : summand__plan_finish(plan, code);
}

/* Tells if a rank of the node has aborted the plan. Ranks publish aborted tags in shared memory.
 * Links check only the ranks that they wait for; a counter may wait for any. */
static bool node_aborted(const summand_plan *plan)
{
    const struct summand__segment *segment = plan->state->segment;
    bool aborted = false;
    if (!plan->execution.tables || !segment || !segment->lines)
        return false;
    for (int r = 0; r < segment->ranks && !aborted; r++)
        aborted = summand__tags_aborted(segment->tags, summand__segment_aborted(segment, r),
                                        &summand__segment_presence(segment, r)->has_aborted,
                                        summand__route_tag_of(&plan->route));
    return aborted;
}

/* Called after a failed poll. On an abort it polls once more, because messages that were sent
 * before the abort have arrived. */
static int keep_watch(summand_plan *plan, bool waits, bool *done)
{
    const struct summand__link *link = plan->route.link;
    if (plan->moves != link->moves)
        summand__backoff_reset(&plan->wait.backoff);
    plan->moves = link->moves;
    int code = summand__wait_poll(&plan->wait, waits);
    /* Only once this wait has looked at its watch, because node_aborted costs more than a poll. */
    if (code == MPI_SUCCESS && plan->watch.since == plan->wait.backoff.yielded &&
        node_aborted(plan))
        code = summand_error_code(SUMMAND_ERR_REMOTE);
    if (code == MPI_SUCCESS)
        return code;
    int last = summand__plan_poll(plan, done);
    return *done || last != MPI_SUCCESS || plan->moves != link->moves ? last : code;
}

/* Checks an active plan that was just progressed. `done`: it has ended, perhaps with an error. */
static int check(summand_plan *plan, bool waits, bool *done)
{
    size_t now = summand__execution_position(&plan->execution);
    if (now != plan->place)
        summand__backoff_reset(&plan->wait.backoff);
    plan->place = now;
    *done = !plan->execution.active && !plan->more;
    return *done ? MPI_SUCCESS : keep_watch(plan, waits, done);
}

int summand__plan_test(summand_plan *plan, bool waits, bool *done)
{
    int code = summand__plan_poll(plan, done);
    return code == MPI_SUCCESS ? check(plan, waits, done) : code;
}

/* True if this thread has no other active plan, and the plan no window with messages to serve. */
static bool waits_alone(const summand_plan *plan)
{
    return !summand__active_others(plan) && !summand__execution_serves(&plan->execution);
}

bool summand__plan_is_active(const summand_plan *plan)
{
    return plan && plan->started;
}

/* Checks plans progressed with others. `which`: the first one that is over or fails, if any. */
static int check_others(int count, summand_plan *const plans[], int *which, bool *done, bool *moved)
{
    int code = MPI_SUCCESS;
    for (int i = *which + 1; i < count && !*done && code == MPI_SUCCESS; i++) {
        if (!summand__plan_is_active(plans[i]))
            continue;
        size_t before = plans[i]->place;
        code = check(plans[i], true, done);
        *moved = *moved || plans[i]->place != before;
        if (*done || code != MPI_SUCCESS)
            *which = i;
    }
    return code;
}

/* Waits for a plan that has been started, stage by stage. */
static int wait_alone(summand_plan *plan)
{
    bool done = false;
    int code = MPI_SUCCESS;
    while (code == MPI_SUCCESS && !done) {
        code = summand__execution_wait(&plan->execution);
        done = !plan->more;
        if (code == MPI_SUCCESS && !done)
            code = summand__plan_go_on(plan, &done);
    }
    return code;
}

void summand__plan_turn(summand_plan *plan)
{
    if (plan->execution.tables || !(plan->route.link->abilities & SUMMAND__YIELDS))
        summand__backoff_turn(&plan->wait.backoff);
}

/* Another rank may first wait for another plan, which needs this rank's later rounds. */
int summand__plan_wait_any(int count, summand_plan *const plans[], int *which)
{
    summand_plan *plan = plans[*which];
    int code = MPI_SUCCESS;
    if (waits_alone(plan))
        return wait_alone(plan);
    for (bool done = false; !done && code == MPI_SUCCESS;) {
        size_t before = summand__execution_position(&plan->execution);
        summand__active_move(plan->state, plan);
        summand__execution_alone(&plan->execution, !summand__active_others(plan));
        code = summand__plan_test(plan, true, &done);
        bool moved = summand__execution_position(&plan->execution) != before;
        if (!done && code == MPI_SUCCESS)
            code = check_others(count, plans, which, &done, &moved);
        if (!done && !moved)
            summand__plan_turn(plan);
    }
    summand__execution_alone(&plan->execution, false);
    return code;
}

static int wait(summand_plan *plan)
{
    int which = 0;
    return summand__plan_wait_any(1, &plan, &which);
}

/* A blocking run completes before it returns, so it is not listed as active. */
int summand__plan_run(summand_plan *plan)
{
    if (plan->broken != MPI_SUCCESS)
        return plan->broken;
    summand__active_take(plan->state);
    plan->state->algorithm = plan->choice.algorithm ? plan->choice.algorithm->name : NULL;
    plan->state->transport = plan->route.link->transport->name;
    plan->hooks->before(plan->work);
    plan->more = plan->hooks->next != NULL;
    if (waits_alone(plan)) {
        int code = summand__execution_run(&plan->execution);
        bool done;
        if (code == MPI_SUCCESS && plan->more &&
            (code = summand__plan_go_on(plan, &done)) == MPI_SUCCESS)
            code = wait_alone(plan);
        return conclude(plan, code);
    }
    int code = summand__execution_start(&plan->execution);
    return conclude(plan, code == MPI_SUCCESS ? wait(plan) : code);
}

/* A NULL plan has no communicator on which to raise the error. */
static int refuse(const char *call, const summand_plan *plan, enum summand_error error,
                  const char *wrong)
{
    if (!summand__mpi_runs())
        return summand__no_mpi(call);
    int code = summand__refuse(error, "%s", wrong);
    return plan ? summand__state_raise(call, plan->state, code) : summand__keep_words(code);
}

/* The plan is NULL, or MPI_Finalize has ended it. */
static int refuse_plan(const char *call, const summand_plan *plan)
{
    return refuse(call, plan, SUMMAND_ERR_ARGUMENT, "plan is NULL");
}

/* After MPI_Finalize a plan can only be freed. */
static bool usable(const summand_plan *plan)
{
    return plan && !plan->state->over;
}

/* The result of waiting for an inactive plan: success, as for an inactive MPI request; but an error
 * if the plan was never started. */
static int not_started(const char *call, const summand_plan *plan)
{
    if (plan->broken != MPI_SUCCESS)
        return summand__state_raise(call, plan->state, plan->broken);
    return plan->used
               ? MPI_SUCCESS
               : refuse(call, plan, SUMMAND_ERR_NOT_STARTED, "call summand_plan_start first");
}

int summand_plan_start(summand_plan *plan)
{
    SUMMAND__IN_DEFAULT_FPENV;
    static const char call[] = "summand_plan_start";
    if (!usable(plan))
        return refuse_plan(call, plan);
    if (plan->started)
        return refuse(call, plan, SUMMAND_ERR_BUSY, "wait for it before the next start");
    summand__enter_start(plan->state);
    return summand__state_raise(call, plan->state, summand__plan_begin(plan));
}

int summand_plan_test(summand_plan *plan, int *done)
{
    SUMMAND__IN_DEFAULT_FPENV;
    static const char call[] = "summand_plan_test";
    bool over = true;
    if (!usable(plan))
        return refuse_plan(call, plan);
    if (!done)
        return refuse(call, plan, SUMMAND_ERR_ARGUMENT, "done is NULL");
    *done = true;
    if (!plan->started)
        return not_started(call, plan);
    summand__active_take(plan->state);
    summand__active_move(plan->state, plan);
    const size_t before = summand__execution_position(&plan->execution);
    int code = summand__plan_test(plan, false, &over);
    if (!over && code == MPI_SUCCESS && summand__execution_position(&plan->execution) == before)
        summand__plan_turn(plan);
    if (over || code != MPI_SUCCESS)
        code = summand__plan_finish(plan, code);
    *done = over;
    return summand__state_raise(call, plan->state, code);
}

int summand_plan_wait(summand_plan *plan)
{
    SUMMAND__IN_DEFAULT_FPENV;
    static const char call[] = "summand_plan_wait";
    if (!usable(plan))
        return refuse_plan(call, plan);
    if (!plan->started)
        return not_started(call, plan);
    summand__active_take(plan->state);
    return summand__state_raise(call, plan->state, summand__plan_finish(plan, wait(plan)));
}

/* 0 where the algorithm has no such parameter: in options it would be an error. */
static size_t in_use(const summand_plan *plan, enum summand__parameter parameter)
{
    const struct summand__algorithm *algorithm = plan->choice.algorithm;
    return algorithm && algorithm->limits[parameter].most ? plan->choice.parameter[parameter] : 0;
}

int summand_plan_describe(const summand_plan *plan, summand_options *options,
                          const char **transport)
{
    SUMMAND__IN_DEFAULT_FPENV;
    if (!plan)
        return refuse_plan("summand_plan_describe", plan);
    if (!options)
        return refuse("summand_plan_describe", plan, SUMMAND_ERR_ARGUMENT, "options is NULL");
    *options =
        (summand_options){.algorithm = plan->choice.algorithm ? plan->choice.algorithm->name : NULL,
                          .segment = (MPI_Count)in_use(plan, SUMMAND__SEGMENT),
                          .radix = (int)in_use(plan, SUMMAND__RADIX),
                          .node_size = (int)in_use(plan, SUMMAND__NODE_SIZE),
                          .leaders = (int)in_use(plan, SUMMAND__LEADERS),
                          .radix_between = (int)in_use(plan, SUMMAND__INTER_NODE_RADIX),
                          .timeout = plan->watch.timeout,
                          .check = (enum summand_checked)(plan->checked + SUMMAND_CHECKED_OFF)};
    if (transport)
        *transport = plan->route.link->transport->name;
    return MPI_SUCCESS;
}

int summand_plan_free(summand_plan **plan)
{
    SUMMAND__IN_DEFAULT_FPENV;
    if (!plan || !*plan)
        return MPI_SUCCESS;
    if ((*plan)->started && !(*plan)->state->over)
        return refuse("summand_plan_free", *plan, SUMMAND_ERR_BUSY,
                      "wait for it before it is freed");
    if ((*plan)->started)
        summand__active_remove(*plan); /* after MPI_Finalize: nothing to wait for */
    drop(*plan);
    *plan = NULL;
    return MPI_SUCCESS;
}
