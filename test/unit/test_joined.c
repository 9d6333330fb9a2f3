/* What runs where ranks share memory (late receives in their last rounds, receives joined with what
 * combines them) is proved as schedules are, for nodes of all sizes. Joins that must not be are
 * caught: at random by a fixed seed, where a step is done twice, never, or with another receive; by
 * hand, where fuse.h would not join. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algorithm/call.h"
#include "lab/verify/cases.h"
#include "lab/verify/prove.h"
#include "schedule/passes/defer.h"

enum { MOST_RANKS = 13, TRIES = 20, COUNT = 4 };

static uint32_t random_state = 20164;

static uint32_t draw(uint32_t below)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(random_state >> 8) * below >> 24);
}

static bool prove_case(const struct summand__algorithm *algorithm, const struct summand__call *call,
                       void *context)
{
    const int nodes[] = {call->ranks, 2, 3};
    size_t *proofs = context;
    for (size_t n = 0; n < sizeof nodes / sizeof *nodes; n++) {
        struct summand__proof proof;
        ++*proofs;
        if (!summand__prove_joined(algorithm, call, nodes[n], &proof))
            fail_msg("%s %s: %d ranks in nodes of %d, root %d, count %zu, segment %zu%s: %s",
                     algorithm->name, summand__collective_name(call->collective), call->ranks,
                     nodes[n], call->root, call->count, call->parameter[SUMMAND__SEGMENT],
                     call->in_place ? ", in place" : "", proof.fault);
    }
    return true;
}

static void every_algorithm(void **state)
{
    static const int ranks[] = {1, 2, 3, 4, 5, 7, 8, 13, 17, 33};
    size_t proofs = 0;
    (void)state;
    for (int i = 0; summand__algorithms[i]; i++)
        for (int c = 0; c < SUMMAND__COLLECTIVES; c++)
            for (size_t p = 0; p < sizeof ranks / sizeof *ranks; p++)
                assert_true(summand__cases(
                    summand__algorithms[i], (enum summand__collective)c, ranks[p],
                    ranks[p] < 8 ? SUMMAND__MANY_CASES : SUMMAND__FEW_CASES, prove_case, &proofs));
    print_message("%zu proofs\n", proofs);
    assert_true(proofs > 10000);
}

/* All schedules of a call where all ranks are near. */
struct joined {
    struct summand__schedule schedules[MOST_RANKS];
    struct summand__fused *fused[MOST_RANKS];
};

static bool all_near(const void *context, int peer)
{
    (void)context, (void)peer;
    return true;
}

static void make(const struct summand__algorithm *algorithm, const struct summand__call *call,
                 struct joined *joined)
{
    struct summand__call view = *call;
    for (view.rank = 0; view.rank < call->ranks; view.rank++) {
        struct summand__schedule built, *schedule = &joined->schedules[view.rank];
        view.in_place = call->in_place && summand__call_result(call, view.rank);
        assert_true(summand__build(algorithm, &view, &built));
        summand__defer(&built, all_near, NULL, schedule);
        summand__schedule_free(&built);
        joined->fused[view.rank] = calloc(schedule->length + 1, sizeof(struct summand__fused));
        assert_non_null(joined->fused[view.rank]);
        summand__fuse(schedule, all_near, NULL, joined->fused[view.rank]);
    }
}

static void drop(const struct summand__call *call, struct joined *joined)
{
    for (int r = 0; r < call->ranks; r++) {
        summand__schedule_free(&joined->schedules[r]);
        free(joined->fused[r]);
    }
}

/* Mutations of a receive that is joined; false where they do not apply. */
typedef bool mutate(const struct summand__schedule *schedule, struct summand__fused *fused,
                    size_t recv);

static bool twice(const struct summand__schedule *schedule, struct summand__fused *fused,
                  size_t recv)
{
    (void)schedule;
    fused[fused[recv].reduce - 1].joined = false;
    return true;
}

static bool never(const struct summand__schedule *schedule, struct summand__fused *fused,
                  size_t recv)
{
    (void)schedule;
    fused[recv].reduce = 0;
    return true;
}

static bool without_copy(const struct summand__schedule *schedule, struct summand__fused *fused,
                         size_t recv)
{
    (void)schedule;
    bool copies = fused[recv].copy;
    fused[recv].copy = 0;
    return copies;
}

/* Of two receives of a round, each with the steps of the other. */
static bool crossed(const struct summand__schedule *schedule, struct summand__fused *fused,
                    size_t recv)
{
    for (size_t i = recv + 1; schedule->steps[i].action != SUMMAND__ROUND; i++)
        if (fused[i].reduce) {
            struct summand__fused kept = fused[i];
            fused[i] = fused[recv];
            fused[recv] = kept;
            return true;
        }
    return false;
}

static const struct {
    const char *name;
    mutate *apply;
} mutations[] = {
    {"twice", twice}, {"never", never}, {"without copy", without_copy}, {"crossed", crossed}};
