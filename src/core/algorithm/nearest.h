/* SPDX-License-Identifier: BSD-3-Clause */
/* The known algorithm with the name nearest to an unknown one. */
#pragma once

#include "base/nearest.h"

struct summand__nearest_text summand__nearest_algorithm(const char *word);
