/* One time for all ranks: this node's monotonic clock, and how far it is off rank 0's. */
#ifndef SUMMAND_CLI_CLOCK_H
#define SUMMAND_CLI_CLOCK_H

/* Seconds of the local clock (CLOCK_MONOTONIC; MPI_Wtime begins anew in each process). */
double clock_now(void);

/* Local clock minus rank 0's, from the exchange with the shortest round trip among some, which is
 * off by half that trip at the most (Cristian 1989; SKaMPI's method). Drift: measure it anew every
 * now and then. Collective over MPI_COMM_WORLD, p - 1 exchanges in turn: 20 (p - 1) round trips. */
double clock_offset(void);

#endif
