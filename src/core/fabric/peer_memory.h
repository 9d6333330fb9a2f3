/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads memory of other processes of the node, if the kernel allows it (Linux: process_vm_readv;
 * Yama's ptrace_scope, containers and seccomp filters refuse it). */
#pragma once

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Collective over `node`: each rank tries to read a word of each other rank. `*processes`: process
 * numbers by rank, to be freed; NULL on all ranks if any may not read or lacks memory. Returns an
 * MPI error code; SUMMAND_ERR_MEMORY only on ranks that lack memory. */
int summand__peer_memory_try(MPI_Comm node, pid_t **processes);

/* Local: reads `bytes` of another process's memory. Returns 0, or an errno value: `to` is then
 * undefined. */
int summand__peer_memory_read(pid_t process, uint64_t address, void *to, size_t bytes);
