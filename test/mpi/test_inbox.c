/* np: 2 3; together; over: shm */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows over messages: several long puts of a producer are under way at a time, to overlapping
 * places. A count of k means that no byte is older than the k-th put. At the end, all bytes are
 * those of the last put there. */
#include <summand.h>

#include "comm/state.h"
#include "compute/mpi/window.h"
#include "mpi/harness.h"

extern const struct summand__window_transport summand__p2p_window;

enum { BYTES = 400000, PUTS = 250, LOOPS = 3, LONG = 4096, MOST_SECONDS = 90 };

static struct {
    size_t first, length;
} all_puts[PUTS];
static unsigned long long draws = 99;

static size_t draw(size_t below)
{
    draws ^= draws << 13;
    draws ^= draws >> 7;
    draws ^= draws << 17;
    return (size_t)(draws >> 20) % below;
}

/* The same on all ranks: short ones, long ones, and exactly the length that a head carries. */
static void draw_puts(void)
{
    for (int i = 0; i < PUTS; i++) {
        switch (draw(4)) {
        case 0:
            all_puts[i].length = draw(LONG);
            break;
        case 1:
            all_puts[i].length = LONG + 1 + draw(20000);
            break;
        case 2:
            all_puts[i].length = draw(300000);
            break;
        default:
            all_puts[i].length = LONG + draw(2);
            break;
        }
        all_puts[i].first = draw(3) ? draw(BYTES - all_puts[i].length) : 0;
    }
}

static void produce(struct summand__window *window)
{
    unsigned char *data = malloc(BYTES);
    bool done;
    for (int i = 0; i < PUTS; i++) {
        const struct summand__put put = {.data = data,
                                         .bytes = all_puts[i].length,
                                         .rank = 0,
                                         .slot = harness_rank,
                                         .offset = (ptrdiff_t)all_puts[i].first,
                                         .counter = harness_rank};
        memset(data, i + 1, all_puts[i].length);
        CHECK(summand__p2p_window.put(window, &put) == MPI_SUCCESS, "put %d", i);
    }
    CHECK(summand__p2p_window.flush(window, SUMMAND__EVERY_RANK, true, &done) == MPI_SUCCESS,
          "flush");
    free(data);
}

/* The puts of a producer that have been observed. */
struct seen {
    int count;
    unsigned char *last; /* for each byte, the last put that wrote it, counted from 1 */
};

/* Whether its count has grown; then compares the data with it. */
static bool look(struct summand__window *window, int rank, struct seen *seen)
{
    uint64_t count = 0;
    size_t wrong = 0;
    CHECK(summand__p2p_window.read(window, rank, &count) == MPI_SUCCESS, "read");
    if ((int)count == seen->count)
        return false;
    CHECK((int)count > seen->count && count <= PUTS, "count %d after %d", (int)count, seen->count);
    for (; seen->count < (int)count; seen->count++)
        memset(seen->last + all_puts[seen->count].first, seen->count + 1,
               all_puts[seen->count].length);
    const unsigned char *there = window->slot[rank].data;
    for (size_t i = 0; i < BYTES; i++)
        wrong += seen->count == PUTS ? there[i] != seen->last[i] : there[i] < seen->last[i];
    CHECK(!wrong, "rank %d, %d puts: %zu bytes are not theirs", rank, seen->count, wrong);
    return seen->count == PUTS;
}

static void consume(struct summand__window *window)
{
    struct seen *seen = calloc((size_t)harness_ranks, sizeof *seen);
    const double end = MPI_Wtime() + MOST_SECONDS;
    int left = harness_ranks - 1;
    for (int r = 1; r < harness_ranks; r++)
        seen[r].last = calloc(BYTES, 1);
    while (left && MPI_Wtime() < end)
        for (int r = 1; r < harness_ranks; r++)
            if (seen[r].count < PUTS)
                left -= look(window, r, &seen[r]);
    CHECK(!left, "%d producers' puts have not all arrived", left);
    for (int r = 1; r < harness_ranks; r++)
        free(seen[r].last);
    free(seen);
}

static void one_window(struct summand__state *state)
{
    size_t *bytes = malloc((size_t)harness_ranks * sizeof *bytes);
    for (int r = 0; r < harness_ranks; r++)
        bytes[r] = BYTES;
    const struct summand__window_spec spec = {
        .slot_bytes = bytes, .slots = harness_ranks, .counters = harness_ranks};
    struct summand__window *window = NULL;
    CHECK(summand__p2p_window.open(state, &spec, &window) == MPI_SUCCESS && window, "open");
    if (!window)
        MPI_Abort(MPI_COMM_WORLD, 1);
    if (harness_rank)
        produce(window);
    else
        consume(window);
    MPI_Barrier(MPI_COMM_WORLD);
    summand__p2p_window.close(window);
    free(bytes);
}

TESTS
{
    struct summand__state *state = NULL;
    CHECK(summand__state_of(MPI_COMM_WORLD, &state) == MPI_SUCCESS, "state");
    for (int i = 0; state && i < LOOPS; i++) {
        draw_puts();
        one_window(state);
    }
}
