/* SPDX-License-Identifier: BSD-3-Clause */
#include "shape/layers.h"

struct summand__layer summand__layer_first(int ranks)
{
    return (struct summand__layer){.size = ranks, .small = 1};
}

static int parts_of(int size, int radix)
{
    return radix < size ? radix : size;
}

/* Adds the parts of `ranges` ranges. */
static void add(struct summand__layer *layer, int size, size_t ranges, int radix)
{
    int parts = parts_of(size, radix), larger = size % parts;
    bool small = size / parts == layer->size; /* false: all parts have the larger size */
    layer->small += ranges * (size_t)(small ? parts - larger : 0);
    layer->large += ranges * (size_t)(small ? larger : parts);
}

bool summand__layer_next(struct summand__layer *layer, int radix)
{
    struct summand__layer below = {.size = layer->size / parts_of(layer->size, radix)};
    if (layer->size == 1 && !layer->large)
        return false;
    add(&below, layer->size, layer->small, radix);
    add(&below, layer->size + 1, layer->large, radix);
    *layer = below;
    return true;
}

size_t summand__layers_meetings(int ranks, int radix)
{
    struct summand__layer layer = summand__layer_first(ranks);
    size_t meetings = 0;
    do {
        int small = parts_of(layer.size, radix), large = parts_of(layer.size + 1, radix);
        meetings += layer.small * (size_t)layer.size * (size_t)(small - 1);
        meetings += layer.large * ((size_t)layer.size + 1) * (size_t)(large - 1);
    } while (summand__layer_next(&layer, radix));
    return meetings;
}
