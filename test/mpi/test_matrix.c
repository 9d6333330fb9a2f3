/* np: 1 2 3 5, long: 4 6 7 8; together brief */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Block-cyclic matrices: made, filled, copied, transposed, and read and written by rectangles.
 * Grids have all shapes, in groups in any order, with ragged blocks or without elements. Each
 * element is compared with the distribution's definition; gaps between columns stay unchanged. */
#include "mpi/matrices.h"
#include "mpi/refused.h"

static MPI_Comm comm;

static MPI_Count draw_extent(void)
{
    return draw(8) ? 1 + draw(draw(3) ? 12 : 60) : 0;
}

/* A copy or transpose, by one call and as a plan. */
static void move(struct held *from, struct held *to, int turned)
{
    const char *what = turned ? "transpose" : "copy";
    summand_plan *plan = NULL;
    int code = (turned ? summand_matrix_transpose : summand_matrix_copy)(from->matrix, to->matrix);
    CHECK(code == MPI_SUCCESS, "%s: %d", what, code);
    check_matrix(to, turned, 0, what);
    if (draw(3))
        return;
    code = (turned ? summand_matrix_transpose_init : summand_matrix_copy_init)(from->matrix,
                                                                               to->matrix, &plan);
    CHECK(code == MPI_SUCCESS && plan, "%s: plan: %d", what, code);
    for (int start = 1; start < 4 && plan; start++) {
        fill_matrix(from, start);
        code = summand_plan_start(plan);
        if (code == MPI_SUCCESS)
            code = summand_plan_wait(plan);
        CHECK(code == MPI_SUCCESS, "%s: start %d: %d", what, start, code);
        check_matrix(to, turned, start, what);
    }
    summand_plan_free(&plan);
}

static void try_pair(int from_grid, int to_grid)
{
    struct held from, to;
    MPI_Count rows = draw_extent(), columns = draw_extent();
    int turned = draw(2), single = draw(2);
    draw_distribution(&from, rows, columns, from_grid);
    draw_distribution(&to, turned ? columns : rows, turned ? rows : columns, to_grid);
    from.single = to.single = single;
    int code = make_matrix(&from, comm);
    CHECK(code == MPI_SUCCESS, "create: %d", code);
    code = make_matrix(&to, comm);
    CHECK(code == MPI_SUCCESS, "create: %d", code);
    fill_matrix(&from, 0);
    check_matrix(&from, 0, 0, "fill");
    move(&from, &to, turned);
    drop_matrix(&from);
    drop_matrix(&to);
}

static void every_pair_of_grids(void)
{
    int grids = 0;
    for (int p = 1; p <= harness_ranks; p++)
        grids += harness_ranks / p;
    int all = grids * grids, most = harness_ranks > 3 ? 60 : all;
    for (int i = 0; i < most; i++) {
        int pair = most < all ? draw(all) : i;
        if (!harness_skips())
            try_pair(pair / grids, pair % grids);
    }
}

/* Two copies and a transpose, which each rank waits for in another order; the matrices are freed
 * before their plans. */
static void in_flight(void)
{
    enum { PLANS = 3 };
    struct held from, to[PLANS];
    summand_plan *plan[PLANS];
    draw_distribution(&from, 41, 53, -1);
    make_matrix(&from, comm);
    for (int k = 0; k < PLANS; k++) {
        int turned = k == 2;
        draw_distribution(&to[k], turned ? 53 : 41, turned ? 41 : 53, -1);
        make_matrix(&to[k], comm);
        int code = (turned ? summand_matrix_transpose_init
                           : summand_matrix_copy_init)(from.matrix, to[k].matrix, &plan[k]);
        CHECK(code == MPI_SUCCESS, "plan %d: %d", k, code);
    }
    for (int start = 0; start < 8; start++) {
        fill_matrix(&from, start);
        for (int k = 0; k < PLANS; k++)
            CHECK(summand_plan_start(plan[k]) == MPI_SUCCESS, "start");
        for (int k = 0; k < PLANS; k++) {
            int which = (k + harness_rank + start) % PLANS, done = 0;
            while (start % 2 && !done)
                if (summand_plan_test(plan[which], &done) != MPI_SUCCESS)
                    break;
            CHECK(summand_plan_wait(plan[which]) == MPI_SUCCESS, "wait");
        }
        for (int k = 0; k < PLANS; k++)
            check_matrix(&to[k], k == 2, start, "in flight");
    }
    summand_matrix_free(&from.matrix);
    for (int k = 0; k < PLANS; k++) {
        CHECK(summand_plan_start(plan[k]) == MPI_SUCCESS, "start without the matrix");
        CHECK(summand_plan_wait(plan[k]) == MPI_SUCCESS, "wait without the matrix");
        summand_plan_free(&plan[k]);
        drop_matrix(&to[k]);
    }
    drop_matrix(&from);
}

