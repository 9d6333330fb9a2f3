/* SPDX-License-Identifier: BSD-3-Clause */
/* Speed of the combine kernels on one core, against MPI_Reduce_local and a plain loop.
 *     bench-local-combine [--all] [ROUNDS]
 * Default: a few operators and types by size, 8 B to 16 MiB. --all: every operator and type that
 * the MPI has too, at 4 sizes. Times are for combining vectors in a call; ratios are within a
 * round. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/measure.h"
#include "bench/plain_combine.h"
#include "kernel/combine.h"
#include "kernel/fpenv.h"

enum { LARGEST = 16 << 20, SUBJECTS = 3 };

struct work {
    enum summand__combine_operator op;
    enum summand__combine_type type;
    MPI_Op mpi_op;
    MPI_Datatype datatype;
    size_t count;
    char *in, *inout;
};

static double run_ours(const void *context)
{
    const struct work *w = context;
    const struct summand__fpenv_plain saved = summand__fpenv_enter();
    summand__combine_kernel(w->op, w->type)(w->in, w->inout, w->inout, w->count);
    summand__fpenv_leave(saved);
    return w->inout[0];
}

static double run_mpi(const void *context)
{
    const struct work *w = context;
    MPI_Reduce_local(w->in, w->inout, (int)w->count, w->datatype, w->mpi_op);
    return w->inout[0];
}

static double run_plain(const void *context)
{
    const struct work *w = context;
    plain_combine_loop(w->op, w->type)(w->in, w->inout, w->count);
    return w->inout[0];
}

/* Zeros, which no operator changes however often it runs. For pairs: numbers below zero (in every
 * type) such that `inout` keeps winning. */
static void fill(const struct work *w)
{
    memset(w->in, w->op == SUMMAND__COMBINE_MAXLOC ? 0xc0 : 0, LARGEST);
    memset(w->inout, w->op == SUMMAND__COMBINE_MINLOC ? 0xc0 : 0, LARGEST);
}

static void show(const struct work *w, size_t bytes, int rounds)
{
    struct measure_subject subjects[SUBJECTS] = {
        {"ours", run_ours, w}, {"MPI", run_mpi, w}, {"plain", run_plain, w}};
    int n = plain_combine_loop(w->op, w->type) ? 3 : 2;
    size_t calls = 1 + (size_t)(200000 / (bytes + 64));
    double *seconds = malloc((size_t)(SUBJECTS * rounds) * sizeof *seconds);
    if (!seconds)
        abort();
    fill(w);
    measure_rounds(subjects, n, rounds, calls, seconds);
    double ours = measure_median(seconds, rounds).median;
    struct measure_interval mpi = measure_ratio(seconds + rounds, seconds, rounds);
    printf("%-6s %-15s %9zu  %11.1f %8.1f   %6.2f [%5.2f, %5.2f]",
           summand__combine_operator_name(w->op), summand__combine_type_name(w->type), bytes,
           1e9 * ours, 3e-9 * (double)bytes / ours, mpi.median, mpi.low, mpi.high);
    if (n > 2) {
        struct measure_interval plain = measure_ratio(seconds + 2 * rounds, seconds, rounds);
        printf("   %6.2f [%5.2f, %5.2f]", plain.median, plain.low, plain.high);
    }
    printf("\n");
    free(seconds);
}

static const MPI_Op operators[SUMMAND__COMBINE_OPERATORS] = {
    [SUMMAND__COMBINE_SUM] = MPI_SUM,       [SUMMAND__COMBINE_PROD] = MPI_PROD,
    [SUMMAND__COMBINE_MIN] = MPI_MIN,       [SUMMAND__COMBINE_MAX] = MPI_MAX,
    [SUMMAND__COMBINE_LAND] = MPI_LAND,     [SUMMAND__COMBINE_LOR] = MPI_LOR,
    [SUMMAND__COMBINE_LXOR] = MPI_LXOR,     [SUMMAND__COMBINE_BAND] = MPI_BAND,
    [SUMMAND__COMBINE_BOR] = MPI_BOR,       [SUMMAND__COMBINE_BXOR] = MPI_BXOR,
    [SUMMAND__COMBINE_MINLOC] = MPI_MINLOC, [SUMMAND__COMBINE_MAXLOC] = MPI_MAXLOC,
};

