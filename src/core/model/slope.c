/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/slope.h"

enum { LAST = 6, PAIRS = LAST * (LAST - 1) / 2 };

double summand__byte_slope(const size_t *bytes, const double *seconds, int count, double eager)
{
    double slope[PAIRS];
    int pairs = 0;
    for (int i = count > LAST ? count - LAST : 0; i < count; i++)
        for (int j = i + 1; j < count; j++) {
            if ((double)bytes[i] <= eager && (double)bytes[j] > eager)
                continue;
            double one = (seconds[j] - seconds[i]) / (double)(bytes[j] - bytes[i]);
            int at = pairs++;
            for (; at > 0 && slope[at - 1] > one; at--)
                slope[at] = slope[at - 1];
            slope[at] = one;
        }
    if (!pairs)
        return 0;
    double median = slope[(pairs - 1) / 2], most = seconds[count - 1] / (double)bytes[count - 1];
    if (median > most)
        median = most;
    return median > 0 ? median : 0;
}
