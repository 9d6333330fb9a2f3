/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers for sums (cli/sum/source.h) and matrices. A few lines of this file read an accepted file
 * a second time. */
#include "cli/sum/dataset.h"
#include "cli/sum/source.h"
#include "fuzz/files/reader.h"

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <summand/matrix.h>

enum { ROWS = 5, COLUMNS = 3 };

static bool same(double a, double b)
{
    return !memcmp(&a, &b, sizeof a) || (a != a && b != b);
}

static enum outcome compare(const char *path, const struct bytes *bytes, const char **why,
                            bool (*equals)(const struct bytes *bytes, const double *values,
                                           uint64_t n))
{
    struct dataset data;
    const struct dataset_options options = {0};
    if (!dataset_read(&data, "fuzz", &options, path, (struct dataset_how){.part = -1}))
        return REFUSED;
    bool right = equals(bytes, data.values, data.n);
    dataset_free(&data);
    *why = "read as other numbers";
    return right ? TAKEN : WRONG;
}

static bool make_psllh(int seed)
{
    static const char *const texts[] = {"3\n1.5\n-2e3\n.25\n", "5 1 2 3 4 5",
                                        "2\r\n  -1e-310\t0x1p-3\n\n", "0\n"};
    put_file("x.psllh", texts[seed], strlen(texts[seed]));
    return true;
}

static bool equals_text(const struct bytes *bytes, const double *values, uint64_t n)
{
    static char text[LONGEST + 1];
    const char *const blanks = " \t\n\v\f\r";
    uint64_t words = 0;
    memcpy(text, bytes->at, bytes->count + 1);
    if (strlen(text) != bytes->count)
        return false;
    for (char *word = strtok(text, blanks); word; word = strtok(NULL, blanks), words++) {
        char *end;
        double value = strtod(word, &end);
        if (*end == 'd' || *end == 'D') { /* Fortran's exponent */
            *end = 'e';
            value = strtod(word, &end);
        }
        if (*end || (words ? words > n || !same(value, values[words - 1]) : value != (double)n))
            return false;
    }
    return words == n + 1;
}

static enum outcome take_psllh(const struct bytes *bytes, const char **why)
{
    return compare("x.psllh", bytes, why, equals_text);
}

static const struct reader psllh = {"psllh", "x.psllh", false, make_psllh, take_psllh, NULL};

/* Numbers in a row at the end of the bytes. */
static bool equals_row(const struct bytes *bytes, size_t width, bool swapped, const double *values,
                       uint64_t n)
{
    if (n > bytes->count / width)
        return false;
    const char *at = bytes->at + bytes->count - n * width;
    for (uint64_t i = 0; i < n; i++, at += width) {
        char raw[8] = {0};
        float narrow;
        double value;
        for (size_t b = 0; b < width; b++)
            raw[b] = at[swapped ? width - 1 - b : b];
        memcpy(&narrow, raw, sizeof narrow);
        memcpy(&value, raw, width);
        if (!same(width == 8 ? value : (double)narrow, values[i]))
            return false;
    }
    return true;
}

static bool make_binpsllh(int seed)
{
    const uint64_t words[] = {3, UINT64_C(0x3ff8000000000000), 5, UINT64_C(0xfff0000000000000)};
    const uint64_t none = 0;
    put_file("x.binpsllh", seed ? &none : words, seed ? sizeof none : sizeof words);
    return seed < 2;
}

static bool equals_counted(const struct bytes *bytes, const double *values, uint64_t n)
{
    uint64_t count;
    memcpy(&count, bytes->at, sizeof count);
    return count == n && bytes->count == 8 + 8 * n && equals_row(bytes, 8, false, values, n);
}

static enum outcome take_binpsllh(const struct bytes *bytes, const char **why)
{
    return compare("x.binpsllh", bytes, why, equals_counted);
}

static const struct reader binpsllh = {"binpsllh",    "x.binpsllh",  false,
                                       make_binpsllh, take_binpsllh, NULL};

static const unsigned char row[ROWS * COLUMNS * sizeof(double)] = {
    1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12,   13,
    14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 0x3f, 0x40};

static bool make_npy(int seed)
{
    static const char *const descr[] = {"<f8", ">f2", "<c8", ">i4"};
    static const char *const shape[] = {"(7,)", "(2, 3, 2)", "(3,)", "(1, 5)"};
    static const size_t count[] = {7 * 8, 12 * 2, 3 * 8, 5 * 4};
    char bytes[512];
    put_file("x.npy", bytes, npy_bytes(bytes, descr[seed], "False", shape[seed], row, count[seed]));
    return true;
}

/* A value in the last bytes: decoded by its type's letters, with other arithmetic than the
 * reader's. */
