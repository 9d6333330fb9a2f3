/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan/active.h"

#include <pthread.h>
#include <stdatomic.h>

#include "wait/wait.h"

/* Guards the list, also its links, and its members `thread` and `moving`. Only its thread touches a
 * member's plans, and reads its `thread` without the lock: no other thread writes that then. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t moved = PTHREAD_COND_INITIALIZER;
static struct summand__state *progress; /* communicators that have had active plans */

/* At most so many communicators of this thread have active plans: others may have taken some. */
static _Thread_local unsigned here;

/* Numbers of threads start at 1 and are never reused. */
static uint64_t this_thread(void)
{
    static _Atomic uint64_t last;
    static _Thread_local uint64_t number;
    if (!number)
        number = atomic_fetch_add(&last, 1) + 1;
    return number;
}

void summand__active_take_over(struct summand__state *state)
{
    struct summand__progress *own = &state->progress;
    if (own->thread == this_thread())
        return;
    pthread_mutex_lock(&lock);
    while (own->moving)
        pthread_cond_wait(&moved, &lock);
    own->thread = this_thread();
    pthread_mutex_unlock(&lock);
    here++;
}

static bool move_here(void);

/* Lists a communicator. It stays in the list between starts, so that a start takes no lock. */
static void enlist(struct summand__state *state)
{
    struct summand__progress *own = &state->progress;
    pthread_mutex_lock(&lock);
    while (own->moving)
        pthread_cond_wait(&moved, &lock);
    own->thread = this_thread();
    if (!own->listed) {
        own->listed = true;
        summand__wait_plans(move_here);
        own->next = progress;
        own->link = &progress;
        if (progress)
            progress->progress.link = &own->next;
        progress = state;
    }
    pthread_mutex_unlock(&lock);
}

void summand__active_leave(struct summand__state *state)
{
    struct summand__progress *own = &state->progress;
    if (!own->listed || own->plans)
        return;
    pthread_mutex_lock(&lock);
    while (own->moving)
        pthread_cond_wait(&moved, &lock);
    *own->link = own->next;
    if (own->next)
        own->next->progress.link = own->link;
    own->listed = false;
    pthread_mutex_unlock(&lock);
}

void summand__active_add(summand_plan *plan)
{
    struct summand__progress *own = &plan->state->progress;
    if (!own->listed || own->thread != this_thread())
        enlist(plan->state);
    here += !own->plans;
    plan->next = own->plans;
    plan->link = &own->plans;
    if (plan->next)
        plan->next->link = &plan->next;
    own->plans = plan;
}

void summand__active_remove(summand_plan *plan)
{
    *plan->link = plan->next;
    if (plan->next)
        plan->next->link = plan->link;
    here -= !plan->state->progress.plans && here;
}

/* The thread's next communicator, except one. No other thread takes it until this one asks for the
 * next. */
static struct summand__state *next_busy(struct summand__state *after,
                                        const struct summand__state *except)
{
    pthread_mutex_lock(&lock);
    struct summand__state *next = after ? after->progress.next : progress;
    while (next && (next == except || next->progress.thread != this_thread()))
        next = next->progress.next;
    if (after) {
        after->progress.moving = false;
        pthread_cond_broadcast(&moved);
    }
    if (next)
        next->progress.moving = true;
    pthread_mutex_unlock(&lock);
    return next;
}

static __attribute__((noinline)) unsigned count_here(void)
{
    unsigned count = 0;
    pthread_mutex_lock(&lock);
    for (struct summand__state *s = progress; s; s = s->progress.next)
        count += s->progress.thread == this_thread() && s->progress.plans;
    pthread_mutex_unlock(&lock);
    return count;
}

bool summand__active_others(const summand_plan *plan)
{
    const struct summand_plan *first = plan->state->progress.plans;
    if (first && (first != plan || first->next))
        return true;
    unsigned own = first != NULL; /* the plan itself */
    if (here > own)
        here = count_here();
    return here > own;
}

static void move_all(const struct summand__state *state, const summand_plan *except)
{
    bool done;
    for (summand_plan *p = state->progress.plans; p; p = p->next)
        if (p != except && p->broken == MPI_SUCCESS)
            p->broken = summand__plan_poll(p, &done);
}

void summand__active_move(const struct summand__state *state, const summand_plan *except)
{
    move_all(state, except);
    if (here <= (state->progress.plans != NULL))
        return;
    for (struct summand__state *s = next_busy(NULL, state); s; s = next_busy(s, state))
        move_all(s, except);
}

/* Progresses all plans of the thread. */
static bool move_here(void)
{
    for (struct summand__state *s = here ? next_busy(NULL, NULL) : NULL; s; s = next_busy(s, NULL))
        move_all(s, NULL);
    return here;
}
