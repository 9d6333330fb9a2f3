/* SPDX-License-Identifier: BSD-3-Clause */
/* Forests of ranges: the right nodes with the right values, no reads outside the range, and the
 * same bits in any floating-point environment of the caller. */
#define UNIT_MAIN
#include <fenv.h>
#include <sys/mman.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "kernel/forest.h"
#include "shape/dyadic.h"
#include "tree_oracle.h"
#include "unit/unit.h"

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

TEST(test_small_ranges)
{
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

TEST(test_large_ranges)
{
    for_each_arch(large_ranges);
}

/* A node belongs to the cover exactly if it lies in the range and its parent does not. */
TEST(test_dyadic_cover)
{
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

TEST(test_dyadic_extremes)
{
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

/* `pages` readable pages between two inaccessible ones. */
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
            /* Data at the start of the pages, then at their end. */
            for (int side = 0; side < 2; side++) {
                size_t o64 = side ? last64 : 0, o32 = side ? last32 : 0;
                summand__forest_f64(kind, (const double *)(fence_x + o64),
                                    (const double *)(fence_y + o64), start, count, v64);
                summand__forest_f32(kind, (const float *)(fence_x + o32),
                                    (const float *)(fence_y + o32), start, count, v32);
            }
        }
}

/* A read of a byte too many, or a write to the input, ends the program. */
TEST(test_guard_pages_and_read_only_input)
{
    fence_x = fenced(FENCED);
    fence_y = fenced(FENCED);
    memcpy(fence_x, x64, FENCED);
    memcpy(fence_y, y64, FENCED);
    assert_int_equal(mprotect(fence_x, FENCED, PROT_READ), 0);
    assert_int_equal(mprotect(fence_y, FENCED, PROT_READ), 0);
    for_each_arch(at_the_fence);
    assert_memory_equal(fence_x, x64, FENCED);
}

/* Environments that a caller may have set: on x86 bits of the MXCSR, elsewhere a rounding
 * direction. */
#if defined(__x86_64__)
enum { UPWARD = 0x4000, FLUSH = 0x8040 };
#else
enum { UPWARD = FE_UPWARD, FLUSH = FE_TOWARDZERO };
#endif

static unsigned environment(void)
{
#if defined(__x86_64__)
    return _mm_getcsr() & ~0x3fu;
#else
    return (unsigned)fegetround();
#endif
}

static void set_environment(unsigned e)
{
#if defined(__x86_64__)
    _mm_setcsr(e);
#else
    fesetround((int)e);
#endif
}

struct results {
    double v64[SUMMAND__DYADIC_MAX], root64;
    float v32[SUMMAND__DYADIC_MAX], root32;
};

/* 701 numbers from `at`, in the environment with the additional `bits` set. */
static struct results in_environment(unsigned bits, enum summand__tree_kind kind, size_t at)
{
    struct results r;
    memset(&r, 0, sizeof r);
    unsigned before = environment();
    set_environment(before | bits);
    size_t n = summand__forest_f64(kind, x64 + at, y64 + at, 0, 701, r.v64);
    r.root64 = summand__tree_fold_f64(kind, r.v64, n);
    n = summand__forest_f32(kind, x32 + at, y32 + at, 0, 701, r.v32);
    r.root32 = summand__tree_fold_f32(kind, r.v32, n);
    unsigned after = environment();
    set_environment(before);
    assert_int_equal(after, before | bits);
    return r;
}

enum { DENORMALS = NUMBERS / 2 - 701 };

static void same_in_every_environment(void)
{
    for (int k = 0; k < SUMMAND__TREE_KINDS; k++)
        for (size_t at = 0; at <= DENORMALS; at += DENORMALS) {
            enum summand__tree_kind kind = (enum summand__tree_kind)k;
            struct results usual = in_environment(0, kind, at);
            struct results upward = in_environment(UPWARD, kind, at);
            struct results flush = in_environment(FLUSH, kind, at);
            assert_memory_equal(&upward, &usual, sizeof usual);
            assert_memory_equal(&flush, &usual, sizeof usual);
        }
}

/* Sums that round; and sums, products and comparisons of denormals alone. */
TEST(test_environment_of_the_caller)
{
    for (int i = DENORMALS; i < DENORMALS + 701; i++) {
        x64[i] = ldexp(x64[i], -1055);
        x32[i] = ldexpf(x32[i], -157);
    }
    for_each_arch(same_in_every_environment);
}

int main(void)
{
    return cmocka_run_group_tests(unit_tests, fill, NULL);
}
