/* SPDX-License-Identifier: BSD-3-Clause */
/* Readers of samples: the meaning of each format, by handwritten bytes. Files that are short, long,
 * damaged or do not fit together are refused with their name. */
#define UNIT_MAIN
#include <math.h>
#include <sys/stat.h>

#include "mpi/scarce.h"
#include "train/data.h"
#include "unit/train.h"
#include "unit/unit.h"

static char home[] = "/tmp/summand-train-XXXXXX";

static void empty(void)
{
    assert_int_equal(system("rm -f *"), 0);
}

static void text(const char *path, const char *bytes)
{
    train_test_write(path, bytes, strlen(bytes));
}

/* Three images of 2 x 3, and one to test. */
static void write_idx(void)
{
    static const char x[] = "\0\0\10\3\0\0\0\3\0\0\0\2\0\0\0\3"
                            "\0\1\2\3\4\5\6\7\10\11\12\13\377\376\375\374\373\372";
    static const char t[] = "\0\0\10\3\0\0\0\1\0\0\0\2\0\0\0\3\5\4\3\2\1\0";
    train_test_write("train-images-idx3-ubyte", x, sizeof x - 1);
    train_test_write("train-labels-idx1-ubyte", "\0\0\10\1\0\0\0\3\2\0\1", 11);
    train_test_write("t10k-images-idx3-ubyte", t, sizeof t - 1);
    train_test_write("t10k-labels-idx1-ubyte", "\0\0\10\1\0\0\0\1\3", 9);
}

static void write_csv(void)
{
    text("train.csv", "class,a,b\r\n2,1.5,-2\r\n\n 0 , 3e1 ,4\n");
    text("test.csv", "1,5,6");
}

static void write_array(const char *path, const char *descr, const char *order, const char *shape,
                        const void *numbers, size_t bytes)
{
    char header[64 * 2], all[1024];
    snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", descr,
             order, shape);
    int length = snprintf(all, sizeof all, "\x93NUMPY%c%c%c%c%-117s\n", 1, 1, 118, 1, header);
    (void)length;
    all[7] = all[9] = 0;
    memcpy(all + 128, numbers, bytes);
    train_test_write(path, all, 128 + bytes);
}

static void write_npy(void)
{
    static const double x[] = {1.5, 3, -2, 4}; /* by columns */
    static const float y[] = {2, 0};
    write_array("train-x.npy", "=f8", "True", "(2, 2)", x, sizeof x);
    write_array("train-y.npy", "=f4", "False", "(2,)", y, sizeof y);
}

static void load(struct train_data *data)
{
    struct summand__net_fault fault = {.text = ""};
    if (!train_data_load(".", data, &fault))
        fail_msg("%s", fault.text);
}

static void refuse(const char *name, const char *words)
{
    struct train_data data;
    struct summand__net_fault fault = {.text = ""};
    if (train_data_load(".", &data, &fault))
        fail_msg("%s: taken, not '%s'", name, words);
    if (!strstr(fault.text, name) || !strstr(fault.text, words))
        fail_msg("%s: '%s' lacks '%s'", name, fault.text, words);
    assert_null(data.train.values);
    assert_null(data.test.values);
}

static void check_row(const struct train_samples *part, size_t i, int label, const double *row)
{
    float got[8];
    train_sample_read(part, i, got);
    assert_int_equal(part->label[i], label);
    for (size_t j = 0; j < part->features; j++)
        assert_true(fabs((double)got[j] - row[j]) < 1e-6);
}

TEST(idx)
{
    struct train_data data;
    empty();
    write_idx();
    for (int packed = 0; packed < 2; packed++) {
        load(&data);
        assert_int_equal(data.train.count, 3);
        assert_int_equal(data.train.features, 6);
        assert_int_equal(data.test.count, 1);
        assert_int_equal(data.classes, 4);
        const double row[] = {1, 254 / 255., 253 / 255., 252 / 255., 251 / 255., 250 / 255.};
        check_row(&data.train, 2, 1, row);
        check_row(&data.test, 0, 3,
                  (const double[]){5 / 255., 4 / 255., 3 / 255., 2 / 255., 1 / 255., 0});
        train_data_free(&data);
        if (!packed)
            assert_int_equal(system("gzip -q *ubyte"), 0);
#ifndef SUMMAND_WITH_ZLIB
        refuse("train-images-idx3-ubyte.gz", "built without zlib");
        break;
#endif
    }
#ifdef SUMMAND_WITH_ZLIB
    size_t count;
    unsigned char *packed = train_test_read("train-images-idx3-ubyte.gz", &count);
    for (size_t n = 11; n < count; n++) { /* the head of gzip is 10 bytes and a name */
        train_test_write("train-images-idx3-ubyte.gz", packed, n);
        refuse("train-images-idx3-ubyte.gz", "");
    }
    free(packed);
#endif
}

