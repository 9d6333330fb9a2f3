/* SPDX-License-Identifier: BSD-3-Clause */
/* A stand-in for GPI-2 in tests: the calls of GASPI.h over memory that the ranks of one machine
 * share. It does what the standard allows and a fast network seldom shows: a thread delivers
 * writes later and in any order, reads the source only then, and delivers a notification after the
 * earlier writes and notifications to that rank through that queue. Queues are short, and so are
 * the lists of segments. A wrong offset, a segment that is not registered or a rank that is not
 * connected is an error. */
#include "GASPI.h"

#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { RANKS = 64, SEGMENTS = 40, QUEUES = 3, DEPTH = 6, NOTIFICATIONS = 65536, LONGEST = 65536 };
enum { FLAGS = NOTIFICATIONS * sizeof(gaspi_notification_t) }; /* before a segment's memory */

/* What all ranks see of a rank's segment. */
struct entry {
    _Atomic int fd; /* of the owner; 0: there is no such segment */
    _Atomic unsigned life;
    _Atomic uint64_t registered; /* ranks */
    gaspi_size_t bytes;
};

struct control {
    struct {
        pid_t pid;
        struct entry segment[SEGMENTS];
    } rank[RANKS];
};

struct mapping {
    unsigned char *at; /* flags, then the memory */
    size_t bytes;
    unsigned life;
};

struct operation {
    bool notifies;
    int queue, rank;
    const unsigned char *from;
    unsigned char *to;
    size_t bytes;
    _Atomic gaspi_notification_t *flag;
    gaspi_notification_t value;
};

static gaspi_config_t settings = {.network = GASPI_ETHERNET};
static struct control *control;
static int own, ranks;
static uint64_t connected;
static struct mapping mapped[RANKS][SEGMENTS];
static struct operation list[QUEUES * DEPTH * 2]; /* in the order of their calls */
static int count, busy[QUEUES];                   /* busy: operations that are not delivered */
static bool ends;
static pthread_t thread;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static unsigned dice = 1;

static unsigned draw(unsigned n)
{
    dice = dice * 1664525 + 1013904223;
    return (dice >> 8) % n;
}

gaspi_return_t gaspi_config_get(gaspi_config_t *config)
{
    *config = settings;
    return GASPI_SUCCESS;
}

gaspi_return_t gaspi_config_set(gaspi_config_t config)
{
    settings = config;
    return control ? GASPI_ERROR : GASPI_SUCCESS;
}

/* A notification waits for what was posted before it to that rank in that queue. */
static bool may_go(int i)
{
    for (int j = 0; j < i && list[i].notifies; j++)
        if (list[j].queue == list[i].queue && list[j].rank == list[i].rank)
            return false;
    return true;
}

static void deliver(int i)
{
    struct operation *one = &list[i];
    if (one->notifies)
        atomic_store_explicit(one->flag, one->value, memory_order_release);
    else
        memcpy(one->to, one->from, one->bytes);
    busy[one->queue]--;
    memmove(one, one + 1, (size_t)(--count - i) * sizeof *one);
}

static void *work(void *nothing)
{
    pthread_mutex_lock(&lock);
    while (!ends || count) {
        if (!count) {
            pthread_cond_wait(&more, &lock);
            continue;
        }
        int i = (int)draw((unsigned)count);
        if (may_go(i))
            deliver(i);
        pthread_mutex_unlock(&lock);
        if (!draw(3))
            nanosleep(&(struct timespec){0, (long)draw(20000)}, NULL);
        pthread_mutex_lock(&lock);
    }
    pthread_mutex_unlock(&lock);
    return nothing;
}

static void *map(pid_t pid, int fd, size_t bytes)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)pid, fd);
    int file = open(path, O_RDWR | O_CLOEXEC);
    void *at =
        file < 0 ? MAP_FAILED : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file >= 0)
        close(file);
    return at == MAP_FAILED ? NULL : at;
}

