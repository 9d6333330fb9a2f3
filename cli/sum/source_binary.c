/* SPDX-License-Identifier: BSD-3-Clause */
/* The binary formats: consecutive floats or doubles, behind a header or none. */
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/output/text.h"
#include "cli/sum/source.h"

enum { ROOM = 1 << 17 }; /* bytes read at a time */

void source_check_size(const struct source *source, struct trouble *trouble)
{
    uint64_t there = source->bytes < source->offset ? 0 : source->bytes - source->offset;
    if (source->count == there / source->type.width && there % source->type.width == 0)
        return;
    trouble_note(trouble,
                 "%s: %" PRIu64 " values of %zu bytes announced, but %s (%" PRIu64 " bytes)",
                 source->path, source->count, source->type.width,
                 source->count > there / source->type.width ? "the file is too short for them"
                                                            : "more follows them",
                 source->bytes);
}

void source_list(char *list, size_t room, uint64_t columns, char *const *names)
{
    size_t used = (size_t)snprintf(list, room, "%" PRIu64 " column%s", columns,
                                   text_plural((long long)columns));
    for (uint64_t j = 0; names && j < columns && used < room - 48; j++)
        used += (size_t)snprintf(list + used, room - used, "%s %.24s", j ? "," : ":", names[j]);
    snprintf(list + used, room - used, "%s",
             !names             ? " without names, numbered from 0"
             : used < room - 48 ? ""
                                : ", ...");
}

void source_take_part(struct source *source, int part)
{
    if (source->parts == 1)
        return;
    if (part < 0) {
        source->count *= 2;
        source->stride = source->type.width;
        source->extent[source->dimensions++] = 2;
    } else {
        source->offset += (uint64_t)part * source->type.width;
    }
    source->parts = 1;
}

/* The number in "3" or "#3"; UINT64_MAX: none. */
static uint64_t number_in(const char *wanted)
{
    char *end;
    const char *digits = wanted + (wanted[0] == '#');
    errno = 0;
    const unsigned long long number = strtoull(digits, &end, 10);
    return digits[0] >= '0' && digits[0] <= '9' && !*end && !errno ? number : UINT64_MAX;
}

uint64_t source_column(const struct source *source, uint64_t columns, char *const *names,
                       struct trouble *trouble)
{
    const char *wanted = source->choice.column;
    const uint64_t number = number_in(wanted);
    char list[400] = "";
    uint64_t found = number < columns ? number : UINT64_MAX, meant = number < columns;
    size_t used = 0;
    for (uint64_t j = 0; names && j < columns; j++)
        if (j != number && !strcmp(names[j], wanted)) {
            found = meant++ ? found : j;
            if (used < sizeof list - 40)
                used += (size_t)snprintf(list + used, sizeof list - used, ", %" PRIu64, j);
        }
    if (meant == 1)
        return found;
    if (meant && number < columns)
        snprintf(list + used, sizeof list - used, ", %" PRIu64, number);
    if (meant) {
        trouble_note(trouble,
                     "%s: '%s' is the name or the number of %" PRIu64
                     " columns: %s; --column '#%" PRIu64 "' takes that one by its number",
                     source->path, wanted, meant, list + 2, found);
        return UINT64_MAX;
    }
    source_list(list, sizeof list, columns, names);
    trouble_note(trouble, "%s: no column '%s'; it has %s", source->path, wanted, list);
    return UINT64_MAX;
}

/* Elements that lie apart, one behind another. */
static void pack(unsigned char *bytes, size_t n, uint64_t stride, size_t width)
{
    for (size_t i = 1; i < n && stride != width; i++)
        memmove(bytes + i * width, bytes + i * stride, width);
}

static void note_unread(struct source *source, uint64_t place, int terms, struct trouble *trouble)
{
    const char kind = source->type.kind;
    source->wide = terms == 1 && kind != 'b';
    trouble_note(trouble, "%s: value %" PRIu64 " is %s", source->path, place,
                 kind == 'b'                 ? "a boolean that is neither 0 nor 1"
                 : kind == 'f' && terms == 2 ? "beyond the range of doubles"
                                             : "a number that no double can hold; only sum and "
                                               "asum, exact or as a tree, take it");
}

