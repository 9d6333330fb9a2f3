/* np: 1 2 3 4, long: 5 6 7 8 9; together; also: late/3 */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of outer products of lists, of matrices with their own pairs, and in tiles. Every type and
 * result is compared with a plain chain of fma, bit by bit, and with the call with dense factors:
 * by whole blocks of factors, by slices, and by the automatic choice. */
#include "mpi/outer.h"

enum { SIDE = 23, MOST = 4, PAIRS = 7 };

/* Which factors are lists. */
enum kind { DENSE, LIST_A, LIST_B, LISTS, KINDS };

struct scene {
    struct outer_case c; /* its values alone count */
    enum kind kind;
    int own_pairs, symmetric, tiles, compressed;
    size_t rows[MOST], columns[MOST];
    summand_outer_options options;
    summand_outer_matrix matrix[MOST];
    summand_outer_list list[MOST][2];
    summand_outer_compressed to[MOST];
    summand_outer_part part[MOST];
    MPI_Count begin[MOST][2][PAIRS + 1];
    uint32_t index[MOST][2][PAIRS * SIDE];
    unsigned char values[MOST][2][PAIRS * SIDE * 8];
    double g[MOST][(SIDE + 2) * SIDE];
    int seen[MOST][SIDE * SIDE], rows_told[MOST][SIDE];
    MPI_Count c_begin[MOST][SIDE + 1];
    uint32_t c_index[MOST][SIDE * SIDE];
    double c_value[MOST][SIDE * SIDE];
};

static size_t pairs_of(const struct scene *s, int m, int rank)
{
    return s->own_pairs ? (size_t)(rank * 5 + m * 3 + s->c.seed) % (PAIRS + 1)
                        : (size_t)(rank * 5 + s->c.seed) % (PAIRS + 1);
}

static size_t all_before(const struct scene *s, int m, int rank)
{
    size_t all = 0;
    for (int r = 0; r < rank; r++)
        all += pairs_of(s, m, r);
    return all;
}

/* Whether a list has the element: few do, and for some pairs none. */
static bool is_there(const struct scene *s, int m, int side, size_t k, size_t i)
{
    if (s->kind == DENSE || (s->kind != LISTS && (s->kind == LIST_A) != !side))
        return true;
    uint64_t state = (uint64_t)(s->c.seed * 7 + m) * 31 + k * 1009 + (uint64_t)side * 17 + i * 101;
    return harness_random(&state) % 4 == 0 && (k + (size_t)side) % 5;
}

static double element(const struct scene *s, int m, int side, size_t k, size_t i, void *bytes)
{
    int from = s->symmetric ? 0 : side;
    double value = outer_element(&s->c, m, from, k, i, bytes);
    if (is_there(s, m, from, k, i))
        return value;
    memset(bytes, 0, outer_factor_size(&s->c));
    return 0;
}

/* The chain over the pairs that have both elements; returns whether there is one. */
static double right(const struct scene *s, int m, size_t i, size_t j, double before, bool *any)
{
    double sum = 0, unused;
    float single = 0;
    *any = false;
    for (size_t k = 0; k < all_before(s, m, harness_ranks); k++) {
        double a = element(s, m, 0, k, i, &unused), b = element(s, m, 1, k, j, &unused);
        if (!is_there(s, m, 0, k, i) || !is_there(s, m, s->symmetric ? 0 : 1, k, j))
            continue;
        *any = true;
        sum = fma(a, b, sum);
        single = fmaf((float)a, (float)b, single);
    }
    double alpha = s->c.alpha, beta = s->c.beta;
    if (s->c.type == SUMMAND__OUTER_F64) {
        sum = alpha == 1 ? sum : alpha * sum;
        return outer_canonical(beta == 0 ? sum : fma(beta, before, sum));
    }
    single = (float)alpha == 1 ? single : (float)alpha * single;
    return outer_canonical(
        (double)((float)beta == 0 ? single : fmaf((float)beta, (float)before, single)));
}

static void fill_side(struct scene *s, int m, int side, bool lists)
{
    size_t width = side ? s->columns[m] : s->rows[m], size = outer_factor_size(&s->c), n = 0;
    size_t before = all_before(s, m, harness_rank);
    for (size_t k = 0; k < pairs_of(s, m, harness_rank); k++) {
        s->begin[m][side][k] = (MPI_Count)n;
        for (size_t i = 0; i < width; i++) {
            element(s, m, side, before + k, i, s->values[m][side] + n * size);
            s->index[m][side][n] = (uint32_t)i;
            n += !lists || is_there(s, m, s->symmetric ? 0 : side, before + k, i);
        }
    }
    s->begin[m][side][pairs_of(s, m, harness_rank)] = (MPI_Count)n;
}

