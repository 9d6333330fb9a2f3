/* SPDX-License-Identifier: BSD-3-Clause */
/* NumPy's .npy: arrays of the types that base/npy.h reads. */
#include <stdlib.h>
#include <string.h>

#include "base/npy.h"
#include "cli/sum/source.h"

static const bool is_little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

/* The chosen column of a matrix. */
static void take_column(struct source *source, struct trouble *trouble)
{
    const uint64_t rows = source->extent[0], columns = source->extent[1];
    if (source->dimensions != 2) {
        trouble_note(trouble, "%s: its shape is %s; --column takes a matrix, such as (460, 3)",
                     source->path, source->type.shape);
        return;
    }
    const uint64_t j = source_column(source, columns, NULL, trouble);
    if (trouble->text[0])
        return;
    source->offset += j * source->stride * (source->fortran ? rows : 1);
    source->stride *= source->fortran ? 1 : columns;
    source->count = rows;
    source->dimensions = 1;
}

static void take(struct source *source, const struct summand__npy *npy, struct trouble *trouble)
{
    if (npy->wrong[0]) {
        trouble_note(trouble, "%s: %s", source->path, npy->wrong);
        return;
    }
    source->offset = npy->begin;
    source->type = *npy;
    source->stride = npy->width;
    source->count = npy->count;
    source->dimensions = npy->dimensions;
    source->fortran = npy->columns;
    memcpy(source->extent, npy->extent, sizeof source->extent);
    source_check_size(source, trouble);
    source->parts = npy->kind == 'c' ? 2 : 1;
    source->type = summand__npy_part(npy);
    if (source->choice.column && !trouble->text[0])
        take_column(source, trouble);
}

void source_open_npy(struct source *source, struct trouble *trouble)
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
    char *header = calloc(npy.begin + 1, 1);
    if (!header)
        trouble_note(trouble, "out of memory");
    else if (source_pread(source, header, npy.begin, 0, trouble)) {
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

const struct data_format format_npy = {.name = "npy",
                                       .summary = "an array of NumPy",
                                       .ending = ".npy",
                                       .open = source_open_npy,
                                       .read = source_read_binary,
                                       .write_head = head_npy,
                                       .write_values = write_f64};
