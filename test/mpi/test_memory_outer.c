/* np: 3, long: 1 2 */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory requests of sums of outer products fail one by one: calls and plans, for all forms of
 * factors and results. */
#include "mpi/outer_call.h"
#include "mpi/refusals.h"

enum { N = 6, M = 5, MOST_PAIRS = 3 };

enum form { DENSE, OWN, LISTS, TILES, COMPRESSED }; /* OWN: each matrix has its own pairs */

/* The nonzero elements. */
struct sparse {
    MPI_Count begin[MOST_PAIRS + 1];
    uint32_t index[MOST_PAIRS * N];
    double value[MOST_PAIRS * N];
    summand_outer_list list;
};

struct outer {
    summand_outer_options options;
    summand_outer_matrix matrix;
    MPI_Comm comm;
    int pairs, turn, root;
    enum form form;
    struct sparse sparse[2];
    MPI_Count begin[N + 1]; /* of the result as compressed rows */
    uint32_t index[N * M];
    summand_outer_compressed compressed;
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

static void make_sparse(struct sparse *sparse, const double *dense, int pairs, int width, int ld)
{
    MPI_Count count = 0;
    for (int k = 0; k < pairs; k++) {
        sparse->begin[k] = count;
        for (int i = 0; i < width; i++)
            if (dense[k * ld + i] != 0) {
                sparse->index[count] = (uint32_t)i;
                sparse->value[count++] = dense[k * ld + i];
            }
    }
    sparse->begin[pairs] = count;
    sparse->list = (summand_outer_list){sparse->begin, sparse->index, sparse->value};
}

static void set_form(struct outer *o)
{
    summand_outer_matrix *m = &o->matrix;
    if (o->form != LISTS && o->form != COMPRESSED)
        return;
    make_sparse(&o->sparse[0], o->a, o->pairs, (int)m->rows, N);
    make_sparse(&o->sparse[1], o->b, o->pairs, (int)m->columns, M);
    m->list_a = &o->sparse[0].list;
    m->list_b = &o->sparse[1].list;
    o->compressed = (summand_outer_compressed){o->begin, o->index, o->g, N * M};
    m->compressed = o->form == COMPRESSED ? &o->compressed : NULL;
}

/* Of a whole result. */
static void take_tile(void *context, int matrix, const summand_outer_part *part, const void *values,
                      MPI_Count lead)
{
    struct outer *o = context;
    (void)matrix;
    for (MPI_Count i = 0; i < part->rows; i++)
        memcpy(&o->g[(part->row + i) * o->matrix.columns + part->column],
               (const double *)values + i * lead, (size_t)part->columns * sizeof(double));
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
                                       .lead_a = N,
                                       .b = o->b,
                                       .lead_b = M,
                                       .g = o->g,
                                       .pairs = o->pairs};
    set_form(o);
    refill(o);
}

static int call(void *self, summand_plan **plan)
{
    struct outer *o = self;
    const MPI_Count pairs = o->form == OWN ? SUMMAND_OUTER_PAIRS_OF_MATRIX : o->pairs;
    return plan ? summand_outer_init(pairs, 1, 1, &o->matrix, 0, MPI_DOUBLE, o->root, o->comm,
                                     &o->options, plan)
                : summand_outer(pairs, 1, 1, &o->matrix, 0, MPI_DOUBLE, o->root, o->comm,
                                &o->options);
}

/* Expands compressed rows to rows of a whole result; other results are copied. */
static void expand(const struct outer *o, double *g)
{
    memcpy(g, o->g, sizeof o->g);
    if (o->form != COMPRESSED)
        return;
    memset(g, 0, sizeof o->g);
    for (int i = 0; i < o->matrix.rows; i++)
        for (MPI_Count e = o->begin[i]; e < o->begin[i + 1]; e++)
            g[i * o->matrix.columns + o->index[e]] = o->g[e];
}

static int right(void *self)
{
    double g[N * M];
    const struct outer *o = self;
    summand_outer_part part;
    summand_outer_part_of(1, &o->matrix, 0, o->root, harness_rank, harness_ranks, &o->options,
                          &part);
    expand(o, g);
    for (int i = 0; i < part.rows; i++)
        for (int j = 0; j < part.columns; j++) {
            double sum = 0;
            for (int r = 0; r < harness_ranks; r++)
                for (int k = 0; k < pairs_of(o, r); k++)
                    sum += element(0, r, k, (int)part.row + i) *
                           element(1, r, k, (int)part.column + j);
            if (g[i * part.columns + j] != sum)
                return 0;
        }
    return 1;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        enum summand__outer_result result;
        enum form form;
    } cases[] = {{"outer-gather", SUMMAND__OUTER_ALL, DENSE},
                 {"outer-slices", SUMMAND__OUTER_BLOCKS, DENSE},
                 {"outer-hybrid", SUMMAND__OUTER_ALL, DENSE},
                 {"outer-allreduce", SUMMAND__OUTER_ALL, DENSE},
                 {"outer-gather", SUMMAND__OUTER_ROOT, DENSE},
                 {"outer-slices", SUMMAND__OUTER_ALL, DENSE},
                 {"outer-gather", SUMMAND__OUTER_ROWS, OWN},
                 {"outer-pipeline", SUMMAND__OUTER_ALL, DENSE},
                 {"outer-grid", SUMMAND__OUTER_BLOCKS, DENSE},
                 {"outer-grid", SUMMAND__OUTER_ROOT, DENSE},
                 {"outer-gather", SUMMAND__OUTER_BLOCKS, LISTS},
                 {"outer-slices", SUMMAND__OUTER_BLOCKS, LISTS},
                 {"choice", SUMMAND__OUTER_ROWS, LISTS},
                 {"outer-gather", SUMMAND__OUTER_ALL, COMPRESSED},
                 {"outer-gather", SUMMAND__OUTER_ALL, TILES}};
    harness_begin(&argc, &argv);
    refusals_begin();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static struct outer outer;
        outer = (struct outer){.options = summand_outer_options_default()};
        outer.options.algorithm = strcmp(cases[i].name, "choice") ? cases[i].name : NULL;
        outer.root = outer_ask(&outer.options, cases[i].result, 0);
        outer.options.promise = SUMMAND_PROMISE_SAME;
        outer.form = cases[i].form;
        outer.options.tile = outer.form == TILES ? take_tile : NULL;
        outer.options.context = &outer;
        static const char *const groups[] = {"outer", "outer, own pairs", "outer, lists",
                                             "outer, tiles", "outer, compressed"};
        struct operation o = {
            groups[outer.form], cases[i].name, &outer, reset, refill, call, right};
        for (int moment = i ? NEW_SHAPE : FIRST_CALL; moment < MOMENTS; moment++)
            refuse(&o, (enum moment)moment, i < 2);
    }
    return refusals_end(argc, argv);
}
