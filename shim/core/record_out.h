/* SPDX-License-Identifier: BSD-3-Clause */
/* The bytes of a rank's record. They are written to memory that is the file's own (a shared
 * mapping), so a line costs no system call, and a process that dies has written all lines that it
 * has put. Where the rest of a window lies, the file has blanks until then: its last line has no
 * end, and readers leave such a line out. On a file system without shared mappings, and for
 * devices, each line is a write. Not for several threads at once. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Replaces the file at `path`, and keeps the path. Returns NULL, or an error in words. */
const char *record_out_open(const char *path);
/* Adds lines, each with its end. False: an error has ended the file with its last whole line. */
bool record_out_put(const char *lines, size_t count);
/* Cuts the blanks off and closes the file. Returns NULL, or the first error in words. */
const char *record_out_close(void);
/* True between the two, in this process: children of fork write nothing. */
bool record_out_is_open(void);
/* The first error in words, or NULL. */
const char *record_out_error(void);
