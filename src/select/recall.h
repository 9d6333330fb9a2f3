/* SPDX-License-Identifier: BSD-3-Clause */
/* Choices that were made before: a choice costs microseconds to milliseconds, and programs that
 * make many communicators ask the same queries on each. */
#ifndef SUMMAND_SELECT_RECALL_H
#define SUMMAND_SELECT_RECALL_H

#include "select/choose.h"

/* summand__choose, or what it gave this thread for the same query before, among the last ones.
 * In the default floating-point environment. False when out of memory. */
bool summand__choose_or_recall(const struct summand__query *query, struct summand__choice *choice);

#endif
