/* SPDX-License-Identifier: BSD-3-Clause */
/* The calibration of a fabric: rank 0's, on all ranks. */
#ifndef SUMMAND_FABRIC_CALIBRATED_H
#define SUMMAND_FABRIC_CALIBRATED_H

#include <mpi.h>

#include "calibrate/calibration.h"
#include "calibrate/measure.h"
#include "fabric/nodes.h"
#include "fabric/segment.h"

/* The value of SUMMAND_CALIBRATION: one of these, or a hash of a file's name. */
enum { SUMMAND__CALIBRATE_AUTO, SUMMAND__CALIBRATE_OFF };

/* Rank 0's message. No padding. */
struct summand__calibrated {
    int64_t asked; /* value in its settings */
    int64_t lacks; /* 1: two ranks of a node must still measure their distance */
    struct summand__calibration calibration;
};

/* Local: the value's number; "" if the variable is unset. */
int64_t summand__calibration_asked(const char *text);

/* Local, on rank 0: the calibration of this process, else of the named file, else the standard
 * values, which may lack. Warns once if a named file cannot be used. */
struct summand__calibrated summand__calibrated_read(int64_t asked);

/* Collective over `comm` if `lacks`. The first two ranks of rank 0's node, if each can have a
 * processor, measure their distance (some 50 us). If no calibration for it is kept, or one that is
 * an hour old and not settled, they measure one (some 50 ms), and rank 0 saves it. All ranks get
 * the values. Without such a pair, they are those of any distance. `pool` may lack memory. Once per
 * process; again for another communicator if this one has a single rank, or if no file is kept and
 * no pair exists. Returns an MPI error code. */
int summand__calibrated_measure(MPI_Comm comm, const struct summand__node_map *map,
                                const struct summand__pool *pool,
                                struct summand__calibrated *calibrated);

/* Local: this process uses it, also in later fabrics. */
void summand__calibrated_use(const struct summand__calibrated *calibrated);

/* Collective over the communicator, two of whose ranks must be first on one node: measures anew,
 * for at most `seconds`. `*calibration` is rank 0's on all ranks; `*how`: if there is one;
 * `*slots`: the slots of this node's queues within its ranks' limits, 0 if they share no memory.
 * Returns an MPI error code. */
int summand__calibrate_anew(MPI_Comm comm, double seconds, struct summand__calibration *calibration,
                            unsigned *slots, enum summand__measured *how);

#endif
