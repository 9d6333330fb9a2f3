/* SPDX-License-Identifier: BSD-3-Clause */
/* Products by pairs reserve memory for exactly the ranks that put to a rank. The numbers of rings
 * of pieces and of places of parts equal the number of these ranks, counted in all schedules. No
 * two ranks share one. */
#include "matrix/gemm/build.h"
#include "unit/unit.h"

enum { SLOTS = 4, PARTS = 2, MOST_RANKS = 32 };

static const struct summand__algorithm *pairs(void)
{
    const struct summand__algorithm *found = summand__algorithm_named("gemm-pairs");
    assert_non_null(found);
    return found;
}

static size_t room_of(const struct summand__schedule *schedule, uint32_t place)
{
    return schedule->info[place - SUMMAND__PLACES].count;
}

/* Counts the ranks that put into a place of `to`; each has `share` elements of its own there. */
static int count_givers(const struct summand__schedule *schedules, int ranks, int to,
                        uint32_t place, size_t share)
{
    size_t room = room_of(&schedules[to], place);
    int *owner = malloc((room / share + 1) * sizeof *owner), givers = 0;
    for (size_t i = 0; i < room / share; i++)
        owner[i] = -1;
    for (int from = 0; from < ranks; from++) {
        bool gives = false;
        for (size_t i = 0; i < schedules[from].length; i++) {
            const struct summand__step *step = &schedules[from].steps[i];
            if (step->action != SUMMAND__PUT || step->peer != to ||
                (uint32_t)step->to.place != place)
                continue;
            size_t seat = step->to.first / share;
            assert_true(step->to.first + step->to.count <= room);
            assert_true(owner[seat] < 0 || owner[seat] == from);
            owner[seat] = from;
            gives = true;
        }
        givers += gives;
    }
    free(owner);
    return givers;
}

/* A grid of side x side ranks has A and C, the others have B; blocks have n / 4 rows and columns.
 * */
static void check(int side, size_t n, int rings, int makers)
{
    int ranks = 2 * side * side, most_rings = 0, most_makers = 0;
    size_t block = n / 4, piece = block * block;
    struct summand__gemm_square square;
    struct summand__schedule schedules[MOST_RANKS];
    assert_true(summand__gemm_square(&square, n, ranks, NULL));
    for (int r = 0; r < ranks; r++) {
        const struct summand__call call = {.collective = SUMMAND__COLL_GEMM,
                                           .rank = r,
                                           .ranks = ranks,
                                           .count = n,
                                           .gemm = &square.shape};
        assert_true(summand__build(pairs(), &call, &schedules[r]));
    }
    for (int r = 0; r < ranks; r++) {
        int givers = count_givers(schedules, ranks, r, SUMMAND__GEMM_SLOTS, SLOTS * piece);
        most_rings = givers > most_rings ? givers : most_rings;
        givers = count_givers(schedules, ranks, r, SUMMAND__GEMM_RESULTS, PARTS * piece);
        most_makers = givers > most_makers ? givers : most_makers;
    }
    for (int r = 0; r < ranks; r++) {
        assert_int_equal(room_of(&schedules[r], SUMMAND__GEMM_SLOTS),
                         (size_t)most_rings * SLOTS * piece);
        assert_int_equal(room_of(&schedules[r], SUMMAND__GEMM_RESULTS),
                         (size_t)most_makers * PARTS * piece);
        summand__schedule_free(&schedules[r]);
    }
    assert_int_equal(most_rings, rings);
    assert_int_equal(most_makers, makers);
    summand__gemm_square_release(&square);
}

/* With one block on each rank, only the first rank of a pair multiplies: A's rank (p, q) receives
 * from row q of B, and its row of A makes a block of C. With four blocks, both ranks multiply. */
TEST(rooms)
{
    check(4, 64, 4, 3);
    check(2, 64, 2, 3);
    check(1, 16, 1, 1);
}
