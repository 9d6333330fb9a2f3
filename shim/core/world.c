/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/world.h"

static int look(MPI_Group group, MPI_Group world, bool *within)
{
    MPI_Group shared;
    int size = 0, known = 0;
    int code = PMPI_Group_intersection(group, world, &shared);
    if (code == MPI_SUCCESS)
        code = PMPI_Group_size(shared, &known);
    if (code == MPI_SUCCESS)
        code = PMPI_Group_size(group, &size);
    if (known) /* else it is MPI_GROUP_EMPTY */
        PMPI_Group_free(&shared);
    *within = known == size;
    return code;
}

int shim_is_within_world(MPI_Comm comm, bool inter, bool *within)
{
    MPI_Group world = MPI_GROUP_NULL, group[] = {MPI_GROUP_NULL, MPI_GROUP_NULL};
    int code = PMPI_Comm_group(MPI_COMM_WORLD, &world);
    *within = true;
    if (code == MPI_SUCCESS)
        code = PMPI_Comm_group(comm, &group[0]);
    if (code == MPI_SUCCESS && inter)
        code = PMPI_Comm_remote_group(comm, &group[1]);
    for (int g = 0; g < 2; g++) {
        if (group[g] != MPI_GROUP_NULL && code == MPI_SUCCESS && *within)
            code = look(group[g], world, within);
        if (group[g] != MPI_GROUP_NULL)
            PMPI_Group_free(&group[g]);
    }
    if (world != MPI_GROUP_NULL)
        PMPI_Group_free(&world);
    return code;
}
