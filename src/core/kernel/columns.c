/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/columns.h"

#include <stdlib.h>

#include "kernel/lanes_one.h"

enum {
    BLOCK = SUMMAND__LANES_BLOCK,
    DIGIT = SUMMAND__COLUMNS_DIGIT,
    ROWS = SUMMAND__LANES_SWEEP_ROWS,
    TILE = 4,  /* blocks that rows are read across: their levels fit the first-level cache */
    GROUP = 4, /* rows that a sweep reads side by side */
    FEW = 8,   /* rows that do not pay for levels */
    NO_GUESS = -1100,
    ORIGIN = -1074 /* digits begin at ORIGIN + i DIGIT, so that formats grow by whole digits */
};

static size_t columns_of(const struct summand__columns *columns, size_t b)
{
    const size_t left = columns->n - b * BLOCK;
    return left < BLOCK ? left : BLOCK;
}

static size_t blocks_of(size_t n)
{
    return n / BLOCK + (n % BLOCK != 0);
}

bool summand__columns_init(struct summand__columns *columns, enum summand__lanes_type type,
                           size_t n)
{
    const size_t count = blocks_of(n);
    *columns = (struct summand__columns){.type = type, .n = n};
    columns->blocks = calloc(count + 1, sizeof *columns->blocks);
    if (!columns->blocks)
        return false;
    for (size_t b = 0; b < count; b++) {
        struct summand__columns_block *block = &columns->blocks[b];
        block->format = (struct summand__lanes_format){.bits = DIGIT, .special = 1};
        block->top = NO_GUESS;
        block->lanes = malloc(BLOCK * sizeof *block->lanes);
        if (!block->lanes) {
            summand__columns_free(columns);
            return false;
        }
        summand__lanes_clear(&block->format, block->lanes, columns_of(columns, b));
    }
    return true;
}

void summand__columns_free(struct summand__columns *columns)
{
    for (size_t b = 0; columns->blocks && b < blocks_of(columns->n); b++)
        free(columns->blocks[b].lanes);
    free(columns->blocks);
    columns->blocks = NULL;
}

/* Gives a block the digits for terms from 2^low to below 2^top. */
static bool grow(struct summand__columns_block *block, size_t n, int low, int top)
{
    const struct summand__lanes_format old = block->format;
    int first = (low - ORIGIN) / DIGIT, end = (top - ORIGIN + DIGIT - 1) / DIGIT;
    const int old_first = (old.lowest - ORIGIN) / DIGIT;
    if (old.digits) {
        first = first < old_first ? first : old_first;
        end = end > old_first + old.digits ? end : old_first + old.digits;
    }
    if (end - first <= old.digits)
        return true;
    const struct summand__lanes_format format = {.lowest = (int16_t)(ORIGIN + first * DIGIT),
                                                 .top = (int16_t)(ORIGIN + end * DIGIT),
                                                 .digits = (uint8_t)(end - first),
                                                 .bits = DIGIT,
                                                 .special = 1};
    int64_t *lanes = calloc(summand__lanes_size(&format, n), sizeof *lanes);
    if (!lanes)
        return false;
    if (old.digits)
        memcpy(lanes + (size_t)(old_first - first) * n, block->lanes,
               old.digits * n * sizeof *lanes);
    memcpy(lanes + format.digits * n, block->lanes + old.digits * n, n * sizeof *lanes);
    free(block->lanes);
    block->lanes = lanes;
    block->format = format;
    return true;
}

/* Counts what is added to a digit, and carries before digits could overflow. The last digit keeps
 * its carry; if it grows, the block gets one digit more. */
static bool count(struct summand__columns_block *block, size_t n, uint32_t added)
{
    if (block->added + added <= SUMMAND__COLUMNS_CARRY) {
        block->added += added;
        return true;
    }
    block->added = added;
    const struct summand__lanes_kernels *kernels = summand__lanes_kernels();
    return kernels->normalise(&block->format, block->lanes, n) ||
           (grow(block, n, block->format.lowest, block->format.top + 1) &&
            kernels->normalise(&block->format, block->lanes, n));
}

static struct summand__lanes_range range_of(const struct summand__columns *columns, const char *x,
                                            size_t rows, size_t ld, size_t n)
{
    struct summand__lanes_range range = SUMMAND__LANES_RANGE_NONE;
    const size_t row = ld * summand__lanes_element(columns->type);
    for (size_t i = 0; i < rows; i++)
        summand__lanes_kernels()->range[columns->type](x + i * row, n, &range);
    return range;
}

/* Rows digit by digit. */
static bool add_digits(const struct summand__columns *columns, struct summand__columns_block *block,
                       const char *x, size_t rows, size_t ld, size_t n,
                       const struct summand__lanes_range *range)
{
    const size_t row = ld * summand__lanes_element(columns->type);
    if (range->top != SUMMAND__LANES_NONE && !grow(block, n, (int)-range->low, (int)range->top))
        return false;
    if (!count(block, n, (uint32_t)rows))
        return false;
    for (size_t i = 0; i < rows; i++)
        summand__lanes_kernels()->add[columns->type](x + i * row, n, &block->format, block->lanes);
    return true;
}

