/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls for several plans at once, made of the parts for one. */
#include <stdio.h>

#include "kernel/fpenv_call.h"
#include "plan/active.h"
#include "process/error.h"

/* The first failed plan of an array in a call. */
struct failure {
    int code, index;
    char words[400];
};

static void note(struct failure *failure, int index, int code)
{
    if (code == MPI_SUCCESS || failure->code != MPI_SUCCESS)
        return;
    failure->code = code;
    failure->index = index;
    snprintf(failure->words, sizeof failure->words, "%s", summand__error_words(code));
}

static int raise(const char *call, summand_plan *const plans[], const struct failure *failure)
{
    const char *between = *failure->words ? ": " : "";
    if (failure->code == MPI_SUCCESS)
        return MPI_SUCCESS;
    return summand__state_raise(call, plans[failure->index]->state,
                                summand__refuse_as(failure->code, "plans[%d]%s%s", failure->index,
                                                   between, failure->words));
}

/* Raises an argument error on the communicator of the first plan, if there is one. */
static int refuse(const char *call, int count, summand_plan *const plans[], int code)
{
    for (int i = 0; plans && i < count; i++)
        if (plans[i])
            return summand__state_raise(call, plans[i]->state, code);
    return summand__keep_words(code);
}

/* `out`: the output argument, called `name`. */
static int check_arguments(const char *call, int count, summand_plan *const plans[],
                           const void *out, const char *name)
{
    bool over = false; /* MPI has been finalized */
    for (int i = 0; plans && i < count && !over; i++)
        over = plans[i] && plans[i]->state->over;
    if (over)
        return summand__no_mpi(call);
    if (count < 0)
        return refuse(call, 0, NULL,
                      summand__refuse(SUMMAND_ERR_ARGUMENT, "count is %d, not 0 or more", count));
    if (count && !plans)
        return refuse(call, 0, NULL, summand__refuse(SUMMAND_ERR_ARGUMENT, "plans is NULL"));
    if (!out)
        return refuse(call, count, plans,
                      summand__refuse(SUMMAND_ERR_ARGUMENT, "%s is NULL", name));
    return MPI_SUCCESS;
}

/* The first active plan from `first` on; `count` if none. */
static int find_active(int count, summand_plan *const plans[], int first)
{
    while (first < count && !summand__plan_is_active(plans[first]))
        first++;
    return first;
}

/* Takes the communicators for this thread. Returns the first active plan. */
static int take(int count, summand_plan *const plans[])
{
    int first = find_active(count, plans, 0);
    for (int i = first; i < count; i = find_active(count, plans, i + 1))
        summand__active_take(plans[i]->state);
    return first;
}

static int check_start(const char *call, int count, summand_plan *const plans[])
{
    for (int i = 0; i < count; i++)
        if (!plans[i])
            return refuse(call, count, plans,
                          summand__refuse(SUMMAND_ERR_ARGUMENT,
                                          "plans[%d] is NULL, and none was started", i));
        else if (plans[i]->started)
            return refuse(
                call, 1, &plans[i],
                summand__refuse(SUMMAND_ERR_BUSY, "plans[%d] is active, and none was started", i));
    return MPI_SUCCESS;
}

int summand_plan_startall(int count, summand_plan *plans[])
{
    SUMMAND__IN_DEFAULT_FPENV;
    static const char call[] = "summand_plan_startall";
    int code = check_arguments(call, count, plans, "", "");
    if (code == MPI_SUCCESS)
        code = check_start(call, count, plans);
    for (int i = 0; i < count && code == MPI_SUCCESS; i++) {
        char words[400];
        summand__enter_start(plans[i]->state);
        code = plans[i]->started ? summand__refuse(SUMMAND_ERR_BUSY, "it stands there twice")
                                 : summand__plan_begin(plans[i]);
        if (code == MPI_SUCCESS)
            continue;
        snprintf(words, sizeof words, "%s", summand__error_words(code));
        code = summand__refuse_as(code, "plans[%d] did not start%s%s; those before it are active",
                                  i, *words ? ": " : "", words);
        return summand__state_raise(call, plans[i]->state, code);
    }
    return code;
}

