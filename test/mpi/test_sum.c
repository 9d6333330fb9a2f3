/* np: 1 2 3 5 8, long: 4 6 7; together brief; also: read/3 checked/3 */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of the distributed sums: every kind and method against MPFR and eq. 2.1. */
#include "algorithm/algorithm.h"
#include "mpi/methods.h"
#include "mpi/sums.h"
#include "mpi/used.h"

static void check_call(enum summand_kind kind, int method, int root, size_t n, const double *x,
                       const double *y, const size_t *starts)
{
    size_t first = starts[harness_rank];
    MPI_Count count = (MPI_Count)(starts[harness_rank + 1] - first);
    double result = -77,
           want = (method == EXACT_METHOD ? oracle_exact : oracle_tree)(kind, n, x, y);
    int code = method_sum(method, root, kind, x + first, y + first, &result, count, MPI_DOUBLE,
                          MPI_COMM_WORLD);
    CHECK(code == MPI_SUCCESS, "code %d", code);
    if (root != SUMMAND_ROOT_ALL && root != harness_rank)
        want = -77; /* not significant: untouched */
    CHECK(harness_bits(result) == harness_bits(want), "%s %s n %zu root %d: %a, not %a",
          kind_names[kind], method_names[method], n, root, result, want);
}

static void check_all_kinds(size_t n, const double *x, const double *y, const size_t *starts,
                            int root)
{
    for (int kind = 0; kind < 4; kind++)
        for (int method = 0; method < METHODS; method++)
            if (!harness_skips())
                check_call((enum summand_kind)kind, method, root, n, x, y, starts);
}

/* Every split of n <= 6 elements over the ranks (up to 4 ranks; the first 4 of more), with empty
 * parts: counted in base n + 1. */
static void test_every_split(void)
{
    double x[6], y[6];
    uint64_t seed = 1;
    int parts = harness_ranks < 4 ? harness_ranks : 4;
    for (size_t n = 0; n <= 6; n++) {
        fill_values(&seed, n, 40, x);
        fill_values(&seed, n, 40, y);
        size_t starts[16], total = 1;
        for (int r = 1; r < parts; r++)
            total *= n + 1;
        for (size_t code = 0; code < total; code++) {
            size_t rest = code;
            starts[0] = 0;
            for (int r = 1; r < parts; r++, rest /= n + 1)
                starts[r] = rest % (n + 1);
            for (int r = parts; r <= harness_ranks; r++)
                starts[r] = n;
            int rising = 1;
            for (int r = 1; r <= harness_ranks; r++)
                rising = rising && starts[r - 1] <= starts[r];
            if (rising && !harness_skips())
                for (int method = 0; method < METHODS; method++)
                    check_call(SUMMAND_KIND_SUM, method, SUMMAND_ROOT_ALL, n, x, y, starts);
        }
    }
}

static void test_random_splits(void)
{
    enum { N = 3000 };
    static double x[N + 1], y[N + 1];
    uint64_t seed = 2;
    size_t starts[16];
    for (int round = 0; round < 6; round++) {
        size_t n = harness_random(&seed) % N;
        fill_values(&seed, n, round % 2 ? 3 : 300, x + 1);
        fill_values(&seed, n, round % 2 ? 3 : 300, y + 1);
        fill_split(&seed, n, harness_ranks, starts);
        int root =
            round % 3 ? SUMMAND_ROOT_ALL : (int)(harness_random(&seed) % (uint64_t)harness_ranks);
        check_all_kinds(n, x + 1, y + 1, starts, root);
    }
}

/* Stelz (2022), appendix B.1: whenever buffered messages leave, the tree and its bits are the same.
 */
static void test_buffers(void)
{
    enum { N = 1000 };
    static const struct summand__outbound_rule rules[] = {{1, 0}, {3, 1}, {64, 64}, {64, 1 << 20}};
    const struct summand__outbound_rule before = summand__study_rule;
    double x[N];
    size_t starts[16];
    uint64_t seed = 5;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        fill_values(&seed, N, 2, x);
        fill_split(&seed, N, harness_ranks, starts);
        const size_t first = starts[harness_rank];
        const summand_term term = {.kind = SUMMAND_KIND_SUM,
                                   .count = (MPI_Count)(starts[harness_rank + 1] - first),
                                   .displacement = SUMMAND_DISPLACEMENT_APPEND,
                                   .x = x + first};
        double sum = 0;
        summand_plan *plan;
        summand__study_rule = rules[i];
        int code = method_init(STUDY_METHOD, SUMMAND_ROOT_ALL, 1, &term, &sum, MPI_DOUBLE,
                               MPI_COMM_WORLD, &plan);
        CHECK(code == MPI_SUCCESS, "rule %zu: %s", i, summand_error_text(code));
        if (code != MPI_SUCCESS)
            continue;
        summand_plan_start(plan);
        summand_plan_wait(plan);
        summand_plan_free(&plan);
        CHECK(harness_bits(sum) == harness_bits(oracle_tree(SUMMAND_KIND_SUM, N, x, NULL)),
              "rule %zu: %a", i, sum);
    }
    summand__study_rule = before;
}

