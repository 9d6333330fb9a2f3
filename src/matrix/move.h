/* SPDX-License-Identifier: BSD-3-Clause */
/* Redistribution: moves a matrix from one distribution to another, on the same or on other ranks;
 * also transposed. A pure function that returns the schedule of one rank.
 *
 * The elements that a rank has for another one are cut into slices of some columns. Each slice is
 * packed as one message. While the slices of a round are in flight, the rank packs the next ones
 * and unpacks the ones before. So packed slices stay in the cache, and take little memory for any
 * matrix size. Contiguous elements are sent and received in place, without packing.
 * Cost: at most (p_from + p_to) x slices messages of a rank; each element is copied at most twice,
 *   besides its message.
 *
 * Source of the problem: Prylli, Tourancheau (1997), block-cyclic redistribution; pieces in both
 * distributions are found by walking through both, in linear time. */
#pragma once

#include "matrix/grid.h"
#include "schedule/schedule.h"

/* Places of the schedule, with elements of `unit` bytes: source, target, and messages. */
enum {
    SUMMAND__MOVE_FROM = SUMMAND__PLACES,
    SUMMAND__MOVE_TO,
    SUMMAND__MOVE_MESSAGES,
    SUMMAND__MOVE_PLACES = 3
};

/* The most slices that two ranks exchange, so that a schedule does not grow with the matrix. */
enum { SUMMAND__MOVE_SLICES = 64 };

struct summand__move {
    /* The holders, each rank at most once. */
    const struct summand__holder *from, *to;
    int from_count, to_count;
    /* Of this rank's arrays: elements from one column to the next, and in all. */
    int64_t from_lead, to_lead;
    size_t from_room, to_room;
    bool transposed; /* (i, j) of `from` is (j, i) of `to` */
    size_t unit;
    size_t slice; /* (all) approximate bytes of a slice; 0: the default, but at most
                     SUMMAND__MOVE_SLICES slices */
};

/* Appends a rank's steps to a new schedule, which is marked as failed if memory runs out. Ranks
 * that hold nothing have no steps. */
void summand__move_build(const struct summand__move *move, int rank,
                         struct summand__schedule *schedule);
