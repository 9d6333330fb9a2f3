/* SPDX-License-Identifier: BSD-3-Clause */
/* Linked into the command: SUMMAND_TEST_REFUSE=N refuses the command's N-th memory request, and
 * SUMMAND_TEST_COUNT=FILE receives the number of requests. */
#include <stdio.h>
#include <stdlib.h>

#include "mpi/scarce.h"

__attribute__((constructor)) static void begin(void)
{
    const char *text = getenv("SUMMAND_TEST_REFUSE");
    if (text)
        scarce_begin(atol(text), 0);
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("SUMMAND_TEST_COUNT");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (file) {
        fprintf(file, "%ld\n", scarce.asked);
        fclose(file);
    }
}
