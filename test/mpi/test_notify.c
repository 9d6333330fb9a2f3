/* np: 1 2 3 5 8; together brief; over: shm; also: apart/2 late/3 late-p2p/2 */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Puts with notification over every window of the table: data behind a counter are complete,
 * whatever the delays. Covers many producers, credits, waits for one of many, fences, and segments
 * of subgroups. */
#include <sched.h>
#include <stdlib.h>
#include <summand.h>

#include "mpi/neighbours.h"
#include "mpi/notify.h"

/* Sometimes the rank yields, sometimes it sleeps, mostly it continues. */
static void dawdle(uint64_t *random)
{
    uint64_t drawn = harness_random(random) % 16;
    if (drawn == 0)
        usleep((useconds_t)(harness_random(random) % 300));
    else if (drawn < 4)
        sched_yield();
}

/* Element i of a rank's put in a round, in bytes of all values. */
static unsigned char pattern(int rank, uint64_t round, size_t i)
{
    uint64_t seed = (uint64_t)rank << 48 ^ round << 20 ^ i;
    return (unsigned char)(harness_random(&seed) >> 8);
}

static size_t wrong_bytes(const unsigned char *got, size_t n, int rank, uint64_t round)
{
    size_t wrong = 0;
    for (size_t i = 0; i < n; i++)
        wrong += got[i] != pattern(rank, round, i);
    return wrong;
}

/* A ring of slots to the next rank, with credits back. Every round has another length and takes up
 * to three puts, the last of which notifies. */
static void test_slots(MPI_Comm comm, size_t most)
{
    enum { SLOTS = 3, FULL = 0, FREE = 1 };
    int rank, ranks, first;
    uint64_t rounds = few ? 8 : 30, random, lengths = harness_seed();
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    random = harness_seed() + (uint64_t)rank;
    int after = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
    summand_segment *segment = make(comm, (MPI_Count)(SLOTS * most), 2);
    unsigned char *slots = memory_of(segment), *block = malloc(SLOTS * most + 1);
    OK(summand_notify_range(2, &first, segment));
    size_t wrong = 0;
    for (uint64_t k = 0; k < rounds; k++) {
        size_t n = most ? harness_random(&lengths) % (most + 1) : 0, at = (k % SLOTS) * most;
        size_t cut = n ? harness_random(&lengths) % n : 0;
        dawdle(&random);
        if (k >= SLOTS)
            OK(summand_notify_wait(after, first + FREE, k - SLOTS + 1, SUMMAND_TIMEOUT_FOREVER,
                                   segment));
        OK(summand_queue_wait((int)(k % SLOTS), SUMMAND_TIMEOUT_FOREVER, segment));
        for (size_t i = 0; i < n; i++)
            block[at + i] = pattern(rank, k, i);
        OK(summand_put(block + at, (MPI_Count)cut, after, (MPI_Count)at, (int)(k % SLOTS),
                       segment));
        dawdle(&random);
        OK(summand_put_notify(block + at + cut, (MPI_Count)(n - cut), after, (MPI_Count)(at + cut),
                              first + FULL, 1, (int)(k % SLOTS), segment));
        dawdle(&random);
        OK(summand_notify_wait(from, first + FULL, k + 1, SUMMAND_TIMEOUT_FOREVER, segment));
        wrong += wrong_bytes(slots + at, n, from, k);
        OK(summand_notify(from, first + FREE, 1, segment));
    }
    CHECK(!wrong, "%s, up to %zu bytes: %zu wrong", row->name, most, wrong);
    for (int q = 0; q < SLOTS; q++)
        OK(summand_queue_wait(q, SUMMAND_TIMEOUT_FOREVER, segment));
    OK(summand_segment_free(&segment));
    CHECK(!segment, "set to NULL");
    free(block);
}

