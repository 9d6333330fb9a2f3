/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of integers on the command line: which numbers a text means, and which texts are none. */
#include "cli/options/numbers.h"
#include "unit/unit.h"

enum { LEAST = 0, MOST = 1000000 };

TEST(meaning)
{
    static const struct {
        const char *text;
        int count;
        long long value[8];
    } rows[] = {{"7", 1, {7}},
                {"0,64k,2", 3, {0, 65536, 2}},
                {"1..1e6", 7, {1, 10, 100, 1000, 10000, 100000, 1000000}},
                {"1..70:4", 4, {1, 4, 16, 64}},
                {"8..16:2", 2, {8, 16}},
                {"9..9", 1, {9}},
                {"1..4+1", 4, {1, 2, 3, 4}},
                {"8..10+2", 2, {8, 10}},
                {"16..49+16", 3, {16, 32, 48}},
                {"5..6+1,1..2:2,3", 5, {5, 6, 1, 2, 3}}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct numbers numbers;
        if (!read_numbers(rows[i].text, LEAST, MOST, &numbers))
            fail_msg("'%s' is refused", rows[i].text);
        assert_int_equal(numbers.count, rows[i].count);
        for (int k = 0; k < rows[i].count; k++)
            assert_int_equal(numbers.value[k], rows[i].value[k]);
    }
}

TEST(refusals)
{
    static const char *const texts[] = {"",        ",",          "1,",       "x",      "-1",
                                        "1x",      "1..",        "1..4+",    "1..4:",  "1..4+0",
                                        "1..4:1",  "0..4+1",     "8..16",    "8..9+2", "4..2",
                                        "1000001", "1..1000001", "1..4+2+2", "1.x5",   "7,4..2"};
    struct numbers numbers;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (read_numbers(texts[i], LEAST, MOST, &numbers))
            fail_msg("'%s' is taken", texts[i]);
    assert_false(read_numbers("4..8+2", 5, MOST, &numbers));
    assert_true(read_numbers("4..8+2", 4, 8, &numbers));
    assert_true(read_numbers_by("8..16", LEAST, MOST, 2, &numbers));
}

TEST(no_more_than_there_is_room_for)
{
    struct numbers numbers;
    assert_true(read_numbers("1..64+1", LEAST, MOST, &numbers));
    assert_int_equal(numbers.count, NUMBERS_MOST);
    assert_false(read_numbers("1..65+1", LEAST, MOST, &numbers));
}

TEST(the_greatest_number_ends_a_list)
{
    struct numbers numbers;
    assert_true(read_numbers("1..9223372036854775807:3037000499", 1, INT64_MAX, &numbers));
    assert_int_equal(numbers.count, 3);
}
