/* np: 2 3 5; costly other_sleeper */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Late data: an MPI that delivers as late as allowed. Long messages arrive some time after their
 * heads, and those of one rank after all others. MPI_Put moves no data before its flush, and reads
 * its buffer at the latest in the local flush. Counters must still come behind data, and fences
 * behind all puts. */
#include <stdlib.h>
#include <summand.h>
#include <time.h>

#include "mpi/neighbours.h"
#include "mpi/notify.h"

enum { LONG = 4096, MOST = 64, BYTES = 50000 };
static const double delay = 0.03;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Messages that have arrived but are not visible yet. */
static struct {
    MPI_Request request;
    void *to, *side;
    size_t bytes;
    double when;
} late[MOST];
static long held, put_late; /* how often something was */

int __real_PMPI_Irecv(void *to, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                      MPI_Request *request);
int __wrap_PMPI_Irecv(void *to, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                      MPI_Request *request);
int __wrap_PMPI_Irecv(void *to, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                      MPI_Request *request)
{
    int i = 0;
    while (i < MOST && late[i].side)
        i++;
    if (type != MPI_BYTE || count <= LONG || i == MOST)
        return __real_PMPI_Irecv(to, count, type, source, tag, comm, request);
    late[i].to = to;
    late[i].side = malloc((size_t)count);
    late[i].bytes = (size_t)count;
    late[i].when = now() + delay;
    int code = __real_PMPI_Irecv(late[i].side, count, type, source, tag, comm, request);
    late[i].request = *request;
    held++;
    return code;
}

int __real_PMPI_Test(MPI_Request *request, int *flag, MPI_Status *status);
int __wrap_PMPI_Test(MPI_Request *request, int *flag, MPI_Status *status);
int __wrap_PMPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    int i = 0;
    while (i < MOST && !(late[i].side && late[i].request == *request))
        i++;
    if (i == MOST)
        return __real_PMPI_Test(request, flag, status);
    *flag = 0;
    if (now() < late[i].when)
        return MPI_SUCCESS;
    int code = __real_PMPI_Test(request, flag, status);
    if (code == MPI_SUCCESS && *flag) {
        memcpy(late[i].to, late[i].side, late[i].bytes);
        free(late[i].side);
        late[i].side = NULL;
    }
    return code;
}

static int slow = MPI_PROC_NULL; /* messages from this rank become visible late, one by one */
static double seen;

int __real_PMPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status);
int __wrap_PMPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status);
int __wrap_PMPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    if (source != MPI_ANY_SOURCE || tag == MPI_ANY_TAG || slow == MPI_PROC_NULL)
        return __real_PMPI_Iprobe(source, tag, comm, flag, status);
    int code = MPI_SUCCESS, ranks;
    MPI_Comm_size(comm, &ranks);
    *flag = 0;
    for (int r = 0; r < ranks && code == MPI_SUCCESS && !*flag; r++)
        if (r != slow)
            code = __real_PMPI_Iprobe(r, tag, comm, flag, status);
    if (*flag || code != MPI_SUCCESS)
        return code;
    code = __real_PMPI_Iprobe(slow, tag, comm, flag, status);
    if (*flag && !(seen > 0))
        seen = now();
    *flag = *flag && now() > seen + delay;
    if (*flag)
        seen = 0;
    return code;
}

/* Puts that have not been carried out yet. */
static struct {
    const void *from;
    void *copy; /* of the data, whose buffer belongs to the caller again */
    int bytes, rank;
    MPI_Aint at;
    MPI_Win win;
} waiting[MOST];
static int n_waiting;

int __real_PMPI_Put(const void *from, int count, MPI_Datatype type, int rank, MPI_Aint at,
                    int there, MPI_Datatype as, MPI_Win win);
int __wrap_PMPI_Put(const void *from, int count, MPI_Datatype type, int rank, MPI_Aint at,
                    int there, MPI_Datatype as, MPI_Win win);
int __wrap_PMPI_Put(const void *from, int count, MPI_Datatype type, int rank, MPI_Aint at,
                    int there, MPI_Datatype as, MPI_Win win)
{
    if (type != MPI_BYTE || n_waiting == MOST)
        return __real_PMPI_Put(from, count, type, rank, at, there, as, win);
    waiting[n_waiting].from = from;
    waiting[n_waiting].copy = NULL;
    waiting[n_waiting].bytes = count;
    waiting[n_waiting].rank = rank;
    waiting[n_waiting].at = at;
    waiting[n_waiting++].win = win;
    put_late++;
    return MPI_SUCCESS;
}

static void take_copies(int rank, MPI_Win win)
{
    for (int i = 0; i < n_waiting; i++)
        if (waiting[i].win == win && !waiting[i].copy && (rank < 0 || waiting[i].rank == rank)) {
            waiting[i].copy = malloc((size_t)waiting[i].bytes + 1);
            memcpy(waiting[i].copy, waiting[i].from, (size_t)waiting[i].bytes);
        }
}

