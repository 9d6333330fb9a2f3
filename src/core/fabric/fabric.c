/* SPDX-License-Identifier: BSD-3-Clause */
#include "fabric/fabric.h"

#include <stdlib.h>
#include <string.h>
#include <summand/error.h>

#include "fabric/closing.h"
#include "fabric/draw.h"
#include "fabric/list.h"
#include "wait/ballot.h"
#include "wait/cause.h"
#include "wait/wait.h"

/* So many fabrics stay for later communicators: the first ones, because a program has few sets of
 * ranks. Others end with their last communicator. */
enum { MOST_STAYING = 8 };

enum { WORDS = SUMMAND__CONTEXT_WORDS, PROCESSOR_WORDS = 8 * SUMMAND__AFFINITY_BYTES / 64 };

static int staying; /* guarded by the lock of the fabrics */

/* The vote of a communicator's ranks, combined by MPI_BAND. They agree on the fabric if neither its
 * id nor the complement has lost a bit. A number coded as ones in its lowest bits becomes the
 * minimum. */
struct vote {
    uint64_t id[2], other[2];
    uint64_t use;      /* rank 0's: struct summand__context's id */
    uint64_t good;     /* 1: no error; 2: the fabric is suitable */
    uint64_t cause[2]; /* of an error, and its complement: of one failed rank they still match */
    uint64_t processors[PROCESSOR_WORDS];
    uint64_t free[WORDS];
    struct summand__fabric_head head; /* rank 0's, for a new fabric; ones on the others */
};

enum { GOOD = 1, WILL_DO = 2 };

/* The lowest bit of a set of contexts; -1: the set is empty. */
static int lowest_of(const uint64_t *words)
{
    for (int w = 0; w < WORDS; w++)
        if (words[w])
            return 64 * w + __builtin_ctzll(words[w]);
    return -1;
}

/* Offers all free contexts, which this thread reserves until it has taken one. Another thread finds
 * none meanwhile: a context offered to two communicators could be taken by both. */
static void offer(struct summand__context_sets *sets, uint64_t *offered)
{
    for (int w = 0; w < WORDS; w++) {
        offered[w] = sets->free[w];
        sets->used[w] |= offered[w];
        sets->free[w] = 0;
    }
}

/* Frees offered contexts again, except the one that is `taken`; -1: none is. */
static void take_back(struct summand__context_sets *sets, const uint64_t *offered, int taken)
{
    for (int w = 0; w < WORDS; w++) {
        uint64_t back = offered[w];
        if (taken >= 0 && taken / 64 == w)
            back &= ~(UINT64_C(1) << taken % 64);
        sets->used[w] &= ~back;
        sets->free[w] |= back;
    }
}

/* Clears this rank's presence: the next communicator's ranks must not take it for a new one. */
static void forget_presence(const struct summand__fabric *fabric, int context)
{
    const struct summand__pool *pool = &fabric->pool;
    if (pool->memory)
        summand__presence_forget(
            (struct summand__presence *)(void *)(pool->memory + pool->lines * (size_t)context) +
            fabric->map.local[fabric->rank]);
}

/* Frees released contexts if the other ranks have read all that this one has written there, so
 * their ends are empty too, and no MPI message is left. A context of an aborted operation is never
 * offered again, because waiting ranks may still look at it. */
static bool sweep(struct summand__fabric *fabric)
{
    struct summand__context_sets *sets = &fabric->sets;
    bool drained = lowest_of(sets->left) >= 0 && summand__fabric_drain(fabric);
    for (int w = 0; w < WORDS && drained; w++)
        for (uint64_t rest = sets->left[w]; rest; rest &= rest - 1) {
            int context = 64 * w + __builtin_ctzll(rest);
            struct summand__ends *ends = &fabric->ends[context];
            if (ends->user && !ends->clean(ends->user))
                continue;
            forget_presence(fabric, context);
            sets->left[w] &= ~(rest & -rest);
            sets->free[w] |= rest & -rest;
        }
    return lowest_of(sets->free) >= 0;
}

