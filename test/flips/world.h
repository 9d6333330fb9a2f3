/* SPDX-License-Identifier: BSD-3-Clause */
/* All ranks of a gossip call in one process: coroutines that go on in turns, and of the MPI what
 * src/gossip/mpi/ calls. The linker leads those calls here (test/CMakeLists.txt). A run is some
 * fifty times as fast as over an MPI, the same each time, and one that would wait for ever ends.
 *
 * A message is copied when it is taken, not when it is sent: a bit that flips in a buffer that is
 * being sent from spoils the message, as with an MPI that sends long messages out of their place.
 * Time passes only while ranks wait. */
#ifndef SUMMAND_TEST_FLIPS_WORLD_H
#define SUMMAND_TEST_FLIPS_WORLD_H

#include <stdbool.h>
#include <stdint.h>

enum { WORLD_MOST = 8 /* ranks */ };

/* Calls body(rank) on each rank. seed 0: who waits makes way for the next rank; else for one that
 * is drawn. False: the ranks still waited after a very long time, and were left there. */
bool world_run(int ranks, uint64_t seed, void (*body)(int rank));

/* Times that a rank has waited, in the last run: equal ones took the same course. */
long world_turns(void);

#endif
