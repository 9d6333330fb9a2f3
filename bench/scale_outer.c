/* SPDX-License-Identifier: BSD-3-Clause */
/* Times sums of outer products: ours by any algorithm, and a product of the rank's own pairs
 * followed by the MPI's all-reduce or reduce-scatter. Made for SimGrid's simulated MPI
 * (bench/scale.sh outer).
 *
 *     scale-outer CASES [PLATFORM [MPI-NAME]]
 *
 * CASES is a file of lines: RESULT ROWSxCOLUMNS PAIRS/CALLSxMATRICES ALGORITHM[:INSIDE]. RESULT is
 * whole, rows or blocks. ALGORITHM is ours by name, auto or mpi; outer-allreduce takes the pairs in
 * any order. CALLS consecutive calls are of MATRICES matrices each. They are starts of one plan,
 * except for `calls`: summand_outer, by choice, once before to warm up. A case's time lasts from a
 * common start to the last rank's end; plans are made before. Factors are small integers, so that
 * any order gives the same result; it is checked, unless SCALE_UNCHECKED is set. Rank 0 writes CSV
 * to standard output.
 *
 * In a simulation computing takes no time. So a product sleeps, in simulated time, as long as it
 * would take on a node: SCALE_FLOP seconds per operation, or SCALE_WRITE seconds per byte of the
 * result that is written (or also read), whichever is longer. Additions of an all-reduce are free,
 * which favours these. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <summand/outer.h>

#include "bench/scale_clock.h"
#include "compute/outer.h"

enum { CHECKED_PLACES = 64 };

struct scale {
    MPI_Comm comm;
    int rank, ranks;
    bool unchecked;
    const char *platform, *mpi_name;
};

struct outer_case {
    char result[16], size[40], pairs_text[40], algorithm[80];
    char *inside; /* or NULL */
    enum summand_outer_result kind;
    int rows, columns, pairs, calls, matrices;
    bool mpi, blocking;
};

struct outer_data {
    double *a, *b, *g, *got; /* got: where `part` of the result is */
    summand_outer_part part;
    summand_outer_matrix matrix[64];
    int *counts; /* of a reduce-scatter */
};

/* The linker redirects calls of summand__outer_run to the first of these. */
void __wrap_summand__outer_run(enum summand__outer_type type, const struct summand__outer *work,
                               size_t first, size_t rows);
void __real_summand__outer_run(enum summand__outer_type type, const struct summand__outer *work,
                               size_t first, size_t rows);

static double setting(const char *name)
{
    const char *text = getenv(name);
    return text ? strtod(text, NULL) : 0;
}

void __wrap_summand__outer_run(enum summand__outer_type type, const struct summand__outer *work,
                               size_t first, size_t rows)
{
    double elements = (double)rows * (double)work->columns;
    double operations = 2 * elements * (double)work->pairs * setting("SCALE_FLOP");
    double written = elements * (double)summand__outer_result_size(type) *
                     (work->beta != 0 || work->continues ? 2 : 1) * setting("SCALE_WRITE");
    if (!getenv("SCALE_UNCHECKED"))
        __real_summand__outer_run(type, work, first, rows);
    scale_sleep(operations > written ? operations : written);
}

static double value_at(int rank, int pair, int i, int salt)
{
    return (double)((unsigned)(rank * 31 + pair * 17 + i * 7 + salt) % 8);
}

static bool read_case(const char *line, struct outer_case *c)
{
    static const char *const results[] = {"whole", "rows", "blocks"};
    *c = (struct outer_case){.inside = NULL};
    bool known = false;
    if (sscanf(line, "%15s %39s %39s %79s", c->result, c->size, c->pairs_text, c->algorithm) == 4)
        for (int i = 0; i < 3; i++)
            if (!strcmp(results[i], c->result)) {
                c->kind = (enum summand_outer_result)i;
                known = true;
            }
    if (!known || sscanf(c->size, "%dx%d", &c->rows, &c->columns) != 2 ||
        sscanf(c->pairs_text, "%d/%dx%d", &c->pairs, &c->calls, &c->matrices) != 3 ||
        c->matrices > 64) {
        fprintf(stderr, "scale-outer: no case: %s\n", line);
        return false;
    }
    c->inside = strchr(c->algorithm, ':');
    if (c->inside)
        *c->inside++ = 0;
    c->mpi = !strcmp(c->algorithm, "mpi");
    c->blocking = !strcmp(c->algorithm, "calls");
    return true;
}

static summand_outer_options options_of(const struct outer_case *c)
{
    summand_outer_options options = summand_outer_options_default();
    options.result = c->kind;
    options.promise =
        strcmp(c->algorithm, "outer-allreduce") ? SUMMAND_PROMISE_DEFAULT : SUMMAND_PROMISE_SAME;
    options.algorithm =
        strcmp(c->algorithm, "auto") && !c->mpi && !c->blocking ? c->algorithm : NULL;
    options.inside.algorithm = c->inside;
    return options;
}