static void told(void *context, int m, MPI_Count row, MPI_Count rows)
{
    struct scene *s = context;
    for (MPI_Count r = row; r < row + rows; r++)
        s->rows_told[m][r]++;
}

static void take_tile(void *context, int m, const summand_outer_part *part, const void *values,
                      MPI_Count ld)
{
    struct scene *s = context;
    size_t wide = outer_result_size(&s->c);
    for (MPI_Count i = 0; i < part->rows; i++)
        for (MPI_Count j = 0; j < part->columns; j++) {
            size_t row = (size_t)(part->row - s->part[m].row + i);
            size_t column = (size_t)(part->column - s->part[m].column + j);
            memcpy((char *)s->g[m] + (row * SIDE + column) * wide,
                   (const char *)values + (size_t)(i * ld + j) * wide, wide);
            s->seen[m][row * SIDE + column]++;
        }
}

/* Factors, and results with other initial values; `dense`: the same as rows with zeros. */
static void fill(struct scene *s, bool dense)
{
    bool a = !dense && (s->kind == LIST_A || s->kind == LISTS);
    bool b = !dense && (s->kind == LIST_B || s->kind == LISTS) && !s->symmetric;
    size_t wide = outer_result_size(&s->c);
    memset(s->seen, 0, sizeof s->seen);
    memset(s->rows_told, 0, sizeof s->rows_told);
    for (int m = 0; m < s->c.n; m++) {
        fill_side(s, m, 0, a);
        fill_side(s, m, 1, b);
        for (int side = 0; side < 2; side++)
            s->list[m][side] =
                (summand_outer_list){s->begin[m][side], s->index[m][side], s->values[m][side]};
        s->to[m] =
            (summand_outer_compressed){s->c_begin[m], s->c_index[m], s->c_value[m], SIDE * SIDE};
        s->matrix[m] = (summand_outer_matrix){.rows = (MPI_Count)s->rows[m],
                                              .columns = (MPI_Count)s->columns[m],
                                              .a = a ? NULL : s->values[m][0],
                                              .b = b || s->symmetric ? NULL : s->values[m][1],
                                              .g = s->tiles || s->compressed ? NULL : s->g[m],
                                              .lead_g = SIDE,
                                              .symmetric = s->symmetric,
                                              .pairs = (MPI_Count)pairs_of(s, m, harness_rank),
                                              .list_a = a ? &s->list[m][0] : NULL,
                                              .list_b = b ? &s->list[m][1] : NULL,
                                              .compressed = s->compressed ? &s->to[m] : NULL};
    }
    for (int m = 0; m < s->c.n; m++) {
        summand_outer_part_of(s->c.n, s->matrix, m, s->c.root, harness_rank, harness_ranks,
                              &s->options, &s->part[m]);
        for (size_t i = 0; i < (SIDE + 1) * SIDE; i++)
            outer_element(&s->c, m, 2, i / SIDE, i % SIDE, (char *)s->g[m] + i * wide);
    }
    s->options.finished = s->tiles ? NULL : told;
    s->options.tile = s->tiles ? take_tile : NULL;
    s->options.context = s;
}

static bool same(const struct scene *s, const void *got, double want)
{
    float narrow = (float)want;
    return !memcmp(got, outer_result_size(&s->c) == 8 ? (const void *)&want : &narrow,
                   outer_result_size(&s->c));
}

static size_t wrong_dense(const struct scene *s, int m)
{
    size_t wrong = 0, wide = outer_result_size(&s->c);
    for (size_t i = 0; i < SIDE; i++)
        for (size_t j = 0; j < SIDE; j++) {
            double before = 0;
            bool any, mine = i < (size_t)s->part[m].rows && j < (size_t)s->part[m].columns;
            unsigned char bytes[8];
            before = outer_element(&s->c, m, 2, i, j, bytes);
            const char *got = (const char *)s->g[m] + (i * SIDE + j) * wide;
            if (mine)
                before = right(s, m, (size_t)s->part[m].row + i, (size_t)s->part[m].column + j,
                               before, &any);
            wrong += mine ? !same(s, got, before) : memcmp(got, bytes, wide) != 0;
            wrong += s->tiles && s->seen[m][i * SIDE + j] != mine;
        }
    for (MPI_Count i = 0; i < s->part[m].rows && s->part[m].columns && !s->tiles; i++)
        wrong += s->rows_told[m][i] != 1;
    return wrong;
}

