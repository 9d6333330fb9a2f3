/* np: 1 2 3 5; over: shm; also: apart/2 apart/3 late/3 */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows of all transports of the table: rings of slots with counters, puts that return at once,
 * the order of a counter behind data, waits for one of many, and wrong arguments. */
#include <stdlib.h>
#include <summand.h>

#include "compute/mpi/window.h"
#include "mpi/fresh.h"
#include "mpi/neighbours.h"
#include "process/error.h"

#ifndef SMPI_H /* no transport uses its windows */
/* Holds back the answer that a rank must give before it is flushed: instead, a message comes when
 * the test sends it. */
enum { ANSWER_TAG = 4711 };
static bool holds_back;

int __real_PMPI_Rget(void *origin, int count, MPI_Datatype datatype, int rank, MPI_Aint at,
                     int target, MPI_Datatype target_type, MPI_Win win, MPI_Request *request);
int __wrap_PMPI_Rget(void *origin, int count, MPI_Datatype datatype, int rank, MPI_Aint at,
                     int target, MPI_Datatype target_type, MPI_Win win, MPI_Request *request);
int __wrap_PMPI_Rget(void *origin, int count, MPI_Datatype datatype, int rank, MPI_Aint at,
                     int target, MPI_Datatype target_type, MPI_Win win, MPI_Request *request)
{
    return holds_back ? MPI_Irecv(origin, count, datatype, 0, ANSWER_TAG, MPI_COMM_SELF, request)
                      : __real_PMPI_Rget(origin, count, datatype, rank, at, target, target_type,
                                         win, request);
}
#endif

static struct summand__state *state;
static bool few; /* ranks share processors, and some MPIs spin: few messages */
static const struct summand__window_transport *transport;

static struct summand__window *open_window(const struct summand__window_spec *spec)
{
    struct summand__window *window = NULL;
    int code = transport->open(state, spec, &window);
    CHECK(code == MPI_SUCCESS && window, "%s: open: %d", transport->name, code);
    if (!window)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return window;
}

static void close_window(struct summand__window *window)
{
    MPI_Barrier(MPI_COMM_WORLD);
    transport->close(window);
}

static int put_double(struct summand__window *window, int rank, int slot, const double *data,
                      size_t count, int counter, unsigned flags)
{
    struct summand__put put = {.data = data,
                               .bytes = count * sizeof *data,
                               .rank = rank,
                               .slot = slot,
                               .counter = counter,
                               .flags = (uint8_t)flags};
    return transport->put(window, &put);
}

static void expect_wait(struct summand__window *window, int counter, int producer, uint64_t value)
{
    int code = summand__window_wait(window, counter, producer, value, 0);
    CHECK(code == MPI_SUCCESS, "%s: wait: %d", transport->name, code);
}

/* Rounds of a ring, two slots: each rank puts a block to the next one, which must see all of it.
 * The previous rank may write a slot again after the next one has read it; a counter without data
 * says so. */
static void test_ring(size_t n, unsigned flags)
{
    enum { FULL = 1, FREE = 2 };
    int rounds = few ? 4 : 20;
    size_t bytes[2] = {n * sizeof(double), n * sizeof(double)};
    struct summand__window_spec spec = {.slot_bytes = bytes, .slots = 2, .counters = 3};
    struct summand__window *window = open_window(&spec);
    double *block[2] = {malloc((n + 1) * sizeof(double)), malloc((n + 1) * sizeof(double))};
    size_t wrong = 0;
    bool done;
    for (int round = 0; round < rounds; round++) {
        double *own = block[round % 2];
        if (round > 1)
            expect_wait(window, FREE, next(), (uint64_t)round - 1);
        if (flags && round > 1)
            CHECK(transport->flush(window, next(), true, &done) == MPI_SUCCESS && done, "flush");
        for (size_t i = 0; i < n; i++)
            own[i] = value(harness_rank, round, i);
        int code = put_double(window, next(), round % 2, own, n, FULL, flags);
        CHECK(code == MPI_SUCCESS, "%s: put: %d", transport->name, code);
        for (size_t i = 0; i < n && !flags; i++)
            own[i] = -1;
        expect_wait(window, FULL, last(), (uint64_t)round + 1);
        const double *got = (const double *)(void *)window->slot[round % 2].data;
        for (size_t i = 0; i < n; i++)
            wrong += got[i] != value(last(), round, i);
        CHECK(transport->notify(window, last(), FREE) == MPI_SUCCESS, "notify");
    }
    CHECK(!wrong, "%s, %zu elements: %zu wrong", transport->name, n, wrong);
    expect_wait(window, FREE, next(), (uint64_t)rounds);
    CHECK(transport->flush(window, SUMMAND__EVERY_RANK, true, &done) == MPI_SUCCESS && done,
          "flush");
    CHECK(transport->test(window, 0, 1, &done) == MPI_SUCCESS && !done, "nobody has counted that");
    close_window(window);
    free(block[0]);
    free(block[1]);
}

