/* np: 1 2 3 5; together brief */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Wrong arguments: the right error, on every rank, without a hang, and the library continues to
 * work. */
#include <limits.h>
#include <summand/ordered.h>

#include "mpi/sums.h"

static int handled;

static void on_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    handled = *code;
}

/* The error handler saw the returned code, and its text is not empty. */
static void check_code(int code, int want, const char *what)
{
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    CHECK(code == want, "%s: code %d, not %d", what, code, want);
    CHECK(handled == code, "%s: handler saw %d", what, handled);
    MPI_Error_string(code, text, &length);
    CHECK(length > 10, "%s: '%s'", what, text);
    handled = MPI_SUCCESS;
}

static int error(enum summand_error which)
{
    return summand_error_code(which);
}

/* Numbers that are no condition of Summand's. */
static void test_no_condition(void)
{
    const int others[] = {MPI_SUCCESS,     MPI_ERR_BUFFER, MPI_ERR_COUNT,    MPI_ERR_OTHER,
                          MPI_ERR_UNKNOWN, MPI_ERR_NO_MEM, MPI_ERR_LASTCODE, -1,
                          INT_MIN,         INT_MAX};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        CHECK(summand_error_of(others[i]) == SUMMAND_ERR_NONE, "%d is condition %d", others[i],
              (int)summand_error_of(others[i]));
}

/* Numbers that no MPI has given out have a text, too: some MPIs crash for them. */
static void test_no_codes(void)
{
    const int numbers[] = {
        INT_MIN,         -1,          1 << 30, (1 << 30) + 100, (1 << 30) + 127, (1 << 30) + 128,
        (1 << 30) + 255, INT_MAX - 1, INT_MAX};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        CHECK(!strcmp(summand_error_text(numbers[i]), "not an error code"), "%d: '%s'", numbers[i],
              summand_error_text(numbers[i]));
}

/* Codes and conditions match, and none is a success. */
static void test_conditions(void)
{
    const int end = SUMMAND_ERR_NOT_CONVERGED + 1, none[] = {SUMMAND_ERR_NONE, end, -1, INT_MAX};
    int class = MPI_SUCCESS, users;
    for (int i = SUMMAND_ERR_NONE + 1; i < end; i++) {
        int code = error((enum summand_error)i);
        MPI_Error_class(code, &class);
        CHECK(i != MPI_SUCCESS && code != MPI_SUCCESS && code != MPI_ERR_UNKNOWN,
              "condition %d: %d", i, code);
        CHECK(class == summand_error_class(), "condition %d: class %d", i, class);
        CHECK((int)summand_error_of(code) == i, "condition %d: back %d", i,
              (int)summand_error_of(code));
    }
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        CHECK(error((enum summand_error)none[i]) == MPI_ERR_UNKNOWN, "%d has a code", none[i]);
    MPI_Add_error_code(summand_error_class(), &users); /* our class, but none of our codes */
    CHECK(summand_error_of(users) == SUMMAND_ERR_NONE, "a user's code");
    CHECK(summand_error_of(summand_error_class()) == SUMMAND_ERR_NONE, "the class");
    test_no_condition();
    test_no_codes();
}

struct wrong {
    const char *what;
    int k;
    summand_term term;
    MPI_Datatype datatype;
    enum summand_promise promise;
    int code;
};

/* One rank is wrong and gets its own error; the others get a remote error. */
static void check_wrong(const struct wrong *wrong, MPI_Comm comm, int who, int init)
{
    static const double x[4] = {1, 2, 3, 4};
    summand_term good = {
        .kind = SUMMAND_KIND_SUM, .count = 4, .displacement = SUMMAND_DISPLACEMENT_APPEND, .x = x};
    int me = who < 0 || who == harness_rank;
    const struct wrong right = {"", 1, good, MPI_DOUBLE, wrong->promise, error(SUMMAND_ERR_REMOTE)};
    const struct wrong *mine = me ? wrong : &right;
    const summand_options options = {.promise = mine->promise};
    double results[4] = {0};
    summand_plan *plan = NULL;
    int code = init ? summand_sums_init(mine->k, &mine->term, results, mine->datatype,
                                        SUMMAND_ROOT_ALL, comm, &options, &plan)
                    : summand_sums(mine->k, &mine->term, results, mine->datatype, SUMMAND_ROOT_ALL,
                                   comm, &options);
    CHECK(!plan, "%s: a plan was made", wrong->what);
    check_code(code, mine->code, wrong->what);
}

