/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SUMMAND_PROCESS_FINALIZE_H
#define SUMMAND_PROCESS_FINALIZE_H

/* Registers `function` for the start of MPI_Finalize, last registered first. Returns an MPI error
 * code. */
int summand__at_finalize(void (*function)(void));

#endif
