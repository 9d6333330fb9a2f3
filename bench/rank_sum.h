/* SPDX-License-Identifier: BSD-3-Clause */
/* The test of Mann and Whitney (1947), also Wilcoxon's rank sum test. It tests whether values of
 * one sample tend to be larger than those of another, for any distribution. */
#pragma once

struct rank_sum {
    double u;        /* pairs (a, b) with a > b, ties count one half */
    double p;        /* two-sided; normal approximation, corrected for ties and continuity */
    double superior; /* u / (n m): the chance that a value of `a` is above one of `b` */
};

/* n, m >= 1 finite values. p is good from about 8 values each; 1 when out of memory. */
struct rank_sum rank_sum_test(const double *a, int n, const double *b, int m);
