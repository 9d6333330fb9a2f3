/* SPDX-License-Identifier: BSD-3-Clause */
/* The binary formats: consecutive floats or doubles, behind a header or none. */
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "cli/sum/source.h"

enum { PIECE = 1 << 14 }; /* values converted at a time */

bool source_pread(const struct source *source, void *buffer, uint64_t bytes, uint64_t offset,
                  struct trouble *trouble)
{
    char *to = buffer;
    while (bytes) {
        ssize_t got = pread(source->fd, to, bytes < 1u << 30 ? bytes : 1u << 30, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            trouble_note(trouble, "%s: %s", source->path,
                         got ? strerror(errno) : "the file ends too early");
            return false;
        }
        to += got;
        offset += (uint64_t)got;
        bytes -= (uint64_t)got;
    }
    return true;
}

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

void source_read_binary(const struct source *source, uint64_t first, uint64_t count, double *values,
                        struct trouble *trouble)
{
    unsigned char buffer[8 * PIECE];
    const size_t width = source->type.width;
    while (count) {
        const size_t n = count < PIECE ? count : PIECE;
        if (!source_pread(source, buffer, n * width, source->offset + first * width, trouble))
            return;
        const size_t read = summand__npy_values(&source->type, buffer, n, values);
        if (read < n) {
            trouble_note(trouble, "%s: value %" PRIu64 " is %s", source->path, first + read,
                         source->type.kind == 'b' ? "a boolean that is neither 0 nor 1"
                                                  : "an integer that no double can hold");
            return;
        }
        values += n;
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
static struct summand__npy float_type(size_t width)
{
    const bool is_little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    return (struct summand__npy){.kind = 'f', .width = width, .swapped = !is_little};
}

static void open_raw(struct source *source, struct trouble *trouble, size_t width)
{
    source->type = float_type(width);
    source->count = source->bytes / width;
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
    source->type = float_type(8);
    source->offset = sizeof count;
    if (source->bytes < sizeof count) {
        trouble_note(trouble, "%s: too short (%" PRIu64 " bytes) to hold the count of its values",
                     source->path, source->bytes);
        return;
    }
    if (source_pread(source, &count, sizeof count, 0, trouble)) {
        source->count = le64toh(count);
        source_check_size(source, trouble);
    }
}

static void head_binpsllh(FILE *out, uint64_t count)
{
    count = htole64(count);
    fwrite(&count, sizeof count, 1, out);
}

const struct data_format format_f64 = {"f64",
                                       "little-endian doubles, nothing else",
                                       ".f64",
                                       open_f64,
                                       source_read_binary,
                                       write_no_head,
                                       write_f64};

const struct data_format format_f32 = {"f32",
                                       "little-endian floats, nothing else",
                                       ".f32",
                                       open_f32,
                                       source_read_binary,
                                       write_no_head,
                                       write_f32};

const struct data_format format_binpsllh = {
    "binpsllh",         "count as little-endian uint64, then little-endian doubles",
    ".binpsllh",        open_binpsllh,
    source_read_binary, head_binpsllh,
    write_f64};
