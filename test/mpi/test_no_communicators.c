/* np: 1 2 3 4 */
/* SPDX-License-Identifier: BSD-3-Clause */
/* A MPI without communicators left, as MPICH is after 2046: ranks that share memory need none,
 * others use the one of a fabric that has all of them; where there is none, all ranks are told what
 * to do. Open MPI has more than can be made: there the library's calls are refused. */
#include <summand.h>

#include "comm/fabric/closing.h"
#include "comm/fabric/list.h"
#include "comm/state.h"
#include "mpi/fresh.h"
#include "mpi/no_communicators.h"
#include "mpi/one_call.h"

static struct summand__state *state_of(MPI_Comm comm)
{
    struct summand__state *state = NULL;
    CHECK(summand__state_of(comm, &state) == MPI_SUCCESS, "state");
    return state;
}

static void collectives_work(const struct subject *s, int salt)
{
    for (int c = 0; c < SUMMAND__MPI_COLLECTIVES; c++)
        for (int form = 0; form < 4; form += 2) {
            struct one one = {.s = s,
                              .collective = (enum summand__collective)c,
                              .count = form                     ? 5
                                       : s->at_b == 4 * COLUMNS ? 12
                                                                : 2000,
                              .root = salt % harness_ranks,
                              .form = form};
            if (!summand__has_root(one.collective))
                one.root = 0;
            check(&one);
        }
}

static void sums_work(MPI_Comm comm, int salt)
{
    double x[3] = {salt, harness_rank, 0.5}, y = 0, want = 0;
    for (int r = 0; r < harness_ranks; r++)
        want += salt + r + 0.5;
    for (int method = 0; method < 2; method++) {
        summand_plan *plan = NULL;
        const summand_options options = {.promise = method ? SUMMAND_PROMISE_INDEX
                                                           : SUMMAND_PROMISE_EXACT};
        summand_term term = {.kind = SUMMAND_KIND_SUM,
                             .count = 3,
                             .displacement = SUMMAND_DISPLACEMENT_APPEND,
                             .x = x};
        int code = summand_sum(x, &y, 3, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, &options);
        CHECK(code == MPI_SUCCESS && y == want, "method %d: code %d, %g", method, code, y);
        y = 0;
        code = summand_sums_init(1, &term, &y, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, &options, &plan);
        for (int turn = 0; turn < 2 && code == MPI_SUCCESS; turn++) {
            code = summand_plan_start(plan);
            if (code == MPI_SUCCESS)
                code = summand_plan_wait(plan);
        }
        CHECK(code == MPI_SUCCESS && y == want, "plan %d: code %d, %g", method, code, y);
        summand_plan_free(&plan);
    }
    y = 0;
    int code = summand_ordered_reduce(x, &y, 3, SUMMAND_DISPLACEMENT_APPEND, MPI_DOUBLE, MPI_SUM,
                                      SUMMAND_ROOT_ALL, comm, NULL);
    CHECK(code == MPI_SUCCESS && y == want, "ordered: code %d, %g", code, y);
}

static int gossip(MPI_Comm comm, double *sum)
{
    double mine = harness_rank + 1;
    return summand_gossip_allreduce(&mine, sum, 1, MPI_DOUBLE, MPI_SUM, comm, NULL, NULL);
}

/* All that there is, on any communicator. */
static void all_works(MPI_Comm comm, int salt)
{
    int rank = harness_rank, ranks = harness_ranks;
    double sum = 0;
    struct subject subjects[SUBJECTS];
    MPI_Comm_rank(comm, &harness_rank);
    MPI_Comm_size(comm, &harness_ranks);
    one_call_on(comm);
    make_subjects(subjects);
    collectives_work(&subjects[salt % SUBJECTS], salt);
    free_subjects(subjects);
    sums_work(comm, salt);
    double want = harness_ranks * (harness_ranks + 1) / 2;
    int code = gossip(comm, &sum);
    CHECK(code == MPI_SUCCESS && sum > 0.999 * want && sum < 1.001 * want, "gossip: code %d, %g",
          code, sum);
    harness_rank = rank;
    harness_ranks = ranks;
}

static void one_works(MPI_Comm comm, int salt)
{
    int one = salt, sum = 0;
    int code = summand_allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm, NULL);
    CHECK(code == MPI_SUCCESS && sum == salt * harness_ranks, "communicator %d: code %d, %d", salt,
          code, sum);
}

static int has_words(int code, const char *words)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;
    MPI_Error_string(code, text, &length);
    return strstr(text, words) != NULL;
}