/* Permuted elements: the exact sum must not change; the tree's must, on data that rounds. */
static void test_permutation(void)
{
    enum { N = 1000, TURNS = 4 };
    double x[N], sums[TURNS][METHODS];
    size_t starts[16];
    uint64_t seed = 3;
    int moved = 0;
    fill_values(&seed, N, 2, x);
    fill_split(&seed, N, harness_ranks, starts);
    for (int turn = 0; turn < TURNS; turn++) {
        size_t first = starts[harness_rank];
        for (int method = 0; method < METHODS; method++) {
            method_sum(method, SUMMAND_ROOT_ALL, SUMMAND_KIND_SUM, x + first, NULL,
                       &sums[turn][method], (MPI_Count)(starts[harness_rank + 1] - first),
                       MPI_DOUBLE, MPI_COMM_WORLD);
        }
        CHECK(harness_bits(sums[0][EXACT_METHOD]) == harness_bits(sums[turn][EXACT_METHOD]),
              "turn %d moved", turn);
        moved += harness_bits(sums[0][TREE_METHOD]) != harness_bits(sums[turn][TREE_METHOD]);
        for (size_t i = N - 1; i > 0; i--) {
            size_t j = harness_random(&seed) % (i + 1);
            double t = x[i];
            x[i] = x[j];
            x[j] = t;
        }
    }
    CHECK(moved > 0, "no permutation moved the tree");
}

/* Rounded once to 24 bits, from the exact sum of the kind. */
static float oracle_exact_f32(enum summand_kind kind, size_t n, const float *x, const float *y)
{
    mpfr_t sum, term, small;
    mpfr_init2(sum, EXACT_BITS);
    mpfr_init2(term, EXACT_BITS);
    mpfr_init2(small, 24);
    mpfr_set_zero(sum, 1);
    for (size_t i = 0; i < n; i++) {
        mpfr_set_flt(term, x[i], MPFR_RNDN);
        if (kind == SUMMAND_KIND_ASUM)
            mpfr_abs(term, term, MPFR_RNDN);
        if (kind == SUMMAND_KIND_DOT)
            mpfr_mul_d(term, term, (double)y[i], MPFR_RNDN);
        if (kind == SUMMAND_KIND_NRM2)
            mpfr_sqr(term, term, MPFR_RNDN);
        mpfr_add(sum, sum, term, MPFR_RNDN);
    }
    if (kind == SUMMAND_KIND_NRM2)
        mpfr_sqrt(small, sum, MPFR_RNDN);
    else
        mpfr_set(small, sum, MPFR_RNDN);
    float rounded = mpfr_get_flt(small, MPFR_RNDN);
    mpfr_clears(sum, term, small, (mpfr_ptr)0);
    return rounded;
}

static float float_leaf(enum summand_kind kind, float x, float y)
{
    volatile float product = kind == SUMMAND_KIND_DOT ? x * y : x * x;
    return kind == SUMMAND_KIND_SUM ? x : kind == SUMMAND_KIND_ASUM ? fabsf(x) : product;
}

static float float_tree(enum summand_kind kind, size_t n, const float *x, const float *y,
                        size_t first, size_t size)
{
    if (size == 1)
        return float_leaf(kind, x[first], y[first]);
    float left = float_tree(kind, n, x, y, first, size / 2);
    if (first + size / 2 >= n)
        return left;
    return left + float_tree(kind, n, x, y, first + size / 2, size / 2);
}

static void test_floats(void)
{
    enum { N = 500 };
    double wide[2 * N];
    float x[2 * N], *y = x + N;
    uint64_t seed = 4;
    size_t starts[16];
    fill_values(&seed, 2 * N, 30, wide);
    for (int i = 0; i < 2 * N; i++)
        x[i] = (float)wide[i];
    fill_split(&seed, N, harness_ranks, starts);
    size_t first = starts[harness_rank];
    summand_term term = {.count = (MPI_Count)(starts[harness_rank + 1] - first),
                         .displacement = (MPI_Count)first,
                         .x = x + first,
                         .y = y + first};
    for (int kind = 0; kind < 4; kind++)
        for (int method = 0; method < METHODS; method++) {
            float result = 0, want;
            term.kind = (enum summand_kind)kind;
            if (harness_skips())
                continue;
            want = method == EXACT_METHOD ? oracle_exact_f32(term.kind, N, x, y)
                                          : float_tree(term.kind, N, x, y, 0, 512);
            if (method != EXACT_METHOD && kind == SUMMAND_KIND_NRM2)
                want = sqrtf(want);
            method_sums(method, SUMMAND_ROOT_ALL, 1, &term, &result, MPI_FLOAT, MPI_COMM_WORLD);
            CHECK(result == want, "float %s %s: %a, not %a", method_names[method], kind_names[kind],
                  (double)result, (double)want);
        }
}

