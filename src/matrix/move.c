/* SPDX-License-Identifier: BSD-3-Clause */
#include "matrix/move.h"

#include "base/extreme.h"
#include "compute/tiles.h"

#include <stdlib.h>

/* The elements that this rank has in common with another one, or with itself, in one direction. */
struct common {
    struct summand__combs rows, columns;
    int peer;
    bool sends;
    size_t each, slices; /* columns of a slice, the last one perhaps fewer */
    size_t room,
        wire[2]; /* elements of a packed slice; first elements of the even and the odd slices */
};

/* The move as seen by one rank while its steps are appended. */
struct mover {
    const struct summand__move *move;
    struct summand__schedule *schedule;
    int rank, own_from, own_to; /* holder, or -1 */
    struct common *commons;
    int count;
    size_t slices, messages; /* the most slices of a pair of ranks; elements of all packed slices */
};

/* Bytes sent at a time to all ranks together, and the least bytes of a slice. Together with slices
 * being packed and received, they fit into the second-level cache. */
static const size_t usual_slices = 1 << 18, least_slice = 1 << 16;

static bool has_any(const struct summand__holder *holder)
{
    struct summand__interval interval;
    return summand__share_next(&holder->rows, 0, &interval) &&
           summand__share_next(&holder->columns, 0, &interval);
}

static void drop(struct common *common)
{
    summand__combs_free(&common->rows);
    summand__combs_free(&common->columns);
}

/* Skips ranks without elements: there may be 2^62 intervals in the other dimension. */
static bool find(struct mover *mover, const struct summand__holder *from,
                 const struct summand__holder *to, enum summand__view view, struct common *common)
{
    bool transposed = mover->move->transposed;
    *common = (struct common){.peer = view == SUMMAND__VIEW_SENDER ? to->rank : from->rank,
                              .sends = view == SUMMAND__VIEW_SENDER};
    if (!has_any(from) || !has_any(to))
        return false;
    summand__combs_make(&common->rows, &from->rows, transposed ? &to->columns : &to->rows, view);
    summand__combs_make(&common->columns, &from->columns, transposed ? &to->rows : &to->columns,
                        view);
    mover->schedule->failed =
        mover->schedule->failed || common->rows.failed || common->columns.failed;
    if (common->rows.total && common->columns.total && !mover->schedule->failed)
        return true;
    drop(common);
    return false;
}

/* Both ranks of a pair compute the same slices. */
static void cut(const struct mover *mover, struct common *common)
{
    const struct summand__move *move = mover->move;
    size_t peers = (size_t)(move->from_count > move->to_count ? move->from_count : move->to_count);
    size_t bytes = move->slice ? move->slice : summand__larger(usual_slices / peers, least_slice);
    size_t columns = common->columns.total, column = common->rows.total * move->unit;
    common->each = summand__larger(bytes / column, (columns - 1) / SUMMAND__MOVE_SLICES + 1);
    common->slices = (columns - 1) / common->each + 1;
    common->room = (common->slices > 1 ? common->each : columns) * common->rows.total;
}

static struct summand__columns array(const struct mover *mover, bool from)
{
    return (struct summand__columns){
        from ? SUMMAND__MOVE_FROM : SUMMAND__MOVE_TO, 0,
        (size_t)(from ? mover->move->from_lead : mover->move->to_lead)};
}

static void copy(struct mover *mover, const struct common *common, struct summand__columns from,
                 struct summand__columns to, bool transposed)
{
    (transposed ? summand__tiles_transpose : summand__tiles_copy)(mover->schedule, &common->rows,
                                                                  &common->columns, from, to);
}

/* True if a message's elements are contiguous in place, from `first` on. */
static bool is_direct(const struct mover *mover, const struct common *common, size_t *first)
{
    return (common->sends || !mover->move->transposed) &&
           summand__tiles_contiguous(&common->rows, &common->columns, common->sends,
                                     array(mover, common->sends).lead, first);
}

/* Operations on a slice in one round. */
enum pass { PACK, EXCHANGE, UNPACK };