static void test_arguments(MPI_Comm comm)
{
    static const double x[4] = {1, 2, 3, 4};
    const summand_term good = {
        .kind = SUMMAND_KIND_SUM, .count = 4, .displacement = SUMMAND_DISPLACEMENT_APPEND, .x = x};
    summand_term negative = good, null = good, half = good, odd = good;
    summand_term before = good, swapped = good;
    swapped.displacement = SUMMAND_ROOT_ALL;
    negative.count = -1;
    before.displacement = -2;
    null.x = NULL;
    half.kind = SUMMAND_KIND_DOT;
    odd.kind = (enum summand_kind)9;
    const enum summand_promise exact = SUMMAND_PROMISE_EXACT, tree = SUMMAND_PROMISE_INDEX;
    const struct wrong rows[] = {
        {"negative count", 1, negative, MPI_DOUBLE, exact, MPI_ERR_COUNT},
        {"negative count, tree", 1, negative, MPI_DOUBLE, tree, MPI_ERR_COUNT},
        {"all ranks, not rank order", 1, swapped, MPI_DOUBLE, tree, error(SUMMAND_ERR_ARGUMENT)},
        {"displacement below 0", 1, before, MPI_DOUBLE, tree, error(SUMMAND_ERR_ARGUMENT)},
        {"null x", 1, null, MPI_DOUBLE, exact, MPI_ERR_BUFFER},
        {"null x, tree", 1, null, MPI_DOUBLE, tree, MPI_ERR_BUFFER},
        {"dot without y", 1, half, MPI_DOUBLE, exact, MPI_ERR_BUFFER},
        {"no such kind", 1, odd, MPI_DOUBLE, exact, error(SUMMAND_ERR_ARGUMENT)},
        {"negative k", -1, good, MPI_DOUBLE, exact, MPI_ERR_COUNT},
        {"wrong datatype", 1, good, MPI_INT, exact, error(SUMMAND_ERR_DATATYPE)},
        {"null datatype", 1, good, MPI_DATATYPE_NULL, tree, MPI_ERR_TYPE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int who = -1; who < harness_ranks; who++)
            for (int init = 0; init < 2; init++)
                check_wrong(&rows[i], comm, who, init);
}

static void test_root_and_promise(MPI_Comm comm)
{
    double x = 1, result;
    check_code(summand_sum(&x, &result, 1, MPI_DOUBLE, SUMMAND_DISPLACEMENT_APPEND, comm, NULL),
               MPI_ERR_ROOT, "rank order, not all ranks");
    check_code(summand_sum(&x, NULL, 1, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, NULL), MPI_ERR_BUFFER,
               "null result");
    check_code(summand_ordered_reduce(&x, &result, 1, SUMMAND_ROOT_ALL, MPI_DOUBLE, MPI_SUM,
                                      SUMMAND_DISPLACEMENT_APPEND, comm, NULL),
               MPI_ERR_ROOT, "ordered, both swapped");
    const summand_options promise = {.promise = (enum summand_promise)9};
    check_code(summand_sum(&x, &result, 1, MPI_DOUBLE, harness_ranks, comm, NULL), MPI_ERR_ROOT,
               "root");
    check_code(summand_sum(&x, &result, 1, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, &promise),
               error(SUMMAND_ERR_ARGUMENT), "promise");
}

/* A rank with an error has no sums to pass on, so their uninitialised memory is not read. The heap
 * is filled with bytes that would be accumulators of 16384 limbs. */
static void test_no_sums(MPI_Comm comm)
{
    enum { BLOCKS = 32, WORDS = 25000 };
    uint32_t *block[BLOCKS];
    double x[4] = {1, 2, 3, 4}, results[3];
    summand_term terms[3];
    for (int b = 0; b < BLOCKS; b++) {
        block[b] = malloc(WORDS * sizeof *block[b]);
        for (int i = 0; i < WORDS; i++)
            block[b][i] = UINT32_C(0x40000000); /* low 0, high 16384 */
    }
    for (int b = 0; b < BLOCKS; b++)
        free(block[b]);
    for (int i = 0; i < 3; i++)
        terms[i] = (summand_term){.kind = SUMMAND_KIND_SUM, .count = -1, .x = x};
    int code = summand_sums(3, terms, results, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, NULL);
    check_code(code, MPI_ERR_COUNT, "no sums");
}

/* Ranks that disagree on the kind, or on the method, detect it. */
static void test_mismatch(MPI_Comm comm)
{
    double x[2] = {1, 2}, result;
    if (harness_ranks == 1)
        return;
    int code = harness_rank ? summand_sum(x, &result, 2, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, NULL)
                            : summand_asum(x, &result, 2, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, NULL);
    check_code(code, error(SUMMAND_ERR_MISMATCH), "kind");
    const summand_options options = {.promise = harness_rank ? SUMMAND_PROMISE_EXACT
                                                             : SUMMAND_PROMISE_INDEX};
    code = summand_sum(x, &result, 2, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, &options);
    CHECK(code != MPI_SUCCESS, "methods differ: no error");
    handled = MPI_SUCCESS;
}

/* Leftovers of a call on which the ranks disagreed do not meet the next one. */
static void test_after_mismatch(MPI_Comm comm)
{
    double x[2] = {1, 2}, result = 0;
    if (harness_ranks != 2) /* with more, ranks that disagree on the root's tree may wait */
        return;
    summand_options options = {.promise =
                                   harness_rank ? SUMMAND_PROMISE_EXACT : SUMMAND_PROMISE_INDEX};
    summand_sum(x, &result, 2, MPI_DOUBLE, 0, comm, &options);
    MPI_Barrier(comm);
    handled = MPI_SUCCESS;
    options.promise = SUMMAND_PROMISE_EXACT;
    int code = summand_sum(x, &result, 2, MPI_DOUBLE, 0, comm, &options);
    CHECK(code == MPI_SUCCESS, "after a mismatch: code %d", code);
    CHECK(harness_rank || result == 6, "after a mismatch: %g", result);
}

/* Ranges that overlap or leave a gap. */
static void test_ranges(MPI_Comm comm)
{
    double x[4] = {1, 2, 3, 4}, result;
    const summand_options options = {.promise = SUMMAND_PROMISE_INDEX};
    for (int shift = -1; shift <= 1; shift += 2) {
        summand_term term = {.kind = SUMMAND_KIND_SUM,
                             .count = 4,
                             .x = x,
                             .displacement =
                                 4 * harness_rank + (harness_rank == harness_ranks - 1) *
                                                        (harness_ranks == 1 ? 1 : shift)};
        int code = summand_sums(1, &term, &result, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, &options);
        check_code(code, error(SUMMAND_ERR_DISTRIBUTION), "ranges");
    }
}

static void check_text(enum summand_error which, const char *part)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;
    MPI_Error_string(error(which), text, &length);
    CHECK(strstr(text, part), "'%s' says nothing of '%s'", text, part);
}

