/* SPDX-License-Identifier: BSD-3-Clause */
#include "wait/wait.h"

#include <stdatomic.h>
#include <summand/error.h>

#include "base/environment.h"
#include "process/error.h"
#include "wait/awaited.h"
#include "wait/channel.h"
#include "wait/stuck.h"

/* Nanoseconds. A rank that was stopped, or polls rarely, sees others' answers only with its next
 * polls. So a wait ends only if it lasts on after the limit was first seen exceeded. */
enum {
    FIRST_LOOK = 10000000, /* of a caller that may return */
    GRACE = 250000000,
    QUICK_PAUSE = 500000,
    FIRST_PROCESS_LOOK = 10000000, /* and others see that this rank waits */
    LAST_PAUSE = 1000000000
};

static bool (*_Atomic progress_plans)(void);

void summand__wait_plans(bool (*progress)(void))
{
    atomic_store(&progress_plans, progress);
}

bool summand__wait_progress_plans(void)
{
    bool (*progress)(void) = atomic_load_explicit(&progress_plans, memory_order_relaxed);
    return progress && progress();
}

static double seconds_of(const char *name, double standard)
{
    struct summand__setting setting;
    struct summand__complaint complaint;
    bool given = summand__environment_read(name, &setting, &complaint) && setting.text;
    return given ? setting.seconds : standard;
}

void summand__wait_limits(double *timeout, double *stall)
{
    *timeout = seconds_of("SUMMAND_TIMEOUT", 0);
    *stall = seconds_of("SUMMAND_STALL", 60);
}

int summand__wait_drive_mpi(const struct summand__channel *channel)
{
    int flag;
    return PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, channel->comm, &flag, MPI_STATUS_IGNORE);
}

uint64_t summand__watch_number(const struct summand__watch *watch)
{
    return watch->plan ? summand__call_number(watch->plan) : watch->channel->calls;
}

static bool is_late(uint64_t *first, uint64_t now, uint64_t since, double seconds)
{
    uint64_t limit = seconds < 1e9 ? (uint64_t)(seconds * 1e9) : UINT64_C(1000000000000000000);
    uint64_t grace = limit / 4 < GRACE ? limit / 4 : GRACE;
    if (now < since || now - since < limit - grace)
        return false;
    if (!*first)
        *first = now;
    return now - *first >= grace;
}

struct search {
    const struct summand__channel *channel;
    uint64_t number;
    bool gone, left;
};

static void find_gone(void *context, int rank)
{
    struct search *search = context;
    const struct summand__presence *presence = summand__channel_presence(search->channel, rank);
    if (search->gone || !presence || !summand__presence_gone(presence))
        return;
    search->gone = true;
    if (search->channel->tags && search->channel->tags->aborted)
        summand__causes_keep(&search->channel->tags->aborted->causes, search->channel,
                             search->number, summand__cause_ended(rank));
}

static void find_left(void *context, int rank)
{
    struct search *search = context;
    const struct summand__presence *presence = summand__channel_presence(search->channel, rank);
    if (!presence || atomic_load(&presence->use) != (uint32_t)search->channel->id)
        return;
    uint64_t word = atomic_load(&presence->left_agreement), last = word >> 16;
    bool later = summand__public_call(search->number) > summand__public_call(last);
    if (!later && (search->number >= last || last - search->number <= (word & 0xffff)) && last)
        search->left = true;
}

/* The first look of a wait. */
static void begin(struct summand__watch *watch, uint64_t since)
{
    summand__watch_end(watch);
    watch->since = since;
    watch->overdue = watch->stalled = 0;
    watch->process_pause = FIRST_PROCESS_LOOK;
    watch->process_look = since + FIRST_PROCESS_LOOK;
    watch->quick_look = 0;
    watch->said = watch->notified = false;
    watch->seen = watch->channel ? summand__watch_seen(watch) : 0;
    if (!watch->channel && watch->where)
        summand__wait_limits(&watch->limits[0], &watch->limits[1]);
}

