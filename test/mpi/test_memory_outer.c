/* np: 1 2 3 */
/* Sums of outer products whose requests for memory fail one by one: calls and plans. */
#include "mpi/refusals.h"

enum { N = 6, M = 5, MOST_PAIRS = 3 };

struct outer {
    summand_outer_options options;
    summand_outer_matrix matrix;
    MPI_Comm comm;
    int pairs, turn;
    int own; /* pairs of the matrix's own */
    double a[MOST_PAIRS * N], b[MOST_PAIRS * M], g[N * M];
};

static int pairs_of(const struct outer *o, int rank)
{
    return (rank + o->turn) % (MOST_PAIRS + 1);
}

static double element(int which, int rank, int k, int i)
{
    return (which * 3 + rank + 2 * k + i) % 5 - 1;
}

static void refill(void *self)
{
    struct outer *o = self;
    for (int i = 0; i < N * M; i++)
        o->g[i] = -77;
}

static void reset(void *self, MPI_Comm comm, int turn)
{
    struct outer *o = self;
    o->comm = comm;
    o->turn = turn;
    o->pairs = pairs_of(o, harness_rank);
    for (int k = 0; k < o->pairs; k++) {
        for (int i = 0; i < N; i++)
            o->a[k * N + i] = element(0, harness_rank, k, i);
        for (int j = 0; j < M; j++)
            o->b[k * M + j] = element(1, harness_rank, k, j);
    }
    o->matrix = (summand_outer_matrix){.rows = 1 + turn % N,
                                       .columns = 1 + turn % M,
                                       .a = o->a,
                                       .lda = N,
                                       .b = o->b,
                                       .ldb = M,
                                       .g = o->g,
                                       .pairs = o->pairs};
    refill(o);
}

static int call(void *self, summand_plan **plan)
{
    struct outer *o = self;
    const MPI_Count pairs = o->own ? SUMMAND_OUTER_PAIRS_OF_MATRIX : o->pairs;
    return plan ? summand_outer_init(SUMMAND_OUTER_DOUBLE, pairs, 1, &o->matrix, &o->options,
                                     o->comm, plan)
                : summand_outer(SUMMAND_OUTER_DOUBLE, pairs, 1, &o->matrix, &o->options, o->comm);
}

static int right(void *self)
{
    const struct outer *o = self;
    summand_outer_part part;
    summand_outer_part_of(1, &o->matrix, 0, &o->options, harness_rank, harness_ranks, &part);
    for (int i = 0; i < part.rows; i++)
        for (int j = 0; j < part.columns; j++) {
            double sum = 0;
            for (int r = 0; r < harness_ranks; r++)
                for (int k = 0; k < pairs_of(o, r); k++)
                    sum += element(0, r, k, (int)part.row + i) *
                           element(1, r, k, (int)part.column + j);
            if (o->g[i * part.columns + j] != sum)
                return 0;
        }
    return 1;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        enum summand_outer_result result;
        int own;
    } cases[] = {{"outer-gather", SUMMAND_OUTER_ALL, 0},  {"outer-slices", SUMMAND_OUTER_BLOCKS, 0},
                 {"outer-hybrid", SUMMAND_OUTER_ALL, 0},  {"outer-allreduce", SUMMAND_OUTER_ALL, 0},
                 {"outer-gather", SUMMAND_OUTER_ROOT, 0}, {"outer-slices", SUMMAND_OUTER_ALL, 0},
                 {"outer-gather", SUMMAND_OUTER_ROWS, 1}, {"outer-pipeline", SUMMAND_OUTER_ALL, 0},
                 {"outer-grid", SUMMAND_OUTER_BLOCKS, 0}};
    harness_begin(&argc, &argv);
    refusals_begin();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static struct outer outer;
        outer = (struct outer){.options = summand_outer_options_default()};
        outer.options.algorithm = cases[i].name;
        outer.options.result = cases[i].result;
        outer.options.any_order = 1;
        outer.own = cases[i].own;
        struct operation o = {"outer", cases[i].name, &outer, reset, refill, call, right};
        for (int moment = i ? NEW_SHAPE : FIRST_CALL; moment < MOMENTS; moment++)
            refuse(&o, (enum moment)moment, i < 2);
    }
    return refusals_end(argc, argv);
}