static bool is_newer(const struct summand__fabric *a, const struct summand__fabric *b)
{
    return a->id[0] != b->id[0] ? a->id[0] > b->id[0] : a->id[1] > b->id[1];
}

/* Rank 0 of a new fabric draws its id, and is a rank of every fabric that covers the new one's. So
 * the new one is the newest for all of them, whatever their clocks say. The lock is held. */
static uint64_t newest_id(void)
{
    uint64_t newest = 0;
    for (const struct summand__fabric *f = summand__fabrics_first(); f; f = f->next)
        newest = f->id[0] > newest ? f->id[0] : newest;
    return newest;
}

/* Finds the newest fabric with this rank's settings and a free context. If ranks disagree, or an
 * older one is unsuitable, they make a new one together, and agree on it the next time. The lock is
 * held. */
static struct summand__fabric *find(MPI_Group group, const struct summand__settings *settings,
                                    struct summand__members *members, int *room[3])
{
    struct summand__fabric *best = NULL;
    for (struct summand__fabric *f = summand__fabrics_first(); f; f = f->next) {
        if ((best && !is_newer(f, best)) || !summand__settings_equal(&f->settings, settings) ||
            !sweep(f) || !summand__fabric_translate(f, group, room[0], members, room[1]))
            continue;
        best = f;
        int *kept = room[2];
        room[2] = room[1];
        room[1] = kept;
    }
    if (best)
        best->users++;
    return best;
}

static void count_ones(int number, uint64_t *words)
{
    for (int w = 0; w < PROCESSOR_WORDS; w++, number -= 64)
        words[w] = number >= 64 ? UINT64_MAX : number > 0 ? (UINT64_C(1) << number) - 1 : 0;
}

static int number_of(const uint64_t *words)
{
    int number = 0;
    for (int w = 0; w < PROCESSOR_WORDS; w++)
        number += __builtin_popcountll(words[w]);
    return number;
}

/* `same`: the members are the fabric's, so they have its nodes. */
static bool find_nodes(struct summand__context *context, bool same, bool one_node, int *scratch)
{
    const struct summand__fabric *fabric = context->fabric;
    struct summand__nodes *nodes = &context->nodes;
    nodes->declared = fabric->settings.node_size > 0;
    nodes->groupings = NULL;
    if (nodes->declared || one_node)
        nodes->node_size = nodes->most =
            nodes->declared ? (int)fabric->settings.node_size : context->members.count;
    else if (same)
        *nodes = fabric->nodes;
    else
        return summand__nodes_find(&fabric->map, &context->members, scratch, nodes,
                                   &context->groupings);
    return true;
}

/* Sets what the ranks alone determine, without a message. False when out of memory. */
static bool describe(struct summand__context *context)
{
    const struct summand__fabric *fabric = context->fabric;
    const struct summand__node_map *map = &fabric->map;
    struct summand__members *members = &context->members;
    int *scratch = NULL, n = members->count;
    bool same = n == fabric->ranks, one_node = true;
    for (int i = 0; i < n; i++) {
        same = same && members->member[i] == i;
        one_node = one_node && map->local[members->member[i]] >= 0;
    }
    if (same) {
        free((int *)members->member);
        members->member = NULL;
    } else if (fabric->shares && !(context->local = malloc((size_t)n * sizeof *context->local))) {
        return false;
    }
    for (int i = 0; context->local && i < n; i++)
        context->local[i] = map->local[members->member[i]];
    if (!one_node && !(scratch = malloc((size_t)map->ranks * sizeof *scratch)))
        return false;
    if (!find_nodes(context, same, one_node, scratch)) {
        free(scratch);
        return false;
    }
    context->shares =
        fabric->shares && n > 1 && (one_node || summand__members_share(map, members, scratch));
    context->nodes.processors = summand__members_processors(map, members, context->nodes.declared);
    free(scratch);
    return true;
}