/* Puts without a counter to many slots, then one counter for all of them. Each rank puts to all,
 * itself included; counters by producer. Heads and trailers are written like data. */
static void test_order(void)
{
    enum { SLOTS = 7, HEAD = 24, TRAILER = 40 };
    int rounds = few ? 2 : 10;
    size_t bytes[SLOTS] = {0, 1, 64, 1000, 5, 70000, 8}, wrong = 0;
    int ranks = harness_ranks;
    size_t *all = malloc((size_t)(SLOTS * ranks) * sizeof *all);
    for (int s = 0; s < SLOTS * ranks; s++)
        all[s] = bytes[s % SLOTS];
    struct summand__window_spec spec = {.slot_bytes = all,
                                        .slots = SLOTS * ranks,
                                        .counters = 2 * ranks,
                                        .head = HEAD,
                                        .trailer = TRAILER};
    struct summand__window *window = open_window(&spec);
    CHECK(window->head == HEAD && window->trailer == TRAILER, "what was reserved");
    unsigned char *from = malloc(70000 + HEAD + TRAILER);
    for (int round = 1; round <= rounds; round++) {
        memset(from, 16 * round + harness_rank, 70000 + HEAD + TRAILER);
        for (int r = 0; r < ranks; r++) {
            for (int s = 0; s < SLOTS; s++) {
                struct summand__put put = {.data = from,
                                           .bytes = HEAD + bytes[s] + TRAILER,
                                           .rank = r,
                                           .slot = SLOTS * harness_rank + s,
                                           .offset = -HEAD,
                                           .counter = SUMMAND__NO_COUNTER};
                CHECK(transport->put(window, &put) == MPI_SUCCESS, "put");
            }
            CHECK(transport->notify(window, r, harness_rank) == MPI_SUCCESS, "notify");
        }
        for (int r = 0; r < ranks; r++) {
            expect_wait(window, r, r, (uint64_t)round);
            for (int s = SLOTS * r; s < SLOTS * (r + 1); s++) {
                CHECK(window->slot[s].bytes == all[s] && (uintptr_t)window->slot[s].data % 64 == 0,
                      "slot");
                for (size_t i = 0; i < HEAD + all[s] + TRAILER; i++)
                    wrong += window->slot[s].data[(ptrdiff_t)i - HEAD] != 16 * round + r;
            }
        }
        for (int r = 0; r < ranks; r++)
            transport->notify(window, r, ranks + harness_rank);
        for (int r = 0; r < ranks; r++)
            expect_wait(window, ranks + r, r, (uint64_t)round);
    }
    CHECK(!wrong, "%s: %zu bytes wrong", transport->name, wrong);
    close_window(window);
    free(from);
    free(all);
}

/* Counters without slots; a wait for any of them returns the first in its list. */
static void test_counters(void)
{
    enum { MANY = 100 };
    int many = few ? 12 : MANY, total = 0;
    struct summand__window_spec spec = {.counters = many};
    struct summand__window *window = open_window(&spec);
    struct summand__counter_wait waits[MANY];
    uint64_t seen[MANY] = {0};
    for (int c = 0; c < many; c++)
        for (int k = 0; k <= c % 3; k++, total++)
            CHECK(transport->notify(window, next(), many - 1 - c) == MPI_SUCCESS, "notify");
    for (; total > 0; total--) {
        int which = -1;
        for (int c = 0; c < many; c++)
            waits[c] = (struct summand__counter_wait){c, last(), seen[c] + 1};
        int code = transport->wait_any(window, many, waits, 0, &which);
        CHECK(code == MPI_SUCCESS && which >= 0 && which < many, "wait_any: %d", code);
        if (which < 0 || which >= many)
            break;
        seen[which]++;
        for (int c = 0; c < which; c++)
            CHECK(seen[c] <= (uint64_t)((many - 1 - c) % 3 + 1), "counted too far");
    }
    for (int c = 0; c < many; c++) {
        bool done = false;
        CHECK(seen[c] == (uint64_t)((many - 1 - c) % 3 + 1), "counter %d: %d", c, (int)seen[c]);
        CHECK(transport->test(window, c, seen[c], &done) == MPI_SUCCESS && done, "it has come");
        CHECK(transport->test(window, c, seen[c] + 1, &done) == MPI_SUCCESS && !done, "no more");
        CHECK(transport->test(window, c, UINT64_MAX, &done) == MPI_SUCCESS && !done, "64 bits");
    }
    close_window(window);
}

static int put_at(struct summand__window *window, int rank, int slot, ptrdiff_t offset,
                  size_t bytes, int counter)
{
    static const char data[256];
    struct summand__put put = {.data = data,
                               .bytes = bytes,
                               .rank = rank,
                               .slot = slot,
                               .offset = offset,
                               .counter = counter};
    return transport->put(window, &put);
}