void source_read_binary(struct source *source, uint64_t first, uint64_t count, int terms,
                        double *values, struct trouble *trouble)
{
    unsigned char buffer[ROOM];
    const size_t width = source->type.width;
    const uint64_t stride = source->stride;
    const size_t most = stride && stride < ROOM / 2 ? ROOM / (size_t)stride : 1;
    while (count) {
        const size_t n = count < most ? (size_t)count : most;
        if (!source_pread(source, buffer, (n - 1) * stride + width, source->offset + first * stride,
                          trouble))
            return;
        pack(buffer, n, stride, width);
        const size_t read = terms == 2 ? summand__npy_pairs(&source->type, buffer, n, values)
                                       : summand__npy_values(&source->type, buffer, n, values);
        if (read < n) {
            note_unread(source, first + read, terms, trouble);
            return;
        }
        values += n * (size_t)terms;
        first += n;
        count -= n;
    }
}

void write_f64(FILE *out, uint64_t count, const double *values)
{
    for (uint64_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        bits = htole64(bits);
        fwrite(&bits, sizeof bits, 1, out);
    }
}

static void write_f32(FILE *out, uint64_t count, const double *values)
{
    for (uint64_t i = 0; i < count; i++) {
        float value = (float)values[i];
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        bits = htole32(bits);
        fwrite(&bits, sizeof bits, 1, out);
    }
}

static void write_no_head(FILE *out, uint64_t count)
{
    (void)out;
    (void)count;
}

/* Little-endian. */
static void set_type(struct source *source, size_t width)
{
    const bool is_little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    source->type = (struct summand__npy){.kind = 'f', .width = width, .swapped = !is_little};
    source->stride = width;
}

/* An array of one dimension: nothing to choose from. */
static void set_count(struct source *source, uint64_t count, struct trouble *trouble)
{
    source->count = count;
    source->dimensions = 1;
    source->extent[0] = count;
    if (source->choice.column)
        trouble_note(trouble, "%s: raw numbers have no columns; --column takes a table or a matrix",
                     source->path);
}

static void open_raw(struct source *source, struct trouble *trouble, size_t width)
{
    set_type(source, width);
    set_count(source, source->bytes / width, trouble);
    if (source->bytes % width)
        trouble_note(trouble,
                     "%s: its %" PRIu64 " bytes are no multiple of %zu, the size of a value",
                     source->path, source->bytes, width);
}

static void open_f64(struct source *source, struct trouble *trouble)
{
    open_raw(source, trouble, 8);
}

static void open_f32(struct source *source, struct trouble *trouble)
{
    open_raw(source, trouble, 4);
}

static void open_binpsllh(struct source *source, struct trouble *trouble)
{
    uint64_t count;
    set_type(source, 8);
    source->offset = sizeof count;
    if (source->bytes < sizeof count) {
        trouble_note(trouble, "%s: too short (%" PRIu64 " bytes) to hold the count of its values",
                     source->path, source->bytes);
        return;
    }
    if (source_pread(source, &count, sizeof count, 0, trouble)) {
        set_count(source, le64toh(count), trouble);
        source_check_size(source, trouble);
    }
}

static void head_binpsllh(FILE *out, uint64_t count)
{
    count = htole64(count);
    fwrite(&count, sizeof count, 1, out);
}

const struct data_format format_f64 = {.name = "f64",
                                       .summary = "little-endian doubles, nothing else",
                                       .ending = ".f64",
                                       .open = open_f64,
                                       .read = source_read_binary,
                                       .write_head = write_no_head,
                                       .write_values = write_f64};

const struct data_format format_f32 = {.name = "f32",
                                       .summary = "little-endian floats, nothing else",
                                       .ending = ".f32",
                                       .open = open_f32,
                                       .read = source_read_binary,
                                       .write_head = write_no_head,
                                       .write_values = write_f32};

const struct data_format format_binpsllh = {
    .name = "binpsllh",
    .summary = "count as little-endian uint64, then little-endian doubles",
    .ending = ".binpsllh",
    .open = open_binpsllh,
    .read = source_read_binary,
    .write_head = head_binpsllh,
    .write_values = write_f64};
