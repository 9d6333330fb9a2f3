/* np: 1 2 3 */
/* SPDX-License-Identifier: BSD-3-Clause */
/* The texts of errors: the argument, its value, the allowed values, and the rank. Every call
 * refuses wrong buffers, and accepts correct ones at NULL. */
#include <limits.h>
#include <summand.h>

#include "mpi/harness.h"

static MPI_Comm comm;

/* The error of one rank. Both texts are checked if the code is Summand's own; the MPI's texts stay
 * its own. */
static void expect(int code, int class, const char *words, const char *what)
{
    char text[MPI_MAX_ERROR_STRING] = "", rank[64];
    int got = MPI_SUCCESS, length = 0;
    const char *ours = summand_error_text(code);
    snprintf(rank, sizeof rank, "(rank %d of %d)", harness_rank, harness_ranks);
    MPI_Error_class(code, &got);
    CHECK(code == class || got == class, "%s: code %d, not %d", what, code, class);
    CHECK(strstr(ours, words), "%s: '%s' has no '%s'", what, ours, words);
    CHECK(strstr(ours, rank), "%s: '%s' has no '%s'", what, ours, rank);
    MPI_Error_string(code, text, &length);
    if (got == summand_error_class())
        CHECK(strstr(text, words), "%s: MPI_Error_string: '%s' has no '%s'", what, text, words);
}

static int error(enum summand_error which)
{
    return summand_error_code(which);
}

#define WRONG(class, words, call) expect(call, class, words, #call)

#include "mpi/no_place.h"
#include "mpi/sum_options.h"

static double x[64], y[64];

static void test_counts(void)
{
    int counts[3] = {1, 1, 1}, places[3] = {0, 1, 2};
    char words[64];
    snprintf(words, sizeof words, "root is %d, not from 0 to %d", harness_ranks, harness_ranks - 1);
    WRONG(MPI_ERR_ROOT, words,
          summand_reduce(x, y, 1, MPI_DOUBLE, MPI_SUM, harness_ranks, comm, NULL));
    WRONG(MPI_ERR_ROOT, "root is -7", summand_bcast(x, 1, MPI_DOUBLE, -7, comm, NULL));
    WRONG(MPI_ERR_COUNT, "count is -3, not 0 or more",
          summand_allreduce(x, y, -3, MPI_DOUBLE, MPI_SUM, comm, NULL));
    WRONG(MPI_ERR_COUNT, "recvcount is -4",
          summand_reduce_scatter_block(x, y, -4, MPI_DOUBLE, MPI_SUM, comm, NULL));
    WRONG(MPI_ERR_COUNT, "sendcount is -5",
          summand_allgather(x, -5, MPI_DOUBLE, y, 1, MPI_DOUBLE, comm, NULL));
    /* Also after a right call, which the next one would repeat. */
    CHECK(summand_allgatherv(x, 1, MPI_DOUBLE, y, counts, places, MPI_DOUBLE, comm, NULL) ==
              MPI_SUCCESS,
          "allgatherv");
    WRONG(MPI_ERR_COUNT, "recvcounts is NULL",
          summand_allgatherv(x, 1, MPI_DOUBLE, y, NULL, places, MPI_DOUBLE, comm, NULL));
    WRONG(error(SUMMAND_ERR_ARGUMENT), "displs is NULL",
          summand_allgatherv(x, 1, MPI_DOUBLE, y, counts, NULL, MPI_DOUBLE, comm, NULL));
    counts[harness_ranks - 1] = -6;
    snprintf(words, sizeof words, "recvcounts[%d] is -6", harness_ranks - 1);
    WRONG(MPI_ERR_COUNT, words,
          summand_reduce_scatter(x, y, counts, MPI_DOUBLE, MPI_SUM, comm, NULL));
    for (int r = 0; r < harness_ranks; r++)
        counts[r] = 11;
    snprintf(words, sizeof words, "recvcounts[%d], for this rank, 11 of 8 bytes", harness_rank);
    WRONG(MPI_ERR_TRUNCATE, words,
          summand_allgatherv(x, 12, MPI_DOUBLE, y, counts, places, MPI_DOUBLE, comm, NULL));
    WRONG(MPI_ERR_TRUNCATE, "sendcount is 2 of 8 bytes",
          summand_allgather(x, 2, MPI_DOUBLE, y, 3, MPI_DOUBLE, comm, NULL));
    WRONG(MPI_ERR_COUNT, "count is 4611686018427387904",
          summand_allreduce_c(x, y, (MPI_Count)1 << 62, MPI_DOUBLE, MPI_SUM, comm, NULL));
    WRONG(MPI_ERR_COUNT, "k is -2",
          summand_sums(-2, NULL, y, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, NULL));
    WRONG(MPI_ERR_COUNT, "count is -9",
          summand_sum(x, y, -9, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, NULL));
    WRONG(MPI_ERR_COUNT, "count is -8",
          summand_ordered_reduce(x, y, -8, 0, MPI_DOUBLE, MPI_SUM, SUMMAND_ROOT_ALL, comm, NULL));
}