static size_t wrong_compressed(const struct scene *s, int m)
{
    size_t wrong = 0, wide = outer_result_size(&s->c), at = 0;
    for (size_t i = 0; i < (size_t)s->part[m].rows; i++) {
        wrong += s->c_begin[m][i] != (MPI_Count)at;
        for (size_t j = 0; j < (size_t)s->part[m].columns; j++) {
            bool any;
            size_t column = (size_t)s->part[m].column + j;
            double want = right(s, m, (size_t)s->part[m].row + i, column, 0, &any);
            if (!any)
                continue;
            wrong += s->c_index[m][at] != column ||
                     !same(s, (const char *)s->c_value[m] + at * wide, want);
            at++;
        }
    }
    return wrong + (s->part[m].rows && s->c_begin[m][s->part[m].rows] != (MPI_Count)at);
}

static void check(const struct scene *s, int code, const char *how)
{
    for (int m = 0; m < s->c.n; m++) {
        size_t wrong = code != MPI_SUCCESS ? 1
                       : s->compressed     ? wrong_compressed(s, m)
                                           : wrong_dense(s, m);
        CHECK(!wrong,
              "%s: matrix %d of %d, %zu x %zu, type %d, kind %d, own pairs %d, symmetric %d, tiles "
              "%d, compressed %d, result %d, by %s, alpha %g, beta %g, seed %d: code %d, %zu wrong",
              how, m, s->c.n, s->rows[m], s->columns[m], (int)s->c.type, (int)s->kind, s->own_pairs,
              s->symmetric, s->tiles, s->compressed, (int)s->options.result,
              s->options.algorithm ? s->options.algorithm : "choice", s->c.alpha, s->c.beta,
              s->c.seed, code, wrong);
    }
}

static MPI_Count pairs_argument(const struct scene *s)
{
    return s->own_pairs ? SUMMAND_OUTER_PAIRS_OF_MATRIX : (MPI_Count)pairs_of(s, 0, harness_rank);
}

static void run(struct scene *s, bool as_plan)
{
    summand_plan *plan = NULL;
    int code;
    fill(s, false);
    if (!as_plan) {
        code = summand_outer(pairs_argument(s), s->c.n, s->c.alpha, s->matrix, s->c.beta,
                             outer_datatype(s->c.type), s->c.root, MPI_COMM_WORLD, &s->options);
        check(s, code, "call");
    } else {
        code = summand_outer_init(pairs_argument(s), s->c.n, s->c.alpha, s->matrix, s->c.beta,
                                  outer_datatype(s->c.type), s->c.root, MPI_COMM_WORLD, &s->options,
                                  &plan);
        for (int start = 0; start < 2 && code == MPI_SUCCESS; start++) {
            fill(s, false);
            code = summand_plan_start(plan);
            code = code == MPI_SUCCESS ? summand_plan_wait(plan) : code;
            check(s, code, "plan");
        }
        CHECK(code == MPI_SUCCESS, "plan: %d", code);
        summand_plan_free(&plan);
    }
    if (s->compressed || s->tiles || s->own_pairs || s->kind == DENSE)
        return;
    fill(s, true);
    s->options.algorithm = NULL;
    code = summand_outer(pairs_argument(s), s->c.n, s->c.alpha, s->matrix, s->c.beta,
                         outer_datatype(s->c.type), s->c.root, MPI_COMM_WORLD, &s->options);
    check(s, code, "dense");
}

