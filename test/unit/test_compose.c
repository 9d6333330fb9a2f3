/* SPDX-License-Identifier: BSD-3-Clause */
/* Composed schedules: the rows and columns of a process grid, each with its own all-reduce, in one
 * schedule of all ranks. They run in sequence with and without draining, or interleaved with a
 * skew. Each is proved: no deadlock, no clash, every contribution of a row or column once and in
 * the canonical bracketing. Waits are counted. */
#include "grid.h"
#include "lab/sample/sample.h"
#include "lab/verify/meaning.h"
#include "lab/verify/prove_steps.h"
#include "schedule/passes/passes.h"
#include "unit/unit.h"

enum { MOST_RANKS = 64 };

static uint32_t canonical(struct summand__expressions *pool, int low, int high, int base,
                          int stride)
{
    int twice;
    if (high - low == 1)
        return summand__contribution(pool, base + low * stride);
    int middle = high - (high - low) / 2;
    return summand__combine(pool, canonical(pool, low, middle, base, stride),
                            canonical(pool, middle, high, base, stride), &twice);
}

static uint32_t expected(const void *context, struct summand__expressions *pool, int rank,
                         uint32_t place, size_t i)
{
    const struct grid *grid = context;
    int row = rank / grid->columns, column = rank % grid->columns, columns = grid->columns, twice;
    bool down = i >= grid->count;
    if (place != SUMMAND__RECVBUF)
        return SUMMAND__UNDEFINED;
    uint32_t sum = down ? canonical(pool, 0, grid->rows, column, columns)
                        : canonical(pool, 0, columns, row * columns, 1);
    if (down && grid->dependent) {
        uint32_t rows[MOST_RANKS];
        for (int r = 0; r < grid->rows; r++)
            rows[r] = canonical(pool, 0, columns, r * columns, 1);
        for (int n = grid->rows; n > 1; n /= 2) /* powers of two only */
            for (int r = 0; r < n / 2; r++)
                rows[r] = summand__combine(pool, rows[2 * r], rows[2 * r + 1], &twice);
        sum = rows[0];
    }
    return summand__held(pool, sum, (uint32_t)(i % grid->count));
}

/* The schedules that run if pairs of ranks share memory, or if all do. */
struct place {
    int rank;
    const int *node;
};

static bool is_near(const void *context, int peer)
{
    const struct place *place = context;
    return place->node[peer] == place->node[place->rank];
}

static size_t prove_once(const struct grid *grid, enum manner manner, int node_size, bool good)
{
    struct summand__schedule schedules[MOST_RANKS];
    int ranks = grid->rows * grid->columns;
    int node[MOST_RANKS];
    for (int r = 0; r < ranks; r++)
        node[r] = node_size ? r / node_size : r;
    for (int r = 0; r < ranks; r++) {
        struct place place = {r, node};
        struct summand__abilities abilities = {
            .combines = is_near, .context = &place, .nontemporal = true};
        assert_true(grid_build(grid, manner, r, &schedules[r]));
        assert_true(!node_size || summand__passes(&schedules[r], &abilities));
    }
    struct summand__steps_proof proof = {.ranks = ranks,
                                         .node = node_size ? node : NULL,
                                         .schedules = schedules,
                                         .sendbuf = grid->count,
                                         .recvbuf = 2 * grid->count,
                                         .expected = expected,
                                         .context = grid,
                                         .most_starts = 4};
    bool proved = summand__prove_steps(&proof);
    if (proved != good)
        fail_msg("%d x %d, %zu elements, %s, nodes of %d: %s", grid->rows, grid->columns,
                 grid->count, manners[manner], node_size,
                 proved ? "proved, and cannot be" : proof.fault);
    for (int r = 0; r < ranks; r++)
        summand__schedule_free(&schedules[r]);
    return proof.waits;
}

/* As built, and as run after passes. */
static size_t prove(const struct grid *grid, enum manner manner, bool good)
{
    prove_once(grid, manner, 2, good);
    prove_once(grid, manner, MOST_RANKS, good);
    return prove_once(grid, manner, 0, good);
}

static const int sides[][2] = {{1, 1}, {1, 4}, {2, 2}, {4, 2}, {3, 5},
                               {4, 4}, {5, 3}, {7, 2}, {8, 8}};
enum { SIDES = sizeof sides / sizeof *sides };

