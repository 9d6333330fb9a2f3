/* np: 1 2 3 4, long: 5; brief */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that ranks refuse locally. Each of these ranks gets the code of its own error, whatever the
 * others do. The others get SUMMAND_ERR_REMOTE, whose text names one of those ranks and its error,
 * or the result if they need no data of those ranks. The next call is right, and no message is left
 * at the end. */
#include <stdbool.h>
#include <summand.h>
#include <time.h>

#include "mpi/harness.h"
#include "mpi/nothing_left.h"

enum { N = 4, MOST = 8, TURNS = 2 };

static double x[MOST * N], y[2 * MOST * N];

enum error { GOOD, UNKNOWN, UNFIT, OPTION, COUNT, OTHER, ERRORS };

/* Of all calls. */
struct asked {
    enum error error;
    MPI_Comm comm;
    summand_plan **plan; /* NULL: a blocking call */
};

static summand_options options_of(enum error error, const char *unfit)
{
    summand_options options = {.algorithm = error == UNKNOWN ? "no such"
                                            : error == UNFIT ? unfit
                                                             : NULL,
                               .segment = error == OPTION ? -1 : 0};
    return options;
}

static int count_of(enum error error)
{
    return error == COUNT ? -1 : N;
}

static MPI_Datatype type_of(enum error error)
{
    return error == OTHER ? MPI_DATATYPE_NULL : MPI_DOUBLE;
}

static int allreduce(const struct asked *a)
{
    summand_options o = options_of(a->error, "bruck");
    int n = count_of(a->error);
    MPI_Op op = a->error == OTHER ? MPI_OP_NULL : MPI_SUM;
    return a->plan ? summand_allreduce_init(x, y, n, MPI_DOUBLE, op, a->comm, &o, a->plan)
                   : summand_allreduce(x, y, n, MPI_DOUBLE, op, a->comm, &o);
}

static int scan(const struct asked *a)
{
    summand_options o = options_of(a->error, "bruck");
    int n = count_of(a->error);
    MPI_Op op = a->error == OTHER ? MPI_OP_NULL : MPI_SUM;
    return a->plan ? summand_scan_init(x, y, n, MPI_DOUBLE, op, a->comm, &o, a->plan)
                   : summand_scan(x, y, n, MPI_DOUBLE, op, a->comm, &o);
}

static int reduce(const struct asked *a)
{
    summand_options o = options_of(a->error, "bruck");
    int n = count_of(a->error), root = a->error == OTHER ? harness_ranks : 0;
    return a->plan ? summand_reduce_init(x, y, n, MPI_DOUBLE, MPI_SUM, root, a->comm, &o, a->plan)
                   : summand_reduce(x, y, n, MPI_DOUBLE, MPI_SUM, root, a->comm, &o);
}

static int bcast(const struct asked *a)
{
    summand_options o = options_of(a->error, "outer-gather");
    int n = count_of(a->error), root = a->error == OTHER ? -1 : 0;
    return a->plan ? summand_bcast_init(x, n, MPI_DOUBLE, root, a->comm, &o, a->plan)
                   : summand_bcast(x, n, MPI_DOUBLE, root, a->comm, &o);
}

static int allgather(const struct asked *a)
{
    summand_options o = options_of(a->error, "outer-gather");
    int n = count_of(a->error);
    MPI_Datatype type = type_of(a->error);
    return a->plan ? summand_allgather_init(x, n, type, y, N, MPI_DOUBLE, a->comm, &o, a->plan)
                   : summand_allgather(x, n, type, y, N, MPI_DOUBLE, a->comm, &o);
}

static int scatter(const struct asked *a)
{
    summand_options o = options_of(a->error, "bruck");
    int n = count_of(a->error);
    MPI_Datatype type = type_of(a->error);
    return a->plan ? summand_reduce_scatter_block_init(x, y, n, type, MPI_SUM, a->comm, &o, a->plan)
                   : summand_reduce_scatter_block(x, y, n, type, MPI_SUM, a->comm, &o);
}