static void test_plan_states(MPI_Comm comm)
{
    double x = 1, result = 0;
    summand_term term = {.kind = SUMMAND_KIND_SUM, .count = 1, .x = &x};
    summand_plan *plan, *none = NULL;
    int done = 0;
    CHECK(summand_sums_init(1, &term, &result, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, NULL, &plan) ==
              MPI_SUCCESS,
          "init");
    check_code(summand_plan_wait(plan), error(SUMMAND_ERR_NOT_STARTED), "never started, wait");
    check_code(summand_plan_test(plan, &done), error(SUMMAND_ERR_NOT_STARTED), "the same, test");
    check_text(SUMMAND_ERR_NOT_STARTED, "never been started");
    CHECK(summand_plan_start(plan) == MPI_SUCCESS, "start");
    check_code(summand_plan_start(plan), error(SUMMAND_ERR_BUSY), "started twice");
    check_code(summand_plan_free(&plan), error(SUMMAND_ERR_BUSY), "freed while started");
    check_text(SUMMAND_ERR_BUSY, "already started");
    CHECK(summand_plan_wait(plan) == MPI_SUCCESS && result == harness_ranks, "%g", result);
    CHECK(summand_plan_wait(plan) == MPI_SUCCESS, "wait for nothing new");
    CHECK(summand_plan_test(plan, &done) == MPI_SUCCESS && done, "the same, test");
    CHECK(summand_plan_free(&plan) == MPI_SUCCESS && !plan, "free");
    CHECK(summand_plan_start(none) == error(SUMMAND_ERR_ARGUMENT), "null plan");
    CHECK(summand_plan_free(&none) == MPI_SUCCESS, "free of NULL");
}

