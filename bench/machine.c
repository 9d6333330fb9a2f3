#include "bench/machine.h"

#include <stdio.h>

#include "calibrate/store.h"
#include "kernel/prefetch.h"

void bench_prefetch_as_calibrated(void)
{
    static const unsigned slots[] = {128, 16, 8};
    struct summand__calibration kept = summand__calibration_standard();
    bool found = false;
    for (size_t i = 0; !found && i < sizeof slots / sizeof *slots; i++)
        found = summand__calibration_kept(SUMMAND__ANY_DISTANCE, slots[i], &kept);
    summand__prefetch_set(kept.value[SUMMAND__PREFETCH_AHEAD]);
    printf("prefetch %lld bytes ahead%s\n", (long long)kept.value[SUMMAND__PREFETCH_AHEAD],
           found ? ", as calibrated" : "; no calibration is kept");
}
