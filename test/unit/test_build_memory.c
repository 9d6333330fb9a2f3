/* SPDX-License-Identifier: BSD-3-Clause */
/* If any memory request fails while a schedule is built, the build reports it. With memory again,
 * the schedule is the same as before. */
#include "algorithm/call.h"
#include "lab/verify/cases.h"
#include "mpi/scarce.h"
#include "unit/unit.h"

enum { MOST_RANKS = 9 };

static long refusals;

static bool same_step(const struct summand__step *a, const struct summand__step *b)
{
    return a->action == b->action && a->peer == b->peer && a->lag == b->lag &&
           a->flags == b->flags && summand__regions_equal(a->from, b->from) &&
           summand__regions_equal(a->to, b->to);
}

static void assert_same(const struct summand__schedule *a, const struct summand__schedule *b)
{
    assert_int_equal(a->length, b->length);
    assert_int_equal(a->scratch, b->scratch);
    for (size_t i = 0; i < a->length; i++)
        assert_true(same_step(&a->steps[i], &b->steps[i]));
}

/* Fails each request alone, then each request with all later ones. */
static void check_rank(const struct summand__algorithm *algorithm, const struct summand__call *call)
{
    struct summand__schedule want, got;
    assert_true(summand__build(algorithm, call, &want));
    for (int all = 0; all < 2; all++)
        for (long n = 1, refused = 1; refused; n++) {
            scarce_begin(n, all);
            bool built = summand__build(algorithm, call, &got);
            refused = scarce_end();
            refusals += refused > 0;
            if (built == (refused > 0))
                fail_msg("%s of %s on rank %d of %d: request %ld failed, built %d",
                         summand__collective_name(call->collective), algorithm->name, call->rank,
                         call->ranks, n, built);
            if (built)
                assert_same(&got, &want);
            summand__schedule_free(&got);
        }
    summand__schedule_free(&want);
}

static bool check(const struct summand__algorithm *algorithm, const struct summand__call *call,
                  void *context)
{
    struct summand__call one = *call;
    (void)context;
    for (one.rank = 0; one.rank < one.ranks; one.rank++)
        check_rank(algorithm, &one);
    return true;
}

TEST(test_builds)
{
    for (int i = 0; summand__algorithms[i]; i++)
        for (int collective = 0; collective < SUMMAND__MPI_COLLECTIVES; collective++)
            for (int ranks = 2; ranks <= MOST_RANKS; ranks++)
                assert_true(summand__cases(summand__algorithms[i],
                                           (enum summand__collective)collective, ranks,
                                           SUMMAND__FEW_CASES, check, NULL));
    assert_true(refusals > 10000);
}