/* Its results with a root are not whole; outer-rabenseifner makes whole ones. */
static int outer(const struct asked *a)
{
    summand_outer_matrix m = {.rows = N, .columns = N, .a = x, .b = x, .g = y};
    summand_outer_options o = summand_outer_options_default();
    o.algorithm = a->error == UNKNOWN ? "no such"
                  : a->error == UNFIT ? "outer-rabenseifner"
                                      : "outer-gather";
    o.inside.segment = a->error == OPTION ? -1 : 0;
    const int root = a->error == OTHER ? harness_ranks : 0;
    MPI_Count pairs = a->error == COUNT ? -1 : 1;
    return a->plan ? summand_outer_init(pairs, 1, 1, &m, 0, MPI_DOUBLE, root, a->comm, &o, a->plan)
                   : summand_outer(pairs, 1, 1, &m, 0, MPI_DOUBLE, root, a->comm, &o);
}

/* Insufficient room is detected after all ranks have told their pairs. */
static int factors(const struct asked *a)
{
    summand_outer_matrix m = {.rows = N, .columns = N, .a = x, .b = x, .g = y};
    summand_outer_options o = summand_outer_options_default();
    o.result = SUMMAND_OUTER_FACTORS;
    o.algorithm = a->error == UNFIT ? "outer-rabenseifner" : NULL;
    o.room = a->error == OTHER ? harness_ranks - 1 : harness_ranks;
    MPI_Count pairs = a->error == COUNT ? -1 : 1;
    return a->plan ? summand_outer_init(pairs, 1, 1, &m, 0, MPI_DOUBLE, SUMMAND_ROOT_ALL, a->comm,
                                        &o, a->plan)
                   : summand_outer(pairs, 1, 1, &m, 0, MPI_DOUBLE, SUMMAND_ROOT_ALL, a->comm, &o);
}

static int sums(const struct asked *a, enum summand_promise promise)
{
    summand_term term = {.kind = SUMMAND_KIND_SUM,
                         .count = count_of(a->error),
                         .displacement = SUMMAND_DISPLACEMENT_APPEND,
                         .x = x};
    summand_options o = {.promise = promise};
    int root = a->error == OTHER ? harness_ranks : SUMMAND_ROOT_ALL;
    if (a->error == UNKNOWN)
        o.promise = (enum summand_promise)9;
    if (a->error == UNFIT)
        term.kind = (enum summand_kind)9;
    int k = a->error == OPTION ? -1 : 1;
    return a->plan ? summand_sums_init(k, &term, y, MPI_DOUBLE, root, a->comm, &o, a->plan)
                   : summand_sums(k, &term, y, MPI_DOUBLE, root, a->comm, &o);
}

static int exact(const struct asked *a)
{
    return sums(a, SUMMAND_PROMISE_EXACT);
}

static int tree(const struct asked *a)
{
    return sums(a, SUMMAND_PROMISE_INDEX);
}

static int ordered(const struct asked *a)
{
    int n = count_of(a->error), root = a->error == UNKNOWN ? harness_ranks : SUMMAND_ROOT_ALL;
    MPI_Op op = a->error == UNFIT ? MPI_OP_NULL : MPI_SUM;
    MPI_Count from = a->error == OPTION ? -77 : SUMMAND_DISPLACEMENT_APPEND;
    MPI_Datatype type = type_of(a->error);
    return a->plan
               ? summand_ordered_reduce_init(x, y, n, from, type, op, root, a->comm, NULL, a->plan)
               : summand_ordered_reduce(x, y, n, from, type, op, root, a->comm, NULL);
}

static int gossip(const struct asked *a)
{
    summand_gossip_options o = summand_gossip_options_default();
    o.algorithm = a->error == UNKNOWN ? "no such" : a->error == UNFIT ? "spread" : NULL;
    o.eps = a->error == OPTION ? -1 : 1e-9;
    return summand_gossip_allreduce(x, y, count_of(a->error), type_of(a->error), MPI_SUM, a->comm,
                                    &o, NULL);
}

static int gemm(const struct asked *a)
{
    summand_matrix *m[3] = {NULL, NULL, NULL};
    summand_matrix_shape shape = {N, N, 1, 1, 1, harness_ranks, NULL};
    summand_gemm_options o = {.algorithm = a->error == UNKNOWN ? "no such"
                                           : a->error == UNFIT ? "ring"
                                                               : "gemm-panels",
                              .panel = a->error == OPTION ? -1 : 0};
    for (int i = 0; i < 3; i++)
        CHECK(!summand_matrix_create(&shape, MPI_DOUBLE, NULL, 0, a->comm, &m[i]), "matrix");
    const summand_matrix *b = a->error == OTHER ? NULL : m[1];
    enum summand_transpose plain = SUMMAND_TRANSPOSE_NO;
    int code = a->plan ? summand_gemm_init(plain, plain, 1, m[0], b, 0, m[2], &o, a->plan)
                       : summand_gemm(plain, plain, 1, m[0], b, 0, m[2], &o);
    if (a->plan)
        summand_plan_free(a->plan);
    for (int i = 0; i < 3; i++)
        summand_matrix_free(&m[i]);
    return code;
}