/* Each rank asks for a rectangle of its own, or for none. */
static void rectangles(void)
{
    enum { M = 23, N = 17 };
    struct held h;
    double block[(M + 2) * N];
    draw_distribution(&h, M, N, -1);
    make_matrix(&h, comm);
    fill_matrix(&h, 0);
    for (int turn = 0; turn < 6; turn++) {
        uint64_t seed = (uint64_t)(turn * 100 + harness_rank);
        MPI_Count row = (MPI_Count)(harness_random(&seed) % M),
                  column = (MPI_Count)(harness_random(&seed) % N);
        MPI_Count rows =
            turn == 5 ? 1 : (MPI_Count)(harness_random(&seed) % (uint64_t)(M - row + 1));
        MPI_Count columns =
            turn == 5 ? 1 : (MPI_Count)(harness_random(&seed) % (uint64_t)(N - column + 1));
        MPI_Count lead = rows + (MPI_Count)(seed % 3);
        double none = 0;
        long wrong = 0;
        for (int i = 0; i < (M + 2) * N; i++)
            block[i] = -1;
        int code = summand_matrix_get(h.matrix, row, column, rows, columns, block, lead);
        for (MPI_Count j = 0; j < columns; j++)
            for (MPI_Count i = 0; i < lead; i++)
                wrong +=
                    block[j * lead + i] != (i < rows ? value_of(row + i, column + j, &none) : -1);
        CHECK(code == MPI_SUCCESS && (!rows || !columns || !wrong), "get %d: code %d, %ld wrong",
              turn, code, wrong);
    }
    drop_matrix(&h);
}

/* Bands of rows by rank, some ranks with none; together they are the matrix. */
static void written_by_bands(void)
{
    enum { M = 30, N = 11 };
    struct held h;
    double block[M * N], salt = 7;
    draw_distribution(&h, M, N, -1);
    make_matrix(&h, comm);
    fill_matrix(&h, 0);
    int writers = 1 + draw(harness_ranks), me = harness_ranks - 1 - harness_rank;
    MPI_Count first = me < writers ? M * me / writers : 0;
    MPI_Count rows = me < writers ? M * (me + 1) / writers - first : 0;
    for (MPI_Count j = 0; j < N; j++)
        for (MPI_Count i = 0; i < rows; i++)
            block[j * rows + i] = value_of(first + i, j, &salt);
    int code = summand_matrix_set(h.matrix, first, 0, rows, N, block, rows);
    CHECK(code == MPI_SUCCESS, "set: %d", code);
    check_matrix(&h, 0, 7, "set");
    if (harness_ranks > 1) {
        code = summand_matrix_set(h.matrix, harness_rank, 0, 2, 1, block, 2);
        CHECK(code == summand_error_code(SUMMAND_ERR_ARGUMENT), "rectangles overlap: %d", code);
        check_matrix(&h, 0, 7, "nothing is set");
    }
    drop_matrix(&h);
}

