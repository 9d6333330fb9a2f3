/* SPDX-License-Identifier: BSD-3-Clause */
#include "train/grids.h"

#include <stdio.h>

enum { PART_MOST = 4096 };

/* Reads a grid, or "N x" and a grid in brackets. Returns the position after it; NULL: syntax
 * error. */
static const char *read_item(const char *at, int *times, int *rows, int *columns)
{
    int used = 0;
    if (sscanf(at, "%4dx(%4dx%4d)%n", times, rows, columns, &used) == 3 && used)
        return at + used;
    *times = 1;
    used = 0;
    if (sscanf(at, "(%4dx%4d)%n", rows, columns, &used) == 2 && used)
        return at + used;
    used = 0;
    return sscanf(at, "%4dx%4d%n", rows, columns, &used) == 2 && used ? at + used : NULL;
}

bool train_grids_read(const char *text, struct train_grids *grids, struct summand__net_fault *fault)
{
    const char *at = text;
    *grids = (struct train_grids){0};
    do {
        int times, rows, columns;
        const char *next = read_item(at, &times, &rows, &columns);
        if (!next || (*next && *next != ',') || times < 1 || rows < 1 || columns < 1 ||
            rows > PART_MOST || columns > PART_MOST)
            return summand__net_fail(fault, "groups: '%s' is no list such as 2x(1x2),2x2", text);
        for (; times; times--) {
            if (grids->count == TRAIN_STAGES_MOST)
                return summand__net_fail(fault, "groups: more than %d of them", TRAIN_STAGES_MOST);
            grids->of[grids->count++] = (struct train_grid){rows, columns, grids->ranks};
            grids->ranks += rows * columns;
        }
        at = next + (*next == ',');
        if (*next == ',' && !*at)
            return summand__net_fail(fault, "groups: '%s' ends with a comma", text);
    } while (*at);
    return true;
}

size_t train_dealt(const struct train_deal *deal)
{
    size_t round = deal->block * (size_t)deal->parts, rest = deal->extent % round;
    size_t before = deal->block * (size_t)deal->part;
    size_t more = rest > before ? rest - before : 0;
    return deal->extent / round * deal->block + (more < deal->block ? more : deal->block);
}

size_t train_dealt_index(const struct train_deal *deal, size_t i)
{
    return (i / deal->block * (size_t)deal->parts + (size_t)deal->part) * deal->block +
           i % deal->block;
}
