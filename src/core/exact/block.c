/* SPDX-License-Identifier: BSD-3-Clause */
#include "exact/block.h"

#include <stdlib.h>

#include "kernel/lanes_one.h"

enum {
    BITS = SUMMAND__ROWS_BITS,
    TERMS = 1 << (SUMMAND__LANES_CAPACITY - BITS), /* digits overflow from here on */
    ROWS = 128,      /* that are tried at once: a row that does not fit costs so many twice */
    ROOM_ABOVE = 10, /* bits of a new format above the largest term, at most */
    LOWEST = -1074   /* of a double */
};

static size_t lanes_of(unsigned digits, unsigned special, size_t n)
{
    return ((size_t)digits + special) * n;
}

void summand__exact_block_clear(struct summand__exact_block *block)
{
    block->format = (struct summand__lanes_format){.bits = BITS};
    block->any = false;
    block->terms = 0;
}

/* Sums as they are, in a format with more digits at both ends, and perhaps a special lane. Parts
 * move upwards only, the last one first, so `to` may be where they are. */
static void spread(const struct summand__exact_block *block, int64_t *to, unsigned below,
                   unsigned above, bool special)
{
    const size_t n = block->n, digits = block->format.digits, all = below + digits + above;
    const size_t row = n * sizeof *to;
    if (block->format.special)
        memmove(to + all * n, block->lanes + digits * n, row);
    if (digits)
        memmove(to + below * n, block->lanes, digits * row);
    memset(to, 0, below * row);
    memset(to + (below + digits) * n, 0, above * row);
    for (size_t j = 0; j < n && special && !block->format.special; j++)
        to[all * n + j] = block->any ? 0 : SUMMAND__LANES_MINUS_ZEROS;
}

static bool widen(struct summand__exact_block *block, unsigned below, unsigned above, bool special)
{
    struct summand__lanes_format *format = &block->format;
    const unsigned digits = format->digits + below + above;
    const size_t need = lanes_of(digits, special, block->n);
    int64_t *lanes = need > block->room ? malloc(need * sizeof *lanes) : block->lanes;
    if (!lanes)
        return need == 0;
    spread(block, lanes, below, above, special);
    if (lanes != block->lanes) {
        free(block->lanes);
        block->lanes = lanes;
        block->room = need;
    }
    format->digits = (uint8_t)digits;
    format->special = special;
    format->lowest = (int16_t)(format->lowest - (int)below * BITS);
    format->top = (int16_t)(format->lowest + (int)digits * BITS);
    return true;
}

static unsigned digits_for(int64_t bits)
{
    return bits > 0 ? (unsigned)((bits + BITS - 1) / BITS) : 0;
}

/* Widens the format so that terms of the range fit. The first digits leave room at both ends. */
static bool fit(struct summand__exact_block *block, const struct summand__lanes_range *range)
{
    struct summand__lanes_format *format = &block->format;
    unsigned below = 0, above = 0;
    if (range->top != SUMMAND__LANES_NONE && !format->digits) {
        above = digits_for(range->top + range->low);
        const int64_t room = (int64_t)above * BITS - (range->top + range->low);
        const int64_t lowest =
            -range->low - (room - (room / 4 < ROOM_ABOVE ? room / 4 : ROOM_ABOVE));
        format->lowest = (int16_t)(lowest > LOWEST ? lowest : LOWEST);
    } else if (range->top != SUMMAND__LANES_NONE) {
        below = digits_for(format->lowest + range->low);
        above = digits_for(range->top - (format->lowest + format->digits * BITS));
    }
    const bool special = format->special || range->special;
    return (!below && !above && special == format->special) || widen(block, below, above, special);
}

/* Carries, so that digits are below 2^BITS. The highest one gets another above it if it may not. */
static bool normalise(struct summand__exact_block *block)
{
    const struct summand__lanes_format *format = &block->format;
    const int64_t limit = INT64_C(1) << (BITS - 1);
    const size_t below = format->digits ? (format->digits - 1) * block->n : 0;
    const int64_t *top = block->lanes + below;
    bool wide = false;
    for (size_t j = 0; j < block->n && format->digits; j++)
        wide |= top[j] >= limit || top[j] <= -limit;
    block->terms = 1;
    return (!wide || widen(block, 0, 1, format->special)) &&
           (!format->digits || summand__lanes_kernels()->normalise(format, block->lanes, block->n));
}

