/* SPDX-License-Identifier: BSD-3-Clause */
/* Computations: steps that do more with data than copying and reducing.
 *
 * A computation is a kernel of a table and three rectangles of elements: two operands and a result.
 * A kernel states its meaning as data, so that a proof can follow it: the operand elements on which
 * a result element depends, and the order in which they enter. So declared rectangles prove that
 * there are no data races, and meanings prove that every contribution enters once and in order.
 * Rows of the result are independent. So the executor runs a long computation some rows at a time,
 * and other operations of the rank progress meanwhile. */
#pragma once

#include "schedule/schedule.h"

/* `rows` rows of `count` elements each; rows begin `pitch` elements apart. */
struct summand__rectangle {
    size_t rows, count, pitch;
};

/* A rectangle of a place. */
struct summand__tile {
    uint32_t place;
    size_t first; /* index of the first element */
    struct summand__rectangle shape;
};

enum summand__meaning {
    SUMMAND__CHAIN,  /* result = (((result + t(0)) + t(1)) + ...); t(k): the term of the k-th
                        elements on which it depends */
    SUMMAND__UPDATE, /* result = u(result, chain from zero of t(k)); see `begins` */
    SUMMAND__MAP,    /* result = t(0) */
    SUMMAND__PACK,   /* elements in row-major order to elements in row-major order */
    SUMMAND__TURN,   /* element (j, i) to element (i, j) */
    SUMMAND__MEANINGS
};

/* The operand elements on which element (i, j) of the result depends. */
enum summand__operand_part {
    SUMMAND__NOTHING,
    SUMMAND__ELEMENT,  /* (i, j) */
    SUMMAND__ROW,      /* (i, k) for all k */
    SUMMAND__COLUMN,   /* (k, j) for all k */
    SUMMAND__COLUMN_I, /* (k, i) for all k: the operand is transposed */
    SUMMAND__ROW_J     /* (j, k) for all k: the same of the right operand */
};

/* An operand or result in memory. */
struct summand__array {
    void *data;
    struct summand__rectangle shape;
};

struct summand__work {
    struct summand__array from, with, to;
    bool begins;        /* the result is not read: a chain starts from zero */
    double alpha, beta; /* of an update */
};

/* The cost of the whole computation, for predictions. */
struct summand__work_cost {
    double flops, bytes;
};

struct summand__kernel {
    const char *name, *description;
    enum summand__meaning meaning;
    enum summand__operand_part from, with; /* of a chain, update or map */
    size_t unit;   /* bytes of an element of each operand and of the result; 0: any */
    size_t result; /* bytes of an element of the result, if they differ from `unit`; else 0 */
    /* Computes rows [first, first + rows) of the result. Returns 0 or an error code, which ends the
     * schedule's run. The bits do not depend on how rows are cut. `unit`: bytes of an element. */
    int (*run)(const struct summand__work *work, size_t unit, size_t first, size_t rows);
    struct summand__work_cost (*effort)(const struct summand__work *work, size_t unit);
    bool
        single; /* for predictions: floats, two of which are multiplied in the time of one double */
    size_t
        grain; /* rows that a run should have, because each run has a fixed cost; 0: any number */
};

/* A computation of a schedule, named by its number (`what` of a step). The step has the first
 * elements. */
struct summand__computation {
    const struct summand__kernel *kernel;
    struct summand__rectangle from, with, to;
    bool begins;
    double alpha, beta; /* of an update: result = alpha chain + beta result */
    bool tells;         /* complete rows are reported to the caller's function (exec/onesided.h) */
};

/* A counter of this rank; one other rank, its producer, adds to it. It is never reset, also not
 * between starts of a schedule. */
struct summand__counter {
    int32_t producer;
    uint64_t per_start; /* notifications in each start */
};

/* Tables that only some schedules have (tables.c). compute.c appends steps that name their entries.
 */
struct summand__tables {
    struct summand__computation *computations;
    struct summand__counter *counters;
    uint32_t n_computations, n_counters;
};

void summand__tables_free(struct summand__tables *tables);
/* Builders. If memory runs out, they mark the schedule as failed, as those of schedule.h do. */

/* Adds a place of `count` elements of `unit` bytes, and returns its number. Windows must have the
 * same numbers and sizes on all ranks. */
uint32_t summand__add_place(struct summand__schedule *schedule, enum summand__place_kind kind,
                            size_t unit, size_t count);
/* summand__share_place: other ranks may have views of the place. summand__add_view: adds a view of
 * a place that its rank shares. A view is an operand or a result of computations. This rank may
 * touch it once it knows that the other one has started. The other rank's start ends when it knows
 * that the view is no longer used. */
void summand__share_place(struct summand__schedule *schedule, uint32_t place);
uint32_t summand__add_view(struct summand__schedule *schedule, int peer, uint32_t of, size_t unit,
                           size_t count);
uint32_t summand__add_computation(struct summand__schedule *schedule,
                                  const struct summand__computation *computation);
uint32_t summand__add_counter(struct summand__schedule *schedule, int producer, uint64_t per_start);

/* Writes `from` into the peer's window `to`. The elements are there once a later notification has
 * arrived. The round ends when `from` may be written again. */
void summand__put(struct summand__schedule *schedule, int peer, struct summand__region from,
                  struct summand__region to);
/* Adds one to a counter of the peer, after all data that this rank has put there. */
void summand__notify(struct summand__schedule *schedule, int peer, uint32_t counter);
/* Waits until a counter of this rank is at least `value` plus `per_start` for each earlier start. A
 * negative `value` means a count of an earlier start; the first start then does not wait. Later
 * steps wait too, except the messages of the round. */
void summand__wait_counter(struct summand__schedule *schedule, uint32_t counter, int64_t value);
/* `with` is ignored if the kernel has one operand. */
void summand__compute(struct summand__schedule *schedule, const struct summand__kernel *kernel,
                      struct summand__tile from, struct summand__tile with, struct summand__tile to,
                      bool begins);

/* The same with more fields: `what` has all except the rectangles. */
void summand__compute_as(struct summand__schedule *schedule,
                         const struct summand__computation *what, struct summand__tile from,
                         struct summand__tile with, struct summand__tile to);

static inline struct summand__tile summand__tile(uint32_t place, size_t first, size_t rows,
                                                 size_t count, size_t pitch)
{
    return (struct summand__tile){place, first, {rows, count, pitch}};
}

/* Bytes of an element of a place, not one of a collective's three. */
size_t summand__place_unit(const struct summand__schedule *schedule, uint32_t place);

/* The count for which a wait waits in start number `start`, from 0. A wait for 0 or less ends at
 * once. */
static inline int64_t summand__counter_threshold(const struct summand__counter *counter,
                                                 const struct summand__step *wait, uint64_t start)
{
    return (int64_t)(start * counter->per_start + wait->value);
}
