/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies through the caches and past them write the bytes of memcpy at any address and length, and
 * none beside them. The nontemporal results of a schedule match the definition, for all algorithms.
 */
#include "kernel/stream.h"
#include "lab/verify/cases.h"
#include "schedule/passes/passes.h"
#include "unit/unit.h"

enum { ROOM = 1024, LONGEST = 600 };

static void check_copy(void (*copy)(void *to, const void *from, size_t bytes))
{
    static _Alignas(64) unsigned char from[ROOM], got[ROOM], want[ROOM];
    for (size_t i = 0; i < ROOM; i++)
        from[i] = (unsigned char)(i * 7 + i / 256);
    for (size_t at = 0; at < 130; at += at < 66 ? 1 : 13)
        for (size_t off = 0; off < 64; off += 21)
            for (size_t n = 0; n <= LONGEST; n += n < 200 ? 1 : 37) {
                memset(got, 0xee, ROOM);
                memset(want, 0xee, ROOM);
                memcpy(want + at, from + off, n);
                copy(got + at, from + off, n);
                assert_memory_equal(got, want, ROOM);
            }
}

TEST(test_copy)
{
    check_copy(summand__copy_bytes_long);
    check_copy(summand__stream_copy);
    summand__stream_fence();
}

TEST(test_copy_onto_itself)
{
    unsigned char got[ROOM], want[ROOM];
    memset(got, 3, ROOM);
    memset(want, 3, ROOM);
    summand__stream_copy(got + 5, got + 5, 500);
    summand__stream_copy(NULL, got, 0);
    assert_memory_equal(got, want, ROOM);
}

/* Each use has its own time: if ordinary stores are at least as fast, the caches are not bypassed.
 * */
TEST(test_pays)
{
    for (int use = 0; use < SUMMAND__STREAM_USES; use++) {
        const enum summand__stream_use one = (enum summand__stream_use)use,
                                       other = (enum summand__stream_use) !use;
        assert_true(summand__stream_pays(one) == summand__streams());
        summand__stream_set(one, 100);
        assert_false(summand__stream_pays(one));
        assert_true(summand__stream_pays(other) == summand__streams());
        summand__stream_set(one, 99);
        assert_int_equal(summand__stream_percent(one), 99);
        assert_true(summand__stream_pays(one) == summand__streams());
    }
}

static bool expected(const struct summand__schedule *schedule, size_t i)
{
    const struct summand__step *step = &schedule->steps[i];
    if (step->action == SUMMAND__SEND || step->action == SUMMAND__ROUND ||
        step->to.place != SUMMAND__RECVBUF)
        return false;
    for (size_t j = i + 1; j < schedule->length; j++)
        if (summand__reads(&schedule->steps[j], step->to))
            return false;
    return true;
}

struct tally {
    size_t yes, no;
};

static bool check_call(const struct summand__algorithm *algorithm, const struct summand__call *call,
                       void *context)
{
    struct tally *tally = context;
    struct summand__call mine = *call;
    for (mine.rank = 0; mine.rank < call->ranks; mine.rank++) {
        struct summand__schedule schedule;
        assert_true(summand__build(algorithm, &mine, &schedule));
        assert_true(summand__nontemporal(&schedule));
        for (size_t i = 0; i < schedule.length; i++) {
            bool marked = schedule.steps[i].flags & SUMMAND__STEP_NONTEMPORAL;
            assert_int_equal(marked, expected(&schedule, i));
            (marked ? &tally->yes : &tally->no)[0]++;
        }
        summand__schedule_free(&schedule);
    }
    return true;
}

TEST(test_last_of_all_algorithms)
{
    struct tally all = {0, 0};
    for (const struct summand__algorithm *const *a = summand__algorithms; *a; a++)
        for (int c = 0; c < SUMMAND__MPI_COLLECTIVES; c++)
            for (int ranks = 2; ranks <= 7; ranks += 5)
                assert_true(summand__cases(*a, (enum summand__collective)c, ranks,
                                           SUMMAND__FEW_CASES, check_call, &all));
    assert_true(all.yes > 1000 && all.no > 1000);
}

TEST(test_last_of_parts)
{
    struct summand__schedule schedule;
    summand__schedule_init(&schedule);
    struct summand__region ten = summand__region(SUMMAND__RECVBUF, 0, 10);
    summand__recv(&schedule, 1, ten); /* 0: its elements 4 and 5 are sent on */
    summand__round(&schedule);
    summand__send(&schedule, 2, summand__region(SUMMAND__RECVBUF, 4, 2));
    summand__recv(&schedule, 1, summand__region(SUMMAND__RECVBUF, 0, 4)); /* 3 */
    summand__recv(&schedule, 1, summand__region(SUMMAND__RECVBUF, 6, 4)); /* 4 */
    summand__round(&schedule);
    summand__recv(&schedule, 1, summand__region(SUMMAND__RECVBUF, 4, 2)); /* 6 */
    summand__round(&schedule);
    summand__copy(&schedule, summand__region(SUMMAND__SENDBUF, 0, 1), ten); /* 8 */
    summand__recv(&schedule, 1, summand__region(SUMMAND__SCRATCH, 0, 3));   /* 9: no result */
    summand__round(&schedule);
    assert_true(summand__nontemporal(&schedule));
    static const bool want[] = {false, false, false, true,  true, false,
                                true,  false, true,  false, false};
    assert_int_equal(schedule.length, sizeof want);
    for (size_t i = 0; i < sizeof want; i++)
        assert_int_equal(!!(schedule.steps[i].flags & SUMMAND__STEP_NONTEMPORAL), want[i]);
    summand__schedule_free(&schedule);
}