enum { MUTATIONS = sizeof mutations / sizeof *mutations };

static void try_one(const struct summand__algorithm *algorithm, const struct summand__call *call,
                    struct joined *joined, size_t made[MUTATIONS])
{
    int rank = (int)draw((uint32_t)call->ranks);
    size_t which = draw(MUTATIONS), length = joined->schedules[rank].length;
    size_t recv = length ? draw((uint32_t)length) : 0;
    struct summand__fused *kept = joined->fused[rank], *fused;
    while (recv < length && !kept[recv].reduce)
        recv++;
    if (recv >= length)
        return;
    fused = joined->fused[rank] = malloc((length + 1) * sizeof *fused);
    assert_non_null(fused);
    memcpy(fused, kept, length * sizeof *fused);
    struct summand__proof proof;
    if (mutations[which].apply(&joined->schedules[rank], fused, recv)) {
        made[which]++;
        if (summand__prove_fused(algorithm, call, call->ranks, joined->schedules,
                                 (const struct summand__fused *const *)joined->fused, &proof))
            fail_msg("%s %s: %d ranks, root %d, count %zu%s: rank %d's receive %zu %s",
                     algorithm->name, summand__collective_name(call->collective), call->ranks,
                     call->root, call->count, call->in_place ? ", in place" : "", rank, recv,
                     mutations[which].name);
    }
    free(fused);
    joined->fused[rank] = kept;
}

static bool mutate_case(const struct summand__algorithm *algorithm,
                        const struct summand__call *call, void *context)
{
    struct joined joined;
    make(algorithm, call, &joined);
    for (int i = 0; i < TRIES; i++)
        try_one(algorithm, call, &joined, context);
    drop(call, &joined);
    return true;
}

static void every_mutation(void **state)
{
    static const int ranks[] = {2, 3, 5, 8, 13};
    size_t made[MUTATIONS] = {0};
    (void)state;
    for (int i = 0; summand__algorithms[i]; i++)
        for (int c = 0; c < SUMMAND__COLLECTIVES; c++)
            for (size_t p = 0; p < sizeof ranks / sizeof *ranks; p++)
                assert_true(summand__cases(summand__algorithms[i], (enum summand__collective)c,
                                           ranks[p], SUMMAND__FEW_CASES, mutate_case, made));
    for (int m = 0; m < MUTATIONS; m++) {
        print_message("%-22s %6zu\n", mutations[m].name, made[m]);
        assert_true(made[m] >= 100);
    }
}

/* By hand: rank 0 copies its operand to the result, receives rank 1's and sends `out` meanwhile,
 * and has the steps of `behind` in the next round, of which the reduce step is joined. */
static const struct summand__algorithm by_hand = {.name = "by hand"};
static const struct summand__region A = {SUMMAND__SENDBUF, 0, COUNT},
                                    B = {SUMMAND__RECVBUF, 0, COUNT},
                                    C = {SUMMAND__SCRATCH, 0, COUNT},
                                    D = {SUMMAND__SCRATCH, COUNT, COUNT};

static void start(struct joined *joined, struct summand__region out)
{
    for (int r = 0; r < 2; r++)
        summand__schedule_init(&joined->schedules[r]);
    struct summand__schedule *root = &joined->schedules[0], *other = &joined->schedules[1];
    summand__copy(root, A, B);
    summand__round(root);
    summand__recv(root, 1, C);
    summand__send(root, 1, out);
    summand__send(other, 0, A);
    summand__recv(other, 0, summand__region(SUMMAND__SCRATCH, 0, out.count));
}

/* What is wrong, or "", if the first receive and the first reduce step are joined all the same. */
static const char *outcome(struct joined *joined, int node)
{
    static struct summand__proof proof;
    const struct summand__call call = {
        .collective = SUMMAND__COLL_REDUCE, .ranks = 2, .count = COUNT};
    size_t recv = 0, reduce = 0;
    for (int r = 0; r < 2; r++)
        joined->fused[r] = calloc(joined->schedules[r].length + 1, sizeof(struct summand__fused));
    while (joined->schedules[0].steps[recv].action != SUMMAND__RECV)
        recv++;
    while (joined->schedules[0].steps[reduce].action != SUMMAND__REDUCE)
        reduce++;
    joined->fused[0][recv].reduce = reduce + 1;
    joined->fused[0][reduce].joined = true;
    summand__prove_fused(&by_hand, &call, node, joined->schedules,
                         (const struct summand__fused *const *)joined->fused, &proof);
    drop(&call, joined);
    return proof.fault;
}

static void refused(struct joined *joined, int node, const char *why)
{
    const char *fault = outcome(joined, node);
    if (!strstr(fault, why))
        fail_msg("\"%s\" instead of: %s", fault, why);
}

static void end(struct joined *joined)
{
    summand__round(&joined->schedules[0]);
    summand__reduce(&joined->schedules[0], C, B);
}

