/* SPDX-License-Identifier: BSD-3-Clause */
/* Independent tasks on several processors: worker processes, so that one that crashes takes nobody
 * along. */
#ifndef SUMMAND_CLI_COMMON_JOBS_H
#define SUMMAND_CLI_COMMON_JOBS_H

#include <stdbool.h>
#include <stddef.h>

struct jobs {
    const char *command; /* named in messages */
    int workers;         /* at least 1 */
    size_t tasks;        /* 0 .. tasks - 1, begun in this order */
    void *context;
    /* In a worker: what is to be known of it later is written to shared memory. */
    void (*work)(size_t task, void *context);
    /* In this process, when any of them has ended. */
    void (*through)(size_t task, void *context);
    /* In this process, in the order of the tasks. `why`: NULL, or what became of the worker that
     * did not finish it. */
    void (*done)(size_t task, const char *why, void *context);
};

/* Calls `done` for each task; after Ctrl-C (interrupt.h) only for the first ones that have ended.
 * False, after an error message, if it could not be called for all. */
bool jobs_run(const struct jobs *jobs);

/* Memory that workers share with this process, of zeros; only what is touched takes room. NULL if
 * there is none. */
void *jobs_memory(size_t bytes);
void jobs_forget(void *memory, size_t bytes);

#endif
