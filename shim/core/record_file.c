/* SPDX-License-Identifier: BSD-3-Clause */
#include "shim/core/record_file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Lines are written in blocks: a killed process loses at most one, and a system call costs more
 * than a line. */
enum { BLOCK = 1 << 16, MOST_PENDING = 1 << 16 };

struct record_pending {
    struct record_entry entry;
    bool complete, dropped; /* dropped: too many came after it; it is freed at its completion */
    struct record_pending *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards all below */
static int file = -1;
static pid_t owner; /* children of fork write nothing */
static char buffer[BLOCK + 4 * RECORD_LINE];
static size_t used;
static off_t written; /* whole lines in the file */
static long long calls, calls_written, lost, communicators;
static const char *reason; /* of the first loss */
static struct record_pending *first, *last;
static int pending;

static bool write_all(const char *bytes, size_t count)
{
    for (size_t done = 0; done < count;) {
        ssize_t n = write(file, bytes + done, count - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        done += (size_t)n;
    }
    return true;
}

/* After an error the file ends with its last whole line, and the record stops: a record with a gap
 * could be taken for a whole one. */
static void write_block(const char *bytes, size_t count)
{
    if (file < 0 || reason || owner != getpid())
        return;
    if (write_all(bytes, count)) {
        written += (off_t)count;
        calls_written = calls;
        return;
    }
    reason = strerror(errno);
    lost += calls - calls_written;
    if (ftruncate(file, written))
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

const char *record_file_open(const char *folder, int rank, int ranks, const char *program,
                             const char *mpi, const char *mode)
{
    char path[4096 + 32];
    if (mkdir(folder, 0777) && errno != EEXIST)
        return strerror(errno);
    if (strlen(folder) > 4096)
        return strerror(ENAMETOOLONG);
    snprintf(path, sizeof path, "%s/rank-%05d.txt", folder, rank);
    file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0)
        return strerror(errno);
    /* A program that a rank starts would truncate that rank's record. */
    if (flock(file, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) {
        close(file);
        file = -1;
        return "a running program writes its record there; this one is not recorded";
    }
    if (ftruncate(file, 0) && errno != EINVAL) /* a device */
        return strerror(errno);
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
    if (file < 0 || pthread_mutex_trylock(&lock))
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
    if (file >= 0 && close(file) && !reason)
        reason = strerror(errno);
    file = -1;
    *why = reason;
    lost += reason && !lost;
    pthread_mutex_unlock(&lock);
    return lost;
}
