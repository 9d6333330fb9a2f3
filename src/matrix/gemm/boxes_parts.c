/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of a product by boxes: parts go to the ranks that hold C, which add them in the order of
 * the inner dimension. */
#include "matrix/gemm/boxes.h"
#include "matrix/gemm/panels.h"

static const struct summand__gemm_job *own_box(const struct summand__gemm_build *build)
{
    size_t jobs;
    const struct summand__gemm_job *own = summand__gemm_jobs_of(build->shape, build->rank, &jobs);
    return jobs ? own : NULL;
}

/* The position of a box's part among the results of a holder: after those of the ranks before
 * it. */
static size_t lands_at(const struct summand__gemm_shape *shape, const struct summand__gemm_job *job,
                       int holder)
{
    struct summand__gemm_part part;
    size_t first = 0;
    for (const struct summand__gemm_job *other = shape->job; other < job; other++)
        if (other->rank != shape->c.holder[holder].rank &&
            summand__gemm_part_of(shape, other, holder, &part))
            first += (size_t)(part.rows * part.columns);
    return first;
}

/* A holder's part of this rank's box: its place in the box if it is one rectangle, else packed
 * after `*room`. `packs`: this is the packing round. */
static struct summand__columns gathered(const struct summand__gemm_build *build,
                                        const struct summand__gemm_job *job, int holder, bool whole,
                                        bool packs, size_t *room)
{
    const struct summand__holder *of = &build->shape->c.holder[holder];
    const struct summand__share rows = summand__interval_share(job->row, job->rows),
                                columns = summand__interval_share(job->first, job->count);
    const struct summand__columns made = {SUMMAND__GEMM_TILE, 0, (size_t)job->rows};
    struct summand__combs row, column;
    struct summand__columns part = made;
    summand__combs_make(&row, &rows, &of->rows, SUMMAND__VIEW_SENDER);
    summand__combs_make(&column, &columns, &of->columns, SUMMAND__VIEW_SENDER);
    if (row.failed || column.failed) {
        build->schedule->failed = true;
    } else if (row.runs != 1 || column.runs != 1 ||
               (whole && column.total != 1 && row.total != made.lead)) {
        part = (struct summand__columns){SUMMAND__GEMM_PACKED, *room, row.total};
        *room += row.total * column.total;
        summand__gemm_room(build, SUMMAND__GEMM_PACKED, *room);
        if (packs)
            summand__tiles_copy(build->schedule, &row, &column, made, part);
    } else {
        part.first = column.comb->from * made.lead + row.comb->from;
    }
    summand__combs_free(&row);
    summand__combs_free(&column);
    return part;
}

static void put_part(const struct summand__gemm_build *build, const struct summand__gemm_job *job,
                     int holder, const struct summand__gemm_part *part,
                     const struct summand__columns *from)
{
    struct summand__schedule *schedule = build->schedule;
    int owner = build->shape->c.holder[holder].rank;
    size_t count = (size_t)(part->rows * part->columns);
    summand__wait_counter(schedule, summand__gemm_counter(build, SUMMAND__GEMM_TAKEN, owner), 0);
    summand__gemm_expect(build, SUMMAND__GEMM_TAKEN, owner, 1);
    summand__put(schedule, owner,
                 summand__region((enum summand__place)from->place, from->first, count),
                 summand__region((enum summand__place)SUMMAND__GEMM_RESULTS,
                                 lands_at(build->shape, job, holder), count));
    summand__notify(schedule, owner, summand__gemm_counter(build, SUMMAND__GEMM_MADE, build->rank));
}

/* Goes over all holders twice, to pack and to put. Returns the place of this rank's own part. */
static struct summand__columns put_parts(const struct summand__gemm_build *build)
{
    const struct summand__gemm_shape *shape = build->shape;
    const struct summand__gemm_job *job = own_box(build);
    struct summand__columns own = {SUMMAND__GEMM_TILE, 0, 1};
    for (int packs = 1; packs >= 0 && job; packs--) {
        size_t room = 0;
        for (int k = 0; k < shape->c.count && !build->schedule->failed; k++) {
            int h = (k + build->rank) % shape->c.count;
            bool mine = shape->c.holder[h].rank == build->rank;
            struct summand__gemm_part part;
            if (!summand__gemm_part_of(shape, job, h, &part))
                continue;
            struct summand__columns from = gathered(build, job, h, !mine, packs, &room);
            if (mine)
                own = from;
            else if (!packs)
                put_part(build, job, h, &part, &from);
        }
        if (packs && room)
            summand__round(build->schedule);
    }
    return own;
}

/* A box's part of this rank's tile: its own, or put by another rank. */
static struct summand__columns part_at(const struct summand__gemm_build *build,
                                       const struct summand__gemm_job *job, int holder,
                                       const struct summand__gemm_part *part,
                                       const struct summand__columns *own)
{
    if (job->rank == build->rank)
        return *own;
    summand__wait_counter(build->schedule,
                          summand__gemm_counter(build, SUMMAND__GEMM_MADE, job->rank), 1);
    summand__gemm_expect(build, SUMMAND__GEMM_MADE, job->rank, 1);
    return (struct summand__columns){SUMMAND__GEMM_RESULTS, lands_at(build->shape, job, holder),
                                     (size_t)part->rows};
}

/* Adds all parts of some rows and columns of this rank's tile. */
static void add_parts(const struct summand__gemm_build *build, const struct summand__gemm_job *job,
                      int holder, const struct summand__gemm_part *part,
                      const struct summand__columns *own, size_t room)
{
    struct summand__gemm_target result =
        summand__gemm_tile(build, holder, part->column, part->columns);
    result.array.first += (size_t)part->row;
    result.rows = part->rows;
    bool single = !summand__gemm_next_box(build->shape, job);
    struct summand__gemm_target sum = result;
    if (summand__gemm_updates(build->shape) && !single) {
        sum.array = (struct summand__columns){SUMMAND__GEMM_TILE, room, (size_t)part->rows};
        summand__gemm_room(build, SUMMAND__GEMM_TILE, room + (size_t)(part->rows * part->columns));
    }
    for (bool first = true; job; job = summand__gemm_next_box(build->shape, job), first = false) {
        struct summand__gemm_target made = result;
        made.array = part_at(build, job, holder, part, own);
        if (single)
            summand__gemm_apply(build, &made, &result);
        else
            summand__gemm_add(build, &made, &sum, first);
        if (job->rank != build->rank)
            summand__notify(build->schedule, job->rank,
                            summand__gemm_counter(build, SUMMAND__GEMM_TAKEN, build->rank));
    }
    if (sum.array.place != result.array.place)
        summand__gemm_apply(build, &sum, &result);
    summand__gemm_finish(build, &result);
}

void summand__gemm_exchange_parts(const struct summand__gemm_build *build)
{
    const struct summand__gemm_shape *shape = build->shape;
    const struct summand__gemm_job *box = own_box(build);
    const struct summand__columns own = put_parts(build);
    const int holder = summand__gemm_holder(&shape->c, build->rank);
    const size_t room = box ? (size_t)(box->rows * box->count) : 0;
    for (int j = 0; j < shape->jobs && holder >= 0; j++) {
        struct summand__gemm_part part;
        if (summand__gemm_first_box(&shape->job[j]) &&
            summand__gemm_part_of(shape, &shape->job[j], holder, &part))
            add_parts(build, &shape->job[j], holder, &part, &own, room);
    }
}
