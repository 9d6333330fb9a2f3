/* SPDX-License-Identifier: BSD-3-Clause */
#include "collective/exact_layout.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "collective/exact_check.h"
#include "collective/operation.h"
#include "process/damaged.h"

/* Bits of a format's room that lie above the largest term. Sums of data that are alike vary little
 * in their largest term and more in their smallest. */
enum { ROOM_ABOVE = 10, HIGHEST = 1024, LOWEST = -1074 /* of doubles */ };

static unsigned log2_up(int n)
{
    unsigned log2 = 0;
    while (n > 1 << log2)
        log2++;
    return log2;
}

bool summand__exact_layout_make(struct summand__exact_layout *layout, enum summand__lanes_type type,
                                int ranks, int parts, const struct summand__exact_part *part)
{
    const size_t ends = (size_t)parts + 1;
    unsigned bits = SUMMAND__LANES_CAPACITY - log2_up(ranks);
    if (bits > SUMMAND__LANES_BITS_MOST)
        bits = SUMMAND__LANES_BITS_MOST;
    *layout = (struct summand__exact_layout){.type = type, .parts = parts, .bits = bits};
    layout->part = calloc(ends, sizeof *layout->part);
    layout->block = calloc(ends, sizeof *layout->block);
    layout->word = calloc(ends, sizeof *layout->word);
    if (!layout->part || !layout->block || !layout->word)
        return false;
    for (int p = 0; p < parts; p++) {
        layout->part[p] = part[p];
        layout->block[p + 1] = layout->block[p] + summand__lanes_blocks(part[p].count);
    }
    layout->format = calloc(summand__exact_blocks(layout) + 1, sizeof *layout->format);
    layout->paired = calloc(summand__exact_blocks(layout) + 1, sizeof *layout->paired);
    return layout->format && layout->paired;
}

void summand__exact_layout_free(struct summand__exact_layout *layout)
{
    free(layout->part);
    free(layout->block);
    free(layout->word);
    free(layout->format);
    free(layout->paired);
}

static struct summand__exact_span span_of(const struct summand__exact_layout *layout, int part,
                                          size_t block)
{
    const size_t begin = (block - layout->block[part]) * SUMMAND__LANES_BLOCK;
    const size_t left = layout->part[part].count - begin;
    return (struct summand__exact_span){.block = block,
                                        .first = layout->part[part].from + begin,
                                        .count = left < SUMMAND__LANES_BLOCK ? left
                                                                             : SUMMAND__LANES_BLOCK,
                                        .left = left};
}

/* The first lane of a part; its check words lie before. */
static size_t lanes_at(const struct summand__exact_layout *layout, int part)
{
    const size_t blocks = layout->block[part + 1] - layout->block[part];
    return layout->word[part] + (layout->checked ? summand__exact_check_size(blocks) : 0);
}

/* Lanes of a block of n numbers. */
static size_t lanes_of(const struct summand__exact_layout *layout, size_t block, size_t n)
{
    const size_t lanes = summand__lanes_size(&layout->format[block], n);
    return layout->paired[block] ? lanes - n / 2 : lanes;
}

/* Sizes of formats, in half lanes: odd ones are paired. A half lane has 32 bits less than a lane's
 * digit, so that sums over the ranks stay below 2^30. Paired formats that would leave less than
 * ROOM_LEAST bits of room are not taken: the next call's terms might not fit. */
enum { MOST_PAIRED = 7, ROOM_LEAST = 6 };

static int bits_of(unsigned halves, unsigned bits)
{
    const int whole = (int)(halves / 2 * bits);
    return halves % 2 ? whole + (int)bits - 32 : whole;
}

static unsigned halves_for(const struct summand__lanes_range *range, unsigned bits)
{
    const struct summand__lanes_format format = summand__lanes_format(range, bits);
    const unsigned halves = 2u * format.digits;
    const int width = format.top - format.lowest;
    return halves && halves - 1 <= MOST_PAIRED && width + ROOM_LEAST <= bits_of(halves - 1, bits)
               ? halves - 1
               : halves;
}

