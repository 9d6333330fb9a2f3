/* SPDX-License-Identifier: BSD-3-Clause */
#include "train/mpi/recorder.h"

#include <stdlib.h>
#include <string.h>

#include "base/backoff.h"

void train_recorder_begin(struct train_recorder *recorder, size_t first)
{
    recorder->on = recorder->wanted && first == 0;
    if (recorder->on)
        recorder->count = 0;
}

static int by_time(const void *x, const void *y)
{
    const struct summand__recorded *a = x, *b = y;
    return (a->begin > b->begin) - (a->begin < b->begin);
}

void train_recorder_end(struct train_recorder *recorder)
{
    if (recorder->on && recorder->count)
        qsort(recorder->of, recorder->count, sizeof *recorder->of, by_time);
    recorder->on = false;
}

void train_recorder_free(struct train_recorder *recorder)
{
    free(recorder->of);
    *recorder = (struct train_recorder){.wanted = false};
}

uint64_t train_recorder_now(const struct train_recorder *recorder)
{
    return recorder->on ? summand__clock() : 0;
}

void train_recorder_note(struct train_recorder *recorder, int action, int peer, size_t bytes,
                         uint64_t begin)
{
    if (!recorder->on)
        return;
    const struct summand__recorded recorded = {.begin = (double)begin * 1e-9,
                                               .end = (double)summand__clock() * 1e-9,
                                               .action = action,
                                               .peer = peer,
                                               .group = SUMMAND__NO_GROUP,
                                               .bytes = bytes};
    train_recorder_add(recorder, &recorded);
}

void train_recorder_add(struct train_recorder *recorder, const struct summand__recorded *recorded)
{
    enum { FIRST = 1024 };
    if (!recorder->on)
        return;
    if (recorder->count == recorder->room) {
        size_t room = recorder->room ? 2 * recorder->room : FIRST;
        struct summand__recorded *more = realloc(recorder->of, room * sizeof *more);
        if (!more) {
            train_recorder_free(recorder);
            return;
        }
        recorder->of = more;
        recorder->room = room;
    }
    recorder->of[recorder->count++] = *recorded;
}

size_t train_recorder_read(const struct train_recorder *recorder, size_t first, size_t count,
                           struct summand__recorded *to)
{
    size_t left = first < recorder->count ? recorder->count - first : 0;
    if (to && left)
        memcpy(to, recorder->of + first, (count < left ? count : left) * sizeof *to);
    return recorder->count;
}
