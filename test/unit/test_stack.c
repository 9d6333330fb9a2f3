/* SPDX-License-Identifier: BSD-3-Clause */
/* Stack use of the calls of summand/exact.h: the header promises less than 16 KiB. A thread runs on
 * a painted stack; the overwritten paint is the used part. */
#define UNIT_MAIN
#include <pthread.h>
#include <summand/exact.h>
#include <sys/mman.h>

#include "unit/exact_data.h"
#include "unit/unit.h"

enum { STACK = 1 << 20, LIMIT = 16 << 10, PAINT = 0xa5, N = 100000 };

static double *x, *y;
static float *x32, *y32;

static void add(summand_exact *acc)
{
    summand_exact_add(acc, N, x);
    summand_exact_add_abs(acc, N, x);
    summand_exact_add_squares(acc, N, x);
    summand_exact_add_products(acc, N, x, y);
}

static void add_f32(summand_exact *acc)
{
    summand_exact_add_f32(acc, N, x32);
    summand_exact_add_abs_f32(acc, N, x32);
    summand_exact_add_squares_f32(acc, N, x32);
    summand_exact_add_products_f32(acc, N, x32, y32);
}

static void combine(summand_exact *acc)
{
    unsigned char bytes[SUMMAND_EXACT_PACKED_MAX];
    double hi, lo;
    summand_exact other = *acc;
    summand_exact_merge(acc, &other);
    summand_exact_negate(acc);
    summand_exact_unpack(&other, bytes, summand_exact_pack(acc, bytes));
    summand_exact_round2(&other, &hi, &lo);
    summand_exact_round(&other);
    summand_exact_round_f32(&other);
    summand_exact_sqrt(&other);
    summand_exact_sqrt_f32(&other);
}

static void sum(summand_exact *acc)
{
    (void)acc;
    summand_exact_sum(N, x);
    summand_exact_dot(N, x, y);
}

static void (*const calls[])(summand_exact *) = {add, add_f32, combine, sum};

static void *run(void *which)
{
    static summand_exact acc;
    summand_exact_init(&acc);
    calls[*(size_t *)which](&acc);
    return NULL;
}

/* The thread's own data lie above its first frame, on the same memory. */
static size_t used_by(void *(*function)(void *), void *argument)
{
    pthread_attr_t attributes;
    pthread_t thread;
    unsigned char *stack =
        mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    size_t untouched = 0;
    assert_ptr_not_equal(stack, MAP_FAILED);
    memset(stack, PAINT, STACK);
    pthread_attr_init(&attributes);
    assert_int_equal(pthread_attr_setstack(&attributes, stack, STACK), 0);
    assert_int_equal(pthread_create(&thread, &attributes, function, argument), 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
    while (untouched < STACK && stack[untouched] == PAINT)
        untouched++;
    munmap(stack, STACK);
    return STACK - untouched;
}

static void *nothing(void *argument)
{
    return argument;
}

TEST(test_exact)
{
    const size_t own = used_by(nothing, NULL);
    for (unsigned f = 0; f < FAMILIES; f++) {
        for (size_t i = 0; i < N; i++) {
            x[i] = family_value(f, i);
            y[i] = family_value(f, i + 1);
            x32[i] = (float)x[i];
            y32[i] = (float)y[i];
        }
        for (size_t call = 0; call < sizeof calls / sizeof *calls; call++) {
            const size_t used = used_by(run, &call) - own;
            if (used >= LIMIT)
                fail_msg("data %u, call %zu: %zu bytes of stack", f, call, used);
        }
    }
}

/* The look sees what is used. */
static void *use_a_lot(void *argument)
{
    volatile char much[2 * LIMIT];
    for (size_t i = 0; i < sizeof much; i++)
        much[i] = 1;
    return argument;
}

TEST(test_look)
{
    assert_true(used_by(use_a_lot, NULL) - used_by(nothing, NULL) >= LIMIT);
}

int main(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    print_message("sanitizers use stack of their own\n");
    return 0;
#endif
    x = malloc(N * sizeof *x), y = malloc(N * sizeof *y);
    x32 = malloc(N * sizeof *x32), y32 = malloc(N * sizeof *y32);
    int failed = cmocka_run_group_tests(unit_tests, NULL, NULL);
    free(x), free(y), free(x32), free(y32);
    return failed;
}
