/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls in which rank 0 gives a different argument than the others, a row for each. */
#pragma once

#include <summand.h>

#include "mpi/harness.h"

enum { N = 600, ROOM = 1 << 15 };

enum { BLOCKING = 1, PLAN = 2, ALWAYS = 4 /* agrees even without SUMMAND_CHECK */ };

struct row {
    const char *call, *argument;
    int (*run)(const char *argument, summand_plan **plan); /* plan NULL: the blocking call */
    int forms;
    int free;         /* ranks may differ in it if the algorithm does not use it */
    const char *word; /* what the text says instead */
};

static double x[ROOM], y[ROOM], z[ROOM];
static MPI_Comm comm;
static MPI_Datatype pair;
static MPI_Op user;
static int other; /* this rank is rank 0, which differs */

static void nothing(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)count, (void)type;
}

/* Whether this row is about that argument and this rank differs. */
static int is(const char *argument, const char *name)
{
    return other && !strcmp(argument, name);
}

static summand_options options_of(const char *argument)
{
    const int of_nodes = !strcmp(argument, "options.node_size") ||
                         !strcmp(argument, "options.leaders") ||
                         !strcmp(argument, "options.radix_between");
    summand_options o = {.algorithm = of_nodes ? "node-leaders" : "k-nomial"};
    if (is(argument, "options.algorithm"))
        o.algorithm = "chain";
    o.promise = is(argument, "options.promise") ? SUMMAND_PROMISE_RANK_ORDER : SUMMAND_PROMISE_SAME;
    o.segment = is(argument, "options.segment") ? 10 : 0;
    o.radix = is(argument, "options.radix") ? 3 : 0;
    o.node_size = is(argument, "options.node_size");
    o.leaders = is(argument, "options.leaders");
    o.radix_between = is(argument, "options.radix_between") ? 2 : 0;
    o.check = is(argument, "options.check") ? SUMMAND_CHECKED_DETECT : SUMMAND_CHECKED_OFF;
    return o;
}

static int reduce(const char *a, summand_plan **plan)
{
    summand_options o = options_of(a);
    int n = is(a, "count") ? N / 2 : N, root = !is(a, "root");
    MPI_Datatype type = is(a, "datatype") ? MPI_INT64_T : MPI_DOUBLE;
    MPI_Op op = is(a, "op") ? MPI_MAX : MPI_SUM;
    return plan ? summand_reduce_init(x, y, n, type, op, root, comm, &o, plan)
                : summand_reduce(x, y, n, type, op, root, comm, &o);
}

static int allreduce(const char *a, summand_plan **plan)
{
    summand_options o = options_of(a);
    int n = is(a, "count") ? N / 2 : N;
    MPI_Datatype type = is(a, "datatype") ? MPI_FLOAT : MPI_DOUBLE;
    MPI_Op op = is(a, "op") ? user : MPI_SUM;
    return plan ? summand_allreduce_init(x, y, n, type, op, comm, &o, plan)
                : summand_allreduce(x, y, n, type, op, comm, &o);
}

static int bcast(const char *a, summand_plan **plan)
{
    int n = is(a, "count and datatype") ? N / 2 : N, root = !is(a, "root");
    if (is(a, "call"))
        return allreduce("", plan);
    return plan ? summand_bcast_init(y, n, MPI_DOUBLE, root, comm, NULL, plan)
                : summand_bcast(y, n, MPI_DOUBLE, root, comm, NULL);
}

static int reduce_scatter(const char *a, summand_plan **plan)
{
    int counts[3] = {2, 2, 2};
    counts[0] += is(a, "recvcounts");
    MPI_Op op = is(a, "op") ? MPI_MAX : MPI_SUM;
    return plan ? summand_reduce_scatter_init(x, y, counts, MPI_DOUBLE, op, comm, NULL, plan)
                : summand_reduce_scatter(x, y, counts, MPI_DOUBLE, op, comm, NULL);
}

static int reduce_scatter_block(const char *a, summand_plan **plan)
{
    int n = is(a, "recvcount") ? 3 : 2;
    return plan ? summand_reduce_scatter_block_init(x, y, n, MPI_DOUBLE, MPI_SUM, comm, NULL, plan)
                : summand_reduce_scatter_block(x, y, n, MPI_DOUBLE, MPI_SUM, comm, NULL);
}