/* Of a rank on its own: it computes in turns, between which it calls the MPI. */
static void outer_works(MPI_Comm comm)
{
    enum { N = 400, PAIRS = 300 };
    double *a = malloc(N * PAIRS * sizeof *a), *g = calloc(N * N, sizeof *g);
    summand_outer_matrix matrix = {.rows = N, .columns = N, .a = a, .b = a, .g = g};
    size_t wrong = 0;
    for (size_t i = 0; i < N * PAIRS; i++)
        a[i] = 1;
    int code = summand_outer(PAIRS, 1, &matrix, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, NULL);
    for (size_t i = 0; i < N * N; i++)
        wrong += g[i] != PAIRS;
    CHECK(code == MPI_SUCCESS && !wrong, "outer: code %d, %zu wrong", code, wrong);
    free(a);
    free(g);
}

/* It waits for a counter that nobody counts, and calls the MPI meanwhile. */
static void notify_works(MPI_Comm comm)
{
    summand_segment *segment = NULL;
    int first, code = summand_segment_create(8, 1, comm, NULL, &segment);
    if (code == MPI_SUCCESS)
        code = summand_notify_range(1, &first, segment);
    if (code == MPI_SUCCESS)
        code = summand_notify_wait(MPI_ANY_SOURCE, first, 1, 0.01, segment);
    CHECK(code == SUMMAND_NOTIFY_NOT_YET, "notify: code %d", code);
    CHECK(summand_segment_free(&segment) == MPI_SUCCESS, "segment");
}

/* Nothing to borrow yet: the first call of all. */
static void test_no_lender(void)
{
    const char *transport = getenv("SUMMAND_TRANSPORT");
    int node = getenv("SUMMAND_NODE_SIZE") ? atoi(getenv("SUMMAND_NODE_SIZE")) : harness_ranks;
    int bare =
        harness_ranks == 1 || (transport && !strcmp(transport, "shm") && node >= harness_ranks);
    int lack = summand_error_code(SUMMAND_ERR_COMMUNICATORS);
    MPI_Comm comm;
    double one = 1, sum = 0, gaps[4] = {1, 2, 3, 4};
    MPI_Datatype every_other;
    MPI_Type_vector(2, 1, 2, MPI_DOUBLE, &every_other);
    MPI_Type_commit(&every_other);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    none_left = 1;
    for (int turn = 0; turn < 2; turn++) {
        int code = summand_allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, comm, NULL);
        CHECK(code == (bare ? MPI_SUCCESS : lack), "code %d", code);
        CHECK(!bare || sum == harness_ranks, "%g", sum);
        code = summand_bcast(gaps, 1, every_other, 0, comm, NULL);
        CHECK(code == (bare ? MPI_SUCCESS : lack), "gaps: %d", code);
        code = gossip(comm, &sum);
        CHECK(code == lack, "gossip without messages: %d", code);
        CHECK(has_words(code, "MPI_COMM_WORLD"), "what to do is not said");
        if (harness_ranks == 1) {
            outer_works(comm);
            notify_works(comm);
        }
    }
    none_left = 0;
    one_works(comm, 7);
    MPI_Comm_free(&comm);
    MPI_Type_free(&every_other);
}

enum { SPLITS = 4, MOST = 2400, MANY = 600 /* more than a fabric has contexts */ };
static MPI_Comm dups[MOST];

/* As many as there are. */
static int make_all(void)
{
    int made = 0, most = MOST;
#ifdef OPEN_MPI
    most = MANY + 20;
#endif
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    while (made < most && MPI_Comm_dup(MPI_COMM_WORLD, &dups[made]) == MPI_SUCCESS)
        made++;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    return made;
}

/* In use, or dead. */
static int count_lent(const struct summand__fabric *fabric)
{
    int lent = summand__fabric_numbers() - fabric->contexts;
    if (lent > SUMMAND__MOST_NUMBERS)
        lent = SUMMAND__MOST_NUMBERS;
    for (int w = 0; w < SUMMAND__NUMBER_WORDS; w++)
        lent -= __builtin_popcountll(fabric->loans.free[w] | fabric->loans.left[w]);
    return lent;
}