/* NaN, infinities and zeros at random places of random splits. */
static void test_random_specials(void)
{
    enum { N = 300 };
    static const double specials[] = {NAN, INFINITY, -INFINITY, -0.0, 0.0, 0x1p-1074, -0x1p-1074};
    double x[N];
    size_t starts[16];
    uint64_t seed = 5;
    for (int round = 0; round < 40; round++) {
        fill_values(&seed, N, 5, x);
        int nan = 0, plus = 0, minus = 0, count = (int)(harness_random(&seed) % 4);
        for (int i = 0; i < count; i++) {
            double special = specials[harness_random(&seed) % 7];
            x[harness_random(&seed) % N] = special;
        }
        for (int i = 0; i < N; i++) {
            nan += isnan(x[i]);
            plus += isinf(x[i]) && x[i] > 0;
            minus += isinf(x[i]) && x[i] < 0;
        }
        fill_split(&seed, N, harness_ranks, starts);
        size_t first = starts[harness_rank];
        for (int method = 0; method < METHODS; method++) {
            double result = 0;
            if (harness_skips())
                continue;
            method_sum(method, SUMMAND_ROOT_ALL, SUMMAND_KIND_SUM, x + first, NULL, &result,
                       (MPI_Count)(starts[harness_rank + 1] - first), MPI_DOUBLE, MPI_COMM_WORLD);
            uint64_t want = nan || (plus && minus) ? UINT64_C(0x7ff8000000000000)
                            : plus                 ? harness_bits(INFINITY)
                            : minus                ? harness_bits(-INFINITY)
                            : method == EXACT_METHOD
                                ? harness_bits(oracle_exact(SUMMAND_KIND_SUM, N, x, NULL))
                                : harness_bits(oracle_tree(SUMMAND_KIND_SUM, N, x, NULL));
            CHECK(harness_bits(result) == want, "%s: %a", method_names[method], result);
        }
    }
}

static void test_special_values(void)
{
    static const uint64_t nan = UINT64_C(0x7ff8000000000000);
    const struct {
        double a, b, want;
    } rows[] = {{-0.0, -0.0, -0.0},
                {-0.0, 0.0, 0.0},
                {1, -1, 0.0},
                {INFINITY, 1, INFINITY},
                {-INFINITY, 1e308, -INFINITY},
                {INFINITY, -INFINITY, NAN},
                {NAN, 1, NAN},
                {-NAN, INFINITY, NAN},
                {0x1p1023, 0x1p1023, INFINITY},
                {0x1p-1074, 0x1p-1074, 0x1p-1073}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int method = 0; method < METHODS; method++) {
            double mine = harness_rank ? rows[i].b : rows[i].a, result = 7;
            MPI_Count count = harness_rank < 2;
            if (harness_ranks == 1 || harness_skips())
                continue;
            method_sum(method, SUMMAND_ROOT_ALL, SUMMAND_KIND_SUM, &mine, NULL, &result, count,
                       MPI_DOUBLE, MPI_COMM_WORLD);
            uint64_t want = isnan(rows[i].want) ? nan : harness_bits(rows[i].want);
            CHECK(harness_bits(result) == want, "%g + %g = %g", rows[i].a, rows[i].b, result);
        }
    double none = 7;
    summand_sum(NULL, &none, 0, MPI_DOUBLE, SUMMAND_ROOT_ALL, MPI_COMM_WORLD, NULL);
    CHECK(harness_bits(none) == 0, "empty sum %g", none);
}

/* Sums of one call: split alike, each differently, or alike on some ranks only, so that sums packed
 * together must separate on the way. Many elements, few, a single one, none. */
