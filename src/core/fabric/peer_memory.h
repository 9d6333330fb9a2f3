/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads of the memory of other processes of the node, which the kernel allows or not (Linux:
 * process_vm_readv; Yama's ptrace_scope, containers and seccomp filters refuse it). */
#ifndef SUMMAND_FABRIC_PEER_MEMORY_H
#define SUMMAND_FABRIC_PEER_MEMORY_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Collective over `node`: each rank tries to read a word of each other's. `*processes`: their
 * process numbers by rank, to be freed, or NULL on all ranks if any may not or lacks memory. An
 * MPI error code; SUMMAND_ERR_MEMORY on a rank that lacks memory alone. */
int summand__peer_memory_try(MPI_Comm node, pid_t **processes);

/* Local; `bytes` of another process's memory. 0, or why not as errno has it: then `to` may hold
 * anything. */
int summand__peer_memory_read(pid_t process, uint64_t address, void *to, size_t bytes);

#endif