/* A refused call has no effect. */
static void test_arguments(void)
{
    size_t bytes[2] = {100, 0};
    struct summand__window_spec spec = {
        .slot_bytes = bytes, .slots = 2, .counters = 1, .head = 8, .trailer = 4};
    struct summand__window *window = open_window(&spec), *none = window;
    bool done = false;
    int which;
    CHECK(put_at(window, 0, 0, 50, 55, 0) == MPI_ERR_RMA_RANGE, "beyond the end");
    CHECK(put_at(window, 0, 0, 105, 0, 0) == MPI_ERR_RMA_RANGE, "behind the end");
    CHECK(put_at(window, 0, 0, -9, 1, 0) == MPI_ERR_RMA_RANGE, "before the head");
    CHECK(put_at(window, 0, 1, -8, 13, 0) == MPI_ERR_RMA_RANGE, "more than an empty slot");
    CHECK(put_at(window, 0, 0, 0, SIZE_MAX, 0) == MPI_ERR_RMA_RANGE, "too many bytes");
    CHECK(put_at(window, harness_ranks, 0, 0, 1, 0) == MPI_ERR_RANK, "no such rank");
    CHECK(put_at(window, -1, 0, 0, 1, 0) == MPI_ERR_RANK, "no such rank");
    CHECK(put_at(window, 0, 2, 0, 1, 0) == MPI_ERR_ARG, "no such slot");
    CHECK(put_at(window, 0, -1, 0, 1, 0) == MPI_ERR_ARG, "no such slot");
    CHECK(put_at(window, 0, 0, 0, 1, 1) == MPI_ERR_ARG, "no such counter");
    CHECK(transport->notify(window, 0, -1) == MPI_ERR_ARG, "no such counter");
    CHECK(transport->notify(window, harness_ranks, 0) == MPI_ERR_RANK, "no such rank");
    CHECK(transport->flush(window, harness_ranks, true, &done) == MPI_ERR_RANK, "no such rank");
    CHECK(transport->test(window, 1, 0, &done) == MPI_ERR_ARG, "no such counter");
    CHECK(summand__window_wait(window, 1, 0, 0, 0) == MPI_ERR_ARG, "no such counter");
    CHECK(transport->wait_any(window, 0, NULL, 0, &which) == MPI_ERR_ARG, "nothing to wait for");
    CHECK(transport->test(window, 0, 1, &done) == MPI_SUCCESS && !done, "counted all the same");
    CHECK(put_at(window, harness_rank, 0, 104, 0, 0) == MPI_SUCCESS, "nothing, at the very end");
    CHECK(put_at(window, harness_rank, 1, -8, 12, 0) == MPI_SUCCESS, "head and trailer alone");
    expect_wait(window, 0, harness_rank, 2);
    close_window(window);
    if (harness_rank == 0)
        spec.counters = -1;
    int code = transport->open(state, &spec, &none);
    CHECK(code == MPI_ERR_ARG && !none, "a rank's spec cannot be: %d", code);
    spec.counters = 1 + (harness_rank == 0);
    none = window;
    code = transport->open(state, &spec, &none);
    CHECK(harness_ranks == 1 || (code == summand_error_code(SUMMAND_ERR_MISMATCH) && !none),
          "specs differ: %d", code);
    if (harness_ranks == 1)
        transport->close(none);
    transport->close(NULL);
}

/* Puts that no rank has received before the window is closed do not reach a window opened later,
 * even with their tag. */
static void test_left_behind(void)
{
    enum { ROUNDS = 3, BYTES = 9000, TAGS = SUMMAND__WINDOW_TAGS };
    static unsigned char data[BYTES];
    size_t bytes[1] = {BYTES}, wrong = 0;
    struct summand__window_spec spec = {.slot_bytes = bytes, .slots = 1, .counters = 1};
    for (int round = 0; round < ROUNDS; round++) {
        struct summand__window *window = open_window(&spec);
        struct summand__put put = {.data = data, .bytes = BYTES, .rank = next(), .counter = 0};
        memset(data, 1 + round, BYTES);
        put.bytes = round % 2 ? BYTES : 7;
        CHECK(transport->put(window, &put) == MPI_SUCCESS, "put");
        transport->close(window);
        state->tags.windows += TAGS - 1; /* its tag is the next one's */
        window = open_window(&spec);
        bool done = false;
        for (int look = 0; look < 100; look++)
            CHECK(transport->test(window, 0, 1, &done) == MPI_SUCCESS && !done, "another's put");
        for (size_t i = 0; i < BYTES; i++)
            wrong += window->slot[0].data[i] != 0;
        MPI_Barrier(MPI_COMM_WORLD);
        CHECK(transport->notify(window, next(), 0) == MPI_SUCCESS, "notify");
        expect_wait(window, 0, last(), 1);
        close_window(window);
    }
    CHECK(!wrong, "%s: %zu bytes of another window", transport->name, wrong);
}

