/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* Registers `function` for the start of MPI_Finalize, last registered first. Returns an MPI error
 * code. */
int summand__at_finalize(void (*function)(void));