static int allgather(const char *a, summand_plan **plan)
{
    MPI_Datatype type = is(a, "recvcount and recvtype") ? pair : MPI_DOUBLE;
    return plan ? summand_allgather_init(x, 20, type, y, 20, type, comm, NULL, plan)
                : summand_allgather(x, 20, type, y, 20, type, comm, NULL);
}

static int allgatherv(const char *a, summand_plan **plan)
{
    int counts[3] = {2, 2, 2}, displs[3] = {0, 10, 20};
    counts[1] += is(a, "recvcounts");
    int mine = counts[harness_rank];
    return plan
               ? summand_allgatherv_init(x, mine, MPI_DOUBLE, y, counts, displs, MPI_DOUBLE, comm,
                                         NULL, plan)
               : summand_allgatherv(x, mine, MPI_DOUBLE, y, counts, displs, MPI_DOUBLE, comm, NULL);
}

static int sums(const char *a, summand_plan **plan)
{
    summand_term term[2] = {{.count = 2, .x = x, .y = x}};
    summand_options o = {.algorithm = is(a, "options.algorithm") ? "k-ary" : NULL};
    o.promise = is(a, "options.promise") ? SUMMAND_PROMISE_INDEX : SUMMAND_PROMISE_EXACT;
    term[0].displacement = SUMMAND_DISPLACEMENT_APPEND;
    term[1] = term[0];
    term[1].kind = is(a, "kind") ? SUMMAND_KIND_DOT : SUMMAND_KIND_SUM;
    MPI_Datatype type = is(a, "datatype") ? MPI_FLOAT : MPI_DOUBLE;
    const int root = !is(a, "root"), k = is(a, "k") ? 1 : 2;
    return plan ? summand_sums_init(k, term, y, type, root, comm, &o, plan)
                : summand_sums(k, term, y, type, root, comm, &o);
}

static int ordered(const char *a, summand_plan **plan)
{
    MPI_Datatype type = is(a, "datatype") ? MPI_FLOAT : MPI_DOUBLE;
    MPI_Op op = is(a, "op") ? MPI_PROD : MPI_SUM;
    const MPI_Count at = SUMMAND_DISPLACEMENT_APPEND;
    int root = is(a, "root") ? 0 : SUMMAND_ROOT_ALL;
    const summand_options o = {.algorithm = is(a, "options.algorithm") ? "k-ary" : NULL};
    return plan ? summand_ordered_reduce_init(x, y, 2, at, type, op, root, comm, &o, plan)
                : summand_ordered_reduce(x, y, 2, at, type, op, root, comm, &o);
}

static int gossip(const char *a, summand_plan **plan)
{
    summand_gossip_options o = summand_gossip_options_default();
    (void)plan;
    o.eps = is(a, "options.eps") ? 0.5 : 0.25;
    o.seed = is(a, "options.seed") ? 2 : 1;
    o.algorithm = is(a, "options.algorithm")       ? "hpflc"
                  : !strcmp(a, "options.topology") ? "pfcc"
                                                   : "hpfcc";
    o.max_rounds = is(a, "options.max_rounds") ? 999 : 0;
    o.average = is(a, "options.average");
    o.form = is(a, "options.form") ? SUMMAND_GOSSIP_DOUBLE : o.form;
    o.norm = is(a, "options.norm") ? SUMMAND_GOSSIP_RMS : o.norm;
    o.topology = is(a, "options.topology") ? "ring" : NULL;
    o.tau = is(a, "options.tau") ? 0.5 : o.tau;
    o.timeout = is(a, "options.timeout") ? 50 : o.timeout;
    o.promise = is(a, "options.promise") ? SUMMAND_PROMISE_NONE : SUMMAND_PROMISE_DEFAULT;
    return summand_gossip_allreduce(x, y, is(a, "count") ? 3 : 4,
                                    is(a, "datatype") ? MPI_FLOAT : MPI_DOUBLE,
                                    is(a, "op") ? MPI_MAX : MPI_SUM, comm, &o, NULL);
}

