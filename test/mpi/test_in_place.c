/* np: 1 2 3 5; together brief */
/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_IN_PLACE in sums: the inputs lie in the result's memory. The same calls with separate buffers
 * are the oracle. */
#include <summand.h>

#include "mpi/harness.h"
#include "mpi/methods.h"

enum { N = 37, KINDS = 4 };

static MPI_Comm comm;

static int class_of(int code)
{
    int class = MPI_SUCCESS;
    MPI_Error_class(code, &class);
    return class;
}

static void expect(int code, int want, const char *what)
{
    CHECK(code == want || class_of(code) == want, "%s: code %d, not %d", what, code, want);
}

static void fill(double *x, float *f, uint64_t seed)
{
    for (int i = 0; i < N; i++) {
        x[i] = (double)(int64_t)harness_random(&seed) * (i % 3 ? 1 : 0x1p-40);
        f[i] = (float)x[i];
    }
}

/* One sum of `count` elements on this rank: on all ranks, or on one, alone in place. */
static void test_one(int kind, int method, int root, int count, int single)
{
    double x[N], y[N], in[N], want = 0;
    float xf[N], yf[N], inf[N], wantf = 0;
    enum summand_kind one = (enum summand_kind)kind;
    MPI_Datatype type = single ? MPI_FLOAT : MPI_DOUBLE;
    int receives = root == SUMMAND_ROOT_ALL || root == harness_rank;
    fill(x, xf, (uint64_t)harness_rank);
    fill(y, yf, (uint64_t)harness_rank + 99);
    memcpy(in, x, sizeof in);
    memcpy(inf, xf, sizeof inf);
    const void *from = single ? (const void *)xf : x, *other = single ? (const void *)yf : y;
    void *place = single ? (void *)inf : in;
    int code = method_sum(method, root, one, from, other, single ? (void *)&wantf : &want, count,
                          type, comm);
    CHECK(code == MPI_SUCCESS, "code %d", code);
    code = method_sum(method, root, one, receives ? MPI_IN_PLACE : from, other, place, count, type,
                      comm);
    CHECK(code == MPI_SUCCESS, "in place: code %d", code);
    if (!receives)
        return;
    CHECK(single ? !memcmp(&wantf, inf, sizeof wantf) : !memcmp(&want, in, sizeof want),
          "kind %d method %d root %d count %d single %d", kind, method, root, count, single);
    CHECK(single ? !memcmp(xf + 1, inf + 1, sizeof inf - sizeof *inf)
                 : !memcmp(x + 1, in + 1, sizeof in - sizeof *in),
          "what lies behind");
}

static void test_sums(void)
{
    static const int counts[] = {1, N, 0};
    for (int kind = 0; kind < KINDS; kind++)
        for (int method = 0; method < METHODS; method++)
            for (int c = 0; c < 3; c++)
                for (int root = SUMMAND_ROOT_ALL; root < harness_ranks; root += harness_ranks)
                    for (int single = 0; single < 2; single++)
                        if (!harness_skips()) {
                            test_one(kind, method, root, c ? counts[c] : 1 + harness_rank, single);
                            test_one(kind, method, harness_ranks - 1, counts[c], single);
                        }
}

/* Several terms, each in its own place, and a plan whose input is the result of its last start. */
static void test_terms(void)
{
    double x[N], y[N], results[3], want[3];
    float unused[N];
    summand_plan *plan = NULL;
    fill(x, unused, (uint64_t)harness_rank);
    fill(y, unused, (uint64_t)harness_rank + 5);
    for (int method = 0; method < METHODS; method++) {
        summand_term apart[3] = {{.kind = SUMMAND_KIND_SUM,
                                  .count = 1,
                                  .displacement = SUMMAND_DISPLACEMENT_APPEND,
                                  .x = x},
                                 {.kind = SUMMAND_KIND_DOT,
                                  .count = N,
                                  .displacement = SUMMAND_DISPLACEMENT_APPEND,
                                  .x = x,
                                  .y = y},
                                 {.kind = SUMMAND_KIND_ASUM,
                                  .count = 1,
                                  .displacement = SUMMAND_DISPLACEMENT_APPEND,
                                  .x = y}};
        summand_term terms[3] = {apart[0], apart[1], apart[2]};
        terms[0].x = terms[2].x = MPI_IN_PLACE;
        results[0] = x[0];
        results[2] = y[0];
        int code = method_sums(method, SUMMAND_ROOT_ALL, 3, apart, want, MPI_DOUBLE, comm);
        CHECK(code == MPI_SUCCESS, "code %d", code);
        code = method_sums(method, SUMMAND_ROOT_ALL, 3, terms, results, MPI_DOUBLE, comm);
        CHECK(code == MPI_SUCCESS && !memcmp(results, want, sizeof want), "method %d: code %d",
              method, code);
        results[0] = results[2] = 1;
        code = method_init(method, SUMMAND_ROOT_ALL, 3, terms, results, MPI_DOUBLE, comm, &plan);
        for (int start = 1, size = harness_ranks; start < 4; start++, size *= harness_ranks) {
            CHECK(code == MPI_SUCCESS && !summand_plan_start(plan) && !summand_plan_wait(plan),
                  "plan: code %d", code);
            CHECK(results[0] == size && results[2] == size && results[1] == want[1],
                  "start %d: %g and %g, not %d", start, results[0], results[2], size);
        }
        summand_plan_free(&plan);
    }
}