bool summand__watch_aborted(const struct summand__watch *watch)
{
    struct search search = {.channel = watch->channel, .number = summand__watch_number(watch)};
    if (!search.number) /* the wait is not for a call */
        return false;
    if (watch->channel->presence)
        summand__watch_each(watch, find_left, &search);
    return search.left || summand__notices_received(watch->channel, search.number);
}

static void tell(struct summand__watch *watch)
{
    struct summand__presence *own = watch->channel->presence;
    if (watch->told || !own)
        return;
    own->what[0] = 0;
    if (watch->describe)
        watch->describe(watch->what, own->what, sizeof own->what);
    atomic_store(&own->waiting, atomic_load(&own->entered));
    watch->told = true;
}

void summand__watch_end_told(struct summand__watch *watch)
{
    if (watch->channel->presence)
        atomic_store(&watch->channel->presence->waiting, 0);
    watch->told = false;
}

/* Does the expensive checks: after 10 ms, 20, 40, ... of waiting, then every second. */
static bool look_at_processes(struct summand__watch *watch, uint64_t now, bool waits)
{
    struct search search = {.channel = watch->channel, .number = summand__watch_number(watch)};
    if (now < watch->process_look)
        return false;
    if (waits)
        tell(watch);
    summand__watch_each(watch, find_gone, &search);
    if (watch->process_pause < LAST_PAUSE)
        watch->process_pause *= 2;
    watch->process_look = now + watch->process_pause;
    return search.gone;
}

static void find_limits(const struct summand__watch *watch, double *timeout, double *stall)
{
    *timeout = *stall = 0;
    if (watch->channel) {
        *timeout = watch->channel->timeout;
        *stall = watch->channel->stall;
    } else if (watch->where) {
        *timeout = watch->limits[0];
        *stall = watch->limits[1];
    }
    if (watch->timeout > 0)
        *timeout = watch->timeout;
}

static int look(struct summand__watch *watch, uint64_t since, bool waits)
{
    uint64_t now = summand__clock();
    double timeout, stall;
    if (watch->since != since)
        begin(watch, since);
    find_limits(watch, &timeout, &stall);
    if (watch->channel && now >= watch->quick_look) {
        watch->notified = summand__watch_aborted(watch);
        watch->quick_look = now + QUICK_PAUSE;
    }
    if (watch->notified || (watch->channel && look_at_processes(watch, now, waits)))
        return summand_error_code(SUMMAND_ERR_REMOTE);
    if (stall > 0 && !watch->said && is_late(&watch->stalled, now, since, stall)) {
        summand__stuck_say(watch, now);
        watch->said = true;
    }
    if (timeout > 0 && is_late(&watch->overdue, now, since, timeout)) {
        summand__stuck_explain(watch, now);
        return summand_error_code(SUMMAND_ERR_TIMEOUT);
    }
    return MPI_SUCCESS;
}

int summand__wait_look_now(struct summand__wait *wait, bool waits)
{
    int code = wait->mpi ? summand__wait_drive_mpi(wait->watch->channel) : MPI_SUCCESS;
    int end = look(wait->watch, wait->backoff.yielded, waits);
    return code == MPI_SUCCESS ? end : code;
}

int summand__wait_poll(struct summand__wait *wait, bool waits)
{
    uint64_t now = summand__clock_coarse();
    if (!wait->backoff.yielded)
        wait->backoff.yielded = now;
    return now - wait->backoff.yielded < FIRST_LOOK ? MPI_SUCCESS
                                                    : summand__wait_look_now(wait, waits);
}

int summand__wait_until(struct summand__wait *wait, summand__poll *poll, void *context)
{
    int code = MPI_SUCCESS, end = MPI_SUCCESS;
    while (!poll(context, &code) && code == MPI_SUCCESS) {
        if (end != MPI_SUCCESS)
            return end;
        if (wait->watch && wait->watch->plans)
            summand__wait_progress_plans();
        end = summand__wait_turn(wait);
    }
    return code;
}
