/* np: 1 2 3; brief; over: shm */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Every call that computes, on a fresh communicator, with a floating-point environment of the
 * caller's, on all ranks or on one alone. Environments: directed rounding, flushed denormals, an
 * x87 with 53 bits, all traps, before or behind the call, and flags that are set. The results have
 * the bits of the default environment. The caller's environment with its flags is the same
 * afterwards, and active in all callbacks of the program, and what these change stays. */
#include <math.h>
#include <stdbool.h>
#include <summand.h>
#include <summand/gossip_faults.h>

#include "mpi/environments.h"
#include "mpi/harness.h"

enum { N = 12, ROOM = 4096 };

static void own_code(void)
{
    strange += !kept();
}

/* Inputs: rounded sums and products, subnormals. */
static double x[N], y[N];
static float f[N];

static void fill(void)
{
    for (int k = 0; k < N; k++) {
        x[k] = k % 4 == 3 ? ldexp(harness_rank + k, -1074) : 0.1 * (k + 1) + harness_rank / 3.0;
        y[k] = 1 / (1.0 + k + harness_rank);
        f[k] = (float)(k % 4 == 3 ? ldexp(1 + harness_rank, -149) : x[k]);
    }
}

/* Each writes its results to `out`, which has ROOM bytes of 0. */
typedef int call_function(MPI_Comm comm, void *out);

static int all_sums(MPI_Comm comm, void *out, enum summand_promise promise)
{
    summand_term terms[4];
    const summand_options options = {.promise = promise};
    for (int kind = 0; kind < 4; kind++)
        terms[kind] = (summand_term){.kind = (enum summand_kind)kind,
                                     .count = N,
                                     .displacement = (MPI_Count)N * harness_rank,
                                     .x = x,
                                     .y = y};
    return summand_sums(4, terms, out, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, &options);
}

static int exact_sums(MPI_Comm comm, void *out)
{
    return all_sums(comm, out, SUMMAND_PROMISE_EXACT);
}

static int tree_sums(MPI_Comm comm, void *out)
{
    return all_sums(comm, out, SUMMAND_PROMISE_INDEX);
}

static int single_sums(MPI_Comm comm, void *out)
{
    float *result = out;
    int code = summand_sum(f, result, N, MPI_FLOAT, SUMMAND_ROOT_ALL, comm, NULL);
    return code == MPI_SUCCESS
               ? summand_nrm2(f, result + 1, N, MPI_FLOAT, SUMMAND_ROOT_ALL, comm, NULL)
               : code;
}

static int ordered(MPI_Comm comm, void *out)
{
    return summand_ordered_reduce(x, out, N, (MPI_Count)N * harness_rank, MPI_DOUBLE, MPI_SUM,
                                  SUMMAND_ROOT_ALL, comm, NULL);
}

static int all_reduced(MPI_Comm comm, void *out)
{
    return summand_allreduce(x, out, N, MPI_DOUBLE, MPI_SUM, comm, NULL);
}

static int scanned(MPI_Comm comm, void *out)
{
    return summand_scan(x, out, N, MPI_DOUBLE, MPI_SUM, comm, NULL);
}

static int floats_multiplied(MPI_Comm comm, void *out)
{
    return summand_allreduce(f, out, N, MPI_FLOAT, MPI_PROD, comm, NULL);
}

static int long_doubles(MPI_Comm comm, void *out)
{
    static long double in[N], sum[N];
    double *result = out;
    const struct environment *callers = here;
    reset();
    for (int k = 0; k < N; k++)
        in[k] = (long double)x[k] / 3;
    set(callers);
    int code = summand_allreduce(in, sum, N, MPI_LONG_DOUBLE, MPI_SUM, comm, NULL);
    bool same = kept();
    reset();
    for (int k = 0; k < N; k++) {
        result[2 * k] = (double)sum[k];
        result[2 * k + 1] = (double)(sum[k] - result[2 * k]);
    }
    set(callers);
    strange += !same;
    return code;
}

static int scattered(MPI_Comm comm, void *out)
{
    double wide[N * 8];
    for (int k = 0; k < N * harness_ranks; k++)
        wide[k] = x[k % N];
    return summand_reduce_scatter_block(wide, out, N, MPI_DOUBLE, MPI_SUM, comm, NULL);
}

static int gathered(MPI_Comm comm, void *out)
{
    return summand_allgather(x, N, MPI_DOUBLE, out, N, MPI_DOUBLE, comm, NULL);
}

