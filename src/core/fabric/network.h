/* SPDX-License-Identifier: BSD-3-Clause */
/* What messages between nodes cost, learned by a short measurement where no file says it: the
 * model that algorithms are chosen by. It changes how fast calls are; a call whose bits do not
 * depend on the algorithm keeps them. */
#ifndef SUMMAND_FABRIC_NETWORK_H
#define SUMMAND_FABRIC_NETWORK_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "calibrate/calibration.h"
#include "fabric/nodes.h"
#include "model/model.h"

/* What SUMMAND_NETWORK asks for, in the order of its row. */
enum { SUMMAND__NETWORK_AUTO, SUMMAND__NETWORK_OFF };

/* No padding. */
struct summand__network {
    int64_t known; /* 1: there is a model */
    struct summand__model model;
};

/* One-way times of messages, s: half of a round trip of short ones, and so on for each length. */
enum { SUMMAND__NETWORK_SIZES = 24 };
struct summand__network_sample {
    int sizes;
    size_t bytes[SUMMAND__NETWORK_SIZES];
    double seconds[SUMMAND__NETWORK_SIZES];
};

/* Local, on rank 0: what this process has learned; nothing where it has not. */
struct summand__network summand__network_recall(void);

/* Collective over `comm`, a private communicator without messages under way: rank 0 measures with
 * one or two ranks of its node and of others, for about `seconds` at most, and all ranks have its
 * model afterwards. Nothing is known where a rank lacks memory.
 * `calibration`: of nodes whose ranks have the library's shared memory, which is not measured here;
 * NULL: they send messages, which are. `thorough`: more repetitions, for a file, whose samples are
 * those in a node and between two, on rank 0; if all ranks are on one node, all levels are those of
 * its messages. NULL: a short measurement, and nothing on one node. Waits move plans on and
 * end with SUMMAND_TIMEOUT (ballot.h); then messages may be left. An MPI error code. */
int summand__network_measure(MPI_Comm comm, const struct summand__node_map *map,
                             const struct summand__calibration *calibration,
                             struct summand__network_sample thorough[2], double seconds,
                             struct summand__network *network);

/* Collective over the fabric's communicator, which has carried no message yet: measures for about 5
 * ms where settings allow it, and neither this process nor a tuning file knows. An MPI error code.
 */
struct summand__fabric;
int summand__network_learn(MPI_Comm comm, struct summand__fabric *fabric);

/* Local: this process keeps it for communicators to come. */
void summand__network_keep(const struct summand__network *network);

/* The model for ranks that are `nodes`; NULL where nothing was learned, or all are on one node. */
const struct summand__model *summand__network_model(const struct summand__network *network,
                                                    const struct summand__nodes *nodes, int ranks);

#endif
