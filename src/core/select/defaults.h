/* SPDX-License-Identifier: BSD-3-Clause */
/* Default machine models, used if nothing has been measured. */
#pragma once

#include "model/model.h"

/* Nodes, each with one card of 3.4 GB/s, under one switch. */
extern const struct summand__model summand__cluster_model;

/* One node whose ranks share memory. */
extern const struct summand__model summand__memory_model;

/* One node with fewer processors than ranks; the latency is per rank that shares a processor. */
extern const struct summand__model summand__oversubscribed_model;

/* Only the latency of messages counts. */
extern const struct summand__model summand__latency_model;
