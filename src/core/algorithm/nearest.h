/* SPDX-License-Identifier: BSD-3-Clause */
/* What the name of an algorithm that is not known was probably meant to be. */
#ifndef SUMMAND_ALGORITHM_NEAREST_H
#define SUMMAND_ALGORITHM_NEAREST_H

#include "base/nearest.h"

struct summand__nearest_text summand__nearest_algorithm(const char *word);

#endif
