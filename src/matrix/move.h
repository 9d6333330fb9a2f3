/* Redistribution: a matrix from where some ranks hold it to where others do, or the same ranks
 * otherwise; and transposed. A pure function to a schedule of one rank.
 *
 * What a rank has for another one is cut into slices of some columns, each of which is packed as
 * one message. While the slices of a round are in flight, the next ones are packed and those that
 * came before are unpacked where they belong; so packed slices stay in the cache, and take little
 * memory however large the matrix is. What lies in one piece is sent from where it lies, or
 * received there. Cost: p_from + p_to messages of a rank at most, times slices; each element is
 * copied twice beside its message, at most.
 *
 * Source of the problem: Prylli, Tourancheau (1997), block-cyclic redistribution; pieces in both
 * distributions are found by walking through both, in linear time. */
#ifndef SUMMAND_MATRIX_MOVE_H
#define SUMMAND_MATRIX_MOVE_H

#include "matrix/grid.h"
#include "schedule/schedule.h"

/* Places of the schedule, of elements of `unit` bytes: what is moved, where to, and messages. */
enum {
    SUMMAND__MOVE_FROM = SUMMAND__PLACES,
    SUMMAND__MOVE_TO,
    SUMMAND__MOVE_MESSAGES,
    SUMMAND__MOVE_PLACES = 3
};

/* Slices that two ranks exchange at most: a schedule does not grow with the matrix. */
enum { SUMMAND__MOVE_SLICES = 64 };

struct summand__move {
    /* Who holds what, a rank at most once in each. */
    const struct summand__holder *from, *to;
    int from_count, to_count;
    /* Of this rank's arrays: from one column to the next, and elements in all. */
    int64_t from_lead, to_lead;
    size_t from_room, to_room;
    bool transposed; /* (i, j) of `from` is (j, i) of `to` */
    size_t unit;
    size_t slice; /* (all) bytes, about; 0: the usual, but at most SUMMAND__MOVE_SLICES */
};

/* Appends a rank's steps to a new schedule; a failed one says that memory ran out. Ranks that hold
 * nothing have none. */
void summand__move_build(const struct summand__move *move, int rank,
                         struct summand__schedule *schedule);

#endif
