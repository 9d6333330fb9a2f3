/* SPDX-License-Identifier: BSD-3-Clause */
#include "shape/cyclic.h"

int64_t summand__cyclic_blocks(const struct summand__cyclic *cyclic)
{
    return cyclic->extent / cyclic->block + (cyclic->extent % cyclic->block != 0);
}

int summand__cyclic_part(const struct summand__cyclic *cyclic, int64_t index)
{
    return (int)(index / cyclic->block % cyclic->parts);
}

int64_t summand__cyclic_offset(const struct summand__cyclic *cyclic, int64_t index)
{
    return index / cyclic->block / cyclic->parts * cyclic->block + index % cyclic->block;
}

int64_t summand__cyclic_index(const struct summand__cyclic *cyclic, int part, int64_t offset)
{
    int64_t block = offset / cyclic->block * cyclic->parts + part;
    return block * cyclic->block + offset % cyclic->block;
}

int64_t summand__cyclic_extent(const struct summand__cyclic *cyclic, int part)
{
    int64_t whole = cyclic->extent / cyclic->block; /* blocks without the shorter one */
    int64_t own = whole / cyclic->parts + (part < whole % cyclic->parts);
    bool last = part == whole % cyclic->parts;
    return own * cyclic->block + (last ? cyclic->extent % cyclic->block : 0);
}

struct summand__share summand__cyclic_share(const struct summand__cyclic *cyclic, int part)
{
    int64_t blocks = summand__cyclic_blocks(cyclic);
    if (part >= blocks)
        return summand__interval_share(0, 0);
    return (struct summand__share){
        .first = part * cyclic->block,
        .width = cyclic->block,
        .stride = cyclic->parts < blocks - part ? cyclic->parts * cyclic->block : 0,
        .end = cyclic->extent};
}

struct summand__share summand__interval_share(int64_t first, int64_t count)
{
    return (struct summand__share){.first = first, .width = count, .end = first + count};
}

bool summand__share_next(const struct summand__share *share, int64_t index,
                         struct summand__interval *interval)
{
    int64_t number = 0, begin = share->first;
    if (index > begin && share->stride) {
        number = (index - begin) / share->stride;
        begin += number * share->stride;
    }
    if (index > begin && index - begin >= share->width) {
        if (!share->stride || share->end - begin <= share->stride)
            return false;
        number++;
        begin += share->stride;
    }
    if (begin >= share->end)
        return false;
    int64_t inside = index > begin ? index - begin : 0;
    int64_t width = share->width < share->end - begin ? share->width : share->end - begin;
    *interval =
        (struct summand__interval){begin + inside, width - inside, number * share->width + inside};
    return width > inside;
}

bool summand__overlap_next(const struct summand__share *from, const struct summand__share *to,
                           int64_t index, struct summand__overlap *overlap)
{
    struct summand__interval a, b;
    for (;;) {
        if (!summand__share_next(from, index, &a) || !summand__share_next(to, a.index, &b))
            return false;
        if (a.index == b.index)
            break;
        index = b.index;
    }
    *overlap = (struct summand__overlap){a.index, a.count < b.count ? a.count : b.count, a.offset,
                                         b.offset};
    return true;
}

int64_t summand__share_extent(const struct summand__share *share)
{
    int64_t span = share->end - share->first;
    if (span <= 0)
        return 0;
    if (!share->stride)
        return span < share->width ? span : share->width;
    int64_t last = span % share->stride;
    return span / share->stride * share->width + (last < share->width ? last : share->width);
}

int64_t summand__share_index(const struct summand__share *share, int64_t offset)
{
    return share->first + offset / share->width * share->stride + offset % share->width;
}
