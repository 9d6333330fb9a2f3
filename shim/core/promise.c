/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions whose bits may depend on the order: the modes promise one, where Summand does them. */
#include <stdio.h>
#include <unistd.h>

#include "base/environment.h"
#include "core/shim.h"
#include "op/predefined.h"
#include "op/type_signature.h"
#include "process/error.h"
#include "shim/core/record_site.h"

bool shim_may_round(MPI_Op op, MPI_Datatype type)
{
    if (op == MPI_OP_NULL || type == MPI_DATATYPE_NULL ||
        (summand__op_predefined(op) && op != MPI_SUM && op != MPI_PROD) ||
        summand__op_exact(op, type))
        return false;
    if (!summand__op_predefined(op) || summand__datatype_predefined(type))
        return true;
    const struct summand__type_signature all = summand__type_signature(type, 1);
    return !all.known || all.mixed || !all.length || !summand__op_exact(op, all.first);
}

/* The ranks of a collective come here together. Rank 0 speaks for them, and the others only if it
 * does not. */
void shim_end_strictly(const char *name, const char *reason, const void *site, int rank)
{
    enum { SECONDS = 3 };
    int own = rank;
    const char *mode = summand__environment_value("SUMMAND_MODE", NULL);
    const char *where = record_site(shim_site(site));
    if (rank > 0)
        sleep(SECONDS);
    if (summand__mpi_runs())
        PMPI_Comm_rank(MPI_COMM_WORLD, &own);
    char who[32] = "";
    if (own >= 0)
        snprintf(who, sizeof who, "rank %d: ", own);
    shim_end_program("%s%s%s%s is not as mode %s promises (%s); SUMMAND_STRICT ends the program",
                     who, name, where ? " at " : "", where ? where : "", mode ? mode : "fast",
                     reason);
}