static void take_slice(struct mover *mover, const struct common *common, size_t number,
                       enum pass pass)
{
    size_t begin = number * common->each, left = common->columns.total - begin, first;
    struct common slice = *common;
    struct summand__columns own = array(mover, common->sends);
    struct summand__columns wire = {SUMMAND__MOVE_MESSAGES, common->wire[number % 2],
                                    common->rows.total};
    summand__combs_slice(&slice.columns, &common->columns, begin,
                         left < common->each ? left : common->each,
                         common->sends ? SUMMAND__VIEW_SENDER : SUMMAND__VIEW_RECEIVER);
    mover->schedule->failed = mover->schedule->failed || slice.columns.failed;
    if (mover->schedule->failed) {
        summand__combs_free(&slice.columns);
        return;
    }
    bool direct = is_direct(mover, &slice, &first);
    struct summand__region region =
        summand__region((enum summand__place)(direct ? own.place : wire.place),
                        direct ? first : wire.first, slice.columns.total * slice.rows.total);
    if (pass == EXCHANGE)
        (common->sends ? summand__send : summand__recv)(mover->schedule, common->peer, region);
    else if (pass == PACK && common->sends && !direct)
        copy(mover, &slice, own, wire, false);
    else if (pass == UNPACK && !common->sends && !direct)
        copy(mover, &slice, wire, own, mover->move->transposed);
    summand__combs_free(&slice.columns);
}

static void take_slices(struct mover *mover, size_t number, enum pass pass)
{
    for (int i = 0; i < mover->count && !mover->schedule->failed; i++)
        if (number < mover->commons[i].slices)
            take_slice(mover, &mover->commons[i], number, pass);
}

/* Copies elements that stay on the rank. */
static void stay(struct mover *mover)
{
    const struct summand__move *move = mover->move;
    struct common common;
    if (mover->own_from < 0 || mover->own_to < 0)
        return;
    if (find(mover, &move->from[mover->own_from], &move->to[mover->own_to], SUMMAND__VIEW_LOCAL,
             &common)) {
        copy(mover, &common, array(mover, true), array(mover, false), move->transposed);
        drop(&common);
    }
}

/* Finds all peers in one direction; each rank begins with another one. Contiguous elements take no
 * room: their slices are contiguous, too. */
static void find_peers(struct mover *mover, bool sends)
{
    const struct summand__move *move = mover->move;
    const struct summand__holder *others = sends ? move->to : move->from;
    int own = sends ? mover->own_from : mover->own_to;
    int count = sends ? move->to_count : move->from_count;
    const struct summand__holder *mine = own < 0 ? NULL : sends ? &move->from[own] : &move->to[own];
    for (int k = 0; mine && k < count && !mover->schedule->failed; k++) {
        const struct summand__holder *other = &others[(own + 1 + k) % count];
        struct common *common = &mover->commons[mover->count];
        size_t first;
        if (other->rank == mover->rank ||
            !(sends ? find(mover, mine, other, SUMMAND__VIEW_SENDER, common)
                    : find(mover, other, mine, SUMMAND__VIEW_RECEIVER, common)))
            continue;
        cut(mover, common);
        bool direct = is_direct(mover, common, &first);
        for (size_t i = 0; i < 2 && i < common->slices && !direct; i++) {
            common->wire[i] = mover->messages;
            mover->messages += common->room;
        }
        mover->slices = summand__larger(mover->slices, common->slices);
        mover->count++;
    }
}

static int holder_of(const struct summand__holder *holders, int count, int rank)
{
    for (int i = 0; i < count; i++)
        if (holders[i].rank == rank)
            return i;
    return -1;
}

/* In round r slices r - 1 are in flight. */
static void append(struct mover *mover)
{
    for (size_t round = 0; round <= mover->slices + 1; round++) {
        if (round)
            take_slices(mover, round - 1, EXCHANGE);
        if (round == (mover->slices > 0))
            stay(mover);
        if (round > 1)
            take_slices(mover, round - 2, UNPACK);
        take_slices(mover, round, PACK);
        summand__round(mover->schedule);
    }
}

void summand__move_build(const struct summand__move *move, int rank,
                         struct summand__schedule *schedule)
{
    struct mover mover = {.move = move,
                          .schedule = schedule,
                          .rank = rank,
                          .own_from = holder_of(move->from, move->from_count, rank),
                          .own_to = holder_of(move->to, move->to_count, rank)};
    size_t most = (size_t)(move->from_count + move->to_count);
    mover.commons = malloc(most * sizeof *mover.commons);
    schedule->failed = schedule->failed || !mover.commons;
    summand__add_place(schedule, SUMMAND__INPUT, move->unit, move->from_room);
    summand__add_place(schedule, SUMMAND__RESULT, move->unit, move->to_room);
    uint32_t place = summand__add_place(schedule, SUMMAND__TEMPORARY, move->unit, 0);
    for (int sends = 0; sends < 2; sends++)
        find_peers(&mover, sends);
    append(&mover);
    if (!schedule->failed)
        schedule->info[place - SUMMAND__PLACES].count = mover.messages;
    for (int i = 0; i < mover.count; i++)
        drop(&mover.commons[i]);
    free(mover.commons);
}