static const MPI_Datatype datatypes[SUMMAND__COMBINE_TYPES] = {
    [SUMMAND__COMBINE_I8] = MPI_INT8_T,
    [SUMMAND__COMBINE_I16] = MPI_INT16_T,
    [SUMMAND__COMBINE_I32] = MPI_INT32_T,
    [SUMMAND__COMBINE_I64] = MPI_INT64_T,
    [SUMMAND__COMBINE_U8] = MPI_UINT8_T,
    [SUMMAND__COMBINE_U16] = MPI_UINT16_T,
    [SUMMAND__COMBINE_U32] = MPI_UINT32_T,
    [SUMMAND__COMBINE_U64] = MPI_UINT64_T,
    [SUMMAND__COMBINE_F32] = MPI_FLOAT,
    [SUMMAND__COMBINE_F64] = MPI_DOUBLE,
    [SUMMAND__COMBINE_LONG_DOUBLE] = MPI_LONG_DOUBLE,
    [SUMMAND__COMBINE_COMPLEX32] = MPI_C_FLOAT_COMPLEX,
    [SUMMAND__COMBINE_COMPLEX64] = MPI_C_DOUBLE_COMPLEX,
    [SUMMAND__COMBINE_COMPLEX_LONG] = MPI_C_LONG_DOUBLE_COMPLEX,
    [SUMMAND__COMBINE_BOOL] = MPI_C_BOOL,
    [SUMMAND__COMBINE_SHORT_INT] = MPI_SHORT_INT,
    [SUMMAND__COMBINE_INT_INT] = MPI_2INT,
    [SUMMAND__COMBINE_LONG_INT] = MPI_LONG_INT,
    [SUMMAND__COMBINE_F32_INT] = MPI_FLOAT_INT,
    [SUMMAND__COMBINE_F64_INT] = MPI_DOUBLE_INT,
    [SUMMAND__COMBINE_LONG_DOUBLE_INT] = MPI_LONG_DOUBLE_INT,
};

/* MPI_Reduce_local adds no numbers of 16 bits. */
static void show_case(struct work *w, int op, int type, size_t bytes, int rounds)
{
    if (type == SUMMAND__COMBINE_F16 || type == SUMMAND__COMBINE_BF16)
        return;
    w->op = (enum summand__combine_operator)op;
    w->type = (enum summand__combine_type)type;
    w->mpi_op = operators[op];
    w->datatype = datatypes[type];
    w->count = bytes / summand__combine_type_extent(w->type);
    if (w->count && summand__combine_kernel(w->op, w->type))
        show(w, bytes, rounds);
}

static void show_sizes(struct work *w, int rounds)
{
    static const struct {
        enum summand__combine_operator op;
        enum summand__combine_type type;
    } cases[] = {{SUMMAND__COMBINE_SUM, SUMMAND__COMBINE_F64},
                 {SUMMAND__COMBINE_SUM, SUMMAND__COMBINE_I32},
                 {SUMMAND__COMBINE_MAX, SUMMAND__COMBINE_F64},
                 {SUMMAND__COMBINE_SUM, SUMMAND__COMBINE_I8},
                 {SUMMAND__COMBINE_MINLOC, SUMMAND__COMBINE_F64_INT}};
    static const size_t sizes[] = {8,       64,      256,     1 << 10, 1 << 12,
                                   1 << 14, 1 << 16, 1 << 18, 1 << 20, 1 << 24};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            show_case(w, (int)cases[c].op, (int)cases[c].type, sizes[s], rounds);
}

static void show_all(struct work *w, int rounds)
{
    static const size_t sizes[] = {64, 1 << 12, 1 << 18, 1 << 22};
    for (int op = 0; op < SUMMAND__COMBINE_OPERATORS; op++)
        for (int type = 0; type < SUMMAND__COMBINE_TYPES; type++)
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
                show_case(w, op, type, sizes[s], rounds);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const bool all = argc > 1 && !strcmp(argv[1], "--all");
    const int rounds = argc > 1 + all ? atoi(argv[1 + all]) : 30;
    struct work w = {.in = malloc(LARGEST), .inout = malloc(LARGEST)};
    if (!w.in || !w.inout || rounds < 1)
        return 1;
    printf("Instruction set %s. Ratios above 1: ours is faster. [95 %% interval]\n",
           summand__arch_name(summand__arch()));
    printf("%-6s %-15s %9s  %11s %8s   %-23s   %s\n", "", "", "bytes", "ours, ns", "GB/s",
           "MPI_Reduce_local / ours", "plain loop / ours");
    if (all)
        show_all(&w, rounds);
    else
        show_sizes(&w, rounds);
    free(w.in);
    free(w.inout);
    return MPI_Finalize();
}