static void where_elements_lie(void)
{
    struct held h;
    draw_distribution(&h, 19, 22, -1);
    make_matrix(&h, comm);
    fill_matrix(&h, 0);
    for (MPI_Count i = 0; i < 19; i++)
        for (MPI_Count j = 0; j < 22; j++) {
            int rank = -1;
            MPI_Count at[2], index[2], lead;
            void *data;
            double none = 0;
            CHECK(summand_matrix_owner(h.matrix, i, j, &rank, &at[0], &at[1]) == MPI_SUCCESS,
                  "owner");
            CHECK(rank ==
                      h.group[i / h.shape.block_rows % h.shape.grid_rows * h.shape.grid_columns +
                              j / h.shape.block_columns % h.shape.grid_columns],
                  "owner %d", rank);
            if (rank != harness_rank)
                continue;
            summand_matrix_local(h.matrix, &data, &lead, NULL, NULL);
            CHECK(((double *)data)[at[1] * lead + at[0]] == value_of(i, j, &none), "place");
            CHECK(summand_matrix_index(h.matrix, at[0], at[1], &index[0], &index[1]) ==
                          MPI_SUCCESS &&
                      index[0] == i && index[1] == j,
                  "index");
        }
    int descriptor[9];
    MPI_Count lead;
    summand_matrix_local(h.matrix, NULL, &lead, NULL, NULL);
    const int right[9] = {1, 5, 19,       22, (int)h.shape.block_rows, (int)h.shape.block_columns,
                          0, 0, (int)lead};
    CHECK(summand_matrix_scalapack(h.matrix, 5, descriptor) == MPI_SUCCESS &&
              !memcmp(descriptor, right, sizeof right) && lead > 0,
          "descriptor");
    drop_matrix(&h);
}

static void refused_shapes(void)
{
    const int argument = summand_error_code(SUMMAND_ERR_ARGUMENT);
    const int mismatch = summand_error_code(SUMMAND_ERR_MISMATCH);
    int last = harness_ranks - 1, me = harness_rank == last;
    struct held h;
    summand_matrix *matrix = NULL;
    int twice[2] = {0, 0}, beyond[1] = {harness_ranks}, below[1] = {-1}, group[1] = {last};
    draw_distribution(&h, 9, 8, -1);
    h.theirs = 0;
    h.shape.group = h.group;
    const struct {
        const char *words;
        summand_matrix_shape shape;
        MPI_Datatype datatype;
        MPI_Count lead;
        int code;
    } rows[] = {
        {"shape.rows is -1, not 0 to 2^62", {-1, 5, 2, 2, 1, 1, NULL}, MPI_DOUBLE, 0, argument},
        {"shape.columns is 4611686018427387905",
         {5, (INT64_C(1) << 62) + 1, 2, 2, 1, 1, NULL},
         MPI_DOUBLE,
         0,
         argument},
        {"shape.block_rows is 0, not 1", {5, 5, 0, 2, 1, 1, NULL}, MPI_DOUBLE, 0, argument},
        {"shape.block_columns is -3", {5, 5, 2, -3, 1, 1, NULL}, MPI_DOUBLE, 0, argument},
        {"shape.grid_rows is 0", {5, 5, 2, 2, 0, 1, NULL}, MPI_DOUBLE, 0, argument},
        {"shape.grid_columns is 0", {5, 5, 2, 2, 1, 0, NULL}, MPI_DOUBLE, 0, argument},
        {"is 1048576 x 1048576", {5, 5, 2, 2, 1 << 20, 1 << 20, NULL}, MPI_DOUBLE, 0, argument},
        {"shape.group[0] is", {5, 5, 2, 2, 1, 1, beyond}, MPI_DOUBLE, 0, argument},
        {"shape.group[0] is -1", {5, 5, 2, 2, 1, 1, below}, MPI_DOUBLE, 0, argument},
        {harness_ranks > 1 ? "shape.group[0] and shape.group[1] are both rank 0" : "1 x 2",
         {5, 5, 2, 2, 1, 2, twice},
         MPI_DOUBLE,
         0,
         argument},
        {"lead is 2, not 5", {5, 5, 5, 5, 1, 1, group}, MPI_DOUBLE, 2, argument},
        {"data is NULL", {5, 5, 5, 5, 1, 1, group}, MPI_DOUBLE, 5, MPI_ERR_BUFFER},
        {"MPI_INT", {5, 5, 2, 2, 1, 1, NULL}, MPI_INT, 0, summand_error_code(SUMMAND_ERR_DATATYPE)},
        {"MPI_DATATYPE_NULL", {5, 5, 2, 2, 1, 1, NULL}, MPI_DATATYPE_NULL, 0, MPI_ERR_TYPE}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int code = summand_matrix_create(me ? &rows[i].shape : &h.shape,
                                         me ? rows[i].datatype : MPI_DOUBLE, NULL,
                                         me ? rows[i].lead : 0, comm, &matrix);
        check_refused(code, rows[i].code, last, rows[i].words, "create");
        CHECK(!matrix, "%s", rows[i].words);
    }
    int code = summand_matrix_create(me ? NULL : &h.shape, MPI_DOUBLE, NULL, 0, comm, &matrix);
    check_refused(code, argument, last, "shape is NULL", "create");
    code = summand_matrix_create(&h.shape, MPI_DOUBLE, NULL, 0, comm, me ? NULL : &matrix);
    check_refused(code, argument, last, "matrix is NULL", "create");
    if (harness_ranks > 1) {
        summand_matrix_shape differs = h.shape;
        differs.block_rows += me;
        code = summand_matrix_create(&differs, MPI_DOUBLE, NULL, 0, comm, &matrix);
        CHECK(code == mismatch && !matrix, "descriptors differ: %d", code);
        code = summand_matrix_create(&h.shape, me ? MPI_FLOAT : MPI_DOUBLE, NULL, 0, comm, &matrix);
        CHECK(code == mismatch && !matrix, "types differ: %d", code);
    }
}

