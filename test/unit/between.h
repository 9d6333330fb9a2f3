/* SPDX-License-Identifier: BSD-3-Clause */
/* cmocka's assert_in_range has other names from version 2 on. */
#ifndef TEST_UNIT_BETWEEN_H
#define TEST_UNIT_BETWEEN_H

#define assert_between(value, least, most)                                                         \
    do {                                                                                           \
        const long long between = (long long)(value);                                              \
        if (between < (long long)(least) || between > (long long)(most))                           \
            fail_msg("%s is %lld, not from %lld to %lld", #value, between, (long long)(least),     \
                     (long long)(most));                                                           \
    } while (0)

#endif
