/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithm/nearest.h"

#include "algorithm/algorithm.h"

struct summand__nearest_text summand__nearest_algorithm(const char *word)
{
    struct summand__nearest nearest = summand__nearest_to(word);
    for (int i = 0; summand__algorithms[i]; i++)
        summand__nearest_try(&nearest, summand__algorithms[i]->name);
    return summand__nearest_text(&nearest);
}
