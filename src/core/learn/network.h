/* SPDX-License-Identifier: BSD-3-Clause */
/* The cost of messages between nodes, from a short measurement if no file gives it: the model for
 * choosing algorithms. It affects the speed of calls. It affects bits only if they depend on the
 * algorithm. */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "calibrate/calibration.h"
#include "learn/tuning_text.h"
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
 * model; unknown if a rank lacks memory. `leader`: by rank, the lowest one of its node.
 * `calibration`: of nodes with the library's shared memory, which is not measured here; NULL: their
 * messages are measured. `thorough`: measures more, for a file, and gets rank 0's samples within a
 * node and between two; if all ranks are on one node, every level is that of its messages. NULL: a
 * short measurement, none on one node. Waits progress plans and end with SUMMAND_TIMEOUT
 * (ballot.h); messages may then remain. Returns an MPI error code. */
int summand__network_measure(MPI_Comm comm, const int *leader,
                             const struct summand__calibration *calibration,
                             struct summand__network_sample thorough[2], double seconds,
                             struct summand__network *network);

/* The same, for about 5 ms, if neither the network is known nor the tuning file has a model. */
int summand__network_learn(MPI_Comm comm, const int *leader,
                           const struct summand__calibration *calibration,
                           const struct summand__tuning_text *text,
                           struct summand__network *network);

/* Local: keeps a model for later communicators of this process. */
void summand__network_keep(const struct summand__network *network);
