/* SPDX-License-Identifier: BSD-3-Clause */
/* Ctrl-C: long commands end early and answer with what they have. */
#ifndef SUMMAND_CLI_COMMON_INTERRUPT_H
#define SUMMAND_CLI_COMMON_INTERRUPT_H

#include <stdbool.h>

/* The exit status of a command that was interrupted, as a shell's. */
enum { INTERRUPTED = 130 };

/* From here on the first SIGINT or SIGTERM (which launchers send to ranks) is noted; a second one
 * ends the process as usual. */
void interrupt_listen(void);
bool interrupted(void);
/* What all ranks know alike: whether rank 0 had been interrupted when it last told them. */
bool interrupt_agreed(void);
/* Collective over MPI_COMM_WORLD: rank 0 tells its seconds since its MPI_Wtime `start`, and its
 * flag along with them. */
double interrupt_agreed_seconds(double start);
/* "interrupted: these are the results so far" on stderr, of rank 0, unless it has
 * answered alone (interrupt_answer). Returns INTERRUPTED. */
int interrupt_say(const char *command);

/* What there is so far. Neither calls MPI. */
struct interrupt_answer {
    bool (*any)(const void *context);
    void (*print)(void *context);
    void *context;
};

/* Open MPI's launcher kills the ranks a second after Ctrl-C, and does not read what they print
 * until then. On a busy machine they take longer to agree that they end. So rank 0 listens, and
 * alone answers soon after a signal, in a thread of its own, unless interrupt_answered comes
 * before: if there is any result, it says that the command was interrupted, and prints. Other ranks
 * only listen. */
void interrupt_answer(const char *command, struct interrupt_answer how);
/* Between these two it does not answer: what it reads changes. They do not nest. */
void interrupt_hold(void);
void interrupt_release(void);
/* On all ranks after interrupt_answer, before `context` ends: from here on it does not answer.
 * True: it has, and nothing is to be printed any more. */
bool interrupt_answered(void);

#endif
