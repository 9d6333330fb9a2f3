/* SPDX-License-Identifier: BSD-3-Clause */
#include "compute/outer.h"

#include <string.h>

#include "base/extreme.h"
#include "compute/outer_kernels.h"
#include "kernel/arch_rows.h"
#include "kernel/fpenv.h"
#include "kernel/stream.h"

static const struct outer_kernels *const tables[SUMMAND__ARCHS] = SUMMAND__ARCH_ROWS(outer);

static const struct {
    const char *name;
    size_t factor, result;
} types[SUMMAND__OUTER_TYPES] = {
    [SUMMAND__OUTER_F64] = {"f64", sizeof(double), sizeof(double)},
    [SUMMAND__OUTER_F32] = {"f32", sizeof(float), sizeof(float)},
    [SUMMAND__OUTER_BF16] = {"bf16", sizeof(uint16_t), sizeof(float)},
    [SUMMAND__OUTER_F16] = {"f16", sizeof(uint16_t), sizeof(float)},
};

size_t summand__outer_factor_size(enum summand__outer_type type)
{
    return types[type].factor;
}

size_t summand__outer_result_size(enum summand__outer_type type)
{
    return types[type].result;
}

const char *summand__outer_type_name(enum summand__outer_type type)
{
    return types[type].name;
}

const struct outer_kernel *summand__outer_kernel(enum summand__outer_type type)
{
    return tables[summand__arch()]->of[type];
}

enum {
    PAIRS = OUTER_PAIRS,
    CHUNK_BYTES = 1 << 20, /* of G, which a second-level cache keeps between parts of the pairs */
    FEW_ROWS = 64          /* with so few rows, packing b costs more than it saves */
};

struct run {
    const struct outer_kernel *kernel;
    const struct summand__outer *work;
    size_t first, end; /* rows */
    size_t begin;      /* first column */
    struct outer_epilogue epilogue;
    bool scaled;     /* there is an epilogue */
    bool direct;     /* blocks go from registers to G, else through the tile */
    bool in_place;   /* full panels of b are read in place, not packed */
    unsigned stores; /* OUTER_STREAM, OUTER_FETCH */
    size_t lead;     /* columns of the first panel */
    const struct outer_panels *room;
};

/* Columns [first, end) of G, as panels. The first panel has `lead` columns; the others are full,
 * except perhaps the last. */
struct strip {
    size_t first, end, lead, panels;
};

static char *element(const struct run *run, size_t i, size_t j)
{
    return (char *)run->work->g + (i * run->work->ldg + j) * run->kernel->size;
}

static size_t panel_first(const struct run *run, const struct strip *strip, size_t p)
{
    return p ? strip->first + strip->lead + (p - 1) * run->kernel->width[0] : strip->first;
}

static size_t panel_end(const struct run *run, const struct strip *strip, size_t p)
{
    return summand__lesser(panel_first(run, strip, p + 1), strip->end);
}

/* The narrowest blocks that hold so many columns. */
static int narrowest(const struct outer_kernel *kernel, size_t columns)
{
    int w = 0;
    while (w + 1 < OUTER_WIDTHS && columns <= kernel->width[w + 1])
        w++;
    return w;
}

/* A panel of b, from pair k on. */
struct panel {
    const char *b;
    size_t ld; /* elements from pair to pair */
    bool packed;
};

static struct panel panel_at(const struct run *run, const struct strip *strip, size_t p, size_t k,
                             size_t pairs)
{
    const struct outer_kernel *kernel = run->kernel;
    size_t j = panel_first(run, strip, p), n = panel_end(run, strip, p) - j;
    size_t width = kernel->width[narrowest(kernel, n)], ldb = run->work->ldb;
    if (run->in_place && n == width)
        return (struct panel){(const char *)run->work->b + (k * ldb + j) * kernel->size, ldb,
                              false};
    return (struct panel){run->room->b + p * pairs * kernel->width[0] * kernel->size, width, true};
}