static void set(struct scene *s, unsigned turn)
{
    static const size_t sides[] = {SIDE, 1, 7, 16, 0, 3};
    static const double updates[][2] = {{1, 0}, {0.5, 0}, {1, 1}, {-0.1, 0.9}};
    static const char *const ways[] = {NULL, "outer-slices", "outer-slices", "outer-gather"};
    s->c = (struct outer_case){.type = (enum summand__outer_type)(turn % 4),
                               .values = turn / 4 % 2 ? RANDOM : EXACT,
                               .n = turn % 3 ? 1 : MOST - 1,
                               .seed = (int)turn};
    s->kind = (enum kind)(turn / 2 % KINDS);
    s->own_pairs = turn % 5 == 1;
    s->symmetric = turn % 7 == 3 && s->kind != LIST_B;
    if (s->symmetric && s->kind == LISTS)
        s->kind = LIST_A;
    s->tiles = turn % 6 == 2 || (s->kind == DENSE && !s->own_pairs);
    s->compressed = !s->tiles && s->kind != DENSE && turn % 2;
    s->options = summand_outer_options_default();
    const enum summand__outer_result result =
        (enum summand__outer_result)(turn / 3 % SUMMAND__OUTER_FACTORS);
    s->c.root = outer_ask(&s->options, result, (int)turn % harness_ranks);
    if (result != SUMMAND__OUTER_ALL)
        s->options.algorithm = ways[turn / 12 % 4];
    s->c.alpha = updates[turn / 5 % 4][0];
    s->c.beta = s->tiles || s->compressed ? 0 : updates[turn / 5 % 4][1];
    for (int m = 0; m < s->c.n; m++) {
        s->rows[m] = sides[(turn + (unsigned)m) % 6];
        s->columns[m] = s->symmetric ? s->rows[m] : sides[(turn / 6 + 2 * (unsigned)m) % 6];
    }
}

static struct scene scene; /* large */

static void test_all(void)
{
    for (unsigned turn = 0; turn < 300; turn++) {
        set(&scene, turn);
        if (!harness_skips())
            run(&scene, turn % 4 == 3);
    }
}

/* Tiles of the largest size, and strips of columns; next to them a matrix without pairs. */
static void test_large(void)
{
    enum { ROWS = 150, COLUMNS = 1030 };
    static double a[2][ROWS], b[2][COLUMNS], g[ROWS * COLUMNS], want[ROWS * COLUMNS];
    for (int i = 0; i < ROWS; i++)
        a[0][i] = i % 13 - 6 + harness_rank, a[1][i] = i % 3;
    for (int j = 0; j < COLUMNS; j++)
        b[0][j] = j % 7 - 3, b[1][j] = j % 11 - harness_rank;
    summand_outer_matrix matrix[2] = {
        {.rows = ROWS, .columns = COLUMNS, .a = a, .b = b, .g = g, .pairs = 2},
        {.rows = 2, .columns = 2, .g = want, .pairs = 0}};
    summand_outer_options options = summand_outer_options_default();
    for (int i = 0; i < 4; i++)
        want[i] = 7;
    for (int i = 0; i < ROWS * COLUMNS; i++)
        g[i] = i;
    int code = summand_outer(SUMMAND_OUTER_PAIRS_OF_MATRIX, 2, 1, matrix, 2, MPI_DOUBLE,
                             SUMMAND_ROOT_ALL, MPI_COMM_WORLD, &options);
    size_t wrong = 0;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            double sum = 2.0 * (i * COLUMNS + j);
            for (int r = 0; r < harness_ranks; r++)
                sum += (double)(i % 13 - 6 + r) * (j % 7 - 3) + (double)(i % 3) * (j % 11 - r);
            wrong += g[i * COLUMNS + j] != sum;
        }
    CHECK(code == MPI_SUCCESS && !wrong && want[0] == 14 && want[3] == 14,
          "pairs of each matrix: code %d, %zu wrong, %g", code, wrong, want[0]);
}

