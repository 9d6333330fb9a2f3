/* SPDX-License-Identifier: BSD-3-Clause */
/* The index tree as in Stelz (2022), algorithm 1, which sends subtree by subtree in messages of up
 * to 4 values: the bits of SUMMAND_PROMISE_INDEX, with more messages. For studies, by
 * sum/calls.h. */
#ifndef SUMMAND_LAB_INDEX_TREE_MPI_STUDY_H
#define SUMMAND_LAB_INDEX_TREE_MPI_STUDY_H

#include "sum/sums.h"

extern const struct summand__sum_method summand__study;

#endif
