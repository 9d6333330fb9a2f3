/* SPDX-License-Identifier: BSD-3-Clause */
#include "process/world_root.h"

#include <mpi.h>
#include <stddef.h>

int summand__world_rank(void)
{
    int world = 0, rank = 0;
    PMPI_Initialized(&world); /* sessions alone have no world: each is rank 0 */
    if (world)
        PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

int summand__world_ranks(void)
{
    int world = 0, ranks = 0;
    PMPI_Initialized(&world);
    if (world)
        PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    return ranks;
}

int summand__world_part(MPI_Group group, MPI_Group *part)
{
    MPI_Group world;
    int code = PMPI_Comm_group(MPI_COMM_WORLD, &world);
    if (code != MPI_SUCCESS)
        return code;
    code = PMPI_Group_intersection(group, world, part);
    PMPI_Group_free(&world);
    return code;
}

bool summand__is_world_root(void)
{
    return summand__world_rank() == 0;
}

/* With sessions alone: `otherwise`. */
static int attribute(int keyval, int otherwise)
{
    int world = 0, found = 0, *value = NULL;
    PMPI_Initialized(&world);
    if (world)
        PMPI_Comm_get_attr(MPI_COMM_WORLD, keyval, (void *)&value, &found);
    return found && value ? *value : otherwise;
}

int summand__most_tag(void)
{
    enum { LEAST = 32767 }; /* every MPI has it */
    const int most = attribute(MPI_TAG_UB, LEAST);
    return most > LEAST ? most : LEAST;
}

int summand__last_code(void)
{
    return attribute(MPI_LASTUSEDCODE, MPI_ERR_LASTCODE);
}
