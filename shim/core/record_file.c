/* SPDX-License-Identifier: BSD-3-Clause */
#include "shim/core/record_file.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/quiet.h"
#include "shim/core/record_out.h"

enum { MOST_PENDING = 1 << 16 };

struct record_pending {
    struct record_entry entry;
    bool complete, dropped; /* dropped: too many came after it; it is freed at its completion */
    struct record_pending *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards all below */
static long long calls, lost, communicators;
static struct record_pending *first, *last;
static int pending;

/* The line of values, each after a blank, which are freed. */
static void put_values(const char *key, char *values)
{
    const size_t room = values ? strlen(key) + strlen(values) + 2 : 0;
    char *line = room ? malloc(room) : NULL;
    if (line) {
        snprintf(line, room, "%s%s\n", key, values);
        record_out_put(line, room - 1);
    }
    lost += room && !line;
    free(line);
    free(values);
}

static void put_entry(struct record_entry *entry)
{
    char line[RECORD_LINE];
    if (!entry->peers->written) {
        entry->peers->line.number = communicators++;
        entry->peers->written = true;
        record_out_put(line, record_print_communicator(line, sizeof line, &entry->peers->line));
    }
    entry->call.communicator = entry->peers->line.number;
    entry->call.type = entry->type;
    const bool good = record_out_put(line, record_print_call(line, sizeof line, &entry->call));
    calls += good;
    lost += !good;
    put_values("in", entry->in);
    put_values("out", entry->out);
}

/* Writes the complete calls at the head of the list. */
static void drain(void)
{
    while (first && first->complete) {
        struct record_pending *done = first;
        first = done->next;
        if (!first)
            last = NULL;
        put_entry(&done->entry);
        free(done);
        pending--;
    }
}

/* A call that never completes must not hold back all others: its line goes without its result. */
static void drop_first(void)
{
    struct record_pending *head = first;
    first = head->next;
    put_entry(&head->entry);
    head->dropped = true;
    head->entry.in = head->entry.out = NULL;
    pending--;
    drain();
}

static struct record_pending *append(const struct record_entry *entry, bool complete)
{
    struct record_pending *added = malloc(sizeof *added);
    if (!added)
        return NULL;
    *added = (struct record_pending){.entry = *entry, .complete = complete};
    if (last)
        last->next = added;
    else
        first = added;
    last = added;
    if (pending++ >= MOST_PENDING)
        drop_first();
    return added;
}

void record_file_add(const struct record_entry *entry)
{
    pthread_mutex_lock(&lock);
    struct record_entry own = *entry;
    if (!first)
        put_entry(&own);
    else if (!append(entry, true))
        lost++;
    pthread_mutex_unlock(&lock);
}

struct record_pending *record_file_begin(const struct record_entry *entry)
{
    pthread_mutex_lock(&lock);
    struct record_pending *added = append(entry, false);
    lost += !added;
    pthread_mutex_unlock(&lock);
    return added;
}

void record_file_complete(struct record_pending *done, struct record_hashed result, char *out)
{
    pthread_mutex_lock(&lock);
    if (done->dropped) {
        free(done);
        free(out);
    } else {
        done->entry.call.result = result;
        done->entry.out = out;
        done->complete = true;
        drain();
    }
    pthread_mutex_unlock(&lock);
}

/* "rank-00012.txt": 12; -1: another name. */
static long long rank_of(const char *name)
{
    const size_t digits = strncmp(name, "rank-", 5) ? 0 : strspn(name + 5, "0123456789");
    return digits >= 5 && !strcmp(name + 5 + digits, ".txt") ? atoll(name + 5) : -1;
}

/* Removes what an earlier run on more ranks has left: both together are no record. */
static void clear_higher(const char *folder, int ranks)
{
    DIR *list = opendir(folder);
    for (const struct dirent *entry; list && (entry = readdir(list));)
        if (rank_of(entry->d_name) >= ranks)
            unlinkat(dirfd(list), entry->d_name, 0);
    if (list)
        closedir(list);
}

const char *record_file_open(const char *folder, int rank, int ranks, const char *program,
                             const char *mpi, const char *mode)
{
    char whole[PATH_MAX], path[PATH_MAX + 32], head[8192];
    if (mkdir(folder, 0777) && errno != EEXIST)
        return summand__reason(errno);
    if (!realpath(folder, whole)) /* the program may leave its folder */
        return summand__reason(errno);
    snprintf(path, sizeof path, "%s/rank-%05d.txt", whole, rank);
    const char *why = record_out_open(path);
    if (why)
        return why;
    if (rank == 0)
        clear_higher(whole, ranks);
    record_out_put(head, (size_t)snprintf(head, sizeof head,
                                          RECORD_FIRST_LINE "\nrank %d of %d\nprogram %.4000s\n"
                                                            "mpi %.200s\nmode %.200s\n",
                                          rank, ranks, program, mpi, mode));
    return record_out_error(); /* a full disk is told at once */
}

void record_file_flush(void)
{
    /* The process may end within one of these functions. */
    if (!record_out_is_open() || pthread_mutex_trylock(&lock))
        return;
    while (first)
        drop_first(); /* another handler may still complete it */
    pthread_mutex_unlock(&lock);
}

long long record_file_close(const char **why)
{
    char end[64];
    pthread_mutex_lock(&lock);
    while (first) { /* what never completed has no result */
        first->complete = true;
        drain();
    }
    if (!lost)
        lost += !record_out_put(end, (size_t)snprintf(end, sizeof end, "end %lld\n", calls));
    const char *error = record_out_close();
    *why = error ? error : "no memory";
    lost += error && !lost;
    pthread_mutex_unlock(&lock);
    return lost;
}
