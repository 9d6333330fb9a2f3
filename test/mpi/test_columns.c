/* np: 1 2 3 5, long: 8; together */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Column sums and accumulators of all ranks: the bits of MPFR for any deal of the same rows. */
#include <stdbool.h>

#include "mpi/sums.h"
#include "unit/lanes_oracle.h"

enum { ROWS_MOST = 40, COLUMNS_MOST = 33001 /* more than a segment */, KINDS = 7 };

/* Terms of a matrix, the same on all ranks. */
enum kind { NEAR, WIDE, CANCEL, SPECIAL, MINUS_ZEROS, SUBNORMAL, HUGE_TERMS };

static double term(enum kind kind, uint64_t *seed, double last)
{
    static const double special[] = {INFINITY, -INFINITY, NAN, -0.0, 0.0, 1.5};
    const uint64_t bits = harness_random(seed);
    const double unit = (double)(int64_t)bits * 0x1p-63;
    switch (kind) {
    case NEAR:
        return unit;
    case WIDE:
        return ldexp(unit, (int)(harness_random(seed) % 2000) - 1000);
    case CANCEL:
        return bits & 1 ? -last : ldexp(unit, (int)(bits % 100));
    case SPECIAL:
        return bits % 7 ? unit : special[harness_random(seed) % 6];
    case HUGE_TERMS: /* sums overflow, on the way or at the end */
        return ldexp(unit < 0 ? -0.75 - unit / 8 : 0.75 + unit / 8, bits & 1 ? 1024 : 1000);
    case MINUS_ZEROS:
        return bits % 50 ? -0.0 : 0.0;
    default:
        return ldexp((double)(int64_t)(bits >> 54), -1074);
    }
}

struct type {
    MPI_Datatype datatype;
    int of;             /* enum summand__lanes_type */
    size_t bytes, each; /* of a number; numbers per element */
};

enum { TYPES = 6 };
static struct type types[TYPES];

static double number(const struct type *type, const void *x, size_t i)
{
    return lanes_value(type->of, x, i);
}

static void put(const struct type *type, void *x, size_t i, double value)
{
    lanes_set(type->of, x, i, value);
}

/* The exact sum of some numbers, rounded to the type, as IEEE 754 addition treats specials. */
static double oracle(const struct type *type, const void *x, size_t rows, size_t stride)
{
    static mpfr_t sum, one;
    static bool made;
    double special = 0;
    bool minus_zeros = rows;
    if (!made) {
        mpfr_inits2(EXACT_BITS, sum, one, (mpfr_ptr)0);
        made = true;
    }
    mpfr_set_zero(sum, 1);
    for (size_t i = 0; i < rows; i++) {
        const double value = number(type, x, i * stride);
        minus_zeros &= value == 0 && signbit(value);
        if (!isfinite(value))
            special += value;
        else {
            mpfr_set_d(one, value, MPFR_RNDN);
            mpfr_add(sum, sum, one, MPFR_RNDN);
        }
    }
    if (special != 0)
        return special;
    if (mpfr_zero_p(sum))
        return minus_zeros ? -0.0 : 0.0;
    return lanes_round(type->of, sum);
}

static bool same(const struct type *type, double got, double want)
{
    if (isnan(want))
        return isnan(got) && !signbit(got);
    return lanes_bits_of(type->of, got) == lanes_bits_of(type->of, want);
}

/* A matrix, its sums, and this rank's rows of it. */
struct matrix {
    const struct type *type;
    size_t rows, n, lead; /* n and lead in numbers */
    char *x, *y;
    double *want;
    size_t first, count; /* rows of this rank */
};

static void make(struct matrix *m, const struct type *type, size_t n)
{
    *m = (struct matrix){.type = type, .n = n * type->each, .lead = (n + 3) * type->each};
    m->x = malloc(ROWS_MOST * m->lead * type->bytes);
    m->y = malloc(m->n * type->bytes + 1);
    m->want = malloc((m->n + 1) * sizeof *m->want);
}

