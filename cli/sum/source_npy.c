/* SPDX-License-Identifier: BSD-3-Clause */
/* NumPy's .npy: vectors and matrices of the types that base/npy.h reads. */
#include <stdlib.h>

#include "base/npy.h"
#include "bench/need.h"
#include "cli/sum/source.h"

static const bool is_little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

static void take(struct source *source, const struct summand__npy *npy, struct trouble *trouble)
{
    if (npy->wrong[0])
        trouble_note(trouble, "%s: %s", source->path, npy->wrong);
    else if (source->matrix && npy->dimensions != 2)
        trouble_note(trouble, "%s: its shape is %s; a matrix, such as (460, 3), expected",
                     source->path, npy->shape);
    else if (!source->matrix && !npy->vector)
        trouble_note(
            trouble,
            "%s: its shape is %s; a vector, such as (460,), (460, 1) or (1, 460), expected",
            source->path, npy->shape);
    if (trouble->text[0])
        return;
    source->offset = npy->begin;
    source->type = *npy;
    source->count = npy->count;
    source_check_size(source, trouble);
}

static void open_npy(struct source *source, struct trouble *trouble)
{
    struct summand__npy npy;
    char start[SUMMAND__NPY_START];
    uint64_t there = source->bytes < sizeof start ? source->bytes : sizeof start;
    if (!source_pread(source, start, there, 0, trouble))
        return;
    if (!summand__npy_start(start, there, &npy)) {
        take(source, &npy, trouble);
        return;
    }
    char *header = need(calloc(npy.begin + 1, 1));
    if (source_pread(source, header, npy.begin, 0, trouble)) {
        summand__npy_read(header, &npy);
        take(source, &npy, trouble);
    }
    free(header);
}

/* write_f64's numbers are little-endian. */
void head_npy_matrix(FILE *out, uint64_t rows, uint64_t columns)
{
    char header[SUMMAND__NPY_HEADER];
    struct summand__npy npy = {.width = 8,
                               .swapped = !is_little,
                               .dimensions = columns ? 2 : 1,
                               .extent = {rows, columns}};
    summand__npy_write(header, &npy);
    fwrite(header, 1, npy.begin, out);
}

static void head_npy(FILE *out, uint64_t count)
{
    head_npy_matrix(out, count, 0);
}

const struct data_format format_npy = {"npy",
                                       "NumPy: a vector of floats, integers or booleans",
                                       ".npy",
                                       open_npy,
                                       source_read_binary,
                                       head_npy,
                                       write_f64};
