/* np: 1 2 3 5; together brief */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of elements with strides, and of complex numbers: exact ones against MPFR, trees against eq.
 * 2.1 of the thesis, literally, with every operation rounded separately. */
#include "mpi/methods.h"
#include "mpi/sums.h"
#include "unit/exact_oracle.h"

enum { KINDS = 5, N = 1500, FAR = 5 /* longest stride */ };

/* The global vectors, as pairs; real elements are the first of each. */
static double vector[2][N][2];

/* This rank's part of both, in memory whose gaps are NaN. */
static union {
    double f64[2 * (N * FAR + 1)];
    float f32[2 * (N * FAR + 1)];
} local[2];

struct shape {
    enum summand_kind kind;
    bool single, complex;
    size_t n;
    int root;
    MPI_Count stride[2];
};

static MPI_Datatype type_of(const struct shape *shape)
{
    if (shape->complex)
        return shape->single ? MPI_C_FLOAT_COMPLEX : MPI_C_DOUBLE_COMPLEX;
    return shape->single ? MPI_FLOAT : MPI_DOUBLE;
}

static bool is_product(enum summand_kind kind)
{
    return kind == SUMMAND_KIND_DOT || kind == SUMMAND_KIND_DOT_CONJUGATED;
}

/* ---- the oracles ---- */

static double rounded(double x, bool single)
{
    volatile double wide = x; /* no operation is fused; products of floats are exact in doubles */
    volatile float narrow = (float)wide;
    return single ? (double)narrow : wide;
}

struct pair {
    double re, im;
};

static struct pair leaf(const struct shape *s, size_t i)
{
    const double *x = vector[0][i], *y = vector[1][i];
    const bool f = s->single;
    if (!s->complex)
        return (struct pair){s->kind == SUMMAND_KIND_SUM    ? x[0]
                             : s->kind == SUMMAND_KIND_ASUM ? fabs(x[0])
                             : s->kind == SUMMAND_KIND_NRM2 ? rounded(x[0] * x[0], f)
                                                            : rounded(x[0] * y[0], f),
                             0};
    switch (s->kind) {
    case SUMMAND_KIND_SUM:
        return (struct pair){x[0], x[1]};
    case SUMMAND_KIND_ASUM:
        return (struct pair){rounded(fabs(x[0]) + fabs(x[1]), f), 0};
    case SUMMAND_KIND_NRM2:
        return (struct pair){rounded(rounded(x[0] * x[0], f) + rounded(x[1] * x[1], f), f), 0};
    case SUMMAND_KIND_DOT:
        return (struct pair){rounded(rounded(x[0] * y[0], f) - rounded(x[1] * y[1], f), f),
                             rounded(rounded(x[0] * y[1], f) + rounded(x[1] * y[0], f), f)};
    default:
        return (struct pair){rounded(rounded(x[0] * y[0], f) + rounded(x[1] * y[1], f), f),
                             rounded(rounded(x[0] * y[1], f) - rounded(x[1] * y[0], f), f)};
    }
}

static struct pair subtree(const struct shape *s, size_t x, int level)
{
    if (!level)
        return leaf(s, x);
    size_t right = x + ((size_t)1 << (level - 1));
    struct pair a = subtree(s, x, level - 1);
    if (right >= s->n)
        return a;
    struct pair b = subtree(s, right, level - 1);
    return (struct pair){rounded(a.re + b.re, s->single), rounded(a.im + b.im, s->single)};
}

static struct pair want_tree(const struct shape *s)
{
    int height = 0;
    while (((size_t)1 << height) < s->n)
        height++;
    struct pair want = {0, 0};
    if (s->n)
        want = subtree(s, 0, height);
    if (s->kind == SUMMAND_KIND_NRM2)
        want.re = rounded(sqrt(want.re), s->single);
    return want;
}

