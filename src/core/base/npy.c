/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/npy.h"

#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PREAMBLE = 8 };

static const bool is_little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

/* Notes the error; returns false. */
__attribute__((format(printf, 2, 3))) static bool wrong(struct summand__npy *npy,
                                                        const char *format, ...)
{
    va_list words;
    va_start(words, format);
    vsnprintf(npy->wrong, sizeof npy->wrong, format, words);
    va_end(words);
    return false;
}

static const char blanks[] = " \t\n\r";

/* Length up to one of these characters, limited for a sentence. */
static int until(const char *text, const char *ends)
{
    size_t length = strcspn(text, ends);
    return length < 60 ? (int)length : 60;
}

static void skip(const char **at)
{
    *at += strspn(*at, blanks);
}

/* If the text continues with the word, skips it and returns true. */
static bool takes(const char **at, const char *word)
{
    size_t length = strlen(word);
    bool same = !strncmp(*at, word, length);
    *at += same ? length : 0;
    return same;
}

/* Takes a word in Python's quotes; NULL if there is none. */
static const char *take_word(const char **at, size_t *length)
{
    const char quotes[] = {**at, '\0'}, *word = *at + 1;
    if (**at != '\'' && **at != '"')
        return NULL;
    *length = strcspn(word, quotes);
    if (!word[*length])
        return NULL;
    *at = word + *length + 1;
    return word;
}

/* Long doubles of x86; those of other processors have the same name in a file, and other bits. */
#if LDBL_MANT_DIG == 64
#define LONG_FLOATS 12, 16
#define LONG_COMPLEX 24, 32
#define LONG_NAMES ", f16", ", c32"
#else
#define LONG_FLOATS 0
#define LONG_COMPLEX 0
#define LONG_NAMES "", ""
#endif

/* Reads a supported type, such as "<f8", "|u1" or ">c16": byte order, kind and bytes. */
static bool take_type(const char *type, size_t length, struct summand__npy *npy)
{
    static const struct {
        char kind;
        unsigned char widths[5];
    } rows[] = {{'f', {2, 4, 8, LONG_FLOATS}},
                {'c', {8, 16, LONG_COMPLEX}},
                {'i', {1, 2, 4, 8}},
                {'u', {1, 2, 4, 8}},
                {'b', {1}}};
    char digits[4] = "";
    if (length < 3 || length > 4)
        return false;
    memcpy(digits, type + 2, length - 2);
    npy->kind = type[1];
    npy->width = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t k = 0; k < sizeof rows->widths && rows[i].kind == type[1]; k++) {
            char width[4];
            snprintf(width, sizeof width, "%d", rows[i].widths[k]);
            if (rows[i].widths[k] && !strcmp(width, digits))
                npy->width = rows[i].widths[k];
        }
    npy->swapped = type[0] == (is_little ? '>' : '<');
    return npy->width && strchr(npy->width == 1 ? "<>=|" : "<>=", type[0]);
}

static bool read_type(const char **at, struct summand__npy *npy)
{
    static const char *const names[] = {LONG_NAMES};
    const char *from = *at;
    size_t length;
    const char *type = take_word(at, &length);
    return (type && take_type(type, length, npy)) ||
           wrong(npy,
                 "its values are %.*s; f2, f4, f8%s (floats), c8, c16%s (complex), i1, i2, i4, i8, "
                 "u1, u2, u4, u8 (integers) or b1 (booleans) expected",
                 until(from, ",}"), from, names[0], names[1]);
}

/* Reads a Python tuple: "()", "(7,)", "(3, 5)", "(3, 5,)"; one number needs a comma. */
static bool read_extents(const char **at, struct summand__npy *npy)
{
    bool comma = true;
    int wide = 0;
    npy->count = 1;
    if (!takes(at, "("))
        return false;
    for (skip(at); **at != ')'; skip(at)) {
        char *end;
        errno = 0;
        unsigned long long extent = strtoull(*at, &end, 10);
        if (!comma || **at < '0' || **at > '9' || errno ||
            npy->dimensions == SUMMAND__NPY_DIMENSIONS)
            return false;
        npy->extent[npy->dimensions++] = extent;
        if (__builtin_mul_overflow(npy->count, extent, &npy->count))
            npy->count = UINT64_MAX; /* more than any file has */
        wide += extent != 1;
        *at = end;
        skip(at);
        comma = takes(at, ",");
    }
    ++*at;
    npy->vector = wide <= 1;
    return comma || npy->dimensions > 1;
}

static bool read_shape(const char **at, struct summand__npy *npy)
{
    const char *shape = *at;
    int length = until(shape, ")");
    snprintf(npy->shape, sizeof npy->shape, "%.*s", shape[length] ? length + 1 : length, shape);
    return read_extents(at, npy) ||
           wrong(npy, "its .npy header has no shape that can be read: %s", npy->shape);
}

static bool read_order(const char **at, struct summand__npy *npy)
{
    npy->columns = takes(at, "True");
    return npy->columns || takes(at, "False") ||
           wrong(npy, "its .npy header does not say in which order its numbers lie");
}