/* Levels of the blocks of a tile. */
struct tile {
    struct summand__lanes_levels levels[TILE];
    bool fits[TILE];
    _Alignas(64) double sum[TILE][2][BLOCK];
};

static void start(struct tile *tile, size_t b, size_t n, int top)
{
    tile->fits[b] = top >= SUMMAND__LANES_SWEEP_LEAST && top <= SUMMAND__LANES_SWEEP_MOST;
    if (!tile->fits[b])
        return;
    tile->levels[b] = summand__lanes_levels(top);
    for (unsigned i = 0; i < 2; i++)
        for (size_t j = 0; j < n; j++)
            tile->sum[b][i][j] = tile->levels[b].start[i];
}

static void sweep(const struct summand__columns *columns, struct tile *tile, size_t b,
                  const char *x, size_t rows, size_t ld, size_t n)
{
    tile->fits[b] =
        tile->fits[b] && summand__lanes_kernels()->sweep[columns->type](
                             x, ld, rows, n, &tile->levels[b], tile->sum[b][0], tile->sum[b][1]);
}

/* Whether a column has no term but -0.0. */
static bool only_minus_zeros(const struct summand__columns *columns, const char *x, size_t rows,
                             size_t ld)
{
    for (size_t i = 0; i < rows; i++)
        if (lanes_load(columns->type, x, i * ld) != LANES_SIGN)
            return false;
    return true;
}

/* Adds the levels to a block's lanes. */
static bool flush(const struct summand__columns *columns, struct summand__columns_block *block,
                  struct tile *tile, size_t b, const char *x, size_t rows, size_t ld, size_t n)
{
    const struct summand__lanes_levels *levels = &tile->levels[b];
    const size_t bytes = summand__lanes_element(columns->type);
    if (!grow(block, n, levels->unit[1], levels->unit[0] + 52) || !count(block, n, 2))
        return false;
    int64_t *counters = block->lanes + block->format.digits * n;
    for (size_t j = 0; j < n; j++) {
        for (unsigned i = 0; i < 2; i++) {
            const int64_t value =
                (int64_t)(lanes_bits_of(tile->sum[b][i][j]) - lanes_bits_of(levels->start[i]));
            const int64_t sign = value < 0 ? -1 : 0;
            const int up = levels->unit[i] - block->format.lowest;
            lanes_spread((uint64_t)((value ^ sign) - sign), (unsigned)up, sign, DIGIT,
                         block->lanes + j, n);
        }
        if (counters[j] & SUMMAND__LANES_MINUS_ZEROS &&
            !only_minus_zeros(columns, x + j * bytes, rows, ld))
            counters[j] &= ~SUMMAND__LANES_MINUS_ZEROS;
    }
    return true;
}

/* Rows that did not fit the guess: by their range. */
static bool retry(const struct summand__columns *columns, struct summand__columns_block *block,
                  struct tile *tile, size_t b, const char *x, size_t rows, size_t ld, size_t n)
{
    const struct summand__lanes_range range = range_of(columns, x, rows, ld, n);
    block->top = NO_GUESS;
    if (range.top != SUMMAND__LANES_NONE && rows > FEW &&
        range.top + range.low <= SUMMAND__LANES_SWEEP_SPAN) {
        start(tile, b, n, (int)range.top);
        sweep(columns, tile, b, x, rows, ld, n);
        if (tile->fits[b]) {
            block->top = (int)range.top;
            return flush(columns, block, tile, b, x, rows, ld, n);
        }
    }
    return add_digits(columns, block, x, rows, ld, n, &range);
}

/* Rows, at most ROWS, of the blocks from `first` on, at most TILE. */
static bool add_tile(struct summand__columns *columns, struct tile *tile, size_t first,
                     size_t blocks, const char *x, size_t rows, size_t ld)
{
    const size_t bytes = summand__lanes_element(columns->type), step = BLOCK * bytes;
    for (size_t b = 0; b < blocks; b++) {
        struct summand__columns_block *block = &columns->blocks[first + b];
        const size_t n = columns_of(columns, first + b);
        const struct summand__lanes_range range =
            range_of(columns, x + b * step, rows > FEW, ld, n);
        /* Terms that follow may be somewhat larger. */
        const int guess = range.top == SUMMAND__LANES_NONE ? NO_GUESS : (int)range.top + 2;
        block->top = guess > block->top ? guess : block->top;
        start(tile, b, n, rows > FEW ? block->top : NO_GUESS);
    }
    for (size_t i = 0; i < rows; i += GROUP)
        for (size_t b = 0; b < blocks; b++)
            sweep(columns, tile, b, x + i * ld * bytes + b * step,
                  rows - i < GROUP ? rows - i : GROUP, ld, columns_of(columns, first + b));
    for (size_t b = 0; b < blocks; b++) {
        struct summand__columns_block *block = &columns->blocks[first + b];
        const size_t n = columns_of(columns, first + b);
        if (!(tile->fits[b] ? flush : retry)(columns, block, tile, b, x + b * step, rows, ld, n))
            return false;
    }
    return true;
}

