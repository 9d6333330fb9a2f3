/* Bootstrap intervals (Efron, 1979; percentiles): what samples say about a median. */
#ifndef SUMMAND_CLI_GOSSIP_GOSSIP_INTERVAL_H
#define SUMMAND_CLI_GOSSIP_GOSSIP_INTERVAL_H

#include <stdint.h>

struct interval {
    double middle, low, high; /* 95 % */
};

/* Of the median of n values. n at most INTERVAL_MOST; beyond, of the first so many. */
enum { INTERVAL_MOST = 1024 };
struct interval interval_of_median(const double *values, int n, uint64_t seed);
/* Of the median of a minus the median of b. */
struct interval interval_of_difference(const double *a, int n, const double *b, int m,
                                       uint64_t seed);
/* Of a share of which k of n were seen (Wilson, 1927). */
struct interval interval_of_share(int k, int n);
/* Of the mean, from the values' deviation (normal). */
struct interval interval_of_mean(const double *values, int n);

#endif
