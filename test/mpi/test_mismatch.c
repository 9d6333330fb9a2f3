/* np: 2 3 4; brief */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks that differ in one argument all get SUMMAND_ERR_MISMATCH. Its text names the argument and
 * which ranks have which value. This holds for blocking calls with SUMMAND_CHECK=on, for all calls
 * that make a plan, and always for ordered reductions and gossip. Ranks that describe the same call
 * differently do not get it. */
#include <summand.h>
#include <summand/gossip.h>
#include <summand/ordered.h>

#include "mpi/harness.h"
#include "mpi/methods.h"

enum { N = 1000 };

static double x[4 * N], y[16 * N];
static MPI_Comm comm;
static int first; /* this rank is rank 0, which differs */

static void nothing(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)count, (void)type;
}

/* "ranks 1-3", or fewer if there are fewer. */
static const char *others(void)
{
    static char text[32];
    snprintf(text, sizeof text, harness_ranks > 2 ? "ranks 1-%d" : "rank %d", harness_ranks - 1);
    return text;
}

/* Checks the code, and the words "NAME: MINE on rank 0, THEIRS on ranks 1-3" in its text. */
static void expect(int code, const char *name, const char *mine, const char *theirs)
{
    char want[256], text[MPI_MAX_ERROR_STRING] = "";
    int length;
    snprintf(want, sizeof want, "%s: %s on rank 0, %s on %s", name, mine, theirs, others());
    MPI_Error_string(code, text, &length);
    CHECK(code == summand_error_code(SUMMAND_ERR_MISMATCH), "%s: code %d, %s", name, code, text);
    CHECK(strstr(text, want), "'%s' lacks '%s'", text, want);
}

static void works(void)
{
    double one = 1, all = 0;
    int code = summand_allreduce(&one, &all, 1, MPI_DOUBLE, MPI_SUM, comm, NULL);
    CHECK(code == MPI_SUCCESS && all == harness_ranks, "afterwards: code %d, sum %g", code, all);
}

/* A reduction's arguments. */
struct call {
    int count;
    MPI_Datatype datatype;
    MPI_Op op;
    int root;
    summand_options options;
};

static int run(const struct call *call, int init)
{
    summand_plan *plan = NULL;
    int code = init ? summand_reduce_init(x, y, call->count, call->datatype, call->op, call->root,
                                          comm, &call->options, &plan)
                    : summand_reduce(x, y, call->count, call->datatype, call->op, call->root, comm,
                                     &call->options);
    CHECK(!plan, "a plan was made");
    return code;
}

static void test_reduce(int init, MPI_Op user, MPI_Op ordered_user, MPI_Datatype pair)
{
    const struct call usual = {N, MPI_DOUBLE, MPI_SUM, 1, {.algorithm = NULL}};
    struct row {
        const char *name, *mine, *theirs;
        struct call call[2]; /* of the others, of rank 0 */
    } rows[] = {
        {"count", "999", "1000", {usual, usual}},
        {"datatype", "MPI_INT64_T", "MPI_DOUBLE", {usual, usual}},
        {"datatype", "MPI_INT", "MPI_DOUBLE", {usual, usual}},
        {"datatype", "2 x MPI_DOUBLE", "MPI_DOUBLE", {usual, usual}},
        {"op", "MPI_MAX", "MPI_SUM", {usual, usual}},
        {"op", "user-defined", "MPI_SUM", {usual, usual}},
        {"op", "user-defined, not commutative", "user-defined", {usual, usual}},
        {"root", "0", "1", {usual, usual}},
        {"options.algorithm", "chain", "none", {usual, usual}},
        {"options.promise", "SUMMAND_PROMISE_CANONICAL", "SUMMAND_PROMISE_SAME", {usual, usual}},
        {"options.segment", "10", "0", {usual, usual}},
        {"options.radix", "3", "0", {usual, usual}},
        {"options.node_size", "1", "0", {usual, usual}},
        {"options.leaders", "1", "0", {usual, usual}},
        {"options.radix_between", "2", "0", {usual, usual}},
        {"options.check", "2", "0", {usual, usual}},
    };
    rows[0].call[1].count = N - 1;
    rows[1].call[1].datatype = MPI_INT64_T;
    rows[2].call[1].datatype = MPI_INT;
    rows[3].call[0].op = rows[3].call[1].op = user;
    rows[3].call[1].datatype = pair;
    rows[4].call[1].op = MPI_MAX;
    rows[5].call[1].op = user;
    rows[6].call[0].op = user;
    rows[6].call[1].op = ordered_user;
    rows[7].call[1].root = 0;
    rows[8].call[1].options.algorithm = "chain";
    rows[9].call[1].options.promise = SUMMAND_PROMISE_CANONICAL;
    rows[10].call[1].options.segment = 10;
    rows[11].call[1].options.radix = 3;
    rows[12].call[1].options.node_size = 1;
    rows[13].call[1].options.leaders = 1;
    rows[14].call[1].options.radix_between = 2;
    rows[15].call[1].options.check = SUMMAND_CHECKED_DETECT;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect(run(&rows[i].call[first], init), rows[i].name, rows[i].mine, rows[i].theirs);
}