static void test_many(void)
{
    enum { K = 7, N = 90 };
    static const enum summand_kind kinds[] = {SUMMAND_KIND_SUM, SUMMAND_KIND_SUM, SUMMAND_KIND_DOT};
    double x[K * N], y[K * N], results[K];
    uint64_t seed = 6;
    size_t starts[K][16];
    summand_term terms[K];
    for (int round = 0; round < 24; round++) {
        size_t n = round % 4 ? harness_random(&seed) % N : (size_t)harness_ranks;
        fill_values(&seed, K * N, 30, x);
        fill_values(&seed, K * N, 30, y);
        for (int i = 0; i < K; i++) {
            if (i && round % 3 < 2)
                memcpy(starts[i], starts[0], sizeof starts[i]);
            else if (round % 4)
                fill_split(&seed, n, harness_ranks, starts[i]);
            else
                for (int r = 0; r <= harness_ranks; r++)
                    starts[i][r] = (size_t)r;
        }
        /* The fourth sum: two neighbours divide its elements differently. */
        int right = 1 + round / 3 % (harness_ranks > 1 ? harness_ranks - 1 : 1);
        if (round % 3 == 1 && harness_ranks > 1 && starts[3][right] < starts[3][right + 1])
            starts[3][right]++;
        for (int i = 0; i < K; i++) {
            size_t first = starts[i][harness_rank];
            terms[i] = (summand_term){.kind = kinds[i % 3],
                                      .count = (MPI_Count)(starts[i][harness_rank + 1] - first),
                                      .displacement = (MPI_Count)first,
                                      .x = x + i * N + first,
                                      .y = y + i * N + first};
        }
        for (int method = 0; method < METHODS; method++) {
            if (harness_skips())
                continue;
            method_sums(method, SUMMAND_ROOT_ALL, K, terms, results, MPI_DOUBLE, MPI_COMM_WORLD);
            for (int i = 0; i < K; i++) {
                double want = (method == EXACT_METHOD ? oracle_exact : oracle_tree)(
                    kinds[i % 3], n, x + i * N, y + i * N);
                CHECK(harness_bits(results[i]) == harness_bits(want),
                      "%s, round %d, sum %d of %zu: %a, not %a", method_names[method], round, i, n,
                      results[i], want);
            }
        }
    }
}

/* Every algorithm by name: the same bits; or SUMMAND_ERR_ALGORITHM on all ranks, if it cannot do
 * the call or changes the order. */
static void test_algorithms(void)
{
    enum { N = 100 };
    double x[N], y[N], result;
    uint64_t seed = 8;
    size_t starts[16];
    long run = 0, tried = 0;
    MPI_Comm comm = harness_comm();
    fill_values(&seed, N, 30, x);
    fill_values(&seed, N, 30, y);
    fill_split(&seed, N, harness_ranks, starts);
    const size_t first = starts[harness_rank];
    const MPI_Count count = (MPI_Count)(starts[harness_rank + 1] - first);
    for (int a = 0; summand__algorithms[a]; a++)
        for (int call = 0; call < 6; call++) {
            const struct summand__algorithm *algorithm = summand__algorithms[a];
            const int method = call % 3, root = call < 3 ? SUMMAND_ROOT_ALL : harness_ranks / 2;
            const bool receives = root < 0 || root == harness_rank;
            const summand_options options = only_used(
                (summand_options){.algorithm = algorithm->name,
                                  .promise = method ? SUMMAND_PROMISE_INDEX : SUMMAND_PROMISE_EXACT,
                                  .radix = 3});
            const bool does =
                algorithm->build[root < 0 ? SUMMAND__COLL_ALLREDUCE : SUMMAND__COLL_REDUCE] &&
                (!method || algorithm->promises & SUMMAND__RANK_ORDER);
            const double want = method ? oracle_tree(SUMMAND_KIND_DOT, N, x, y)
                                       : oracle_exact(SUMMAND_KIND_DOT, N, x, y);
            const double ordered = oracle_tree(SUMMAND_KIND_SUM, N, x, NULL);
            if (harness_skips())
                continue;
            int code = method == 2
                           ? summand_ordered_reduce(x + first, &result, count, (MPI_Count)first,
                                                    MPI_DOUBLE, MPI_SUM, root, comm, &options)
                           : summand_dot(x + first, y + first, &result, count, MPI_DOUBLE, root,
                                         comm, &options);
            if (code != MPI_SUCCESS && does) /* not on so many ranks */
                CHECK(strstr(summand_error_text(code), "which does not do this"), "%s, call %d: %s",
                      algorithm->name, call, summand_error_text(code));
            else
                CHECK(code == (does ? MPI_SUCCESS : summand_error_code(SUMMAND_ERR_ALGORITHM)),
                      "%s, call %d: %s", algorithm->name, call, summand_error_text(code));
            tried++;
            run += code == MPI_SUCCESS;
            CHECK(code != MPI_SUCCESS || !receives ||
                      harness_bits(result) == harness_bits(method == 2 ? ordered : want),
                  "%s, call %d: %a", algorithm->name, call, result);
        }
    MPI_Comm_free(&comm);
    CHECK(run > tried / 8, "only %ld of %ld calls ran", run, tried);
}

TESTS
{
    test_every_split();
    test_random_splits();
    test_algorithms();
    test_many();
    test_buffers();
    test_permutation();
    test_floats();
    test_special_values();
    test_random_specials();
}
