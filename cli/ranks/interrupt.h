/* SPDX-License-Identifier: BSD-3-Clause */
/* Ctrl-C: long commands end early and print their results so far. */
#pragma once

#include <stdbool.h>

/* The exit status of an interrupted command, as a shell's. */
enum { INTERRUPTED = 130 };

/* Notes the first SIGINT or SIGTERM from now on (launchers send SIGTERM to ranks); a second one
 * ends the process as usual. */
void interrupt_listen(void);
bool interrupted(void);
/* The flag that rank 0 last shared: the same on all ranks. */
bool interrupt_agreed(void);
/* Collective over MPI_COMM_WORLD: rank 0 shares its seconds since its MPI_Wtime `start`, and its
 * flag. */
double interrupt_agreed_seconds(double start);
/* Rank 0 prints "interrupted: these are the results so far" on stderr, unless it has answered alone
 * (interrupt_answer). Returns INTERRUPTED. */
int interrupt_say(const char *command);

/* Access to the results so far. Neither function calls MPI. */
struct interrupt_answer {
    bool (*any)(const void *context);
    void (*print)(void *context);
    void *context;
};

/* Open MPI's launcher kills the ranks a second after Ctrl-C, and does not read their output until
 * then. On a busy machine they need longer to agree on the end. So a thread on rank 0 answers alone
 * soon after a signal, unless interrupt_answered comes before: if there is any result, it says that
 * the command was interrupted, and prints. Other ranks only note the signal. */
void interrupt_answer(const char *command, struct interrupt_answer how);
/* Between these two calls the thread does not answer, because its data change. They do not nest. */
void interrupt_hold(void);
void interrupt_release(void);
/* On all ranks after interrupt_answer, before `context` ends: stops the thread. True: it has
 * answered, and nothing more must be printed. */
bool interrupt_answered(void);
