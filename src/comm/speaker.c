#include "comm/speaker.h"

#include <mpi.h>

int summand__world_rank(void)
{
    int world = 0, rank = 0;
    MPI_Initialized(&world); /* with sessions alone there is no world: then each is its own */
    if (world)
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

bool summand__is_speaker(void)
{
    return summand__world_rank() == 0;
}