static int by_plan(MPI_Comm comm, void *out)
{
    summand_plan *plan;
    int done = 0;
    int code = summand_allreduce_init(x, out, N, MPI_DOUBLE, MPI_SUM, comm, NULL, &plan);
    for (int again = 0; again < 2 && code == MPI_SUCCESS; again++) {
        code = summand_plan_start(plan);
        for (done = 0; !done && again && code == MPI_SUCCESS;)
            code = summand_plan_test(plan, &done);
        if (!again && code == MPI_SUCCESS)
            code = summand_plan_wait(plan);
    }
    summand_plan_free(&plan);
    return code;
}

/* Raises a flag, which stays the program's. */
static void add_words(void *in, void *inout, int *length, MPI_Datatype *datatype)
{
    (void)datatype;
    own_code();
    for (int k = 0; k < *length; k++)
        ((int *)inout)[k] += ((int *)in)[k];
    if (!here->traps)
        feraiseexcept(FE_OVERFLOW);
    raised = !here->traps;
    meant = now();
}

static int with_own_operator(MPI_Comm comm, void *out)
{
    int words[N], *result = out;
    MPI_Op op;
    for (int k = 0; k < N; k++)
        words[k] = k + harness_rank;
    MPI_Op_create(add_words, 1, &op);
    int code = summand_allreduce(words, result, N, MPI_INT, op, comm, NULL);
    if (code == MPI_SUCCESS)
        code = summand_ordered_reduce(words, result + N, N, (MPI_Count)N * harness_rank, MPI_INT,
                                      op, SUMMAND_ROOT_ALL, comm, NULL);
    MPI_Op_free(&op);
    return code;
}

static void watch(void *context, int round, const double *estimates, int count)
{
    (void)context, (void)round, (void)estimates, (void)count;
    own_code();
}

static int inject(void *context, int round, summand_gossip_fault *fault)
{
    (void)context, (void)round, (void)fault;
    own_code();
    return 0;
}

static int gossip(MPI_Comm comm, double *out, const char *algorithm)
{
    int code = MPI_SUCCESS;
    for (int form = 0; form < 3 && code == MPI_SUCCESS; form++)
        for (int mean = 0; mean < 2 && code == MPI_SUCCESS; mean++, out += N + 1) {
            summand_gossip_options o = summand_gossip_options_default();
            summand_gossip_report report;
            o.algorithm = algorithm;
            o.form = (enum summand_gossip_form)form;
            o.norm = SUMMAND_GOSSIP_RMS;
            o.average = mean;
            o.weight = 2 + harness_rank;
            o.watch = watch;
            const summand_gossip_faults faults = {.inject = inject};
            o.faults = &faults;
            o.eps = 1e-3;
            o.timeout = 20;
            code = summand_gossip_allreduce(x, out, N, MPI_DOUBLE, MPI_SUM, comm, &o, &report);
            memcpy(out + N, &report.spread, sizeof report.spread);
        }
    return code;
}

static int gossip_hpfcc(MPI_Comm comm, void *out)
{
    return gossip(comm, out, "hpfcc");
}

static int gossip_hpflc(MPI_Comm comm, void *out)
{
    return gossip(comm, out, "hpflc");
}

static int gossip_rd(MPI_Comm comm, void *out)
{
    return gossip(comm, out, "rd");
}

/* Asynchronous: the bits differ each time, but there is no false alarm. */
static int gossip_pfcc(MPI_Comm comm, void *out)
{
    (void)out;
    static double unlike[ROOM / sizeof(double)];
    return gossip(comm, unlike, "pfcc");
}

static void row_finished(void *context, int matrix, MPI_Count row, MPI_Count rows)
{
    (void)context, (void)matrix, (void)row, (void)rows;
    own_code();
}

static int outer(MPI_Comm comm, void *out)
{
    summand_outer_options o = summand_outer_options_default();
    const summand_outer_matrix m = {.rows = 4, .columns = 3, .a = x, .b = y, .g = out};
    o.finished = row_finished;
    return summand_outer(3, 1, 1 / 3.0, &m, 0, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, &o);
}

static double element(MPI_Count row, MPI_Count column, void *context)
{
    static const double values[] = {0.1, 1 / 3.0, 1e-320, -0.7, 1e300};
    (void)context;
    own_code();
    return values[(row * 3 + column) % 5];
}

static void tile_finished(const summand_gemm_tile *tile, void *context)
{
    (void)tile, (void)context;
    own_code();
}

