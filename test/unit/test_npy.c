/* SPDX-License-Identifier: BSD-3-Clause */
/* Headers of .npy files: headers as NumPy writes them are read, our headers have NumPy's bytes, and
 * the error text names the fault of others. */
#include <float.h>
#include <math.h>

#include "base/npy.h"
#include "unit/unit.h"

/* The header of a version with this text behind it; its length. */
static size_t make(char *bytes, int version, const char *text, size_t length)
{
    size_t field = version == 1 ? 2 : 4;
    memcpy(bytes, "\x93NUMPY", 6);
    bytes[6] = (char)version;
    bytes[7] = 0;
    for (size_t i = 0; i < field; i++)
        bytes[8 + i] = (char)(length >> 8 * i);
    memset(bytes + 8 + field, ' ', length);
    memcpy(bytes + 8 + field, text, strlen(text));
    return 8 + field + length;
}

static bool read_text(const char *text, struct summand__npy *npy)
{
    char bytes[512];
    size_t count = make(bytes, 1, text, strlen(text));
    bytes[count] = 'x'; /* the first number's */
    if (!summand__npy_start(bytes, count, npy))
        return false;
    assert_int_equal(npy->begin, count);
    bool good = summand__npy_read(bytes, npy);
    assert_int_equal(bytes[count], 'x');
    return good;
}

TEST(vectors_and_matrices)
{
    struct summand__npy npy;
    assert_true(read_text("{'descr': '<f8', 'fortran_order': False, 'shape': (460,), }\n", &npy));
    assert_true(npy.dimensions == 1 && npy.extent[0] == 460 && npy.width == 8 && !npy.columns);
    assert_true(read_text("{'shape':(3,5),'fortran_order':True,'descr':'>f4'}", &npy));
    assert_true(npy.dimensions == 2 && npy.extent[0] == 3 && npy.extent[1] == 5);
    assert_true(npy.width == 4 && npy.columns);
    const int one = 1;
    assert_true(npy.swapped == (*(const char *)&one == 1));
    assert_true(read_text("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3, 4), }", &npy));
    assert_true(npy.dimensions == 3);
    assert_string_equal(npy.shape, "(2, 3, 4)");
    assert_true(read_text("{'descr': '<f8', 'fortran_order': False, 'shape': (), }", &npy));
    assert_true(npy.dimensions == 0);
    assert_true(
        read_text("{\"descr\": \"=f8\",\t'fortran_order':False,\n'shape':( 3 , 5 , )}\n  ", &npy));
    assert_true(npy.dimensions == 2 && npy.extent[1] == 5 && !npy.swapped);
}

/* Bytes as NumPy 1.24 writes them: numpy.array(values, dtype).tobytes(). */
TEST(types)
{
    static const struct {
        const char *type, *bytes;
        size_t count, read;
        double values[4];
    } rows[] = {{"|i1", "\x80\x7f\xff", 3, 3, {-128, 127, -1}},
                {"|u1", "\x80\x7f\xff", 3, 3, {128, 127, 255}},
                {"|b1", "\0\1\2", 3, 2, {0, 1}},
                {"<i2", "\0\x80\xff\x7f", 2, 2, {-32768, 32767}},
                {">u2", "\x80\0\x7f\xff", 2, 2, {32768, 32767}},
                {"<i4", "\0\0\0\x80\xff\xff\xff\x7f", 2, 2, {-0x1p31, 0x1p31 - 1}},
                {">i4", "\x80\0\0\0\x7f\xff\xff\xff", 2, 2, {-0x1p31, 0x1p31 - 1}},
                {"<u4", "\0\0\0\x80\xff\xff\xff\xff", 2, 2, {0x1p31, 0x1p32 - 1}},
                {"<i8", "\0\0\0\0\0\0\x20\0\0\0\0\0\0\0\0\x80", 2, 2, {0x1p53, -0x1p63}},
                {"<i8", "\1\0\0\0\0\0\xe0\xff\1\0\0\0\0\0\x20\0", 2, 1, {-0x1p53 + 1}},
                {"<i8", "\xff\xff\xff\xff\xff\xff\xff\x7f", 1, 0, {0}},
                {">i8", "\xff\xe0\0\0\0\0\0\1", 1, 1, {-0x1p53 + 1}},
                {"<u8", "\0\xf8\xff\xff\xff\xff\xff\xff", 1, 1, {0x1p64 - 0x1p11}},
                {"<u8", "\xff\xff\xff\xff\xff\xff\xff\xff", 1, 0, {0}},
                {"<f2", "\0\x3c\1\x80\xff\x7b\0\xfc", 4, 4, {1, -0x1p-24, 65504, -INFINITY}},
                {">f2", "\x35\x55\4\0", 2, 2, {0x555p-12, 0x1p-14}},
                {">f4", "\x3f\xc0\0\0", 1, 1, {1.5}},
                {"<f8", "\0\0\0\0\0\0\xf8\xbf", 1, 1, {-1.5}}};
    struct summand__npy npy;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[100];
        double values[4];
        snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (), }",
                 rows[i].type);
        assert_true(read_text(text, &npy));
        size_t read = summand__npy_values(&npy, rows[i].bytes, rows[i].count, values);
        if (read != rows[i].read || memcmp(values, rows[i].values, read * sizeof *values))
            fail_msg("row %zu, %s: %zu read, %a", i, rows[i].type, read, values[0]);
    }
}

