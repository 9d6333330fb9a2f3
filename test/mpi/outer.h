/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of outer products against a plain triple loop: all ranks know all factors and the expected
 * result. Buffers have gaps that must stay unchanged. */
#pragma once

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <summand.h>

#include "model/model.h"
#include "mpi/harness.h"
#include "mpi/outer_call.h"

/* Small multiples of a quarter, whose sums are exact in any order and type; all bits; or special
 * values, the least and the largest. */
enum values { EXACT, RANDOM, SPECIAL, VALUES };

enum { MOST_MATRICES = 3 };

struct outer_case {
    enum summand__outer_type type;
    enum values values;
    int n;
    size_t rows[MOST_MATRICES], columns[MOST_MATRICES];
    int symmetric;
    int pattern; /* of pairs */
    size_t gap;  /* elements between rows */
    int seed;
    bool told; /* by a function */
    int root;
    double alpha, beta;
    summand_outer_options options;
};

static inline size_t outer_pairs(const struct outer_case *c, int rank, int ranks)
{
    return c->pattern == 0   ? (size_t)(rank * 7 + 1) % 4
           : c->pattern == 1 ? 1
           : c->pattern == 2 ? (rank == ranks / 2 ? 5 : 0)
           : c->pattern == 3 ? 0
                             : (size_t)c->pattern;
}

static inline size_t outer_all(const struct outer_case *c, int ranks)
{
    size_t all = 0;
    for (int r = 0; r < ranks; r++)
        all += outer_pairs(c, r, ranks);
    return all;
}

static inline size_t outer_before(const struct outer_case *c, int rank, int ranks)
{
    size_t all = 0;
    for (int r = 0; r < rank; r++)
        all += outer_pairs(c, r, ranks);
    return all;
}

static inline uint64_t outer_draw(const struct outer_case *c, int matrix, int which, size_t k,
                                  size_t i)
{
    uint64_t state =
        (uint64_t)c->seed * 1000003 + (uint64_t)matrix * 7919 + (uint64_t)which * 104729;
    state = state * 31 + k * 2654435761u;
    state = state * 1315423911u + i;
    return harness_random(&state);
}

static inline double outer_half(uint16_t half)
{
    int exponent = half >> 10 & 31, fraction = half & 1023;
    double value = exponent == 31 ? (fraction ? (double)NAN : (double)INFINITY)
                   : exponent     ? ldexp(1024 + fraction, exponent - 25)
                                  : ldexp(fraction, -24);
    return half & 0x8000 ? -value : value;
}

