/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of addresses in the program. */
#pragma once

/* "symbol+0x1a4", or without a symbol "libapp.so+0x7f0": the same in each run of a build, wherever
 * the program was loaded. Reads the symbols that the file has for debuggers, too. The text lives as
 * long as the process; NULL without memory. Any thread may call it. Cost: 20 ns for an address that
 * was asked for before, else up to some milliseconds. */
const char *record_site(const void *address);