static double value_of(const unsigned char *at, char kind, int width, bool big)
{
    uint64_t bits = 0;
    if (kind == 'g') {
        unsigned char raw[sizeof(long double)] = {0};
        long double wide;
        for (int b = 0; b < 10; b++)
            raw[b] = at[big ? width - 1 - b : b];
        memcpy(&wide, raw, sizeof wide);
        return (double)wide;
    }
    for (int b = 0; b < width; b++)
        bits = bits * 256 + at[big ? b : width - 1 - b];
    double value = (double)bits;
    float narrow;
    if (kind == 'i' && at[big ? 0 : width - 1] & 128)
        value = width == 8 ? -(double)(0 - bits) : value - (double)(UINT64_C(1) << 8 * width);
    if (kind == 'f' && width == 8)
        memcpy(&value, &bits, sizeof value);
    if (kind == 'f' && width == 4) {
        const uint32_t half = (uint32_t)bits;
        memcpy(&narrow, &half, sizeof narrow);
        value = (double)narrow;
    }
    if (kind == 'f' && width == 2) {
        const int power = (int)(bits >> 10 & 31), rest = (int)(bits & 1023);
        value = power ? (1 + rest / 1024.0) * pow(2, power - 15) : rest * pow(2, -24);
        value = power < 31 ? value : rest ? (double)NAN : (double)INFINITY;
        value = bits >> 15 ? -value : value;
    }
    return value;
}

static bool equals_type(const struct bytes *bytes, char kind, int width, bool big,
                        const double *values, uint64_t n)
{
    if (n > bytes->count / (size_t)width)
        return false;
    const char *at = bytes->at + bytes->count - n * (size_t)width;
    for (uint64_t i = 0; i < n; i++, at += width)
        if (!same(value_of((const unsigned char *)at, kind, width, big), values[i]))
            return false;
    return true;
}

/* Decodes by a type that its header has; complex numbers as their parts. A long double is decoded
 * by the compiler. */
static bool equals_some_type(const char *text, const struct bytes *bytes, const double *values,
                             uint64_t n)
{
    static const struct {
        const char *name;
        char kind;
        int width;
    } types[] = {{"f2", 'f', 2},   {"f4", 'f', 4},  {"f8", 'f', 8},   {"i1", 'i', 1},
                 {"i2", 'i', 2},   {"i4", 'i', 4},  {"i8", 'i', 8},   {"u1", 'u', 1},
                 {"u2", 'u', 2},   {"u4", 'u', 4},  {"u8", 'u', 8},   {"b1", 'b', 1},
                 {"c8", 'f', 4},   {"c16", 'f', 8}, {"f12", 'g', 12}, {"f16", 'g', 16},
                 {"c24", 'g', 12}, {"c32", 'g', 16}};
    for (size_t t = 0; t < 4 * (sizeof types / sizeof *types); t++) {
        char type[5] = {"<>=|"[t % 4], 0};
        strcpy(type + 1, types[t / 4].name);
        if (strstr(text, type) &&
            equals_type(bytes, types[t / 4].kind, types[t / 4].width, *type == '>', values, n))
            return true;
    }
    return false;
}

/* The text up to the first bytes of numbers, with blanks for bytes 0. */
static void header_text(const struct bytes *bytes, char text[300])
{
    size_t length = bytes->count < 299 ? bytes->count : 299;
    for (size_t i = 0; i < length; i++)
        text[i] = bytes->at[i] ? bytes->at[i] : ' ';
    text[length] = 0;
}

/* A file whose header has the type and the count. */
static bool equals_npy(const struct bytes *bytes, const double *values, uint64_t n)
{
    char text[300], number[32];
    header_text(bytes, text);
    snprintf(number, sizeof number, "%" PRIu64, n);
    /* A shape has one number or several, and complex numbers two parts. */
    if (!strstr(text, number) && n > 1 && !strstr(text, "c8") && !strstr(text, "c16") &&
        !strchr(strchr(text, '(') ? strchr(text, '(') : "", ','))
        return false;
    return equals_some_type(text, bytes, values, n);
}

static enum outcome take_npy(const struct bytes *bytes, const char **why)
{
    return compare("x.npy", bytes, why, equals_npy);
}

static const struct reader npy = {"npy", "x.npy", false, make_npy, take_npy, NULL};

static double elements[ROWS * COLUMNS];
static summand_matrix *matrix;

static bool make_matrix(int seed)
{
    char bytes[512];
    const summand_matrix_shape shape = {.rows = ROWS,
                                        .columns = COLUMNS,
                                        .block_rows = 2,
                                        .block_columns = 2,
                                        .grid_rows = 1,
                                        .grid_columns = 1};
    static const char *const types[] = {"<f8", ">i4", "<f2", ">f8"};
    const size_t count = ROWS * COLUMNS * (size_t)(types[seed][2] - '0');
    put_file("m.npy", bytes,
             npy_bytes(bytes, types[seed], seed & 2 ? "True" : "False", "(5, 3)", row, count));
    if (!matrix) {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        need_fine(summand_matrix_create(&shape, MPI_DOUBLE, elements, ROWS, MPI_COMM_WORLD,
                                        &matrix) == MPI_SUCCESS,
                  "no matrix");
    }
    return true;
}

