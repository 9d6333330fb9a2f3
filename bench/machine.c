/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/machine.h"

#include <stdio.h>

#include "calibrate/store.h"
#include "kernel/prefetch.h"

void bench_prefetch_as_calibrated(void)
{
    struct summand__kept list[SUMMAND__MOST_KEPT];
    const struct summand__kept *kept =
        summand__calibration_find(list, summand__calibration_list(list), SUMMAND__ANY_DISTANCE, 0);
    const struct summand__calibration calibration =
        kept ? kept->calibration : summand__calibration_standard();
    const int64_t ahead = calibration.value[SUMMAND__PREFETCH_AHEAD];
    summand__prefetch_set(ahead);
    printf("prefetch %lld bytes ahead%s\n", (long long)ahead,
           kept ? ", as calibrated" : "; no calibration is kept");
}
