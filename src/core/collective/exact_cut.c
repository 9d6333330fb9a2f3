/* SPDX-License-Identifier: BSD-3-Clause */
#include "collective/exact_cut.h"

#include <limits.h>
#include <stdlib.h>

#include "algorithm/call.h"

enum {
    /* Numbers of a segment, whose lanes stay in a cache between the stages; more if many ranks
     * share them. */
    SEGMENT = 32768,
    SHARE = 2 * SUMMAND__LANES_BLOCK /* numbers of a segment per rank, at least */
};

/* A call whose vector is cut. */
struct cutting {
    const struct summand__call *call;
    size_t each;
    bool scatters;
    int segments;
    struct summand__exact_part *parts; /* one per rank */
};

/* The numbers of piece `i` of `n` nearly equal ones, in whole blocks. */
static struct summand__exact_part piece(struct summand__exact_part whole, size_t i, size_t n)
{
    const size_t blocks = summand__lanes_blocks(whole.count);
    const size_t from = summand__cut(blocks, i, n) * SUMMAND__LANES_BLOCK;
    const size_t to = summand__cut(blocks, i + 1, n) * SUMMAND__LANES_BLOCK;
    const size_t end = to < whole.count ? to : whole.count;
    return (struct summand__exact_part){whole.from + from, whole.to + from,
                                        from < end ? end - from : 0};
}

/* Segments of a call's vector; every rank has a part of them. */
static int segments_for(const struct summand__call *call, size_t each)
{
    const size_t least = (size_t)call->ranks * SHARE, size = least > SEGMENT ? least : SEGMENT;
    const size_t segments = (summand__call_total(call) * each + size - 1) / size;
    return segments > INT_MAX ? INT_MAX : segments ? (int)segments : 1;
}

/* Cuts a segment: into pieces of the blocks of a reduce-scatter; that of an all-reduce into nearly
 * equal parts of whole blocks, if each rank gets one; else not. Returns the number of parts. */
static int cut_segment(const struct cutting *of, int s)
{
    const struct summand__call *call = of->call;
    const int ranks = call->ranks;
    const size_t segment = (size_t)s, segments = (size_t)of->segments;
    struct summand__exact_part whole = {.count = summand__call_total(call) * of->each};
    if (summand__has_blocks(call->collective) && ranks > 1) {
        for (int r = 0; r < ranks; r++) {
            const struct summand__block block = summand__call_block(call, r);
            whole = (struct summand__exact_part){block.first * of->each, 0, block.count * of->each};
            of->parts[r] = piece(whole, segment, segments);
        }
        return ranks;
    }
    whole = of->parts[0] = piece(whole, segment, segments);
    if (call->collective != SUMMAND__COLL_ALLREDUCE || !of->scatters ||
        whole.count <= SUMMAND__EXACT_FEW || summand__lanes_blocks(whole.count) < (size_t)ranks)
        return 1;
    for (int r = 0; r < ranks; r++)
        of->parts[r] = piece(whole, (size_t)r, (size_t)ranks);
    return ranks;
}

struct summand__exact_layout *summand__exact_cut(const struct summand__call *call,
                                                 enum summand__lanes_type type, size_t each,
                                                 bool scatters, int *segments)
{
    const struct cutting of = {.call = call,
                               .each = each,
                               .scatters = scatters,
                               .segments = segments_for(call, each),
                               .parts = calloc((size_t)call->ranks, sizeof *of.parts)};
    struct summand__exact_layout *layouts = calloc((size_t)of.segments, sizeof *layouts);
    bool good = layouts && of.parts;
    *segments = of.segments;
    for (int s = 0; s < of.segments && good; s++)
        good = summand__exact_layout_make(&layouts[s], type, call->ranks, cut_segment(&of, s),
                                          of.parts);
    free(of.parts);
    if (good)
        return layouts;
    summand__exact_layouts_free(layouts, of.segments);
    return NULL;
}

void summand__exact_layouts_free(struct summand__exact_layout *layouts, int segments)
{
    for (int s = 0; layouts && s < segments; s++)
        summand__exact_layout_free(&layouts[s]);
    free(layouts);
}