static void pack_b(const struct run *run, const struct strip *strip, size_t k, size_t pairs)
{
    const struct outer_kernel *kernel = run->kernel;
    const struct summand__outer *work = run->work;
    char *to = run->room->b;
    for (size_t p = 0; p < strip->panels; p++, to += pairs * kernel->width[0] * kernel->size) {
        size_t j = panel_first(run, strip, p), n = panel_end(run, strip, p) - j;
        size_t width = kernel->width[narrowest(kernel, n)];
        if (!panel_at(run, strip, p, k, pairs).packed)
            continue;
        if (work->turned_b)
            kernel->pack_turned((const char *)work->b + (j * work->ldb + k) * kernel->factor_size,
                                work->ldb, pairs, n, width, to);
        else
            kernel->pack((const char *)work->b + (k * work->ldb + j) * kernel->factor_size,
                         work->ldb, pairs, n, width, n, to);
    }
}

/* Columns [first, end) of row i of G: finish_row stores them from sums; begin_row loads them into
 * sums if the chain continues. */
static void finish_row(const struct run *run, size_t i, size_t first, size_t end, char *sums)
{
    const struct summand__outer *work = run->work;
    size_t begin = work->upper && first < i ? i : first;
    if (begin < end)
        run->kernel->finish(sums + (begin - first) * run->kernel->size, element(run, i, begin),
                            end - begin, run->epilogue.alpha, run->epilogue.beta);
}

static void begin_row(const struct run *run, size_t i, size_t first, size_t end, char *sums)
{
    const struct summand__outer *work = run->work;
    size_t begin = work->upper && first < i ? i : first;
    if (begin < end)
        memcpy(sums + (begin - first) * run->kernel->size, element(run, i, begin),
               (end - begin) * run->kernel->size);
}

/* Runs a block that is partly outside of G, through the tile. */
static void part_block(const struct run *run, int height, size_t i, size_t first, size_t end,
                       const struct panel *panel, size_t pairs, unsigned flags)
{
    const struct outer_kernel *kernel = run->kernel;
    const size_t row = kernel->width[0] * kernel->size;
    char *tile = run->room->tile;
    for (size_t r = 0; r < kernel->rows[height] && flags & OUTER_FROM_G; r++)
        begin_row(run, i + r, first, end, tile + r * row);
    kernel->block[narrowest(kernel, end - first)][height](run->room->a, panel->b, panel->ld, pairs,
                                                          tile, kernel->width[0], flags, NULL);
    for (size_t r = 0; r < kernel->rows[height]; r++)
        finish_row(run, i + r, first, end, tile + r * row);
}

static void pack_a(const struct run *run, size_t i, size_t k, size_t pairs, size_t rows)
{
    const struct outer_kernel *kernel = run->kernel;
    const struct summand__outer *work = run->work;
    if (work->turned_a)
        kernel->pack_turned((const char *)work->a + (i * work->lda + k) * kernel->factor_size,
                            work->lda, pairs, rows, rows, run->room->a);
    else
        kernel->pack((const char *)work->a + (k * work->lda + i) * kernel->factor_size, work->lda,
                     pairs, rows, rows, rows, run->room->a);
}

/* True if blocks of two panels are faster. */
static bool takes_twins(const struct run *run, size_t pairs)
{
    return run->kernel->twin && run->stores == OUTER_STREAM && run->direct && pairs <= OUTER_FEW;
}

/* Runs panel p of b and the next one as one block, if both are full and no element of
 * their rows is left out. False: it did not. */
static bool run_twin(const struct run *run, const struct strip *strip, int height, size_t p,
                     size_t i, const struct panel *b, size_t pairs)
{
    const struct outer_kernel *kernel = run->kernel;
    const size_t width = kernel->width[0], j = panel_first(run, strip, p);
    if (height != OUTER_TWIN || !takes_twins(run, pairs) || p + 1 >= strip->panels ||
        panel_end(run, strip, p + 1) - j < 2 * width ||
        (run->work->upper && j < i + kernel->rows[height] - 1))
        return false;
    const struct panel next = panel_at(run, strip, p + 1, 0, pairs);
    kernel->twin(run->room->a, b->b, next.b, b->ld, pairs, element(run, i, j), run->work->ldg,
                 run->stores, run->scaled ? &run->epilogue : NULL);
    return true;
}