static void right(void **state)
{
    struct joined joined;
    (void)state;
    start(&joined, summand__region(SUMMAND__RECVBUF, 0, COUNT));
    end(&joined);
    assert_string_equal(outcome(&joined, 2), "");
}

static void result_is_sent(void **state)
{
    struct joined joined;
    (void)state;
    start(&joined, summand__region(SUMMAND__RECVBUF, 0, COUNT)); /* to a rank that is not near */
    end(&joined);
    refused(&joined, 1, "what is joined in steps");
    start(&joined, summand__region(SUMMAND__RECVBUF, 1, COUNT - 1)); /* a part of it */
    end(&joined);
    refused(&joined, 2, "what is joined in steps");
}

static void operand_is_read_again(void **state)
{
    struct joined joined;
    (void)state;
    start(&joined, summand__region(SUMMAND__SENDBUF, 0, COUNT));
    end(&joined);
    summand__copy(&joined.schedules[0], C, D);
    refused(&joined, 2, "rank 0 reads scratch[0] before it is written");
}

static void something_comes_first(void **state)
{
    struct joined joined;
    (void)state;
    start(&joined, summand__region(SUMMAND__SENDBUF, 0, COUNT));
    summand__round(&joined.schedules[0]);
    summand__copy(&joined.schedules[0], A, B);
    end(&joined);
    refused(&joined, 2, "lacks the contribution of rank 1");
}

static void result_is_received(void **state)
{
    struct joined joined;
    (void)state;
    start(&joined, summand__region(SUMMAND__SENDBUF, 0, COUNT));
    summand__recv(&joined.schedules[0], 1, B);
    summand__send(&joined.schedules[1], 0, A);
    end(&joined);
    refused(&joined, 2, "what is joined in steps");
}

static void other_elements(void **state)
{
    struct joined joined;
    (void)state;
    start(&joined, summand__region(SUMMAND__SENDBUF, 0, COUNT));
    summand__copy(&joined.schedules[0], A, D);
    summand__round(&joined.schedules[0]);
    summand__reduce(&joined.schedules[0], D, B);
    refused(&joined, 2, "what is joined in steps");
}

static const char *outcome_of(struct summand__schedule *schedules, int ranks,
                              struct summand__fused *const *fused)
{
    static struct summand__proof proof;
    const struct summand__call call = {
        .collective = SUMMAND__COLL_REDUCE, .ranks = ranks, .count = COUNT};
    summand__prove_fused(&by_hand, &call, ranks, schedules,
                         (const struct summand__fused *const *)fused, &proof);
    for (int r = 0; r < ranks; r++)
        summand__schedule_free(&schedules[r]);
    return proof.fault;
}

/* A message goes where one before it was combined: it would take that one's place. */
static void received_over_result(void **state)
{
    struct summand__schedule schedules[3];
    struct summand__fused root[8] = {{0}}, other[2] = {{0}}, *fused[3] = {root, other, other};
    (void)state;
    for (int r = 0; r < 3; r++)
        summand__schedule_init(&schedules[r]);
    summand__recv(&schedules[0], 1, C);
    summand__recv(&schedules[0], 2, B);
    summand__round(&schedules[0]);
    summand__reduce(&schedules[0], C, B);
    summand__reduce(&schedules[0], A, B);
    summand__send(&schedules[1], 0, A);
    summand__send(&schedules[2], 0, A);
    root[0].reduce = 4;
    root[1].reduce = 5;
    root[3].joined = root[4].joined = true;
    assert_non_null(strstr(outcome_of(schedules, 3, fused), "what is joined in steps"));
}

/* The result is written by a step of the round in which it is sent. */
static void written_while_sent(void **state)
{
    struct summand__schedule schedules[2];
    struct summand__fused root[8] = {{0}}, other[4] = {{0}}, *fused[2] = {root, other};
    (void)state;
    for (int r = 0; r < 2; r++)
        summand__schedule_init(&schedules[r]);
    summand__copy(&schedules[0], A, B);
    summand__send(&schedules[0], 1, B);
    summand__recv(&schedules[0], 1, C);
    summand__round(&schedules[0]);
    summand__reduce(&schedules[0], C, B);
    summand__send(&schedules[1], 0, A);
    summand__recv(&schedules[1], 0, C);
    root[2].reduce = 5;
    root[4].joined = true;
    assert_non_null(strstr(outcome_of(schedules, 2, fused), "share recvbuf"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_algorithm),
        cmocka_unit_test(every_mutation),
        cmocka_unit_test(right),
        cmocka_unit_test(result_is_sent),
        cmocka_unit_test(operand_is_read_again),
        cmocka_unit_test(something_comes_first),
        cmocka_unit_test(result_is_received),
        cmocka_unit_test(other_elements),
        cmocka_unit_test(received_over_result),
        cmocka_unit_test(written_while_sent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
