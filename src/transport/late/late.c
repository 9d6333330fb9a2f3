#include "transport/late/late.h"

#include <time.h>

struct summand__lateness summand__lateness(uint64_t seed, int rank)
{
    static _Atomic uint64_t users;
    return (struct summand__lateness){seed * UINT64_C(0x9e3779b97f4a7c15) + ((uint64_t)rank << 40) +
                                      ++users};
}

/* splitmix64 (Steele, Lea, Flood 2014). */
unsigned summand__late_below(struct summand__lateness *lateness, unsigned most)
{
    uint64_t z = lateness->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (unsigned)((z >> 32) % most);
}

void summand__late_pause(struct summand__lateness *lateness)
{
    enum { SELDOM = 16, LONGEST = 50000 };
    if (summand__late_below(lateness, SELDOM))
        return;
    struct timespec time = {.tv_nsec = (long)summand__late_below(lateness, LONGEST)};
    nanosleep(&time, NULL);
}
