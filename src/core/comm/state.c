/* SPDX-License-Identifier: BSD-3-Clause */
#include "comm/state.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/environment.h"
#include "kernel/fpenv_call.h"
#include "kernel/handover.h"
#include "process/callbacks.h"
#include "process/error.h"
#include "process/finalize.h"
#include "wait/wait.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int keyval = MPI_KEYVAL_INVALID;
static int lost = MPI_KEYVAL_INVALID; /* marks communicators whose first call was left */
static atomic_bool has_lost;
static atomic_bool has_keyval;        /* read without the lock by every call */
static struct summand__state *states; /* all living states */

/* Number of states that have ended. A thread caches its last state, because asking the MPI takes a
 * tenth of a short call. The cache is valid until any state ends: handles may be reused for new
 * communicators. */
static atomic_uint ended;
static _Thread_local struct {
    MPI_Comm comm;
    struct summand__state *state;
    unsigned ended;
} last;

static void unlink_state(struct summand__state *state)
{
    pthread_mutex_lock(&lock);
    *state->link = state->next;
    if (state->next)
        state->next->link = state->link;
    pthread_mutex_unlock(&lock);
}

static void link_state(struct summand__state *state)
{
    pthread_mutex_lock(&lock);
    state->next = states;
    state->link = &states;
    if (states)
        states->link = &state->next;
    states = state;
    pthread_mutex_unlock(&lock);
}

/* Drops caches first: they hold plans, which hold the state. */
static void drop_caches(struct summand__state *state)
{
    while (state->caches) {
        struct summand__cache *cache = state->caches;
        state->caches = cache->next;
        cache->drop(cache);
    }
}

void *summand__state_cache_find(struct summand__state *state, const void *owner, size_t bytes,
                                void (*drop)(struct summand__cache *cache))
{
    struct summand__cache **link = &state->caches, *cache;
    while (*link && (*link)->owner != owner)
        link = &(*link)->next;
    cache = *link;
    if (cache)
        *link = cache->next;
    else if ((cache = calloc(1, bytes)))
        *cache = (struct summand__cache){.owner = owner, .drop = drop};
    else
        return NULL;
    cache->next = state->caches; /* the next call probably wants the same one */
    state->caches = cache;
    return cache;
}

