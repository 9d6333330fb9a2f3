/* NumPy's .npy (NumPy Enhancement Proposal 1): magic, version, header length, and the header, a
 * Python dictionary in text. Read here: one dimension, '<f8' or '<f4', C order. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench/need.h"
#include "cli/sum/source.h"

enum { HEADER_MOST = 65535, PREAMBLE = 8 };

/* Behind "'key':" and blanks; NULL if the key is missing. */
static const char *value_of(const char *header, const char *key)
{
    char quoted[32];
    snprintf(quoted, sizeof quoted, "'%s'", key);
    const char *found = strstr(header, quoted);
    if (!found)
        return NULL;
    found += strlen(quoted);
    found += strspn(found, " :");
    return found;
}

static void parse_shape(struct source *source, const char *shape, struct trouble *trouble)
{
    char *end = NULL;
    errno = 0;
    if (shape && *shape == '(' && shape[1] != '-')
        source->count = strtoull(shape + 1, &end, 10);
    if (!end || end == shape + 1 || errno || strncmp(end, ",)", 2)) {
        int length = shape ? (int)strcspn(shape, ")") + 1 : 0;
        trouble_note(trouble, "%s: its shape is %.*s; one dimension, like (460,), expected",
                     source->path, length < 64 ? length : 64, shape ? shape : "");
    }
}

static void parse_header(struct source *source, const char *header, struct trouble *trouble)
{
    const char *descr = value_of(header, "descr"), *order = value_of(header, "fortran_order");
    const char *shape = value_of(header, "shape");
    if (!descr || !order || !shape)
        trouble_note(trouble, "%s: its .npy header lacks descr, fortran_order or shape",
                     source->path);
    else if (!strncmp(descr, "'<f8'", 5))
        source->width = 8;
    else if (!strncmp(descr, "'<f4'", 5))
        source->width = 4;
    else
        trouble_note(trouble, "%s: its values are %.*s; '<f8' or '<f4' expected", source->path,
                     (int)strcspn(descr, ",}") < 64 ? (int)strcspn(descr, ",}") : 64, descr);
    if (order && strncmp(order, "False", 5))
        trouble_note(trouble, "%s: its values lie in Fortran order; C order expected",
                     source->path);
    parse_shape(source, shape, trouble);
}

static void open_npy(struct source *source, struct trouble *trouble)
{
    unsigned char start[PREAMBLE + 4] = {0};
    uint64_t there = source->bytes < sizeof start ? source->bytes : sizeof start;
    if (!source_pread(source, start, there, 0, trouble))
        return;
    if (there < sizeof start || memcmp(start, "\x93NUMPY", 6) || !start[6] || start[6] > 3) {
        trouble_note(trouble, "%s: not an .npy file of version 1, 2 or 3", source->path);
        return;
    }
    unsigned field = start[6] == 1 ? 2 : 4; /* bytes of the header's length */
    uint64_t length = 0;
    for (unsigned i = 0; i < field; i++)
        length |= (uint64_t)start[PREAMBLE + i] << 8 * i;
    source->offset = PREAMBLE + field + length;
    char *header = length <= HEADER_MOST ? need(calloc(1, length + 1)) : NULL;
    if (!header)
        trouble_note(trouble, "%s: its .npy header is too long (%" PRIu64 " bytes)", source->path,
                     length);
    else if (source_pread(source, header, length, PREAMBLE + field, trouble)) {
        if (strlen(header) != length)
            trouble_note(trouble, "%s: its .npy header has a byte 0", source->path);
        parse_header(source, header, trouble);
    }
    free(header);
    if (!trouble->text[0])
        source_check_size(source, trouble);
}

/* The values start at a multiple of 64 bytes, as NumPy has it; the header ends in a newline. */
static void head_npy(FILE *out, uint64_t count)
{
    char header[128];
    int used =
        snprintf(header, sizeof header,
                 "{'descr': '<f8', 'fortran_order': False, 'shape': (%" PRIu64 ",), }", count);
    int length = (PREAMBLE + 2 + used + 1 + 63) / 64 * 64 - PREAMBLE - 2;
    fprintf(out, "\x93NUMPY%c%c%c%c%-*s\n", 1, 0, length & 255, length >> 8, length - 1, header);
}

const struct data_format format_npy = {"npy",
                                       "NumPy: one dimension, '<f8' or '<f4'",
                                       ".npy",
                                       open_npy,
                                       source_read_binary,
                                       head_npy,
                                       write_f64};