static void no_tile(void *context, int matrix, const struct summand_outer_part *part,
                    const void *values, MPI_Count lead)
{
    (void)context, (void)matrix, (void)part, (void)values, (void)lead;
}

static int outer(const char *a, summand_plan **plan)
{
    static const MPI_Count begin[] = {0, 1, 2, 3, 4};
    static const uint32_t index[] = {0, 0, 0, 0};
    static const summand_outer_list list = {begin, index, x};
    static MPI_Count rows_begin[ROOM];
    static uint32_t rows_index[ROOM];
    static const summand_outer_compressed compressed = {rows_begin, rows_index, y, ROOM};
    summand_outer_options o = summand_outer_options_default();
    summand_outer_matrix m[2] = {{.rows = 16, .columns = 12, .a = x, .b = x, .g = y}};
    int n = is(a, "n") ? 1 : 2;
    m[0].rows += is(a, "rows");
    m[0].columns += is(a, "columns");
    m[1] = (summand_outer_matrix){.rows = 8, .columns = 8, .a = x, .b = x, .g = z};
    m[1].symmetric = is(a, "symmetric");
    o.result = is(a, "options.result") ? SUMMAND_OUTER_ROWS
               : strstr(a, "grid")     ? SUMMAND_OUTER_BLOCKS
                                       : SUMMAND_OUTER_WHOLE;
    const int root = strcmp(a, "root") == 0 ? is(a, "root") : SUMMAND_ROOT_ALL;
    o.grid_rows = o.grid_columns = strstr(a, "grid") != NULL;
    o.grid_rows += is(a, "options.grid_rows");
    const double alpha = is(a, "alpha") ? 2 : 1;
    const int beta = strcmp(a, "options.replicated") ? is(a, "beta") : 1;
    o.promise = is(a, "options.promise") ? SUMMAND_PROMISE_SAME : SUMMAND_PROMISE_DEFAULT;
    o.promise = is(a, "no promise") ? SUMMAND_PROMISE_NONE : o.promise;
    o.algorithm = is(a, "options.algorithm") ? "outer-pipeline" : "outer-gather";
    o.replicated = is(a, "options.replicated");
    o.tile = is(a, "options.tile") ? no_tile : NULL;
    o.inside.algorithm = is(a, "options.inside.algorithm") ? "ring" : NULL;
    const int lists = !strcmp(a, "compressed") || !strcmp(a, "sizes of lists");
    m[0].list_a = lists || is(a, "list_a") ? &list : NULL;
    m[0].list_b = is(a, "list_b") ? &list : NULL;
    m[0].compressed = is(a, "compressed") ? &compressed : NULL;
    m[0].rows += is(a, "sizes of lists");
    o.inside.segment = is(a, "options.inside.segment") ? 16 : 0;
    MPI_Datatype type = is(a, "datatype") ? MPI_FLOAT : MPI_DOUBLE;
    if (is(a, "16 bits"))
        summand_bfloat16_datatype(&type);
    m[0].pairs = m[1].pairs = 3;
    MPI_Count pairs = is(a, "pairs of each matrix") ? SUMMAND_OUTER_PAIRS_OF_MATRIX : 3;
    return plan ? summand_outer_init(pairs, n, alpha, m, beta, type, root, comm, &o, plan)
                : summand_outer(pairs, n, alpha, m, beta, type, root, comm, &o);
}

static int segment(const char *a, summand_plan **plan)
{
    summand_segment *made = NULL;
    summand_segment_options o = {.transport = is(a, "options.transport") ? "p2p" : "rma"};
    int first = 0, range = 0;
    (void)plan;
    int code = summand_segment_create(64 + 64 * is(a, "bytes"), 8 + is(a, "ids"), comm, &o, &made);
    if (code == MPI_SUCCESS) {
        code = summand_notify_range(2 + is(a, "count"), &first, made);
        if (code == MPI_SUCCESS)
            code = summand_notify_range(2, &range, made);
        if (code == MPI_SUCCESS)
            code = summand_segment_barrier(is(a, "fence"), SUMMAND_TIMEOUT_FOREVER, made);
        if (code == MPI_SUCCESS)
            code = summand_notify_range_free(is(a, "first") ? first : range, made);
        int freed = summand_segment_free(&made);
        code = code == MPI_SUCCESS ? freed : code;
    }
    return code;
}