/* As many active message windows as a communicator allows. One more is an error on all ranks; after
 * one is closed, another can be opened. */
static void test_most_windows(void)
{
    enum { MOST = SUMMAND__WINDOW_TAGS };
    static struct summand__window *windows[MOST];
    struct summand__window_spec spec = {.counters = 1};
    struct summand__window *none = NULL;
    struct summand__state *before = state;
    char text[MPI_MAX_ERROR_STRING] = "";
    int length, odd = MOST / 3;
    MPI_Comm comm; /* windows that were closed amid puts keep their tags */
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    CHECK(summand__state_of(comm, &state) == MPI_SUCCESS, "state");
    for (int k = 0; k < MOST; k++)
        windows[k] = open_window(&spec);
    int code = summand__keep_words(transport->open(state, &spec, &none));
    MPI_Error_string(code, text, &length);
    CHECK(code == summand_error_code(SUMMAND_ERR_MEMORY) && !none &&
              strstr(text, "too many windows of one communicator"),
          "window %d: code %d, %s", MOST + 1, code, text);
    close_window(windows[odd]);
    windows[odd] = open_window(&spec);
    for (int k = 0; k < MOST; k++) {
        CHECK(transport->notify(windows[k], next(), 0) == MPI_SUCCESS, "notify");
        expect_wait(windows[k], 0, last(), 1);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int k = 0; k < MOST; k++) {
        bool done = false;
        CHECK(transport->test(windows[k], 0, 2, &done) == MPI_SUCCESS && !done, "another's put");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int k = 0; k < MOST; k++)
        transport->close(windows[k]);
    state = before;
    MPI_Comm_free(&comm);
}

/* A counter that no rank counts: the wait ends with the call's timeout, and the window still works.
 * */
static void test_timeout(void)
{
    struct summand__window_spec spec = {.counters = 2};
    struct summand__window *window = open_window(&spec);
    int code = summand__window_wait(window, 0, next(), 1, 0.05);
    CHECK(code == summand_error_code(SUMMAND_ERR_TIMEOUT), "%s: code %d", transport->name, code);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(transport->notify(window, next(), 0) == MPI_SUCCESS, "notify");
    expect_wait(window, 0, last(), 1);
    close_window(window);
}

#ifndef SMPI_H
/* A target that does not answer within the timeout of a wait has received no count; a later call
 * counts once. */
static void test_no_answer(void)
{
    struct summand__window_spec spec = {.counters = 1};
    struct summand__window *window = open_window(&spec);
    struct summand__watch watch = {.channel = &state->channel, .timeout = 0.01};
    unsigned char answer = 0;
    uint64_t value = 0;
    if (harness_ranks > 1) {
        window->watch = &watch;
        holds_back = true;
        for (int i = 0; i < 2; i++) {
            int code = transport->notify(window, next(), 0);
            CHECK(code == summand_error_code(SUMMAND_ERR_TIMEOUT), "no answer: %d", code);
        }
        holds_back = false;
        MPI_Send(&answer, 1, MPI_BYTE, 0, ANSWER_TAG, MPI_COMM_SELF);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(transport->read(window, 0, &value) == MPI_SUCCESS && value == 0, "counted in vain");
    MPI_Barrier(MPI_COMM_WORLD);
    watch.timeout = 100; /* a busy target does not answer within the earlier timeout */
    CHECK(transport->notify(window, next(), 0) == MPI_SUCCESS, "the window works on");
    window->watch = NULL;
    expect_wait(window, 0, last(), 1);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(transport->read(window, 0, &value) == MPI_SUCCESS && value == 1, "counted twice");
    close_window(window);
}
#endif

TESTS
{
    static const size_t sizes[] = {0, 1, 500, 9000, 150000};
    int tried = 0;
    if (summand__state_of(MPI_COMM_WORLD, &state) != MPI_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 1);
    few = harness_ranks > 3;
    for (int t = 0; (transport = summand__window_transports[t]); t++) {
        if (!transport->available(state))
            continue;
        tried++;
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i += few ? 2 : 1) {
            test_ring(sizes[i], 0);
            test_ring(sizes[i], SUMMAND__PUT_NO_WAIT);
        }
        test_order();
        test_counters();
        test_arguments();
        test_timeout();
#ifndef SMPI_H
        if (transport == &summand__rma_window)
            test_no_answer();
#endif
        if (transport == &summand__p2p_window)
            test_left_behind();
        if (transport == &summand__p2p_window && !few)
            test_most_windows();
    }
    CHECK(tried || !state->segment || !state->segment->whole, "no transport has windows");
}