/* Runs a block of rows from i on over the whole strip. `sums`: those of row i in the tile, unless
 * direct. */
static void run_rows(const struct run *run, const struct strip *strip, int height, size_t i,
                     size_t k, size_t pairs, char *sums)
{
    const struct outer_kernel *kernel = run->kernel;
    const struct summand__outer *work = run->work;
    const size_t rows = kernel->rows[height], width = kernel->width[0];
    const unsigned from = k || work->continues ? OUTER_FROM_G : 0;
    pack_a(run, i, k, pairs, rows);
    for (size_t p = 0; p < strip->panels; p++) {
        const struct panel b = panel_at(run, strip, p, k, pairs);
        const size_t j = panel_first(run, strip, p), end = panel_end(run, strip, p);
        const int narrow = narrowest(kernel, end - j);
        if (work->upper && end <= i)
            continue;
        if (run_twin(run, strip, height, p, i, &b, pairs))
            p++;
        else if (!run->direct)
            kernel->block[narrow][height](run->room->a, b.b, b.ld, pairs,
                                          sums + p * width * kernel->size, strip->panels * width,
                                          from, NULL);
        else if (end - j < kernel->width[narrow] || (work->upper && j < i + rows - 1))
            part_block(run, height, i, j, end, &b, pairs, from);
        else
            kernel->block[narrow][height](run->room->a, b.b, b.ld, pairs, element(run, i, j),
                                          work->ldg, from | run->stores,
                                          run->scaled ? &run->epilogue : NULL);
    }
}

/* Runs rows [first, end) of the strip for `pairs` pairs from k on. */
static void run_pairs(const struct run *run, const struct strip *strip, size_t first, size_t end,
                      size_t k, size_t pairs)
{
    const struct outer_kernel *kernel = run->kernel;
    const size_t row = strip->panels * kernel->width[0] * kernel->size;
    char *sums = run->room->tile;
    int height = takes_twins(run, pairs) ? OUTER_TWIN : 0;
    for (size_t i = first; i < end; i += kernel->rows[height], sums += kernel->rows[height] * row) {
        while (kernel->rows[height] > end - i)
            height++;
        run_rows(run, strip, height, i, k, pairs, sums);
    }
}

/* The number of rows that run together. */
static size_t most_rows(const struct run *run, size_t bytes)
{
    const size_t tall = run->kernel->rows[0];
    if (run->direct && run->work->pairs <= PAIRS)
        return SIZE_MAX;
    return (run->direct ? CHUNK_BYTES : run->room->tile_bytes) / bytes / tall * tall;
}

static void run_strip(const struct run *run, const struct strip *strip)
{
    const struct summand__outer *work = run->work;
    const size_t row = strip->panels * run->kernel->width[0] * run->kernel->size;
    const size_t last = work->upper ? summand__lesser(run->end, strip->end) : run->end;
    for (size_t i = run->first, end; i < last; i = end) {
        char *tile = run->room->tile;
        size_t k = 0;
        end = i + summand__lesser(most_rows(run, row), last - i);
        for (size_t r = i; r < end && !run->direct && work->continues; r++)
            begin_row(run, r, strip->first, strip->end, tile + (r - i) * row);
        do {
            const size_t pairs = summand__lesser(PAIRS, work->pairs - k);
            if (i == run->first || work->pairs > PAIRS)
                pack_b(run, strip, k, pairs);
            run_pairs(run, strip, i, end, k, pairs);
            k += pairs;
        } while (k < work->pairs);
        for (size_t r = i; r < end && !run->direct; r++)
            finish_row(run, r, strip->first, strip->end, tile + (r - i) * row);
    }
}

/* The strip of columns from `first` on, for which the packed panels and all rows of the tile fit in
 * the room. */