/* Each rank counts up one counter on each rank, by its own step, behind its own data. */
static void test_producers(void)
{
    enum { N = 700 };
    uint64_t rounds = few ? 3 : 10, all = 0, random = harness_seed() + (uint64_t)harness_rank;
    int first;
    summand_segment *segment = make(world, (MPI_Count)N * harness_ranks, 3);
    unsigned char *got = memory_of(segment), block[2][N];
    OK(summand_notify_range(3, &first, segment));
    for (int r = 0; r < harness_ranks; r++)
        all += (uint64_t)r + 1;
    for (uint64_t k = 0; k < rounds; k++) {
        unsigned char *own = block[k % 2];
        uint64_t value = 0;
        OK(summand_queue_wait(0, SUMMAND_TIMEOUT_FOREVER, segment));
        for (size_t i = 0; i < N; i++)
            own[i] = pattern(harness_rank, k, i);
        for (int r = 0; r < harness_ranks; r++) {
            dawdle(&random);
            OK(summand_put_notify(own, N, (harness_rank + r) % harness_ranks,
                                  (MPI_Count)N * harness_rank, first + 1,
                                  (uint64_t)harness_rank + 1, 0, segment));
        }
        OK(summand_notify_wait(MPI_ANY_SOURCE, first + 1, all * (k + 1), SUMMAND_TIMEOUT_FOREVER,
                               segment));
        size_t wrong = 0;
        for (int r = 0; r < harness_ranks; r++)
            wrong += wrong_bytes(got + (size_t)r * N, N, r, k);
        CHECK(!wrong, "%s: %zu bytes wrong", row->name, wrong);
        OK(summand_notify_value(harness_ranks - 1, first + 1, &value, segment));
        CHECK(value == (uint64_t)harness_ranks * (k + 1), "of the last rank");
        OK(summand_notify_value(MPI_ANY_SOURCE, first + 1, &value, segment));
        CHECK(value == all * (k + 1), "no rank is further: all wait for the slots");
        OK(summand_segment_barrier(0, SUMMAND_TIMEOUT_FOREVER, segment));
    }
    uint64_t value = 1;
    OK(summand_notify_value(MPI_ANY_SOURCE, first, &value, segment));
    CHECK(!value, "nobody has counted that");
    OK(summand_segment_free(&segment));
}

/* 64-bit counters, steps of all sizes, and the first of several counters. */
static void test_values(void)
{
    enum { IDS = 6 };
    uint64_t values[IDS] = {1, 1, 1, 1, 1, 1}, huge = UINT64_C(1) << 40, value;
    int first, which = 9;
    summand_segment *segment = make(world, 0, IDS);
    OK(summand_notify_range(IDS, &first, segment));
    OK(summand_segment_barrier(0, SUMMAND_TIMEOUT_FOREVER, segment));
    CHECK(summand_notify_wait_any(last(), first, IDS, values, SUMMAND_TIMEOUT_TEST, &which,
                                  segment) == SUMMAND_NOTIFY_NOT_YET &&
              which == -1,
          "nothing has come");
    OK(summand_segment_barrier(0, SUMMAND_TIMEOUT_FOREVER, segment));
    OK(summand_notify(next(), first + 2, huge, segment));
    OK(summand_notify(next(), first + 4, 3, segment));
    OK(summand_notify(next(), first + 4, 0, segment));
    OK(summand_notify_wait(last(), first + 4, 3, SUMMAND_TIMEOUT_FOREVER, segment));
    OK(summand_notify_wait_any(last(), first, IDS, values, SUMMAND_TIMEOUT_FOREVER, &which,
                               segment));
    CHECK(which == 2, "%s: %d is not the first that has come", row->name, which);
    values[2] = huge + 1;
    OK(summand_notify_wait_any(MPI_ANY_SOURCE, first + 1, IDS - 1, values + 1, 10, &which,
                               segment));
    CHECK(which == 3, "%s: %d is not the first that has come", row->name, which);
    OK(summand_notify_value(last(), first + 4, &value, segment));
    CHECK(value == 3, "%s: 0 is not counted", row->name);
    CHECK(summand_notify_wait(last(), first + 2, huge + 1, SUMMAND_TIMEOUT_TEST, segment) ==
              SUMMAND_NOTIFY_NOT_YET,
          "no more");
    OK(summand_segment_barrier(0, SUMMAND_TIMEOUT_FOREVER, segment));
    OK(summand_notify(next(), first + 2, UINT64_MAX - huge, segment));
    OK(summand_notify_wait(last(), first + 2, UINT64_MAX, SUMMAND_TIMEOUT_FOREVER, segment));
    OK(summand_segment_free(&segment));
}