/* True if this rank's part of the fabric equals that of a new one. */
static bool still_holds(const struct summand__context *context)
{
    const struct summand__fabric *fabric = context->fabric;
    if (fabric->settings.transport == SUMMAND__SHM && context->members.count > 1 &&
        !context->shares)
        return false; /* an error, which making a new one reports */
    if (context->nodes.declared)
        return !fabric->shares ||
               summand__members_fit(&fabric->map, &context->members, context->nodes.node_size);
    return summand__node_map_holds(&fabric->map, fabric->rank);
}

/* Proposes a fabric. Rank 0's settings count; another rank that finds no fabric with its own
 * settings proposes none. */
static bool propose(struct summand__context *context, MPI_Group group,
                    const struct summand__settings *settings, struct vote *vote)
{
    size_t n = (size_t)context->members.count;
    int *room[3] = {malloc(n * sizeof(int)), malloc(n * sizeof(int)), malloc(n * sizeof(int))};
    bool good = room[0] && room[1] && room[2];
    for (size_t i = 0; good && i < n; i++)
        room[0][i] = (int)i;
    if (good) {
        summand__fabrics_lock();
        context->fabric = find(group, settings, &context->members, room);
        if (context->fabric)
            offer(&context->fabric->sets, vote->free);
        summand__fabrics_unlock();
    }
    if (context->fabric) {
        context->members.member = room[2];
        room[2] = NULL;
        memcpy(vote->id, context->fabric->id, sizeof vote->id);
        good = describe(context);
    }
    for (int i = 0; i < 3; i++)
        free(room[i]);
    return good;
}

static void forget(struct summand__context *context)
{
    if (context->fabric)
        summand__fabric_release(context->fabric);
    free((int *)context->members.member);
    free(context->local);
    free(context->groupings);
    context->groupings = NULL;
    context->nodes.groupings = NULL;
    context->fabric = NULL;
    context->members.member = NULL;
    context->local = NULL;
}

/* Rank 0 tells what a new fabric needs at once if it knows none; unless a rank has a deadline. Such
 * a rank may leave this vote in the moment in which it ends for the others, and no rank can leave
 * the making of communicators that follows. Then another vote comes first, for which none waits
 * long. */
static void put_head(const struct summand__context *context,
                     const struct summand__settings *settings, struct summand__fabric_head *head)
{
    double timeout, stall;
    memset(head, context->members.rank ? 0xff : 0, sizeof *head);
    if (!context->members.rank && !context->fabric) {
        summand__fabrics_lock();
        const uint64_t newest = newest_id();
        summand__fabrics_unlock();
        summand__fabric_head_make(settings, newest, head);
    }
    summand__wait_limits(&timeout, &stall);
    if (timeout > 0)
        head->told = 0;
}

/* Takes a context of a new fabric, which needs no translation of ranks. */
static int take_new(MPI_Comm comm, struct summand__fabric_head *head,
                    struct summand__context *context)
{
    struct summand__fabric *fabric;
    summand__fabrics_lock();
    bool stays = staying < MOST_STAYING;
    staying += stays;
    uint64_t newest = newest_id();
    summand__fabrics_unlock();
    int code = summand__fabric_make(comm, stays, newest, head, &fabric);
    summand__fabrics_lock();
    if (stays && !(code == MPI_SUCCESS && fabric->stays))
        staying--;
    if (code == MPI_SUCCESS) {
        fabric->users = 1 + fabric->stays;
        fabric->sets.free[0] &= ~UINT64_C(1);
        fabric->sets.used[0] |= 1;
        summand__fabric_enlist(fabric);
    }
    summand__fabrics_unlock();
    if (code != MPI_SUCCESS)
        return code;
    context->fabric = fabric;
    context->number = 0;
    context->nodes = fabric->nodes;
    context->shares = fabric->shares;
    return MPI_SUCCESS;
}

