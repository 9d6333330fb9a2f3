/* SPDX-License-Identifier: BSD-3-Clause */
/* The calibration of a fabric: rank 0's, on all ranks. */
#pragma once

#include <mpi.h>

#include "calibrate/calibration.h"
#include "calibrate/measure.h"
#include "fabric/nodes.h"
#include "fabric/segment.h"

/* The value of SUMMAND_CALIBRATION: one of these, or a hash of a file's name. */
enum { SUMMAND__CALIBRATE_AUTO, SUMMAND__CALIBRATE_OFF };

/* Local: the value's number; "" if the variable is unset. */
int64_t summand__calibration_asked(const char *text);

/* Local, on rank 0: the calibration for so many slots. The named file's (warns once if it cannot be
 * used), else the one that this process prefers, else one of this machine's files, which are read
 * once per process, else the standard one. `*several`: there are files of several distances, and
 * this one is the nearest to the standard's. */
struct summand__calibration summand__calibrated_read(int64_t asked, unsigned slots, bool *several);

/* True if the first two ranks of rank 0's node, where this rank is, can measure: the ranks of the
 * node share memory, and each can have a processor. */
bool summand__calibrated_pair(const struct summand__node_map *map,
                              const struct summand__pool *pool);

/* Collective over `comm`, whose pools are new: if there are files of several distances, such two
 * ranks measure theirs, some 50 us, and all ranks get the calibration of this distance, if one is
 * kept. Returns an MPI error code. */
int summand__calibrated_choose(MPI_Comm comm, const struct summand__node_map *map,
                               const struct summand__pool *pool,
                               struct summand__calibration *calibration);

/* Local: this process uses it. */
void summand__calibrated_use(const struct summand__calibration *calibration);

/* Local: this process's later fabrics use it, if SUMMAND_CALIBRATION has this value. */
void summand__calibrated_prefer(int64_t asked, const struct summand__calibration *calibration);

/* The end of a program measures for later ones. So no program waits for that in a call.
 *
 * Local, when MPI ends: true on rank 0 of a fabric whose first two ranks should do so, once per
 * process: it has used the library for two seconds, and a file can be written. */
struct summand__fabric;
bool summand__calibrated_ends(const struct summand__fabric *fabric);

/* After all ranks have ended their use of the fabric and know that this is wanted. The two ranks
 * measure their distance. If no calibration for it is kept, or one that is an hour old and not
 * settled, they measure one, some 50 ms, and rank 0 saves it. Others return at once. */
void summand__calibrated_keep(const struct summand__fabric *fabric);

/* Collective over the communicator, two of whose ranks must be first on one node: measures anew,
 * for at most `seconds`. `*calibration` is rank 0's on all ranks; `*how`: if there is one;
 * `*slots`: the slots of this node's queues within its ranks' limits, 0 if they share no memory.
 * Returns an MPI error code. */
int summand__calibrate_anew(MPI_Comm comm, double seconds, struct summand__calibration *calibration,
                            unsigned *slots, enum summand__measured *how);
