#include "base/npy.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PREAMBLE = 8 };

static const bool is_little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

/* Notes what is wrong; false. */
__attribute__((format(printf, 2, 3))) static bool wrong(struct summand__npy *npy,
                                                        const char *format, ...)
{
    va_list words;
    va_start(words, format);
    vsnprintf(npy->wrong, sizeof npy->wrong, format, words);
    va_end(words);
    return false;
}

/* Behind "'key':" and blanks; empty if the key is missing. */
static const char *value_of(const char *header, const char *key)
{
    char quoted[32];
    snprintf(quoted, sizeof quoted, "'%s'", key);
    const char *found = strstr(header, quoted);
    if (!found)
        return "";
    found += strlen(quoted);
    return found + strspn(found, " :");
}

/* Up to one of these characters, as far as a sentence has room for it. */
static int until(const char *text, const char *ends)
{
    size_t length = strcspn(text, ends);
    return length < 60 ? (int)length : 60;
}

static bool read_type(const char *descr, struct summand__npy *npy)
{
    if (!*descr)
        return wrong(npy, "its .npy header lacks descr");
    if (strlen(descr) < 5 || descr[0] != '\'' || !strchr("<>=", descr[1]) || descr[2] != 'f' ||
        (descr[3] != '4' && descr[3] != '8') || descr[4] != '\'')
        return wrong(npy, "its values are %.*s; '<f8' or '<f4' expected", until(descr, ",}"),
                     descr);
    npy->width = descr[3] == '4' ? 4 : 8;
    npy->swapped = descr[1] == (is_little ? '>' : '<');
    return true;
}

static bool read_extents(const char *shape, struct summand__npy *npy)
{
    if (*shape++ != '(')
        return false;
    for (shape += strspn(shape, " "); *shape != ')'; shape += strspn(shape, " ")) {
        char *end;
        errno = 0;
        unsigned long long extent = strtoull(shape, &end, 10);
        if (*shape < '0' || *shape > '9' || errno)
            return false;
        if (npy->dimensions < 2)
            npy->extent[npy->dimensions] = extent;
        npy->dimensions++;
        shape = end + strspn(end, " ");
        if (*shape == ',')
            shape++;
        else if (*shape != ')')
            return false;
    }
    return true;
}

static bool read_shape(const char *shape, struct summand__npy *npy)
{
    int length = until(shape, ")");
    snprintf(npy->shape, sizeof npy->shape, "%.*s", shape[length] ? length + 1 : length, shape);
    return read_extents(shape, npy) ||
           wrong(npy, "its .npy header has no shape that can be read: %s", npy->shape);
}

static bool read_order(const char *order, struct summand__npy *npy)
{
    npy->columns = !strncmp(order, "True", 4);
    return npy->columns || !strncmp(order, "False", 5) ||
           wrong(npy, "its .npy header does not say in which order its numbers lie");
}

/* Bytes of the field that tells the length of the rest. */
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
                read_type(value_of(header, "descr"), npy) &&
                read_order(value_of(header, "fortran_order"), npy) &&
                read_shape(value_of(header, "shape"), npy);
    bytes[npy->begin] = behind;
    return good;
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
