/* SPDX-License-Identifier: BSD-3-Clause */
/* Products in threads with a small stack: with the kernel's memory and, if that is refused, without
 * it; the bits are the same. */
#include <pthread.h>
#include <stdbool.h>

#include "compute/outer.h"
#include "kernel/arch.h"
#include "unit/unit.h"

enum { STACK = 192 << 10, SIDE = 150, MOST_PAIRS = 300 };

static bool refuses;

/* Replaces the C library's function, by which the kernel asks for memory. */
void *aligned_alloc(size_t alignment, size_t size)
{
    void *block = NULL;
    return refuses || posix_memalign(&block, alignment, size) ? NULL : block;
}

struct product {
    enum summand__outer_type type;
    struct summand__outer work;
    size_t first, rows;
    bool there;
};

static void *run(void *context)
{
    struct product *product = context;
    product->there = summand__outer_reserve();
    summand__outer_run_in_order(product->type, &product->work, SIDE, product->first, product->rows);
    return NULL;
}

static void run_in_thread(struct product *product, bool refused)
{
    pthread_attr_t attributes;
    pthread_t thread;
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstacksize(&attributes, STACK), 0);
    refuses = refused;
    assert_int_equal(pthread_create(&thread, &attributes, run, product), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    refuses = false;
    pthread_attr_destroy(&attributes);
    assert_true(product->there == !refused);
}

/* Finite for 16-bit numbers too. */
static void fill(void *numbers, size_t bytes)
{
    for (size_t i = 0; i < bytes / 2; i++)
        ((uint16_t *)numbers)[i] = (uint16_t)(0x3c00 + i * 2654435761u % 1021);
}

TEST(test_little_memory)
{
    static double a[MOST_PAIRS * SIDE], b[MOST_PAIRS * SIDE], g[2][SIDE * SIDE];
    const enum summand__arch usual = summand__arch();
    fill(a, sizeof a);
    fill(b, sizeof b);
    for (int arch = 0; arch < SUMMAND__ARCHS; arch++)
        for (int round = 0; round < 8 * SUMMAND__OUTER_TYPES; round++) {
            if (!summand__arch_force((enum summand__arch)arch))
                continue;
            struct product product = {.type = (enum summand__outer_type)(round / 8),
                                      .rows = SIDE,
                                      .work = {.a = a,
                                               .b = round & 1 ? a : b,
                                               .pairs = round & 2 ? MOST_PAIRS : 90,
                                               .columns = SIDE,
                                               .lda = SIDE,
                                               .ldb = SIDE,
                                               .ldg = SIDE,
                                               .alpha = round & 4 ? 0.3 : 1,
                                               .beta = round & 4 ? 1 : 0}};
            for (int refused = 0; refused < 2; refused++) {
                memset(g[refused], 0x11, sizeof g[refused]);
                product.work.g = g[refused];
                run_in_thread(&product, refused);
            }
            assert_memory_equal(g[0], g[1], sizeof g[0]);
        }
    summand__arch_force(usual);
}

/* Each slice of rows runs in its own thread; the slices in the mask get no memory. The result must
 * equal the product of all rows at once. */
static void check_slices(struct product *product, unsigned refused)
{
    static const size_t cuts[] = {0, 41, 97, SIDE};
    static double g[2][SIDE * SIDE];
    enum { SLICES = sizeof cuts / sizeof *cuts - 1 };
    for (int way = 0; way < 2; way++)
        memset(g[way], 0x3c, sizeof g[way]);
    product->work.g = g[0];
    summand__outer_run(product->type, &product->work, 0, SIDE);
    product->work.g = g[1];
    for (unsigned slice = 0; slice < SLICES; slice++) {
        product->first = cuts[slice];
        product->rows = cuts[slice + 1] - cuts[slice];
        run_in_thread(product, refused >> slice & 1);
    }
    assert_memory_equal(g[0], g[1], sizeof g[0]);
}

/* Later slices leave out the elements that an earlier slice stores in their rows, whichever slices
 * have memory. */
TEST(test_slices)
{
    enum { PAIRS = 90, SHIFT = 37, LD = SIDE + SHIFT };
    static double a[PAIRS * LD];
    static const size_t shifts[][2] = {{0, 0}, {0, SHIFT}, {SHIFT, 0}};
    const enum summand__arch usual = summand__arch();
    fill(a, sizeof a);
    for (int arch = 0; arch < SUMMAND__ARCHS; arch++)
        for (unsigned round = 0; round < 3 * 2 * 8 * SUMMAND__OUTER_TYPES; round++) {
            if (!summand__arch_force((enum summand__arch)arch))
                continue;
            struct product product = {.type = (enum summand__outer_type)(round / 48)};
            const size_t size = summand__outer_factor_size(product.type);
            const size_t *shift = shifts[round / 16 % 3];
            product.work = (struct summand__outer){.a = (char *)a + shift[0] * size,
                                                   .b = (char *)a + shift[1] * size,
                                                   .pairs = PAIRS,
                                                   .columns = SIDE,
                                                   .lda = LD,
                                                   .ldb = LD,
                                                   .ldg = SIDE,
                                                   .alpha = 1,
                                                   .beta = round & 8 ? 0.5 : 0};
            check_slices(&product, round & 7);
        }
    summand__arch_force(usual);
}
