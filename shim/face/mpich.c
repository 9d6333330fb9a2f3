/* SPDX-License-Identifier: BSD-3-Clause */
/* MPICH 4 and the MPIs that share its binary interface. Fortran's functions call MPI_Name of C,
 * with addresses and handles of C. */
#include "core/shim.h"
#include "face/calls.inc.h"

#define ROW(Name, name, id, ...)                                                                   \
    FORMS(Name, MPI_I##name, MPI_##Name##_init, id, , false, int, int)                             \
    FORMS(Name, MPI_I##name, MPI_##Name##_init, id, _c, true, MPI_Count, MPI_Aint)
SHIM_COLLECTIVES(ROW)

static int on_MPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session)
{
    shim_session(1);
    return SHIM_REAL(MPI_Session_init)(info, errhandler, session);
}

static int on_MPI_Session_finalize(MPI_Session *session)
{
    int code = SHIM_REAL(MPI_Session_finalize)(session);
    shim_session(-1);
    return code;
}

#include "face/requests.inc.h"
#include "face/open.inc.h"
