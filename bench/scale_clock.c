/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/scale_clock.h"

#include <math.h>
#include <string.h>
#include <time.h>

bool scale_is_simulated(void)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(text, &length);
    return strstr(text, "SMPI") != NULL;
}

void scale_sleep(double seconds)
{
    struct timespec pause = {(time_t)seconds, lrint((seconds - floor(seconds)) * 1e9)};
    if (pause.tv_nsec >= 1000000000)
        pause = (struct timespec){pause.tv_sec + 1, 0};
    nanosleep(&pause, NULL);
}

void scale_settle(void)
{
    if (scale_is_simulated())
        scale_sleep(1);
}

void scale_start_together(MPI_Comm comm)
{
    double now, last;
    scale_settle();
    MPI_Barrier(comm);
    if (!scale_is_simulated())
        return;
    now = MPI_Wtime();
    MPI_Allreduce(&now, &last, 1, MPI_DOUBLE, MPI_MAX, comm);
    scale_sleep(ceil(last) + 1 - MPI_Wtime());
}