static bool reserve(struct summand__exact_block *block, uint32_t terms)
{
    if (block->terms + terms >= TERMS && !normalise(block))
        return false;
    block->terms += terms;
    return true;
}

void summand__exact_block_touch(struct summand__exact_block *block)
{
    int64_t *special = block->lanes + block->format.digits * block->n;
    for (size_t j = 0; j < block->n && block->format.special; j++)
        special[j] &= ~SUMMAND__LANES_MINUS_ZEROS;
    block->any = true;
}

static const void *row_at(enum summand__lanes_type type, const void *x, size_t row, size_t lead)
{
    return (const char *)x + row * lead * summand__lanes_element(type);
}

/* True if an element of the first row is -0.0. A loop for each width, which compilers vectorise. */
static bool begins_with_minus_zero(enum summand__lanes_type type, const void *x, size_t n)
{
    uint64_t seen = 0, word64;
    uint32_t word32;
    uint16_t word16;
    const char *p = x;
    switch (summand__lanes_element(type)) {
    case 8:
        for (size_t j = 0; j < n; j++) {
            memcpy(&word64, p + 8 * j, sizeof word64);
            seen |= word64 == LANES_SIGN;
        }
        break;
    case 4:
        for (size_t j = 0; j < n; j++) {
            memcpy(&word32, p + 4 * j, sizeof word32);
            seen |= word32 == UINT32_C(0x80000000);
        }
        break;
    default:
        for (size_t j = 0; j < n; j++) {
            memcpy(&word16, p + 2 * j, sizeof word16);
            seen |= word16 == 0x8000;
        }
    }
    return seen;
}

/* True if all terms of a column are -0.0. Cost: up to the first other one. */
static bool has_minus_zeros(enum summand__lanes_type type, const void *x, size_t rows, size_t lead,
                            size_t n)
{
    if (!begins_with_minus_zero(type, x, n))
        return false;
    for (size_t j = 0; j < n; j++) {
        size_t r = 0;
        while (r < rows && lanes_load(type, row_at(type, x, r, lead), j) == LANES_SIGN)
            r++;
        if (r == rows)
            return true;
    }
    return false;
}

/* Adds the rows of `state`, and true; or nothing. */
static bool add_sums(struct summand__exact_block *block, const struct summand__rows *state)
{
    if (!summand__rows_kernels()->end(state, block->n, block->lanes))
        return false;
    summand__exact_block_touch(block);
    return true;
}

/* Any terms, one row after the other. */
static bool add_slowly(struct summand__exact_block *block, enum summand__lanes_type type,
                       const void *x, size_t rows, size_t lead)
{
    bool good = true;
    for (size_t r = 0; r < rows && good; r++)
        good = summand__lanes_kernels()->add[type](row_at(type, x, r, lead), block->n,
                                                   &block->format, block->lanes);
    block->any = true;
    return good;
}

static void widen_range(struct summand__lanes_range *range, enum summand__lanes_type type,
                        const void *x, size_t rows, size_t lead, size_t n)
{
    for (size_t r = 0; r < rows; r++)
        summand__lanes_kernels()->range[type](row_at(type, x, r, lead), n, range);
}

/* Adds rows that did not fit: after a look at their range. */
static bool add_again(struct summand__exact_block *block, enum summand__lanes_type type,
                      const void *x, size_t rows, size_t lead, struct summand__rows *state)
{
    struct summand__lanes_range range = SUMMAND__LANES_RANGE_NONE;
    widen_range(&range, type, x, rows, lead, block->n);
    struct summand__lanes_range finite = range;
    finite.special = 0;
    if (!fit(block, &finite))
        return false;
    if (summand__rows_takes(&block->format) && !has_minus_zeros(type, x, rows, lead, block->n)) {
        summand__rows_kernels()->begin(state, &block->format, block->n);
        summand__rows_kernels()->add[type](state, x, rows, lead, block->n);
        if (add_sums(block, state))
            return true;
    }
    return fit(block, &range) && add_slowly(block, type, x, rows, lead);
}