static void drop(struct matrix *m)
{
    free(m->x);
    free(m->y);
    free(m->want);
}

static void fill(struct matrix *m, enum kind kind, size_t rows, uint64_t *seed)
{
    double last = 1;
    m->rows = rows;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < m->lead; j++) {
            last = term(kind, seed, last);
            put(m->type, m->x, i * m->lead + j, last);
            last = number(m->type, m->x, i * m->lead + j);
        }
    for (size_t j = 0; j < m->n; j++)
        m->want[j] = oracle(m->type, m->x + j * m->type->bytes, rows, m->lead);
}

static void deal(struct matrix *m, uint64_t *seed)
{
    size_t starts[64];
    fill_split(seed, m->rows, harness_ranks, starts);
    m->first = starts[harness_rank];
    m->count = starts[harness_rank + 1] - m->first;
    memset(m->y, 0x55, m->n * m->type->bytes);
}

static void *own(const struct matrix *m)
{
    return m->count ? m->x + m->first * m->lead * m->type->bytes : NULL;
}

static void check(const struct matrix *m, int root, int code, const char *what)
{
    size_t wrong = 0, at = 0;
    CHECK(code == MPI_SUCCESS, "%s: %s", what, summand_error_text(code));
    if (root != SUMMAND_ROOT_ALL && root != harness_rank)
        return;
    for (size_t j = 0; j < m->n; j++)
        if (!same(m->type, number(m->type, m->y, j), m->want[j]) && !wrong++)
            at = j;
    CHECK(!wrong, "%s: %zu of %zu sums of %zu rows differ, first %zu: %a, not %a", what, wrong,
          m->n, m->rows, at, number(m->type, m->y, at), m->want[at]);
}

static int sums(struct matrix *m, int root, const summand_options *options)
{
    const MPI_Count each = (MPI_Count)m->type->each;
    return summand_column_sums(own(m), (MPI_Count)m->count, (MPI_Count)m->lead / each, m->y,
                               (MPI_Count)m->n / each, m->type->datatype, root, MPI_COMM_WORLD,
                               options);
}

static int accumulate(const struct matrix *m, summand_exact_vector *v)
{
    const void *x = own(m);
    switch (m->type->of) {
    case SUMMAND__LANES_F64:
        return summand_exact_vector_add(v, m->count, m->lead, x);
    case SUMMAND__LANES_F32:
        return summand_exact_vector_add_f32(v, m->count, m->lead, x);
    case SUMMAND__LANES_F16:
        return summand_exact_vector_add_f16(v, m->count, m->lead, x);
    default:
        return summand_exact_vector_add_bf16(v, m->count, m->lead, x);
    }
}

/* One kind of data after the other on the same sizes: cached calls, whose ranges stop fitting. */
static void test_sizes(const struct type *type, size_t n, uint64_t *seed)
{
    struct matrix m;
    make(&m, type, n);
    summand_exact_vector *v = summand_exact_vector_new(m.n);
    for (int k = 0; k < 2 * KINDS; k++) {
        const int root = k % 3 ? SUMMAND_ROOT_ALL : k % harness_ranks;
        fill(&m, (enum kind)(k % KINDS),
             k == 3 ? 0 : harness_random(seed) % (n > 999 ? 5 : ROWS_MOST), seed);
        deal(&m, seed);
        check(&m, root, sums(&m, root, NULL), "column sums");
        deal(&m, seed);
        check(&m, SUMMAND_ROOT_ALL, sums(&m, SUMMAND_ROOT_ALL, NULL), "dealt again");
        summand_exact_vector_clear(v);
        deal(&m, seed);
        CHECK(accumulate(&m, v) == SUMMAND_EXACT_OK, "add");
        check(&m, root,
              summand_exact_vector_reduce(v, m.y, type->datatype, root, MPI_COMM_WORLD, NULL),
              "accumulators");
    }
    summand_exact_vector_free(&v);
    drop(&m);
}

