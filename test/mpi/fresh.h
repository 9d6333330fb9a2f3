/* SPDX-License-Identifier: BSD-3-Clause */
/* A communicator that joins no fabric of an earlier one. */
#ifndef SUMMAND_TEST_MPI_FRESH_H
#define SUMMAND_TEST_MPI_FRESH_H

#include <stdio.h>
#include <stdlib.h>

/* The next communicator's fabric is a new one: no other has these settings. Called by all ranks. */
static inline void fresh_settings(void)
{
    static int number;
    char name[64];
    snprintf(name, sizeof name, "/nowhere/tuning-%d", ++number);
    setenv("SUMMAND_WARNINGS", "off", 1); /* of the file that is not there */
    setenv("SUMMAND_TUNING", name, 1);
}

#endif