static int make_file(size_t bytes)
{
    int fd = memfd_create("gaspi", MFD_CLOEXEC);
    return fd > 0 && !ftruncate(fd, (off_t)bytes) ? fd : -1;
}

gaspi_return_t gaspi_proc_init(gaspi_timeout_t timeout)
{
    int head[2] = {(int)getpid(), 0};
    (void)timeout;
    MPI_Comm_rank(MPI_COMM_WORLD, &own);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (control || ranks > RANKS)
        return GASPI_ERROR;
    if (!own)
        head[1] = make_file(sizeof *control);
    MPI_Bcast(head, 2, MPI_INT, 0, MPI_COMM_WORLD);
    control = map(head[0], head[1], sizeof *control);
    if (!control)
        return GASPI_ERROR;
    control->rank[own].pid = getpid();
    dice += (unsigned)own;
    MPI_Barrier(MPI_COMM_WORLD);
    return pthread_create(&thread, NULL, work, NULL) ? GASPI_ERROR : GASPI_SUCCESS;
}

gaspi_return_t gaspi_proc_term(gaspi_timeout_t timeout)
{
    (void)timeout;
    if (!control)
        return GASPI_ERROR;
    pthread_mutex_lock(&lock);
    ends = true;
    pthread_cond_signal(&more);
    pthread_mutex_unlock(&lock);
    return pthread_join(thread, NULL) ? GASPI_ERROR : GASPI_SUCCESS;
}

gaspi_return_t gaspi_proc_rank(gaspi_rank_t *rank)
{
    *rank = (gaspi_rank_t)own;
    return control ? GASPI_SUCCESS : GASPI_ERROR;
}

gaspi_return_t gaspi_proc_num(gaspi_rank_t *number)
{
    *number = (gaspi_rank_t)(control ? ranks : 0); /* GPI-2 1.6 answers before it is started, too */
    return GASPI_SUCCESS;
}

gaspi_return_t gaspi_connect(gaspi_rank_t rank, gaspi_timeout_t timeout)
{
    (void)timeout;
    if (!control || rank >= ranks)
        return GASPI_ERROR;
    connected |= UINT64_C(1) << rank;
    return GASPI_SUCCESS;
}

static struct entry *entry_of(int rank, int id)
{
    struct entry *entry = control && id < SEGMENTS ? &control->rank[rank].segment[id] : NULL;
    return entry && entry->fd ? entry : NULL;
}

gaspi_return_t gaspi_segment_alloc(gaspi_segment_id_t id, gaspi_size_t bytes, gaspi_alloc_t policy)
{
    (void)policy;
    if (!control || id >= SEGMENTS || entry_of(own, id))
        return GASPI_ERROR;
    struct entry *entry = &control->rank[own].segment[id];
    int fd = make_file(FLAGS + bytes);
    unsigned char *at = fd < 0 ? NULL : map(getpid(), fd, FLAGS + bytes);
    if (!at)
        return GASPI_ERROR;
    entry->bytes = bytes;
    entry->registered = UINT64_C(1) << own;
    mapped[own][id] = (struct mapping){at, FLAGS + bytes, ++entry->life};
    entry->fd = fd;
    return GASPI_SUCCESS;
}

gaspi_return_t gaspi_segment_delete(gaspi_segment_id_t id)
{
    struct entry *entry = entry_of(own, id);
    if (!entry)
        return GASPI_ERROR;
    pthread_mutex_lock(&lock); /* what is in flight from here would read what is gone */
    int fd = atomic_exchange(&entry->fd, 0);
    close(fd);
    munmap(mapped[own][id].at, mapped[own][id].bytes);
    mapped[own][id].at = NULL;
    pthread_mutex_unlock(&lock);
    return GASPI_SUCCESS;
}

gaspi_return_t gaspi_segment_register(gaspi_segment_id_t id, gaspi_rank_t rank,
                                      gaspi_timeout_t timeout)
{
    struct entry *entry = entry_of(own, id);
    (void)timeout;
    if (!entry || rank >= ranks || !(connected >> rank & 1))
        return GASPI_ERROR;
    atomic_fetch_or(&entry->registered, UINT64_C(1) << rank);
    return GASPI_SUCCESS;
}

