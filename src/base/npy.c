#include "base/npy.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PREAMBLE = 8 };

static const bool is_little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

/* Behind "'key':" and blanks; NULL if the key is missing. */
static const char *value_of(const char *header, const char *key)
{
    char quoted[32];
    snprintf(quoted, sizeof quoted, "'%s'", key);
    const char *found = strstr(header, quoted);
    if (!found)
        return NULL;
    found += strlen(quoted);
    return found + strspn(found, " :");
}

static const char *read_type(const char *descr, struct summand__npy *npy)
{
    if (!descr || strlen(descr) < 5 || descr[0] != '\'' || !strchr("<>=", descr[1]) ||
        descr[2] != 'f' || (descr[3] != '4' && descr[3] != '8') || descr[4] != '\'')
        return "its numbers are neither '<f8' nor '<f4'";
    npy->width = descr[3] == '4' ? 4 : 8;
    npy->swapped = descr[1] == (is_little ? '>' : '<');
    return NULL;
}

static const char *read_shape(const char *shape, struct summand__npy *npy)
{
    static const char wrong[] = "its .npy header has no shape that can be read";
    if (!shape || *shape++ != '(')
        return wrong;
    for (shape += strspn(shape, " "); *shape != ')'; shape += strspn(shape, " ")) {
        char *end;
        errno = 0;
        unsigned long long extent = strtoull(shape, &end, 10);
        if (*shape < '0' || *shape > '9' || errno)
            return wrong;
        if (npy->dimensions < 2)
            npy->extent[npy->dimensions] = extent;
        npy->dimensions++;
        shape = end + strspn(end, " ");
        if (*shape == ',')
            shape++;
        else if (*shape != ')')
            return wrong;
    }
    return NULL;
}

static const char *read_order(const char *order, struct summand__npy *npy)
{
    npy->columns = order && !strncmp(order, "True", 4);
    return npy->columns || (order && !strncmp(order, "False", 5))
               ? NULL
               : "its .npy header does not say in which order its numbers lie";
}

const char *summand__npy_read(char *bytes, size_t count, struct summand__npy *npy)
{
    const unsigned char *start = (const unsigned char *)bytes;
    *npy = (struct summand__npy){.width = 0};
    if (count < PREAMBLE + 4 || memcmp(bytes, "\x93NUMPY", 6) || !start[6] || start[6] > 3)
        return "not an .npy file of version 1, 2 or 3";
    size_t field = start[6] == 1 ? 2 : 4, length = 0; /* bytes of the header's length */
    for (size_t i = 0; i < field; i++)
        length |= (size_t)start[PREAMBLE + i] << 8 * i;
    npy->begin = PREAMBLE + field + length;
    if (npy->begin > count)
        return count < SUMMAND__NPY_MOST ? "the file ends within its .npy header"
                                         : "its .npy header is too long";
    char *header = bytes + PREAMBLE + field, kept = bytes[npy->begin];
    bytes[npy->begin] = '\0';
    const char *wrong = strlen(header) == length ? NULL : "its .npy header has a byte 0";
    if (!wrong)
        wrong = read_type(value_of(header, "descr"), npy);
    if (!wrong)
        wrong = read_order(value_of(header, "fortran_order"), npy);
    if (!wrong)
        wrong = read_shape(value_of(header, "shape"), npy);
    bytes[npy->begin] = kept;
    return wrong;
}

void summand__npy_write(char header[SUMMAND__NPY_HEADER], struct summand__npy *npy)
{
    char text[SUMMAND__NPY_HEADER / 2];
    int used =
        snprintf(text, sizeof text,
                 "{'descr': '%cf%zu', 'fortran_order': %s, 'shape': (%" PRIu64 ", %" PRIu64 "), }",
                 is_little ? '<' : '>', npy->width, npy->columns ? "True" : "False", npy->extent[0],
                 npy->extent[1]);
    int begin = (PREAMBLE + 2 + used + 1 + 63) / 64 * 64, length = begin - PREAMBLE - 2;
    npy->begin = (size_t)begin;
    snprintf(header, SUMMAND__NPY_HEADER, "\x93NUMPY%c", 1);
    header[7] = 0;
    header[8] = (char)(length & 255);
    header[9] = (char)(length >> 8);
    snprintf(header + PREAMBLE + 2, SUMMAND__NPY_HEADER - PREAMBLE - 2, "%-*s\n", length - 1, text);
}