static int make_matrix(const char *a, summand_matrix **matrix)
{
    int group[2] = {is(a, "group"), !is(a, "group")};
    summand_matrix_shape s = {.rows = 12 + is(a, "rows"),
                              .columns = 12 + is(a, "columns"),
                              .block_rows = 2 + is(a, "block_rows"),
                              .block_columns = 2 + is(a, "block_columns"),
                              .grid_rows = 1 + is(a, "grid"),
                              .grid_columns = 2 - is(a, "grid"),
                              .group = group};
    return summand_matrix_create(&s, is(a, "datatype") ? MPI_FLOAT : MPI_DOUBLE, NULL, 0, comm,
                                 matrix);
}

static int matrix_create(const char *a, summand_plan **plan)
{
    summand_matrix *made = NULL;
    (void)plan;
    int code = make_matrix(a, &made);
    summand_matrix_free(&made);
    return code;
}

static int matrix_copy(const char *a, summand_plan **plan)
{
    summand_matrix *m[3] = {NULL, NULL, NULL};
    int from = is(a, "from") ? 2 : 0, to = is(a, "to") ? 2 : 1, code = MPI_SUCCESS;
    for (int k = 0; k < 3 && code == MPI_SUCCESS; k++)
        code = make_matrix("", &m[k]);
    if (code == MPI_SUCCESS && is(a, "call"))
        code = plan ? summand_matrix_transpose_init(m[from], m[to], plan)
                    : summand_matrix_transpose(m[from], m[to]);
    else if (code == MPI_SUCCESS)
        code = plan ? summand_matrix_copy_init(m[from], m[to], plan)
                    : summand_matrix_copy(m[from], m[to]);
    for (int k = 0; k < 3; k++)
        summand_matrix_free(&m[k]);
    return code;
}

/* A rectangle of one of two matrices, or the matrix exposed. */
static int matrix_touch(const char *a, int which)
{
    summand_matrix *m[2] = {NULL, NULL};
    int code = MPI_SUCCESS;
    for (int k = 0; k < 2 && code == MPI_SUCCESS; k++)
        code = make_matrix("", &m[k]);
    summand_matrix *touched = m[is(a, "matrix")];
    if (code == MPI_SUCCESS && !which)
        code = summand_matrix_get(touched, 0, 0, 2, 2, y, 2);
    else if (code == MPI_SUCCESS && which == 1)
        code = summand_matrix_set(touched, 2 * harness_rank, 0, 2, 2, x, 2);
    else if (code == MPI_SUCCESS)
        code = summand_matrix_expose(touched);
    for (int k = 0; k < 2; k++)
        summand_matrix_free(&m[k]);
    return code;
}

static int matrix_get(const char *a, summand_plan **plan)
{
    (void)plan;
    return matrix_touch(a, 0);
}

static int matrix_set(const char *a, summand_plan **plan)
{
    (void)plan;
    return matrix_touch(a, 1);
}

static int matrix_expose(const char *a, summand_plan **plan)
{
    (void)plan;
    return matrix_touch(a, 2);
}

static int matrix_norm(const char *a, summand_plan **plan)
{
    summand_matrix *m = NULL;
    (void)plan;
    int code = make_matrix("", &m);
    if (code == MPI_SUCCESS)
        code = summand_matrix_norm(m, is(a, "norm") ? SUMMAND_NORM_MAX : SUMMAND_NORM_ONE, y);
    summand_matrix_free(&m);
    return code;
}

/* Two files that any rank could read. */
static char paths[2][64];

static int matrix_file(const char *a, int writes)
{
    summand_matrix *m = NULL;
    const char *path = paths[is(a, "path")];
    int format = is(a, "format") ? SUMMAND_FORMAT_RAW_ROWS : SUMMAND_FORMAT_RAW_COLUMNS;
    int code = make_matrix("", &m);
    if (code == MPI_SUCCESS)
        code =
            (writes ? summand_matrix_write(m, path, format) : summand_matrix_read(m, path, format));
    summand_matrix_free(&m);
    return code;
}