/* A block whose displacement puts it beyond memory. */
static void test_places(void)
{
    MPI_Count counts[3] = {1, 1, 1};
    MPI_Aint places[3] = {0, 1, 2};
    char words[64];
    places[harness_ranks - 1] = (MPI_Aint)1 << 61;
    snprintf(words, sizeof words, "displs[%d] is 2305843009213693952", harness_ranks - 1);
    WRONG(error(SUMMAND_ERR_ARGUMENT), words,
          summand_allgatherv_c(x, 1, MPI_DOUBLE, y, counts, places, MPI_DOUBLE, comm, NULL));
}

static void test_handles(void)
{
    WRONG(MPI_ERR_TYPE, "datatype is MPI_DATATYPE_NULL",
          summand_allreduce(x, y, 1, MPI_DATATYPE_NULL, MPI_SUM, comm, NULL));
    WRONG(MPI_ERR_TYPE, "sendtype is MPI_DATATYPE_NULL",
          summand_allgather(x, 1, MPI_DATATYPE_NULL, y, 1, MPI_DOUBLE, comm, NULL));
    WRONG(MPI_ERR_TYPE, "recvtype is MPI_DATATYPE_NULL",
          summand_allgather(x, 1, MPI_DOUBLE, y, 1, MPI_DATATYPE_NULL, comm, NULL));
    WRONG(MPI_ERR_OP, "op is MPI_OP_NULL",
          summand_allreduce(x, y, 1, MPI_DOUBLE, MPI_OP_NULL, comm, NULL));
    WRONG(MPI_ERR_OP, "op is MPI_BAND, which the MPI does not define for MPI_DOUBLE",
          summand_allreduce(x, y, 1, MPI_DOUBLE, MPI_BAND, comm, NULL));
    WRONG(MPI_ERR_OP, "op is MPI_LAND, which the MPI does not define for MPI_FLOAT",
          summand_ordered_reduce(x, y, 1, SUMMAND_DISPLACEMENT_APPEND, MPI_FLOAT, MPI_LAND, 0, comm,
                                 NULL));
    WRONG(error(SUMMAND_ERR_DATATYPE), "datatype is MPI_INT",
          summand_sum(x, y, 1, MPI_INT, SUMMAND_ROOT_ALL, comm, NULL));
    WRONG(MPI_ERR_TYPE, "datatype is MPI_DATATYPE_NULL",
          summand_sum(x, y, 1, MPI_DATATYPE_NULL, SUMMAND_ROOT_ALL, comm, NULL));
    MPI_Datatype pair;
    MPI_Type_contiguous(2, MPI_DOUBLE, &pair);
    MPI_Type_set_name(pair, "pair");
    WRONG(MPI_ERR_TYPE, "datatype is pair, which is not committed",
          summand_bcast(x, 1, pair, 0, comm, NULL));
    MPI_Type_free(&pair);
    int code = summand_allreduce(x, y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_NULL, NULL);
    CHECK(code == MPI_ERR_COMM && strstr(summand_error_text(code), "comm is MPI_COMM_NULL"), "%s",
          summand_error_text(code));
}

static void add(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)n, (void)type;
    *(double *)inout += *(double *)in;
}