gaspi_return_t gaspi_segment_ptr(gaspi_segment_id_t id, gaspi_pointer_t *memory)
{
    if (!entry_of(own, id))
        return GASPI_ERROR;
    *memory = mapped[own][id].at + FLAGS;
    return GASPI_SUCCESS;
}

gaspi_return_t gaspi_segment_max(gaspi_number_t *most)
{
    *most = SEGMENTS;
    return GASPI_SUCCESS;
}

gaspi_return_t gaspi_segment_num(gaspi_number_t *number)
{
    *number = 0;
    for (int id = 0; id < SEGMENTS; id++)
        *number += entry_of(own, id) != NULL;
    return GASPI_SUCCESS;
}

gaspi_return_t gaspi_segment_list(gaspi_number_t number, gaspi_segment_id_t *ids)
{
    for (int id = 0; id < SEGMENTS && number; id++)
        if (entry_of(own, id)) {
            *ids++ = (gaspi_segment_id_t)id;
            number--;
        }
    return number ? GASPI_ERROR : GASPI_SUCCESS;
}

gaspi_return_t gaspi_queue_num(gaspi_number_t *number)
{
    *number = QUEUES;
    return GASPI_SUCCESS;
}

gaspi_return_t gaspi_notification_num(gaspi_number_t *number)
{
    *number = NOTIFICATIONS;
    return GASPI_SUCCESS;
}

gaspi_return_t gaspi_transfer_size_max(gaspi_size_t *bytes)
{
    *bytes = LONGEST;
    return GASPI_SUCCESS;
}

/* The start of another rank's segment, if this rank may write to it. */
static unsigned char *remote(int rank, int id)
{
    struct entry *entry = rank < ranks ? entry_of(rank, id) : NULL;
    struct mapping *there = &mapped[rank][id];
    if (!entry || !(entry->registered >> own & 1) || !(connected >> rank & 1))
        return NULL;
    if (there->at && there->life != entry->life) {
        munmap(there->at, there->bytes);
        there->at = NULL;
    }
    if (!there->at)
        *there = (struct mapping){map(control->rank[rank].pid, entry->fd, FLAGS + entry->bytes),
                                  FLAGS + entry->bytes, entry->life};
    return there->at;
}

static gaspi_return_t post(const struct operation *all, int number)
{
    const int queue = all[0].queue;
    gaspi_return_t end = GASPI_SUCCESS;
    if (queue >= QUEUES)
        return GASPI_ERROR;
    pthread_mutex_lock(&lock);
    if (busy[queue] + number > DEPTH)
        end = GASPI_QUEUE_FULL;
    for (int i = 0; i < number && end == GASPI_SUCCESS; i++) {
        list[count++] = all[i];
        busy[queue]++;
    }
    pthread_cond_signal(&more);
    pthread_mutex_unlock(&lock);
    return end;
}

static bool make_write(struct operation *one, int from, gaspi_offset_t from_at, int rank, int to,
                       gaspi_offset_t to_at, gaspi_size_t bytes, int queue)
{
    struct entry *here = entry_of(own, from);
    unsigned char *there = remote(rank, to);
    if (!here || !there || !bytes || bytes > LONGEST || from_at > here->bytes ||
        bytes > here->bytes - from_at || to_at > mapped[rank][to].bytes - FLAGS ||
        bytes > mapped[rank][to].bytes - FLAGS - to_at)
        return false;
    *one = (struct operation){.queue = queue,
                              .rank = rank,
                              .from = mapped[own][from].at + FLAGS + from_at,
                              .to = there + FLAGS + to_at,
                              .bytes = bytes};
    return true;
}

static bool make_notify(struct operation *one, int to, int rank, int id, gaspi_notification_t value,
                        int queue)
{
    unsigned char *there = remote(rank, to);
    if (!there || !value)
        return false;
    *one = (struct operation){.notifies = true,
                              .queue = queue,
                              .rank = rank,
                              .flag = (_Atomic gaspi_notification_t *)(void *)there + id,
                              .value = value};
    return true;
}