static int matrix_read(const char *a, summand_plan **plan)
{
    (void)plan;
    return matrix_file(a, 0);
}

static int matrix_write(const char *a, summand_plan **plan)
{
    (void)plan;
    return matrix_file(a, 1);
}

enum { BOTH = BLOCKING | PLAN, AGREED = BLOCKING | ALWAYS, AGREED_BOTH = BOTH | ALWAYS };

/* Matrices of one size and different distributions. */
static int gemm(const char *a, summand_plan **plan)
{
    summand_matrix *m[4] = {NULL, NULL, NULL, NULL};
    int code = MPI_SUCCESS;
    for (int k = 0; k < 4 && code == MPI_SUCCESS; k++) {
        const summand_matrix_shape s = {12, 12, 2 + k % 3, 3, 1, 1 + k % 2, NULL};
        code = summand_matrix_create(&s, MPI_DOUBLE, NULL, 0, comm, &m[k]);
    }
    const summand_gemm_options o = {
        .algorithm = is(a, "options.algorithm") ? "gemm-pairs" : "gemm-panels",
        .promise = is(a, "options.promise") ? SUMMAND_PROMISE_SAME : SUMMAND_PROMISE_DEFAULT,
        .no_help = is(a, "options.no_help"),
        .panel = is(a, "options.panel"),
        .memory = is(a, "options.memory"),
        .activation = SUMMAND_ACTIVATION_RELU - is(a, "options.activation")};
    enum summand_transpose ta = is(a, "trans_a"), tb = is(a, "trans_b"); /* _YES is 1 */
    double alpha = 1 + is(a, "alpha"), beta = is(a, "beta");
    const summand_matrix *left = m[is(a, "a") ? 3 : 0], *right = m[is(a, "b") ? 3 : 1];
    summand_matrix *made = m[is(a, "c") ? 3 : 2];
    if (code == MPI_SUCCESS)
        code = plan ? summand_gemm_init(ta, tb, alpha, left, right, beta, made, &o, plan)
                    : summand_gemm(ta, tb, alpha, left, right, beta, made, &o);
    for (int k = 0; k < 4; k++)
        summand_matrix_free(&m[k]);
    return code;
}