/* The same parts in another order. */
static void test_turned(void)
{
    MPI_Datatype parts[] = {MPI_DOUBLE, MPI_INT, MPI_DOUBLE}, types[2];
    for (int t = 0; t < 2; t++) {
        MPI_Type_create_struct(2, (const int[]){1, 1}, (const MPI_Aint[]){0, 8}, parts + t,
                               &types[t]);
        MPI_Type_commit(&types[t]);
    }
    expect(summand_bcast(x, 5, types[first], 0, comm, NULL), "count and datatype",
           "5 x 2 elements, first MPI_INT", "5 x 2 elements, first MPI_DOUBLE");
    for (int t = 0; t < 2; t++)
        MPI_Type_free(&types[t]);
}

static void test_other_collectives(MPI_Datatype pair)
{
    int counts[2][4] = {{3, 1, 2, 2}, {2, 2, 2, 2}}, displs[4] = {0, 3, 4, 6};
    char mine[32], theirs[32];
    const char *list[] = {"2 2", "3 1", "2 2 2", "3 1 2", "2 2 2 2", "3 1 2 2"};
    snprintf(mine, sizeof mine, "%s", list[2 * (harness_ranks - 2)]);
    snprintf(theirs, sizeof theirs, "%s", list[2 * (harness_ranks - 2) + 1]);
    expect(summand_bcast(x, first ? N : N / 2, MPI_DOUBLE, 0, comm, NULL), "count and datatype",
           "1000 x MPI_DOUBLE", "500 x MPI_DOUBLE");
    expect(summand_bcast(x, N, first ? MPI_INT64_T : MPI_DOUBLE, 0, comm, NULL),
           "count and datatype", "1000 x MPI_INT64_T", "1000 x MPI_DOUBLE");
    expect(summand_bcast(x, N, MPI_DOUBLE, !first, comm, NULL), "root", "0", "1");
    expect(summand_reduce_scatter(x, y, counts[first], MPI_DOUBLE, MPI_SUM, comm, NULL),
           "recvcounts", mine, theirs);
    expect(summand_reduce_scatter_block(x, y, first ? 3 : 2, MPI_DOUBLE, MPI_SUM, comm, NULL),
           "recvcount", "3", "2");
    expect(summand_allgather(x, first ? 2 : 1, first ? MPI_DOUBLE : pair, y, first ? 2 : 1,
                             first ? MPI_INT64_T : pair, comm, NULL),
           "recvcount and recvtype", "2 x MPI_INT64_T", "1 x 2 x MPI_DOUBLE");
    expect(summand_allgather(x, 2, first ? MPI_INT64_T : MPI_DOUBLE, y, 2, MPI_DOUBLE, comm, NULL),
           "sendcount and sendtype", "2 x MPI_INT64_T", "2 x MPI_DOUBLE");
    expect(summand_allgatherv(x, counts[first][harness_rank], MPI_DOUBLE, y, counts[first], displs,
                              MPI_DOUBLE, comm, NULL),
           "recvcounts", mine, theirs);
    expect(first ? summand_bcast(x, N, MPI_DOUBLE, 0, comm, NULL)
                 : summand_allreduce(x, y, N, MPI_DOUBLE, MPI_SUM, comm, NULL),
           "call", "summand_bcast", "summand_allreduce");
    summand_plan *plan = NULL;
    expect(first ? summand_allreduce_init(x, y, N, MPI_DOUBLE, MPI_SUM, comm, NULL, &plan)
                 : summand_allreduce(x, y, N, MPI_DOUBLE, MPI_SUM, comm, NULL),
           "call", "summand_allreduce_init", "summand_allreduce");
}

