/* SPDX-License-Identifier: BSD-3-Clause */
/* The cost of messages between nodes, from a short measurement if no file gives it: the model for
 * choosing algorithms. It affects the speed of calls. It affects bits only if they depend on the
 * algorithm. */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "calibrate/calibration.h"
#include "fabric/nodes.h"
#include "model/model.h"

/* Values of SUMMAND_NETWORK, in the order of its row. */
enum { SUMMAND__NETWORK_AUTO, SUMMAND__NETWORK_OFF };

/* No padding. */
struct summand__network {
    int64_t known; /* 1: there is a model */
    struct summand__model model;
};

/* One-way times of messages, in seconds, for each length; for short ones half of a round trip. */
enum { SUMMAND__NETWORK_SIZES = 24 };
struct summand__network_sample {
    int sizes;
    size_t bytes[SUMMAND__NETWORK_SIZES];
    double seconds[SUMMAND__NETWORK_SIZES];
};

/* Local, on rank 0: the network that this process has measured; unknown if none. */
struct summand__network summand__network_recall(void);

/* Collective over `comm`, a private communicator without messages in flight. Rank 0 measures with
 * one or two ranks of its node and of others, for about `seconds` at most, and all ranks get its
 * model; unknown if a rank lacks memory. `calibration`: of nodes with the library's shared memory,
 * which is not measured here; NULL: their messages are measured. `thorough`: measures more, for a
 * file, and gets rank 0's samples within a node and between two; if all ranks are on one node,
 * every level is that of its messages. NULL: a short measurement, none on one node. Waits progress
 * plans and end with SUMMAND_TIMEOUT (ballot.h); messages may then remain. Returns an MPI error
 * code. */
int summand__network_measure(MPI_Comm comm, const struct summand__node_map *map,
                             const struct summand__calibration *calibration,
                             struct summand__network_sample thorough[2], double seconds,
                             struct summand__network *network);

/* Collective over the fabric's communicator, which has carried no message yet: measures for about 5
 * ms if settings allow it and neither this process nor a tuning file has a model. Returns an MPI
 * error code. */
struct summand__fabric;
int summand__network_learn(MPI_Comm comm, struct summand__fabric *fabric);

/* Local: keeps a model for later communicators of this process. */
void summand__network_keep(const struct summand__network *network);

/* The model for ranks on `nodes`; NULL if none is known, or all are on one node. */
const struct summand__model *summand__network_model(const struct summand__network *network,
                                                    const struct summand__nodes *nodes, int ranks);