static int make(MPI_Comm comm, MPI_Datatype datatype, MPI_Count block, summand_matrix **made)
{
    int group[8];
    for (int i = 0; i < harness_ranks; i++)
        group[i] = i;
    const summand_matrix_shape shape = {N, N, block, block, 1, harness_ranks, group};
    int code = summand_matrix_create(&shape, datatype, NULL, 0, comm, made);
    return code == MPI_SUCCESS ? summand_matrix_fill(*made, element, NULL) : code;
}

static int matrices(MPI_Comm comm, void *out)
{
    summand_matrix *a, *b, *c;
    double *result = out;
    const summand_gemm_options options = {.activation = SUMMAND_ACTIVATION_TANH,
                                          .finish = tile_finished};
    int code = make(comm, MPI_DOUBLE, 3, &a);
    if (code == MPI_SUCCESS)
        code = make(comm, MPI_DOUBLE, 2, &b);
    if (code == MPI_SUCCESS)
        code = make(comm, MPI_DOUBLE, 3, &c);
    if (code == MPI_SUCCESS)
        code =
            summand_gemm(SUMMAND_TRANSPOSE_NO, SUMMAND_TRANSPOSE_YES, 0.3, a, b, 0.7, c, &options);
    if (code == MPI_SUCCESS)
        code = summand_matrix_get(c, 0, 0, N, N, result, N);
    for (int norm = SUMMAND_NORM_FROBENIUS; norm <= SUMMAND_NORM_MAX && !code; norm++)
        code = summand_matrix_norm(a, (enum summand_norm)norm, result + N * N + norm);
    if (code == MPI_SUCCESS)
        code = summand_matrix_transpose(a, b);
    summand_matrix_free(&a);
    summand_matrix_free(&b);
    summand_matrix_free(&c);
    return code;
}

static int matrices_of_floats(MPI_Comm comm, void *out)
{
    summand_matrix *a;
    int code = make(comm, MPI_FLOAT, 3, &a);
    if (code == MPI_SUCCESS)
        code = summand_matrix_get(a, 0, 0, N, N, out, N);
    summand_matrix_free(&a);
    return code;
}

static int notifications(MPI_Comm comm, void *out)
{
    summand_segment *segment;
    int first, next = (harness_rank + 1) % harness_ranks;
    int code = summand_segment_create(64, 4, comm, NULL, &segment);
    if (code == MPI_SUCCESS)
        code = summand_notify_range(1, &first, segment);
    if (code == MPI_SUCCESS)
        code = summand_put_notify(x, 8, next, 0, first, 3, 0, segment);
    if (code == MPI_SUCCESS)
        code = summand_notify_wait(MPI_ANY_SOURCE, first, 3, 20, segment);
    if (code == MPI_SUCCESS)
        code = summand_queue_wait(0, 20, segment);
    void *address;
    if (code == MPI_SUCCESS)
        code = summand_segment_memory(segment, &address, NULL, NULL);
    if (code == MPI_SUCCESS)
        memcpy(out, address, 8);
    return code == MPI_SUCCESS ? summand_segment_free(&segment) : code;
}

static int accumulators(MPI_Comm comm, void *out)
{
    (void)comm;
    double *result = out;
    summand_exact acc;
    summand_exact_init(&acc);
    summand_exact_add(&acc, N, x);
    summand_exact_add_f32(&acc, N, f);
    summand_exact_add_abs(&acc, N, x);
    summand_exact_add_products(&acc, N, x, y);
    summand_exact_add_squares(&acc, N, x);
    result[0] = summand_exact_round(&acc);
    result[1] = summand_exact_sum(N, y);
    result[2] = summand_exact_dot(N, x, y);
    result[3] = summand_exact_sqrt(&acc);
    summand_exact_round2(&acc, result + 4, result + 5);
    float *single = out;
    single[12] = summand_exact_round_f32(&acc);
    single[13] = summand_exact_sqrt_f32(&acc);
    return MPI_SUCCESS;
}

