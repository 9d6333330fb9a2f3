/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of addresses in the program. */
#ifndef SUMMAND_SHIM_RECORD_SITE_H
#define SUMMAND_SHIM_RECORD_SITE_H

/* "symbol+0x1a4", or without a symbol "libapp.so+0x7f0": the same in each run of a build, wherever
 * the program was loaded. Reads the symbols that the file has for debuggers, too. The text lives as
 * long as the process; NULL without memory. Any thread may call it. In the MPI's Fortran library,
 * the name is that of the call which led there: ask within that call. Cost: 20 ns for an address
 * that was asked for before, 2 us from Fortran, up to some milliseconds at first. */
const char *record_site(const void *address);

#endif
