/* SPDX-License-Identifier: BSD-3-Clause */
/* All ranks of a gossip call in one process: coroutines that run in turns, and the MPI functions
 * that src/gossip/mpi/ calls. The linker redirects those calls here (test/CMakeLists.txt). A run is
 * about fifty times as fast as over an MPI and repeatable, and a run that would wait for ever ends.
 *
 * A message is copied when it is received, not when it is sent. So a bit that flips in a send
 * buffer damages the message, as with an MPI that sends long messages directly from the buffer.
 * Time passes only while ranks wait. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { WORLD_MOST = 8 /* ranks */ };

/* Calls body(rank) on each rank. If seed is 0, a waiting rank yields to the next rank, else to a
 * random one. Returns false if the ranks still waited after a very long time, and were abandoned.
 * */
bool world_run(int ranks, uint64_t seed, void (*body)(int rank));

/* The number of waits of a rank in the last run: equal numbers mean the same course. */
long world_turns(void);