TEST(grids)
{
    static const char *const algorithms[][2] = {{"recursive-doubling", "recursive-doubling"},
                                                {"binomial", "recursive-doubling"},
                                                {"rabenseifner", "binomial"}};
    for (size_t a = 0; a < 3; a++)
        for (size_t s = 0; s < SIDES; s++) {
            struct grid grid = {.rows = sides[s][0],
                                .columns = sides[s][1],
                                .count = 5,
                                .algorithm = {algorithms[a][0], algorithms[a][1]}};
            size_t drained = prove(&grid, DRAINED, true), followed = prove(&grid, FOLLOWED, true);
            print_message("%-18s %-18s %d x %d: %4zu waits drained, %4zu followed\n",
                          algorithms[a][0], algorithms[a][1], grid.rows, grid.columns, drained,
                          followed);
            if (grid.rows > 1 && grid.columns > 1)
                assert_true(followed < drained);
        }
}

/* All ranks have equally many rounds, so no two rounds wait for each other. */
TEST(skewed)
{
    for (size_t s = 0; s < SIDES; s++)
        for (size_t skew = 0; skew < 3; skew++) {
            struct grid grid = {.rows = sides[s][0],
                                .columns = sides[s][1],
                                .count = 4,
                                .algorithm = {"recursive-doubling", "recursive-doubling"},
                                .skew = skew};
            size_t drained = prove(&grid, DRAINED, true);
            size_t interleaved = prove(&grid, INTERLEAVED, true);
            if (grid.rows == 4 && grid.columns == 4 && !skew)
                assert_int_equal(2 * interleaved, drained);
        }
}

/* Columns reduce the results of the rows: the second part waits for its inputs. */
TEST(dependent)
{
    for (int rows = 1; rows <= 8; rows *= 2)
        for (int columns = 1; columns <= 8; columns *= 2) {
            struct grid grid = {.rows = rows,
                                .columns = columns,
                                .count = 3,
                                .algorithm = {"recursive-doubling", "recursive-doubling"},
                                .dependent = true};
            prove(&grid, DRAINED, true);
            prove(&grid, FOLLOWED, true);
        }
    struct grid grid = {.rows = 2,
                        .columns = 2,
                        .count = 3,
                        .algorithm = {"recursive-doubling", "recursive-doubling"},
                        .dependent = true};
    prove(&grid, INTERLEAVED, false);
}

/* Pipelines, whose messages complete later. */
TEST(late)
{
    for (size_t s = 0; s < SIDES; s++) {
        struct grid grid = {.rows = sides[s][0],
                            .columns = sides[s][1],
                            .count = 7,
                            .segment = 1,
                            .algorithm = {"binomial", "binomial"}};
        size_t drained = 0, followed = 0;
        drained = prove(&grid, DRAINED, true);
        followed = prove(&grid, FOLLOWED, true);
        print_message("segments %d x %d: %4zu waits drained, %4zu followed\n", grid.rows,
                      grid.columns, drained, followed);
        if (grid.rows > 1 && grid.columns > 1)
            assert_true(followed < drained);
    }
}

struct mixed {
    struct summand__sample_size size;
    size_t count;
};

static uint32_t expected_mixed(const void *context, struct summand__expressions *pool, int rank,
                               uint32_t place, size_t i)
{
    const struct mixed *mixed = context;
    return place == SUMMAND__RECVBUF
               ? summand__held(pool, canonical(pool, 0, mixed->size.ranks, 0, 1), (uint32_t)i)
               : summand__sample_named("slot-ring")->expected(&mixed->size, pool, rank, i);
}

/* A ring of slots, an all-reduce and the ring again, for any number of starts. The broken variant
 * gives the second ring the first one's counts. */
TEST(mixed_kinds)
{
    for (int ranks = 2; ranks < 8; ranks++)
        for (int broken = 0; broken < 2; broken++) {
            struct mixed mixed = {{.ranks = ranks, .blocks = 5, .slots = 2, .rows = 1, .count = 3},
                                  4};
            struct summand__schedule schedules[MOST_RANKS];
            for (int r = 0; r < ranks; r++) {
                summand__schedule_init(&schedules[r]);
                summand__sample_mixed(&mixed.size, "recursive-doubling", r, mixed.count,
                                      &schedules[r]);
                assert_false(schedules[r].failed);
            }
            struct summand__schedule *last = &schedules[ranks - 1];
            for (size_t i = last->length / 2; broken && i < last->length; i++)
                if (last->steps[i].action == SUMMAND__WAIT_COUNTER)
                    last->steps[i].value -= mixed.size.blocks;
            struct summand__steps_proof proof = {.ranks = ranks,
                                                 .schedules = schedules,
                                                 .sendbuf = mixed.count,
                                                 .recvbuf = mixed.count,
                                                 .expected = expected_mixed,
                                                 .context = &mixed,
                                                 .most_starts = 6};
            bool proved = summand__prove_steps(&proof);
            if (proved == broken)
                fail_msg("%d ranks: %s", ranks, proved ? "proved, and cannot be" : proof.fault);
            for (int r = 0; r < ranks; r++)
                summand__schedule_free(&schedules[r]);
        }
}