static void test_sums(int init)
{
    static const summand_term sum = {.kind = SUMMAND_KIND_SUM,
                                     .count = 2,
                                     .displacement = SUMMAND_DISPLACEMENT_APPEND,
                                     .x = x,
                                     .y = x};
    summand_term terms[2][2] = {{sum, sum}, {sum, sum}};
    const struct {
        const char *name, *mine, *theirs;
        int k[2];
        int method[2], root[2];
        MPI_Datatype datatype[2];
        int kinds;
    } rows[] = {
        {"k", "1", "2", {2, 1}, {0, 0}, {-1, -1}, {MPI_DOUBLE, MPI_DOUBLE}, 0},
        {"kind",
         "SUMMAND_KIND_SUM SUMMAND_KIND_DOT",
         "SUMMAND_KIND_SUM SUMMAND_KIND_SUM",
         {2, 2},
         {0, 0},
         {-1, -1},
         {MPI_DOUBLE, MPI_DOUBLE},
         1},
        {"options.promise",
         "SUMMAND_PROMISE_INDEX",
         "SUMMAND_PROMISE_EXACT",
         {2, 2},
         {EXACT_METHOD, TREE_METHOD},
         {-1, -1},
         {MPI_DOUBLE, MPI_DOUBLE},
         0},
        {"options.promise",
         "study",
         "SUMMAND_PROMISE_INDEX",
         {2, 2},
         {TREE_METHOD, STUDY_METHOD},
         {-1, -1},
         {MPI_DOUBLE, MPI_DOUBLE},
         0},
        {"root", "0", "-1", {2, 2}, {0, 0}, {-1, 0}, {MPI_DOUBLE, MPI_DOUBLE}, 0},
        {"root", "0", "1", {2, 2}, {TREE_METHOD, TREE_METHOD}, {1, 0}, {MPI_DOUBLE, MPI_DOUBLE}, 0},
        {"datatype",
         "MPI_FLOAT",
         "MPI_DOUBLE",
         {2, 2},
         {0, 0},
         {-1, -1},
         {MPI_DOUBLE, MPI_FLOAT},
         0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        summand_plan *plan = NULL;
        int method = rows[i].method[first], root = rows[i].root[first];
        terms[1][1].kind = rows[i].kinds ? SUMMAND_KIND_DOT : SUMMAND_KIND_SUM;
        int code = init ? method_init(method, root, rows[i].k[first], terms[first], y,
                                      rows[i].datatype[first], comm, &plan)
                        : method_sums(method, root, rows[i].k[first], terms[first], y,
                                      rows[i].datatype[first], comm);
        expect(code, rows[i].name, rows[i].mine, rows[i].theirs);
        CHECK(!plan, "a plan was made");
    }
}

static int ordered(int init, MPI_Datatype datatype, MPI_Op op, int root)
{
    summand_plan *plan = NULL;
    int code = init ? summand_ordered_reduce_init(x, y, 2, SUMMAND_DISPLACEMENT_APPEND, datatype,
                                                  op, root, comm, NULL, &plan)
                    : summand_ordered_reduce(x, y, 2, SUMMAND_DISPLACEMENT_APPEND, datatype, op,
                                             root, comm, NULL);
    CHECK(!plan, "a plan was made");
    return code;
}

static void test_ordered(int init, MPI_Op user)
{
    expect(ordered(init, first ? MPI_FLOAT : MPI_DOUBLE, MPI_SUM, -1), "datatype", "MPI_FLOAT",
           "MPI_DOUBLE");
    expect(ordered(init, MPI_DOUBLE, first ? MPI_PROD : MPI_SUM, -1), "op", "MPI_PROD", "MPI_SUM");
    expect(ordered(init, MPI_DOUBLE, first ? user : MPI_SUM, -1), "op", "user-defined", "MPI_SUM");
    expect(ordered(init, MPI_DOUBLE, MPI_SUM, first ? 0 : -1), "root", "0", "-1");
}

static void test_gossip(void)
{
    summand_gossip_options o = summand_gossip_options_default();
    o.eps = first ? 0.5 : 0.25;
    expect(summand_gossip_allreduce(x, y, first ? 3 : 4, MPI_DOUBLE, MPI_SUM, comm, NULL, NULL),
           "count", "3", "4");
    expect(
        summand_gossip_allreduce(x, y, 4, MPI_DOUBLE, first ? MPI_MIN : MPI_MAX, comm, NULL, NULL),
        "op", "MPI_MIN", "MPI_MAX");
    expect(summand_gossip_allreduce(x, y, 4, MPI_DOUBLE, MPI_SUM, comm, &o, NULL), "options.eps",
           "0.5", "0.25");
    o = summand_gossip_options_default();
    o.seed = first ? 2 : 1;
    expect(summand_gossip_allreduce(x, y, 4, MPI_DOUBLE, MPI_SUM, comm, &o, NULL), "options.seed",
           "2", "1");
}

/* The same data described differently, and arguments in which MPI lets ranks differ. */
static int run_outer(const summand_outer_matrix *matrices, int n, double alpha, int init)
{
    summand_plan *plan = NULL;
    int code =
        init ? summand_outer_init(1, n, alpha, matrices, 0, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm,
                                  NULL, &plan)
             : summand_outer(1, n, alpha, matrices, 0, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, NULL);
    CHECK(!plan, "a plan all the same");
    return code;
}

static void test_outer(int init)
{
    summand_outer_matrix same[3], other[3];
    for (int m = 0; m < 3; m++)
        same[m] = (summand_outer_matrix){
            .rows = 10 + m, .columns = 20, .a = x, .b = x + 100, .g = y + 1000 * m};
    memcpy(other, same, sizeof same);
    other[0].rows = 9;
    expect(run_outer(first ? other : same, 1, 1, init), "rows (N)", "9", "10");
    expect(run_outer(first ? other : same, 3, 1, init), "rows (N)", "9, 11, 12", "10, 11, 12");
    other[0].rows = 10;
    other[2].columns = 7;
    expect(run_outer(first ? other : same, 3, 1, init), "columns (M)", "20, 20, 7", "20, 20, 20");
    expect(run_outer(same, first ? 2 : 3, 1, init), "n", "2", "3");
    other[0].columns = other[1].columns = other[2].columns = same[0].columns = 10;
    other[0].symmetric = 1;
    expect(run_outer(first ? other : same, 1, 1, init), "symmetric, list_a, list_b, compressed",
           "symmetric", "none");
    expect(run_outer(same, 1, first ? 2 : 0.5, init), "alpha", "2", "0.5");
    works();
}

/* An error of one rank is an error of all, which names it and the rank. */
static void test_outer_remote(void)
{
    summand_outer_matrix matrix = {.rows = 10, .columns = 20, .a = x, .b = x, .g = y};
    for (int what = 0; what < 4; what++) {
        summand_outer_matrix m = matrix;
        m.lead_a = first && what == 0 ? 9 : 0;
        m.b = first && what == 1 ? NULL : x;
        m.rows = first && what == 2 ? -1 : 10;
        const MPI_Count pairs = first && what == 3 ? -5 : 1;
        const int code =
            summand_outer(pairs, 1, 1, &m, 0, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, NULL);
        const int mine = what == 0   ? summand_error_code(SUMMAND_ERR_ARGUMENT)
                         : what == 1 ? MPI_ERR_BUFFER
                                     : MPI_ERR_COUNT;
        CHECK(code == (first ? mine : summand_error_code(SUMMAND_ERR_REMOTE)), "error %d: code %d",
              what, code);
        works();
    }
}

static void test_alike(MPI_Datatype pair, MPI_Op user)
{
    MPI_Op twin;
    MPI_Datatype mixed, second;
    const int lengths[2] = {1, 1};
    const MPI_Aint at[2] = {0, 8};
    MPI_Datatype parts[2] = {MPI_DOUBLE, MPI_INT};
    MPI_Type_create_struct(2, lengths, at, parts, &mixed);
    MPI_Type_commit(&mixed);
    MPI_Type_vector(3, 2, 4, MPI_DOUBLE, &second);
    MPI_Type_commit(&second);
    MPI_Op_create(nothing, 1, &twin);
    CHECK(!summand_bcast(x, first ? 6 : 3, first ? MPI_DOUBLE : pair, 0, comm, NULL), "contiguous");
    CHECK(!summand_bcast(x, first ? 6 : 1, first ? MPI_DOUBLE : second, 0, comm, NULL), "vector");
    CHECK(!summand_bcast(x, 5, first ? MPI_DOUBLE_INT : mixed, 0, comm, NULL), "struct");
    CHECK(!summand_bcast(x, first ? 8 : 1, first ? MPI_BYTE : MPI_DOUBLE, 0, comm, NULL), "bytes");
    CHECK(!summand_allgather(x, first ? 2 : 1, first ? MPI_DOUBLE : pair, y, first ? 1 : 2,
                             first ? pair : MPI_DOUBLE, comm, NULL),
          "allgather");
    int counts[4], displs[4]; /* of as many bytes on all ranks */
    for (int r = 0; r < harness_ranks; r++) {
        counts[r] = first ? 2 : 1;
        displs[r] = counts[r] * r;
    }
    CHECK(!summand_allgatherv(x, 2, MPI_DOUBLE, y, counts, displs, first ? MPI_DOUBLE : pair, comm,
                              NULL),
          "allgatherv");
    CHECK(!summand_allreduce(x, y, N, first ? MPI_INT : MPI_INT32_T, MPI_SUM, comm, NULL), "int");
    CHECK(!summand_allreduce(first ? MPI_IN_PLACE : x, y, N, MPI_DOUBLE, MPI_SUM, comm, NULL),
          "in place");
    CHECK(!summand_allreduce(x, y, N, MPI_DOUBLE, first ? user : twin, comm, NULL),
          "users' operators");
    CHECK(!summand_reduce(x, first ? y : NULL, N, MPI_DOUBLE, MPI_SUM, 0, comm,
                          first ? NULL : &(summand_options){.algorithm = NULL}),
          "no options");
    MPI_Op_free(&twin);
    MPI_Type_free(&mixed);
    MPI_Type_free(&second);
}

/* One rank has an error of its own: the others learn which rank, and which error. The text does not
 * carry over to the next error. */
static void test_remote(void)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length, last = harness_ranks - 1;
    int code =
        summand_allreduce(x, y, harness_rank == last ? -1 : N, MPI_DOUBLE, MPI_SUM, comm, NULL);
    char want[32];
    snprintf(want, sizeof want, "rank %d: ", last);
    MPI_Error_string(code, text, &length);
    if (harness_rank == last) {
        CHECK(code == MPI_ERR_COUNT, "code %d", code);
    } else {
        CHECK(code == summand_error_code(SUMMAND_ERR_REMOTE), "code %d", code);
        CHECK(strstr(text, want) && strstr(text, "ount"), "'%s' lacks '%s'", text, want);
    }
    const summand_options unknown = {.promise = (enum summand_promise)9};
    code = summand_sum(x, y, 1, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm,
                       harness_rank == last ? &unknown : NULL);
    MPI_Error_string(code, text, &length);
    CHECK(harness_rank == last || strstr(text, "an argument is out of range"),
          "'%s' lacks the reason", text);
}

TESTS
{
    MPI_Op user, ordered_user;
    MPI_Datatype pair;
    first = !harness_rank;
    comm = harness_comm();
    MPI_Op_create(nothing, 1, &user);
    MPI_Op_create(nothing, 0, &ordered_user);
    MPI_Type_contiguous(2, MPI_DOUBLE, &pair);
    MPI_Type_commit(&pair);
    for (int checks = 0; checks < 2; checks++) {
        setenv("SUMMAND_CHECK", checks ? "on" : "off", 1);
        test_reduce(1, user, ordered_user, pair);
        test_sums(1);
        test_outer(1);
        for (int init = 0; init < 2; init++)
            test_ordered(init, user);
        test_gossip();
        if (checks) {
            test_reduce(0, user, ordered_user, pair);
            test_turned();
            test_other_collectives(pair);
            test_sums(0);
            test_outer(0);
            test_outer_remote();
        }
        test_remote();
        test_alike(pair, user);
        works();
        MPI_Comm_free(&comm); /* the variable is read again */
        comm = harness_comm();
    }
    MPI_Type_free(&pair);
    MPI_Op_free(&user);
    MPI_Op_free(&ordered_user);
    MPI_Comm_free(&comm);
}