TEST(idx_refused)
{
    empty();
    write_idx();
    train_test_write("t10k-labels-idx1-ubyte", "\0\0\10\1\0\0\0\2\3\3", 10);
    refuse("t10k-labels-idx1-ubyte", "2 labels for 1 images");
    write_idx();
    train_test_write("train-labels-idx1-ubyte", "\0\0\10\1\0\0\0\3\2\0", 10);
    refuse("train-labels-idx1-ubyte", "its head says 3 bytes, and 2 follow");
    train_test_write("train-labels-idx1-ubyte", "\0\0\10\1\0\0\0\3\2\0\1\1", 12);
    refuse("train-labels-idx1-ubyte", "its head says 3 bytes, and 4 follow");
    train_test_write("train-labels-idx1-ubyte", "\0\0\10\1\0\0", 6);
    refuse("train-labels-idx1-ubyte", "within its head");
    train_test_write("train-labels-idx1-ubyte", "\0\0\10\3\0\0\0\3\2\0\1", 11);
    refuse("train-labels-idx1-ubyte", "not an idx file of labels");
    write_idx();
    train_test_write("train-images-idx3-ubyte",
                     "\0\0\10\3\377\377\377\377\377\377\377\377\377\377\377\377", 16);
    refuse("train-images-idx3-ubyte", "too many samples");
    train_test_write("train-images-idx3-ubyte", "\0\0\10\3\0\0\0\0\0\0\0\2\0\0\0\3", 16);
    train_test_write("train-labels-idx1-ubyte", "\0\0\10\1\0\0\0\0", 8);
    refuse(".", "nothing to train with");
    write_idx();
    train_test_write("t10k-images-idx3-ubyte", "\0\0\10\3\0\0\0\1\0\0\0\1\0\0\0\3\1\2\3", 19);
    refuse(".", "6 features, those to test 3");
    write_idx();
    unlink("train-labels-idx1-ubyte");
    refuse("train-labels-idx1-ubyte", "No such file");
    empty();
    refuse(".", "train.csv");
}

TEST(csv_and_npy)
{
    for (int format = 0; format < 2; format++) {
        struct train_data data;
        empty();
        format ? write_npy() : write_csv();
        load(&data);
        assert_int_equal(data.train.count, 2);
        assert_int_equal(data.train.features, 2);
        assert_int_equal(data.test.count, !format);
        assert_int_equal(data.classes, 3);
        check_row(&data.train, 0, 2, (const double[]){1.5, -2});
        check_row(&data.train, 1, 0, format ? (const double[]){3, 4} : (const double[]){30, 4});
        if (!format)
            check_row(&data.test, 0, 1, (const double[]){5, 6});
        train_data_free(&data);
    }
    empty();
    static const unsigned char big[] = {0x3f, 0xc0, 0, 0, 0xc0, 0, 0, 0}; /* 1.5, -2 */
    static const float zero = 0;
    struct train_data data;
    write_array("train-x.npy", ">f4", "False", "(1, 2)", big, sizeof big);
    write_array("train-y.npy", "=f4", "False", "(1,)", &zero, sizeof zero);
    load(&data);
    check_row(&data.train, 0, 0, (const double[]){1.5, -2});
    train_data_free(&data);
    write_array("train-x.npy", "|u1", "True", "(2, 2)", "\0\377\1\2", 4); /* pixels, by columns */
    write_array("train-y.npy", "<i8", "False", "(2, 1)", "\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16);
    load(&data);
    check_row(&data.train, 0, 3, (const double[]){0, 1});
    check_row(&data.train, 1, 0, (const double[]){255, 2});
    train_data_free(&data);
}

/* Files as other systems and editors write them. No sample is taken for a heading; a skipped
 * heading is reported. */
TEST(csv_of_others)
{
    static const struct {
        const char *text, *note;
    } rows[] = {{"\xef\xbb\xbf"
                 "0,1,2\n1,3,4\n",
                 ""},
                {"0,1,2\r1,3,4\r", ""},
                {"0,1,2\r\n\r\n1,3,4", ""},
                {" \n\n 0 , 0x1 ,2\n1,3,4\n \t\n", ""},
                {"class,a,b\r0,1,2\r1,3,4", "train.csv: line 1 is taken as a heading: class,a,b"},
                {"\xef\xbb\xbf\"c\",\"a\",\"b\"\n0,1,2\n1,3,4\n",
                 "train.csv: line 1 is taken as a heading: \"c\",\"a\",\"b\""},
                {"\n\ninfo,1x1,1x2\n0,1,2\n1,3,4\n",
                 "train.csv: line 3 is taken as a heading: info,1x1,1x2"}};
    static const char *const samples[] = {"\"0\",\"1\",\"2\"\n", "O,1,2\n", "0;1,5\n",
                                          "x, 1e9 ,y\n"};
    empty();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct train_data data;
        text("train.csv", rows[i].text);
        load(&data);
        assert_int_equal(data.train.count, 2);
        check_row(&data.train, 0, 0, (const double[]){1, 2});
        check_row(&data.train, 1, 1, (const double[]){3, 4});
        assert_string_equal(data.train.note, rows[i].note);
        train_data_free(&data);
    }
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        char all[64];
        snprintf(all, sizeof all, "%s0,1,2\n", samples[i]);
        text("train.csv", all);
        refuse("train.csv", "line 1: not a class");
    }
}