static void refused_of_matrices(void)
{
    const int argument = summand_error_code(SUMMAND_ERR_ARGUMENT);
    const int mismatch = summand_error_code(SUMMAND_ERR_MISMATCH);
    int last = harness_ranks - 1, me = harness_rank == last, code;
    struct held h, other;
    double x = 0;
    draw_distribution(&h, 9, 8, -1);
    make_matrix(&h, comm);
    draw_distribution(&other, 9, 8, -1);
    make_matrix(&other, comm);
    fill_matrix(&h, 0);
    code = summand_matrix_copy(h.matrix, me ? NULL : other.matrix);
    check_refused(code, argument, last, "to is NULL", "copy");
    code = summand_matrix_copy(me ? NULL : h.matrix, other.matrix);
    check_refused(code, argument, last, "from is NULL", "copy");
    code = summand_matrix_copy(h.matrix, me ? h.matrix : other.matrix);
    check_refused(code, argument, last, "from and to are one matrix", "copy");
    code = summand_matrix_copy_init(h.matrix, other.matrix, NULL);
    check_refused(code, argument, ALL_RANKS, "plan is NULL", "copy_init");
    code = summand_matrix_transpose(h.matrix, other.matrix);
    check_refused(code, argument, ALL_RANKS, "from is 9 x 8; to is 9 x 8, not that transposed",
                  "transpose");
    const struct {
        const char *words;
        MPI_Count row, column, rows, columns;
        void *block;
        MPI_Count lead;
        int code;
    } rows[] = {{"row 9 and 1 rows exceed the 9 rows", 9, 0, 1, 1, &x, 1, argument},
                {"row -1 and 1 rows", -1, 0, 1, 1, &x, 1, argument},
                {"column 7 and 2 columns exceed the 8 columns", 0, 7, 1, 2, &x, 1, argument},
                {"column 9223372036854775807", 0, INT64_MAX, 1, 1, &x, 1, argument},
                {"rows is -1", 0, 0, -1, 1, &x, 1, MPI_ERR_COUNT},
                {"columns is -2", 0, 0, 1, -2, &x, 1, MPI_ERR_COUNT},
                {"lead is 0, not 1", 0, 0, 1, 1, &x, 0, argument},
                {"block is NULL, for 1 x 1", 0, 0, 1, 1, NULL, 1, MPI_ERR_BUFFER}};
    for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
        const size_t r = me ? i / 2 : sizeof rows / sizeof *rows;
        MPI_Count row = me ? rows[r].row : 0, column = me ? rows[r].column : 0;
        MPI_Count m = me ? rows[r].rows : 0, n = me ? rows[r].columns : 0;
        void *block = me ? rows[r].block : NULL;
        MPI_Count lead = me ? rows[r].lead : 0;
        code = i % 2 ? summand_matrix_set(h.matrix, row, column, m, n, block, lead)
                     : summand_matrix_get(h.matrix, row, column, m, n, block, lead);
        check_refused(code, rows[i / 2].code, last, rows[i / 2].words, i % 2 ? "set" : "get");
    }
    code = summand_matrix_norm(h.matrix, me ? (enum summand_norm)9 : SUMMAND_NORM_ONE, &x);
    check_refused(code, argument, last, "norm is 9", "norm");
    code = summand_matrix_norm(h.matrix, SUMMAND_NORM_MAX, me ? NULL : &x);
    check_refused(code, MPI_ERR_BUFFER, last, "result is NULL", "norm");
    if (harness_ranks > 1) {
        code = summand_matrix_copy(me ? other.matrix : h.matrix, me ? h.matrix : other.matrix);
        CHECK(code == mismatch, "matrices differ: %d", code);
        code = me ? summand_matrix_norm(h.matrix, SUMMAND_NORM_ONE, &x)
                  : summand_matrix_get(h.matrix, 0, 0, 0, 0, NULL, 0);
        CHECK(code == mismatch, "calls differ: %d", code);
    }
    move(&h, &other, 0); /* all is as it was */
    drop_matrix(&h);
    drop_matrix(&other);
}

