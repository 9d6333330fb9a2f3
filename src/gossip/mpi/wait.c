/* SPDX-License-Identifier: BSD-3-Clause */
/* The only place in which ranks of a gossip call wait, and the move from one step to the next. */
#include "gossip/mpi/runner.h"
#include "kernel/seal.h"
#include "process/error.h"

#include <sched.h>
#include <time.h>

#ifdef SMPI_H
enum { CLOCK_AT_ONCE = false }; /* reading the clock costs time there */
#else
enum { CLOCK_AT_ONCE = true };
#endif
/* Idle turns. If each rank has a processor, a wait begins with turns that do not yield it, which
 * are four times as short. */
enum { SPINS = 32, GUARD_AFTER = 8, SERVE_EVERY = 4, LOOK_EVERY = 16, CLOCK_EVERY = 64 };

void summand__runner_fail(struct summand__runner *r, int code)
{
    if (r->code == MPI_SUCCESS)
        r->code = code;
}

bool summand__runner_has_own(struct summand__runner *r)
{
    if (r->node->lost)
        summand__runner_fail(r, summand_error_code(SUMMAND_ERR_DAMAGED));
    return !r->node->lost;
}

/* Without the unused places of sends. */
static struct summand__guarded used_home(const struct summand__runner *r)
{
    size_t unused = (size_t)(SUMMAND__SENDS - r->sending) * sizeof *r->sends / 8;
    return (struct summand__guarded){r->home[0].at, r->home[0].words - unused};
}

static void close_guard(struct summand__runner *r)
{
    struct summand__guarded parts[SUMMAND__GUARDED_MOST] = {used_home(r), r->home[1]};
    int count = 2;
    if (r->node) {
        /* If masses do not change, they already have their second copy and its seal. */
        const struct summand__gossip_algorithm *a = r->node->algorithm;
        size_t masses = a->flows && a->checked ? 0 : 2 * (size_t)r->node->width;
        parts[count++] = (struct summand__guarded){r->node, sizeof *r->node / 8 + masses};
        parts[count++] = (struct summand__guarded){r->node->partners, (size_t)r->node->slots};
    }
    if (r->store)
        parts[count++] =
            (struct summand__guarded){r->store->questions, 3 * (size_t)r->question_count};
    if (r->topology && !r->topology->full) { /* the ranks to which this rank may send */
        int64_t *start = r->topology->start + r->state->rank;
        parts[count++] = (struct summand__guarded){start, 2};
        parts[count++] =
            (struct summand__guarded){r->topology->list + start[0], (size_t)(start[1] - start[0])};
    }
    if (!summand__guard_close(&r->guard, parts, count))
        summand__runner_fail(r, summand_error_code(SUMMAND_ERR_MEMORY));
}

bool summand__runner_open_guard(struct summand__runner *r, struct summand__guard *guard)
{
    enum summand__guard_state state = summand__guard_open(guard);
    r->mended += state == SUMMAND__GUARD_MENDED;
    if (state == SUMMAND__GUARD_LOST)
        summand__runner_fail(r, summand_error_code(SUMMAND_ERR_DAMAGED));
    return state != SUMMAND__GUARD_LOST;
}

void summand__runner_pass(struct summand__runner *r)
{
    if (!r->store || r->code != MPI_SUCCESS)
        return;
    r->step++;
    close_guard(r);
    summand__runner_upset_kept(r);
    summand__runner_open_guard(r, &r->guard);
}

/* Checks if another rank has failed. */
static void look_around(struct summand__runner *r)
{
    int there = 0;
    int64_t words[3];
    MPI_Status status;
    int code = PMPI_Iprobe(MPI_ANY_SOURCE, r->tags[SUMMAND__ABORT], r->state->channel.comm, &there,
                           &status);
    if (code == MPI_SUCCESS && there)
        code = PMPI_Recv(words, 3, MPI_INT64_T, status.MPI_SOURCE, r->tags[SUMMAND__ABORT],
                         r->state->channel.comm, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS)
        summand__runner_fail(r, code);
    else if (there && words[0] == r->epoch &&
             (uint64_t)words[2] ==
                 summand__seal((uint64_t)summand__state_rank_of(r->state, status.MPI_SOURCE), words,
                               2)) {
        r->told = true;
        summand__runner_fail(r, summand_error_code(SUMMAND_ERR_REMOTE));
    }
}

/* A process that was stopped for longer than the limit must first receive the messages of that
 * time. So the limit must pass twice in a row, with a poll in between. */
static void look_at_clock(struct summand__runner *r)
{
    double now = PMPI_Wtime();
    if (r->since == 0 || !(r->limit > 0)) {
        r->since = now;
        return;
    }
    if (now - r->since <= r->limit)
        return;
    if (r->late)
        summand__runner_fail(r, summand_error_code(SUMMAND_ERR_TIMEOUT));
    else
        look_around(r);
    r->late = true;
}

/* There may be more ranks than cores, so a waiting rank yields its processor. SimGrid's MPI
 * switches to another rank only when time passes on this one: a little at first, more the longer it
 * waits.
 */
static void leave_processor(const struct summand__runner *r)
{
#ifdef SMPI_H
    struct timespec pause = {0, r->idle < 16 ? 1000 : 4000};
    nanosleep(&pause, NULL);
#else
    (void)r;
    sched_yield();
#endif
}

static bool spins(const struct summand__runner *r)
{
#ifdef SMPI_H
    return false; /* time would not advance */
#endif
    return r->state->nodes.most <= r->state->nodes.processors;
}

/* A wait of some microseconds is part of the step. */
static int brief(const struct summand__runner *r)
{
    return spins(r) ? SPINS : GUARD_AFTER;
}

bool summand__runner_looks(const struct summand__runner *r)
{
    return !spins(r) || r->idle > SPINS || r->idle % SERVE_EVERY == SERVE_EVERY - 1;
}

void summand__runner_idle(struct summand__runner *r, bool busy)
{
    r->idle = busy ? 0 : r->idle + 1;
    if (busy) {
        r->since = 0;
        r->late = false;
        return;
    }
    bool guarded = r->store && r->code == MPI_SUCCESS && r->idle > brief(r);
    if (guarded)
        close_guard(r);
    if (guarded || !spins(r))
        leave_processor(r);
    if (guarded)
        summand__runner_open_guard(r, &r->guard);
    if (r->idle % LOOK_EVERY == 0)
        look_around(r);
    /* A turn that yields the processor may be long. */
    if (r->idle % CLOCK_EVERY == 0 || (guarded && CLOCK_AT_ONCE))
        look_at_clock(r);
}