/* Elements whose gaps are wider than memory: a single one is moved and combined all the same. */
static void test_wide(void)
{
    MPI_Datatype wide;
    MPI_Op op;
    double one = 1, all = 0;
    MPI_Type_create_resized(MPI_DOUBLE, 0, (MPI_Aint)1 << 46, &wide);
    MPI_Type_commit(&wide);
    MPI_Op_create(add, 1, &op);
    int code = summand_allreduce(&one, &all, 1, wide, op, comm, NULL);
    CHECK(code == MPI_SUCCESS && all == harness_ranks, "%s: %g", summand_error_text(code), all);
    code = summand_bcast(&one, 1, wide, 0, comm, NULL);
    CHECK(code == MPI_SUCCESS, "%s", summand_error_text(code));
    WRONG(MPI_ERR_COUNT, "count is 2147483647",
          summand_allreduce(&one, &all, INT_MAX, wide, op, comm, NULL));
    MPI_Op_free(&op);
    MPI_Type_free(&wide);
}

static void test_options(void)
{
    const struct {
        summand_options options;
        enum summand_error code;
        const char *words;
    } rows[] = {
        {{.segment = -2}, SUMMAND_ERR_ARGUMENT, "options.segment is -2, not 0 or more"},
        {{.radix = -3}, SUMMAND_ERR_ARGUMENT, "options.radix is -3"},
        {{.node_size = -4}, SUMMAND_ERR_ARGUMENT, "options.node_size is -4"},
        {{.leaders = -5}, SUMMAND_ERR_ARGUMENT, "options.leaders is -5"},
        {{.radix_between = -6}, SUMMAND_ERR_ARGUMENT, "options.radix_between is -6"},
        {{.promise = (enum summand_promise)9}, SUMMAND_ERR_ARGUMENT, "options.promise is 9"},
        {{.timeout = -0.5}, SUMMAND_ERR_ARGUMENT, "options.timeout is -0.5 s"},
        {{.check = (enum summand_checked)4},
         SUMMAND_ERR_ARGUMENT,
         "options.check is 4, not one of enum summand_checked (0 to 3)"},
        {{.algorithm = "binominal"},
         SUMMAND_ERR_ALGORITHM,
         "options.algorithm is 'binominal', which 'summand list' does not have (did you mean "
         "'binomial'?)"},
        {{.algorithm = "outer-gather"},
         SUMMAND_ERR_ALGORITHM,
         "options.algorithm is 'outer-gather', which does not do allreduce"},
        {{.algorithm = "chain", .promise = SUMMAND_PROMISE_CANONICAL},
         SUMMAND_ERR_ALGORITHM,
         "options.algorithm is 'chain', which has no canonical bits"},
        {{.algorithm = "ring", .promise = SUMMAND_PROMISE_RANK_ORDER},
         SUMMAND_ERR_ALGORITHM,
         "options.algorithm is 'ring', which does not combine in rank order"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        summand_plan *plan = NULL;
        expect(summand_allreduce(x, y, 1, MPI_DOUBLE, MPI_SUM, comm, &rows[i].options),
               error(rows[i].code), rows[i].words, "summand_allreduce");
        expect(summand_allreduce_init(x, y, 1, MPI_DOUBLE, MPI_SUM, comm, &rows[i].options, &plan),
               error(rows[i].code), rows[i].words, "summand_allreduce_init");
    }
    char words[96];
    snprintf(words, sizeof words, "root is %d, neither a rank from 0 to %d", harness_ranks,
             harness_ranks - 1);
    WRONG(MPI_ERR_ROOT, words, summand_sum(x, y, 1, MPI_DOUBLE, harness_ranks, comm, NULL));
}

static void test_terms(void)
{
    const summand_options tree = {.promise = SUMMAND_PROMISE_INDEX};
    summand_term terms[2] = {{.count = 1, .x = x, .displacement = SUMMAND_DISPLACEMENT_APPEND},
                             {.count = 1, .x = x, .displacement = -3}};
    WRONG(error(SUMMAND_ERR_ARGUMENT), "terms[1].displacement is -3",
          summand_sums(2, terms, y, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, &tree));
    WRONG(error(SUMMAND_ERR_ARGUMENT), "displacement is -4",
          summand_ordered_reduce(x, y, 1, -4, MPI_DOUBLE, MPI_SUM, SUMMAND_ROOT_ALL, comm, NULL));
    terms[1].kind = (enum summand_kind)7;
    WRONG(error(SUMMAND_ERR_ARGUMENT), "terms[1].kind is 7",
          summand_sums(2, terms, y, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, NULL));
    terms[1].kind = SUMMAND_KIND_SUM;
    terms[1].count = 2;
    terms[1].x = MPI_IN_PLACE;
    WRONG(error(SUMMAND_ERR_ARGUMENT), "terms[1].x is MPI_IN_PLACE with a count of 2",
          summand_sums(2, terms, y, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, NULL));
    terms[1].x = NULL;
    WRONG(MPI_ERR_BUFFER, "terms[1].x is NULL",
          summand_sums(2, terms, y, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, NULL));
    WRONG(MPI_ERR_BUFFER, "terms is NULL",
          summand_sums(2, NULL, y, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, NULL));
}

static void test_plans(void)
{
    summand_plan *plan = NULL;
    int done;
    WRONG(error(SUMMAND_ERR_ARGUMENT), "plan is NULL",
          summand_allreduce_init(x, y, 1, MPI_DOUBLE, MPI_SUM, comm, NULL, NULL));
    WRONG(error(SUMMAND_ERR_ARGUMENT), "plan is NULL",
          summand_ordered_reduce_init(x, y, 1, SUMMAND_DISPLACEMENT_APPEND, MPI_DOUBLE, MPI_SUM,
                                      SUMMAND_ROOT_ALL, comm, NULL, NULL));
    CHECK(!summand_allreduce_init(x, y, 1, MPI_DOUBLE, MPI_SUM, comm, NULL, &plan), "init");
    WRONG(error(SUMMAND_ERR_ARGUMENT), "done is NULL", summand_plan_test(plan, NULL));
    WRONG(error(SUMMAND_ERR_ARGUMENT), "options is NULL", summand_plan_describe(plan, NULL, NULL));
    CHECK(!summand_plan_free(&plan), "free");
    int codes[] = {summand_plan_start(NULL), summand_plan_wait(NULL),
                   summand_plan_test(NULL, &done), summand_plan_describe(NULL, NULL, NULL)};
    for (int i = 0; i < 4; i++)
        CHECK(codes[i] == error(SUMMAND_ERR_ARGUMENT), "call %d: %d", i, codes[i]);
    CHECK(strstr(summand_error_text(codes[3]), "plan is NULL"), "%s", summand_error_text(codes[3]));
    CHECK(!summand_plan_free(NULL), "free of NULL");
    codes[0] = summand_exact_datatype(NULL);
    CHECK(strstr(summand_error_text(codes[0]), "datatype is NULL"), "%d", codes[0]);
    codes[1] = summand_exact_op(NULL);
    CHECK(strstr(summand_error_text(codes[1]), "op is NULL"), "%d", codes[1]);
    codes[2] = summand_float16_datatype(NULL);
    CHECK(strstr(summand_error_text(codes[2]), "datatype is NULL"), "%d", codes[2]);
    codes[3] = summand_bfloat16_datatype(NULL);
    CHECK(strstr(summand_error_text(codes[3]), "datatype is NULL"), "%d", codes[3]);
}

/* Ranges that do not tile: the text names the ranks and the ranges. */
static void test_ranges(void)
{
    const summand_options tree = {.promise = SUMMAND_PROMISE_INDEX};
    const int last = harness_rank == harness_ranks - 1;
    char words[96];
    for (int shift = -1; shift <= 1; shift += 2) {
        MPI_Count at = 4 * harness_rank + (last ? shift : 0), end = 4 * (harness_ranks - 1) + shift;
        if (harness_ranks == 1)
            at = 2;
        summand_term term = {.count = 4, .x = x, .displacement = at};
        int code = summand_sums(1, &term, y, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, &tree);
        if (harness_ranks == 1)
            snprintf(words, sizeof words, "a gap: the first index is 0, and rank 0 has 2..5");
        else
            snprintf(words, sizeof words, "%s: rank %d has %d..%d, and rank %d has %d..%d",
                     shift > 0 ? "a gap" : "an overlap", harness_ranks - 2, 4 * (harness_ranks - 2),
                     4 * (harness_ranks - 2) + 3, harness_ranks - 1, (int)end, (int)end + 3);
        CHECK(code == error(SUMMAND_ERR_DISTRIBUTION), "ranges: %d", code);
        CHECK(strstr(summand_error_text(code), words), "'%s' has no '%s'", summand_error_text(code),
              words);
    }
    summand_term term = {
        .count = 4, .x = x, .displacement = last ? SUMMAND_DISPLACEMENT_APPEND : 0};
    int code = summand_sums(1, &term, y, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, &tree);
    snprintf(words, sizeof words, "and rank %d SUMMAND_DISPLACEMENT_APPEND", harness_ranks - 1);
    CHECK(harness_ranks == 1 || strstr(summand_error_text(code), words), "'%s' has no '%s'",
          summand_error_text(code), words);
}

static int by_ordered(const void *send, void *recv, MPI_Datatype type)
{
    return summand_ordered_reduce(send, recv, 1, SUMMAND_DISPLACEMENT_APPEND, type, MPI_SUM,
                                  SUMMAND_ROOT_ALL, comm, NULL);
}

static int by_allgather(const void *send, void *recv, MPI_Datatype type)
{
    return summand_allgather(send, 1, type, recv, 1, type, comm, NULL);
}

static int by_allgatherv(const void *send, void *recv, MPI_Datatype type)
{
    const int counts[] = {1, 1, 1}, places[] = {0, 2, 4};
    return summand_allgatherv(send, 1, type, recv, counts, places, type, comm, NULL);
}

static int by_allreduce(const void *send, void *recv, MPI_Datatype type)
{
    return summand_allreduce(send, recv, 1, type, MPI_SUM, comm, NULL);
}

static int by_allreduce_init(const void *send, void *recv, MPI_Datatype type)
{
    summand_plan *plan = NULL;
    int code = summand_allreduce_init(send, recv, 1, type, MPI_SUM, comm, NULL, &plan);
    summand_plan_free(&plan);
    return code;
}

static int by_scatter_block(const void *send, void *recv, MPI_Datatype type)
{
    return summand_reduce_scatter_block(send, recv, 1, type, MPI_SUM, comm, NULL);
}

static int by_scatter(const void *send, void *recv, MPI_Datatype type)
{
    const int counts[] = {1, 1, 1};
    return summand_reduce_scatter(send, recv, counts, type, MPI_SUM, comm, NULL);
}

static int by_sum(const void *send, void *recv, MPI_Datatype type)
{
    return summand_sum(send, recv, 1, type, SUMMAND_ROOT_ALL, comm, NULL);
}

static int by_dot(const void *send, void *recv, MPI_Datatype type)
{
    return summand_dot(x, send, recv, 1, type, SUMMAND_ROOT_ALL, comm, NULL);
}

static int by_nrm2(const void *send, void *recv, MPI_Datatype type)
{
    const summand_options tree = {.promise = SUMMAND_PROMISE_INDEX};
    return summand_nrm2(send, recv, 1, type, SUMMAND_ROOT_ALL, comm, &tree);
}

static int by_reduce(const void *send, void *recv, MPI_Datatype type)
{
    return summand_reduce(send, recv, 1, type, MPI_SUM, harness_rank, MPI_COMM_SELF, NULL);
}

static int by_bcast(const void *send, void *recv, MPI_Datatype type)
{
    (void)recv;
    return summand_bcast((void *)send, 1, type, 0, comm, NULL);
}

/* NULL and MPI_IN_PLACE in positions that allow neither, in every call, new and known to the cache.
 * */
static void test_buffers(void)
{
    const struct {
        int (*call)(const void *send, void *recv, MPI_Datatype type);
        const char *send, *recv; /* the arguments' names */
    } rows[] = {{by_allreduce, "sendbuf", "recvbuf"},
                {by_allreduce_init, "sendbuf", "recvbuf"},
                {by_scatter_block, "sendbuf", "recvbuf"},
                {by_scatter, "sendbuf", "recvbuf"},
                {by_allgather, "sendbuf", "recvbuf"},
                {by_allgatherv, "sendbuf", "recvbuf"},
                {by_ordered, "sendbuf", "recvbuf"},
                {by_sum, "x", "result"},
                {by_nrm2, "x", "result"},
                {by_dot, "y", "result"},
                {by_bcast, "buffer", NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int known = 0; known < 2; known++) {
            char words[64];
            snprintf(words, sizeof words, "%s is NULL", rows[i].send);
            expect(rows[i].call(NULL, y, MPI_DOUBLE), MPI_ERR_BUFFER, words, words);
            if (rows[i].recv) {
                snprintf(words, sizeof words, "%s is NULL", rows[i].recv);
                expect(rows[i].call(x, NULL, MPI_DOUBLE), MPI_ERR_BUFFER, words, words);
                snprintf(words, sizeof words, "%s is MPI_IN_PLACE", rows[i].recv);
                expect(rows[i].call(x, MPI_IN_PLACE, MPI_DOUBLE), MPI_ERR_BUFFER, words, words);
            }
            CHECK(!rows[i].call(x, y, MPI_DOUBLE), "row %zu: good buffers", i);
        }
    WRONG(MPI_ERR_BUFFER, "buffer is MPI_IN_PLACE",
          summand_bcast(MPI_IN_PLACE, 1, MPI_DOUBLE, 0, comm, NULL));
    WRONG(MPI_ERR_BUFFER, "y is MPI_IN_PLACE",
          summand_dot(x, MPI_IN_PLACE, y, 1, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, NULL));
    CHECK(!summand_allreduce(NULL, NULL, 0, MPI_DOUBLE, MPI_SUM, comm, NULL), "of nothing");
    CHECK(!summand_bcast(NULL, 0, MPI_DOUBLE, 0, comm, NULL), "of nothing");
    CHECK(!summand_sum(NULL, y, 0, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, NULL), "of nothing");
}

/* MPI_IN_PLACE on ranks other than the root; arguments that only the root needs. */
static void test_root(void)
{
    const int root = harness_ranks - 1, me = harness_rank == root;
    int code = summand_reduce(MPI_IN_PLACE, y, 1, MPI_DOUBLE, MPI_SUM, root, comm, NULL);
    char words[96];
    snprintf(words, sizeof words,
             "sendbuf is MPI_IN_PLACE, which is allowed on the root, rank %d, only", root);
    if (!me)
        expect(code, MPI_ERR_BUFFER, words, "reduce");
    MPI_Barrier(comm);
    code = summand_reduce(x, me ? y : NULL, 1, MPI_DOUBLE, MPI_SUM, root, comm, NULL);
    CHECK(code == MPI_SUCCESS, "recvbuf matters on the root: %d", code);
    code = summand_reduce(x, me ? y : MPI_IN_PLACE, 1, MPI_DOUBLE, MPI_SUM, root, comm, NULL);
    CHECK(code == MPI_SUCCESS, "recvbuf matters on the root: %d", code);
    code = by_reduce(x, NULL, MPI_DOUBLE);
    CHECK(harness_rank || (code && strstr(summand_error_text(code), "recvbuf is NULL")), "%s",
          summand_error_text(code));
}

/* MPI_BOTTOM with blocks at absolute places. */
static void test_absolute_places(void)
{
    enum { MOST = 16 };
    MPI_Count counts[MOST];
    MPI_Aint places[MOST];
    char got[MOST] = {0}, own = (char)(harness_rank + 1);
    for (int r = 0; r < harness_ranks; r++) {
        counts[r] = 1;
        MPI_Get_address(got + r, &places[r]);
    }
    int code =
        summand_allgatherv_c(&own, 1, MPI_BYTE, MPI_BOTTOM, counts, places, MPI_BYTE, comm, NULL);
    CHECK(code == MPI_SUCCESS && got[harness_ranks - 1] == harness_ranks, "places: %s",
          summand_error_text(code));
}

/* Derived datatypes: with absolute addresses they are correct at NULL, with relative ones not. */
static void test_bottom(void)
{
    MPI_Datatype absolute, relative, empty;
    MPI_Aint at;
    double value = harness_rank ? 0 : 7;
    MPI_Get_address(&value, &at);
    MPI_Type_create_hindexed_block(1, 1, &at, MPI_DOUBLE, &absolute);
    MPI_Type_vector(2, 1, -3, MPI_DOUBLE, &relative); /* from -24 on */
    MPI_Type_contiguous(0, MPI_DOUBLE, &empty);
    MPI_Type_commit(&absolute);
    MPI_Type_commit(&relative);
    MPI_Type_commit(&empty);
    int code = summand_bcast(MPI_BOTTOM, 1, absolute, 0, comm, NULL);
    CHECK(code == MPI_SUCCESS && value == 7, "absolute: %d, %g", code, value);
    MPI_Op op;
    MPI_Op_create(add, 1, &op);
    code = summand_ordered_reduce(x, y, 3, SUMMAND_DISPLACEMENT_APPEND, empty, op, SUMMAND_ROOT_ALL,
                                  comm, NULL);
    CHECK(code == MPI_SUCCESS, "ordered, of no bytes: %s", summand_error_text(code));
    code = summand_ordered_reduce(NULL, NULL, 0, SUMMAND_DISPLACEMENT_APPEND, MPI_DOUBLE, MPI_SUM,
                                  SUMMAND_ROOT_ALL, comm, NULL);
    CHECK(code == MPI_SUCCESS, "ordered, of no elements: %s", summand_error_text(code));
    test_absolute_places();
    WRONG(MPI_ERR_BUFFER, "sendbuf is NULL, not the address of 1 element of",
          summand_allreduce(NULL, y, 1, relative, op, comm, NULL));
    WRONG(MPI_ERR_BUFFER, "buffer is NULL", summand_bcast(NULL, 1, relative, 0, comm, NULL));
    CHECK(!summand_bcast(NULL, 3, empty, 0, comm, NULL), "elements of no bytes");
    MPI_Op_free(&op);
    MPI_Type_free(&absolute);
    MPI_Type_free(&relative);
    MPI_Type_free(&empty);
}

/* Buffers that share memory in part, with elements without gaps. */
static void test_overlap(void)
{
    const int counts[] = {2, 2, 2}, places[] = {0, 4, 8};
    WRONG(MPI_ERR_BUFFER, "overlap",
          summand_allreduce(x, x + 3, 4, MPI_DOUBLE, MPI_SUM, comm, NULL));
    WRONG(MPI_ERR_BUFFER, "overlap",
          summand_allreduce(x + 3, x, 4, MPI_DOUBLE, MPI_SUM, comm, NULL));
    CHECK(!summand_allreduce(x + 4, x, 4, MPI_DOUBLE, MPI_SUM, comm, NULL), "side by side");
    WRONG(
        MPI_ERR_BUFFER, "overlap",
        summand_allgather(x + 2 * harness_ranks - 1, 2, MPI_DOUBLE, x, 2, MPI_DOUBLE, comm, NULL));
    WRONG(MPI_ERR_BUFFER, "overlap",
          summand_allgatherv(x + 1, 2, MPI_DOUBLE, x, counts, places, MPI_DOUBLE, comm, NULL));
    CHECK(!summand_allgatherv(x + 2, 2, MPI_DOUBLE, x, counts, places, MPI_DOUBLE, comm, NULL),
          "in a gap between blocks");
    WRONG(
        MPI_ERR_BUFFER, "overlap",
        summand_reduce_scatter_block(x, x + harness_ranks - 1, 1, MPI_DOUBLE, MPI_SUM, comm, NULL));
}

TESTS
{
    comm = harness_comm();
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    test_counts();
    test_places();
    test_handles();
    test_wide();
    test_options();
    test_terms();
    test_sum_options(comm);
    test_plans();
    test_ranges();
    test_buffers();
    test_root();
    test_bottom();
    test_overlap();
    test_no_place(comm);
    MPI_Comm_free(&comm);
}