/* Puts without a counter, all to all: complete after a fence. A barrier resumes if a call has left
 * it. */
static void test_fence(void)
{
    uint64_t rounds = few ? 2 : 6, random = harness_seed() + (uint64_t)harness_rank;
    size_t n = 9000, ranks = (size_t)harness_ranks;
    summand_segment *segment = make(world, (MPI_Count)(n * ranks), 0);
    unsigned char *got = memory_of(segment), *block = malloc(n);
    for (uint64_t k = 0; k < rounds; k++) {
        int code;
        for (size_t i = 0; i < n; i++)
            block[i] = pattern(harness_rank, k, i);
        for (int r = 0; r < harness_ranks; r++)
            OK(summand_put(block, (MPI_Count)n, r, (MPI_Count)n * harness_rank, 0, segment));
        dawdle(&random);
        while ((code = summand_segment_barrier(1, harness_rank % 2 ? SUMMAND_TIMEOUT_TEST : 0.001,
                                               segment)) == SUMMAND_NOTIFY_NOT_YET)
            sched_yield();
        OK(code);
        size_t wrong = 0;
        for (size_t r = 0; r < ranks; r++)
            wrong += wrong_bytes(got + r * n, n, (int)r, k);
        CHECK(!wrong, "%s: %zu bytes wrong behind a fence", row->name, wrong);
        OK(summand_queue_wait(0, SUMMAND_TIMEOUT_FOREVER, segment));
        OK(summand_segment_barrier(0, SUMMAND_TIMEOUT_FOREVER, segment));
    }
    OK(summand_segment_free(&segment));
    free(block);
}

/* No rank leaves a barrier before all have arrived. */
static void test_barrier(void)
{
    int rounds = few ? 3 : 12, first;
    uint64_t random = harness_seed() + (uint64_t)harness_rank, value = 0;
    summand_segment *segment = make(world, 0, 1);
    OK(summand_notify_range(1, &first, segment));
    for (int k = 1; k <= rounds; k++) {
        dawdle(&random);
        for (int r = 0; r < harness_ranks; r++)
            OK(summand_notify(r, first, 1, segment));
        OK(summand_segment_barrier(k % 2, SUMMAND_TIMEOUT_FOREVER, segment));
        OK(summand_notify_value(MPI_ANY_SOURCE, first, &value, segment));
        if (k % 2) /* a fence: all counted puts have arrived */
            CHECK(value >= (uint64_t)harness_ranks * (uint64_t)k, "%s: %d of %d", row->name,
                  (int)value, harness_ranks * k);
        OK(summand_segment_barrier(0, SUMMAND_TIMEOUT_FOREVER, segment));
    }
    OK(summand_segment_free(&segment));
}

