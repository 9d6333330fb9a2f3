/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports of runs, from the file that the shim has written. */
#pragma once

#include "shim/core/report.h"

#define REPORT "report"

/* Returns false after a complaint; the caller frees the report. */
bool report_read(const char *path, struct report *report);
/* Writes one page that needs no other file. Returns the exit status. */
int report_page(const struct report *report, const char *path);
