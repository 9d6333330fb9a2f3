#include "cli/gossip/gossip_interval.h"

#include "cli/gossip/gossip_study.h"

#include "gossip/random.h"

#include <math.h>
#include <string.h>

enum { RESAMPLES = 1000 };

static double median_of(const double *values, int n)
{
    double sorted[INTERVAL_MOST];
    memcpy(sorted, values, (size_t)n * sizeof *sorted);
    return study_quantile(sorted, n, 0.5);
}

static double resampled(const double *values, int n, struct summand__random *random)
{
    double drawn[INTERVAL_MOST];
    for (int k = 0; k < n; k++)
        drawn[k] = values[summand__random_below(random, (uint64_t)n)];
    return study_quantile(drawn, n, 0.5);
}

struct interval interval_of_difference(const double *a, int n, const double *b, int m,
                                       uint64_t seed)
{
    double draws[RESAMPLES];
    struct summand__random random = {summand__stream(seed, 0x626f6f74u)};
    n = n < INTERVAL_MOST ? n : INTERVAL_MOST;
    m = m < INTERVAL_MOST ? m : INTERVAL_MOST;
    if (n < 1 || m < 1)
        return (struct interval){NAN, NAN, NAN};
    for (int k = 0; k < RESAMPLES; k++) {
        double first = resampled(a, n, &random);
        draws[k] = first - resampled(b, m, &random);
    }
    double low = study_quantile(draws, RESAMPLES, 0.025);
    double high = study_quantile(draws, RESAMPLES, 0.975);
    return (struct interval){median_of(a, n) - median_of(b, m), low, high};
}

struct interval interval_of_median(const double *values, int n, uint64_t seed)
{
    static const double none[1];
    return interval_of_difference(values, n, none, 1, seed);
}

struct interval interval_of_share(int k, int n)
{
    const double z = 1.96;
    if (n < 1)
        return (struct interval){NAN, NAN, NAN};
    double share = (double)k / n, by = 1 + z * z / n, middle = (share + z * z / (2 * n)) / by;
    double half = z / by * sqrt(share * (1 - share) / n + z * z / (4.0 * n * n));
    return (struct interval){share, fmax(0, middle - half), fmin(1, middle + half)};
}

struct interval interval_of_mean(const double *values, int n)
{
    double mean = 0, squares = 0;
    for (int k = 0; k < n; k++)
        mean += values[k] / n;
    for (int k = 0; k < n; k++)
        squares += (values[k] - mean) * (values[k] - mean);
    double error = n > 1 ? 1.96 * sqrt(squares / (n - 1) / n) : 0;
    return (struct interval){mean, mean - error, mean + error};
}