/* Two doubles whose exact sum the number is; bytes as numpy.array(values, dtype).tobytes() has
 * them.
 */
TEST(pairs)
{
    static const struct {
        const char *type, *bytes;
        size_t read;
        double values[2];
    } rows[] = {
        {"<i8", "\1\0\0\0\0\0\x20\0", 1, {0x1p53, 1}},
        {"<i8", "\xff\xff\xff\xff\xff\xff\xdf\xff", 1, {-0x1p53, -1}},
        {"<u8", "\xff\xff\xff\xff\xff\xff\xff\xff", 1, {0x1p64, -1}},
        {"<i8", "\0\0\0\0\0\0\0\x80", 1, {-0x1p63, -0.0}},
        {"<f4", "\0\0\0\x80", 1, {-0.0, -0.0}},
        {"|b1", "\2", 0, {0}},
#if LDBL_MANT_DIG == 64
        {"<f16", "\1\0\0\0\0\0\0\x80\xff\x3f\1\2\3\4\5\6", 1, {1, 0x1p-63}},
        {">f16", "\1\2\3\4\5\6\xbf\xff\xff\xff\xff\xff\xff\xff\xff\xff", 1, {-2, 0x1p-63}},
        {"<f16", "\0\0\0\0\0\0\0\x80\xff\x7f\0\0\0\0\0\0", 1, {INFINITY, -0.0}},
        {"<f16", "\0\0\0\0\0\0\0\0\0\x80\0\0\0\0\0\0", 1, {-0.0, -0.0}},
        {"<f16", "\0\0\0\0\0\0\0\x80\xff\x43\0\0\0\0\0\0", 0, {0}},
        {"<f16", "\0\0\0\0\0\0\0\x80\xcc\x3b\0\0\0\0\0\0", 0, {0}},
#endif
    };
    struct summand__npy npy;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[100];
        double values[2];
        snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (), }",
                 rows[i].type);
        assert_true(read_text(text, &npy));
        size_t read = summand__npy_pairs(&npy, rows[i].bytes, 1, values);
        if (read != rows[i].read || memcmp(values, rows[i].values, read * sizeof values))
            fail_msg("row %zu, %s: %zu read, %a %a", i, rows[i].type, read, values[0], values[1]);
    }
}

TEST(shapes)
{
    static const struct {
        const char *shape;
        bool vector;
        uint64_t count;
    } rows[] = {{"()", true, 1},         {"(7,)", true, 7},
                {"(0,)", true, 0},       {"(7, 1)", true, 7},
                {"(1, 7)", true, 7},     {"(1, 1, 7, 1)", true, 7},
                {"(1, 1)", true, 1},     {"(0, 1)", true, 0},
                {"(7, 2)", false, 14},   {"(0, 2)", false, 0},
                {"(2, 1, 3)", false, 6}, {"(4294967296, 4294967296)", false, UINT64_MAX}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct summand__npy npy;
        char text[160];
        snprintf(text, sizeof text, "{'descr': '<f8', 'fortran_order': True, 'shape': %s, }",
                 rows[i].shape);
        assert_true(read_text(text, &npy));
        if (npy.vector != rows[i].vector || npy.count != rows[i].count)
            fail_msg("%s: %d, %llu", rows[i].shape, npy.vector, (unsigned long long)npy.count);
    }
}

TEST(long_headers)
{
    static char bytes[SUMMAND__NPY_MOST + 16];
    static const char text[] = "{'descr': '<f8', 'fortran_order': False, 'shape': (7,), }";
    struct summand__npy npy;
    for (int version = 2; version <= 3; version++) {
        size_t count = make(bytes, version, text, SUMMAND__NPY_MOST - 12);
        assert_true(summand__npy_start(bytes, count, &npy));
        assert_int_equal(npy.begin, count);
        assert_true(summand__npy_read(bytes, &npy) && npy.extent[0] == 7);
        make(bytes, version, text, SUMMAND__NPY_MOST - 11);
        assert_false(summand__npy_start(bytes, sizeof bytes, &npy));
        assert_string_equal(npy.wrong, "its .npy header is too long (1048565 bytes)");
    }
}

#if LDBL_MANT_DIG == 64
#define LONG_FLOAT ", f16"
#define LONG_COMPLEX ", c32"
#else
#define LONG_FLOAT ""
#define LONG_COMPLEX ""
#endif
#define ALLOWED                                                                                    \
    "; f2, f4, f8" LONG_FLOAT " (floats), c8, c16" LONG_COMPLEX                                    \
    " (complex), i1, i2, i4, i8, u1, u2, u4, u8 (integers) or b1 (booleans) expected"

