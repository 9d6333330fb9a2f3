/* Computations: what a step does with data besides copying and reducing.
 *
 * A computation is a kernel of a table and three rectangles of elements: two operands and a result.
 * What the kernel means is said as data, so that a proof can follow it: which elements of the
 * operands an element of the result depends on, and in which order they enter. So declared
 * rectangles prove that nothing races, and meanings prove that every contribution enters once and
 * in order. Rows of the result are independent of one another: a long computation is run some rows
 * at a time, so that other operations of the rank move meanwhile. */
#ifndef SUMMAND_SCHEDULE_COMPUTE_H
#define SUMMAND_SCHEDULE_COMPUTE_H

#include "schedule/schedule.h"

/* `rows` rows of `count` elements each, `pitch` elements from the begin of one to the next. */
struct summand__rectangle {
    size_t rows, count, pitch;
};

/* A rectangle of a place. */
struct summand__tile {
    uint32_t place;
    size_t first; /* element */
    struct summand__rectangle shape;
};

enum summand__meaning {
    SUMMAND__CHAIN,  /* result = (((result + t(0)) + t(1)) + ...), t(k) of the k-th elements of what
                        it depends on */
    SUMMAND__UPDATE, /* result = u(result, chain from zero of t(k)); see `begins` */
    SUMMAND__MAP,    /* result = t(0) */
    SUMMAND__PACK,   /* elements in row-major order to elements in row-major order */
    SUMMAND__TURN,   /* element (j, i) to element (i, j) */
    SUMMAND__MEANINGS
};

/* Which elements of an operand element (i, j) of the result depends on. */
enum summand__operand_part {
    SUMMAND__NOTHING,
    SUMMAND__ELEMENT,  /* (i, j) */
    SUMMAND__ROW,      /* (i, k) for all k */
    SUMMAND__COLUMN,   /* (k, j) for all k */
    SUMMAND__COLUMN_I, /* (k, i) for all k: the operand is transposed */
    SUMMAND__ROW_J     /* (j, k) for all k: the same of the right operand */
};

/* An operand or result where it lies. */
struct summand__array {
    void *data;
    struct summand__rectangle shape;
};

struct summand__work {
    struct summand__array from, with, to;
    bool begins;        /* the result is not read: of a chain it counts as zero */
    double alpha, beta; /* of an update */
};

/* What the whole of it costs, for predictions. */
struct summand__work_cost {
    double flops, bytes;
};

struct summand__kernel {
    const char *name, *description;
    enum summand__meaning meaning;
    enum summand__operand_part from, with; /* of a chain, update or map */
    size_t unit;   /* bytes of an element of each operand and of the result; 0: any */
    size_t result; /* bytes of an element of the result, where these are others; else 0 */
    /* Rows [first, first + rows) of the result; 0 or an error code, which ends the schedule's run.
     * The bits do not depend on how rows are cut. `unit`: bytes of an element. */
    int (*run)(const struct summand__work *work, size_t unit, size_t first, size_t rows);
    struct summand__work_cost (*effort)(const struct summand__work *work, size_t unit);
    bool single;  /* for predictions: of floats, of which two are multiplied while a double is */
    size_t grain; /* rows that a run should have, as each has a cost of its own; 0: any number */
};

/* Every kernel; ended by NULL. */
extern const struct summand__kernel *const summand__kernels[];
const struct summand__kernel *summand__kernel_named(const char *name);

/* One that a schedule names by its number (`what` of a step); first elements are in the step. */
struct summand__computation {
    const struct summand__kernel *kernel;
    struct summand__rectangle from, with, to;
    bool begins;
    double alpha, beta; /* of an update: result = alpha chain + beta result */
    bool tells;         /* rows that are done are told to who asks for it (exec/onesided.h) */
};

/* A count of this rank that one other rank, its producer, adds to; it runs on over all starts of a
 * schedule. */
