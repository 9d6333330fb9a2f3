/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies into memory that another core reads: both kinds of copies write the bytes of memcpy, and
 * probes decide when the kind changes. */
#include "kernel/handover.h"
#include "kernel/stream.h"
#include "unit/unit.h"

enum { ROOM = 8192, LONG = 4096, FAST = LONG / 64 * 5, SLOW = LONG / 64 * 30 };

TEST(test_bytes)
{
    static _Alignas(64) unsigned char from[ROOM], got[ROOM], want[ROOM];
    for (size_t i = 0; i < ROOM; i++)
        from[i] = (unsigned char)(i * 7 + i / 256);
    for (int way = 0; way < 3; way++)
        for (size_t at = 0; at < 70; at += 23)
            for (size_t n = SUMMAND__HANDOVER_LEAST - 3; n < SUMMAND__HANDOVER_LEAST + 70; n++) {
                /* An ordinary copy, one around the caches, or a probe. */
                struct summand__handover handover = {.left = way < 2, .bypasses = way == 1};
                memset(got, 0xee, ROOM);
                memset(want, 0xee, ROOM);
                memcpy(want + at, from + 1, n);
                summand__handover_copy(&handover, got + at, from + 1, n);
                assert_memory_equal(got, want, ROOM);
            }
}

/* The number of probes that find an ordinary copy slow, or fast, until the kind of copy is this
 * one. */
static int looks_until(struct summand__handover *handover, bool bypasses)
{
    int looks = 0;
    while (handover->bypasses != bypasses && looks < 100) {
        assert_int_equal(handover->left, 0);
        summand__handover_saw(handover, LONG, bypasses ? SLOW : FAST);
        looks++;
    }
    return looks;
}

TEST(test_ways)
{
    struct summand__handover handover = {0};
    summand__handover_saw(&handover, LONG, FAST);
    assert_false(handover.bypasses);
    assert_int_equal(handover.left, 15);
    for (int lost = 0; lost < 2; lost++) { /* a process that lost its processor */
        handover.left = 0;
        summand__handover_saw(&handover, LONG, 100 * SLOW);
        assert_false(handover.bypasses);
        assert_int_equal(handover.left, 0);
        summand__handover_saw(&handover, LONG, FAST);
        assert_int_equal(handover.left, 15);
    }
    handover.left = 0;
    assert_int_equal(looks_until(&handover, true), 3);
    assert_int_equal(handover.left, 255);
    handover.left = 0;
    summand__handover_saw(&handover, LONG, SLOW);
    assert_int_equal(handover.left, 255);
    handover.left = 0;
    assert_int_equal(looks_until(&handover, false), 3);
}

/* Probes come when they are due: the first copy is a probe, then none for a fixed number of copies.
 * */
TEST(test_looks)
{
    static unsigned char from[LONG], to[LONG];
    struct summand__handover handover = {.left = 255, .bypasses = true};
    for (int i = 0; i < 255; i++)
        summand__handover_copy(&handover, to, from, LONG);
    assert_int_equal(handover.left, 0);
    assert_true(handover.bypasses);
    summand__handover_copy(&handover, to, from, SUMMAND__HANDOVER_LEAST - 1);
    assert_int_equal(handover.alike, 0);
    summand__handover_copy(&handover, to, from, LONG);
    if (summand__streams())
        assert_true(handover.left == 255 || handover.alike == 1);
}

/* The first copies into the pages of all slots are no measurement, nor the first ones that are
 * longer by a page. */
TEST(test_new_pages)
{
    enum { SLOTS = 4 };
    static unsigned char from[2 * LONG], to[2 * LONG];
    struct summand__handover handover = summand__handover_to(SLOTS);
    for (int pages = 1; pages <= 2; pages++) {
        handover.left = 0;
        for (int i = 0; i < SLOTS; i++) {
            summand__handover_copy(&handover, to, from, (size_t)pages * LONG);
            assert_int_equal(handover.left, SLOTS - 1 - i);
            assert_int_equal(handover.alike, 0);
        }
        summand__handover_copy(&handover, to, from, LONG);
        if (summand__streams())
            assert_true(handover.left == 15 || handover.alike == 1);
    }
}
