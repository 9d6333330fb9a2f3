/* SPDX-License-Identifier: BSD-3-Clause */
/* summand bench matrix: a matrix from one distribution to another, by summand_matrix_copy and
 * _transpose, beside what a program would do by itself and what bounds both:
 *
 *   copy       the call, which makes a plan and frees it
 *   plan       the same plan, started again
 *   alltoallv  loops that pack, MPI_Alltoallv of the same bytes, loops that unpack
 *   memcpy     each rank copies as many bytes as it has, once, in its own memory */
#include <inttypes.h>
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <summand/matrix.h>

#include "bench/need.h"
#include "cli/bench/bench.h"
#include "cli/bench/bench_matrix_loops.h"
#include "cli/common/cli.h"
#include "cli/output/table.h"
#include "cli/ranks/interrupt.h"

extern const struct command benchmark_matrix;

enum { MOST_SIDE = 1 << 15, SUBJECTS = 4 };

/* One side of a move: a grid of all ranks, and blocks; 0: blocks that cut the side evenly. */
enum grid_form { GRID_ROWS, GRID_COLUMNS, GRID_SQUARE };
struct side {
    enum grid_form grid;
    int block;
    bool reversed; /* the ranks in the other order */
};

struct matrix_move {
    const char *name, *description;
    struct side from, to;
    bool transposed;
};

static const struct matrix_move moves[] = {
    {"columns-rows",
     "whole columns to whole rows",
     {GRID_COLUMNS, 0, false},
     {GRID_ROWS, 0, false},
     false},
    {"blocks",
     "blocks of 64 to blocks of 48",
     {GRID_SQUARE, 64, false},
     {GRID_SQUARE, 48, true},
     false},
    {"cyclic",
     "single elements to blocks of 64",
     {GRID_ROWS, 1, false},
     {GRID_COLUMNS, 64, false},
     false},
    {"ranks",
     "blocks of 64, each with another rank",
     {GRID_SQUARE, 64, false},
     {GRID_SQUARE, 64, true},
     false},
    {"transpose",
     "blocks of 64, transposed",
     {GRID_SQUARE, 64, false},
     {GRID_SQUARE, 64, true},
     true},
};
enum { MOVES = sizeof moves / sizeof *moves };

/* One move of one size. */
struct matrix_case {
    const struct matrix_move *move;
    int64_t n;
    int *group[2];
    struct summand__grid grid[2];
    summand_matrix *matrix[2];
    summand_plan *plan;
    struct matrix_loops loops;
    double *copied; /* for memcpy */
    size_t bytes;   /* this rank's part of `from` */
};

static int run_copy(void *context)
{
    struct matrix_case *c = context;
    return c->move->transposed ? summand_matrix_transpose(c->matrix[0], c->matrix[1])
                               : summand_matrix_copy(c->matrix[0], c->matrix[1]);
}

static int run_memcpy(void *context)
{
    struct matrix_case *c = context;
    memcpy(c->copied, c->loops.source, c->bytes);
    return MPI_SUCCESS;
}

/* The largest divisor of the ranks that is at most their root. */
static int side_of(int ranks)
{
    int side = 1;
    for (int d = 1; d * d <= ranks; d++)
        side = ranks % d ? side : d;
    return side;
}

static summand_matrix_shape shape_of(const struct side *side, int64_t n, int ranks, int *group)
{
    int rows = side->grid == GRID_ROWS ? ranks : side->grid == GRID_COLUMNS ? 1 : side_of(ranks);
    int columns = ranks / rows;
    summand_matrix_shape shape = {.rows = n,
                                  .columns = n,
                                  .grid_rows = rows,
                                  .grid_columns = columns,
                                  .block_rows = side->block,
                                  .block_columns = side->block,
                                  .group = group};
    if (!side->block) {
        shape.block_rows = (n + rows - 1) / rows;
        shape.block_columns = (n + columns - 1) / columns;
    }
    for (int r = 0; r < ranks; r++)
        group[r] = side->reversed ? ranks - 1 - r : r;
    return shape;
}

static double element(MPI_Count row, MPI_Count column, void *context)
{
    const struct matrix_case *c = context;
    return (double)(row * c->n + column);
}