static inline double outer_brain(uint16_t brain)
{
    uint32_t bits = (uint32_t)brain << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static inline size_t outer_factor_size(const struct outer_case *c)
{
    return c->type == SUMMAND__OUTER_F64 ? 8 : c->type == SUMMAND__OUTER_F32 ? 4 : 2;
}

static inline size_t outer_result_size(const struct outer_case *c)
{
    return c->type == SUMMAND__OUTER_F64 ? 8 : 4;
}

/* A 16-bit number: exact ones are converted by hand. */
static inline uint16_t outer_bits_of(enum summand__outer_type type, double value)
{
    for (uint32_t bits = 0; bits < 65536; bits += type == SUMMAND__OUTER_BF16 ? 1 : 1)
        if ((type == SUMMAND__OUTER_BF16 ? outer_brain((uint16_t)bits)
                                         : outer_half((uint16_t)bits)) == value)
            return (uint16_t)bits;
    return 0;
}

static inline double outer_special(uint64_t draw, bool single)
{
    const double values[] = {0.0,
                             -0.0,
                             1,
                             -1,
                             (double)NAN,
                             (double)INFINITY,
                             -(double)INFINITY,
                             single ? (double)FLT_MAX : DBL_MAX,
                             single ? 0x1p-149 : 0x1p-1074,
                             3,
                             0x1p-30,
                             -2};
    /* Mostly ordinary numbers, because otherwise all results are NaN. */
    return draw % 5 ? values[draw / 8 % 2 ? 2 + draw / 16 % 2 : draw / 32 % 2]
                    : values[draw / 64 % 12];
}

/* Element i of a (which 0) or b (1) of a pair, or of the earlier W (2): as bytes, and its value. */
static inline double outer_element(const struct outer_case *c, int matrix, int which, size_t k,
                                   size_t i, void *bytes)
{
    static uint16_t exact[2][65];
    bool single = c->type != SUMMAND__OUTER_F64, small = outer_factor_size(c) == 2 && which < 2;
    uint64_t draw = outer_draw(c, matrix, which, k, i);
    double value = 0;
    if (small) {
        int brain = c->type == SUMMAND__OUTER_BF16;
        uint16_t bits = (uint16_t)draw;
        if (!exact[0][0])
            for (int t = 0; t < 2; t++)
                for (int q = 0; q < 65; q++)
                    exact[t][q] =
                        outer_bits_of(t ? SUMMAND__OUTER_BF16 : SUMMAND__OUTER_F16, (q - 32) / 4.0);
        if (c->values == EXACT)
            bits = exact[brain][draw % 65];
        else if (c->values == RANDOM) /* no NaN */
            bits = (uint16_t)(brain ? (bits & 0x83ff) | 0x3c00 : (bits & 0x8fff) | 0x2000);
        memcpy(bytes, &bits, 2);
        return brain ? outer_brain(bits) : outer_half(bits);
    }
    if (c->values == EXACT)
        value = (double)((int)(draw % 65) - 32) / 4;
    else if (c->values == RANDOM)
        value = ((double)(draw >> 11) * 0x1p-52 - 1) * (draw & 1 ? 3 : 0x1p-20);
    else
        value = outer_special(draw, single);
    if (single) {
        float narrow = (float)value;
        memcpy(bytes, &narrow, 4);
        return (double)narrow;
    }
    memcpy(bytes, &value, 8);
    return value;
}

static inline double outer_canonical(double value)
{
    return isnan(value) ? (double)NAN : value;
}

/* The factors of all pairs: for each pair a, then b; the place of b stays empty if it is a. */
static inline double *outer_values(const struct outer_case *c, int matrix, int ranks)
{
    size_t rows = c->rows[matrix], wide = rows + c->columns[matrix], all = outer_all(c, ranks);
    double *values = malloc((all * wide + 1) * sizeof *values), unused;
    for (size_t k = 0; k < all; k++) {
        for (size_t i = 0; i < rows; i++)
            values[k * wide + i] = outer_element(c, matrix, 0, k, i, &unused);
        for (size_t j = rows; j < wide && !c->symmetric; j++)
            values[k * wide + j] = outer_element(c, matrix, 1, k, j - rows, &unused);
    }
    return values;
}

/* The expected element (i, j), from those factors and the earlier W. */
static inline double outer_right(const struct outer_case *c, int matrix, const double *values,
                                 size_t i, size_t j, double before, int ranks)
{
    double alpha = c->alpha, beta = c->beta, s = 0;
    float fs = 0, falpha = (float)alpha, fbeta = (float)beta;
    size_t all = outer_all(c, ranks), rows = c->rows[matrix], wide = rows + c->columns[matrix];
    for (size_t k = 0; k < all; k++) {
        double a = values[k * wide + i], b = values[k * wide + (c->symmetric ? j : rows + j)];
        if (c->type == SUMMAND__OUTER_F64)
            s = fma(a, b, s);
        else
            fs = fmaf((float)a, (float)b, fs);
    }
    if (c->type == SUMMAND__OUTER_F64) {
        s = alpha == 1 ? s : alpha * s;
        return outer_canonical(beta == 0 ? s : fma(beta, before, s));
    }
    fs = falpha == 1 ? fs : falpha * fs;
    return outer_canonical((double)(fbeta == 0 ? fs : fmaf(fbeta, (float)before, fs)));
}

struct outer_buffers {
    unsigned char *a[MOST_MATRICES], *b[MOST_MATRICES], *g[MOST_MATRICES];
    size_t bytes[MOST_MATRICES];
    summand_outer_matrix matrix[MOST_MATRICES];
    summand_outer_part part[MOST_MATRICES];
    unsigned char *rows_told[MOST_MATRICES];
    size_t width[MOST_MATRICES], height[MOST_MATRICES]; /* of g */
    int seen;
};

static inline void outer_told(void *context, int matrix, MPI_Count row, MPI_Count rows)
{
    struct outer_buffers *buffers = context;
    for (MPI_Count r = row; r < row + rows; r++)
        if (r < (MPI_Count)buffers->height[matrix])
            buffers->rows_told[matrix][r]++;
    buffers->seen++;
}

enum { UNTOUCHED = 0x5a };

/* The rank's factors and the earlier content of W. */
static inline void outer_fill(const struct outer_case *c, struct outer_buffers *x, int rank,
                              int ranks)
{
    size_t size = outer_factor_size(c), wide = outer_result_size(c);
    size_t before = outer_before(c, rank, ranks), pairs = outer_pairs(c, rank, ranks);
    for (int m = 0; m < c->n; m++) {
        const summand_outer_matrix *matrix = &x->matrix[m];
        memset(x->g[m], UNTOUCHED, x->bytes[m]);
        memset(x->rows_told[m], 0, x->height[m] + 1);
        for (size_t k = 0; k < pairs; k++) {
            for (size_t i = 0; i < c->rows[m]; i++)
                outer_element(c, m, 0, before + k, i,
                              x->a[m] + (k * (size_t)matrix->lead_a + i) * size);
            for (size_t j = 0; j < c->columns[m] && !c->symmetric; j++)
                outer_element(c, m, 1, before + k, j,
                              x->b[m] + (k * (size_t)matrix->lead_b + j) * size);
        }
        if (c->options.result == SUMMAND_OUTER_FACTORS)
            continue;
        for (size_t i = 0; i < x->height[m]; i++)
            for (size_t j = 0; j < x->width[m]; j++) {
                unsigned char *g = x->g[m] + (i * (size_t)matrix->lead_g + j) * wide;
                if (c->beta != 0)
                    outer_element(c, m, 2, (size_t)x->part[m].row + i,
                                  (size_t)x->part[m].column + j, g);
                else
                    memset(g, 0xff, wide); /* NaN */
            }
    }
}

static inline void outer_make(const struct outer_case *c, struct outer_buffers *x, int rank,
                              int ranks)
{
    size_t size = outer_factor_size(c), pairs = outer_pairs(c, rank, ranks);
    bool factors = c->options.result == SUMMAND_OUTER_FACTORS;
    memset(x, 0, sizeof *x);
    for (int m = 0; m < c->n; m++) {
        size_t lead_a = c->rows[m] + c->gap, lead_b = c->columns[m] + c->gap;
        x->matrix[m] = (summand_outer_matrix){.rows = (MPI_Count)c->rows[m],
                                              .columns = (MPI_Count)c->columns[m],
                                              .lead_a = (MPI_Count)lead_a,
                                              .lead_b = (MPI_Count)lead_b,
                                              .symmetric = c->symmetric};
        x->matrix[m].a = x->a[m] = malloc(pairs * lead_a * size + 1);
        x->b[m] = malloc(pairs * lead_b * size + 1);
        x->matrix[m].b = c->symmetric ? NULL : x->b[m];
    }
    for (int m = 0; m < c->n; m++) {
        int code = summand_outer_part_of(c->n, x->matrix, m, c->root, rank, ranks, &c->options,
                                         &x->part[m]);
        CHECK(code == MPI_SUCCESS, "part of matrix %d: %d", m, code);
        x->height[m] = factors ? outer_all(c, ranks) : (size_t)x->part[m].rows;
        x->width[m] =
            factors ? c->rows[m] + (c->symmetric ? 0 : c->columns[m]) : (size_t)x->part[m].columns;
        size_t lead_g = x->width[m] + c->gap;
        x->bytes[m] = x->height[m] * lead_g * 8 + 8;
        x->matrix[m].lead_g = (MPI_Count)lead_g;
        x->matrix[m].g = x->g[m] = malloc(x->bytes[m]);
        x->rows_told[m] = calloc(x->height[m] + 1, 1);
    }
    outer_fill(c, x, rank, ranks);
}

static inline void outer_free(const struct outer_case *c, struct outer_buffers *x)
{
    for (int m = 0; m < c->n; m++) {
        free(x->a[m]);
        free(x->b[m]);
        free(x->g[m]);
        free(x->rows_told[m]);
    }
}

/* Counts the wrong elements of this rank's part of a matrix. */
static inline size_t outer_wrong_factors(const struct outer_case *c, const struct outer_buffers *x,
                                         int m)
{
    size_t wrong = 0, size = outer_factor_size(c), lead_g = (size_t)x->matrix[m].lead_g;
    for (size_t k = 0; k < x->height[m]; k++)
        for (size_t i = 0; i < x->width[m]; i++) {
            unsigned char right[8];
            bool a = i < c->rows[m];
            outer_element(c, m, !a, k, a ? i : i - c->rows[m], right);
            wrong += memcmp(right, x->g[m] + (k * lead_g + i) * size, size) != 0;
        }
    return wrong;
}

static inline size_t outer_wrong(const struct outer_case *c, const struct outer_buffers *x, int m,
                                 int ranks)
{
    size_t wrong = 0, wide = outer_result_size(c), lead_g = (size_t)x->matrix[m].lead_g;
    bool factors = c->options.result == SUMMAND_OUTER_FACTORS;
    if (factors) {
        wide = outer_factor_size(c);
        wrong = outer_wrong_factors(c, x, m);
    }
    double *values = factors ? NULL : outer_values(c, m, ranks);
    for (size_t i = 0; i < x->height[m]; i++) {
        for (size_t j = 0; j < x->width[m] && !factors; j++) {
            double before = 0, right;
            size_t row = (size_t)x->part[m].row + i, column = (size_t)x->part[m].column + j;
            unsigned char bytes[8];
            if (c->beta != 0)
                before = outer_element(c, m, 2, row, column, bytes);
            right = outer_right(c, m, values, row, column, before, ranks);
            float narrow = (float)right;
            const unsigned char *g = x->g[m] + (i * lead_g + j) * wide;
            wrong += memcmp(wide == 8 ? (const void *)&right : (const void *)&narrow, g, wide) != 0;
        }
        for (size_t byte = x->width[m] * wide; i + 1 < x->height[m] && byte < lead_g * wide; byte++)
            wrong += x->g[m][i * lead_g * wide + byte] != UNTOUCHED;
        wrong += c->told && !factors && x->width[m] && x->rows_told[m][i] != 1;
    }
    free(values);
    return wrong;
}

/* Ranks act as nodes whose messages are as slow as products and have no latency: the model of a new
 * communicator. */
static inline MPI_Comm outer_slow_network(void)
{
    const char path[] = "outer-products.tuning";
    int one = 1, sum;
    MPI_Comm comm;
    if (!harness_rank) {
        FILE *file = fopen(path, "w");
        for (const struct summand__model_row *row = summand__model_rows; row->name; row++) {
            const char *end = strchr(row->name, '.') ? strchr(row->name, '.') : row->name;
            fprintf(file, "model %s = %g\n", row->name,
                    !strcmp(end, "per_node") || !strcmp(end, "oversubscription") ? 1.0
                    : !strcmp(end, ".byte")                                      ? 1e-5
                    : !strcmp(end, "flop")                                       ? 1e-6
                                                                                 : 0.0);
        }
        fclose(file);
    }
    setenv("SUMMAND_TUNING", path, 1);
    setenv("SUMMAND_NODE_SIZE", "1", 1);
    setenv("SUMMAND_TRANSPORT", "p2p", 1);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    summand_allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm, NULL); /* reads the file */
    MPI_Barrier(comm);
    if (!harness_rank)
        unlink(path);
    return comm;
}