static struct strip next_strip(const struct run *run, size_t first)
{
    const struct outer_kernel *kernel = run->kernel;
    const size_t pairs = summand__lesser(PAIRS, run->work->pairs + !run->work->pairs);
    const size_t width = kernel->width[0], panel = width * kernel->size;
    const size_t fit = run->room->b_bytes / (pairs * panel);
    const size_t most =
        run->direct ? fit : summand__lesser(fit, run->room->tile_bytes / (OUTER_TILE_ROWS * panel));
    const size_t left = run->work->columns - first;
    struct strip strip = {.first = first, .lead = first == run->begin ? run->lead : width};
    const size_t more = left <= strip.lead ? 0 : (left - strip.lead + width - 1) / width;
    strip.panels = summand__lesser(1 + more, most);
    strip.end = first + summand__lesser(left, strip.lead + (strip.panels - 1) * width);
    return strip;
}

/* Sets `lead` to the columns before G's first cache line, if that line begins in the same column in
 * all rows; else to a full panel. True if rows are aligned. */
static bool line_up(struct run *run)
{
    const size_t size = run->kernel->size, width = run->kernel->width[0];
    const size_t before = -(uintptr_t)element(run, run->first, run->begin) % OUTER_LINE;
    const bool aligned = before % size == 0 &&
                         (run->work->ldg * size % OUTER_LINE == 0 || run->end - run->first == 1);
    run->lead = aligned && before && run->direct ? before / size : width;
    if (run->lead < run->work->columns - run->begin)
        return aligned;
    run->lead = width;
    return aligned && !before;
}

/* Decides how results are stored. */
static void plan(struct run *run)
{
    const struct summand__outer *work = run->work;
    const bool parts = work->pairs > PAIRS;
    run->epilogue.alpha = work->continues ? 1 : work->alpha;
    run->epilogue.beta = work->continues ? 0 : work->beta;
    run->scaled = run->epilogue.alpha != 1 || run->epilogue.beta != 0;
    run->direct = !(parts && run->scaled);
    run->in_place = !work->turned_b && run->kernel->factor_size == run->kernel->size &&
                    run->end - run->first <= FEW_ROWS &&
                    (uintptr_t)work->b % run->kernel->size == 0;
    const bool reads = work->continues || parts || run->epilogue.beta != 0;
    const bool past = line_up(run) && run->kernel->streams && !reads &&
                      summand__stream_pays(SUMMAND__STREAM_RESULTS);
    run->stores = !work->stream ? 0 : past ? OUTER_STREAM : OUTER_FETCH;
}

static void run_with(const struct outer_panels *panels, enum summand__outer_type type,
                     const struct summand__outer *work, size_t first, size_t rows)
{
    struct run run = {.kernel = summand__outer_kernel(type),
                      .work = work,
                      .first = first,
                      .end = first + rows,
                      .begin = work->upper ? first : 0,
                      .room = panels};
    if (!rows || run.begin >= work->columns)
        return;
    const struct summand__fpenv_plain saved = summand__fpenv_enter();
    plan(&run);
    for (size_t column = run.begin; column < work->columns;) {
        struct strip strip = next_strip(&run, column);
        run_strip(&run, &strip);
        column = strip.end;
    }
    if (run.stores == OUTER_STREAM)
        summand__stream_fence();
    summand__fpenv_leave(saved);
}

/* Not inlined: only a thread without memory needs so much stack. */
static __attribute__((noinline)) void run_with_few(enum summand__outer_type type,
                                                   const struct summand__outer *work, size_t first,
                                                   size_t rows)
{
    struct outer_few_panels few;
    const struct outer_panels panels = {.a = few.a,
                                        .b = few.b,
                                        .tile = few.tile,
                                        .b_bytes = sizeof few.b,
                                        .tile_bytes = sizeof few.tile};
    run_with(&panels, type, work, first, rows);
}

void summand__outer_run(enum summand__outer_type type, const struct summand__outer *work,
                        size_t first, size_t rows)
{
    const struct outer_panels *panels = summand__outer_panels();
    if (panels)
        run_with(panels, type, work, first, rows);
    else
        run_with_few(type, work, first, rows);
}

void summand__outer_finish(enum summand__outer_type type, void *s, void *g, size_t count,
                           double alpha, double beta)
{
    const struct summand__fpenv_plain saved = summand__fpenv_enter();
    summand__outer_kernel(type)->finish(s, g, count, alpha, beta);
    summand__fpenv_leave(saved);
}
