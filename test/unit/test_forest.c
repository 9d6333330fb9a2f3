/* Forests of ranges: the right nodes with the right values, nothing read outside, and the same bits
 * whatever floating-point environment the caller has set. */
#include <fenv.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <cmocka.h>

#include "kernel/forest.h"
#include "shape/dyadic.h"
#include "tree_oracle.h"

enum { NUMBERS = 1 << 15 };
static double x64[NUMBERS], y64[NUMBERS];
static float x32[NUMBERS], y32[NUMBERS];

static int fill(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (int i = 0; i < NUMBERS; i++) {
        x64[i] = oracle_number(&seed, i > NUMBERS / 2);
        y64[i] = oracle_number(&seed, i > NUMBERS / 2);
        x32[i] = (float)oracle_number(&seed, i > NUMBERS / 2);
        y32[i] = (float)oracle_number(&seed, i > NUMBERS / 2);
    }
    return 0;
}

/* The forest of global indices start .. start + count - 1, whose data begin at x[offset]. */
static void check_range(enum summand__tree_kind kind, uint64_t start, size_t count, size_t offset)
{
    struct summand__dyadic_node nodes[SUMMAND__DYADIC_MAX];
    double v64[SUMMAND__DYADIC_MAX];
    float v32[SUMMAND__DYADIC_MAX];
    unsigned n = summand__dyadic_nodes(start, count, nodes);
    const double *a64 = x64 + offset, *b64 = y64 + offset;
    const float *a32 = x32 + offset, *b32 = y32 + offset;
    assert_int_equal(summand__forest_f64(kind, a64, b64, start, count, v64), n);
    assert_int_equal(summand__forest_f32(kind, a32, b32, start, count, v32), n);
    for (unsigned i = 0; i < n; i++) {
        uint64_t at = nodes[i].position - start;
        double w64 = oracle_f64(kind, a64, b64, count, at, nodes[i].level);
        float w32 = oracle_f32(kind, a32, b32, count, at, nodes[i].level);
        if (!oracle_same_f64(v64[i], w64) || !oracle_same_f32(v32[i], w32))
            fail_msg("kind %d, %zu numbers from %llu, node %u of level %u: %a %a, not %a %a",
                     (int)kind, count, (unsigned long long)start, i, nodes[i].level, v64[i],
                     (double)v32[i], w64, (double)w32);
    }
    if (start || !count)
        return;
    unsigned top = 0;
    while (((uint64_t)1 << top) < count)
        top++;
    assert_true(oracle_same_f64(summand__tree_fold_f64(kind, v64, n),
                                oracle_f64(kind, a64, b64, count, 0, top)));
    assert_true(oracle_same_f32(summand__tree_fold_f32(kind, v32, n),
                                oracle_f32(kind, a32, b32, count, 0, top)));
}

static void for_each_arch(void (*check)(void))
{
    enum summand__arch before = summand__arch();
    for (int a = 0; a < SUMMAND__ARCHS; a++)
        if (summand__arch_force((enum summand__arch)a))
            check();
    summand__arch_force(before);
}

static void small_ranges(void)
{
    for (int k = 0; k < SUMMAND__TREE_KINDS; k++)
        for (uint64_t start = 0; start <= 34; start++)
            for (size_t count = 0; count <= 70; count++)
                check_range((enum summand__tree_kind)k, start, count, start);
}

static void test_small_ranges(void **state)
{
    (void)state;
    for_each_arch(small_ranges);
}

static void large_ranges(void)
{
    uint64_t seed = 12;
    for (int trial = 0; trial < 300; trial++) {
        enum summand__tree_kind kind = (enum summand__tree_kind)(trial % SUMMAND__TREE_KINDS);
        uint64_t start = oracle_random(&seed) >> (1 + oracle_random(&seed) % 63);
        if (start > (uint64_t)1 << 62)
            start >>= 1;
        size_t count = oracle_random(&seed) % (trial % 2 ? 2000 : NUMBERS / 2);
        check_range(kind, trial % 3 ? start : 0, count, oracle_random(&seed) % (NUMBERS / 2));
    }
}

static void test_large_ranges(void **state)
{
    (void)state;
    for_each_arch(large_ranges);
}

/* A node belongs to the cover exactly if it lies in the range and its parent does not. */
static void test_dyadic_cover(void **state)
{
    (void)state;
    for (uint64_t start = 0; start < 70; start++)
        for (uint64_t count = 0; count < 140; count++) {
            struct summand__dyadic_node nodes[SUMMAND__DYADIC_MAX];
            uint64_t end = start + count, position = start;
            unsigned n = summand__dyadic_nodes(start, count, nodes);
            assert_int_equal(summand__dyadic_count(start, count), n);
            for (unsigned i = 0; i < n; i++) {
                uint64_t size = (uint64_t)1 << nodes[i].level;
                uint64_t parent = nodes[i].position / (2 * size) * (2 * size);
                assert_int_equal(nodes[i].position, position);
                assert_int_equal(position % size, 0);
                position += size;
                assert_true(parent < start || parent + 2 * size > end);
            }
            assert_int_equal(position, end);
        }
}

static void test_dyadic_extremes(void **state)
{
    (void)state;
    struct summand__dyadic_node nodes[SUMMAND__DYADIC_MAX];
    uint64_t all = (uint64_t)1 << 63;
    assert_int_equal(summand__dyadic_nodes(0, all, nodes), 1);
    assert_int_equal(nodes[0].level, 63);
    assert_int_equal(summand__dyadic_nodes(1, all - 2, nodes), 124);
    assert_int_equal(summand__dyadic_count(1, all - 2), 124);
    assert_int_equal(summand__dyadic_count(0, 0), 0);
    assert_int_equal(summand__dyadic_count(all, 0), 0);
    assert_int_equal(summand__dyadic_count(all - 1, 1), 1);
}