gaspi_return_t gaspi_write(gaspi_segment_id_t from, gaspi_offset_t from_at, gaspi_rank_t rank,
                           gaspi_segment_id_t to, gaspi_offset_t to_at, gaspi_size_t bytes,
                           gaspi_queue_id_t queue, gaspi_timeout_t timeout)
{
    struct operation one;
    (void)timeout;
    return make_write(&one, from, from_at, rank, to, to_at, bytes, queue) ? post(&one, 1)
                                                                          : GASPI_ERROR;
}

gaspi_return_t gaspi_notify(gaspi_segment_id_t to, gaspi_rank_t rank, gaspi_notification_id_t id,
                            gaspi_notification_t value, gaspi_queue_id_t queue,
                            gaspi_timeout_t timeout)
{
    struct operation one;
    (void)timeout;
    return make_notify(&one, to, rank, id, value, queue) ? post(&one, 1) : GASPI_ERROR;
}

gaspi_return_t gaspi_write_notify(gaspi_segment_id_t from, gaspi_offset_t from_at,
                                  gaspi_rank_t rank, gaspi_segment_id_t to, gaspi_offset_t to_at,
                                  gaspi_size_t bytes, gaspi_notification_id_t id,
                                  gaspi_notification_t value, gaspi_queue_id_t queue,
                                  gaspi_timeout_t timeout)
{
    struct operation both[2];
    (void)timeout;
    return make_write(&both[0], from, from_at, rank, to, to_at, bytes, queue) &&
                   make_notify(&both[1], to, rank, id, value, queue)
               ? post(both, 2)
               : GASPI_ERROR;
}

/* Calls `done` until it says so or the time is over. */
static gaspi_return_t wait_for(bool (*done)(void *context), void *context, gaspi_timeout_t timeout)
{
    struct timespec now, begin;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    while (!done(context)) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        int64_t spent =
            (now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000;
        if (timeout != GASPI_BLOCK && spent >= (int64_t)timeout)
            return GASPI_TIMEOUT;
        sched_yield();
    }
    return GASPI_SUCCESS;
}

struct some {
    _Atomic gaspi_notification_t *flags;
    int begin, end, first;
};

static bool is_there(void *context)
{
    struct some *some = context;
    for (int i = some->begin; i < some->end; i++)
        if (atomic_load_explicit(&some->flags[i], memory_order_acquire)) {
            some->first = i;
            return true;
        }
    return false;
}

gaspi_return_t gaspi_notify_waitsome(gaspi_segment_id_t id, gaspi_notification_id_t begin,
                                     gaspi_number_t number, gaspi_notification_id_t *first,
                                     gaspi_timeout_t timeout)
{
    if (!entry_of(own, id) || begin + number > NOTIFICATIONS)
        return GASPI_ERROR;
    struct some some = {(_Atomic gaspi_notification_t *)(void *)mapped[own][id].at, begin,
                        (int)(begin + number), 0};
    gaspi_return_t end = wait_for(is_there, &some, timeout);
    *first = (gaspi_notification_id_t)some.first;
    return end;
}

gaspi_return_t gaspi_notify_reset(gaspi_segment_id_t id, gaspi_notification_id_t notification,
                                  gaspi_notification_t *old)
{
    if (!entry_of(own, id))
        return GASPI_ERROR;
    *old = atomic_exchange(
        (_Atomic gaspi_notification_t *)(void *)mapped[own][id].at + notification, 0);
    return GASPI_SUCCESS;
}

static bool has_left(void *context)
{
    pthread_mutex_lock(&lock);
    bool none = !busy[*(const gaspi_queue_id_t *)context];
    pthread_mutex_unlock(&lock);
    return none;
}

gaspi_return_t gaspi_wait(gaspi_queue_id_t queue, gaspi_timeout_t timeout)
{
    return control && queue < QUEUES ? wait_for(has_left, &queue, timeout) : GASPI_ERROR;
}
