/* SPDX-License-Identifier: BSD-3-Clause */
/* summand bench gemm: C = A B of n x n doubles, A and C on the first half of the ranks and B on the
 * other half, each on a grid that is nearest to a square; by a plan that is kept. With --inner, A
 * is n x K and B K x n.
 *
 *   ordered   sums in the order of the inner dimension: the same bits on any grids
 *   ordered, call
 *             the same by summand_gemm, over and over
 *   any       local products by the BLAS, by the algorithm that the library takes
 *   panels, boxes
 *             the same by gemm-panels and by gemm-boxes; with --inner
 *   pairs     the same by gemm-pairs, the dissertation's algorithm
 *   ordered in place, any in place
 *             of exposed matrices, which all ranks read and write where they lie: within a node
 *   peak      the BLAS alone, without communication: n x n / P columns on each of P ranks, as many
 *             as there are processors
 *
 * All ranks compute, those with B too. With one rank A, B and C lie on it. */
#include <inttypes.h>
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <summand/gemm.h>

#include "cli/bench/bench.h"
#include "cli/common/cli.h"
#include "cli/output/setting.h"
#include "cli/output/table.h"
#include "cli/ranks/interrupt.h"
#include "cli/ranks/two_groups.h"
#include "comm/state.h"
#include "compute/blas.h"
#include "compute/product.h"

extern const struct command benchmark_gemm;

enum { WAYS = 7, MOST_N = 65536, MOST_INNER = 1 << 24, MATRICES = 3 };

static const struct {
    const char *name, *algorithm;
    bool any, exposed, inner; /* inner: only with --inner */
} ways[WAYS] = {
    {"ordered", NULL, false, false, false},       {"any", NULL, true, false, false},
    {"panels", "gemm-panels", true, false, true}, {"boxes", "gemm-boxes", true, false, true},
    {"pairs", "gemm-pairs", true, false, false},  {"ordered in place", NULL, false, true, false},
    {"any in place", NULL, true, true, false}};

struct plans {
    summand_matrix *matrix[2][MATRICES]; /* not exposed, exposed */
    summand_plan *plan[WAYS];            /* NULL: ranks do not share memory */
};

struct peak {
    struct summand__product work;
    double *memory;
    bool idle;
};

struct gemm_case {
    int rank, ranks;
    bool long_inner; /* the option was given */
    long long n, inner, block;
    struct plans plans;
    struct peak peak;
};

static int run_call(void *context)
{
    const struct plans *plans = context;
    summand_matrix *const *matrix = plans->matrix[0];
    return summand_gemm(SUMMAND_TRANSPOSE_NO, SUMMAND_TRANSPOSE_NO, 1, matrix[0], matrix[1], 0,
                        matrix[2], NULL);
}

static int run_peak(void *context)
{
    const struct peak *peak = context;
    if (!peak->idle)
        summand__product_kernel(false)->run(SUMMAND__PRODUCT_F64, &peak->work);
    return MPI_SUCCESS;
}

/* If all ranks share memory. */
static int expose(summand_matrix **matrix, bool *exposed)
{
    struct summand__state *state;
    int code = summand__state_of(MPI_COMM_WORLD, &state);
    *exposed = code == MPI_SUCCESS && state->segment && state->segment->whole;
    for (int m = 0; m < MATRICES && code == MPI_SUCCESS && *exposed; m++)
        code = summand_matrix_expose(matrix[m]);
    return code;
}

static int make_plans(struct gemm_case *c)
{
    int code = MPI_SUCCESS;
    bool exposed = false;
    for (int m = 0; m < 2 * MATRICES && code == MPI_SUCCESS; m++)
        code = two_groups_matrix(m % MATRICES == 1, m % MATRICES == 1 ? c->inner : c->n,
                                 m % MATRICES == 0 ? c->inner : c->n, c->block,
                                 &c->plans.matrix[m / MATRICES][m % MATRICES]);
    if (code == MPI_SUCCESS)
        code = expose(c->plans.matrix[1], &exposed);
    for (int way = 0; way < WAYS && code == MPI_SUCCESS; way++) {
        const summand_gemm_options options = {.promise = ways[way].any ? SUMMAND_PROMISE_SAME
                                                                       : SUMMAND_PROMISE_DEFAULT,
                                              .algorithm = ways[way].algorithm};
        summand_matrix *const *matrix = c->plans.matrix[ways[way].exposed];
        if ((exposed || !ways[way].exposed) && (c->long_inner || !ways[way].inner))
            code = summand_gemm_init(SUMMAND_TRANSPOSE_NO, SUMMAND_TRANSPOSE_NO, 1, matrix[0],
                                     matrix[1], 0, matrix[2], &options, &c->plans.plan[way]);
    }
    return code;
}

