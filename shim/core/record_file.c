/* SPDX-License-Identifier: BSD-3-Clause */
#include "shim/core/record_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/quiet.h"
#include "core/held.h"

/* Lines are written at the end of each call, so a crash loses at most that call. */
enum { BLOCK = 1 << 16, MOST_PENDING = 1 << 16, PATH_ROOM = 4096 + 32 };

struct record_pending {
    struct record_entry entry;
    bool complete, dropped; /* dropped: too many came after it; it is freed at its completion */
    struct record_pending *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards all below */
static struct shim_held file = {.descriptor = -1};
static char path[PATH_ROOM];
static pid_t owner; /* children of fork write nothing */
static char buffer[BLOCK + 4 * RECORD_LINE];
static size_t used;
static off_t written; /* whole lines in the file */
static long long calls, calls_written, lost, communicators;
static const char *reason; /* of the first loss */
static struct record_pending *first, *last;
static int pending;

/* The program has closed the descriptor: opens the file again, if it is still the same. */
static bool reopen(void)
{
    const int again = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (!shim_held_is(&file, again) || flock(again, LOCK_EX | LOCK_NB) ||
        lseek(again, written, SEEK_SET) < 0) {
        if (again >= 0)
            close(again);
        return false;
    }
    shim_held_take(&file, again);
    return file.descriptor >= 0;
}

/* After an error the file ends with its last whole line, and the record stops: a record with a gap
 * could be taken for a whole one. */
static void write_block(const char *bytes, size_t count)
{
    if (file.descriptor < 0 || reason || owner != getpid() || !count)
        return;
    const bool ours = shim_held_is_ours(&file) || reopen();
    if (ours && summand__write_all(file.descriptor, bytes, count)) {
        written += (off_t)count;
        calls_written = calls;
        return;
    }
    reason = ours ? summand__reason(errno) : "the program has closed the file, and it is gone";
    lost += calls - calls_written;
    if (ours && ftruncate(file.descriptor, written))
        lost++; /* the last line may be cut: readers leave such a line out */
}

static void write_buffer(void)
{
    write_block(buffer, used);
    used = 0;
}

static void put(const char *text, size_t count)
{
    if (used + count > BLOCK)
        write_buffer();
    if (count > BLOCK) {
        write_block(text, count);
        return;
    }
    memcpy(buffer + used, text, count);
    used += count;
}

static void put_values(const char *key, char *values)
{
    if (values) {
        put(key, strlen(key));
        put(values, strlen(values));
        put("\n", 1);
    }
    free(values);
}

static void put_entry(struct record_entry *entry)
{
    if (reason) {
        lost++;
        free(entry->in);
        free(entry->out);
        return;
    }
    if (!entry->peers->written) {
        entry->peers->line.number = communicators++;
        entry->peers->written = true;
        if (used + RECORD_LINE > BLOCK)
            write_buffer();
        used += record_print_communicator(buffer + used, RECORD_LINE, &entry->peers->line);
    }
    entry->call.communicator = entry->peers->line.number;
    entry->call.type = entry->type;
    if (used + RECORD_LINE > BLOCK)
        write_buffer();
    used += record_print_call(buffer + used, RECORD_LINE, &entry->call);
    put_values("in", entry->in);
    put_values("out", entry->out);
    if (reason)
        lost++;
    else
        calls++;
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
    write_buffer();
    pthread_mutex_unlock(&lock);
}

struct record_pending *record_file_begin(const struct record_entry *entry)
{
    pthread_mutex_lock(&lock);
    struct record_pending *added = append(entry, false);
    lost += !added;
    write_buffer();
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
        write_buffer();
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

/* Opens the file and locks it; NULL, or an error in words. */
static const char *open_file(void)
{
    const int opened = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (opened < 0)
        return summand__reason(errno);
    /* A program that a rank starts would truncate that rank's record. */
    if (flock(opened, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) {
        close(opened);
        return "a running program writes its record there; this one is not recorded";
    }
    if (ftruncate(opened, 0) && errno != EINVAL) { /* a device */
        close(opened);
        return summand__reason(errno);
    }
    shim_held_take(&file, opened);
    return NULL;
}

const char *record_file_open(const char *folder, int rank, int ranks, const char *program,
                             const char *mpi, const char *mode)
{
    char whole[PATH_MAX];
    if (mkdir(folder, 0777) && errno != EEXIST)
        return summand__reason(errno);
    if (!realpath(folder, whole)) /* the program may leave its folder */
        return summand__reason(errno);
    snprintf(path, sizeof path, "%s/rank-%05d.txt", whole, rank);
    const char *why = open_file();
    if (why)
        return why;
    if (rank == 0)
        clear_higher(whole, ranks);
    owner = getpid();
    used = (size_t)snprintf(buffer, sizeof buffer,
                            RECORD_FIRST_LINE
                            "\nrank %d of %d\nprogram %.4000s\nmpi %.200s\nmode %.200s\n",
                            rank, ranks, program, mpi, mode);
    write_buffer(); /* a full disk is told at once */
    return reason;
}

void record_file_flush(void)
{
    /* The process may end within one of these functions. */
    if (file.descriptor < 0 || pthread_mutex_trylock(&lock))
        return;
    while (first)
        drop_first(); /* another handler may still complete it */
    write_buffer();
    pthread_mutex_unlock(&lock);
}

long long record_file_close(const char **why)
{
    pthread_mutex_lock(&lock);
    while (first) { /* what never completed has no result */
        first->complete = true;
        drain();
    }
    if (!reason && lost)
        reason = "no memory";
    if (!lost) {
        used += (size_t)snprintf(buffer + used, sizeof buffer - used, "end %lld\n", calls);
        write_buffer();
        lost += reason != NULL;
    } else {
        write_buffer();
    }
    if (!shim_held_close(&file) && !reason)
        reason = summand__reason(errno);
    *why = reason;
    lost += reason && !lost;
    pthread_mutex_unlock(&lock);
    return lost;
}
