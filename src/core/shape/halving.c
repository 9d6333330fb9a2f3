/* SPDX-License-Identifier: BSD-3-Clause */
#include "shape/halving.h"

int summand__halving_path(int ranks, int rank, struct summand__split path[SUMMAND__HALVING_MOST])
{
    int low = 0, high = ranks, length = 0;
    while (high - low > 1) {
        int middle = summand__halving_middle(low, high);
        path[length++] = (struct summand__split){low, middle, high};
        if (rank < middle)
            high = middle;
        else
            low = middle;
    }
    return length;
}

int summand__halving_height(int ranks)
{
    int height = 0;
    while ((1ll << height) < ranks)
        height++;
    return height;
}