/* All pairs of each matrix, unchanged; insufficient room. */
static void test_factors(void)
{
    enum { N = 3, M = 2 };
    double a[2][4 * N], b[2][4 * M], *g[2];
    summand_outer_matrix matrix[2];
    summand_outer_options options = summand_outer_options_default();
    MPI_Comm comm = harness_comm();
    options.result = SUMMAND_OUTER_FACTORS;
    int all[2] = {0, 0};
    for (int m = 0; m < 2; m++) {
        for (int r = 0; r < harness_ranks; r++)
            all[m] += m ? 1 + r % 2 : r % 3;
        g[m] = calloc((size_t)all[m] + 1, (N + M) * sizeof(double));
        for (int i = 0; i < 4 * N; i++)
            a[m][i] = 100 * harness_rank + 10 * m + i;
        for (int i = 0; i < 4 * M; i++)
            b[m][i] = -100 * harness_rank - 10 * m - i;
        matrix[m] = (summand_outer_matrix){.rows = N,
                                           .columns = M,
                                           .a = a[m],
                                           .b = b[m],
                                           .g = g[m],
                                           .pairs = m ? 1 + harness_rank % 2 : harness_rank % 3};
    }
    for (int short_of = 0; short_of < 2; short_of++) {
        options.room = (all[0] > all[1] ? all[0] : all[1]) - short_of;
        int code = summand_outer(SUMMAND_OUTER_PAIRS_OF_MATRIX, 2, 1, matrix, 0, MPI_DOUBLE,
                                 SUMMAND_ROOT_ALL, comm, &options);
        CHECK((code != MPI_SUCCESS) == short_of, "room %lld: %d", (long long)options.room, code);
        for (int m = 0, wrong = 0; m < 2 && !short_of; m++) {
            for (int r = 0, row = 0; r < harness_ranks; r++)
                for (int k = 0; k < (m ? 1 + r % 2 : r % 3); k++, row++)
                    for (int i = 0; i < N + M; i++)
                        wrong += g[m][row * (N + M) + i] !=
                                 (i < N ? 100 * r + 10 * m + k * N + i
                                        : -100 * r - 10 * m - (k * M + i - N));
            CHECK(!wrong, "factors of matrix %d: %d wrong", m, wrong);
        }
    }
    free(g[0]);
    free(g[1]);
    MPI_Comm_free(&comm);
}

/* Omitted zeros are not multiplied. Insufficient room for compressed rows; invalid lists, on one
 * rank. */
static void test_edges(void)
{
    const double infinite[] = {(double)INFINITY}, one[] = {1};
    const MPI_Count begin[] = {0, 1}, falling[] = {0, -1}, late[] = {1, 1};
    const uint32_t first[] = {0}, second[] = {1}, outside[] = {2};
    const summand_outer_list a = {begin, first, infinite}, b = {begin, second, one};
    const summand_outer_list bad[] = {{falling, first, one}, {late, first, one},
                                      {begin, outside, one}, {begin, NULL, one},
                                      {begin, first, NULL},  {NULL, first, one}};
    double g[4] = {9, 9, 9, 9}, values[4];
    MPI_Count rows[3] = {-1, -1, -1};
    uint32_t index[4];
    summand_outer_compressed to = {rows, index, values, 0};
    summand_outer_matrix matrix = {.rows = 2, .columns = 2, .g = g, .list_a = &a, .list_b = &b};
    summand_outer_options options = summand_outer_options_default();
    MPI_Comm comm = harness_comm();
    int code = summand_outer(1, 1, 1, &matrix, 0, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, NULL);
    CHECK(code == MPI_SUCCESS && g[0] == 0 && isinf(g[1]) && g[2] == 0 && g[3] == 0,
          "infinity: code %d, %g %g", code, g[0], g[1]);
    matrix.compressed = &to;
    code = summand_outer(1, 1, 1, &matrix, 0, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, NULL);
    CHECK(code == MPI_ERR_TRUNCATE && rows[1] == 1 && rows[2] == 1, "no room: code %d", code);
    to.room = 1;
    code = summand_outer(1, 1, 1, &matrix, 0, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, NULL);
    CHECK(code == MPI_SUCCESS && index[0] == 1 && isinf(values[0]), "room: code %d", code);
    for (size_t i = 0; i < sizeof bad / sizeof *bad + 4; i++) {
        summand_outer_matrix m = matrix;
        summand_plan *plan;
        double beta = 0;
        options = summand_outer_options_default();
        if (i < 6)
            m.list_a = harness_rank ? &a : &bad[i];
        else if (i == 6)
            beta = 1;
        else if (i == 7)
            options.result = SUMMAND_OUTER_FACTORS;
        else if (i == 8)
            options.algorithm = "outer-slices";
        else
            m.symmetric = 1;
        code = summand_outer_init(1, 1, 1, &m, beta, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, &options,
                                  &plan);
        CHECK(code != MPI_SUCCESS && !plan, "bad list %zu: %d", i, code);
        CHECK(i >= 6 || !harness_rank || code == summand_error_code(SUMMAND_ERR_REMOTE),
              "bad list %zu: %d", i, code);
        code = summand_outer(1, 1, 1, &m, beta, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, &options);
        CHECK(code != MPI_SUCCESS, "bad list %zu, call: %d", i, code);
    }
    MPI_Comm_free(&comm);
}

TESTS
{
    test_all();
    test_large();
    test_factors();
    test_edges();
}