/* By columns; the file is by rows or by columns. */
static enum outcome take_matrix(const struct bytes *bytes, const char **why)
{
    static char text[MPI_MAX_ERROR_STRING];
    char header[300];
    double by_rows[ROWS * COLUMNS];
    int length, code = summand_matrix_read(matrix, "m.npy", SUMMAND_FORMAT_NPY);
    if (code != MPI_SUCCESS) {
        MPI_Error_string(code, text, &length);
        *why = text;
        return REFUSED;
    }
    for (int i = 0; i < ROWS * COLUMNS; i++)
        by_rows[i] = elements[i / COLUMNS + i % COLUMNS * ROWS];
    *why = "read as another matrix";
    header_text(bytes, header);
    return equals_some_type(header, bytes, by_rows, ROWS * COLUMNS) ||
                   equals_some_type(header, bytes, elements, ROWS * COLUMNS)
               ? TAKEN
               : WRONG;
}

static void end_matrix(void)
{
    summand_matrix_free(&matrix);
}

static const struct reader matrices = {"matrix",    "m.npy",     false,
                                       make_matrix, take_matrix, end_matrix};

/* CRC-32, bit by bit (ITU-T V.42). */
static uint32_t crc_of(const char *bytes, size_t count)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < count; i++) {
        crc ^= (unsigned char)bytes[i];
        for (int b = 0; b < 8; b++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    return ~crc;
}

/* Reads values one by one from the last to the first: the same ones. */
static enum outcome backwards(const char *path, const char *column, const char **why)
{
    const struct dataset_options options = {.choice.column = column};
    struct dataset data;
    struct source source;
    struct trouble trouble = {""};
    if (!dataset_read(&data, "fuzz", &options, path, (struct dataset_how){.part = -1}))
        return REFUSED;
    need_fine(source_open(&source, "fuzz", path, &options.choice), "a file is read only once");
    source_take_part(&source, -1);
    bool right = source.count == data.n;
    for (uint64_t i = right ? data.n : 0; i > 0 && right; i--) {
        double value;
        source.format->read(&source, i - 1, 1, 1, &value, &trouble);
        right = !trouble.text[0] && same(value, data.values[i - 1]);
        i -= i > 600 ? 500 : 0;
    }
    source_close(&source);
    dataset_free(&data);
    *why = "read backwards it has other numbers";
    return right ? TAKEN : WRONG;
}

static bool make_csv(int seed)
{
    static const char *const texts[] = {
        "time,\"x, y\",z\r\n1,2.5,abc\r\n3, 4 ,\"d \"\"e\"\r\n5,6,f\n",
        "# t  u\n1 2 # five\n\n  3\t4D1\n%\n5 6", "a;b\r1;2\r3;4\r",
        "\357\273\2771\t\t3\n4\t5\t6\n"};
    put_file("x.csv", texts[seed], strlen(texts[seed]));
    return true;
}

static enum outcome take_csv(const struct bytes *bytes, const char **why)
{
    (void)bytes;
    return backwards("x.csv", "0", why);
}

static const struct reader table = {"table", "x.csv", false, make_csv, take_csv, NULL};

/* Archives as Python's zipfile writes them: "a.npy", a vector of two bytes 1 and 2, stored and
 * deflated. */
static bool make_npz(int seed)
{
    static const char local[] = "PK\3\4\24\0\0\0", central[] = "PK\1\2\24\3\24\0\0\0",
                      end[] = "PK\5\6\0\0\0\0\1\0\1\0";
    char bytes[1024], array[256], packed[300];
    size_t at = 0, count = npy_bytes(array, "|u1", "False", "(2,)", "\1\2", 2), size = count;
    /* Deflated: one block of bytes as they are (RFC 1951, 3.2.4). */
    const unsigned char block[] = {1, (unsigned char)count, 0, (unsigned char)~count, 255};
    if (seed)
        size += sizeof block;
    memcpy(packed, block, sizeof block);
    memcpy(packed + (seed ? sizeof block : 0), array, count);
    const uint32_t crc = crc_of(array, count), sizes[] = {crc, (uint32_t)size, (uint32_t)count};
    const uint16_t method[] = {seed ? 8 : 0, 0, 0}, name[] = {5, 0};
    const uint32_t zeros[4] = {0};
#define PUT(from, length) (memcpy(bytes + at, from, length), at += (length))
    PUT(local, 8), PUT(method, 6), PUT(sizes, 12), PUT(name, 4), PUT("a.npy", 5), PUT(packed, size);
    const uint32_t list[] = {46 + 5, (uint32_t)at};
    PUT(central, 10), PUT(method, 6), PUT(sizes, 12), PUT(name, 4), PUT(zeros, 14), PUT("a.npy", 5);
    PUT(end, 12), PUT(list, 8), PUT(zeros, 2);
#undef PUT
    put_file("x.npz", bytes, at);
    return seed < 2;
}

static enum outcome take_npz(const struct bytes *bytes, const char **why)
{
    (void)bytes;
    return backwards("x.npz", NULL, why);
}

static const struct reader npz = {"npz", "x.npz", false, make_npz, take_npz, NULL};

const struct reader *const readers_of_numbers[] = {&psllh, &binpsllh, &npy, &table,
                                                   &npz,   &matrices, NULL};
