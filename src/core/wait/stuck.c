/* SPDX-License-Identifier: BSD-3-Clause */
#include "wait/stuck.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "base/quiet.h"
#include "base/warning.h"
#include "process/error.h"
#include "wait/awaited.h"
#include "wait/channel.h"

enum { LISTED = 8 };

struct words {
    char text[1024];
    size_t used;
};

__attribute__((format(printf, 2, 3))) static void add(struct words *words, const char *format, ...)
{
    va_list list;
    size_t room = sizeof words->text - words->used;
    va_start(list, format);
    int length = summand__vformat(words->text + words->used, room, format, list);
    va_end(list);
    if (length > 0)
        words->used += (size_t)length < room ? (size_t)length : room - 1;
}

struct awaited {
    int rank[LISTED], count;
    bool more;
};

static void list(void *context, int rank)
{
    struct awaited *awaited = context;
    for (int i = 0; i < awaited->count; i++)
        if (awaited->rank[i] == rank)
            return;
    if (awaited->count < LISTED)
        awaited->rank[awaited->count++] = rank;
    else
        awaited->more = true;
}

static void add_call(struct words *words, uint64_t entered)
{
    char name[64];
    summand__call_name(entered & 255, name, sizeof name);
    uint64_t call = summand__public_call(summand__call_number(entered));
    add(words, "call %llu", (unsigned long long)call);
    if (summand__call_starts(entered))
        add(words, " and %u", summand__call_starts(entered));
    add(words, ", %s", name);
}

static double seconds(uint64_t from, uint64_t to)
{
    return (double)(to - from) * 1e-9;
}

/* Adds the call of this rank. A wait in a segment describes itself. */
static void add_own(struct words *words, const struct summand__watch *watch)
{
    char what[SUMMAND__PRESENCE_TEXT] = "";
    const bool segment = (watch->plan & 255) == SUMMAND__ENTERED_SEGMENT_CREATE;
    if (watch->describe)
        watch->describe(watch->what, what, sizeof what);
    if (segment)
        add(words, " in %s, in the segment of ", what);
    else
        add(words, watch->plan ? " for the plan of " : " in ");
    add_call(words, watch->plan ? watch->plan : atomic_load(watch->channel->entered));
    if (*what && !segment)
        add(words, ", %s", what);
}

static void add_ranks(struct words *words, const struct awaited *awaited)
{
    add(words, awaited->count == 1 ? "for rank " : "for ranks ");
    for (int i = 0; i < awaited->count; i++)
        add(words, "%s%d", i ? ", " : "", awaited->rank[i]);
    if (awaited->more)
        add(words, " and others");
}

/* Adds the call of a rank of this node. */
static void add_place(struct words *words, int rank, const struct summand__presence *presence,
                      double unchanged)
{
    uint64_t entered = atomic_load(&presence->entered), left = atomic_load(&presence->left);
    add(words, ". Rank %d ", rank);
    if (summand__presence_gone(presence)) {
        add(words, "is gone (process %llu)", (unsigned long long)presence->process);
    } else if (left >= SUMMAND__LEFT_FINALIZED) {
        add(words, left == SUMMAND__LEFT_FREED ? "has freed the communicator"
                                               : "is in MPI_Finalize or behind it");
    } else if (!entered) {
        add(words, "has entered no call");
    } else if (atomic_load(&presence->waiting) == entered) {
        add(words, left == entered ? "waits after " : "waits in ");
        add_call(words, entered);
        if (presence->what[0])
            add(words, "%s%.*s", left == entered ? ": " : ", ", SUMMAND__PRESENCE_TEXT,
                presence->what);
    } else {
        add(words, left == entered ? "has left " : "is in ");
        add_call(words, entered);
        add(words, left == entered ? ", and waits in no other" : ", and does not wait");
        if (unchanged > 0)
            add(words, ", for %.*f s at least", unchanged < 0.1 ? 3 : unchanged < 10, unchanged);
    }
}

/* True if a rank is in another call than this one. */
static bool differs(const struct summand__presence *presence, uint64_t own)
{
    return atomic_load(&presence->entered) != own;
}

static void add_places(struct words *words, const struct summand__watch *watch,
                       const struct awaited *awaited, uint64_t now)
{
    const struct summand__channel *channel = watch->channel;
    uint64_t own = atomic_load(channel->entered);
    bool still = summand__watch_seen(watch) == watch->seen, other = false;
    for (int i = 0; i < awaited->count; i++) {
        const struct summand__presence *presence =
            summand__channel_presence(channel, awaited->rank[i]);
        if (!presence)
            continue;
        add_place(words, awaited->rank[i], presence, still ? seconds(watch->since, now) : 0);
        other = other || differs(presence, own);
    }
    if (other && !channel->checks)
        add(words, ". SUMMAND_CHECK=on finds calls that differ");
}

static void say_all(struct words *words, const struct summand__watch *watch, uint64_t now)
{
    struct awaited awaited = {.count = 0};
    if (!watch->channel) {
        add(words, " in %s", watch->where);
        return;
    }
    summand__watch_each(watch, list, &awaited);
    add_own(words, watch);
    add(words, ", ");
    add_ranks(words, &awaited);
    add_places(words, watch, &awaited, now);
}

/* "rank 3 of 8 on node7 (process 437)" */
static void add_self(struct words *words, const struct summand__watch *watch)
{
    const struct summand__channel *channel = watch->channel;
    char host[65] = "";
    gethostname(host, sizeof host - 1);
    add(words, "rank %d of %d on %s (process %ld)", channel ? channel->rank : watch->rank,
        channel ? channel->ranks : watch->ranks, *host ? host : "a host without name",
        (long)getpid());
}

void summand__stuck_say(const struct summand__watch *watch, uint64_t now)
{
    struct words words = {.used = 0};
    double waited = seconds(watch->since, now);
    add_self(&words, watch);
    add(&words, " has waited %.*f s", waited < 0.1 ? 3 : waited < 10, waited);
    say_all(&words, watch, now);
    summand__tell(words.text);
}

void summand__stuck_explain(const struct summand__watch *watch, uint64_t now)
{
    struct words words = {.used = 0};
    if (!watch->channel && !watch->where)
        return;
    add_self(&words, watch);
    add(&words, ", %.3g s", seconds(watch->since, now));
    say_all(&words, watch, now);
    summand__error_explain(SUMMAND_ERR_TIMEOUT, "%s", words.text);
}
