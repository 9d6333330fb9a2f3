/* np: 1 2 */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of outer products whose elements lie more than 2^31 elements apart: distant rows of a, b and
 * G, in memory of which only the used pages exist. Also lists of a matrix with nearly 2^32 columns.
 * */
#include <sys/mman.h>
#include <sys/resource.h>

#include "mpi/outer.h"

enum { N = 3, M = 5, PAIRS = 3 };

static const MPI_Count far = ((MPI_Count)1 << 31) + 8; /* floats: 8 GiB and a bit */

static float *reserve(size_t rows)
{
    void *map = mmap(NULL, ((rows - 1) * (size_t)far + 64) * sizeof(float), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return map == MAP_FAILED ? NULL : map;
}

static float factor(int which, int rank, int k, int i)
{
    return (float)((which * 3 + rank + 2 * k + i) % 7 - 3);
}

static size_t wrong_elements(const float *g, const summand_outer_part *part, double alpha)
{
    size_t wrong = 0;
    for (MPI_Count i = 0; i < part->rows; i++)
        for (MPI_Count j = 0; j < part->columns; j++) {
            float sum = 0;
            for (int r = 0; r < harness_ranks; r++)
                for (int k = 0; k < PAIRS; k++)
                    sum += factor(0, r, k, (int)(part->row + i)) *
                           factor(1, r, k, (int)(part->column + j));
            wrong += g[i * far + j] != (float)alpha * sum;
        }
    return wrong;
}

static const struct {
    const char *algorithm;
    enum summand__outer_result result;
    double alpha;
    int any_order;
    int own; /* with each matrix's own pairs, which are packed first */
} cases[] = {{"outer-gather", SUMMAND__OUTER_ALL, 1, 0, 0},
             {"outer-gather", SUMMAND__OUTER_ROWS, 2, 0, 0},
             {"outer-gather", SUMMAND__OUTER_ROOT, 2, 0, 0},
             {"outer-slices", SUMMAND__OUTER_ROWS, 2, 0, 0},
             {"outer-slices", SUMMAND__OUTER_BLOCKS, 1, 0, 0},
             {"outer-grid", SUMMAND__OUTER_ROWS, 1, 0, 0},
             {"outer-grid", SUMMAND__OUTER_BLOCKS, 2, 0, 0},
             {"outer-grid", SUMMAND__OUTER_ROOT, 2, 0, 0},
             {"outer-pipeline", SUMMAND__OUTER_ALL, 2, 0, 0},
             {"outer-passes", SUMMAND__OUTER_ALL, 1, 0, 0},
             {"outer-allgather", SUMMAND__OUTER_ALL, 1, 0, 0},
             {"outer-allreduce", SUMMAND__OUTER_ALL, 2, 1, 0},
             {"outer-gather", SUMMAND__OUTER_ALL, 1, 0, 1},
             {"outer-gather", SUMMAND__OUTER_BLOCKS, 2, 0, 1},
             {"outer-slices", SUMMAND__OUTER_ROWS, 2, 0, 1},
             {"outer-slices", SUMMAND__OUTER_BLOCKS, 1, 0, 1},
             {"outer-slices", SUMMAND__OUTER_ROOT, 1, 0, 1}};

static void run(size_t i, const float *a, const float *b, float *g)
{
    const bool own = cases[i].own;
    summand_outer_options options = summand_outer_options_default();
    summand_outer_matrix matrix = {.rows = N,
                                   .columns = M,
                                   .a = a,
                                   .lead_a = far,
                                   .b = b,
                                   .lead_b = far,
                                   .g = g,
                                   .lead_g = far,
                                   .pairs = PAIRS};
    summand_outer_part part;
    options.algorithm = cases[i].algorithm;
    const int root = outer_ask(&options, cases[i].result, harness_ranks - 1);
    options.promise = cases[i].any_order ? SUMMAND_PROMISE_SAME : SUMMAND_PROMISE_DEFAULT;
    summand_outer_part_of(1, &matrix, 0, root, harness_rank, harness_ranks, &options, &part);
    for (int row = 0; row < N; row++)
        for (int j = 0; j <= M; j++)
            g[row * far + j] = -99;
    int code = summand_outer(own ? SUMMAND_OUTER_PAIRS_OF_MATRIX : PAIRS, 1, cases[i].alpha,
                             &matrix, 0, MPI_FLOAT, root, MPI_COMM_WORLD, &options);
    size_t wrong = code == MPI_SUCCESS ? wrong_elements(g, &part, cases[i].alpha) : 1;
    for (int row = 0; row < N; row++) /* nothing behind a row is touched */
        wrong += g[row * far + M] != -99;
    CHECK(!wrong, "case %zu, %s: code %d, %zu wrong", i, cases[i].algorithm, code, wrong);
}

enum { WIDE_ROWS = 4, WIDE_PAIRS = 50, OF_A = 2, OF_B = 3 };

static const uint32_t wide = UINT32_MAX; /* columns */

/* Elements of a pair, ascending: elements of b in the first columns, the last ones, and some
 * between. */
static uint32_t row_of(int k, int e)
{
    return (uint32_t)(k % 3 + e);
}

static uint32_t column_of(int rank, int k, int e)
{
    const uint32_t third = wide / 3;
    return e == 2 ? wide - 1 - (uint32_t)(k % 4)
                  : (uint32_t)e * third + (uint32_t)(k * 7919 + rank * 13) % (third / 5);
}

static double wide_value(int which, int rank, int k, int e)
{
    return 1 + (which * 3 + rank + k + 2 * e) % 5;
}

/* The sum for an element, and whether any pair has it. */
static double wide_sum(uint32_t row, uint32_t column, bool *any)
{
    double sum = 0;
    *any = false;
    for (int r = 0; r < harness_ranks; r++)
        for (int k = 0; k < WIDE_PAIRS; k++)
            for (int i = 0; i < OF_A; i++)
                for (int j = 0; j < OF_B && row_of(k, i) == row; j++)
                    if (column_of(r, k, j) == column) {
                        sum += wide_value(0, r, k, i) * wide_value(1, r, k, j);
                        *any = true;
                    }
    return sum;
}

/* Elements of a row of the part that some pair has: each appears once in the result. */
static size_t expected(const summand_outer_part *part, uint32_t row)
{
    static uint32_t seen[9 * WIDE_PAIRS * OF_B];
    size_t count = 0;
    for (int r = 0; r < harness_ranks; r++)
        for (int k = 0; k < WIDE_PAIRS; k++)
            for (int j = 0; j < OF_B && row_of(k, 0) <= row && row < row_of(k, OF_A); j++) {
                const uint32_t column = column_of(r, k, j);
                size_t at = 0;
                while (at < count && seen[at] != column)
                    at++;
                if (at == count && column >= part->column && column < part->column + part->columns)
                    seen[count++] = column;
            }
    return count;
}

static size_t wrong_rows(const summand_outer_part *part, const summand_outer_compressed *to)
{
    size_t wrong = part->rows && to->begin[0];
    for (MPI_Count i = 0; i < part->rows; i++) {
        const uint32_t row = (uint32_t)(part->row + i);
        wrong += (size_t)(to->begin[i + 1] - to->begin[i]) != expected(part, row);
        for (MPI_Count e = to->begin[i]; e < to->begin[i + 1]; e++) {
            bool any;
            const double sum = wide_sum(row, to->index[e], &any);
            wrong += !any || ((const double *)to->value)[e] != sum ||
                     (e > to->begin[i] && to->index[e] <= to->index[e - 1]);
        }
    }
    return wrong;
}

static long most_memory(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

/* Compressed rows take memory for the actual elements, not for all columns. */
static void run_wide(enum summand_outer_result result, const char *algorithm)
{
    static MPI_Count begin[2][WIDE_PAIRS + 1], to_begin[WIDE_ROWS + 1];
    static uint32_t index[2][WIDE_PAIRS * OF_B], to_index[9 * WIDE_ROWS * WIDE_PAIRS * OF_B];
    static double value[2][WIDE_PAIRS * OF_B], to_value[9 * WIDE_ROWS * WIDE_PAIRS * OF_B];
    const long before = most_memory(), some = 1 << 18; /* KiB; the columns' bytes are 4 GiB */
    for (int k = 0; k <= WIDE_PAIRS; k++) {
        begin[0][k] = k * OF_A;
        begin[1][k] = k * OF_B;
        for (int e = 0; e < OF_B && k < WIDE_PAIRS; e++) {
            if (e < OF_A)
                index[0][k * OF_A + e] = row_of(k, e);
            if (e < OF_A)
                value[0][k * OF_A + e] = wide_value(0, harness_rank, k, e);
            index[1][k * OF_B + e] = column_of(harness_rank, k, e);
            value[1][k * OF_B + e] = wide_value(1, harness_rank, k, e);
        }
    }
    const summand_outer_list a = {begin[0], index[0], value[0]}, b = {begin[1], index[1], value[1]};
    const summand_outer_compressed to = {to_begin, to_index, to_value,
                                         sizeof to_index / sizeof *to_index};
    summand_outer_matrix matrix = {
        .rows = WIDE_ROWS, .columns = wide, .list_a = &a, .list_b = &b, .compressed = &to};
    summand_outer_options options = summand_outer_options_default();
    summand_outer_part part;
    options.result = result;
    options.algorithm = algorithm;
    summand_outer_part_of(1, &matrix, 0, SUMMAND_ROOT_ALL, harness_rank, harness_ranks, &options,
                          &part);
    int code = summand_outer(WIDE_PAIRS, 1, 1, &matrix, 0, MPI_DOUBLE, SUMMAND_ROOT_ALL,
                             MPI_COMM_WORLD, &options);
    size_t wrong = code == MPI_SUCCESS ? wrong_rows(&part, &to) : 1;
    CHECK(!wrong, "wide, result %d: code %d, %zu wrong", (int)result, code, wrong);
    CHECK(most_memory() - before < some, "wide, result %d: %ld KiB", (int)result,
          most_memory() - before);
}

TESTS
{
    float *a = reserve(PAIRS), *b = reserve(PAIRS), *g = reserve(N);
    CHECK(a && b && g, "no addresses");
    for (int k = 0; k < PAIRS && a && b; k++) {
        for (int i = 0; i < N; i++)
            a[k * far + i] = factor(0, harness_rank, k, i);
        for (int j = 0; j < M; j++)
            b[k * far + j] = factor(1, harness_rank, k, j);
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases && a && b && g; i++)
        run(i, a, b, g);
    run_wide(SUMMAND_OUTER_WHOLE, NULL);
    run_wide(SUMMAND_OUTER_BLOCKS, "outer-gather");
    run_wide(SUMMAND_OUTER_BLOCKS, "outer-slices");
}