static int segment(const struct asked *a)
{
    summand_segment *made = NULL;
    summand_segment_options o = {.transport = a->error == UNKNOWN ? "no such" : NULL};
    int code = summand_segment_create(a->error == COUNT ? -1 : 64, a->error == OTHER ? -1 : 2,
                                      a->comm, &o, &made);
    return code == MPI_SUCCESS ? summand_segment_free(&made) : code;
}

#define OF(name) SUMMAND_ERR_##name
enum { MPIS = 1000, ABSENT = -1 }; /* an error class of the MPI is enough; none: not tried */

static const struct row {
    const char *name;
    int (*call)(const struct asked *asked);
    bool inits;
    int code[ERRORS];
    enum error learnt; /* this rank only after others have told something */
} rows[] = {
    {"allreduce", allreduce, true,
     .code = {0, OF(ALGORITHM), OF(ALGORITHM), OF(ARGUMENT), MPIS + MPI_ERR_COUNT,
              MPIS + MPI_ERR_OP}},
    {"scan", scan, true,
     .code = {0, OF(ALGORITHM), OF(ALGORITHM), OF(ARGUMENT), MPIS + MPI_ERR_COUNT,
              MPIS + MPI_ERR_OP}},
    {"reduce", reduce, true,
     .code = {0, OF(ALGORITHM), OF(ALGORITHM), OF(ARGUMENT), MPIS + MPI_ERR_COUNT,
              MPIS + MPI_ERR_ROOT}},
    {"bcast", bcast, true,
     .code = {0, OF(ALGORITHM), OF(ALGORITHM), OF(ARGUMENT), MPIS + MPI_ERR_COUNT,
              MPIS + MPI_ERR_ROOT}},
    {"allgather", allgather, true,
     .code = {0, OF(ALGORITHM), OF(ALGORITHM), OF(ARGUMENT), MPIS + MPI_ERR_COUNT,
              MPIS + MPI_ERR_TYPE}},
    {"reduce_scatter_block", scatter, true,
     .code = {0, OF(ALGORITHM), OF(ALGORITHM), OF(ARGUMENT), MPIS + MPI_ERR_COUNT,
              MPIS + MPI_ERR_TYPE}},
    {"outer", outer, true,
     .code = {0, OF(ALGORITHM), OF(ALGORITHM), OF(ARGUMENT), MPIS + MPI_ERR_COUNT,
              MPIS + MPI_ERR_ROOT}},
    {"factors", factors, true,
     .code = {0, ABSENT, OF(ALGORITHM), ABSENT, MPIS + MPI_ERR_COUNT, OF(ARGUMENT)},
     .learnt = OTHER},
    {"exact", exact, true,
     .code = {0, OF(ARGUMENT), OF(ARGUMENT), MPIS + MPI_ERR_COUNT, MPIS + MPI_ERR_COUNT,
              MPIS + MPI_ERR_ROOT}},
    {"tree", tree, true,
     .code = {0, OF(ARGUMENT), OF(ARGUMENT), MPIS + MPI_ERR_COUNT, MPIS + MPI_ERR_COUNT,
              MPIS + MPI_ERR_ROOT}},
    {"ordered", ordered, true,
     .code = {0, MPIS + MPI_ERR_ROOT, MPIS + MPI_ERR_OP, OF(ARGUMENT), MPIS + MPI_ERR_COUNT,
              MPIS + MPI_ERR_TYPE}},
    {"gossip", gossip, false,
     .code = {0, OF(ALGORITHM), OF(ALGORITHM), OF(ARGUMENT), MPIS + MPI_ERR_COUNT,
              MPIS + MPI_ERR_TYPE}},
    {"gemm", gemm, true,
     .code = {0, OF(ALGORITHM), OF(ALGORITHM), OF(ARGUMENT), ABSENT, OF(ARGUMENT)}},
    {"segment", segment, false,
     .code = {0, OF(ARGUMENT), ABSENT, ABSENT, OF(ARGUMENT), OF(ARGUMENT)}},
};