struct summand__counter {
    int32_t producer;
    uint64_t per_start; /* notifications in each start */
};

/* What only some schedules have. tables.c keeps these, compute.c appends steps that name what is in
 * them. */
struct summand__tables {
    struct summand__computation *computations;
    struct summand__counter *counters;
    uint32_t n_computations, n_counters;
};

void summand__tables_free(struct summand__tables *tables);
/* `*to` is a copy, or NULL of NULL. False when out of memory. */
bool summand__tables_copy(struct summand__tables **to, const struct summand__tables *from);

/* The same of the places behind the three of collectives. */
bool summand__places_copy(struct summand__place_info **to, const struct summand__schedule *from);

/* Builders. Without memory these mark the schedule as failed, as those of schedule.h do. */

/* The number of a new place, of `count` elements of `unit` bytes. Windows are alike on all ranks:
 * of the same numbers and sizes. */
uint32_t summand__add_place(struct summand__schedule *schedule, enum summand__place_kind kind,
                            size_t unit, size_t count);
/* Says that other ranks may have views of the place; and a view of a place that its rank shares. A
 * view is an operand or a result of computations. Its rank may touch it once it knows that the
 * other one has started, and that one's start ends when it knows that this is over. */
void summand__share_place(struct summand__schedule *schedule, uint32_t place);
uint32_t summand__add_view(struct summand__schedule *schedule, int peer, uint32_t of, size_t unit,
                           size_t count);
uint32_t summand__add_computation(struct summand__schedule *schedule,
                                  const struct summand__computation *computation);
uint32_t summand__add_counter(struct summand__schedule *schedule, int producer, uint64_t per_start);

/* Elements of the peer's window `to`. They are there once a notification that follows has come. The
 * round ends when `from` may be written again. */
void summand__put(struct summand__schedule *schedule, int peer, struct summand__region from,
                  struct summand__region to);
/* Adds one to a counter of the peer's, behind all that this rank has put there. */
void summand__notify(struct summand__schedule *schedule, int peer, uint32_t counter);
/* Until a counter of this rank is at least the starts before this one times `per_start` plus
 * `value`, which may be negative: what is waited for then belongs to an earlier start, and the
 * first one has it. Steps behind it that are no messages wait as well; the round's messages do not.
 */
void summand__wait_counter(struct summand__schedule *schedule, uint32_t counter, int64_t value);
/* `with` is not looked at where the kernel has none. */
void summand__compute(struct summand__schedule *schedule, const struct summand__kernel *kernel,
                      struct summand__tile from, struct summand__tile with, struct summand__tile to,
                      bool begins);

/* The same for a kernel of more than that: of `what` all is set but the rectangles. */
void summand__compute_as(struct summand__schedule *schedule,
                         const struct summand__computation *what, struct summand__tile from,
                         struct summand__tile with, struct summand__tile to);

static inline struct summand__tile summand__tile(uint32_t place, size_t first, size_t rows,
                                                 size_t count, size_t pitch)
{
    return (struct summand__tile){place, first, {rows, count, pitch}};
}

/* Whether shapes fit together, and lie in what the step declares. */
bool summand__computation_fits(const struct summand__computation *computation,
                               const struct summand__step *step);

/* How many links a chain of this computation has; 1 for others. */
size_t summand__chain_length(const struct summand__computation *computation);

/* The element of an operand, from its first one, that link k of element (i, j) depends on. */
size_t summand__part_element(enum summand__operand_part part,
                             const struct summand__rectangle *shape, size_t i, size_t j, size_t k);

/* Bytes of an element of a place that is not one of a collective's three. */
size_t summand__place_unit(const struct summand__schedule *schedule, uint32_t place);

/* The waits' threshold in that start, from 0; 0 and less is always true. */
static inline int64_t summand__counter_threshold(const struct summand__counter *counter,
                                                 const struct summand__step *wait, uint64_t start)
{
    return (int64_t)(start * counter->per_start + wait->value);
}

#endif
