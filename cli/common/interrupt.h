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
/* "interrupted: these are the results so far" on stderr, of rank 0. Returns INTERRUPTED. */
int interrupt_say(const char *command);

#endif
