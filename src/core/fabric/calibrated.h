/* SPDX-License-Identifier: BSD-3-Clause */
/* The calibration that a fabric works by: rank 0's, on all ranks. */
#ifndef SUMMAND_FABRIC_CALIBRATED_H
#define SUMMAND_FABRIC_CALIBRATED_H

#include <mpi.h>

#include "calibrate/calibration.h"
#include "calibrate/measure.h"
#include "fabric/nodes.h"
#include "fabric/segment.h"

/* What SUMMAND_CALIBRATION asks for: one of these, or a number that stands for a file's name. */
enum { SUMMAND__CALIBRATE_AUTO, SUMMAND__CALIBRATE_OFF };

/* What rank 0 says. No padding. */
struct summand__calibrated {
    int64_t asked; /* as its settings have it */
    int64_t lacks; /* 1: two ranks of a node have not yet looked how far they are from each other */
    struct summand__calibration calibration;
};

/* Local: the number for a value of the variable, "" where it is unset. */
int64_t summand__calibration_asked(const char *text);

/* Local, on rank 0: what this process has had, else the named file's, else the standard values,
 * which may lack. A file that is named and cannot be used is warned of, once. */
struct summand__calibrated summand__calibrated_read(int64_t asked);

/* Collective over `comm`, where `lacks`: the first two ranks of rank 0's node, if each can have a
 * processor, measure how far they are from each other (some 50 us), and what is not kept for such a
 * distance (some 50 ms), or was kept for an hour and is not settled; rank 0 keeps the file, and all
 * ranks have the values. Ranks without
 * such a pair take those of any distance. `pool` may be without memory. Once per process; again for
 * another communicator where one has a single rank, or where nothing is kept and its ranks have no
 * such pair. An MPI error code. */
int summand__calibrated_measure(MPI_Comm comm, const struct summand__node_map *map,
                                const struct summand__pool *pool,
                                struct summand__calibrated *calibrated);

/* Local: this process works by it, also in fabrics to come. */
void summand__calibrated_use(const struct summand__calibrated *calibrated);

/* Collective over the communicator, two of whose ranks must be first on one node: measures anew,
 * for `seconds` at most. `*calibration` is rank 0's on all ranks; `*how` says whether there is
 * one; `*slots`, of this rank's node, with what queues: as the limits of its ranks allow, 0 where
 * they share no memory. An MPI error code. */
int summand__calibrate_anew(MPI_Comm comm, double seconds, struct summand__calibration *calibration,
                            unsigned *slots, enum summand__measured *how);

#endif