/* The format of so many half lanes, with room at both ends. */
static struct summand__lanes_format format_for(const struct summand__lanes_range *range,
                                               unsigned bits, unsigned halves)
{
    struct summand__lanes_format format = summand__lanes_format(range, bits);
    if (!format.digits)
        return format;
    format.digits = (uint8_t)((halves + 1) / 2);
    const int holds = bits_of(halves, bits);
    const int room = format.lowest + holds - format.top;
    const int above = room / 4 < ROOM_ABOVE ? room / 4 : ROOM_ABOVE;
    const int most = format.top < HIGHEST ? HIGHEST : format.top; /* sums may be higher */
    const int top = format.top + above < most ? format.top + above : most;
    const int lowest = top - holds;
    format.lowest = (int16_t)(lowest > LOWEST ? lowest : LOWEST);
    format.top = (int16_t)(lowest > LOWEST ? top : LOWEST + holds);
    return format;
}

/* Each field by itself: a struct may have padding. */
static uint64_t hash_format(uint64_t hash, const struct summand__lanes_format *format, bool paired)
{
    const int fields[] = {format->lowest, format->top, format->digits, format->special, paired};
    return summand__hash(hash, fields, sizeof fields);
}

/* Blocks take as many half lanes as the widest one, unless they need less than half as many. So
 * most segments of alike data have lanes of the same sizes, and share the schedule that sums them.
 */
static unsigned common_halves(const struct summand__exact_layout *layout,
                              const struct summand__lanes_range *ranges)
{
    unsigned most = 0;
    for (size_t b = 0; b < summand__exact_blocks(layout); b++) {
        const unsigned halves = halves_for(&ranges[b], layout->bits);
        most = halves > most ? halves : most;
    }
    return most;
}

void summand__exact_layout_set(struct summand__exact_layout *layout,
                               const struct summand__lanes_range *ranges)
{
    const unsigned common = common_halves(layout, ranges);
    uint64_t hash = SUMMAND__HASH_BEGIN;
    for (int p = 0; p < layout->parts; p++) {
        size_t word = lanes_at(layout, p);
        for (size_t b = layout->block[p]; b < layout->block[p + 1]; b++) {
            const unsigned own = halves_for(&ranges[b], layout->bits);
            const unsigned halves = own && 2 * own >= common ? common : own;
            layout->format[b] = format_for(&ranges[b], layout->bits, halves);
            layout->paired[b] = halves % 2;
            word += lanes_of(layout, b, span_of(layout, p, b).count);
            hash = hash_format(hash, &layout->format[b], layout->paired[b]);
        }
        layout->word[p + 1] = word;
    }
    layout->hash = hash ? hash : 1;
    layout->calls = 0;
}

/* The second half of the numbers shares the lanes of the first for its top digits: a lane is the
 * sum of a digit and 2^32 times another, which adds like one. */
static void pair(const struct summand__lanes_format *format, size_t n, int64_t *lanes)
{
    const size_t half = n - n / 2;
    int64_t *top = lanes + (format->digits - 1) * n;
    for (size_t i = 0; i < n / 2; i++)
        top[i] = (int64_t)((uint64_t)top[i] + ((uint64_t)top[half + i] << 32));
    if (format->special)
        memmove(top + half, top + n, n * sizeof *top);
}

/* The sums of both digits of each lane; `to` has a lane for each. */
static void unpair(const struct summand__lanes_format *format, const int64_t *lanes, size_t n,
                   int64_t *to)
{
    const size_t half = n - n / 2, below = (format->digits - 1) * n;
    const int64_t *top = lanes + below;
    memcpy(to, lanes, below * sizeof *to);
    to += below;
    for (size_t i = 0; i < half; i++)
        to[i] = (int32_t)(uint32_t)(uint64_t)top[i];
    for (size_t i = 0; i < n / 2; i++)
        to[half + i] = (int64_t)((uint64_t)top[i] - (uint64_t)to[i]) >> 32;
    if (format->special)
        memcpy(to + n, top + half, n * sizeof *to);
}

