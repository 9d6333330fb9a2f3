/* SPDX-License-Identifier: BSD-3-Clause */
#include "process/launcher.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/environment.h"
#include "base/warning.h"
#include "process/machine.h"
#include "process/world_root.h"

static const struct sign {
    const char *launcher, *size, *rank;
} signs[] = {{"Open MPI's launcher", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
             {"MVAPICH's launcher", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK"},
             {"the launcher of MPICH or Intel MPI", "PMI_SIZE", "PMI_RANK"},
             {"srun", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}};

/* Takes the first launcher with both variables. The last one is a batch system's, which may have
 * started another launcher. */
bool summand__launcher_find(struct summand__launcher *launcher)
{
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        const char *size = summand__environment_foreign(signs[i].size);
        const char *rank = summand__environment_foreign(signs[i].rank);
        if (!size || !rank)
            continue;
        int processes = atoi(size);
        *launcher = (struct summand__launcher){signs[i].launcher, signs[i].size,
                                               processes > 1 ? processes : 1, atoi(rank)};
        return true;
    }
    return false;
}

bool summand__launcher_apart(const char *what, char *text, size_t room)
{
    struct summand__launcher launcher;
    char mpi[128];
    if (summand__world_ranks() != 1 || !summand__launcher_find(&launcher) || launcher.size == 1)
        return false;
    summand__mpi_name(mpi, sizeof mpi);
    snprintf(text, room,
             "%s started %d processes (%s), but this %s is built with %s, in which each of them "
             "is alone",
             launcher.name, launcher.size, launcher.variable, what, mpi);
    return true;
}

void summand__launcher_warn(void)
{
    static atomic_flag warned = ATOMIC_FLAG_INIT;
    struct summand__launcher launcher;
    char text[512];
    if (!atomic_flag_test_and_set(&warned) &&
        summand__launcher_apart("program", text, sizeof text) &&
        summand__launcher_find(&launcher) && launcher.rank == 0)
        summand__warn("%s; start it with the launcher of that MPI", text);
}