/* Notes plans that failed before the wait: at a start, or in an earlier call. */
static struct failure failed_before(int count, summand_plan *const plans[])
{
    struct failure failure = {.code = MPI_SUCCESS};
    for (int i = 0; i < count; i++)
        if (plans[i] && !plans[i]->started)
            note(&failure, i, plans[i]->broken);
    return failure;
}

int summand_plan_waitall(int count, summand_plan *plans[])
{
    SUMMAND__IN_DEFAULT_FPENV;
    static const char call[] = "summand_plan_waitall";
    int code = check_arguments(call, count, plans, "", "");
    if (code != MPI_SUCCESS)
        return code;
    struct failure failure = failed_before(count, plans);
    for (int first = take(count, plans); first < count; first = find_active(count, plans, first)) {
        int which = first;
        code = summand__plan_wait_any(count, plans, &which);
        note(&failure, which, summand__plan_finish(plans[which], code));
    }
    return raise(call, plans, &failure);
}

int summand_plan_waitany(int count, summand_plan *plans[], int *index)
{
    SUMMAND__IN_DEFAULT_FPENV;
    static const char call[] = "summand_plan_waitany";
    struct failure failure = {.code = MPI_SUCCESS};
    int code = check_arguments(call, count, plans, index, "index");
    if (code != MPI_SUCCESS)
        return code;
    int which = take(count, plans);
    *index = MPI_UNDEFINED;
    if (which == count)
        return MPI_SUCCESS;
    code = summand__plan_wait_any(count, plans, &which);
    note(&failure, which, summand__plan_finish(plans[which], code));
    *index = which;
    return raise(call, plans, &failure);
}

int summand_plan_testall(int count, summand_plan *plans[], int *done)
{
    SUMMAND__IN_DEFAULT_FPENV;
    static const char call[] = "summand_plan_testall";
    int code = check_arguments(call, count, plans, done, "done");
    if (code != MPI_SUCCESS)
        return code;
    struct failure failure = failed_before(count, plans);
    int first = take(count, plans);
    bool all = true;
    if (first < count)
        summand__active_move(plans[first]->state, NULL);
    for (int i = first; i < count; i = find_active(count, plans, i + 1)) {
        bool over = false;
        code = summand__plan_test(plans[i], false, &over);
        if (code != MPI_SUCCESS || plans[i]->broken != MPI_SUCCESS)
            note(&failure, i, summand__plan_finish(plans[i], code));
        else
            all = all && over;
    }
    for (int i = find_active(count, plans, first); all && i < count;
         i = find_active(count, plans, i + 1))
        note(&failure, i, summand__plan_finish(plans[i], MPI_SUCCESS));
    if (!all)
        summand__plan_turn(plans[find_active(count, plans, first)]);
    *done = all;
    return raise(call, plans, &failure);
}

int summand_plan_testany(int count, summand_plan *plans[], int *index, int *done)
{
    SUMMAND__IN_DEFAULT_FPENV;
    static const char call[] = "summand_plan_testany";
    struct failure failure = {.code = MPI_SUCCESS};
    bool over = false;
    int code = check_arguments(call, count, plans, index, "index");
    if (code == MPI_SUCCESS)
        code = check_arguments(call, count, plans, done, "done");
    if (code != MPI_SUCCESS)
        return code;
    int first = take(count, plans);
    *index = MPI_UNDEFINED;
    *done = first == count;
    if (*done)
        return MPI_SUCCESS;
    summand__active_move(plans[first]->state, NULL);
    for (int i = first; i < count && !*done; i = find_active(count, plans, i + 1)) {
        code = summand__plan_test(plans[i], false, &over);
        if (!over && code == MPI_SUCCESS)
            continue;
        note(&failure, i, summand__plan_finish(plans[i], code));
        *index = i;
        *done = true;
    }
    if (!*done)
        summand__plan_turn(plans[first]);
    return raise(call, plans, &failure);
}
