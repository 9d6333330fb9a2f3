/* np: 2 3 8; other_sleeper; over: shm */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Segments with errors or missing events: arguments, timeouts, full queues, and ranks that free the
 * segment while others wait. Each outcome is reported, nobody waits for ever, and the segment
 * continues to work. */
#include <stdlib.h>
#include <summand.h>
#include <time.h>

#include "comm/state.h"
#include "mpi/neighbours.h"
#include "mpi/notify.h"

static int code_of(enum summand_error error)
{
    return summand_error_code(error);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* A ring of one notification shows that the segment works. */
static void works(summand_segment *segment, int id, uint64_t *count)
{
    OK(summand_notify(next(), id, 1, segment));
    OK(summand_notify_wait(last(), id, ++*count, SUMMAND_TIMEOUT_FOREVER, segment));
}

/* A refused call has no effect. */
static void test_arguments(void)
{
    enum { BYTES = 100 };
    int argument = code_of(SUMMAND_ERR_ARGUMENT), id, which;
    char data[BYTES] = {1};
    uint64_t count = 0, one = 1, value;
    double nan = strtod("nan", NULL);
    summand_segment *s = make(world, BYTES, 4);
    OK(summand_notify_range(2, &id, s));
    CHECK(summand_put(data, 51, next(), 50, 0, s) == MPI_ERR_RMA_RANGE, "beyond the end");
    CHECK(summand_put(data, 1, next(), -1, 0, s) == MPI_ERR_RMA_RANGE, "before the beginning");
    CHECK(summand_put(data, -1, next(), 0, 0, s) == MPI_ERR_RMA_RANGE, "below nothing");
    CHECK(summand_put(data, (MPI_Count)1 << 62, next(), 0, 0, s) == MPI_ERR_RMA_RANGE, "too many");
    CHECK(summand_put(data, 1, harness_ranks, 0, 0, s) == MPI_ERR_RANK, "no such rank");
    CHECK(summand_put(data, 1, -1, 0, 0, s) == MPI_ERR_RANK, "no such rank");
    CHECK(summand_put(NULL, 1, next(), 0, 0, s) == argument, "no data");
    CHECK(summand_put(data, 1, next(), 0, 3, s) == argument, "no such queue");
    CHECK(summand_put(data, 1, next(), 0, -1, s) == argument, "no such queue");
    CHECK(summand_put_notify(data, 1, next(), 0, 3, 1, 0, s) == argument, "nobody's id");
    CHECK(summand_put_notify(data, 1, next(), 0, -1, 1, 0, s) == argument, "no such id");
    CHECK(summand_put_notify(data, 1, next(), 0, 4, 1, 0, s) == argument, "no such id");
    CHECK(summand_put_notify(data, 101, next(), 0, id, 1, 0, s) == MPI_ERR_RMA_RANGE, "too long");
    CHECK(summand_notify(harness_ranks, id, 1, s) == MPI_ERR_RANK, "no such rank");
    CHECK(summand_notify(next(), 3, 1, s) == argument, "nobody's id");
    CHECK(summand_notify_wait(harness_ranks, id, 1, 0, s) == MPI_ERR_RANK, "no such rank");
    CHECK(summand_notify_wait(last(), 3, 1, 0, s) == argument, "nobody's id");
    CHECK(summand_notify_wait(last(), id, 1, nan, s) == argument, "no time");
    CHECK(summand_notify_wait_any(last(), id, 0, &one, 0, &which, s) == argument, "none");
    CHECK(summand_notify_wait_any(last(), id, 3, &one, 0, &which, s) == argument, "two ranges");
    CHECK(summand_notify_wait_any(last(), id, 2, NULL, 0, &which, s) == argument, "no values");
    CHECK(summand_notify_wait_any(last(), id, 1, &one, 0, NULL, s) == argument, "no result");
    CHECK(summand_notify_value(last(), 3, &value, s) == argument, "nobody's id");
    CHECK(summand_notify_value(-7, id, &value, s) == MPI_ERR_RANK, "no such rank");
    CHECK(summand_queue_wait(3, 0, s) == argument, "no such queue");
    CHECK(summand_queue_wait(0, nan, s) == argument, "no time");
    CHECK(summand_segment_barrier(0, nan, s) == argument, "no time");
    CHECK(summand_segment_memory(s, NULL, NULL, NULL) == argument, "nowhere to write to");
    OK(summand_segment_barrier(1, SUMMAND_TIMEOUT_FOREVER, s));
    OK(summand_notify_value(MPI_ANY_SOURCE, id, &value, s));
    CHECK(!value && !memory_of(s)[0] && !memory_of(s)[50], "%s: done all the same", row->name);
    OK(summand_put(data, 0, next(), BYTES, 0, s));
    OK(summand_segment_barrier(0, SUMMAND_TIMEOUT_FOREVER, s));
    works(s, id, &count);
    OK(summand_segment_free(&s));
    OK(summand_segment_free(&s));
    OK(summand_segment_free(NULL));
}

static bool says(int code, const char *words)
{
    return strstr(summand_error_text(code), words);
}

/* Sizes and displacements whose sums and products overflow; the error names both. */
static void test_hostile_sizes(void)
{
    static const MPI_Count hostile[] = {
        INT64_MIN,         -1,       0, 1, 100, (MPI_Count)1 << 61, (MPI_Count)1 << 62,
        INT64_MAX / 8 + 1, INT64_MAX};
    enum { N = sizeof hostile / sizeof *hostile };
    char data[1] = {1}, words[64];
    summand_segment *s = make(world, 100, 1), *none;
    for (int k = 0; k < N * N; k++) {
        const MPI_Count bytes = hostile[k / N], at = hostile[k % N];
        if ((bytes == 0 && at >= 0 && at <= 100) || (bytes >= 0 && bytes <= 100 - at && at >= 0))
            continue;
        int code = summand_put(data, bytes, next(), at, 0, s);
        snprintf(words, sizeof words, "%lld at displacement %lld", (long long)bytes, (long long)at);
        CHECK(code == MPI_ERR_RMA_RANGE && says(code, words), "%s: %s: %s", row->name, words,
              notify_words(code));
    }
    OK(summand_segment_free(&s));
    const summand_segment_options options = {.transport = row->name};
    for (int k = 0; k < N; k++) {
        if (hostile[k] >= 0 && hostile[k] <= 100)
            continue;
        int code = summand_segment_create(hostile[k], 1, world, &options, &none);
        CHECK(code != MPI_SUCCESS && !none, "%s: a segment of %lld bytes", row->name,
              (long long)hostile[k]);
    }
}

/* A counter at its largest value stays there: an addition beyond it is refused without any effect.
 * The sum of all ranks' additions also stays at the largest value. */
static void test_largest(void)
{
    const uint64_t most = UINT64_MAX;
    const int argument = code_of(SUMMAND_ERR_ARGUMENT);
    char data = 7;
    uint64_t value = 0;
    int id, code;
    summand_segment *s = make(world, 1, 3);
    OK(summand_notify_range(2, &id, s));
    for (int self = 0; self < 2; self++) {
        int to = self ? harness_rank : next(), from = self ? harness_rank : last();
        OK(summand_notify(to, id, 1, s));
        OK(summand_notify(to, id, most - 2, s));
        code = summand_notify(to, id, 2, s);
        CHECK(code == argument && says(code, "18446744073709551614"), "%s: above by 1", row->name);
        OK(summand_put_notify(NULL, 0, to, 0, id, 1, 0, s));
        OK(summand_notify_wait(from, id, most, SUMMAND_TIMEOUT_FOREVER, s));
        code = summand_notify(to, id, 5, s);
        CHECK(code == argument && says(code, "add is 5"), "%s: add 5", row->name);
        code = summand_put_notify(&data, 1, to, 0, id, most, 0, s);
        CHECK(code == argument, "%s: add all again", row->name);
        OK(summand_notify(to, id, 0, s));
        OK(summand_notify_value(from, id, &value, s));
        CHECK(value == most, "%s: %llu", row->name, (unsigned long long)value);
    }
    for (int to = 0; to < harness_ranks; to++)
        OK(summand_notify(to, id + 1, most / 2 + 1 + (uint64_t)harness_rank, s));
    OK(summand_notify_wait(MPI_ANY_SOURCE, id + 1, most, SUMMAND_TIMEOUT_FOREVER, s));
    OK(summand_segment_barrier(1, SUMMAND_TIMEOUT_FOREVER, s));
    for (int i = 0; i < 2; i++) {
        OK(summand_notify_value(MPI_ANY_SOURCE, id + i, &value, s));
        CHECK(value == most, "%s: of all ranks: %llu", row->name, (unsigned long long)value);
    }
    CHECK(!memory_of(s)[0], "%s: data of a put that was refused", row->name);
    OK(summand_notify_range_free(id, s));
    OK(summand_notify_range(2, &id, s));
    OK(summand_notify_value(last(), id, &value, s));
    CHECK(!value, "%s: of a new range: %llu", row->name, (unsigned long long)value);
    OK(summand_segment_free(&s));
}

/* One rank is wrong, or differs: an error on all, at once. */
static void test_one_rank_wrong(void)
{
    summand_segment_options options = {.transport = row->name}, odd = options;
    summand_segment *s = NULL, *none = (summand_segment *)1;
    bool mine = harness_rank == harness_ranks - 1;
    int argument = code_of(SUMMAND_ERR_ARGUMENT), remote = code_of(SUMMAND_ERR_REMOTE),
        mismatch = code_of(SUMMAND_ERR_MISMATCH), first = 5;
    uint64_t count = 0;
    int code = summand_segment_create(mine ? -1 : 8, 1, world, &options, &none);
    CHECK(code == (mine ? argument : remote) && !none, "bytes below 0: %s", notify_words(code));
    code = summand_segment_create(8, mine ? -1 : 1, world, &options, &none);
    CHECK(code == (mine ? argument : remote) && !none, "ids below 0: %s", notify_words(code));
    code = summand_segment_create(8, 1, world, &options, mine ? NULL : &none);
    CHECK(code == (mine ? argument : remote) && !none, "no result: %s", notify_words(code));
    odd.queues = mine ? 2000 : 1;
    code = summand_segment_create(8, 1, world, &odd, &none);
    CHECK(code == (mine ? argument : remote) && !none, "many queues: %s", notify_words(code));
    odd = (summand_segment_options){.transport = mine ? "carrier pigeon" : row->name};
    code = summand_segment_create(8, 1, world, &odd, &none);
    CHECK(code == (mine ? argument : remote) && !none, "no window: %s", notify_words(code));
    code = summand_segment_create(mine ? 8 : 16, 1, world, &options, &none);
    CHECK(code == mismatch && !none, "bytes differ: %s", notify_words(code));
    s = make(world, 8, 4);
    code = summand_notify_range(mine ? 0 : 1, &first, s);
    CHECK(code == (mine ? argument : remote) && first == 5, "a range: %s", notify_words(code));
    code = summand_notify_range(mine ? 1 : 2, &first, s);
    CHECK(code == mismatch && first == 5, "ranges differ: %s", notify_words(code));
    OK(summand_notify_range(1, &first, s));
    code = summand_notify_range_free(mine ? first + 1 : first, s);
    CHECK(code == (mine ? argument : remote), "a range: %s", notify_words(code));
    works(s, first, &count);
    OK(summand_segment_free(&s));
}

/* Ranks in different calls that all wait for all: an error on all, and the communicator continues
 * to work. */
static void test_unlike_barriers(void)
{
    const summand_segment_options options = {.transport = row->name};
    const int mismatch = code_of(SUMMAND_ERR_MISMATCH);
    bool mine = harness_rank == harness_ranks - 1;
    for (int k = 0; k < 4 && harness_ranks > 1; k++) {
        summand_segment *s = NULL;
        int id, code;
        OK(summand_segment_create(8, 4, world, &options, &s));
        if (k == 0)
            code = summand_segment_barrier(mine, SUMMAND_TIMEOUT_FOREVER, s);
        else if (k == 1)
            code = mine ? summand_notify_range(2, &id, s)
                        : summand_segment_barrier(0, SUMMAND_TIMEOUT_FOREVER, s);
        else {
            OK(summand_notify_range(2, &id, s));
            code = mine != (k == 2) ? summand_notify_range_free(id, s)
                                    : summand_segment_barrier(1, SUMMAND_TIMEOUT_FOREVER, s);
        }
        CHECK(code == mismatch, "%s: barriers of kinds %d: %s", row->name, k, notify_words(code));
        OK(summand_segment_free(&s));
    }
}

/* A wait that times out has the expected code, and lasts about `seconds`: neither none nor far
 * longer. */
static void expect_late(int code, int expected, double begin, double seconds, const char *what)
{
    double took = now() - begin;
    CHECK(code == expected && took >= 0.7 * seconds && took < seconds + 20,
          "%s: %s: %s after %.3f s", row->name, what, notify_words(code), took);
}

/* Limits later waits without a timeout: a wait without an event lasts that long, and no other one
 * comes near it. */
static void set_limit(MPI_Comm comm, double seconds)
{
    struct summand__state *state;
    OK(summand__state_of(comm, &state));
    state->channel.timeout = seconds;
}

/* A partner that never notifies, for each kind of timeout; then it does. */
static void test_times(void)
{
    const double time = 0.05, limit = 1;
    MPI_Comm comm;
    int id, which = 3, timeout = code_of(SUMMAND_ERR_TIMEOUT);
    uint64_t count = 0, values[2] = {1, 1};
    setenv("SUMMAND_TIMEOUT", "100", 1);
    MPI_Comm_dup(world, &comm);
    summand_segment *s = make(comm, 8, 2);
    unsetenv("SUMMAND_TIMEOUT");
    OK(summand_notify_range(2, &id, s));
    set_limit(comm, limit);
    double begin = now();
    int code = summand_notify_wait(last(), id, 1, SUMMAND_TIMEOUT_TEST, s);
    CHECK(code == SUMMAND_NOTIFY_NOT_YET && now() - begin < 10, "%s: a test", row->name);
    begin = now();
    code = summand_notify_wait(last(), id, 1, time, s);
    expect_late(code, SUMMAND_NOTIFY_NOT_YET, begin, time, "wait");
    begin = now();
    code = summand_notify_wait_any(MPI_ANY_SOURCE, id, 2, values, time, &which, s);
    expect_late(code, SUMMAND_NOTIFY_NOT_YET, begin, time, "wait_any");
    CHECK(which == -1, "none has come");
    begin = now();
    code = summand_notify_wait(last(), id, 1, SUMMAND_TIMEOUT_FOREVER, s);
    expect_late(code, timeout, begin, limit, "for ever");
    begin = now();
    code = summand_notify_wait(MPI_ANY_SOURCE, id, 1, -5, s);
    expect_late(code, timeout, begin, limit, "for ever, any");
    MPI_Barrier(world);
    set_limit(comm, 100);
    works(s, id, &count);
    set_limit(comm, limit);
    if (harness_rank) { /* all but one reach a barrier */
        begin = now();
        code = summand_segment_barrier(0, time, s);
        expect_late(code, SUMMAND_NOTIFY_NOT_YET, begin, time, "barrier");
        begin = now();
        code = summand_segment_barrier(0, SUMMAND_TIMEOUT_FOREVER, s);
        expect_late(code, timeout, begin, limit, "barrier, for ever");
    }
    MPI_Barrier(world);
    set_limit(comm, 100);
    while ((code = summand_segment_barrier(0, 0.001, s)) == SUMMAND_NOTIFY_NOT_YET)
        continue;
    OK(code);
    works(s, id, &count);
    OK(summand_segment_free(&s));
    MPI_Comm_free(&comm);
}

/* A busy target: if messages carry a put, it stays under way until the target polls. Each queue has
 * at most `depth` of them, and none is lost. */
static void test_full(void)
{
    enum { DEPTH = 3, BYTES = 300000 };
    summand_segment_options options = {.queues = 2, .depth = DEPTH, .transport = row->name};
    bool passive = row->abilities & SUMMAND__PASSIVE_TARGET, full = false;
    summand_segment *s = NULL;
    int id, code = MPI_SUCCESS;
    uint64_t put = 0, all = passive ? 2 * DEPTH + 1 : DEPTH + 2;
    unsigned char *block = malloc(BYTES);
    memset(block, harness_rank + 1, BYTES);
    OK(summand_segment_create(BYTES, 1, world, &options, &s));
    OK(summand_notify_range(1, &id, s));
    if (harness_rank == 0) {
        for (; put < 2 * DEPTH && !full; put += !full) {
            code = summand_put_notify(block, BYTES, 1, 0, id, 1, 0, s);
            full = code == SUMMAND_QUEUE_FULL;
            CHECK(full || code == MPI_SUCCESS, "%s: %s", row->name, notify_words(code));
        }
        CHECK(full == !passive && (!full || put == DEPTH), "%s: full: %d after %d puts", row->name,
              full, (int)put);
        if (full) {
            OK(summand_put_notify(block, BYTES, 1, 0, id, 1, 1, s)); /* the other queue is not */
            put++;
            CHECK(summand_queue_wait(0, SUMMAND_TIMEOUT_TEST, s) == SUMMAND_NOTIFY_NOT_YET,
                  "under way");
            CHECK(summand_queue_wait(0, 0.02, s) == SUMMAND_NOTIFY_NOT_YET, "under way");
            CHECK(summand_put(block, BYTES, 1, 0, 0, s) == SUMMAND_QUEUE_FULL, "still full");
        }
        OK(summand_put(block, 0, 1, 0, 0, s)); /* without data there is nothing to wait for */
    }
    MPI_Barrier(world);
    if (harness_rank == 0) {
        OK(summand_queue_wait(0, SUMMAND_TIMEOUT_FOREVER, s));
        OK(summand_queue_wait(1, SUMMAND_TIMEOUT_FOREVER, s));
        memset(block, 99, BYTES);
        OK(summand_put_notify(block, BYTES / 2, 1, 0, id, 1, 0, s));
        put++;
        CHECK(put == all, "%d puts", (int)put);
    }
    if (harness_rank == 1) {
        OK(summand_notify_wait(0, id, all, SUMMAND_TIMEOUT_FOREVER, s));
        const unsigned char *got = memory_of(s);
        CHECK(got[0] == 99 && got[BYTES / 2 - 1] == 99 && got[BYTES / 2] == 1 &&
                  got[BYTES - 1] == 1,
              "%s: puts in order, whole", row->name);
    }
    OK(summand_segment_free(&s));
    free(block);
}

/* Rank 1 frees the segment; others wait for its count, which does not come. */
static void test_free_while_waiting(void)
{
    int id, code = MPI_SUCCESS, which, remote = code_of(SUMMAND_ERR_REMOTE);
    uint64_t values[2] = {1, 2};
    for (int kind = 0; kind < 4; kind++) {
        summand_segment *s = make(world, 8, 2);
        OK(summand_notify_range(2, &id, s));
        if (harness_rank == 1) { /* this has arrived, whenever it is polled */
            OK(summand_notify(0, id + 1, 1, s));
        } else if (kind == 0) {
            code = summand_notify_wait(1, id, 1, SUMMAND_TIMEOUT_FOREVER, s);
        } else if (kind == 1) {
            code = summand_notify_wait_any(1, id, 2, values, 100, &which, s);
        } else if (kind == 2) {
            code = summand_segment_barrier(1, SUMMAND_TIMEOUT_FOREVER, s);
        } else {
            for (code = SUMMAND_NOTIFY_NOT_YET; code == SUMMAND_NOTIFY_NOT_YET;)
                code = summand_notify_wait(1, id, 1, SUMMAND_TIMEOUT_TEST, s);
        }
        CHECK(code == (harness_rank == 1 ? MPI_SUCCESS : remote), "%s, case %d: %s", row->name,
              kind, notify_words(code));
        if (harness_rank == 0)
            OK(summand_notify_wait(1, id + 1, 1, SUMMAND_TIMEOUT_FOREVER, s));
        OK(summand_segment_free(&s));
        code = MPI_SUCCESS;
    }
}

/* All but one rank time out while they free a segment, and then the last one arrives. Messages that
 * it still sends do not reach the segments, or MPI communicators, that are made next. */
static void test_free_late(void)
{
    int timeout = code_of(SUMMAND_ERR_TIMEOUT), remote = code_of(SUMMAND_ERR_REMOTE), id;
    MPI_Comm comm;
    setenv("SUMMAND_TIMEOUT", "100", 1);
    MPI_Comm_dup(world, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    summand_segment *s = make(comm, 8, 1);
    unsetenv("SUMMAND_TIMEOUT");
    MPI_Barrier(world);
    set_limit(comm, 1);
    alarm(100); /* a hang is a failure */
    for (int turn_of_last = 0; turn_of_last < 2; turn_of_last++) {
        if ((harness_rank == harness_ranks - 1) == turn_of_last) {
            int code = summand_segment_free(&s);
            CHECK(code == timeout || code == remote || (turn_of_last && code == MPI_SUCCESS),
                  "%s: %s", row->name, notify_words(code));
        }
        MPI_Barrier(world);
    }
    MPI_Comm_free(&comm);
    for (int next = 0; next < 3; next++) {
        uint64_t count = 0;
        MPI_Comm_dup(world, &comm);
        s = make(comm, 8, 2);
        OK(summand_notify_range(2, &id, s));
        works(s, id, &count);
        OK(summand_segment_free(&s));
        MPI_Barrier(comm);
        MPI_Comm_free(&comm);
    }
    alarm(0);
}

static void test_all(void)
{
    test_arguments();
    test_hostile_sizes();
    test_largest();
    test_one_rank_wrong();
    test_unlike_barriers();
    test_times();
    test_full();
    test_free_while_waiting();
    test_free_late();
}