/* The required keys of a header, once each, in any order. */
static const struct key {
    const char *name;
    bool (*read)(const char **at, struct summand__npy *npy);
} keys[] = {{"descr", read_type}, {"fortran_order", read_order}, {"shape", read_shape}};
enum { KEYS = sizeof keys / sizeof *keys };

static int key_named(const char *name, size_t length)
{
    int k = 0;
    while (k < KEYS && (strlen(keys[k].name) != length || strncmp(keys[k].name, name, length) != 0))
        k++;
    return k;
}

static bool read_pair(const char **at, unsigned *seen, struct summand__npy *npy)
{
    const char *from = *at;
    size_t length;
    const char *name = take_word(at, &length);
    if (!name)
        return wrong(npy, "its .npy header has no key where one is expected: %.*s",
                     until(from, "\n"), from);
    int k = key_named(name, length);
    if (k == KEYS)
        return wrong(npy, "its .npy header says '%.*s', which is not known",
                     length < 60 ? (int)length : 60, name);
    if (*seen >> k & 1)
        return wrong(npy, "its .npy header says %s twice", keys[k].name);
    *seen |= 1u << k;
    skip(at);
    if (!takes(at, ":"))
        return wrong(npy, "its .npy header lacks a colon behind '%s'", keys[k].name);
    skip(at);
    if (!keys[k].read(at, npy))
        return false;
    from = *at;
    skip(at);
    return **at == '}' || takes(at, ",") ||
           wrong(npy, "its .npy header goes on behind %s: %.*s", keys[k].name, until(from, "\n"),
                 from);
}

/* Reads a Python dictionary, followed by blanks only. */
static bool read_pairs(const char *at, struct summand__npy *npy)
{
    unsigned seen = 0;
    skip(&at);
    if (!takes(&at, "{"))
        return wrong(npy, "its .npy header is no dictionary: %.*s", until(at, "\n"), at);
    for (skip(&at); *at != '}'; skip(&at))
        if (!read_pair(&at, &seen, npy))
            return false;
    ++at;
    skip(&at);
    if (*at)
        return wrong(npy, "its .npy header goes on behind its end: %.*s", until(at, "\n"), at);
    for (int k = 0; k < KEYS; k++)
        if (!(seen >> k & 1))
            return wrong(npy, "its .npy header lacks %s", keys[k].name);
    return true;
}

/* Bytes of the length field. */
static size_t field_of(const char *bytes)
{
    return bytes[6] == 1 ? 2 : 4;
}

bool summand__npy_start(const char *bytes, size_t count, struct summand__npy *npy)
{
    const unsigned char *start = (const unsigned char *)bytes;
    size_t length = 0;
    *npy = (struct summand__npy){.width = 0};
    if (count < SUMMAND__NPY_START || memcmp(bytes, "\x93NUMPY", 6) || !start[6] || start[6] > 3)
        return wrong(npy, "not an .npy file of version 1, 2 or 3");
    for (size_t i = 0; i < field_of(bytes); i++)
        length |= (size_t)start[PREAMBLE + i] << 8 * i;
    npy->begin = PREAMBLE + field_of(bytes) + length;
    return npy->begin <= SUMMAND__NPY_MOST ||
           wrong(npy, "its .npy header is too long (%zu bytes)", length);
}

bool summand__npy_read(char *bytes, struct summand__npy *npy)
{
    const char *header = bytes + PREAMBLE + field_of(bytes);
    char behind = bytes[npy->begin];
    bytes[npy->begin] = '\0';
    bool good = (strlen(header) == npy->begin - PREAMBLE - field_of(bytes) ||
                 wrong(npy, "its .npy header has a byte 0")) &&
                read_pairs(header, npy);
    bytes[npy->begin] = behind;
    return good;
}

/* Converts an IEEE 754 binary16. */
static double half(uint16_t bits)
{
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double value = ldexp(exponent ? 1024 + fraction : fraction, (exponent ? exponent : 1) - 25);
    if (exponent == 31)
        value = fraction ? (double)NAN : (double)INFINITY;
    return bits >> 15 ? -value : value;
}

/* As a pair: the double `value`. */
static bool is_double(double value, double pair[2])
{
    pair[0] = value;
    pair[1] = -0.0; /* adds nothing to any value, -0.0 included */
    return true;
}

/* As a pair: the integer, with this sign. */
static void split(bool negative, uint64_t integer, double pair[2])
{
    const double near = (double)integer;
    is_double(negative ? -near : near, pair);
    if (integer <= UINT64_C(1) << DBL_MANT_DIG)
        return;
    const double rest =
        near < 0x1p64 ? (double)(int64_t)(integer - (uint64_t)near) : -(double)(0 - integer);
    if (rest != 0)
        pair[1] = negative ? -rest : rest;
}

