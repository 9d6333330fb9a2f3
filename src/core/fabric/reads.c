/* SPDX-License-Identifier: BSD-3-Clause */
#include "fabric/reads.h"

#include <stdatomic.h>
#include <stdint.h>

#include "base/warning.h"
#include "process/world_root.h"
#include "wait/ballot.h"

int summand__reads_try(struct summand__fabric *fabric, MPI_Comm node)
{
    const int64_t from = fabric->settings.read_from;
    int all = fabric->pool.memory != NULL;
    fabric->read_from = SIZE_MAX;
    if (from == SUMMAND__NEVER || !fabric->pool.ranks)
        return MPI_SUCCESS;
    int code = summand__ballot_least(node, &all, 1);
    if (code != MPI_SUCCESS || !all)
        return code;
    code = summand__peer_memory_try(node, &fabric->processes);
    if (fabric->processes)
        fabric->read_from = (size_t)from;
    fabric->reads_refused = !fabric->processes;
    return code;
}

/* A refusal changes the speed only, no result. */
void summand__reads_warn(const struct summand__fabric *fabric)
{
    static atomic_flag warned = ATOMIC_FLAG_INIT;
    if (summand__is_world_root() && fabric->reads_refused && !atomic_flag_test_and_set(&warned))
        summand__warn(
            "SUMMAND_DIRECT_READ: the kernel does not let the ranks of this node read each "
            "other's memory; messages go through shared memory");
}