static bool make_peak(struct gemm_case *c)
{
    int ranks = c->ranks < processors() ? c->ranks : processors();
    size_t n = (size_t)c->n, inner = (size_t)c->inner;
    size_t first = n * (size_t)c->rank / (size_t)ranks,
           end = n * ((size_t)c->rank + 1) / (size_t)ranks;
    c->peak.idle = c->rank >= ranks;
    if (c->peak.idle)
        return true;
    size_t columns = end - first, all = n * inner + (n + inner) * columns;
    double *memory = c->peak.memory = malloc((all + 1) * sizeof *memory);
    for (size_t i = 0; memory && i < all; i++)
        memory[i] = (double)(i * 7 % 11) / 8 - 0.5;
    c->peak.work = (struct summand__product){.a = memory,
                                             .b = memory + n * inner,
                                             .c = memory + n * inner + inner * columns,
                                             .rows = n,
                                             .columns = columns,
                                             .inner = inner,
                                             .lda = n,
                                             .ldb = inner,
                                             .ldc = n,
                                             .alpha = 1};
    return memory;
}

static void drop(void *context)
{
    struct gemm_case *c = context;
    for (int way = 0; way < WAYS; way++)
        summand_plan_free(&c->plans.plan[way]);
    for (int m = 0; m < 2 * MATRICES; m++)
        summand_matrix_free(&c->plans.matrix[m / MATRICES][m % MATRICES]);
    free(c->peak.memory);
}

static const struct bench_key keys[] = {{"n", BENCH_WHOLE, offsetof(struct bench_row, n)},
                                        {"inner", BENCH_WHOLE, offsetof(struct bench_row, inner)},
                                        {"block", BENCH_WHOLE, offsetof(struct bench_row, bytes)},
                                        {"subject", BENCH_TEXT, offsetof(struct bench_row, method)},
                                        {0}};

static void print(const struct bench_report *report)
{
    const struct summand__blas *blas = summand__blas();
    struct table table;
    bench_print_head(report);
    bench_table_begin(&table, report, "# n|block|<subject|time/ms|CI95|GF/s|of the peak|<");
    for (int i = 0; i < report->rows; i++) {
        const struct bench_row *row = &report->row[i];
        double n = (double)row->n;
        table_cell(&table, "%" PRIu64, row->n);
        table_cell(&table, row->bytes ? "%" PRIu64 : "one", row->bytes);
        table_cell(&table, "%s", row->method);
        table_cell(&table, "%.3f", 1e3 * row->time.median);
        bench_interval_cell(&table, row, 1e-3, row->time);
        table_cell(&table, "%.1f", 2e-9 * n * n * (double)row->inner / row->time.median);
        bench_ratio_cell(&table, row->ratio[0].median);
        table_cell(&table, "%s", row->settled ? "" : "*");
    }
    table_end(&table, stdout);
    print_remark("of the peak: ratios within a round to the local products alone, by %s%s%s.",
                 summand__product_kernel(false)->ordered ? "the ordered kernel" : blas->name,
                 blas && *blas->core ? ", taken for " : "", blas && *blas->core ? blas->core : "");
    if (summand__blas_advice())
        print_remark("%s.", summand__blas_advice());
    bench_print_foot(report);
}

static bool by_plan(const struct bench_report *report, const char *method)
{
    (void)report;
    return strcmp(method, "peak") && !strstr(method, ", call");
}

