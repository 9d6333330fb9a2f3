/* SPDX-License-Identifier: BSD-3-Clause */
/* Independent tasks on several processors: worker processes, so a crash ends only one worker. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct jobs {
    const char *command; /* named in messages */
    int workers;         /* at least 1 */
    size_t tasks;        /* 0 .. tasks - 1, started in this order */
    void *context;
    /* Runs in a worker; writes its results to shared memory. */
    void (*work)(size_t task, void *context);
    /* Runs in this process when a task has ended. */
    void (*through)(size_t task, void *context);
    /* Runs in this process, in the order of the tasks. `why`: NULL, or why the worker did not
     * finish it. */
    void (*done)(size_t task, const char *why, void *context);
};

/* Calls `done` for each task; after Ctrl-C (interrupt.h) only for the first tasks that have ended.
 * Returns false, after an error message, if not all were reported. */
bool jobs_run(const struct jobs *jobs);

/* Zeroed memory that workers share with this process; only touched pages take memory. NULL if there
 * is none. */
void *jobs_memory(size_t bytes);
void jobs_forget(void *memory, size_t bytes);