static void add_exact(const struct shape *s, size_t i, struct oracle *re, struct oracle *im)
{
    const double *x = vector[0][i], *y = vector[1][i];
    const double conjugate = s->kind == SUMMAND_KIND_DOT_CONJUGATED ? -1 : 1;
    for (int part = 0; part < (s->complex ? 2 : 1); part++)
        if (s->kind == SUMMAND_KIND_SUM)
            oracle_add(part ? im : re, x[part]);
        else if (s->kind == SUMMAND_KIND_ASUM)
            oracle_add(re, fabs(x[part]));
        else if (s->kind == SUMMAND_KIND_NRM2)
            oracle_product(re, x[part], x[part]);
    if (!is_product(s->kind))
        return;
    oracle_product(re, x[0], y[0]);
    if (!s->complex)
        return;
    oracle_product(re, x[1], -conjugate * y[1]);
    oracle_product(im, x[0], y[1]);
    oracle_product(im, x[1], conjugate * y[0]);
}

static struct pair want_exact(const struct shape *s)
{
    struct oracle re, im;
    struct pair want;
    float root;
    oracle_init(&re);
    oracle_init(&im);
    for (size_t i = 0; i < s->n; i++)
        add_exact(s, i, &re, &im);
    want.re = s->single ? (double)oracle_round_f32(&re) : oracle_round(&re);
    want.im = s->single ? (double)oracle_round_f32(&im) : oracle_round(&im);
    if (s->kind == SUMMAND_KIND_NRM2) {
        oracle_root(&re, &want.re, &root);
        want.re = s->single ? (double)root : want.re;
    }
    oracle_clear(&re);
    oracle_clear(&im);
    return want;
}

/* ---- what is called ---- */

/* With a stride, element i of `count` lies this many elements from the origin. */
static size_t place_of(size_t i, size_t count, MPI_Count stride)
{
    return stride < 0 ? (count - 1 - i) * (size_t)-stride : i * (size_t)(stride ? stride : 1);
}

static void put(const struct shape *s, int which, size_t first, size_t count)
{
    const size_t parts = s->complex ? 2 : 1, room = sizeof local->f64 / sizeof(double);
    for (size_t i = 0; i < room; i++)
        if (s->single)
            local[which].f32[i] = NAN;
        else
            local[which].f64[i] = NAN;
    for (size_t i = 0; i < count; i++)
        for (size_t part = 0; part < parts; part++) {
            size_t place = parts * place_of(i, count, s->stride[which]) + part;
            if (s->single)
                local[which].f32[place] = (float)vector[which][first + i][part];
            else
                local[which].f64[place] = vector[which][first + i][part];
        }
}

static void check(const struct shape *s, const void *result, struct pair want, const char *what)
{
    const double parts[2] = {want.re, want.im};
    for (int part = 0; part < (s->complex ? 2 : 1); part++) {
        double got =
            s->single ? (double)((const float *)result)[part] : ((const double *)result)[part];
        bool right =
            isnan(parts[part]) ? isnan(got) : harness_bits(got) == harness_bits(parts[part]);
        CHECK(right,
              "%s: kind %d, single %d, complex %d, n %zu, strides %d %d, part %d: %a, not %a", what,
              (int)s->kind, s->single, s->complex, s->n, (int)s->stride[0], (int)s->stride[1], part,
              got, parts[part]);
    }
}