TEST(wrong_ones)
{
    static const char *const rows[][2] = {
        {"{'descr': '<i3', 'fortran_order': False, 'shape': (7,), }",
         "its values are '<i3'" ALLOWED},
        {"{'descr': '|f8', 'fortran_order': False, 'shape': (7,), }",
         "its values are '|f8'" ALLOWED},
        {"{'descr': '<b2', 'fortran_order': False, 'shape': (7,), }",
         "its values are '<b2'" ALLOWED},
        {"{'descr': '<c4', 'fortran_order': False, 'shape': (7,), }",
         "its values are '<c4'" ALLOWED},
        {"{'descr': '|O', 'fortran_order': False, 'shape': (7,), }", "its values are '|O'" ALLOWED},
        {"{'descr': '<M8[s]', 'fortran_order': False, 'shape': (7,), }",
         "its values are '<M8[s]'" ALLOWED},
        {"{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (7,), }",
         "its values are [('a'" ALLOWED},
        {"{'descr': '<f32', 'fortran_order': False, 'shape': (7,), }",
         "its values are '<f32'" ALLOWED},
        {"{'fortran_order': False, 'shape': (7,), }", "its .npy header lacks descr"},
        {"{'descr': '<f8', 'shape': (7,), }", "its .npy header lacks fortran_order"},
        {"{'descr': '<f8', 'fortran_order': False, }", "its .npy header lacks shape"},
        {"{'descr': '<f8', 'fortran_order': Falsehood, 'shape': (7,), }",
         "its .npy header goes on behind fortran_order: hood, 'shape': (7,), }"},
        {"{'descr': '<f8', 'fortran_order': 0, 'shape': (7,), }",
         "its .npy header does not say in which order its numbers lie"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (7,)garbage, }",
         "its .npy header goes on behind shape: garbage, }"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (7,), } + 1",
         "its .npy header goes on behind its end: + 1"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (7,), 'shape': (9,), }",
         "its .npy header says shape twice"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (7,), 'color': 1, }",
         "its .npy header says 'color', which is not known"},
        {"{'descr': '<f8' 'fortran_order': False, 'shape': (7,), }",
         "its .npy header goes on behind descr:  'fortran_order': False, 'shape': (7,), }"},
        {"{'descr' '<f8', 'fortran_order': False, 'shape': (7,), }",
         "its .npy header lacks a colon behind 'descr'"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (7,), , }",
         "its .npy header has no key where one is expected: , }"},
        {"'descr': '<f8', 'fortran_order': False, 'shape': (7,), }",
         "its .npy header is no dictionary: "
         "'descr': '<f8', 'fortran_order': False, 'shape': (7,), }"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (7,), ",
         "its .npy header has no key where one is expected: "},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (7), }",
         "its .npy header has no shape that can be read: (7)"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (,), }",
         "its .npy header has no shape that can be read: (,)"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (3 5), }",
         "its .npy header has no shape that can be read: (3 5)"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (3,,5), }",
         "its .npy header has no shape that can be read: (3,,5)"},
        {"{'descr': '<f8x', 'fortran_order': False, 'shape': (7,), }",
         "its values are '<f8x'" ALLOWED},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (-7,), }",
         "its .npy header has no shape that can be read: (-7,)"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,), }",
         "its .npy header has no shape that can be read: (99999999999999999999,)"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (7",
         "its .npy header has no shape that can be read: (7"}};
    struct summand__npy npy;
    char bytes[64];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_false(read_text(rows[i][0], &npy));
        assert_string_equal(npy.wrong, rows[i][1]);
    }
    size_t count = make(bytes, 1, "{}", 20);
    for (size_t cut = 0; cut < SUMMAND__NPY_START; cut++)
        assert_false(summand__npy_start(bytes, cut, &npy));
    bytes[15] = 0;
    assert_true(summand__npy_start(bytes, count, &npy) && !summand__npy_read(bytes, &npy));
    assert_string_equal(npy.wrong, "its .npy header has a byte 0");
    bytes[6] = 4;
    assert_false(summand__npy_start(bytes, count, &npy));
}

/* As numpy.save has it: blanks up to a multiple of 64, and a newline. */
TEST(written)
{
    static const char *const texts[] = {
        "{'descr': '<f8', 'fortran_order': False, 'shape': (10,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (10, 3), }",
        "{'descr': '<f4', 'fortran_order': True, 'shape': (10, 3), }"};
    for (int k = 0; k < 3; k++) {
        const int one = 1;
        char header[SUMMAND__NPY_HEADER], right[256];
        struct summand__npy npy = {.width = k == 2 ? 4 : 8,
                                   .swapped = *(const char *)&one != 1,
                                   .columns = k == 2,
                                   .dimensions = k ? 2 : 1,
                                   .extent = {10, 3}};
        size_t count = make(right, 1, texts[k], 118);
        right[count - 1] = '\n';
        summand__npy_write(header, &npy);
        assert_int_equal(npy.begin, 128);
        assert_memory_equal(header, right, count);
    }
}
