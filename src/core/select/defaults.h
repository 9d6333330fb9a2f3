/* SPDX-License-Identifier: BSD-3-Clause */
/* Machines to choose for where nothing has been measured. */
#ifndef SUMMAND_SELECT_DEFAULTS_H
#define SUMMAND_SELECT_DEFAULTS_H

#include "model/model.h"

/* Nodes with one card of 3.4 GB/s each under one switch. */
extern const struct summand__model summand__cluster_model;

/* One node whose ranks share memory. */
extern const struct summand__model summand__memory_model;

/* One node of fewer processors than ranks: its latency is for each rank that shares a processor. */
extern const struct summand__model summand__oversubscribed_model;

/* Nothing counts but messages that wait for one another. */
extern const struct summand__model summand__latency_model;

#endif