/* As one of two terms (the other one is plain and counts the ranks), or alone. */
static void run(const struct shape *s, const size_t *starts, int method, bool plan)
{
    const size_t first = starts[harness_rank], count = starts[harness_rank + 1] - first;
    const bool receives = s->root < 0 || s->root == harness_rank;
    const summand_options options = method_options(method);
    const double one[2] = {1, 0};
    const float one_f32[2] = {1, 0};
    double results[4] = {7, 7, 7, 7};
    summand_term terms[2] = {
        {.kind = s->kind,
         .count = (MPI_Count)count,
         .displacement = (MPI_Count)first,
         .x = count ? &local[0] : NULL,
         .y = count ? &local[1] : NULL,
         .stride_x = s->stride[0],
         .stride_y = s->stride[1]},
        {.count = 1, .displacement = harness_rank, .x = s->single ? (const void *)one_f32 : one}};
    summand_plan *made = NULL;
    put(s, 0, first, count);
    put(s, 1, first, count);
    int k = plan ? 2 : 1, code;
    if (plan) {
        code = summand_sums_init(k, terms, results, type_of(s), s->root, MPI_COMM_WORLD, &options,
                                 &made);
        for (int turn = 0; turn < 2 && code == MPI_SUCCESS; turn++) {
            code = summand_plan_start(made);
            code = code == MPI_SUCCESS ? summand_plan_wait(made) : code;
        }
        summand_plan_free(&made);
    } else {
        code = summand_sums(k, terms, results, type_of(s), s->root, MPI_COMM_WORLD, &options);
    }
    CHECK(code == MPI_SUCCESS, "%s", summand_error_text(code));
    if (!receives)
        return;
    check(s, results, method == EXACT_METHOD ? want_exact(s) : want_tree(s), method_names[method]);
    const size_t behind = s->complex ? 2 : 1;
    double ranks = s->single ? (double)((float *)results)[behind] : results[behind];
    CHECK(k == 1 || ranks == harness_ranks, "%g", ranks);
}

/* Float values for float elements, so that one oracle serves both types. */
static void fill(uint64_t *seed, bool single, size_t n, int spread, int specials)
{
    static const double special[] = {NAN, INFINITY, -INFINITY, 0, -0.0, 0x1p-149, -0x1p127, -0.0};
    for (int v = 0; v < 2; v++)
        for (size_t i = 0; i < n; i++)
            for (int part = 0; part < 2; part++) {
                double x;
                fill_values(seed, 1, spread, &x);
                vector[v][i][part] = single ? (double)(float)x : x;
            }
    for (int k = 0; k < specials && n; k++)
        vector[harness_random(seed) % 2][harness_random(seed) % n][harness_random(seed) % 2] =
            special[harness_random(seed) % (sizeof special / sizeof *special)];
}

static void test_values(void)
{
    enum { STRIDES = 6 };
    static const MPI_Count strides[STRIDES][2] = {{0, 0},  {1, 1},  {2, 3},
                                                  {-1, 1}, {-2, 5}, {3, -1}};
    static const size_t sizes[] = {0, 1, 5, 64, 513, N};
    uint64_t seed = 36;
    size_t starts[16];
    for (int kind = 0; kind < KINDS; kind++)
        for (int form = 0; form < 4; form++)
            for (size_t t = 0; t < 4 * STRIDES; t++)
                for (int method = 0; method < STUDY_METHOD; method++) {
                    size_t n = sizes[harness_random(&seed) % 6];
                    struct shape shape = {
                        .kind = (enum summand_kind)kind,
                        .single = form & 1,
                        .complex = form & 2,
                        .n = n,
                        .root = t % 3 ? SUMMAND_ROOT_ALL : harness_ranks - 1,
                        .stride = {strides[t % STRIDES][0], strides[t % STRIDES][1]}};
                    fill(&seed, shape.single, n, t % 2 ? 60 : 3,
                         t % 5 ? 0 : 1 + (int)(harness_random(&seed) % 4));
                    fill_split(&seed, n, harness_ranks, starts);
                    if (!harness_skips())
                        run(&shape, starts, method, t % 3 == 1);
                }
}

/* Zeros alone: their signs, in both parts. */
static void test_zeros(void)
{
    size_t starts[16];
    uint64_t seed = 1;
    for (int kind = 0; kind < KINDS; kind++)
        for (int signs = 0; signs < 16; signs++)
            for (int method = 0; method < STUDY_METHOD; method++) {
                struct shape shape = {.kind = (enum summand_kind)kind,
                                      .complex = true,
                                      .n = 3,
                                      .root = SUMMAND_ROOT_ALL};
                for (size_t i = 0; i < 3; i++)
                    for (int part = 0; part < 2; part++) {
                        vector[0][i][part] = signs >> part & 1 ? -0.0 : 0.0;
                        vector[1][i][part] = signs >> (2 + part) & 1 ? -0.0 : 0.0;
                    }
                fill_split(&seed, 3, harness_ranks, starts);
                if (!harness_skips())
                    run(&shape, starts, method, false);
            }
}

