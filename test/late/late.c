/* SPDX-License-Identifier: BSD-3-Clause */
#include "late/late.h"

#include <stdlib.h>
#include <time.h>

#include "transport/table.h"

static uint64_t seed;

/* Before any call: TEST_LATE is the seed. */
static __attribute__((constructor)) void lie_over(void)
{
    const char *text = getenv("TEST_LATE");
    if (!text)
        return;
    seed = strtoull(text, NULL, 10);
    summand__transport_over = &late_transport;
    summand__window_over = late_window;
}

struct lateness lateness_of(int rank)
{
    static _Atomic uint64_t users;
    return (struct lateness){seed * UINT64_C(0x9e3779b97f4a7c15) + ((uint64_t)rank << 40) +
                             ++users};
}

/* splitmix64 (Steele, Lea, Flood 2014). */
unsigned late_below(struct lateness *lateness, unsigned most)
{
    uint64_t z = lateness->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (unsigned)((z >> 32) % most);
}

void late_pause(struct lateness *lateness)
{
    enum { SELDOM = 16, LONGEST = 50000 };
    if (late_below(lateness, SELDOM))
        return;
    struct timespec time = {.tv_nsec = (long)late_below(lateness, LONGEST)};
    nanosleep(&time, NULL);
}
