/* The automatic choice does the collective and keeps the promises, for any rank count and size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "reduce/call.h"
#include "select/choose.h"

static void check(int collective, int ranks, size_t bytes, unsigned promises)
{
    struct summand__question question = {.collective = (enum summand__collective)collective,
                                         .ranks = ranks,
                                         .node_size = 1,
                                         .bytes = bytes,
                                         .element = 8,
                                         .promises = promises};
    size_t offsets[66] = {0};
    struct summand__call call = {
        .collective = question.collective, .ranks = ranks, .offsets = offsets};
    struct summand__choice choice;
    summand__choose(&question, &choice);
    const struct summand__algorithm *chosen = choice.algorithm;
    assert_non_null(chosen);
    assert_true(summand__algorithm_does(chosen, &call));
    assert_true(summand__promises_kept(chosen, question.collective, promises));
}

static void test_choice(void **state)
{
    static const size_t bytes[] = {0, 8, 16384, 16385, (size_t)1 << 30};
    static const unsigned promises[] = {0, SUMMAND__RANK_ORDER,
                                        SUMMAND__RANK_ORDER | SUMMAND__CANONICAL};
    (void)state;
    for (int collective = 0; collective < SUMMAND__COLLECTIVES; collective++)
        for (int ranks = 1; ranks <= 65; ranks++)
            for (int i = 0; i < 5; i++)
                for (int j = 0; j < 3; j++)
                    check(collective, ranks, bytes[i], promises[j]);
}

static void test_promises(void **state)
{
    const struct summand__algorithm *ring = summand__algorithm_named("ring");
    (void)state;
    assert_false(summand__promises_kept(ring, SUMMAND__COLL_ALLREDUCE, SUMMAND__RANK_ORDER));
    assert_true(summand__promises_kept(ring, SUMMAND__COLL_ALLGATHER, SUMMAND__RANK_ORDER));
    assert_true(summand__promises_kept(ring, SUMMAND__COLL_ALLREDUCE, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_choice),
                                       cmocka_unit_test(test_promises)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