static void test_ordered(void)
{
    double in[N], x[N], want[1];
    float unused[N];
    fill(x, unused, (uint64_t)harness_rank);
    for (int root = SUMMAND_ROOT_ALL; root < harness_ranks; root++) {
        int receives = root < 0 || root == harness_rank;
        memcpy(in, x, sizeof in);
        summand_ordered_reduce(x, want, N, SUMMAND_DISPLACEMENT_APPEND, MPI_DOUBLE, MPI_PROD, root,
                               comm, NULL);
        int code =
            summand_ordered_reduce(receives ? MPI_IN_PLACE : x, in, N, SUMMAND_DISPLACEMENT_APPEND,
                                   MPI_DOUBLE, MPI_PROD, root, comm, NULL);
        CHECK(code == MPI_SUCCESS, "code %d", code);
        CHECK(!receives ||
                  (!memcmp(in, want, sizeof *in) && !memcmp(in + 1, x + 1, sizeof in - sizeof *in)),
              "root %d", root);
    }
    summand_plan *plan = NULL;
    double sum[1] = {1};
    int code = summand_ordered_reduce_init(MPI_IN_PLACE, sum, 1, harness_rank, MPI_DOUBLE, MPI_SUM,
                                           SUMMAND_ROOT_ALL, comm, NULL, &plan);
    for (int start = 1, size = harness_ranks; start < 4; start++, size *= harness_ranks)
        CHECK(code == MPI_SUCCESS && !summand_plan_start(plan) && !summand_plan_wait(plan) &&
                  sum[0] == size,
              "start %d: %g, not %d", start, sum[0], size);
    summand_plan_free(&plan);
}

/* Where it can mean nothing. */
static void test_errors(void)
{
    double x[2] = {1, 2}, y[2] = {3, 4};
    int argument = summand_error_code(SUMMAND_ERR_ARGUMENT);
    int remote = summand_error_code(SUMMAND_ERR_REMOTE);
    summand_term terms[2] = {{.kind = SUMMAND_KIND_SUM,
                              .count = 2,
                              .displacement = SUMMAND_DISPLACEMENT_APPEND,
                              .x = MPI_IN_PLACE},
                             {.kind = SUMMAND_KIND_SUM,
                              .count = 1,
                              .displacement = SUMMAND_DISPLACEMENT_APPEND,
                              .x = x}};
    expect(summand_sum(x, MPI_IN_PLACE, 1, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, NULL),
           MPI_ERR_BUFFER, "result");
    expect(summand_dot(x, MPI_IN_PLACE, y, 1, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, NULL),
           MPI_ERR_BUFFER, "y");
    expect(summand_sums(2, terms, y, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, NULL), argument,
           "two terms");
    expect(summand_ordered_reduce(x, MPI_IN_PLACE, 1, SUMMAND_DISPLACEMENT_APPEND, MPI_DOUBLE,
                                  MPI_SUM, SUMMAND_ROOT_ALL, comm, NULL),
           MPI_ERR_BUFFER, "recvbuf");
    for (int method = 0; method < METHODS && harness_ranks > 1; method++) {
        int code = method_sum(method, 0, SUMMAND_KIND_SUM, harness_rank == 1 ? MPI_IN_PLACE : x,
                              NULL, y, 1, MPI_DOUBLE, comm);
        if (harness_rank < 2)
            expect(code, harness_rank ? MPI_ERR_BUFFER : remote, "not at the root");
    }
    if (harness_ranks > 1) {
        int code =
            summand_ordered_reduce(harness_rank == 1 ? MPI_IN_PLACE : x, y, 1,
                                   SUMMAND_DISPLACEMENT_APPEND, MPI_DOUBLE, MPI_SUM, 0, comm, NULL);
        if (harness_rank < 2)
            expect(code, harness_rank ? MPI_ERR_BUFFER : remote, "ordered, not at the root");
    }
    double sum = 1;
    expect(summand_sum(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, NULL),
           MPI_SUCCESS, "after all");
    CHECK(sum == harness_ranks, "%g", sum);
}

TESTS
{
    comm = harness_comm();
    test_sums();
    test_terms();
    test_ordered();
    test_errors();
    MPI_Comm_free(&comm);
}
