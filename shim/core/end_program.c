/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of a program whose promise cannot be kept. */
#include <unistd.h>

#include "core/held.h"
#include "core/shim.h"
#include "process/error.h"

void shim_end_program(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    shim_vsay(format, list);
    va_end(list);
    sleep(1); /* MPICH's launcher may end before it passes the line on */
    watch_abort();
    if (summand__mpi_runs())
        PMPI_Abort(MPI_COMM_WORLD, 2);
    _exit(2); /* in a session alone: the launcher ends the other ranks */
}
