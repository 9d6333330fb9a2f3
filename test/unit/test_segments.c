/* SPDX-License-Identifier: BSD-3-Clause */
/* Segments too short for a vector are made longer, in every algorithm that has segments. The size
 * of a schedule stays in bounds, and its cost is that of the segment actually used. */
#include "algorithm/call.h"
#include "unit/unit.h"

enum { COUNT = 3000017, MOST_RANKS = 9 };

static struct summand__call call_of(enum summand__collective collective, int ranks, size_t count,
                                    const size_t *offsets)
{
    return (struct summand__call){.collective = collective,
                                  .ranks = ranks,
                                  .count = summand__has_offsets(collective) ? 0 : count,
                                  .offsets = offsets,
                                  .parameter = {[SUMMAND__SEGMENT] = 1}};
}

static void check(const struct summand__algorithm *algorithm, enum summand__collective collective,
                  int ranks)
{
    size_t offsets[MOST_RANKS + 1];
    size_t block = summand__has_blocks(collective) ? COUNT / (size_t)ranks : COUNT;
    for (int r = 0; r <= ranks; r++)
        offsets[r] = (size_t)r * block;
    struct summand__call call = call_of(collective, ranks, block, offsets);
    size_t total = summand__call_total(&call);
    if (!summand__algorithm_does(algorithm, &call))
        return;
    struct summand__call taken = summand__call_complete(algorithm, &call);
    size_t segment = taken.parameter[SUMMAND__SEGMENT];
    assert_true(segment * SUMMAND__MOST_SEGMENTS >= total);
    assert_true((segment - 1) * SUMMAND__MOST_SEGMENTS < total);
    assert_int_equal(summand__cost_of(algorithm, &call).messages,
                     summand__cost_of(algorithm, &taken).messages);
    for (call.rank = 0; call.rank < ranks; call.rank += ranks - 1) {
        struct summand__schedule schedule;
        assert_true(summand__build(algorithm, &call, &schedule));
        /* A message to and from each other rank, and its local steps, for each segment. */
        assert_true(schedule.length <= (size_t)SUMMAND__MOST_SEGMENTS * 8 * (size_t)ranks);
        summand__schedule_free(&schedule);
        if (ranks == 1)
            break;
    }
}

TEST(shortest)
{
    int checked = 0;
    for (int i = 0; summand__algorithms[i]; i++)
        for (int c = 0; c < SUMMAND__MPI_COLLECTIVES; c++)
            for (int ranks = 2; ranks <= MOST_RANKS && summand__algorithms[i]->build[c]; ranks += 7)
                if (summand__algorithms[i]->limits[SUMMAND__SEGMENT].most) {
                    check(summand__algorithms[i], (enum summand__collective)c, ranks);
                    checked++;
                }
    assert_true(checked > 30);
}

/* A segment that gives no more than that number of segments is used as asked for. */
TEST(as_asked)
{
    struct summand__call call =
        call_of(SUMMAND__COLL_REDUCE, 5, 10 * (size_t)SUMMAND__MOST_SEGMENTS, NULL);
    const struct summand__algorithm *chain = summand__algorithm_named("chain");
    for (size_t segment = 10; segment < 100; segment++) {
        call.parameter[SUMMAND__SEGMENT] = segment;
        assert_int_equal(summand__call_complete(chain, &call).parameter[SUMMAND__SEGMENT], segment);
    }
    call.parameter[SUMMAND__SEGMENT] = 9;
    assert_int_equal(summand__call_complete(chain, &call).parameter[SUMMAND__SEGMENT], 10);
    call.parameter[SUMMAND__SEGMENT] = 0;
    assert_int_equal(summand__call_complete(chain, &call).parameter[SUMMAND__SEGMENT], 0);
    call.parameter[SUMMAND__SEGMENT] = SIZE_MAX;
    assert_int_equal(summand__call_complete(chain, &call).parameter[SUMMAND__SEGMENT], SIZE_MAX);
}
