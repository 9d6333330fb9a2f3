/* Which process says what all of them know. */
#ifndef SUMMAND_COMM_SPEAKER_H
#define SUMMAND_COMM_SPEAKER_H

#include <stdbool.h>

/* This process in MPI_COMM_WORLD; the only use that the library makes of that communicator. Local.
 */
int summand__world_rank(void);

/* Rank 0 there. */
bool summand__is_speaker(void);

#endif