/* One rank passes no memory for its plan: an error on all ranks, and nobody waits. */
static void test_no_room_for_a_plan(MPI_Comm comm)
{
    double x = 1, result = 0;
    summand_plan *plan = NULL;
    int last = harness_rank == harness_ranks - 1;
    int want = error(last ? SUMMAND_ERR_ARGUMENT : SUMMAND_ERR_REMOTE);
    summand_term term = {
        .kind = SUMMAND_KIND_SUM, .count = 1, .displacement = SUMMAND_DISPLACEMENT_APPEND, .x = &x};
    check_code(summand_sums_init(1, &term, &result, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, NULL,
                                 last ? NULL : &plan),
               want, "no room for a plan of sums");
    check_code(summand_ordered_reduce_init(&x, &result, 1, SUMMAND_DISPLACEMENT_APPEND, MPI_DOUBLE,
                                           MPI_SUM, -1, comm, NULL, last ? NULL : &plan),
               want, "no room for an ordered plan");
    check_code(summand_ordered_reduce(&x, &result, 1, last ? -2 : SUMMAND_DISPLACEMENT_APPEND,
                                      MPI_DOUBLE, MPI_SUM, -1, comm, NULL),
               want, "ordered, displacement below 0");
    CHECK(!plan, "a plan was made");
}

/* An operator that does not fit the datatype: the MPI is not asked, because it may abort. */
static void test_ordered_operator(MPI_Comm comm)
{
    double x = 1, result = 0;
    summand_plan *plan = NULL;
    MPI_Datatype pair;
    MPI_Type_contiguous(2, MPI_DOUBLE, &pair);
    MPI_Type_commit(&pair);
    for (int who = -1; who < harness_ranks; who++) {
        int me = who < 0 || who == harness_rank;
        int want = me ? MPI_ERR_OP : error(SUMMAND_ERR_REMOTE);
        MPI_Op band = me ? MPI_BAND : MPI_SUM;
        check_code(summand_ordered_reduce(&x, &result, 0, SUMMAND_DISPLACEMENT_APPEND, MPI_DOUBLE,
                                          band, -1, comm, NULL),
                   want, "bits of a double");
        check_code(summand_ordered_reduce_init(&x, &result, 0, SUMMAND_DISPLACEMENT_APPEND,
                                               me ? pair : MPI_DOUBLE, MPI_SUM, -1, comm, NULL,
                                               &plan),
                   want, "sum of a derived datatype");
        CHECK(!plan, "a plan was made");
    }
    MPI_Type_free(&pair);
}

static void test_communicators(void)
{
    double x = 1, result = 0;
    MPI_Errhandler saved;
    MPI_Comm_get_errhandler(MPI_COMM_SELF, &saved);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    CHECK(summand_sum(&x, &result, 1, MPI_DOUBLE, SUMMAND_ROOT_ALL, MPI_COMM_NULL, NULL) ==
              MPI_ERR_COMM,
          "null comm");
    MPI_Comm_set_errhandler(MPI_COMM_SELF, saved);
    MPI_Errhandler_free(&saved);
    if (harness_ranks < 2)
        return;
    MPI_Comm half, inter;
    MPI_Comm_split(MPI_COMM_WORLD, harness_rank % 2, harness_rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, harness_rank % 2 ? 0 : 1, 5, &inter);
    MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
    CHECK(summand_sum(&x, &result, 1, MPI_DOUBLE, SUMMAND_ROOT_ALL, inter, NULL) == MPI_ERR_COMM,
          "inter-communicator");
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

TESTS
{
    test_conditions();
    MPI_Comm comm;
    MPI_Errhandler handler;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_errhandler(on_error, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    test_no_sums(comm);
    test_arguments(comm);
    test_root_and_promise(comm);
    test_mismatch(comm);
    test_after_mismatch(comm);
    test_ranges(comm);
    test_plan_states(comm);
    test_no_room_for_a_plan(comm);
    test_ordered_operator(comm);
    test_communicators();
    double x = 1, result = 0;
    CHECK(summand_sum(&x, &result, 1, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, NULL) == MPI_SUCCESS &&
              result == harness_ranks,
          "still works");
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&comm);
}
