/* Products of threads that have little stack: with the kernel's memory and, where that is refused,
 * without, in the same bits. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernel/arch.h"
#include "kernel/outer.h"

enum { STACK = 192 << 10, SIDE = 150, MOST_PAIRS = 300 };

static bool refuses;

/* In the C library's place: the kernel asks for its memory with this. */
void *aligned_alloc(size_t alignment, size_t size)
{
    void *block = NULL;
    return refuses || posix_memalign(&block, alignment, size) ? NULL : block;
}

struct product {
    enum summand__outer_type type;
    struct summand__outer work;
    bool there;
};

static void *run(void *context)
{
    struct product *product = context;
    product->there = summand__outer_reserve();
    summand__outer_run_in_order(product->type, &product->work, SIDE, 0, SIDE);
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

/* Numbers of 16 bits too: none of these is infinite. */
static void fill(void *numbers, size_t bytes)
{
    for (size_t i = 0; i < bytes / 2; i++)
        ((uint16_t *)numbers)[i] = (uint16_t)(0x3c00 + i * 2654435761u % 1021);
}

static void test_little_memory(void **state)
{
    static double a[MOST_PAIRS * SIDE], b[MOST_PAIRS * SIDE], g[2][SIDE * SIDE];
    const enum summand__arch usual = summand__arch();
    (void)state;
    fill(a, sizeof a);
    fill(b, sizeof b);
    for (int arch = 0; arch < SUMMAND__ARCHS; arch++)
        for (int round = 0; round < 8 * SUMMAND__OUTER_TYPES; round++) {
            if (!summand__arch_force((enum summand__arch)arch))
                continue;
            struct product product = {.type = (enum summand__outer_type)(round / 8),
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_little_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
