/* SPDX-License-Identifier: BSD-3-Clause */
#include "process/machine.h"

#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/machine.h"

bool summand__mpi_derives_from_mpich(void)
{
    static const char *const brands[] = {"MPICH", "MVAPICH", "Intel(R) MPI", NULL};
    static atomic_int known; /* 1 + answer */
    int answer = atomic_load_explicit(&known, memory_order_relaxed) - 1;
    if (answer < 0) {
        char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
        int length, at = 0;
        PMPI_Get_library_version(version, &length);
        while (brands[at] && !strstr(version, brands[at]))
            at++;
        answer = brands[at] != NULL;
        atomic_store_explicit(&known, 1 + answer, memory_order_relaxed);
    }
    return answer;
}

void summand__mpi_name(char *text, size_t room)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length;
    PMPI_Get_library_version(version, &length);
    /* MPICH has "MPICH Version:\t4.0.2\nMPICH Release date: ...", Open MPI one long line. */
    version[strcspn(version, ",\n")] = '\0';
    char *word = strstr(version, " Version:");
    if (word) {
        const char *number = word + 9 + strspn(word + 9, " \t");
        memmove(word + 1, number, strlen(number) + 1);
    }
    snprintf(text, room, "%s", version);
}

void summand__machine_text(char *text, size_t room)
{
    const struct summand__processor processor = summand__processor();
    char mpi[200];
    summand__mpi_name(mpi, sizeof mpi);
    snprintf(text, room, "%s, %d per node, %s", processor.name, summand__processors(), mpi);
}
