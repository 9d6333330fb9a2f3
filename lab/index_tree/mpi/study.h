/* SPDX-License-Identifier: BSD-3-Clause */
/* The index tree as in Stelz (2022), algorithm 1, which sends subtree by subtree in messages of up
 * to 4 values: the bits of SUMMAND_PROMISE_INDEX, with more messages. For studies, by
 * sum/calls.h. */
#pragma once

#include "lab/index_tree/outbound.h"
#include "sum/sums.h"

extern const struct summand__sum_method summand__study;

/* When messages of plans that are made from now on leave: values from 1 to SUMMAND__OUTBOUND_MAX.
 * At first SUMMAND__OUTBOUND_RULE. Equal on all ranks; not for threads. Plans that calls keep are
 * not made anew. */
extern struct summand__outbound_rule summand__study_rule;
