/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory for programs that cannot continue without it. */
#pragma once

/* Returns the memory unless it is NULL; then reports this and ends the process with exit status
 * 1. */
void *need(void *memory);
