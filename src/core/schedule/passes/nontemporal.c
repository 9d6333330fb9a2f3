/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "schedule/passes/passes.h"

/* Elements of the recvbuf that later steps read, as ordered stretches that neither touch nor
 * overlap. */
struct stretch {
    size_t begin, end;
};

struct stretches {
    struct stretch *of;
    size_t count;
};

/* The first stretch that ends at `begin` or later. */
static size_t find(const struct stretches *read, size_t begin)
{
    size_t low = 0, high = read->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (read->of[middle].end < begin)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void add(struct stretches *read, struct summand__region region)
{
    struct stretch all = {region.first, region.first + region.count};
    size_t first = find(read, all.begin), behind = first;
    for (; behind < read->count && read->of[behind].begin <= all.end; behind++) {
        if (read->of[behind].begin < all.begin)
            all.begin = read->of[behind].begin;
        if (read->of[behind].end > all.end)
            all.end = read->of[behind].end;
    }
    memmove(&read->of[first + 1], &read->of[behind], (read->count - behind) * sizeof *read->of);
    read->of[first] = all;
    read->count = read->count - behind + first + 1;
}

static inline void note(struct stretches *read, struct summand__region region)
{
    if (region.count && region.place == SUMMAND__RECVBUF)
        add(read, region);
}

static bool is_read(const struct stretches *read, struct summand__region region)
{
    size_t at = find(read, region.first + 1);
    return at < read->count && read->of[at].begin < region.first + region.count;
}

static bool writes(const struct summand__step *step)
{
    return summand__receives(step) || step->action == SUMMAND__REDUCE ||
           step->action == SUMMAND__COPY;
}

static void mark(struct stretches *read, struct summand__step *step)
{
    step->flags &= (uint8_t)~SUMMAND__STEP_NONTEMPORAL;
    if (writes(step) && step->to.place == SUMMAND__RECVBUF && !is_read(read, step->to))
        step->flags |= SUMMAND__STEP_NONTEMPORAL;
    if (!summand__receives(step))
        note(read, step->from);
    note(read, step->with);
    if (step->action == SUMMAND__REDUCE)
        note(read, step->to);
}

/* Goes from the last step to the first. Received elements are combined after all other steps of
 * their round. */
bool summand__nontemporal(struct summand__schedule *schedule)
{
    struct summand__step *steps = schedule->steps;
    struct stretches read = {malloc((2 * schedule->length + 1) * sizeof *read.of), 0};
    if (!read.of)
        return false;
    for (size_t end = schedule->length, begin; end; end = begin) {
        bool combines = false;
        for (begin = end - 1; begin && steps[begin - 1].action != SUMMAND__ROUND; begin--)
            combines = combines || steps[begin - 1].action == SUMMAND__RECV_REDUCE;
        combines = combines || steps[end - 1].action == SUMMAND__RECV_REDUCE;
        for (int combining = combines; combining >= 0; combining--)
            for (size_t i = end; i-- > begin;)
                if ((steps[i].action == SUMMAND__RECV_REDUCE) == combining)
                    mark(&read, &steps[i]);
    }
    free(read.of);
    return true;
}
