/* np: 1 2 3 5, long: 4 6 7 8 */
/* Block-cyclic matrices: made, filled, copied, transposed and read and written by rectangles, over
 * grids of all shapes in groups in any order, with ragged blocks and without elements. Each element
 * is held against the deal by the definition, and what lies between columns stays. */
#include "mpi/matrices.h"

static MPI_Comm comm;

static MPI_Count draw_extent(void)
{
    return draw(8) ? 1 + draw(draw(3) ? 12 : 60) : 0;
}

/* A copy or transpose, at once and as a plan. */
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

/* Two copies and a transpose, waited for in another order on each rank; and the matrices are freed
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

/* Bands of rows by rank, some ranks with none; in all they are the matrix. */
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

/* What is wrong on one rank is an error on all. `mine` of the rank that is wrong. */
static void all_refuse(int code, int mine, int rank, const char *what)
{
    int remote = summand_error_code(SUMMAND_ERR_REMOTE);
    CHECK(code == (harness_rank == rank ? mine : remote), "%s: code %d", what, code);
}

static void refused_shapes(void)
{
    const int argument = summand_error_code(SUMMAND_ERR_ARGUMENT);
    const int mismatch = summand_error_code(SUMMAND_ERR_MISMATCH);
    int last = harness_ranks - 1, me = harness_rank == last;
    struct held h;
    summand_matrix *matrix = NULL;
    int twice[2] = {0, 0}, beyond[1] = {harness_ranks};
    draw_distribution(&h, 9, 8, -1);
    h.theirs = 0;
    h.shape.group = h.group;
    const struct {
        const char *what;
        summand_matrix_shape shape;
        MPI_Datatype datatype;
        void *data;
        MPI_Count lead;
        int code;
    } rows[] = {{"rows", {-1, 5, 2, 2, 1, 1, NULL}, MPI_DOUBLE, NULL, 0, argument},
                {"block", {5, 5, 0, 2, 1, 1, NULL}, MPI_DOUBLE, NULL, 0, argument},
                {"grid", {5, 5, 2, 2, 1, 0, NULL}, MPI_DOUBLE, NULL, 0, argument},
                {"large grid", {5, 5, 2, 2, 1 << 20, 1 << 20, NULL}, MPI_DOUBLE, NULL, 0, argument},
                {"group", {5, 5, 2, 2, 1, 1, beyond}, MPI_DOUBLE, NULL, 0, argument},
                {"a rank twice", {5, 5, 2, 2, 1, 2, twice}, MPI_DOUBLE, NULL, 0, argument},
                {"type",
                 {5, 5, 2, 2, 1, 1, NULL},
                 MPI_INT,
                 NULL,
                 0,
                 summand_error_code(SUMMAND_ERR_DATATYPE)},
                {"no type", {5, 5, 2, 2, 1, 1, NULL}, MPI_DATATYPE_NULL, NULL, 0, MPI_ERR_TYPE}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int code = summand_matrix_create(me ? &rows[i].shape : &h.shape,
                                         me ? rows[i].datatype : MPI_DOUBLE, rows[i].data,
                                         rows[i].lead, comm, &matrix);
        all_refuse(code, rows[i].code, last, rows[i].what);
        CHECK(!matrix, "%s", rows[i].what);
    }
    int code = summand_matrix_create(&h.shape, MPI_DOUBLE, NULL, 0, comm, me ? NULL : &matrix);
    all_refuse(code, argument, last, "no place for the matrix");
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
    all_refuse(code, argument, last, "no matrix");
    code = summand_matrix_copy(h.matrix, me ? h.matrix : other.matrix);
    all_refuse(code, argument, last, "onto itself");
    code = summand_matrix_copy_init(h.matrix, other.matrix, NULL);
    CHECK(code == argument, "no place for a plan: %d", code);
    code = summand_matrix_transpose(h.matrix, other.matrix);
    CHECK(code == argument, "size of the transpose: %d", code);
    CHECK(summand_matrix_copy(NULL, NULL) == argument &&
              summand_matrix_norm(NULL, 0, &x) == argument,
          "no matrix at all");
    code = summand_matrix_get(h.matrix, me ? 9 : 0, 0, 1, 1, &x, 1);
    all_refuse(code, argument, last, "outside");
    code = summand_matrix_get(h.matrix, 0, 0, me ? -1 : 1, 1, &x, 1);
    all_refuse(code, MPI_ERR_COUNT, last, "a count");
    code = summand_matrix_get(h.matrix, 0, 0, 1, 1, me ? NULL : &x, 1);
    all_refuse(code, MPI_ERR_BUFFER, last, "no block");
    code = summand_matrix_norm(h.matrix, me ? (enum summand_norm)9 : SUMMAND_NORM_ONE, &x);
    all_refuse(code, argument, last, "norm");
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

/* Halves of one array, above each other in its columns; and not quite. */
static void side_by_side(void)
{
    enum { M = 6, N = 5 };
    static double array[2 * M * N], kept;
    summand_matrix *half[3];
    double salt = 4;
    const summand_matrix_shape shape = {M, N, M, N, 1, 1, NULL};
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
    for (int k = 0; k < 2; k++) {
        code = summand_matrix_copy(half[k], half[2]);
        CHECK(code == summand_error_code(harness_rank ? SUMMAND_ERR_REMOTE : SUMMAND_ERR_ARGUMENT),
              "they overlap: %d", code);
    }
    for (int k = 0; k < 3; k++)
        summand_matrix_free(&half[k]);
}

/* Elements behind 2^31: an empty or narrow matrix of many rows costs no memory. */
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

int main(int argc, char **argv)
{
    harness_begin(&argc, &argv);
    matrices_seed = harness_seed();
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    refused_shapes();
    refused_of_matrices();
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
    return harness_end();
}
