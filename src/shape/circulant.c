/* SPDX-License-Identifier: BSD-3-Clause */
#include "shape/circulant.h"

struct summand__skips summand__circulant(int ranks)
{
    struct summand__skips skips = {0};
    for (int wide = ranks; wide > 1; wide -= wide / 2) {
        skips.wider[skips.rounds] = wide;
        skips.skip[skips.rounds++] = wide - wide / 2;
    }
    return skips;
}