static void deliver(int rank, MPI_Win win)
{
    int left = 0;
    for (int i = 0; i < n_waiting; i++) {
        if (waiting[i].win != win || (rank >= 0 && waiting[i].rank != rank)) {
            waiting[left++] = waiting[i];
            continue;
        }
        const void *from = waiting[i].copy ? waiting[i].copy : waiting[i].from;
        __real_PMPI_Put(from, waiting[i].bytes, MPI_BYTE, waiting[i].rank, waiting[i].at,
                        waiting[i].bytes, MPI_BYTE, win);
        if (waiting[i].copy) /* may be read until the flush */
            MPI_Win_flush_local(waiting[i].rank, win);
        free(waiting[i].copy);
    }
    n_waiting = left;
}

int __real_PMPI_Win_flush(int rank, MPI_Win win);
int __wrap_PMPI_Win_flush(int rank, MPI_Win win);
int __wrap_PMPI_Win_flush(int rank, MPI_Win win)
{
    if (n_waiting) { /* counters without an earlier flush of data overtake these */
        __real_PMPI_Win_flush(rank, win);
        usleep(2000);
    }
    deliver(rank, win);
    return __real_PMPI_Win_flush(rank, win);
}

int __real_PMPI_Win_flush_local(int rank, MPI_Win win);
int __wrap_PMPI_Win_flush_local(int rank, MPI_Win win);
int __wrap_PMPI_Win_flush_local(int rank, MPI_Win win)
{
    take_copies(rank, win);
    return __real_PMPI_Win_flush_local(rank, win);
}

int __real_PMPI_Win_flush_local_all(MPI_Win win);
int __wrap_PMPI_Win_flush_local_all(MPI_Win win);
int __wrap_PMPI_Win_flush_local_all(MPI_Win win)
{
    take_copies(-1, win);
    return __real_PMPI_Win_flush_local_all(win);
}

int __real_PMPI_Win_unlock_all(MPI_Win win);
int __wrap_PMPI_Win_unlock_all(MPI_Win win);
int __wrap_PMPI_Win_unlock_all(MPI_Win win)
{
    deliver(-1, win);
    return __real_PMPI_Win_unlock_all(win);
}

static size_t wrong_bytes(const unsigned char *got, int mark)
{
    size_t wrong = 0;
    for (size_t i = 0; i < BYTES; i++)
        wrong += got[i] != (unsigned char)mark;
    return wrong;
}

/* Puts to one rank, `apart` ranks further on, and a fence. Twice: counts for the first fence do not
 * count for the second. */
static void test_fence(int apart)
{
    summand_segment *segment = make(world, BYTES, 1);
    unsigned char *got = memory_of(segment), *block = malloc(BYTES);
    int to = (harness_rank + apart) % harness_ranks;
    int from = (harness_rank + harness_ranks - apart % harness_ranks) % harness_ranks;
    slow = from;
    for (int k = 1; k <= 3; k++) {
        memset(block, 10 * k + harness_rank, BYTES);
        OK(summand_put(block, BYTES, to, 0, 0, segment));
        OK(summand_segment_barrier(1, SUMMAND_TIMEOUT_FOREVER, segment));
        size_t wrong = wrong_bytes(got, 10 * k + from);
        CHECK(!wrong, "%s: %zu bytes wrong behind fence %d, from %d", row->name, wrong, k, from);
        OK(summand_queue_wait(0, SUMMAND_TIMEOUT_FOREVER, segment));
        OK(summand_segment_barrier(0, SUMMAND_TIMEOUT_FOREVER, segment));
    }
    slow = MPI_PROC_NULL;
    OK(summand_segment_free(&segment));
    free(block);
}

static void check_order(summand_segment *segment, const unsigned char *got, int id, uint64_t k)
{
    OK(summand_notify_wait(last(), id, k, SUMMAND_TIMEOUT_FOREVER, segment));
    size_t wrong = wrong_bytes(got, (int)(20 * k) + last());
    CHECK(!wrong, "%s: %zu bytes wrong behind counter %d", row->name, wrong, (int)k);
}

/* Data, then a counter with and without data of its own; the data are changed once the queue is
 * empty. */
static void test_order(void)
{
    summand_segment *segment = make(world, BYTES + 8, 1);
    unsigned char *got = memory_of(segment), *block = malloc(BYTES);
    int first;
    OK(summand_notify_range(1, &first, segment));
    for (uint64_t k = 1; k <= 4; k++) {
        memset(block, (int)(20 * k) + harness_rank, BYTES);
        if (harness_rank) /* in sequence: a waiting rank polls all the time */
            check_order(segment, got, first, k);
        OK(summand_put(block, BYTES, next(), 0, 0, segment));
        if (k % 2)
            OK(summand_notify(next(), first, 1, segment));
        else
            OK(summand_put_notify(block, 8, next(), BYTES, first, 1, 0, segment));
        if (!harness_rank)
            check_order(segment, got, first, k);
        OK(summand_queue_wait(0, SUMMAND_TIMEOUT_FOREVER, segment));
        OK(summand_segment_barrier(0, SUMMAND_TIMEOUT_FOREVER, segment));
    }
    OK(summand_segment_free(&segment));
    free(block);
}

static void test_all(void)
{
    held = put_late = 0;
    test_order();
    for (int apart = 1; apart < harness_ranks; apart++)
        test_fence(apart);
    if (!strcmp(row->name, "p2p"))
        CHECK(held, "no message was late");
    if (!strcmp(row->name, "rma"))
        CHECK(put_late, "no put was late");
}
