/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank's part of the report: sums of times, by function, size class and how calls were done. */
#include "shim/core/report_run.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/absolute.h"
#include "base/environment.h"
#include "base/hash.h"
#include "core/held.h"
#include "core/shim.h"
#include "process/damaged.h"
#include "shim/core/record_operands.h"
#include "shim/core/record_site.h"
#include "shim/core/report.h"

static bool is_on;
static char file[4096], mode[1024];
static double began;
static struct report_own own;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards `own` */

/* A row's key by addresses: equal texts at other addresses become one row when ranks are merged. */
enum { SLOTS = 512 };
static struct key {
    const char *call, *algorithm, *transport, *reason;
    int class;
} keys[SLOTS];
static struct report_part parts[SLOTS];
static int slot_used[SLOTS];

static _Thread_local struct report_sample sample;

bool report_start(void)
{
    struct summand__setting path, period, rules;
    struct summand__complaint complaint;
    int rank = 0;
    if (!summand__environment_read("SUMMAND_REPORT", &path, &complaint) ||
        !summand__environment_read("SUMMAND_REPORT_SAMPLE", &period, &complaint) ||
        !summand__environment_read("SUMMAND_MODE", &rules, &complaint)) {
        PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
        if (rank == 0)
            shim_say("no report: %s", complaint.text);
        return false;
    }
    if (!path.text)
        return false;
    MPI_Comm parent = MPI_COMM_NULL;
    PMPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL && strcmp(path.text, "1") != 0)
        return false; /* the file is that of the program which spawned this one */
    if (strcmp(path.text, "1") == 0)
        strcpy(file, "1");
    else if (!summand__absolute(path.text, file, sizeof file)) /* told when it is to be written */
        snprintf(file, sizeof file, "%s", path.text);
    snprintf(mode, sizeof mode, "%s", rules.text ? rules.text : "fast");
    own.period = period.text ? period.number : 64;
    own.width = 1e-3;
    own.bins = REPORT_BINS;
    record_types_begin();
    began = report_clock();
    return is_on = true;
}

void report_begin(struct shim_call *call)
{
    if (!is_on)
        return;
    sample.taken = false;
    if (report_is_sampled(call, own.period))
        sample = report_sample(call, shim_state.serves);
    call->begun = report_clock();
}

/* Bins become twice as wide until all time so far fits. */
static void widen(double end)
{
    while (end >= own.width * REPORT_BINS) {
        for (int i = 0; i < REPORT_BINS; i++)
            own.bin[i] = i < REPORT_BINS / 2 ? own.bin[2 * i] + own.bin[2 * i + 1] : 0;
        own.width *= 2;
    }
}

/* Whether the mode's promise held for a reduction that may round. */
static void add_promise(struct report_part *part, bool held, const void *caller)
{
    part->kept += held;
    part->lost += !held;
    const char *site = held || *part->site ? NULL : record_site(caller);
    if (site)
        snprintf(part->site, sizeof part->site, "%s", site);
}

static void add_time(double from, double to)
{
    widen(to);
    for (int i = (int)(from / own.width); i < REPORT_BINS && i * own.width < to; i++) {
        double low = i * own.width, high = low + own.width;
        low = from > low ? from : low;
        high = to < high ? to : high;
        own.bin[i] += high > low ? high - low : 0;
    }
}