TEST(csv_refused)
{
    static const char *const wrong[][2] = {{"1,2,3\n2,3\n", "line 2"},
                                           {"1,2,3\n2,3,4,5\n", "line 2"},
                                           {"1,2,3\n2,,4\n", "line 2"},
                                           {"1,2,3\n-1,2,3\n", "line 2"},
                                           {"1,2,3\n1.5,2,3\n", "line 2"},
                                           {"1,2,3\n1,nan,3\n", "line 2"},
                                           {"1,2,3\n1,2,3x\n", "line 2"},
                                           {"1,2,3\n70000,2,3\n", "line 2"},
                                           {"h,i\n\n1,2\n1,\n", "line 4"},
                                           {"", "no line"},
                                           {"a,b\n", "no line"},
                                           {"1\n", "no line"},
                                           {"1,2,3\n\n1,inf,3\n", "line 3"},
                                           {"1,2,3\n1,1e39,3\n", "line 2"}};
    empty();
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        text("train.csv", wrong[i][0]);
        refuse("train.csv", wrong[i][1]);
    }
    train_test_write("train.csv", "1,2\n1\0,3\n", 9);
    refuse("train.csv", "a byte 0");
    text("train.csv", "1,2\n");
    text("test.csv", "1,2,3\n");
    refuse(".", "1 features, those to test 2");
}

/* A matrix is of targets; one column is of classes if its numbers are integers. */
TEST(npy_targets)
{
    static const double x[] = {1, 2, 3, 4}, y[] = {0.5, -1, 7, 1e9, 3, 4};
    struct train_data data;
    float got[3];
    empty();
    write_array("train-x.npy", "=f8", "False", "(2, 2)", x, sizeof x);
    write_array("train-y.npy", "=f8", "True", "(2, 3)", y, sizeof y); /* by columns */
    load(&data);
    assert_int_equal(data.train.targets, 3);
    assert_int_equal(data.classes, 3);
    train_sample_target(&data.train, 1, 3, got);
    assert_true(got[0] == -1 && got[1] == 1e9f && got[2] == 4);
    train_data_free(&data);
    write_array("train-y.npy", "=f8", "False", "(2, 1)", y, 16);
    load(&data);
    assert_int_equal(data.train.targets, 1);
    train_sample_target(&data.train, 0, 1, got);
    assert_true(got[0] == 0.5f);
    train_data_free(&data);
    write_array("train-y.npy", "|i1", "False", "(2, 1)", "\0\2", 2);
    load(&data);
    assert_null(data.train.target);
    assert_int_equal(data.classes, 3);
    train_sample_target(&data.train, 1, 3, got);
    assert_true(got[0] == 0 && got[1] == 0 && got[2] == 1);
    train_data_free(&data);
    write_array("train-y.npy", "=f8", "False", "(3, 2)", y, sizeof y);
    refuse("train-y.npy", "3 rows of targets for 2 samples");
    write_array("train-y.npy", "=f8", "False", "(2, 0)", y, 0);
    refuse("train-y.npy", "its shape is (2, 0); a vector of classes such as (460,), or a matrix");
    write_array("train-y.npy", "=f8", "False", "(2, 3)", y, sizeof y);
    write_array("test-x.npy", "=f8", "False", "(2, 2)", x, sizeof x);
    write_array("test-y.npy", "=f8", "False", "(2, 2)", y, 32);
    refuse(".", "samples to train with have 3 targets, those to test 2");
}