/* Local calls, and calls without a communicator: their errors name the process's rank. */
static void refused_here(void)
{
    const int argument = summand_error_code(SUMMAND_ERR_ARGUMENT);
    const summand_matrix_shape bad = {2, 3, 2, 0, 1, 1, NULL};
    MPI_Count rows, columns;
    double x = 0;
    int descriptor[9], rank;
    summand_matrix *matrix = NULL, *none = NULL;
    summand_plan *plan;
    MPI_Errhandler before;
    const summand_matrix_shape wide = {0, INT64_C(1) << 40, 1, 1 << 20, 1, 1, NULL};
    MPI_Comm_get_errhandler(MPI_COMM_SELF, &before);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    CHECK(summand_matrix_create(&wide, MPI_DOUBLE, NULL, 0, comm, &matrix) == MPI_SUCCESS, "wide");
    const char *const is_null = "matrix is NULL";
#define REFUSED(words, call) check_refused(call, argument, where, words, #call)
    int where = NO_COMM;
    REFUSED("from and to are NULL", summand_matrix_copy(NULL, NULL));
    REFUSED("from and to are NULL", summand_matrix_transpose_init(NULL, NULL, &plan));
    REFUSED("a, b and c are NULL", summand_gemm(0, 0, 1, NULL, NULL, 0, NULL, NULL));
    REFUSED("a, b and c are NULL", summand_gemm_init(0, 0, 1, NULL, NULL, 0, NULL, NULL, &plan));
    REFUSED(is_null, summand_matrix_norm(none, SUMMAND_NORM_MAX, &x));
    REFUSED(is_null, summand_matrix_get(none, 0, 0, 1, 1, &x, 1));
    REFUSED(is_null, summand_matrix_store(none, 0, 0, 1, 1, &x, 1));
    REFUSED(is_null, summand_matrix_expose(none));
    REFUSED(is_null, summand_matrix_read(none, "x", SUMMAND_FORMAT_NPY));
    REFUSED(is_null, summand_matrix_write(none, "x", SUMMAND_FORMAT_NPY));
    REFUSED(is_null, summand_matrix_local(none, NULL, NULL, NULL, NULL));
    REFUSED(is_null, summand_matrix_owner(none, 0, 0, &rank, NULL, NULL));
    REFUSED(is_null, summand_matrix_index(none, 0, 0, &rows, &columns));
    REFUSED(is_null, summand_matrix_fill(none, value_of, NULL));
    REFUSED(is_null, summand_matrix_scalapack(none, 0, descriptor));
    REFUSED("shape.block_columns is 0", summand_matrix_extent(&bad, 0, &rows, &columns));
    REFUSED("shape is NULL", summand_matrix_extent(NULL, 0, &rows, &columns));
    REFUSED("columns is NULL", summand_matrix_extent(&wide, 0, &rows, NULL));
    where = ALL_RANKS;
    REFUSED("(row, column) is (0, -1); matrix is 0 x 1099511627776",
            summand_matrix_owner(matrix, 0, -1, &rank, NULL, NULL));
    REFUSED("(local_row, local_column) is (0, 0); the local array is 0 x ",
            summand_matrix_index(matrix, 0, 0, &rows, &columns));
    REFUSED("value is NULL", summand_matrix_fill(matrix, NULL, NULL));
    REFUSED("descriptor is NULL", summand_matrix_scalapack(matrix, 0, NULL));
    REFUSED("is beyond int: it has 0 x 1099511627776 elements",
            summand_matrix_scalapack(matrix, 0, descriptor));
    REFUSED("matrix is not exposed", summand_matrix_fetch(matrix, 0, 0, 1, 1, &x, 1));
#undef REFUSED
    summand_matrix_free(&matrix);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, before);
    MPI_Errhandler_free(&before);
}