/* Ranges do not overlap, and keep nothing of an earlier owner. */
static void test_ranges(void)
{
    int a, b, c, none = 77, argument = summand_error_code(SUMMAND_ERR_ARGUMENT);
    uint64_t value;
    summand_segment *segment = make(world, 8, 10);
    OK(summand_notify_range(4, &a, segment));
    OK(summand_notify_range(3, &b, segment));
    CHECK(a + 4 <= b || b + 3 <= a, "%d and %d meet", a, b);
    CHECK(summand_notify_range(4, &none, segment) == argument && none == 77, "no room");
    OK(summand_notify_range(3, &c, segment));
    for (int id = 0; id < 10; id++)
        OK(summand_notify(next(), id, (uint64_t)id + 1, segment));
    OK(summand_notify_range_free(b, segment));
    CHECK(summand_notify(next(), b, 1, segment) == argument, "nobody's");
    CHECK(summand_notify_wait(last(), b + 2, 0, SUMMAND_TIMEOUT_TEST, segment) == argument,
          "nobody's");
    CHECK(summand_notify_range_free(b, segment) == argument, "nobody's");
    CHECK(summand_notify_range_free(a + 1, segment) == argument, "not the first");
    OK(summand_notify_range(2, &b, segment));
    for (int i = 0; i < 2; i++) {
        OK(summand_notify_value(MPI_ANY_SOURCE, b + i, &value, segment));
        CHECK(!value, "%s: %d left of the last user", row->name, (int)value);
        CHECK(summand_notify_wait(last(), b + i, 1, SUMMAND_TIMEOUT_TEST, segment) ==
                  SUMMAND_NOTIFY_NOT_YET,
              "%s: left of the last user", row->name);
    }
    OK(summand_segment_barrier(0, SUMMAND_TIMEOUT_FOREVER, segment));
    OK(summand_notify(next(), b, 2, segment));
    OK(summand_notify_wait(last(), b, 2, SUMMAND_TIMEOUT_FOREVER, segment));
    OK(summand_notify_wait(last(), a + 3, (uint64_t)a + 4, SUMMAND_TIMEOUT_FOREVER, segment));
    OK(summand_notify_value(last(), a + 3, &value, segment));
    CHECK(value == (uint64_t)a + 4, "others keep theirs");
    OK(summand_segment_free(&segment));
}

/* Two segments with the same ids do not mix, nor do communicators; their ranks differ. The user
 * frees the communicator first. */
static void test_two_segments(void)
{
    MPI_Comm reversed;
    int first[2];
    uint64_t value;
    MPI_Comm_split(world, 0, -harness_rank, &reversed);
    summand_segment *segment[2] = {make(world, 64, 2), make(reversed, 64, 2)};
    int rank[2] = {harness_rank, harness_ranks - 1 - harness_rank};
    for (int s = 0; s < 2; s++)
        OK(summand_notify_range(1, &first[s], segment[s]));
    MPI_Comm_free(&reversed);
    CHECK(summand_notify_range(1, &rank[0], segment[1]) == MPI_ERR_COMM, "without a communicator");
    for (int s = 0; s < 2; s++) {
        int mark = 100 * s + rank[s];
        OK(summand_put_notify(&mark, sizeof mark, (rank[s] + 1) % harness_ranks, 8, first[s],
                              (uint64_t)s + 1, 0, segment[s]));
        OK(summand_queue_wait(0, SUMMAND_TIMEOUT_FOREVER, segment[s]));
    }
    for (int s = 1; s >= 0; s--) {
        int before = (rank[s] + harness_ranks - 1) % harness_ranks, mark;
        while (summand_notify_wait(before, first[s], (uint64_t)s + 1, 0.001, segment[s]) ==
               SUMMAND_NOTIFY_NOT_YET)
            summand_notify_value(before, first[!s], &value, segment[!s]); /* moves its messages */
        memcpy(&mark, memory_of(segment[s]) + 8, sizeof mark);
        CHECK(mark == 100 * s + before, "%s: segment %d has %d", row->name, s, mark);
        OK(summand_notify_value(MPI_ANY_SOURCE, first[s], &value, segment[s]));
        CHECK(value == (uint64_t)s + 1, "%s: segment %d", row->name, s);
    }
    OK(summand_segment_free(&segment[0]));
    OK(summand_segment_free(&segment[1]));
}

/* Direct access to other ranks' memory, if possible: writes the next rank's without a put, and
 * reads the previous rank's data in place. */
