/* SPDX-License-Identifier: BSD-3-Clause */
/* A command and the launcher that started it (process/launcher.h). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* This process's number within its launch, or -1 without a launcher. Works before MPI_Init. */
int launched_rank(void);
/* The number of launched processes: at least 1. */
int launched_size(void);
/* True for all but the first of several launched processes. */
bool launched_idle(void);
/* True if these words are those of `bench --launches` for its processes: "--launches=0" and the
 * options behind it override what was given before. */
bool launched_again(int argc, char **argv);

/* After MPI_Init: true if several processes were launched but each is alone in its MPI_COMM_WORLD,
 * as with a launcher of another MPI. Writes a sentence about it. */
bool launched_apart(char *text, size_t room);

/* If several processes do the same without MPI, only the first one complains. Call this before any
 * complaint, and exit with launched_end's status. The others wait some seconds before they fail,
 * because a launcher that sees a failure may end the first one too early. If only they are wrong,
 * the first one waits for them in MPI_Init. */
void launched_one_speaks(void);
int launched_end(int status);

/* Waits until the launcher has read this process's stderr, at most 2 seconds: when a launcher ends
 * all processes after a failure, it discards unread output (Open MPI 4.1). */
void launched_await_reader(void);