static const struct row rows[] = {
    {"reduce", "count", reduce, BOTH, 0, NULL},
    {"reduce", "datatype", reduce, BOTH, 0, NULL},
    {"reduce", "op", reduce, BOTH, 0, NULL},
    {"reduce", "root", reduce, BOTH, 0, NULL},
    {"reduce", "options.algorithm", reduce, BOTH, 0, NULL},
    {"allreduce", "count", allreduce, BOTH, 0, NULL},
    {"allreduce", "datatype", allreduce, BOTH, 0, NULL},
    {"allreduce", "op", allreduce, BOTH, 0, NULL},
    {"allreduce", "options.algorithm", allreduce, BOTH, 0, NULL},
    {"allreduce", "options.promise", allreduce, BOTH, 1, NULL},
    {"allreduce", "options.segment", allreduce, BOTH, 1, NULL},
    {"allreduce", "options.radix", allreduce, BOTH, 0, NULL},
    {"allreduce", "options.node_size", allreduce, BOTH, 0, NULL},
    {"allreduce", "options.leaders", allreduce, BOTH, 0, NULL},
    {"allreduce", "options.radix_between", allreduce, BOTH, 0, NULL},
    {"allreduce", "options.check", allreduce, BOTH, 0, NULL},
    {"bcast", "count and datatype", bcast, BOTH, 0, NULL},
    {"bcast", "root", bcast, BOTH, 0, NULL},
    {"bcast", "call", bcast, BOTH, 0, NULL},
    {"reduce_scatter", "recvcounts", reduce_scatter, BOTH, 0, NULL},
    {"reduce_scatter", "op", reduce_scatter, BOTH, 0, NULL},
    {"reduce_scatter_block", "recvcount", reduce_scatter_block, BOTH, 0, NULL},
    {"allgather", "recvcount and recvtype", allgather, BOTH, 0, NULL},
    {"allgatherv", "recvcounts", allgatherv, BOTH, 0, NULL},
    {"sums", "k", sums, BOTH, 0, NULL},
    {"sums", "kind", sums, BOTH, 0, NULL},
    {"sums", "options.promise", sums, BOTH, 0, NULL},
    {"sums", "options.algorithm", sums, BOTH, 0, NULL},
    {"sums", "root", sums, BOTH, 0, NULL},
    {"sums", "datatype", sums, BOTH, 0, NULL},
    {"ordered_reduce", "datatype", ordered, AGREED_BOTH, 0, NULL},
    {"ordered_reduce", "op", ordered, AGREED_BOTH, 0, NULL},
    {"ordered_reduce", "root", ordered, AGREED_BOTH, 0, NULL},
    {"ordered_reduce", "options.algorithm", ordered, AGREED_BOTH, 0, NULL},
    {"gossip_allreduce", "count", gossip, AGREED, 0, NULL},
    {"gossip_allreduce", "datatype", gossip, AGREED, 0, NULL},
    {"gossip_allreduce", "op", gossip, AGREED, 0, NULL},
    {"gossip_allreduce", "options.eps", gossip, AGREED, 0, NULL},
    {"gossip_allreduce", "options.seed", gossip, AGREED, 0, NULL},
    {"gossip_allreduce", "options.algorithm", gossip, AGREED, 0, NULL},
    {"gossip_allreduce", "options.max_rounds", gossip, AGREED, 0, NULL},
    {"gossip_allreduce", "options.promise", gossip, AGREED, 0, NULL},
    {"gossip_allreduce", "options.average", gossip, AGREED, 0, NULL},
    {"gossip_allreduce", "options.form", gossip, AGREED, 0, NULL},
    {"gossip_allreduce", "options.norm", gossip, AGREED, 0, NULL},
    {"gossip_allreduce", "options.topology", gossip, AGREED, 0, NULL},
    {"gossip_allreduce", "options.tau", gossip, AGREED, 0, NULL},
    {"gossip_allreduce", "options.timeout", gossip, AGREED, 0, NULL},
    {"outer", "datatype", outer, AGREED_BOTH, 0, NULL},
    {"outer", "n", outer, AGREED_BOTH, 0, NULL},
    {"outer", "rows", outer, AGREED_BOTH, 0, "rows (N): 17, 8"},
    {"outer", "columns", outer, AGREED_BOTH, 0, "columns (M): 13, 8"},
    {"outer", "symmetric", outer, AGREED_BOTH, 0, "none, symmetric"},
    {"outer", "options.result", outer, AGREED_BOTH, 0, NULL},
    {"outer", "root", outer, AGREED_BOTH, 0, NULL},
    {"outer", "options.grid_rows", outer, AGREED_BOTH, 0, "grid_rows x grid_columns: 2 x 1"},
    {"outer", "alpha", outer, AGREED_BOTH, 0, NULL},
    {"outer", "beta", outer, AGREED_BOTH, 0, NULL},
    {"outer", "options.promise", outer, AGREED_BOTH, 0, "options.tile: SUMMAND_PROMISE_SAME"},
    {"outer", "options.algorithm", outer, AGREED_BOTH, 0, NULL},
    {"outer", "options.inside.segment", outer, AGREED_BOTH, 0,
     "options.inside.{segment, radix, node_size, leaders, radix_between}: {16, 0, 0, 0, 0}"},
    {"outer", "list_a", outer, AGREED_BOTH, 0, "compressed: list_a, none"},
    {"outer", "list_b", outer, AGREED_BOTH, 0, "compressed: list_b, none"},
    {"outer", "compressed", outer, AGREED_BOTH, 0, "compressed: list_a and compressed, none"},
    {"outer", "sizes of lists", outer, AGREED_BOTH, 0, "rows (N): 17, 8"},
    {"outer", "pairs of each matrix", outer, AGREED_BOTH, 0, NULL},
    {"outer", "16 bits", outer, AGREED_BOTH, 0, "datatype: summand_bfloat16"},
    {"outer", "options.replicated", outer, AGREED_BOTH, 0,
     "options.tile: SUMMAND_PROMISE_INDEX and replicated"},
    {"outer", "no promise", outer, AGREED_BOTH, 0, "options.tile: SUMMAND_PROMISE_NONE"},
    {"outer", "options.tile", outer, AGREED_BOTH, 0,
     "options.tile: SUMMAND_PROMISE_INDEX and tile"},
    {"outer", "options.inside.algorithm", outer, AGREED_BOTH, 0, NULL},
    {"segment_create", "bytes", segment, AGREED, 0, NULL},
    {"segment_create", "ids", segment, AGREED, 0, NULL},
    {"segment_create", "options.transport", segment, AGREED, 0, NULL},
    {"notify_range", "count", segment, AGREED, 0, NULL},
    {"notify_range_free", "first", segment, AGREED, 0, NULL},
    {"segment_barrier", "fence", segment, AGREED, 0, NULL},
    {"matrix_create", "rows", matrix_create, AGREED, 0, NULL},
    {"matrix_create", "columns", matrix_create, AGREED, 0, NULL},
    {"matrix_create", "block_rows", matrix_create, AGREED, 0, NULL},
    {"matrix_create", "block_columns", matrix_create, AGREED, 0, NULL},
    {"matrix_create", "grid", matrix_create, AGREED, 0, NULL},
    {"matrix_create", "group", matrix_create, AGREED, 0, NULL},
    {"matrix_create", "datatype", matrix_create, AGREED, 0, NULL},
    {"matrix_copy", "from", matrix_copy, AGREED_BOTH, 0, NULL},
    {"matrix_copy", "to", matrix_copy, AGREED_BOTH, 0, NULL},
    {"matrix_copy", "call", matrix_copy, AGREED_BOTH, 0, NULL},
    {"matrix_get", "matrix", matrix_get, AGREED, 0, NULL},
    {"matrix_set", "matrix", matrix_set, AGREED, 0, NULL},
    {"matrix_expose", "matrix", matrix_expose, AGREED, 0, NULL},
    {"matrix_norm", "norm", matrix_norm, AGREED, 0, NULL},
    {"gemm", "trans_a", gemm, AGREED_BOTH, 0, NULL},
    {"gemm", "trans_b", gemm, AGREED_BOTH, 0, NULL},
    {"gemm", "alpha", gemm, AGREED_BOTH, 0, NULL},
    {"gemm", "beta", gemm, AGREED_BOTH, 0, NULL},
    {"gemm", "a", gemm, AGREED_BOTH, 0, NULL},
    {"gemm", "b", gemm, AGREED_BOTH, 0, NULL},
    {"gemm", "c", gemm, AGREED_BOTH, 0, NULL},
    {"gemm", "options.algorithm", gemm, AGREED_BOTH, 0, NULL},
    {"gemm", "options.promise", gemm, AGREED_BOTH, 0,
     "options.{promise, no_help, panel, memory}: {SUMMAND_PROMISE_SAME, 0, 0, 0}"},
    {"gemm", "options.no_help", gemm, AGREED_BOTH, 0,
     "options.{promise, no_help, panel, memory}: {SUMMAND_PROMISE_INDEX, 1, 0, 0}"},
    {"gemm", "options.panel", gemm, AGREED_BOTH, 0,
     "options.{promise, no_help, panel, memory}: {SUMMAND_PROMISE_INDEX, 0, 1, 0}"},
    {"gemm", "options.memory", gemm, AGREED_BOTH, 0,
     "options.{promise, no_help, panel, memory}: {SUMMAND_PROMISE_INDEX, 0, 0, 1}"},
    {"gemm", "options.activation", gemm, AGREED_BOTH, 0, NULL},
    {"matrix_read", "path", matrix_read, AGREED, 0, NULL},
    {"matrix_read", "format", matrix_read, AGREED, 0, NULL},
    {"matrix_write", "path", matrix_write, AGREED, 0, NULL},
    {"matrix_write", "format", matrix_write, AGREED, 0, NULL},
};