/* `pages` readable pages between two that may not be touched. */
static char *fenced(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *map =
        mmap(NULL, bytes + 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(map != MAP_FAILED);
    assert_int_equal(mprotect(map, page, PROT_NONE), 0);
    assert_int_equal(mprotect(map + page + bytes, page, PROT_NONE), 0);
    return map + page;
}

enum { FENCED = 1 << 16 };
static char *fence_x, *fence_y;

static void at_the_fence(void)
{
    double v64[SUMMAND__DYADIC_MAX];
    float v32[SUMMAND__DYADIC_MAX];
    for (int k = 0; k < SUMMAND__TREE_KINDS; k++)
        for (size_t count = 0; count <= FENCED / sizeof(double); count += count < 300 ? 1 : 619) {
            enum summand__tree_kind kind = (enum summand__tree_kind)k;
            uint64_t start = count * 7 % 64;
            size_t last64 = FENCED - count * sizeof(double),
                   last32 = FENCED - count * sizeof(float);
            /* To the right, and starting to the left of the data. */
            for (int side = 0; side < 2; side++) {
                size_t o64 = side ? last64 : 0, o32 = side ? last32 : 0;
                summand__forest_f64(kind, (const double *)(fence_x + o64),
                                    (const double *)(fence_y + o64), start, count, v64);
                summand__forest_f32(kind, (const float *)(fence_x + o32),
                                    (const float *)(fence_y + o32), start, count, v32);
            }
        }
}

/* Reading a byte too many or writing to the input ends the program. */
static void test_guard_pages_and_read_only_input(void **state)
{
    (void)state;
    fence_x = fenced(FENCED);
    fence_y = fenced(FENCED);
    memcpy(fence_x, x64, FENCED);
    memcpy(fence_y, y64, FENCED);
    assert_int_equal(mprotect(fence_x, FENCED, PROT_READ), 0);
    assert_int_equal(mprotect(fence_y, FENCED, PROT_READ), 0);
    for_each_arch(at_the_fence);
    assert_memory_equal(fence_x, x64, FENCED);
}

static void same_in_this_environment(void)
{
    for (int k = 0; k < SUMMAND__TREE_KINDS; k++) {
        enum summand__tree_kind kind = (enum summand__tree_kind)k;
        double v64[2][SUMMAND__DYADIC_MAX] = {{0}}, root[2];
        float v32[2][SUMMAND__DYADIC_MAX] = {{0}};
        for (int hostile = 0; hostile < 2; hostile++) {
            const double *a64 = x64 + NUMBERS / 2 - 700, *b64 = y64 + NUMBERS / 2 - 700;
            const float *a32 = x32 + NUMBERS / 2 - 700, *b32 = y32 + NUMBERS / 2 - 700;
#if defined(__x86_64__)
            unsigned before = _mm_getcsr();
            /* Flush to zero, denormals are zero, round up. */
            unsigned set = hostile ? (before & ~0x3fu) | 0x8040u | 0x4000u : before;
            _mm_setcsr(set);
#else
            fesetround(hostile ? FE_UPWARD : FE_TONEAREST);
#endif
            size_t n = summand__forest_f64(kind, a64, b64, 0, 701, v64[hostile]);
            summand__forest_f32(kind, a32, b32, 77, 701, v32[hostile]);
            root[hostile] = summand__tree_fold_f64(kind, v64[hostile], n);
#if defined(__x86_64__)
            unsigned after = _mm_getcsr();
            _mm_setcsr(before);
            assert_int_equal(after & ~0x3fu, set & ~0x3fu);
#else
            assert_int_equal(fegetround(), hostile ? FE_UPWARD : FE_TONEAREST);
            fesetround(FE_TONEAREST);
#endif
        }
        assert_memory_equal(v64[0], v64[1], sizeof v64[0]);
        assert_memory_equal(v32[0], v32[1], sizeof v32[0]);
        assert_memory_equal(&root[0], &root[1], sizeof root[0]);
    }
}

/* Denormals among the numbers, products of tiny ones, and sums that round. */
static void test_environment_of_the_caller(void **state)
{
    (void)state;
    for (int i = NUMBERS / 2 - 700; i < NUMBERS / 2; i += 3) {
        x64[i] = ldexp(x64[i], -1060);
        x32[i] = ldexpf(x32[i], -130);
    }
    for_each_arch(same_in_this_environment);
}

static void test_combine(void **state)
{
    (void)state;
    assert_true(summand__tree_combine_f64(SUMMAND__TREE_DOT, 2, 3) == 5);
    assert_true(summand__tree_combine_f64(SUMMAND__TREE_PROD, 2, 3) == 6);
    assert_true(summand__tree_combine_f32(SUMMAND__TREE_MIN, 2, 3) == 2);
    assert_true(summand__tree_combine_f32(SUMMAND__TREE_MAX, 2, 3) == 3);
    assert_true(!signbit(summand__tree_combine_f64(SUMMAND__TREE_MIN, -0.0, 0.0)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dyadic_cover),
        cmocka_unit_test(test_dyadic_extremes),
        cmocka_unit_test(test_combine),
        cmocka_unit_test(test_small_ranges),
        cmocka_unit_test(test_large_ranges),
        cmocka_unit_test(test_guard_pages_and_read_only_input),
        cmocka_unit_test(test_environment_of_the_caller),
    };
    return cmocka_run_group_tests(tests, fill, NULL);
}