static void make_side(struct matrix_case *c, int which, MPI_Comm comm, struct trouble *trouble)
{
    const struct side *side = which ? &c->move->to : &c->move->from;
    int ranks;
    MPI_Comm_size(comm, &ranks);
    c->group[which] = need(malloc((size_t)ranks * sizeof **c->group));
    summand_matrix_shape shape = shape_of(side, c->n, ranks, c->group[which]);
    c->grid[which] =
        (struct summand__grid){{shape.rows, shape.block_rows, shape.grid_rows},
                               {shape.columns, shape.block_columns, shape.grid_columns},
                               c->group[which]};
    trouble_note_mpi(trouble, "summand_matrix_create",
                     summand_matrix_create(&shape, MPI_DOUBLE, NULL, 0, comm, &c->matrix[which]));
}

static void make_case(void *context, struct trouble *trouble)
{
    struct matrix_case *c = context;
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Count rows[2], columns[2];
    void *data[2];
    for (int which = 0; which < 2; which++)
        make_side(c, which, comm, trouble);
    if (trouble->text[0])
        return;
    for (int which = 0; which < 2; which++)
        summand_matrix_local(c->matrix[which], &data[which], NULL, &rows[which], &columns[which]);
    summand_matrix_fill(c->matrix[0], element, c);
    int code = c->move->transposed
                   ? summand_matrix_transpose_init(c->matrix[0], c->matrix[1], &c->plan)
                   : summand_matrix_copy_init(c->matrix[0], c->matrix[1], &c->plan);
    trouble_note_mpi(trouble, "summand_matrix_copy_init", code);
    c->loops = (struct matrix_loops){.from = c->grid[0],
                                     .to = c->grid[1],
                                     .transposed = c->move->transposed,
                                     .source = data[0],
                                     .target = data[1],
                                     .comm = comm};
    MPI_Comm_rank(comm, &c->loops.rank);
    MPI_Comm_size(comm, &c->loops.ranks);
    c->bytes = (size_t)(rows[0] * columns[0]) * sizeof(double);
    c->copied = calloc(c->bytes + 1, 1);
    if (!c->copied || !matrix_loops_make(&c->loops))
        trouble_note(trouble, "out of memory");
    else
        memset(c->copied, 1, c->bytes);
}

static void free_case(void *context)
{
    struct matrix_case *c = context;
    matrix_loops_free(&c->loops);
    free(c->copied);
    if (c->plan)
        summand_plan_free(&c->plan);
    for (int which = 0; which < 2; which++) {
        if (c->matrix[which])
            summand_matrix_free(&c->matrix[which]);
        free(c->group[which]);
    }
}

static int list_subjects(void *context, struct timing_subject *subjects, struct trouble *trouble)
{
    struct matrix_case *c = context;
    (void)trouble;
    subjects[0] = (struct timing_subject){"copy", run_copy, c};
    subjects[1] = (struct timing_subject){"plan", bench_plan_run, c->plan};
    subjects[2] = (struct timing_subject){"alltoallv", matrix_loops_run, &c->loops};
    subjects[3] = (struct timing_subject){"memcpy", run_memcpy, c};
    return SUBJECTS;
}

static void check(void *context, const struct timing_subject *subject, struct trouble *trouble)
{
    struct matrix_case *c = context;
    if (subject->run == run_memcpy)
        return;
    void *data;
    MPI_Count rows, columns, lead, row, column;
    summand_matrix_local(c->matrix[1], &data, &lead, &rows, &columns);
    for (MPI_Count k = 0; k < rows * columns; k++)
        ((double *)data)[k] = -1;
    trouble_note_mpi(trouble, subject->name, subject->run(subject->context));
    for (MPI_Count k = 0; k < rows * columns && !trouble->text[0]; k++) {
        summand_matrix_index(c->matrix[1], k % rows, k / rows, &row, &column);
        double right = c->move->transposed ? element(column, row, c) : element(row, column, c);
        if (((double *)data)[k] < right || ((double *)data)[k] > right)
            trouble_note(trouble, "%s: element (%lld, %lld) is wrong", subject->name,
                         (long long)row, (long long)column);
    }
}

static const struct bench_kind kind = {
    .make = make_case, .subjects = list_subjects, .check = check, .drop = free_case};

static const struct bench_key keys[] = {{"move", BENCH_TEXT, offsetof(struct bench_row, data)},
                                        {"n", BENCH_WHOLE, offsetof(struct bench_row, n)},
                                        {"bytes", BENCH_WHOLE, offsetof(struct bench_row, bytes)},
                                        {"subject", BENCH_TEXT, offsetof(struct bench_row, method)},
                                        {0}};

