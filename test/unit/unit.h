/* SPDX-License-Identifier: BSD-3-Clause */
/* A program of tests by cmocka. TEST(name) { ... } is a test; those of a file run in their order.
 * `main` stands here; a file with one of its own defines UNIT_MAIN first, and runs `unit_tests`.
 * The headers of the C library that most tests need stand here, too. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { UNIT_MOST = 48 };
static struct CMUnitTest unit_tests[UNIT_MOST]; /* cmocka passes over empty ones */

/* The order of constructors is the compiler's, so each has its place. */
#define TEST(name)                                                                                 \
    static void name(void **unit_state);                                                           \
    enum { name##_place = __COUNTER__ };                                                           \
    _Static_assert((int)name##_place < (int)UNIT_MOST, "more tests than UNIT_MOST");               \
    __attribute__((constructor)) static void name##_enters(void)                                   \
    {                                                                                              \
        unit_tests[name##_place] = (struct CMUnitTest)cmocka_unit_test(name);                      \
    }                                                                                              \
    static void name(__attribute__((unused)) void **unit_state)

/* cmocka's assert_in_range has other names from version 2 on: not to be used. */
#undef assert_in_range
#define assert_between(value, least, most)                                                         \
    do {                                                                                           \
        const long long between = (long long)(value);                                              \
        if (between < (long long)(least) || between > (long long)(most))                           \
            fail_msg("%s is %lld, not from %lld to %lld", #value, between, (long long)(least),     \
                     (long long)(most));                                                           \
    } while (0)

#ifndef UNIT_MAIN
int main(void)
{
    if (!unit_tests[0].test_func) {
        fputs("no TEST stands in this file\n", stderr);
        return 1;
    }
    return cmocka_run_group_tests(unit_tests, NULL, NULL);
}
#endif