/* When the rows end, the last one is of all other calls. */
static struct report_part *part_of(const struct key *key)
{
    static const char *const others = "MPI_others";
    uint64_t hash = (uintptr_t)key->call ^ (uintptr_t)key->algorithm << 3 ^
                    (uintptr_t)key->reason << 5 ^ (uint64_t)key->class << 40;
    size_t at = (size_t)(hash * SUMMAND__GOLDEN >> 55);
    while (slot_used[at] && memcmp(&keys[at], key, sizeof *key) != 0)
        at = (at + 1) % SLOTS;
    if (slot_used[at])
        return &parts[at];
    if (own.parts >= SLOTS - 2 && key->call != others) {
        struct key rest;
        memset(&rest, 0, sizeof rest);
        rest.call = others;
        return part_of(&rest);
    }
    own.parts++;
    slot_used[at] = 1;
    keys[at] = *key;
    struct report_part *part = &parts[at];
    snprintf(part->call, sizeof part->call, "%s", key->call);
    snprintf(part->algorithm, sizeof part->algorithm, "%s", key->algorithm ? key->algorithm : "");
    snprintf(part->transport, sizeof part->transport, "%s", key->transport ? key->transport : "");
    snprintf(part->reason, sizeof part->reason, "%s", key->reason ? key->reason : "");
    part->class = key->class;
    return part;
}

/* Classes are powers of 4: 0, 1-3, 4-15, ... bytes. */
static int class_of(long long bytes)
{
    return bytes <= 0 ? 0 : 1 + (63 - __builtin_clzll((unsigned long long)bytes)) / 2;
}

/* The bytes of the vector, or of all blocks. */
static long long bytes_of(const struct shim_call *call, const struct record_operands *o)
{
    long long count = o->count;
    if (call->collective == SHIM_ALLGATHER)
        count = call->recvcount * call->comm->size;
    if (call->collective == SHIM_ALLGATHERV) {
        count = 0;
        for (int i = 0; i < o->result.blocks; i++)
            count += o->result.counts ? o->result.counts[i] : (long long)o->result.large_counts[i];
    }
    return count * record_type_size(call->recvtype);
}

void report_end(struct shim_call *call)
{
    if (!is_on || !call->comm)
        return;
    call->ended = report_clock();
    const struct record_operands o = record_operands(call);
    const long long bytes = bytes_of(call, &o);
    struct key key;
    memset(&key, 0, sizeof key); /* keys are compared with their gaps */
    key.call = o.name;
    key.algorithm = call->served ? call->algorithm : NULL;
    key.transport = call->served ? call->transport : NULL;
    key.reason = call->served ? NULL : call->reason ? call->reason : "unknown";
    key.class = class_of(bytes);
    const double seconds = call->ended - call->begun;
    pthread_mutex_lock(&lock);
    own.inside += seconds;
    own.calls++;
    add_time(call->begun - began, call->ended - began);
    struct report_part *part = part_of(&key);
    part->calls++;
    part->bytes += bytes;
    part->seconds += seconds;
    if (call->rounds)
        add_promise(part, call->served && call->promised, call->caller);
    if (sample.taken) {
        part->waits++;
        part->waiting += sample.waiting;
        part->samples += !sample.of_mpi;
        part->moving += sample.of_mpi ? 0 : seconds;
        part->mpi_samples += sample.of_mpi;
        part->mpi += sample.mpi;
    }
    pthread_mutex_unlock(&lock);
}

void report_aside(const char *name, const char *reason, const void *site)
{
    struct key key;
    if (!is_on)
        return;
    memset(&key, 0, sizeof key);
    key.call = name;
    key.reason = reason;
    pthread_mutex_lock(&lock);
    struct report_part *part = part_of(&key);
    part->calls++;
    add_promise(part, false, site);
    pthread_mutex_unlock(&lock);
}

void report_finish(void)
{
    if (!is_on)
        return;
    is_on = false;
    int used = 0;
    for (int i = 0; i < SLOTS; i++)
        if (slot_used[i])
            parts[used++] = parts[i];
    own.part = parts;
    own.seconds = report_clock() - began;
    widen(own.seconds);
    const struct summand__damage damage = summand__damage_so_far();
    own.checked = (long long)damage.checked;
    own.damaged = (long long)damage.damaged;
    own.repaired = (long long)damage.repaired;
    snprintf(own.damage, sizeof own.damage, "%s", damage.first);
    report_gather(&own, file, mode);
    record_types_end();
}