static void test_in_place(void)
{
    enum { N = 3000 };
    uint64_t rounds = few ? 4 : 20, random = harness_seed() + (uint64_t)harness_rank;
    int first, shared = !strcmp(row->name, "shm") || harness_ranks == 1;
    void *there = NULL, *from = NULL, *own = NULL;
    size_t wrong = 0;
    summand_segment *segment = make(world, 2 * N, 2);
    OK(summand_notify_range(2, &first, segment));
    OK(summand_segment_address(segment, harness_rank, &own));
    CHECK(own == memory_of(segment), "%s: its own", row->name);
    OK(summand_segment_address(segment, next(), &there));
    OK(summand_segment_address(segment, last(), &from));
    CHECK(!there == !shared && !from == !shared, "%s: %p, %p", row->name, there, from);
    for (uint64_t k = 1; k <= rounds && shared; k++) {
        for (size_t i = 0; i < N; i++) {
            ((unsigned char *)there)[i] = pattern(harness_rank, k, i);
            ((unsigned char *)own)[N + i] = pattern(harness_rank, k + 1000, i);
        }
        OK(summand_notify(next(), first, 1, segment));
        OK(summand_notify_wait(last(), first, k, SUMMAND_TIMEOUT_FOREVER, segment));
        wrong += wrong_bytes(own, N, last(), k);
        wrong += wrong_bytes((unsigned char *)from + N, N, last(), k + 1000);
        dawdle(&random);
        OK(summand_segment_barrier(0, SUMMAND_TIMEOUT_FOREVER, segment));
    }
    CHECK(!wrong, "%s: %zu bytes wrong in place", row->name, wrong);
    CHECK(summand_segment_address(segment, harness_ranks, &there) == MPI_ERR_RANK && !there,
          "no such rank");
    CHECK(summand_segment_address(segment, 0, NULL) == summand_error_code(SUMMAND_ERR_ARGUMENT),
          "nowhere to write to");
    OK(summand_segment_free(&segment));
}

/* A window that is only taken if it is named needs two ranks; a rank alone meets the others' turns
 * (make). */
static void test_part(MPI_Comm part)
{
    int ranks;
    MPI_Comm_size(part, &ranks);
    if (ranks > 1 || !row->named) {
        test_slots(part, 3000);
        return;
    }
    MPI_Barrier(world);
    MPI_Barrier(world);
}

static void test_subgroups(void)
{
    MPI_Comm half, reversed;
    MPI_Comm_split(world, harness_rank % 2, harness_rank, &half);
    MPI_Comm_split(world, harness_rank * 2 / (harness_ranks + 1), -harness_rank, &reversed);
    turn = harness_rank % 2;
    test_part(half);
    turn = harness_rank * 2 / (harness_ranks + 1);
    test_part(reversed);
    turn = -1;
    MPI_Comm_free(&half);
    MPI_Comm_free(&reversed);
}

/* A communicator of one rank shares memory with itself, unless the environment asks for messages.
 */
static void test_alone(void)
{
    const char *asked = getenv("SUMMAND_TRANSPORT"), *name = "";
    summand_segment *segment;
    void *address;
    if (strcmp(row->name, "shm") != 0 || (asked && !strcmp(asked, "p2p")))
        return;
    OK(summand_segment_create(64, 1, MPI_COMM_SELF, NULL, &segment));
    OK(summand_segment_memory(segment, &address, NULL, &name));
    CHECK(!strcmp(name, "shm"), "the best of one rank is %s", name);
    OK(summand_segment_free(&segment));
    OK(summand_segment_free(&segment));
    segment = make(MPI_COMM_SELF, 64, 1); /* named */
    OK(summand_segment_free(&segment));
}

static void test_all(void)
{
    test_slots(world, 0);
    test_slots(world, 60);
    test_slots(world, 5000);
    if (!few)
        test_slots(world, 70000);
    test_producers();
    test_values();
    test_fence();
    test_barrier();
    test_ranges();
    test_two_segments();
    test_in_place();
    test_alone();
    test_subgroups();
}