static void print(const struct bench_report *report)
{
    struct table table;
    bench_print_head(report);
    bench_table_begin(&table, report,
                      "<# move|n|<subject|time/ms|CI95|GB/s|x alltoallv|of memcpy|<");
    for (int i = 0; i < report->rows; i++) {
        const struct bench_row *row = &report->row[i];
        table_cell(&table, "%s", row->data);
        table_cell(&table, "%" PRIu64, row->n);
        table_cell(&table, "%s", row->method);
        table_cell(&table, "%.3f", 1e3 * row->time.median);
        bench_interval_cell(&table, row, 1e-3, row->time);
        table_cell(&table, "%.2f", (double)row->bytes / row->time.median * 1e-9);
        bench_ratio_cell(&table, row->ratio[0].median);
        bench_ratio_cell(&table, row->ratio[1].median);
        table_cell(&table, "%s", row->settled ? "" : "*");
    }
    table_end(&table, stdout);
    print_remark("GB/s: bytes of the matrix by time. x alltoallv: times as fast as loops that pack "
                 "and unpack around MPI_Alltoallv. of memcpy: times as fast as one copy of each "
                 "rank's part in its own memory.");
    for (int k = 0; k < MOVES; k++)
        print_remark("%s: %s.", moves[k].name, moves[k].description);
    bench_print_foot(report);
}

static const struct bench_form form = {.references = {"alltoallv", "memcpy"},
                                       .ratios = {"vs_alltoallv", "vs_memcpy"},
                                       .x = offsetof(struct bench_row, bytes),
                                       .x_label = "bytes",
                                       .keys = keys,
                                       .print = print};

/* Marks the moves that the list names. */
static void read_moves(const char *list, bool *takes, struct trouble *trouble)
{
    char *copy = need(strdup(list)), *rest = NULL;
    for (char *word = strtok_r(copy, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
        bool found = false;
        for (int k = 0; k < MOVES; k++)
            if (!strcmp(word, "all") || !strcmp(word, moves[k].name))
                takes[k] = found = true;
        if (!found)
            trouble_note(trouble, "--moves: '%s' is not a known move", word);
    }
    free(copy);
}

static int measure_all(const struct numbers *sizes, const bool *takes,
                       const struct bench_common *common)
{
    struct bench_report report;
    bool fine = true;
    bench_report_begin(&report, benchmark_matrix.name, &form, common,
                       json_make("s", "type", "double"));
    struct timing_options how = bench_timing(common);
    how.most = 1000;
    for (int k = 0; k < MOVES; k++)
        for (int i = 0; takes[k] && i < sizes->count && fine && !interrupt_agreed(); i++) {
            const int64_t n = sizes->value[i];
            struct matrix_case c = {.move = &moves[k], .n = n};
            struct bench_row row = {.n = (uint64_t)n, .bytes = (uint64_t)(n * n) * sizeof(double)};
            snprintf(row.data, sizeof row.data, "%s", moves[k].name);
            fine = bench_measure(&report, &kind, &c, &row, &how, 1);
        }
    return bench_report_end(&report, fine);
}

static int run(struct parsing *parsing, int argc, char **argv)
{
    struct bench_common common = {
        .budget = 3, .launcher = BENCH_LAUNCHER, .start = BENCH_START_BARRIER};
    struct trouble trouble = {""};
    struct numbers sizes = {.count = 0};
    const char *list = "256,1024", *named = "all";
    bool takes[MOVES] = {false};
    const struct option_row rows[] = {
        {"sizes", 0, OPTION_TEXT, &list, "N,...", "rows and columns of a matrix", NULL},
        {"moves", 0, OPTION_TEXT, &named, "LIST",
         "all, columns-rows, blocks, cyclic, ranks, transpose", NULL},
        BENCH_OPTIONS(common),
        {0}};
    int status;
    if (!bench_parse(parsing, &benchmark_matrix, &form, &common, rows, argc, argv, NULL, &status))
        return status;
    bench_numbers("sizes", list, 1, MOST_SIDE, &sizes, &trouble);
    read_moves(named, takes, &trouble);
    return agree(benchmark_matrix.name, &trouble) ? measure_all(&sizes, takes, &common) : 2;
}

const struct command benchmark_matrix = {
    "bench matrix",
    "copies between distributions of a matrix against MPI_Alltoallv with loops",
    "bench matrix [options]",
    "  mpirun -np 2 summand bench matrix --sizes 256 --budget 0.5\n"
    "  mpirun -np 4 summand bench matrix --moves blocks,transpose --budget 1 --json matrix.json\n"
    "  mpirun -np 2 summand bench matrix --moves cyclic --sizes 64..1024:2 --budget 0.5 --plot "
    "matrix.svg\n",
    true,
    run,
    NULL};