/* Multiplies a pair by a power of two; false if the product cannot be held. */
static bool scale(int power, double pair[2])
{
    bool exact = true;
    for (int i = 0; i < 2; i++) {
        const double product = ldexp(pair[i], power);
        exact = exact && isfinite(product) && ldexp(product, -power) == pair[i];
        pair[i] = product;
    }
    return exact;
}

/* x87's format: 64 bits of significand, the first one explicit, then 15 of exponent, and the sign.
 */
static bool from_long(uint64_t significand, unsigned above, double pair[2])
{
    const int exponent = (int)(above & 0x7fff);
    const bool negative = above >> 15;
    if (exponent == 0x7fff || (exponent && !(significand >> 63)))
        return is_double(significand << 1 || !exponent || !(significand >> 63) ? (double)NAN
                         : negative                                            ? -(double)INFINITY
                                                                               : (double)INFINITY,
                         pair);
    split(negative, significand, pair);
    return scale((exponent ? exponent : 1) - 16383 - 63, pair);
}

/* raw: in this machine's byte order; bits: the first 8 bytes, the least significant ones. */
static bool from_float(const unsigned char *raw, uint64_t bits, size_t width, double pair[2])
{
    float narrow;
    double value;
    if (width > 8)
        return from_long(bits, raw[8] | (unsigned)raw[9] << 8, pair);
    if (width == 2)
        return is_double(half((uint16_t)bits), pair);
    memcpy(&narrow, raw, sizeof narrow);
    memcpy(&value, raw, sizeof value);
    return is_double(width == 4 ? (double)narrow : value, pair);
}

/* Extends an integer of any width to 64 bits. */
static void from_integer(uint64_t bits, size_t width, bool is_signed, double pair[2])
{
    const int above = 64 - 8 * (int)width;
    const uint64_t integer = (uint64_t)((int64_t)(bits << above) >> above);
    const bool negative = is_signed && integer >> 63;
    split(negative, negative ? 0 - integer : is_signed ? integer : bits, pair);
}

static bool read_pair_of(const struct summand__npy *npy, const unsigned char *from, double pair[2])
{
    unsigned char raw[16] = {0};
    uint64_t bits = 0;
    for (size_t b = 0; b < npy->width; b++)
        raw[b] = from[npy->swapped ? npy->width - 1 - b : b];
    for (size_t b = 0; b < npy->width && b < sizeof bits; b++)
        bits |= (uint64_t)raw[is_little ? b : npy->width - 1 - b] << 8 * b;
    if (npy->kind == 'f')
        return from_float(raw, bits, npy->width, pair);
    from_integer(bits, npy->width, npy->kind == 'i', pair);
    return npy->kind != 'b' || bits <= 1;
}

size_t summand__npy_values(const struct summand__npy *npy, const void *from, size_t count,
                           double *to)
{
    const unsigned char *at = from;
    double pair[2];
    size_t i = 0;
    if (npy->kind == 'f' && npy->width == 8 && !npy->swapped) {
        memcpy(to, from, count * sizeof *to);
        return count;
    }
    if (npy->kind == 'f' && npy->width == 4 && !npy->swapped) {
        for (; i < count; i++) {
            float narrow;
            memcpy(&narrow, at + i * sizeof narrow, sizeof narrow);
            to[i] = (double)narrow;
        }
        return count;
    }
    for (; i < count && read_pair_of(npy, at, pair) && pair[1] == 0; i++) {
        to[i] = pair[0];
        at += npy->width;
    }
    return i;
}

size_t summand__npy_pairs(const struct summand__npy *npy, const void *from, size_t count,
                          double *to)
{
    const unsigned char *at = from;
    size_t i = 0;
    for (; i < count && read_pair_of(npy, at, to + 2 * i); i++)
        at += npy->width;
    return i;
}

struct summand__npy summand__npy_part(const struct summand__npy *npy)
{
    struct summand__npy part = *npy;
    if (npy->kind == 'c') {
        part.kind = 'f';
        part.width = npy->width / 2;
    }
    return part;
}

void summand__npy_write(char header[SUMMAND__NPY_HEADER], struct summand__npy *npy)
{
    char text[SUMMAND__NPY_HEADER / 2], second[32] = "";
    if (npy->dimensions == 2)
        snprintf(second, sizeof second, " %" PRIu64, npy->extent[1]);
    int used = snprintf(text, sizeof text,
                        "{'descr': '%cf%zu', 'fortran_order': %s, 'shape': (%" PRIu64 ",%s), }",
                        is_little != npy->swapped ? '<' : '>', npy->width,
                        npy->columns ? "True" : "False", npy->extent[0], second);
    int begin = (PREAMBLE + 2 + used + 1 + 63) / 64 * 64, length = begin - PREAMBLE - 2;
    npy->begin = (size_t)begin;
    snprintf(header, SUMMAND__NPY_HEADER, "\x93NUMPY%c", 1);
    header[7] = 0;
    header[8] = (char)(length & 255);
    header[9] = (char)(length >> 8);
    snprintf(header + PREAMBLE + 2, SUMMAND__NPY_HEADER - PREAMBLE - 2, "%-*s\n", length - 1, text);
}
