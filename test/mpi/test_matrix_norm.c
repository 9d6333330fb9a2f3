/* np: 1 3 4, long: 2 6 8; together brief */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Norms of matrices, bit by bit against MPFR, with elements whose plain sums overflow, underflow or
 * cancel; special values; no elements. The bits are the same on all ranks and for all
 * distributions. */
#include <math.h>
#include <mpfr.h>

#include "mpi/matrices.h"

enum { MOST = 600, BITS = 5000 };

static MPI_Comm comm;
static double elements[MOST][40];

static double element(MPI_Count row, MPI_Count column, void *context)
{
    (void)context;
    return elements[row][column];
}

enum kind { PLAIN, WIDE, LARGE, SMALL, ZEROS, SPECIAL, KINDS };

static void draw_elements(MPI_Count rows, MPI_Count columns, enum kind kind, int single)
{
    for (MPI_Count i = 0; i < rows; i++)
        for (MPI_Count j = 0; j < columns; j++) {
            double x = (double)(int64_t)harness_random(&matrices_seed) * 0x1p-63;
            int room = single ? 120 : 1000;
            if (kind == WIDE)
                x = ldexp(x, draw(2 * room) - room);
            if (kind == LARGE)
                x = single ? x * 0x1p127 : x * 0x1p1023;
            if (kind == SMALL)
                x = ldexp(x, single ? -140 : -1060);
            if (kind == ZEROS)
                x = draw(2) ? 0.0 : -0.0;
            elements[i][j] = single ? (double)(float)x : x;
        }
    if (kind == SPECIAL && rows && columns)
        elements[draw((int)rows)][draw((int)columns)] = draw(2) ? INFINITY : -NAN;
}

/* A sum of absolute values or squares, to be rounded once. */
static double sum_of(MPI_Count rows, MPI_Count columns, MPI_Count row, MPI_Count column,
                     int squares, int single)
{
    mpfr_t sum, term, rounded;
    mpfr_init2(sum, BITS);
    mpfr_init2(term, BITS);
    mpfr_init2(rounded, single ? 24 : 53);
    mpfr_set_zero(sum, 1);
    for (MPI_Count i = row; i < row + rows; i++)
        for (MPI_Count j = column; j < column + columns; j++) {
            mpfr_set_d(term, elements[i][j], MPFR_RNDN);
            (squares ? mpfr_sqr : mpfr_abs)(term, term, MPFR_RNDN);
            mpfr_add(sum, sum, term, MPFR_RNDN);
        }
    double result;
    if (squares) {
        mpfr_sqrt(rounded, sum, MPFR_RNDN);
        result = single ? (double)mpfr_get_flt(rounded, MPFR_RNDN) : mpfr_get_d(rounded, MPFR_RNDN);
    } else {
        result = single ? (double)mpfr_get_flt(sum, MPFR_RNDN) : mpfr_get_d(sum, MPFR_RNDN);
    }
    mpfr_clear(sum);
    mpfr_clear(term);
    mpfr_clear(rounded);
    return result;
}

static double oracle(MPI_Count rows, MPI_Count columns, enum summand_norm norm, int single)
{
    double largest = 0;
    if (norm == SUMMAND_NORM_FROBENIUS)
        return sum_of(rows, columns, 0, 0, 1, single);
    MPI_Count lines = norm == SUMMAND_NORM_ONE        ? columns
                      : norm == SUMMAND_NORM_INFINITY ? rows
                                                      : rows * columns;
    for (MPI_Count k = 0; k < lines; k++) {
        double sum = norm == SUMMAND_NORM_ONE        ? sum_of(rows, 1, 0, k, 0, single)
                     : norm == SUMMAND_NORM_INFINITY ? sum_of(1, columns, k, 0, 0, single)
                                                     : fabs(elements[k / columns][k % columns]);
        largest = isnan(sum) || isnan(largest) ? NAN : sum > largest ? sum : largest;
    }
    return largest;
}

static void check_norm(const struct held *h, enum summand_norm norm, double right)
{
    double result = -1;
    float single = -1;
    int code = summand_matrix_norm(h->matrix, norm, h->single ? (void *)&single : &result);
    uint64_t wanted = isnan(right) ? UINT64_C(0x7ff8000000000000) : harness_bits(right), got;
    if (h->single) {
        uint32_t bits;
        memcpy(&bits, &single, sizeof bits);
        got = isnan(single) && bits == 0x7fc00000u ? UINT64_C(0x7ff8000000000000)
                                                   : harness_bits((double)single);
    } else {
        got = harness_bits(result);
    }
    CHECK(code == MPI_SUCCESS && got == wanted,
          "norm %d of %lld x %lld: code %d, %.17g, right %.17g", (int)norm,
          (long long)h->shape.rows, (long long)h->shape.columns, code,
          h->single ? (double)single : result, right);
}

static void try_matrix(MPI_Count rows, MPI_Count columns, enum kind kind)
{
    int single = draw(2);
    double right[4];
    draw_elements(rows, columns, kind, single);
    for (int norm = 0; norm < 4; norm++)
        right[norm] = oracle(rows, columns, (enum summand_norm)norm, single);
    for (int turn = 0; turn < 2; turn++) {
        struct held h;
        draw_distribution(&h, rows, columns, -1);
        h.single = single;
        int code = make_matrix(&h, comm);
        CHECK(code == MPI_SUCCESS, "create: %d", code);
        summand_matrix_fill(h.matrix, element, NULL);
        for (int norm = 0; norm < 4; norm++)
            check_norm(&h, (enum summand_norm)norm, right[norm]);
        drop_matrix(&h);
    }
}

static double never(MPI_Count row, MPI_Count column, void *context)
{
    (void)context;
    CHECK(0, "element %lld, %lld of no elements", (long long)row, (long long)column);
    return 1;
}

/* The longest matrix without elements takes no time or memory. */
static void try_empty(MPI_Count rows, MPI_Count columns)
{
    struct held h[2];
    for (int i = 0; i < 2; i++) {
        draw_distribution(&h[i], rows, columns, -1);
        h[i].shape.group = h[i].group;
        int code = summand_matrix_create(&h[i].shape, MPI_DOUBLE, NULL, 0, comm, &h[i].matrix);
        CHECK(code == MPI_SUCCESS, "create: %d", code);
    }
    CHECK(summand_matrix_fill(h[0].matrix, never, NULL) == MPI_SUCCESS, "fill");
    for (int norm = 0; norm < 4; norm++)
        check_norm(&h[0], (enum summand_norm)norm, 0);
    CHECK(summand_matrix_copy(h[0].matrix, h[1].matrix) == MPI_SUCCESS, "copy");
    for (int i = 0; i < 2; i++)
        summand_matrix_free(&h[i].matrix);
}

TESTS
{
    matrices_seed = harness_seed();
    comm = harness_comm();
    for (int kind = 0; kind < KINDS; kind++)
        for (int turn = 0; turn < 3; turn++)
            if (!harness_skips())
                try_matrix(draw(40), draw(40), (enum kind)kind);
    try_matrix(MOST, 3, WIDE); /* more rows than one summation takes */
    try_matrix(0, 5, PLAIN);
    try_matrix(5, 0, PLAIN);
    try_empty(0, (MPI_Count)1 << 62);
    try_empty((MPI_Count)1 << 62, 0);
    MPI_Comm_free(&comm);
}