static int join(MPI_Comm comm, MPI_Group group, int code, struct summand__context *context)
{
    struct vote mine = {.good = 0}, all;
    struct summand__settings settings;
    uint64_t offered[WORDS];
    if (code == MPI_SUCCESS) {
        settings = summand__settings_read();
        if (!propose(context, group, &settings, &mine))
            code = summand_error_code(SUMMAND_ERR_MEMORY);
    }
    memcpy(offered, mine.free, sizeof offered);
    if (code == MPI_SUCCESS)
        put_head(context, &settings, &mine.head);
    if (code == MPI_SUCCESS && context->fabric) {
        count_ones(context->nodes.processors, mine.processors);
        mine.good = WILL_DO * (unsigned)still_holds(context);
    }
    mine.good |= GOOD * (unsigned)(code == MPI_SUCCESS);
    mine.cause[0] = code == MPI_SUCCESS ? UINT64_MAX : summand__cause(context->members.rank, code);
    mine.cause[1] = code == MPI_SUCCESS ? UINT64_MAX : ~mine.cause[0];
    mine.use = context->members.rank ? UINT64_MAX : summand__draw();
    for (int i = 0; i < 2; i++)
        mine.other[i] = ~mine.id[i];
    int voted = MPI_SUCCESS;
    all = mine;
    if (context->members.count > 1)
        voted = summand__ballot(comm, (uint64_t *)(void *)&all, (int)(sizeof all / 8),
                                context->fabric ? context->nodes.most > context->nodes.processors
                                                : summand__ballot_oversubscribed());
    int taken = lowest_of(all.free);
    bool common = voted == MPI_SUCCESS && all.good == (GOOD | WILL_DO) &&
                  all.id[0] == ~all.other[0] && all.id[1] == ~all.other[1] && taken >= 0;
    /* A rank that left the vote counts its contexts as taken: other ranks may have taken one. */
    if (context->fabric && voted != MPI_SUCCESS)
        memset(offered, 0, sizeof offered);
    if (context->fabric) {
        summand__fabrics_lock();
        take_back(&context->fabric->sets, offered, common ? taken : -1);
        summand__fabrics_unlock();
    }
    context->id = all.use;
    if (common) {
        context->number = taken;
        context->nodes.processors = number_of(all.processors);
        if (context->fabric->pool.memory)
            summand__pool_open(&context->fabric->pool, taken);
        return MPI_SUCCESS;
    }
    forget(context);
    if (code != MPI_SUCCESS || voted != MPI_SUCCESS)
        return code != MPI_SUCCESS ? code : voted;
    if (!(all.good & GOOD))
        return summand__cause_explain(all.cause[0] == ~all.cause[1] ? all.cause[0] : 0);
    return take_new(comm, &all.head, context);
}

int summand__context_take(MPI_Comm comm, int code, struct summand__context *context)
{
    MPI_Group group;
    *context = (struct summand__context){.fabric = NULL};
    summand__closing_go_on();
    PMPI_Comm_rank(comm, &context->members.rank);
    PMPI_Comm_size(comm, &context->members.count);
    int failed = PMPI_Comm_group(comm, &group);
    if (failed != MPI_SUCCESS)
        return failed;
    code = join(comm, group, code, context);
    PMPI_Group_free(&group);
    return code;
}

void summand__context_leave(struct summand__context *context, bool clean)
{
    struct summand__fabric *fabric = context->fabric;
    const uint64_t bit = UINT64_C(1) << context->number % 64;
    if (!fabric)
        return;
    summand__fabrics_lock();
    fabric->sets.used[context->number / 64] &= ~bit;
    if (clean)
        fabric->sets.left[context->number / 64] |= bit;
    fabric->littered = fabric->littered || !clean;
    summand__fabrics_unlock();
    forget(context);
}

void summand__fabrics_end(void)
{
    struct summand__fabric *next;
    summand__closing_end();
    for (struct summand__fabric *fabric = summand__fabrics_first(); fabric; fabric = next) {
        next = fabric->next;
        if (!fabric->ending.abandoned)
            PMPI_Comm_free(&fabric->comm);
        PMPI_Group_free(&fabric->group);
        fabric->comm = MPI_COMM_NULL;
        fabric->group = MPI_GROUP_NULL;
        summand__fabric_delist(fabric);
        if (fabric->stays)
            summand__fabric_release(fabric);
    }
}