/* Starts read the elements of that time, of which those of one rank need another range. */
static void test_plans(uint64_t *seed)
{
    struct matrix m;
    summand_plan *plan = NULL, *other = NULL;
    make(&m, &types[0], 700);
    summand_exact_vector *v = summand_exact_vector_new(m.n);
    fill(&m, NEAR, ROWS_MOST, seed);
    deal(&m, seed);
    int code = summand_column_sums_init(own(&m), (MPI_Count)m.count, (MPI_Count)m.lead, m.y, 700,
                                        MPI_DOUBLE, SUMMAND_ROOT_ALL, MPI_COMM_WORLD, NULL, &plan);
    CHECK(code == MPI_SUCCESS, "%s", summand_error_text(code));
    code = summand_exact_vector_reduce_init(v, m.y, MPI_DOUBLE, harness_ranks - 1, MPI_COMM_WORLD,
                                            NULL, &other);
    CHECK(code == MPI_SUCCESS, "%s", summand_error_text(code));
    for (int k = 0; k < 8; k++) {
        const size_t row = harness_random(seed) % ROWS_MOST;
        for (size_t j = 0; j < m.n && k % 3 == 1; j++)
            put(m.type, m.x, row * m.lead + j, term(WIDE, seed, 0));
        put(m.type, m.x, row * m.lead + 300, k == 5 ? (double)INFINITY : -1.0);
        for (size_t j = 0; j < m.n; j++)
            m.want[j] = oracle(m.type, m.x + j * 8, ROWS_MOST, m.lead);
        memset(m.y, 0x55, m.n * 8);
        code = summand_plan_start(plan);
        check(&m, SUMMAND_ROOT_ALL, code == MPI_SUCCESS ? summand_plan_wait(plan) : code, "plan");
        summand_exact_vector_clear(v);
        accumulate(&m, v);
        memset(m.y, 0x55, m.n * 8);
        code = summand_plan_start(other);
        check(&m, harness_ranks - 1, code == MPI_SUCCESS ? summand_plan_wait(other) : code,
              "plan of accumulators");
    }
    summand_plan_free(&plan);
    summand_plan_free(&other);
    summand_exact_vector_free(&v);
    drop(&m);
}

/* Single terms on some ranks, rows of -0.0 on others: +0.0, unless there are only rows. */
static void test_scattered(void)
{
    enum { BINS = 1000, TERMS = 5000 };
    summand_exact_vector *v = summand_exact_vector_new(BINS);
    double *y = malloc(BINS * sizeof *y), zeros[BINS], want[BINS] = {0};
    uint64_t seed = 31;
    for (int r = 0; r < harness_ranks; r++)
        for (int i = 0; i < TERMS; i++) {
            const size_t bin = harness_random(&seed) % (BINS / 2);
            const double x = (double)(int64_t)(harness_random(&seed) >> 40);
            want[bin] += x; /* integers: exact */
            if (r == harness_rank)
                CHECK(!summand_exact_vector_add_at(v, 1, &bin, &x), "add_at");
        }
    int code =
        summand_exact_vector_reduce(v, y, MPI_DOUBLE, SUMMAND_ROOT_ALL, MPI_COMM_WORLD, NULL);
    CHECK(code == MPI_SUCCESS && !memcmp(y, want, sizeof want), "%s", summand_error_text(code));
    for (int k = 0; k < 2; k++) {
        summand_exact_vector_clear(v);
        for (int j = 0; j < BINS; j++)
            zeros[j] = -0.0;
        if (harness_rank == 0)
            summand_exact_vector_add(v, 1, BINS, zeros);
        if (k && harness_rank == harness_ranks - 1)
            summand_exact_vector_add_at(v, 0, NULL, NULL);
        code =
            summand_exact_vector_reduce(v, y, MPI_DOUBLE, SUMMAND_ROOT_ALL, MPI_COMM_WORLD, NULL);
        int plus = 0;
        for (int j = 0; j < BINS; j++)
            plus += !signbit(y[j]);
        CHECK(code == MPI_SUCCESS && plus == (k ? BINS : 0), "%d of %d zeros are +0.0", plus, BINS);
    }
    summand_exact_vector_free(&v);
    free(y);
}