TEST(npy_refused)
{
    static const double x[] = {1, 2, 3, NAN, 5, 6};
    static const double large[] = {1, 1e39, 3, 4}; /* no float */
    static const double y[] = {0, 1, 1.5};
    empty();
    write_array("train-x.npy", "=f8", "False", "(2, 2)", x, 32);
    write_array("train-y.npy", "=f8", "False", "(2,)", y, 16);
    refuse("train-x.npy", "row 1: not a finite float");
    write_array("train-x.npy", "=f8", "False", "(2, 2)", large, 32);
    refuse("train-x.npy", "row 0: not a finite float");
    write_array("train-x.npy", "=f8", "False", "(3, 1)", x, 24);
    refuse("train-y.npy", "2 classes for 3 samples");
    write_array("train-y.npy", "=f8", "False", "(3,)", y, 24);
    refuse("train-y.npy", "number 2 is no class");
    write_array("train-x.npy", "=f8", "False", "(3, 2)", x, 40);
    refuse("train-x.npy", "(3, 2) numbers, and 5 follow");
    write_array("train-x.npy", "=f8", "False", "(6,)", x, 48);
    refuse("train-x.npy", "its shape is (6,); two dimensions, samples and features");
    write_array("train-x.npy", "<c8", "False", "(3, 2)", x, 48);
    refuse("train-x.npy", "its values are complex; real numbers expected");
    write_array("train-x.npy", "=f8", "False", "(4611686018427387905, 4)", x, 32);
    refuse("train-x.npy", "numbers, and");
    text("train-x.npy", "nothing");
    refuse("train-x.npy", "not an .npy file");
}

/* Generated digits: the same for the same seed, whatever else is drawn. Classes differ in their
 * mean pictures, and no two pictures are alike. */
TEST(digits)
{
    enum { COUNT = 600, PIXELS = TRAIN_DIGIT_SIDE * TRAIN_DIGIT_SIDE };
    struct train_data data, less;
    struct summand__net_fault fault = {.text = ""};
    static double mean[10][PIXELS];
    static int of[10];
    assert_true(train_data_digits(3, COUNT, 200, &data, &fault));
    assert_true(train_data_digits(3, COUNT / 2, 0, &less, &fault));
    assert_memory_equal(data.train.values, less.train.values, COUNT / 2 * PIXELS);
    assert_int_not_equal(memcmp(data.train.values, data.test.values, PIXELS), 0);
    const unsigned char *pixels = data.train.values;
    for (size_t i = 0; i < COUNT; i++) {
        int label = data.train.label[i];
        of[label]++;
        for (size_t j = 0; j < PIXELS; j++)
            mean[label][j] += pixels[i * PIXELS + j];
        assert_true(!i || memcmp(pixels + i * PIXELS, pixels + (i - 1) * PIXELS, PIXELS) != 0);
    }
    int right = 0;
    pixels = data.test.values;
    for (size_t i = 0; i < 200; i++) {
        double least = INFINITY;
        int nearest = 0;
        for (int c = 0; c < 10; c++) {
            double square = 0;
            for (size_t j = 0; j < PIXELS; j++) {
                double off = mean[c][j] / of[c] - pixels[i * PIXELS + j];
                square += off * off;
            }
            if (square < least) {
                least = square;
                nearest = c;
            }
        }
        right += nearest == data.test.label[i];
    }
    assert_between(right, 120, 199); /* neither noise nor trivial */
    train_data_free(&data);
    train_data_free(&less);
}

/* If any memory request fails, an error says so, and nothing is left allocated. */
TEST(memory)
{
    void (*const writers[])(void) = {write_idx, write_csv, write_npy};
    for (int format = 0; format < 3; format++) {
        empty();
        writers[format]();
        for (long n = 1;; n++) {
            struct train_data data;
            struct summand__net_fault fault = {.text = ""};
            scarce_begin(n, 0);
            bool good = train_data_load(".", &data, &fault);
            if (!scarce_end()) {
                assert_true(good && n > 4);
                train_data_free(&data);
                break;
            }
            assert_false(good);
            assert_non_null(strstr(fault.text, "out of memory"));
        }
    }
}

int main(void)
{
    if (!mkdtemp(home) || chdir(home))
        return 1;
    int status = cmocka_run_group_tests(unit_tests, NULL, NULL);
    empty();
    rmdir(home);
    return status;
}