static int exact_vectors(MPI_Comm comm, void *out)
{
    double *result = out;
    uint16_t *halves = (uint16_t *)(result + 4 * N);
    const size_t at[] = {3, 1, 3};
    const summand_options exact = {.promise = SUMMAND_PROMISE_EXACT};
    summand_exact_vector *vector = summand_exact_vector_new(N);
    summand_exact_vector_add(vector, 1, N, x);
    summand_exact_vector_add_f32(vector, 1, N, f);
    summand_exact_vector_add_at(vector, 3, at, y);
    summand_exact_vector_round(vector, result);
    summand_exact_vector_round_f32(vector, (float *)(result + N));
    summand_exact_vector_round_f16(vector, halves);
    summand_exact_vector_round_bf16(vector, halves + N);
    summand_exact_vector_add_f16(vector, 1, N, halves);
    summand_exact_vector_add_bf16(vector, 1, N, halves + N);
    int code = summand_exact_vector_reduce(vector, result + 2 * N, MPI_DOUBLE, SUMMAND_ROOT_ALL,
                                           comm, NULL);
    summand_exact_vector_free(&vector);
    if (code == MPI_SUCCESS)
        code = summand_column_sums(x, 2, N / 2, result + 3 * N, N / 2, MPI_DOUBLE, SUMMAND_ROOT_ALL,
                                   comm, NULL);
    result += 5 * N;
    for (int again = 0; again < 2 && code == MPI_SUCCESS; again++, result += N)
        code = summand_allreduce(again ? y : x, result, N, MPI_DOUBLE, MPI_SUM, comm, &exact);
    return code;
}

/* What the library says of itself. */
static int told(MPI_Comm comm, void *out)
{
    (void)comm, (void)out;
    enum summand_setting_from from;
    for (int i = 0; summand_algorithm_at(i); i++)
        ;
    for (int i = 0; summand_setting_at(i); i++)
        summand_setting_value(summand_setting_at(i)->name, &from);
    summand_outer_options_default();
    summand_gossip_options_default();
    summand_error_text(MPI_ERR_COUNT);
    return MPI_SUCCESS;
}

static void on_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    own_code();
}

static int refused(MPI_Comm comm, void *out)
{
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(on_error, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    int code = summand_allreduce(x, out, -1, MPI_DOUBLE, MPI_SUM, comm, NULL);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Errhandler_free(&handler);
    return code == MPI_ERR_COUNT ? MPI_SUCCESS : MPI_ERR_OTHER;
}

static const struct {
    const char *name;
    call_function *call;
} calls[] = {{"exact sums", exact_sums},
             {"tree sums", tree_sums},
             {"sums of floats", single_sums},
             {"ordered_reduce", ordered},
             {"allreduce", all_reduced},
             {"scan", scanned},
             {"allreduce of floats", floats_multiplied},
             {"allreduce of long doubles", long_doubles},
             {"reduce_scatter_block", scattered},
             {"allgather", gathered},
             {"a plan", by_plan},
             {"an operator of the program's", with_own_operator},
             {"gossip, hpfcc", gossip_hpfcc},
             {"gossip, hpflc", gossip_hpflc},
             {"gossip, rd", gossip_rd},
             {"gossip, pfcc", gossip_pfcc},
             {"outer", outer},
             {"matrices", matrices},
             {"matrices of floats", matrices_of_floats},
             {"notifications", notifications},
             {"accumulators", accumulators},
             {"exact vectors", exact_vectors},
             {"what the library says", told},
             {"an error", refused}};
enum { CALLS = sizeof calls / sizeof *calls };

static int call_in(const struct environment *e, int call, void *out, bool *same)
{
    memset(out, 0, ROOM);
    MPI_Comm comm = harness_comm();
    set(e);
    int code = calls[call].call(comm, out);
    *same = kept();
    if (*same)
        trap_behind();
    raised = false;
    reset();
    MPI_Comm_free(&comm);
    return code;
}

TESTS
{
    static double want[ROOM / sizeof(double)], got[ROOM / sizeof(double)];
    fill();
    for (int c = 0; c < CALLS; c++)
        for (size_t e = 0; e < sizeof environments / sizeof *environments; e++)
            for (int one = 0; one < (e && harness_ranks > 1 ? 2 : 1); one++) {
                bool same, set_here = !one || harness_rank == harness_ranks - 1;
                const struct environment *own = &environments[set_here ? e : 0];
                strange = 0;
                int code = call_in(own, c, got, &same);
                if (!e)
                    memcpy(want, got, ROOM);
                char text[MPI_MAX_ERROR_STRING];
                int length;
                MPI_Error_string(code, text, &length);
                CHECK(code == MPI_SUCCESS && same, "%s, %s: %s, kept %d", calls[c].name, own->name,
                      text, same);
                CHECK(!memcmp(want, got, ROOM), "%s, %s%s: other bits", calls[c].name, own->name,
                      one ? " on one rank" : "");
                CHECK(!strange, "%s, %s: %ld calls of the program's in another environment",
                      calls[c].name, own->name, strange);
            }
}