static const struct bench_form form = {.references = {"peak", "ordered"},
                                       .ratios = {"vs_peak", "vs_ordered"},
                                       .x = offsetof(struct bench_row, n),
                                       .x_label = "n",
                                       .type = "double",
                                       .plan = by_plan,
                                       .keys = keys,
                                       .print = print};

static void make(void *context, struct trouble *trouble)
{
    struct gemm_case *c = context;
    MPI_Comm_rank(MPI_COMM_WORLD, &c->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &c->ranks);
    trouble_note_mpi(trouble, "summand_gemm_init", make_plans(c));
    if (!make_peak(c))
        trouble_note(trouble, "out of memory");
}

static int list_subjects(void *context, struct timing_subject *subjects, struct trouble *trouble)
{
    struct gemm_case *c = context;
    int count = 0;
    (void)trouble;
    for (int way = 0; way < WAYS; way++)
        if (c->plans.plan[way])
            subjects[count++] =
                (struct timing_subject){ways[way].name, bench_plan_run, c->plans.plan[way]};
    subjects[count++] = (struct timing_subject){"ordered, call", run_call, &c->plans};
    subjects[count++] = (struct timing_subject){"peak", run_peak, &c->peak};
    return count;
}

static const struct bench_kind kind = {.make = make, .subjects = list_subjects, .drop = drop};

static int measure_all(const struct numbers *sizes, const struct numbers *blocks, long long inner,
                       const struct bench_common *common)
{
    struct bench_report report;
    bool fine = true;
    bench_report_begin(&report, benchmark_gemm.name, &form, common,
                       inner > 0 ? json_make("i", "inner", (int)inner) : json_object());
    struct timing_options how = bench_timing(common);
    how.most = 10000;
    for (int i = 0; i < sizes->count; i++)
        for (int b = 0; b < blocks->count && fine && !interrupt_agreed(); b++) {
            struct gemm_case c = {.long_inner = inner > 0,
                                  .n = sizes->value[i],
                                  .inner = inner > 0 ? inner : sizes->value[i],
                                  .block = blocks->value[b]};
            const struct bench_row row = {
                .n = (uint64_t)c.n, .bytes = (uint64_t)c.block, .inner = (uint64_t)c.inner};
            fine = bench_measure(&report, &kind, &c, &row, &how, 1);
        }
    return bench_report_end(&report, fine);
}

static int run(struct parsing *parsing, int argc, char **argv)
{
    struct bench_common common = {
        .budget = 3, .launcher = BENCH_LAUNCHER, .start = BENCH_START_AUTO};
    struct trouble trouble = {""};
    struct numbers sizes = {.count = 0}, blocks = {.count = 0};
    const char *list = "256,512,1024", *widths = "0";
    long long inner = 0;
    const struct option_row rows[] = {
        {"sizes", 0, OPTION_TEXT, &list, "N,...", "rows and columns of each matrix", NULL},
        {"blocks", 0, OPTION_TEXT, &widths, "B,...",
         "rows and columns of a block; 0: one block on each rank", NULL},
        {"inner", 'i', OPTION_INT, &inner, "K", "columns of A and rows of B; else as the rest",
         NULL, 1, MOST_INNER},
        BENCH_OPTIONS(common),
        {0}};
    int status;
    if (!bench_parse(parsing, &benchmark_gemm, &form, &common, rows, argc, argv, NULL, &status))
        return status;
    bench_numbers("sizes", list, 1, MOST_N, &sizes, &trouble);
    bench_numbers("blocks", widths, 0, MOST_N, &blocks, &trouble);
    return agree(benchmark_gemm.name, &trouble) ? measure_all(&sizes, &blocks, inner, &common) : 2;
}

const struct command benchmark_gemm = {
    "bench gemm",
    "products of matrices over two groups of ranks against the BLAS alone",
    "bench gemm [options]",
    "  mpirun -np 2 summand bench gemm --budget 1\n"
    "  mpirun -np 2 summand bench gemm --sizes 512 --blocks 32,0 --budget 1\n"
    "  mpirun -np 4 summand bench gemm --sizes 32 --inner 65536 --budget 1\n"
    "  mpirun -np 2 summand bench gemm --sizes 256,512 --budget 1 --json gemm.json\n",
    true,
    run,
    NULL};
