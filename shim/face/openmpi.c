/* SPDX-License-Identifier: BSD-3-Clause */
/* Open MPI 4: persistent collectives are extensions, and there are no large counts. Fortran's
 * functions call PMPI_Name of C, with addresses and handles of C. */
#include <mpi.h>

#include <mpi-ext.h>

#include "core/shim.h"
#include "face/calls.inc.h"

#define ROW(Name, name, id, ...) FORMS(Name, MPI_I##name, MPIX_##Name##_init, id, , false, int, int)
SHIM_COLLECTIVES(ROW)

#include "face/requests.inc.h"
#include "face/open.inc.h"