static int is(int code, int wanted)
{
    int class = MPI_SUCCESS;
    if (wanted < MPIS)
        return code == summand_error_code((enum summand_error)wanted);
    MPI_Error_class(code, &class);
    return class == wanted - MPIS;
}

/* Up to 300 us, a different time on each rank. */
static void wait_a_bit(void)
{
    static uint64_t seed;
    seed += (uint64_t)harness_rank + 1;
    struct timespec time = {0, (long)(harness_random(&seed) % 300000)};
    nanosleep(&time, NULL);
}

/* The wrong ranks: all alike; the last alone; all except the last; each in another way. */
enum { WAYS = 4 };
static enum error error_of(const struct row *row, int way, enum error error, int rank)
{
    bool last = rank == harness_ranks - 1;
    if (way < 3)
        return way == 0 || (way == 1) == last ? error : GOOD;
    for (int later = rank; later || row->code[error] == ABSENT; error = error % (ERRORS - 1) + 1)
        later -= row->code[error] != ABSENT;
    return error;
}

/* "...: rank 2: MPI_ERR_COUNT: invalid count argument". */
static void names_a_rank(const struct row *row, int way, enum error error, int code)
{
    const char *text = summand_error_text(code), *at = strstr(text, ": rank ");
    int rank = -1;
    char end = 0;
    if (at)
        sscanf(at, ": rank %d%c", &rank, &end);
    CHECK(rank >= 0 && rank < harness_ranks && end == ':' &&
              error_of(row, way, error, rank) != GOOD && !strstr(at, "another rank"),
          "%s, way %d, error %d: %s", row->name, way, error, text);
}

static void try(const struct row *row, bool init, int way, enum error error, MPI_Comm comm)
{
    summand_plan *plan = NULL;
    struct asked asked = {error_of(row, way, error, harness_rank), comm, init ? &plan : NULL};
    wait_a_bit();
    int code = row->call(&asked);
    bool learnt = way == 3 && row->learnt && asked.error == row->learnt;
    if (asked.error == GOOD || learnt)
        CHECK((learnt && is(code, row->code[asked.error])) || is(code, OF(REMOTE)) ||
                  (code == MPI_SUCCESS && !init && error != row->learnt),
              "%s%s, way %d, error %d: code %d (%s)", row->name, init ? "_init" : "", way, error,
              code, summand_error_text(code));
    else
        CHECK(is(code, row->code[asked.error]), "%s%s, way %d, error %d: code %d (%s)", row->name,
              init ? "_init" : "", way, asked.error, code, summand_error_text(code));
    if (is(code, OF(REMOTE)))
        names_a_rank(row, way, error, code);
    CHECK(!plan, "a plan");
}

static void works(const struct row *row, bool init, MPI_Comm comm)
{
    summand_plan *plan = NULL;
    struct asked asked = {GOOD, comm, init ? &plan : NULL};
    int code = row->call(&asked);
    CHECK(code == MPI_SUCCESS, "%s%s: code %d (%s)", row->name, init ? "_init" : "", code,
          summand_error_text(code));
    summand_plan_free(&plan);
    double one = 1, sum = 0;
    code = summand_allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, comm, NULL);
    CHECK(code == MPI_SUCCESS && sum == harness_ranks, "%s: code %d, sum %g", row->name, code, sum);
}

TESTS
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < MOST * N; i++)
        x[i] = 1;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (int init = 0; init <= rows[r].inits; init++)
            for (int way = 0; way < (harness_ranks > 1 ? WAYS : 1); way++) {
                MPI_Comm comm;
                MPI_Comm_dup(MPI_COMM_WORLD, &comm);
                for (int error = 1; error < ERRORS; error++)
                    for (int turn = 0; rows[r].code[error] != ABSENT && turn < TURNS; turn++) {
                        try(&rows[r], init, way, (enum error)error, comm);
                        if (turn)
                            works(&rows[r], init, comm);
                    }
                try(&rows[r], init, way, rows[r].code[COUNT] == ABSENT ? OTHER : COUNT,
                    comm); /* and is freed right after */
                MPI_Comm_free(&comm);
            }
    nothing_left_looks = 1;
}
