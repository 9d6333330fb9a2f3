/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether runs of bytes overlap, against bytes that are marked one by one. */
#include "base/runs.h"
#include "unit/unit.h"

enum { ROOM = 256 };

static unsigned draw(uint64_t *state, unsigned below)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(*state >> 33) % below;
}

static struct summand__runs drawn(uint64_t *state, const unsigned char *memory)
{
    struct summand__runs runs = {memory + draw(state, 64), draw(state, 7), draw(state, 9), 0};
    runs.apart = runs.bytes + draw(state, 3) * draw(state, 9);
    if (runs.count == 1 && draw(state, 2))
        runs.apart = 0;
    return runs;
}

static int marked(const struct summand__runs *a, const struct summand__runs *b,
                  const unsigned char *memory)
{
    unsigned char is_in[ROOM] = {0};
    for (size_t run = 0; run < a->count; run++)
        memset(is_in + ((const unsigned char *)a->begin - memory) + run * a->apart, 1, a->bytes);
    for (size_t run = 0; run < b->count; run++)
        for (size_t i = 0; i < b->bytes; i++)
            if (is_in[(const unsigned char *)b->begin - memory + (ptrdiff_t)(run * b->apart + i)])
                return 1;
    return 0;
}

TEST(as_bytes_do)
{
    static unsigned char memory[ROOM];
    uint64_t seed = 35;
    int met = 0, apart = 0;
    for (int i = 0; i < 200000; i++) {
        const struct summand__runs a = drawn(&seed, memory), b = drawn(&seed, memory);
        const int right = marked(&a, &b, memory);
        assert_int_equal(summand__runs_meet(&a, &b), right);
        assert_int_equal(summand__runs_meet(&b, &a), right);
        met += right;
        apart += !right;
    }
    assert_true(met > 10000 && apart > 10000);
}

TEST(nothing_meets_nothing)
{
    const char byte = 0;
    const struct summand__runs none = {NULL, 3, 8, 8}, one = {&byte, 1, 1, 1};
    assert_false(summand__runs_meet(&none, &one));
    assert_false(summand__runs_meet(&one, &none));
    assert_true(summand__runs_meet(&one, &one));
}