/* Prepares a block for rows that will perhaps fit; the first row tells what to expect. */
static bool prepare(struct summand__exact_block *block, enum summand__lanes_type type,
                    const void *x, size_t rows, size_t lead, struct summand__rows *state,
                    bool *fast)
{
    struct summand__lanes_range range = SUMMAND__LANES_RANGE_NONE;
    if (!block->format.digits) {
        widen_range(&range, type, x, 1, lead, block->n);
        range.special = 0;
        if (!fit(block, &range))
            return false;
    }
    *fast = summand__rows_takes(&block->format) && !has_minus_zeros(type, x, rows, lead, block->n);
    if (*fast)
        summand__rows_kernels()->begin(state, &block->format, block->n);
    return reserve(block, SUMMAND__ROWS_TERMS);
}

/* Adds at most ROWS rows to at most TILE blocks. */
static bool add_tile(struct summand__exact_block *blocks, size_t count,
                     enum summand__lanes_type type, const char *x, size_t rows, size_t lead)
{
    const size_t step = SUMMAND__LANES_BLOCK * summand__lanes_element(type);
    struct summand__rows state[SUMMAND__EXACT_TILE];
    bool fast[SUMMAND__EXACT_TILE];
    for (size_t b = 0; b < count; b++)
        if (!prepare(&blocks[b], type, x + b * step, rows, lead, &state[b], &fast[b]))
            return false;
    for (size_t r = 0; r < rows; r += SUMMAND__ROWS_GROUP)
        for (size_t b = 0; b < count; b++)
            if (fast[b])
                summand__rows_kernels()->add[type](
                    &state[b], row_at(type, x + b * step, r, lead),
                    rows - r < SUMMAND__ROWS_GROUP ? rows - r : SUMMAND__ROWS_GROUP, lead,
                    blocks[b].n);
    for (size_t b = 0; b < count; b++)
        if (!(fast[b] && add_sums(&blocks[b], &state[b])) &&
            !add_again(&blocks[b], type, x + b * step, rows, lead, &state[b]))
            return false;
    return true;
}

bool summand__exact_blocks_add(struct summand__exact_block *blocks, size_t count,
                               enum summand__lanes_type type, const void *x, size_t rows,
                               size_t lead)
{
    const size_t step = SUMMAND__LANES_BLOCK * summand__lanes_element(type);
    for (size_t b = 0; b < count; b += SUMMAND__EXACT_TILE)
        for (size_t r = 0; r < rows; r += ROWS)
            if (!add_tile(blocks + b,
                          count - b < SUMMAND__EXACT_TILE ? count - b : SUMMAND__EXACT_TILE, type,
                          (const char *)row_at(type, x, r, lead) + b * step,
                          rows - r < ROWS ? rows - r : ROWS, lead))
                return false;
    return true;
}

/* The range of one term that is neither zero nor special. */
static struct summand__lanes_range range_of(uint64_t bits)
{
    struct summand__lanes_range range = SUMMAND__LANES_RANGE_NONE;
    double x;
    memcpy(&x, &bits, sizeof x);
    summand__lanes_kernels()->range[SUMMAND__LANES_F64](&x, 1, &range);
    return range;
}

bool summand__exact_block_add_one(struct summand__exact_block *block, size_t column, uint64_t bits)
{
    struct summand__lanes_range special = SUMMAND__LANES_RANGE_NONE;
    if (bits == LANES_SIGN)
        return true;
    if (lanes_is_special(bits)) {
        special.special = 1;
        if (!fit(block, &special))
            return false;
        block->lanes[block->format.digits * block->n + column] |= lanes_special(bits);
        return true;
    }
    if (!reserve(block, 1))
        return false;
    if (lanes_deposit(bits, &block->format, block->lanes + column, block->n))
        return true;
    const struct summand__lanes_range range = range_of(bits);
    return fit(block, &range) &&
           lanes_deposit(bits, &block->format, block->lanes + column, block->n);
}

