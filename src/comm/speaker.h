/* Which process says what all of them know. */
#ifndef SUMMAND_COMM_SPEAKER_H
#define SUMMAND_COMM_SPEAKER_H

#include <stdbool.h>

/* Rank 0 of MPI_COMM_WORLD; the only use that the library makes of that communicator. Local. */
bool summand__is_speaker(void);

#endif