void summand__exact_range(const struct summand__exact_layout *layout,
                          const struct summand__exact_source *source, const void *of,
                          struct summand__lanes_range *ranges)
{
    for (int p = 0; p < layout->parts; p++)
        for (size_t b = layout->block[p]; b < layout->block[p + 1]; b++) {
            const struct summand__exact_span span = span_of(layout, p, b);
            ranges[b] = SUMMAND__LANES_RANGE_NONE;
            source->range(of, layout->type, &span, &ranges[b]);
        }
}

static void raise_to(int64_t *number, int64_t least)
{
    if (*number < least)
        *number = least;
}

void summand__exact_widen(const struct summand__exact_layout *layout,
                          struct summand__lanes_range *ranges)
{
    for (size_t b = 0; b < summand__exact_blocks(layout); b++) {
        const struct summand__lanes_format *format = &layout->format[b];
        if (format->digits) {
            raise_to(&ranges[b].top, format->top);
            raise_to(&ranges[b].low, -format->lowest);
        }
        raise_to(&ranges[b].special, format->special);
    }
}

bool summand__exact_encode(const struct summand__exact_layout *layout,
                           const struct summand__exact_source *source, const void *of,
                           int64_t *lanes)
{
    bool fits = true;
    for (int p = 0; p < layout->parts && fits; p++) {
        size_t word = lanes_at(layout, p);
        int64_t *check = lanes + layout->word[p];
        memset(check, 0, (word - layout->word[p]) * sizeof *lanes);
        for (size_t b = layout->block[p]; b < layout->block[p + 1] && fits; b++) {
            const struct summand__exact_span span = span_of(layout, p, b);
            fits = source->encode(of, layout->type, &span, &layout->format[b], lanes + word);
            if (layout->paired[b])
                pair(&layout->format[b], span.count, lanes + word);
            const size_t count = lanes_of(layout, b, span.count);
            if (layout->checked && fits)
                summand__check_write(summand__lanes_kernels()->check(lanes + word, count),
                                     layout->hash, check);
            check += SUMMAND__CHECK_LANES;
            word += count;
        }
    }
    return fits;
}

int summand__exact_decode(const struct summand__exact_layout *layout,
                          const struct summand__exact_sums *sums, int part, int64_t *lanes, void *y)
{
    summand__lanes_decode_run *decode = summand__lanes_kernels()->decode[layout->type];
    const size_t each = summand__lanes_element(layout->type);
    const int64_t *check = lanes;
    size_t to = layout->part[part].to;
    int64_t apart[(MOST_PAIRED / 2 + 2) * SUMMAND__LANES_BLOCK];
    int code = MPI_SUCCESS;
    lanes += lanes_at(layout, part) - layout->word[part];
    if (layout->checked)
        summand__damage_checked(layout->block[part + 1] - layout->block[part]);
    for (size_t b = layout->block[part]; b < layout->block[part + 1]; b++) {
        const size_t n = span_of(layout, part, b).count, count = lanes_of(layout, b, n);
        const struct summand__exact_block block = {b, to, n, check, lanes, count};
        if (layout->checked && (code = summand__exact_check(layout, sums, &block)) != MPI_SUCCESS)
            return code;
        if (layout->paired[b])
            unpair(&layout->format[b], lanes, n, apart);
        decode(&layout->format[b], sums->filled ? (size_t)sums->ranks : 0,
               layout->paired[b] ? apart : lanes, n, (char *)y + to * each);
        check += SUMMAND__CHECK_LANES;
        lanes += count;
        to += n;
    }
    return code;
}

static const void *first_of(const void *x, enum summand__lanes_type type,
                            const struct summand__exact_span *span)
{
    return (const char *)x + span->first * summand__lanes_element(type);
}

static void range_array(const void *x, enum summand__lanes_type type,
                        const struct summand__exact_span *span, struct summand__lanes_range *range)
{
    summand__lanes_kernels()->range[type](first_of(x, type, span), span->count, range);
}

static bool encode_array(const void *x, enum summand__lanes_type type,
                         const struct summand__exact_span *span,
                         const struct summand__lanes_format *format, int64_t *lanes)
{
    return summand__lanes_kernels()->encode[type](first_of(x, type, span), span->count, format,
                                                  lanes);
}

const struct summand__exact_source summand__exact_array = {.range = range_array,
                                                           .encode = encode_array};