/* Communicators of all ranks, and of some in another order; the world's own has a fabric. */
static void test_all_used(void)
{
    MPI_Comm split[SPLITS];
    one_works(MPI_COMM_WORLD, 1);
    struct summand__fabric *world = state_of(MPI_COMM_WORLD)->context.fabric;
    for (int i = 0; i < SPLITS; i++)
        MPI_Comm_split(MPI_COMM_WORLD, harness_rank % (i + 1), i % 2 ? -harness_rank : harness_rank,
                       &split[i]);
    int made = make_all(), few = made < MANY ? made : MANY;
    none_left = 1;
    CHECK(made > MANY && made < MOST, "%d communicators", made);
    for (int i = 0; i < few; i++)
        one_works(dups[i], i + 1);
    int lent = count_lent(world);
    CHECK(lent > 0 && lent < few, "%d lent", lent);
    for (int i = 0; i < SPLITS; i++)
        all_works(split[i], i + 1);
    one_works(dups[made - 4], 1);
    for (int i = made - 3; i < made; i++) {
        all_works(dups[i], i);
        const struct summand__fabric *fabric = state_of(dups[i])->context.fabric;
        CHECK(fabric->lender == world, "its own communicator");
        CHECK(fabric->first >= world->contexts, "tags of the lender's own");
        CHECK(fabric->first != state_of(dups[i - 1])->context.fabric->first, "tags of another's");
    }
    all_works(dups[0], 5);
    for (int i = 0; i < SPLITS; i++)
        MPI_Comm_free(&split[i]);
    for (int i = 0; i < made; i++)
        MPI_Comm_free(&dups[i]);
    CHECK(count_lent(world) == 0, "%d not given back", count_lent(world));
    none_left = 0;
    all_works(MPI_COMM_WORLD, 2);
}

/* What a borrower has goes with its communicator, also where another thread looks at it meanwhile:
 * its one context, of ranks that are others there, is not taken again. */
static void test_goes(void)
{
    MPI_Comm reversed, comm;
    fresh_settings();
    none_left = 1;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -harness_rank, &reversed);
    one_works(reversed, 1);
    struct summand__fabric *fabric = state_of(reversed)->context.fabric;
    CHECK(fabric->lender, "its own communicator");
    MPI_Comm_dup(reversed, &comm);
    summand__fabrics_lock();
    fabric->users++;
    summand__fabrics_unlock();
    MPI_Comm_free(&reversed);
    one_works(comm, 2);
    CHECK(state_of(comm)->context.fabric != fabric, "the context is taken again");
    summand__fabric_release(fabric);
    MPI_Comm_free(&comm);
    none_left = 0;
    unsetenv("SUMMAND_TUNING");
}

/* Rank 0's settings are others than those of the lender. */
static void test_other_settings(void)
{
    MPI_Comm comm;
    fresh_settings();
    none_left = 1;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    all_works(comm, 3);
    MPI_Comm_free(&comm);
    none_left = 0;
    unsetenv("SUMMAND_TUNING");
}

/* What has come for a number that is not lent again hides nothing. */
static void stray(const struct summand__fabric *world, int number)
{
    MPI_Comm comm;
    int tag = number * SUMMAND__TAGS_PER_CONTEXT + 5, there = 0, context = -1;
    if (harness_rank == 1)
        MPI_Send(NULL, 0, MPI_INT, 0, tag, world->comm);
    while (harness_ranks > 1 && !harness_rank && !there)
        MPI_Iprobe(1, tag, world->comm, &there, MPI_STATUS_IGNORE);
    for (int turn = 0; turn < 3; turn++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        one_works(comm, turn);
        CHECK(!turn || state_of(comm)->context.number == context, "context %d is lost", context);
        context = state_of(comm)->context.number;
        MPI_Comm_free(&comm);
    }
}

/* A call that fails leaves what may still come: the number is not lent again. */
static void test_failure(void)
{
    MPI_Comm comm;
    struct summand__fabric *world = state_of(MPI_COMM_WORLD)->context.fabric;
    fresh_settings();
    none_left = 1;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    one_works(comm, 1);
    double x = 1, y;
    int code = summand_allreduce(&x, &y, -1, MPI_DOUBLE, MPI_SUM, comm, NULL);
    CHECK(code != MPI_SUCCESS, "count -1");
    int number = state_of(comm)->context.fabric->first;
    MPI_Comm_free(&comm);
    CHECK(count_lent(world) == 1, "%d lent", count_lent(world));
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    all_works(comm, 4);
    MPI_Comm_free(&comm);
    none_left = 0;
    unsetenv("SUMMAND_TUNING");
    stray(world, number);
}

int main(int argc, char **argv)
{
    harness_begin(&argc, &argv);
    test_no_lender();
    test_all_used();
    test_goes();
    test_other_settings();
    test_failure();
    return harness_end();
}
