/* np: 1 2 */
/* Sums of outer products whose elements lie more than 2^31 elements apart: rows of a, b and G far
 * from one another, in memory of which only what is used is there. */
#include <sys/mman.h>

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
    enum summand_outer_result result;
    double alpha;
    int any_order;
    int own; /* with pairs of the matrix's own, which are packed first */
} cases[] = {{"outer-gather", SUMMAND_OUTER_ALL, 1, 0, 0},
             {"outer-gather", SUMMAND_OUTER_ROWS, 2, 0, 0},
             {"outer-gather", SUMMAND_OUTER_ROOT, 2, 0, 0},
             {"outer-slices", SUMMAND_OUTER_ROWS, 2, 0, 0},
             {"outer-slices", SUMMAND_OUTER_BLOCKS, 1, 0, 0},
             {"outer-grid", SUMMAND_OUTER_ROWS, 1, 0, 0},
             {"outer-grid", SUMMAND_OUTER_BLOCKS, 2, 0, 0},
             {"outer-pipeline", SUMMAND_OUTER_ALL, 2, 0, 0},
             {"outer-passes", SUMMAND_OUTER_ALL, 1, 0, 0},
             {"outer-allreduce", SUMMAND_OUTER_ALL, 2, 1, 0},
             {"outer-gather", SUMMAND_OUTER_ALL, 1, 0, 1},
             {"outer-gather", SUMMAND_OUTER_BLOCKS, 2, 0, 1},
             {"outer-slices", SUMMAND_OUTER_ROWS, 2, 0, 1},
             {"outer-slices", SUMMAND_OUTER_BLOCKS, 1, 0, 1},
             {"outer-slices", SUMMAND_OUTER_ROOT, 1, 0, 1}};

static void run(size_t i, const float *a, const float *b, float *g)
{
    const bool own = cases[i].own;
    summand_outer_options options = summand_outer_options_default();
    summand_outer_matrix matrix = {.rows = N,
                                   .columns = M,
                                   .a = a,
                                   .lda = far,
                                   .b = b,
                                   .ldb = far,
                                   .g = g,
                                   .ldg = far,
                                   .pairs = PAIRS};
    summand_outer_part part;
    options.algorithm = cases[i].algorithm;
    options.result = cases[i].result;
    options.root = harness_ranks - 1;
    options.alpha = cases[i].alpha;
    options.any_order = cases[i].any_order;
    summand_outer_part_of(1, &matrix, 0, &options, harness_rank, harness_ranks, &part);
    for (int row = 0; row < N; row++)
        for (int j = 0; j <= M; j++)
            g[row * far + j] = -99;
    int code = summand_outer(SUMMAND_OUTER_FLOAT, own ? SUMMAND_OUTER_PAIRS_OF_MATRIX : PAIRS, 1,
                             &matrix, &options, MPI_COMM_WORLD);
    size_t wrong = code == MPI_SUCCESS ? wrong_elements(g, &part, options.alpha) : 1;
    for (int row = 0; row < N; row++) /* behind each row nothing is touched */
        wrong += g[row * far + M] != -99;
    CHECK(!wrong, "case %zu, %s: code %d, %zu wrong", i, cases[i].algorithm, code, wrong);
}

int main(int argc, char **argv)
{
    harness_begin(&argc, &argv);
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
    return harness_end();
}
