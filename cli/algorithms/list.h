/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts of the table of algorithms, as text for people. */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <summand/info.h>

#include "algorithm/algorithm.h"

/* The call for which costs are listed. */
enum { LIST_RANKS = 64, LIST_COUNT = 4096 };

/* "reduce, bcast" */
void list_collectives(const summand_algorithm *algorithm, char *text, size_t room);
/* "rank order, same bits" or "none" */
void list_promises(const summand_algorithm *algorithm, char *text, size_t room);
/* "segment 1.. [whole vector], at most 16384 of them; radix 2..64 [4]", separated by "; "; empty
 * without parameters */
void list_parameters(const summand_algorithm *algorithm, char *text, size_t room);

/* Messages, elements and depth of the call above; false if the algorithm does not do it. */
bool list_cost(const struct summand__algorithm *algorithm, enum summand__collective collective,
               struct summand__cost *cost);
