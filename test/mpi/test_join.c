/* np: 2 3 4; brief */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Words that ranks join: plans of the last shapes are cached, so a later exchange requests no
 * memory. Covers more shapes than the cache holds, another tag each time, and freed communicators.
 * After a rank has aborted an exchange, the next one works as before. */
#include <summand.h>

#include "mpi/harness.h"
#include "mpi/scarce.h"
#include "plan/cache.h"
#include "plan/join.h"

enum { MOST = 1000, SHAPES = SUMMAND__CACHED_PLANS + 3 };

/* Returns the number of memory requests of a successful exchange of this many words. */
static long join(struct summand__state *state, int tag, size_t count, uint64_t turn)
{
    uint64_t words[MOST] = {0};
    size_t wrong = 0;
    for (size_t i = (size_t)harness_rank; i < count; i += (size_t)harness_ranks)
        words[i] = i + turn;
    long before = scarce.asked;
    int code = summand__join(state, tag, words, count * sizeof *words);
    long asked = scarce.asked - before;
    for (size_t i = 0; i < count; i++)
        wrong += words[i] != i + turn;
    CHECK(code == MPI_SUCCESS && !wrong, "%zu words: code %d, %zu wrong", count, code, wrong);
    return asked;
}

/* Enters a call, as the public ones do. */
static int enter(struct summand__state *state)
{
    summand__enter(state, SUMMAND__ENTERED_SUMS);
    return summand__call_tag(state);
}

static void test_kept(struct summand__state *state)
{
    long asked[2] = {0, 0};
    for (uint64_t turn = 0; turn < 20; turn++)
        for (size_t count = 3; count < MOST; count += 990)
            asked[turn > 1] += join(state, enter(state), count, turn);
    CHECK(asked[0] && !asked[1], "%ld requests, then %ld", asked[0], asked[1]);
    for (uint64_t turn = 0; turn < 3; turn++)
        for (size_t shape = 1; shape <= SHAPES; shape++)
            join(state, enter(state), shape, turn);
}

/* Tags of plans are held while the exchange runs, and no longer. */
static void test_plan_tag(struct summand__state *state)
{
    int tag = SUMMAND__CALL_TAGS + 5;
    enter(state);
    for (uint64_t turn = 0; turn < 3; turn++) {
        join(state, tag, 7, turn);
        CHECK(!summand__tags_lives(&state->tags, tag), "the tag is held");
    }
}

/* The last rank lacks memory for its words. */
static void test_given_up(struct summand__state *state)
{
    for (int kept = 0; kept < 2; kept++) {
        uint64_t words[100] = {0};
        size_t bytes = kept ? sizeof words : sizeof words - 8;
        bool gives_up = harness_rank == harness_ranks - 1;
        if (kept)
            join(state, enter(state), 100, 1);
        int code = summand__join(state, enter(state), gives_up ? NULL : words, bytes);
        CHECK(code == summand_error_code(gives_up ? SUMMAND_ERR_MEMORY : SUMMAND_ERR_REMOTE),
              "code %d", code);
        MPI_Barrier(MPI_COMM_WORLD);
        for (uint64_t turn = 0; turn < 3; turn++)
            join(state, enter(state), bytes / 8, turn);
    }
}

/* One rank, each in turn, joins words with another meaning, or another number of them, short or
 * long. All ranks get the error, and the next exchange is right. */
static void test_unlike(struct summand__state *state)
{
    enum { SHORT = 10, LONG = SUMMAND__JOIN_LONG / 8 + 2000, ROOM = 2 * LONG };
    static const struct {
        size_t words[2]; /* of the others, and of the odd rank */
        uint64_t form;   /* of the odd rank; the others' is 1 */
    } unlike[] = {
        {{SHORT, SHORT}, 2},     {{SHORT, SHORT + 1}, 1},
        {{SHORT + 1, SHORT}, 1}, {{SHORT, LONG}, 1},
        {{LONG, SHORT}, 1},      {{LONG, LONG}, 2},
        {{LONG, LONG + 1}, 1},   {{SHORT, 0}, 1},
        {{LONG, 0}, 1},          {{SUMMAND__JOIN_LONG / 8, SUMMAND__JOIN_LONG / 8 + 1}, 1}};
    static uint64_t words[ROOM];
    for (size_t k = 0; k < sizeof unlike / sizeof *unlike; k++)
        for (int odd = 0; odd < harness_ranks; odd++) {
            bool mine = harness_rank == odd;
            memset(words, 0, sizeof words);
            memset(words + unlike[k].words[mine], 0x5a, 64);
            int code = summand__join_alike(state, enter(state), mine ? unlike[k].form : 1, words,
                                           unlike[k].words[mine] * 8);
            int wrong = words[unlike[k].words[mine]] != UINT64_C(0x5a5a5a5a5a5a5a5a);
            CHECK(code == summand_error_code(SUMMAND_ERR_MISMATCH) && !wrong,
                  "row %zu, rank %d is odd: code %d, written behind: %d", k, odd, code, wrong);
            join(state, enter(state), SHORT, k);
        }
    memset(words, 0, sizeof words);
    words[harness_rank] = words[LONG - 1] = 1;
    int code = summand__join_alike(state, enter(state), 3, words, (size_t)LONG * 8);
    CHECK(code == MPI_SUCCESS && words[0] == 1 && words[harness_ranks - 1] == 1 && !words[LONG - 2],
          "long words: code %d", code);
}

TESTS
{
    for (int turn = 0; turn < 3; turn++) {
        MPI_Comm comm;
        struct summand__state *state;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        summand__state_of(comm, &state);
        test_kept(state);
        test_plan_tag(state);
        test_given_up(state);
        test_unlike(state);
        MPI_Comm_free(&comm);
    }
}