/* In place: the elements lie in the result's memory. */
static void test_in_place(void)
{
    for (int method = 0; method < STUDY_METHOD; method++)
        for (int stride = -2; stride <= 2; stride++) {
            const summand_options options = method_options(method);
            double x[12] = {1, 10, 2, 20, 3, 30, 4, 40, 5, 50, 6, 60}, rest[12];
            const size_t step = stride < 0 ? (size_t)-stride : (size_t)(stride ? stride : 1);
            double re = 0, im = 0;
            for (size_t i = 0; i < 3; i++) {
                re += harness_ranks * x[2 * i * step];
                im += harness_ranks * x[2 * i * step + 1];
            }
            memcpy(rest, x, sizeof rest);
            summand_term term = {.count = 3,
                                 .displacement = SUMMAND_DISPLACEMENT_APPEND,
                                 .x = MPI_IN_PLACE,
                                 .stride_x = stride};
            int code = summand_sums(1, &term, x, MPI_C_DOUBLE_COMPLEX, SUMMAND_ROOT_ALL,
                                    MPI_COMM_WORLD, &options);
            CHECK(code == MPI_SUCCESS && x[0] == re && x[1] == im, "%s, stride %d: %g %g",
                  method_names[method], stride, x[0], x[1]);
            CHECK(!memcmp(x + 2, rest + 2, sizeof rest - 2 * sizeof *rest), "more is written");
        }
}

/* The calls of one sum, and Fortran's names of the same datatypes. */
static void test_calls(void)
{
    const double x[4] = {1, 2, -3, 4}, y[4] = {5, 6, 7, -8};
    double got[2];
    const MPI_Datatype types[] = {MPI_C_DOUBLE_COMPLEX, MPI_DOUBLE_COMPLEX, MPI_COMPLEX16};
    for (int t = 0; t < 3; t++) {
        const MPI_Datatype type = types[t];
        if (type == MPI_DATATYPE_NULL)
            continue;
        int code = summand_sum(x, got, 2, type, SUMMAND_ROOT_ALL, MPI_COMM_WORLD, NULL);
        CHECK(!code && got[0] == -2 * harness_ranks && got[1] == 6 * harness_ranks, "sum");
        code = summand_asum(x, got, 2, type, SUMMAND_ROOT_ALL, MPI_COMM_WORLD, NULL);
        CHECK(!code && got[0] == 10 * harness_ranks && harness_bits(got[1]) == 0, "asum");
        code = summand_nrm2(x, got, 2, type, SUMMAND_ROOT_ALL, MPI_COMM_WORLD, NULL);
        CHECK(!code && got[0] == sqrt(30.0 * harness_ranks) && harness_bits(got[1]) == 0, "nrm2");
        code = summand_dot(x, y, got, 2, type, SUMMAND_ROOT_ALL, MPI_COMM_WORLD, NULL);
        CHECK(!code && got[0] == 4 * harness_ranks && got[1] == 68 * harness_ranks, "dot: %g %g",
              got[0], got[1]);
    }
    float single[2] = {0.5f, -0.25f};
    int code =
        summand_sum(MPI_IN_PLACE, single, 1, MPI_COMPLEX, SUMMAND_ROOT_ALL, MPI_COMM_WORLD, NULL);
    CHECK(!code && single[0] == 0.5f * (float)harness_ranks, "MPI_COMPLEX: %d", code);
}

TESTS
{
    test_values();
    test_zeros();
    test_in_place();
    test_calls();
}