/* Halves of one array, above each other in its columns; then with an overlap. */
static void side_by_side(void)
{
    enum { M = 6, N = 5 };
    static double array[2 * M * N], kept;
    summand_matrix *half[3], *square = NULL;
    double salt = 4;
    const summand_matrix_shape shape = {M, N, M, N, 1, 1, NULL}, whole = {M, M, M, M, 1, 1, NULL};
    CHECK(summand_matrix_create(&whole, MPI_DOUBLE, NULL, 0, comm, &square) == MPI_SUCCESS,
          "create");
    for (int k = 0; k < 3; k++) /* the third overlaps the others by a row */
        CHECK(summand_matrix_create(&shape, MPI_DOUBLE, array + (k == 2 ? M - 1 : k * M), 2 * M,
                                    comm, &half[k]) == MPI_SUCCESS,
              "create");
    kept = array[M];
    summand_matrix_fill(half[0], value_of, &salt);
    int code = summand_matrix_copy(half[0], half[1]);
    CHECK(code == MPI_SUCCESS, "side by side: %d", code);
    for (int i = 0; i < M * N && !harness_rank; i++)
        CHECK(array[i / M * 2 * M + M + i % M] == value_of(i % M, i / M, &salt), "element %d", i);
    CHECK(!harness_rank || array[M] == kept, "another rank's");
    code = summand_gemm(SUMMAND_TRANSPOSE_NO, SUMMAND_TRANSPOSE_NO, 0, square, half[0], 2, half[1],
                        NULL);
    CHECK(code == MPI_SUCCESS, "product side by side: %d", code);
    for (int i = 0; i < M * N && !harness_rank; i++)
        CHECK(array[i / M * 2 * M + M + i % M] == 2 * value_of(i % M, i / M, &salt) &&
                  array[i / M * 2 * M + i % M] == value_of(i % M, i / M, &salt),
              "element %d of the product", i);
    for (int k = 0; k < 2; k++) {
        code = summand_gemm(SUMMAND_TRANSPOSE_NO, SUMMAND_TRANSPOSE_NO, 1, square, half[k], 0,
                            half[2], NULL);
        check_refused(code, summand_error_code(SUMMAND_ERR_ARGUMENT), 0,
                      "the memory of c overlaps that of b", "gemm");
        code = summand_matrix_copy(half[k], half[2]);
        check_refused(code, summand_error_code(SUMMAND_ERR_ARGUMENT), 0,
                      "the memory of from and to overlaps", "copy");
    }
    for (int k = 0; k < 3; k++)
        summand_matrix_free(&half[k]);
    summand_matrix_free(&square);
}

/* Elements beyond 2^31: an empty or narrow matrix of many rows takes no memory. */
static void beyond_an_int(void)
{
    const summand_matrix_shape shape = {.rows = (MPI_Count)1 << 40,
                                        .block_rows = 1 << 20,
                                        .block_columns = 1,
                                        .grid_rows = harness_ranks,
                                        .grid_columns = 1};
    summand_matrix *matrix;
    MPI_Count extent[2], sum = 0;
    int code = summand_matrix_create(&shape, MPI_FLOAT, NULL, 0, comm, &matrix);
    CHECK(code == MPI_SUCCESS, "create: %d", code);
    for (int r = 0; r < harness_ranks; r++) {
        summand_matrix_extent(&shape, r, &extent[0], &extent[1]);
        sum += extent[0];
    }
    CHECK(sum == shape.rows && !extent[1], "extents");
    summand_matrix_free(&matrix);
}

TESTS
{
    matrices_seed = harness_seed();
    comm = harness_comm();
    refused_shapes();
    refused_of_matrices();
    refused_here();
    every_pair_of_grids();
    for (int i = 0; i < 3; i++) {
        in_flight();
        rectangles();
        written_by_bands();
        where_elements_lie();
    }
    side_by_side();
    beyond_an_int();
    MPI_Comm_free(&comm);
}