/* A sum as sign and magnitude: digits below 2^BITS, and what remains above them. */
struct sum {
    uint64_t digit[UINT8_MAX + 1];
    unsigned digits;
    bool negative;
};

static void read_sum(const struct summand__exact_block *block, size_t column, struct sum *sum)
{
    sum->negative = lanes_carry(&block->format, block->lanes + column, block->n, sum->digit);
    sum->digits = block->format.digits + 1u;
}

void summand__exact_block_range(const struct summand__exact_block *block,
                                struct summand__lanes_range *range)
{
    const int64_t *special = block->lanes + block->format.digits * block->n;
    struct sum sum;
    for (size_t j = 0; j < block->n && block->format.special; j++)
        range->special |= special[j] != 0;
    for (size_t j = 0; j < block->n && block->format.digits; j++) {
        unsigned low = 0, top;
        read_sum(block, j, &sum);
        for (top = sum.digits; top && !sum.digit[top - 1]; top--)
            ;
        if (!top--)
            continue;
        while (!sum.digit[low])
            low++;
        const int64_t above =
            block->format.lowest + BITS * (int)top + 64 - __builtin_clzll(sum.digit[top]);
        const int64_t below =
            -(block->format.lowest + BITS * (int)low + __builtin_ctzll(sum.digit[low]));
        range->top = above > range->top ? above : range->top;
        range->low = below > range->low ? below : range->low;
    }
}

/* Adds a sum to digits of another format; false if it is not below 2^top, or has bits below. */
static bool add_sum(const struct sum *sum, int lowest, const struct summand__lanes_format *format,
                    int64_t *lanes, size_t stride)
{
    for (unsigned i = 0; i < sum->digits; i++) {
        if (!sum->digit[i])
            continue;
        const int low = __builtin_ctzll(sum->digit[i]), width = 64 - __builtin_clzll(sum->digit[i]);
        const int up = lowest + BITS * (int)i - format->lowest;
        if (up + low < 0 || up + width > format->top - format->lowest)
            return false;
        lanes_spread(sum->digit[i] >> low, (unsigned)(up + low), sum->negative ? -1 : 0,
                     format->bits, lanes, stride);
    }
    return true;
}

/* Columns with no term but -0.0 count as such, and so does one without a term. */
static int64_t special_of(const struct summand__exact_block *block, size_t column)
{
    return block->format.special ? block->lanes[block->format.digits * block->n + column]
           : block->any          ? 0
                                 : SUMMAND__LANES_MINUS_ZEROS;
}

bool summand__exact_block_share(const struct summand__exact_block *block,
                                const struct summand__lanes_format *format, int64_t *lanes)
{
    const size_t n = block->n;
    struct sum sum;
    memset(lanes, 0, lanes_of(format->digits, 0, n) * sizeof *lanes);
    for (size_t j = 0; j < n; j++) {
        const int64_t special = special_of(block, j);
        if (format->special)
            lanes[format->digits * n + j] = special;
        else if (block->format.special && special)
            return false;
        if (!block->format.digits)
            continue;
        read_sum(block, j, &sum);
        if (!add_sum(&sum, block->format.lowest, format, lanes + j, n))
            return false;
    }
    return true;
}

bool summand__exact_block_merge(struct summand__exact_block *block,
                                const struct summand__exact_block *other)
{
    const size_t n = block->n;
    struct summand__lanes_range range = SUMMAND__LANES_RANGE_NONE;
    struct sum sum;
    if (!other->any)
        return true;
    summand__exact_block_range(other, &range);
    if (!fit(block, &range) || !reserve(block, 1))
        return false;
    for (size_t j = 0; j < n; j++) {
        if (other->format.digits) {
            read_sum(other, j, &sum);
            if (!add_sum(&sum, other->format.lowest, &block->format, block->lanes + j, n))
                return false;
        }
        if (!block->format.special)
            continue;
        int64_t *special = block->lanes + block->format.digits * n + j;
        *special = lanes_join(*special, special_of(other, j));
    }
    block->any = true;
    return true;
}