bool summand__columns_add(struct summand__columns *columns, const void *x, size_t rows, size_t ld)
{
    const size_t bytes = summand__lanes_element(columns->type), blocks = blocks_of(columns->n);
    struct tile tile;
    columns->rows += rows;
    for (size_t i = 0; i < rows; i += ROWS)
        for (size_t b = 0; b < blocks; b += TILE)
            if (!add_tile(columns, &tile, b, blocks - b < TILE ? blocks - b : TILE,
                          (const char *)x + (i * ld + b * BLOCK) * bytes,
                          rows - i < ROWS ? rows - i : ROWS, ld))
                return false;
    return true;
}

bool summand__columns_scatter(struct summand__columns *columns, size_t number, const size_t *index,
                              const void *values)
{
    columns->rows += number;
    for (size_t i = 0; i < number; i++) {
        const size_t b = index[i] / BLOCK, j = index[i] % BLOCK, n = columns_of(columns, b);
        struct summand__columns_block *block = &columns->blocks[b];
        const uint64_t bits = lanes_load(columns->type, values, i);
        int low;
        const uint64_t m = lanes_magnitude(bits, &low);
        if (!lanes_is_special(bits) && m) {
            if (!grow(block, n, low + __builtin_ctzll(m), low + 64 - __builtin_clzll(m)) ||
                !count(block, n, 1))
                return false;
            lanes_deposit(bits, &block->format, block->lanes + j, n);
        }
        int64_t *counters = &block->lanes[block->format.digits * n + j];
        *counters = lanes_join(*counters, lanes_special(bits));
    }
    return true;
}

void summand__columns_round(struct summand__columns *columns, void *y)
{
    const size_t bytes = summand__lanes_element(columns->type);
    if (!columns->rows)
        memset(y, 0, columns->n * bytes);
    for (size_t b = 0; b < blocks_of(columns->n) && columns->rows; b++)
        summand__lanes_kernels()->decode[columns->type](
            &columns->blocks[b].format, 1, columns->blocks[b].lanes, columns_of(columns, b),
            (char *)y + b * BLOCK * bytes);
}

void summand__columns_range(struct summand__columns *columns, size_t b,
                            struct summand__lanes_range *range)
{
    const struct summand__columns_block *block = &columns->blocks[b];
    const size_t n = columns_of(columns, b);
    const struct summand__lanes_format *format = &block->format;
    for (size_t j = 0; j < n && columns->rows; j++) {
        uint64_t digit[UINT8_MAX + 1];
        range->special |= block->lanes[format->digits * n + j] != 0;
        lanes_carry(format, block->lanes + j, n, digit);
        for (int i = 0; i <= format->digits; i++) {
            const int64_t unit = format->lowest + i * DIGIT;
            if (!digit[i])
                continue;
            const int64_t top = unit + 64 - __builtin_clzll(digit[i]);
            const int64_t low = -(unit + __builtin_ctzll(digit[i]));
            range->top = top > range->top ? top : range->top;
            range->low = low > range->low ? low : range->low;
        }
    }
}

bool summand__columns_encode(struct summand__columns *columns, size_t b,
                             const struct summand__lanes_format *format, int64_t *lanes)
{
    const struct summand__columns_block *block = &columns->blocks[b];
    const size_t n = columns_of(columns, b);
    struct summand__lanes_range range = SUMMAND__LANES_RANGE_NONE;
    summand__columns_range(columns, b, &range);
    summand__lanes_clear(format, lanes, n);
    if (range.special > format->special ||
        (range.top != SUMMAND__LANES_NONE &&
         (range.top > format->top || -range.low < format->lowest)))
        return false;
    for (size_t j = 0; j < n; j++) {
        uint64_t digit[UINT8_MAX + 1];
        const int64_t sign = lanes_carry(&block->format, block->lanes + j, n, digit) ? -1 : 0;
        for (int i = 0; i <= block->format.digits; i++) {
            const int up = block->format.lowest + i * DIGIT - format->lowest;
            if (digit[i])
                lanes_spread(up < 0 ? digit[i] >> -up : digit[i], up < 0 ? 0 : (unsigned)up, sign,
                             format->bits, lanes + j, n);
        }
        if (format->special)
            lanes[format->digits * n + j] = block->lanes[block->format.digits * n + j];
    }
    return true;
}