static void *allocated(size_t bytes)
{
    void *memory = malloc(bytes + 1);
    if (!memory) {
        fprintf(stderr, "scale-outer: out of memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return memory;
}

/* For a reduce-scatter: elements of each rank's rows. */
static int *counts_of(const struct scale *scale, const struct outer_case *c)
{
    summand_outer_matrix matrix = {.rows = c->rows, .columns = c->columns};
    summand_outer_options options = {.result = SUMMAND_OUTER_ROWS};
    int *counts = allocated((size_t)scale->ranks * sizeof *counts);
    for (int r = 0; r < scale->ranks; r++) {
        summand_outer_part part;
        summand_outer_part_of(1, &matrix, 0, SUMMAND_ROOT_ALL, r, scale->ranks, &options, &part);
        counts[r] = (int)(part.rows * part.columns);
    }
    return counts;
}

static void make_data(const struct scale *scale, const struct outer_case *c,
                      struct outer_data *data)
{
    summand_outer_options options = options_of(c);
    size_t pairs = (size_t)c->pairs, rows = (size_t)c->rows, columns = (size_t)c->columns;
    if (c->mpi && c->kind == SUMMAND_OUTER_BLOCKS)
        options.result = SUMMAND_OUTER_ROWS;
    *data = (struct outer_data){.a = allocated(pairs * rows * sizeof(double)),
                                .b = allocated(pairs * columns * sizeof(double))};
    for (size_t k = 0; k < pairs; k++) {
        for (size_t i = 0; i < rows; i++)
            data->a[k * rows + i] = value_at(scale->rank, (int)k, (int)i, 0);
        for (size_t j = 0; j < columns; j++)
            data->b[k * columns + j] = value_at(scale->rank, (int)k, (int)j, 3);
    }
    for (int m = 0; m < c->matrices; m++)
        data->matrix[m] = (summand_outer_matrix){
            .rows = c->rows, .columns = c->columns, .a = data->a, .b = data->b};
    summand_outer_part_of(1, data->matrix, 0, SUMMAND_ROOT_ALL, scale->rank, scale->ranks, &options,
                          &data->part);
    size_t elements = (size_t)data->part.rows * (size_t)data->part.columns;
    data->got = allocated(elements * (size_t)c->matrices * sizeof(double));
    for (int m = 0; m < c->matrices; m++)
        data->matrix[m].g = data->got + (size_t)m * elements;
    if (c->mpi)
        data->g = allocated(rows * columns * sizeof(double));
    if (c->mpi && c->kind != SUMMAND_OUTER_WHOLE)
        data->counts = counts_of(scale, c);
}

static void free_data(struct outer_data *data)
{
    free(data->a);
    free(data->b);
    free(data->g);
    free(data->got);
    free(data->counts);
}

/* The work of a program without this library. */
static int run_mpi(const struct scale *scale, const struct outer_case *c, struct outer_data *data)
{
    bool all = c->kind == SUMMAND_OUTER_WHOLE;
    const struct summand__outer own = {.a = data->a,
                                       .b = data->b,
                                       .g = data->g,
                                       .pairs = (size_t)c->pairs,
                                       .columns = (size_t)c->columns,
                                       .lda = (size_t)c->rows,
                                       .ldb = (size_t)c->columns,
                                       .ldg = (size_t)c->columns,
                                       .alpha = 1};
    __wrap_summand__outer_run(SUMMAND__OUTER_F64, &own, 0, (size_t)c->rows);
    return all ? MPI_Allreduce(data->g, data->got, c->rows * c->columns, MPI_DOUBLE, MPI_SUM,
                               scale->comm)
               : MPI_Reduce_scatter(data->g, data->got, data->counts, MPI_DOUBLE, MPI_SUM,
                                    scale->comm);
}

/* Some MPIs make inner communicators at the first call of a collective. */
static void warm_up(const struct scale *scale, const struct outer_case *c)
{
    int one = 1, sum;
    int *counts = allocated((size_t)scale->ranks * sizeof *counts);
    int *ones = allocated((size_t)scale->ranks * sizeof *ones);
    for (int r = 0; r < scale->ranks; r++)
        counts[r] = ones[r] = 1;
    if (c->kind == SUMMAND_OUTER_WHOLE)
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, scale->comm);
    else
        MPI_Reduce_scatter(ones, &sum, counts, MPI_INT, MPI_SUM, scale->comm);
    free(counts);
    free(ones);
}

static int count_wrong(const struct scale *scale, const struct outer_case *c,
                       const struct outer_data *data)
{
    size_t columns = (size_t)data->part.columns, count = (size_t)data->part.rows * columns;
    size_t step = count / CHECKED_PLACES + 1;
    int wrong = 0;
    for (size_t e = 0; e < count; e += step) {
        int i = (int)(data->part.row + (MPI_Count)(e / columns));
        int j = (int)(data->part.column + (MPI_Count)(e % columns));
        double sum = 0;
        for (int r = 0; r < scale->ranks; r++)
            for (int k = 0; k < c->pairs; k++)
                sum += value_at(r, k, i, 0) * value_at(r, k, j, 3);
        for (int m = 0; m < c->matrices; m++)
            wrong += data->got[(size_t)m * count + e] != sum;
    }
    return wrong;
}

static int run_blocking(const struct scale *scale, const struct outer_case *c,
                        const struct outer_data *data)
{
    const summand_outer_options options = options_of(c);
    return summand_outer(c->pairs, c->matrices, 1, data->matrix, 0, MPI_DOUBLE, SUMMAND_ROOT_ALL,
                         scale->comm, &options);
}

static int run_calls(const struct scale *scale, const struct outer_case *c, struct outer_data *data,
                     summand_plan *plan)
{
    int code = MPI_SUCCESS;
    for (int call = 0; call < c->calls && code == MPI_SUCCESS; call++) {
        code = plan          ? summand_plan_start(plan)
               : c->blocking ? run_blocking(scale, c, data)
                             : run_mpi(scale, c, data);
        if (plan && code == MPI_SUCCESS)
            code = summand_plan_wait(plan);
    }
    return code;
}

static bool run_case(const struct scale *scale, const struct outer_case *c)
{
    struct outer_data data;
    summand_outer_options options = options_of(c);
    summand_options chosen = {.algorithm = NULL};
    summand_plan *plan = NULL;
    int code = MPI_SUCCESS, mine[2], trouble[2];
    double seconds = 0, longest;
    make_data(scale, c, &data);
    if (c->mpi)
        warm_up(scale, c);
    else if (c->blocking)
        code = run_blocking(scale, c, &data);
    else
        code = summand_outer_init(c->pairs, c->matrices, 1, data.matrix, 0, MPI_DOUBLE,
                                  SUMMAND_ROOT_ALL, scale->comm, &options, &plan);
    if (code == MPI_SUCCESS) {
        scale_start_together(scale->comm);
        double begin = MPI_Wtime();
        code = run_calls(scale, c, &data, plan);
        seconds = MPI_Wtime() - begin;
        scale_settle();
    }
    if (plan)
        summand_plan_describe(plan, &chosen, NULL);
    mine[0] = scale->unchecked || code != MPI_SUCCESS ? 0 : count_wrong(scale, c, &data);
    mine[1] = code != MPI_SUCCESS;
    MPI_Reduce(&seconds, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, scale->comm);
    MPI_Allreduce(mine, trouble, 2, MPI_INT, MPI_SUM, scale->comm);
    if (scale->rank == 0 && trouble[1])
        fprintf(stderr, "scale-outer: %s %s %s %s: refused\n", c->result, c->size, c->pairs_text,
                c->algorithm);
    else if (scale->rank == 0)
        printf("%s,%s,%d,%s,%s,%s%s%s%s%s,%.3f,%s,%s\n", scale->platform, c->result, scale->ranks,
               c->size, c->pairs_text, c->algorithm, c->mpi ? "-" : "",
               c->mpi ? scale->mpi_name : "", c->inside ? ":" : "", c->inside ? c->inside : "",
               longest * 1e6,
               scale->unchecked ? "unchecked"
               : trouble[0]     ? "wrong"
                                : "right",
               chosen.algorithm ? chosen.algorithm : "");
    fflush(stdout);
    summand_plan_free(&plan);
    free_data(&data);
    return !trouble[0] && !trouble[1];
}

int main(int argc, char **argv)
{
    struct scale scale = {.platform = argc > 2 ? argv[2] : "here",
                          .mpi_name = argc > 3 ? argv[3] : "default",
                          .unchecked = getenv("SCALE_UNCHECKED")};
    char line[256];
    bool good = true;
    MPI_Init(&argc, &argv);
    FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
    if (!file) {
        fprintf(stderr, "usage: scale-outer CASES [PLATFORM [MPI-NAME]]\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &scale.comm);
    MPI_Comm_set_errhandler(scale.comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(scale.comm, &scale.rank);
    MPI_Comm_size(scale.comm, &scale.ranks);
    while (fgets(line, sizeof line, file)) {
        struct outer_case c;
        line[strcspn(line, "\n")] = 0;
        if (*line && *line != '#')
            good = read_case(line, &c) && run_case(&scale, &c) && good;
    }
    fclose(file);
    MPI_Comm_free(&scale.comm);
    MPI_Finalize();
    return !good;
}