/* A wrong call of this rank or of all: its own code here, REMOTE on the others. */
#define WRONG(code, who, call)                                                                     \
    do {                                                                                           \
        const bool all_ = (who) < 0, mine_ = all_ || (who) == harness_rank;                        \
        const int got_ = (call);                                                                   \
        CHECK(got_ != MPI_SUCCESS, #call);                                                         \
        int class_ = MPI_SUCCESS;                                                                  \
        MPI_Error_class(got_, &class_);                                                            \
        const int want_ = mine_ ? (code) : summand_error_code(SUMMAND_ERR_REMOTE);                 \
        CHECK(got_ == want_ || class_ == want_, "%s: %s", #call, summand_error_text(got_));        \
    } while (0)

/* Sums that grow bit by bit on one communicator, past what remembered formats hold. */
static void test_growing(void)
{
    enum { N = 1000 };
    static double x[N], y[N];
    for (int n = 100; n <= N; n += 900)
        for (int grow = -3; grow <= 12; grow += 3) {
            MPI_Comm comm;
            MPI_Comm_dup(MPI_COMM_WORLD, &comm);
            for (int call = 0; call < 12; call++) {
                size_t wrong = 0;
                for (int i = 0; i < n; i++)
                    x[i] = ldexp((1 + (i + 1) * 0x1p-52) * (i % 256 ? 1 : 0x1p-20), call * grow);
                int code =
                    summand_column_sums(x, 1, n, y, n, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, NULL);
                for (int i = 0; i < n; i++)
                    wrong += y[i] != harness_ranks * x[i];
                CHECK(code == MPI_SUCCESS && !wrong,
                      "%d columns, %d bits a call, call %d: code "
                      "%d, %zu wrong",
                      n, grow, call, code, wrong);
            }
            MPI_Comm_free(&comm);
        }
}

static void test_errors(MPI_Comm comm)
{
    const int argument = summand_error_code(SUMMAND_ERR_ARGUMENT), last = harness_ranks - 1;
    const int type = summand_error_code(SUMMAND_ERR_DATATYPE), all = SUMMAND_ROOT_ALL;
    const bool at = harness_rank == last;
    const summand_options promise = {.promise = (enum summand_promise)7};
    double x[12] = {0}, y[4], *none = NULL;
    summand_plan *plan = NULL;
    summand_exact_vector *v = summand_exact_vector_new(3);
    for (int turn = 0; turn < 2; turn++) { /* again, from cached plans */
        CHECK(!summand_column_sums(x, 3, 4, y, 4, MPI_DOUBLE, all, comm, NULL), "right");
        WRONG(argument, last,
              summand_column_sums(x, 3, at ? 3 : 4, y, 4, MPI_DOUBLE, all, comm, NULL));
        WRONG(MPI_ERR_COUNT, last,
              summand_column_sums(x, at ? -1 : 3, 4, y, 4, MPI_DOUBLE, all, comm, NULL));
        WRONG(MPI_ERR_BUFFER, last,
              summand_column_sums(at ? none : x, 3, 4, y, 4, MPI_DOUBLE, all, comm, NULL));
        WRONG(MPI_ERR_BUFFER, last,
              summand_column_sums(x, 3, 4, at ? none : y, 4, MPI_DOUBLE, all, comm, NULL));
        WRONG(MPI_ERR_BUFFER, last,
              summand_column_sums(x, 3, 4, at ? x + 11 : y, 4, MPI_DOUBLE, all, comm, NULL));
        CHECK(!summand_column_sums(x, 3, 4, last && at ? x : y, 4, MPI_DOUBLE, 0, comm, NULL), "y");
        WRONG(MPI_ERR_BUFFER, -1,
              summand_column_sums(MPI_IN_PLACE, 3, 4, y, 4, MPI_DOUBLE, all, comm, NULL));
        WRONG(MPI_ERR_COUNT, -1, summand_column_sums(x, 3, 4, y, -1, MPI_DOUBLE, all, comm, NULL));
        WRONG(type, -1, summand_column_sums(x, 3, 4, y, 4, MPI_INT, all, comm, NULL));
        WRONG(MPI_ERR_TYPE, -1,
              summand_column_sums(x, 3, 4, y, 4, MPI_DATATYPE_NULL, all, comm, NULL));
        WRONG(MPI_ERR_ROOT, -1,
              summand_column_sums(x, 3, 4, y, 4, MPI_DOUBLE, harness_ranks, comm, NULL));
        WRONG(MPI_ERR_ROOT, -1, summand_column_sums(x, 3, 4, y, 4, MPI_DOUBLE, -2, comm, NULL));
        WRONG(argument, -1, summand_column_sums(x, 3, 4, y, 4, MPI_DOUBLE, all, comm, &promise));
        WRONG(argument, -1, summand_exact_vector_reduce(NULL, y, MPI_DOUBLE, all, comm, NULL));
        WRONG(argument, -1,
              summand_exact_vector_reduce(v, y, MPI_C_DOUBLE_COMPLEX, all, comm, NULL));
        CHECK(!summand_exact_vector_reduce(v, y, MPI_FLOAT, all, comm, NULL), "right");
    }
    WRONG(argument, last,
          summand_column_sums_init(x, 3, at ? 3 : 4, y, 4, MPI_DOUBLE, all, comm, NULL, &plan));
    WRONG(argument, -1, summand_column_sums_init(x, 3, 4, y, 4, MPI_DOUBLE, all, comm, NULL, NULL));
    if (harness_ranks > 1) {
        const int code = summand_column_sums(x, 3, 4, y, at ? 3 : 4, MPI_DOUBLE, all, comm, NULL);
        CHECK(summand_error_of(code) == SUMMAND_ERR_MISMATCH, "%s", summand_error_text(code));
    }
    CHECK(!summand_column_sums(x, 3, 4, y, 4, MPI_DOUBLE, all, comm, NULL), "right");
    summand_exact_vector_free(&v);
}

TESTS
{
    static const size_t sizes[] = {1, 5, 300, 1500, 40};
    types[0] = (struct type){MPI_DOUBLE, SUMMAND__LANES_F64, 8, 1};
    types[1] = (struct type){MPI_FLOAT, SUMMAND__LANES_F32, 4, 1};
    types[2] = (struct type){MPI_C_DOUBLE_COMPLEX, SUMMAND__LANES_F64, 8, 2};
    types[3] = (struct type){MPI_C_FLOAT_COMPLEX, SUMMAND__LANES_F32, 4, 2};
    types[4] = (struct type){MPI_DATATYPE_NULL, SUMMAND__LANES_F16, 2, 1};
    types[5] = (struct type){MPI_DATATYPE_NULL, SUMMAND__LANES_BF16, 2, 1};
    summand_float16_datatype(&types[4].datatype);
    summand_bfloat16_datatype(&types[5].datatype);
    uint64_t seed = 2026;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int t = 0; t < TYPES; t++)
            test_sizes(&types[t], sizes[s], &seed);
    test_sizes(&types[0], COLUMNS_MOST, &seed);
    test_plans(&seed);
    test_growing();
    test_scattered();
    MPI_Comm comm = harness_comm();
    test_errors(comm);
    MPI_Comm_free(&comm);
}