/* True if the MPI may still write to the words of an agreement that this rank has left. */
static bool is_written(struct summand__state *state)
{
    int done = state->under_way == MPI_REQUEST_NULL;
    if (!done)
        PMPI_Finalized(&done);
    if (!done && PMPI_Test(&state->under_way, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
        done = false;
    return !done;
}

static void free_state(struct summand__state *state)
{
    if (state->link) /* else MPI has ended: see on_finalize */
        unlink_state(state);
    if (state->channel.presence)
        atomic_store(&state->channel.presence->left,
                     state->over ? SUMMAND__LEFT_FINALIZED : SUMMAND__LEFT_FREED);
    summand__notices_free(&state->channel.notices);
    summand__stale_free(&state->channel.stale);
    summand__context_leave(&state->context, !state->spoiled);
    if (!is_written(state))
        summand__agreement_free(state->left);
    summand__tags_free(&state->tags);
    free(state);
}

void summand__state_hold(struct summand__state *state)
{
    state->users++;
}

void summand__state_release(struct summand__state *state)
{
    if (--state->users == 0)
        free_state(state);
}

static bool is_alive(const struct summand__state *state)
{
    bool found = false;
    pthread_mutex_lock(&lock);
    for (const struct summand__state *s = states; s && !found; s = s->next)
        found = s == state;
    pthread_mutex_unlock(&lock);
    return found;
}

/* Some MPIs delete the attributes of MPI_COMM_WORLD after those of MPI_COMM_SELF: the state is
 * freed by then. */
static int on_delete(MPI_Comm comm, int key, void *value, void *extra)
{
    SUMMAND__IN_DEFAULT_FPENV;
    (void)comm, (void)key, (void)extra;
    struct summand__state *state = value;
    atomic_fetch_add(&ended, 1);
    if (is_alive(state)) {
        state->comm = MPI_COMM_NULL;
        drop_caches(state);
        summand__state_release(state);
    }
    return MPI_SUCCESS;
}

/* States of communicators that the user never freed (MPI_COMM_WORLD) end with MPI. */
static void on_finalize(void)
{
    atomic_fetch_add(&ended, 1);
    while (states) {
        struct summand__state *state = states;
        summand__state_hold(state); /* so that dropping the caches does not free it */
        drop_caches(state);
        unlink_state(state);
        state->link = NULL;
        state->comm = MPI_COMM_NULL;
        state->over = true;
        state->context.fabric->littered |= state->spoiled; /* a plan may keep the state */
        state->users--;                /* the communicator's; a plan may live on */
        summand__state_release(state); /* ours */
    }
    summand__fabrics_end();
    has_keyval = false;
    PMPI_Comm_free_keyval(&keyval);
    if (atomic_exchange(&has_lost, false))
        PMPI_Comm_free_keyval(&lost);
}

static int make_keyval(void)
{
    int code = MPI_SUCCESS;
    pthread_mutex_lock(&lock);
    if (keyval == MPI_KEYVAL_INVALID) {
        code = summand__create_keyval(on_delete, &keyval);
        if (code == MPI_SUCCESS)
            code = summand__at_finalize(on_finalize);
        has_keyval = code == MPI_SUCCESS;
        if (!has_keyval && keyval != MPI_KEYVAL_INVALID)
            PMPI_Comm_free_keyval(&keyval); /* the next call tries again */
    }
    pthread_mutex_unlock(&lock);
    return code;
}

static bool is_far(const struct summand__calibration *calibration)
{
    return summand__calibration_says(calibration, SUMMAND__LINE_TIME) &&
           calibration->value[SUMMAND__LINE_TIME] >= SUMMAND__HANDOVER_FAR;
}

/* The transport's view of the fabric's memory. */
static void look_at_memory(struct summand__state *state)
{
    struct summand__context *context = &state->context;
    const struct summand__fabric *fabric = context->fabric;
    const struct summand__pool *pool = &fabric->pool;
    struct summand__segment *segment = &state->view;
    if (!context->shares)
        return;
    *segment =
        (struct summand__segment){.slots = pool->slots,
                                  .rank = fabric->map.local[fabric->rank],
                                  .ranks = fabric->map.ranks_here,
                                  .members = summand__members_here(&fabric->map, &context->members),
                                  .processors = state->nodes.processors,
                                  .total = state->ranks,
                                  .local = context->local ? context->local : fabric->map.local,
                                  .processes = fabric->processes,
                                  .read_from = fabric->read_from,
                                  .far = is_far(&fabric->calibration),
                                  .comm = fabric->comm,
                                  .tags = &state->tags,
                                  .ends = &fabric->ends[context->number]};
    state->segment = segment;
    segment->whole = segment->members == state->ranks;
    if (!pool->memory || segment->members < 2)
        return;
    segment->lines = pool->memory + pool->lines * (size_t)context->number;
    segment->pages = summand__pool_pages(pool) + pool->pages * (size_t)context->number;
    state->tags.aborted = summand__segment_aborted(segment, segment->rank);
    state->tags.has_aborted = &summand__segment_presence(segment, segment->rank)->has_aborted;
}

/* Opens the channel, and publishes this rank's presence. Limits of waits are each rank's own. */
static void open_channel(struct summand__state *state)
{
    struct summand__channel *channel = &state->channel;
    const struct summand__segment *segment = state->segment;
    *channel =
        (struct summand__channel){.comm = state->context.fabric->comm,
                                  .rank = state->rank,
                                  .ranks = state->ranks,
                                  .peers = state->context.members.member,
                                  .first_tag = state->context.number * SUMMAND__TAGS_PER_CONTEXT,
                                  .id = state->context.id,
                                  .whole = segment && segment->whole,
                                  .checks = state->checks,
                                  .tags = &state->tags,
                                  .entered = &channel->untold};
    summand__wait_limits(&channel->timeout, &channel->stall);
    if (!segment || !segment->lines)
        return;
    channel->local = segment->local;
    channel->places = summand__segment_presence(segment, 0);
    channel->presence = &channel->places[segment->rank];
    channel->entered = &channel->presence->entered;
    atomic_store(&channel->presence->use, (uint32_t)channel->id);
    summand__presence_begin(channel->presence);
}

/* A communicator is lost if this rank has left a collective of its first call: its next collective
 * would match a later one of that call. So this rank makes none there any more. */
static bool is_lost(MPI_Comm comm)
{
    void *value;
    int found = 0;
    return atomic_load(&has_lost) &&
           PMPI_Comm_get_attr(comm, lost, &value, &found) == MPI_SUCCESS && found;
}

static void lose(MPI_Comm comm)
{
    static char mark;
    pthread_mutex_lock(&lock);
    bool there = atomic_load(&has_lost) ||
                 summand__create_keyval(MPI_COMM_NULL_DELETE_FN, &lost) == MPI_SUCCESS;
    atomic_store(&has_lost, there);
    pthread_mutex_unlock(&lock);
    if (there)
        PMPI_Comm_set_attr(comm, lost, &mark);
}

static int take_context(MPI_Comm comm, int code, struct summand__context *context)
{
    int late = summand_error_code(SUMMAND_ERR_TIMEOUT);
    if (is_lost(comm)) {
        summand__error_explain(
            SUMMAND_ERR_TIMEOUT,
            "in the first call on this communicator, which cannot be used any more");
        return late;
    }
    code = summand__context_take(comm, code, context);
    if (code == late)
        lose(comm);
    return code;
}

static int make_state(MPI_Comm comm, struct summand__state **made)
{
    struct summand__context context;
    struct summand__state *state = calloc(1, sizeof *state);
    int code = summand__settings_check();
    if (code == MPI_SUCCESS && !state)
        code = summand_error_code(SUMMAND_ERR_MEMORY);
    code = take_context(comm, code, &context);
    if (code != MPI_SUCCESS) {
        free(state);
        return code;
    }
    state->comm = comm;
    state->users = 1;
    state->context = context;
    state->rank = context.members.rank;
    state->ranks = context.members.count;
    state->nodes = context.nodes;
    state->checks = context.fabric->settings.checks;
    state->checked = (int)context.fabric->settings.checked;
    state->repairs = &state->repairing;
    /* Tags start at random, so messages that an erroneous program has left in this context do not
     * match this communicator's first operations. */
    state->tags.next_plan = (int)(context.id % (SUMMAND__PLAN_TAGS / 2));
    state->tags.calls = context.id >> 32 & 0x3fff;
    state->under_way = MPI_REQUEST_NULL;
    look_at_memory(state);
    open_channel(state);
    link_state(state);
    code = PMPI_Comm_set_attr(comm, keyval, state);
    if (code != MPI_SUCCESS)
        free_state(state);
    *made = state;
    return code;
}

int summand__state_rank_of(const struct summand__state *state, int peer)
{
    const int *member = state->context.members.member;
    int rank = peer;
    if (member)
        for (rank = 0; rank < state->ranks && member[rank] != peer;)
            rank++;
    return rank;
}

/* Finds a state that is not this thread's last one. */
static __attribute__((noinline)) int find_state(MPI_Comm comm, struct summand__state **state)
{
    int inter = 0, found = 0, code;
    if (comm == MPI_COMM_NULL)
        return summand__mpi_runs() ? summand__refuse_as(MPI_ERR_COMM, "comm is MPI_COMM_NULL")
                                   : SUMMAND__NO_MPI;
    if (has_keyval) {
        unsigned now = atomic_load(&ended);
        code = PMPI_Comm_get_attr(comm, keyval, state, &found);
        if (code == MPI_SUCCESS && found) {
            last.comm = comm;
            last.state = *state;
            last.ended = now;
        }
        if (code != MPI_SUCCESS || found)
            return code;
    }
    if (!summand__mpi_runs())
        return SUMMAND__NO_MPI;
    code = make_keyval();
    if (code == MPI_SUCCESS)
        code = PMPI_Comm_test_inter(comm, &inter);
    if (code != MPI_SUCCESS)
        return code;
    return inter ? summand__refuse_as(MPI_ERR_COMM,
                                      "comm is an inter-communicator, not an intra-communicator")
                 : make_state(comm, state);
}

/* A cached state's communicator is never MPI_COMM_NULL. */
int summand__state_of(MPI_Comm comm, struct summand__state **state)
{
    if (last.state && last.comm == comm && last.ended == atomic_load(&ended)) {
        *state = last.state;
        return MPI_SUCCESS;
    }
    return find_state(comm, state);
}

int summand__state_raise(const char *call, const struct summand__state *state, int code)
{
    bool gone = state->comm == MPI_COMM_NULL && code != SUMMAND__NO_MPI;
    summand__leave(state);
    return gone ? code : summand__raise(call, state->comm, code);
}
