#include "matrix/move.h"

#include "schedule/tiles.h"

/* The move as one rank sees it, while its steps are appended. */
struct mover {
    const struct summand__move *move;
    struct summand__schedule *schedule;
    int rank, own_from, own_to; /* holder, or -1 */
    size_t messages;            /* elements of their place that are taken */
};

/* What this rank and another one have in common. */
struct common {
    struct summand__combs rows, columns;
    size_t count;
};

static bool has_any(const struct summand__holder *holder)
{
    struct summand__interval interval;
    return summand__share_next(&holder->rows, 0, &interval) &&
           summand__share_next(&holder->columns, 0, &interval);
}

/* Of who has no elements no interval is looked at: there may be 2^62 of the other dimension's. */
static bool find(struct mover *mover, const struct summand__holder *from,
                 const struct summand__holder *to, enum summand__view view, struct common *common)
{
    bool transposed = mover->move->transposed;
    *common = (struct common){.count = 0};
    if (!has_any(from) || !has_any(to))
        return false;
    summand__combs_make(&common->rows, &from->rows, transposed ? &to->columns : &to->rows, view);
    summand__combs_make(&common->columns, &from->columns, transposed ? &to->rows : &to->columns,
                        view);
    mover->schedule->failed =
        mover->schedule->failed || common->rows.failed || common->columns.failed;
    common->count = common->rows.total * common->columns.total;
    return common->count && !mover->schedule->failed;
}

static void drop(struct common *common)
{
    summand__combs_free(&common->rows);
    summand__combs_free(&common->columns);
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

/* Which of the rounds steps are appended for. */
enum pass { PACK, EXCHANGE, UNPACK };

/* Each pass goes through the same messages in the same order, so regions of theirs agree. */
static void message(struct mover *mover, int peer, const struct common *common, bool sends,
                    enum pass pass)
{
    bool transposed = mover->move->transposed;
    struct summand__columns own = array(mover, sends);
    struct summand__columns wire = {SUMMAND__MOVE_MESSAGES, mover->messages, common->rows.total};
    size_t first;
    bool direct =
        (sends || !transposed) &&
        summand__tiles_contiguous(&common->rows, &common->columns, sends, own.lead, &first);
    struct summand__region region =
        summand__region((enum summand__place)(direct ? own.place : wire.place),
                        direct ? first : wire.first, common->count);
    mover->messages += direct ? 0 : common->count;
    if (pass == EXCHANGE)
        (sends ? summand__send : summand__recv)(mover->schedule, peer, region);
    else if (pass == PACK && sends && !direct)
        copy(mover, common, own, wire, false);
    else if (pass == UNPACK && !sends && !direct)
        copy(mover, common, wire, own, transposed);
}

/* All messages of this rank one way, each rank beginning with another peer. */
static void messages(struct mover *mover, bool sends, enum pass pass)
{
    const struct summand__move *move = mover->move;
    const struct summand__holder *others = sends ? move->to : move->from;
    int own = sends ? mover->own_from : mover->own_to;
    int count = sends ? move->to_count : move->from_count;
    const struct summand__holder *mine = own < 0 ? NULL : sends ? &move->from[own] : &move->to[own];
    for (int k = 0; mine && k < count && !mover->schedule->failed; k++) {
        const struct summand__holder *other = &others[(own + 1 + k) % count];
        struct common common;
        if (other->rank == mover->rank)
            continue;
        bool any = sends ? find(mover, mine, other, SUMMAND__VIEW_SENDER, &common)
                         : find(mover, other, mine, SUMMAND__VIEW_RECEIVER, &common);
        if (any)
            message(mover, other->rank, &common, sends, pass);
        drop(&common);
    }
}

/* What stays on the rank. */
static void stay(struct mover *mover)
{
    const struct summand__move *move = mover->move;
    struct common common;
    if (mover->own_from < 0 || mover->own_to < 0)
        return;
    if (find(mover, &move->from[mover->own_from], &move->to[mover->own_to], SUMMAND__VIEW_LOCAL,
             &common))
        copy(mover, &common, array(mover, true), array(mover, false), move->transposed);
    drop(&common);
}

static int holder_of(const struct summand__holder *holders, int count, int rank)
{
    for (int i = 0; i < count; i++)
        if (holders[i].rank == rank)
            return i;
    return -1;
}

void summand__move_build(const struct summand__move *move, int rank,
                         struct summand__schedule *schedule)
{
    struct mover mover = {.move = move,
                          .schedule = schedule,
                          .rank = rank,
                          .own_from = holder_of(move->from, move->from_count, rank),
                          .own_to = holder_of(move->to, move->to_count, rank)};
    summand__add_place(schedule, SUMMAND__INPUT, move->unit, move->from_room);
    summand__add_place(schedule, SUMMAND__RESULT, move->unit, move->to_room);
    uint32_t place = summand__add_place(schedule, SUMMAND__TEMPORARY, move->unit, 0);
    for (int pass = PACK; pass <= UNPACK; pass++) {
        mover.messages = 0;
        for (int sends = 0; sends < 2; sends++)
            messages(&mover, sends, (enum pass)pass);
        if (pass == EXCHANGE)
            stay(&mover);
        summand__round(schedule);
    }
    if (!schedule->failed)
        schedule->info[place - SUMMAND__PLACES].count = mover.messages;
}
