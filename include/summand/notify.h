/* SPDX-License-Identifier: BSD-3-Clause */
/* Puts with notification: a rank writes into memory that another rank has exposed. After the data,
 * a counter of that rank grows. The other rank posts no receive: it waits for its counter.
 *
 * An example with one slot and two counters: FULL counts the blocks that rank 0 has put, FREE
 * counts the blocks that rank 1 has used (credits).
 *
 *     enum { FULL, FREE, IDS };
 *     summand_segment_create(N * sizeof(double), IDS, comm, NULL, &segment);
 *     summand_notify_range(IDS, &first, segment);
 *     for (uint64_t k = 0; k < rounds; k++)
 *         if (rank == 0) {
 *             fill(block);
 *             summand_notify_wait(1, first + FREE, k, SUMMAND_TIMEOUT_FOREVER, segment);
 *             summand_put_notify(block, N * sizeof(double), 1, 0, first + FULL, 1, 0, segment);
 *             summand_queue_wait(0, SUMMAND_TIMEOUT_FOREVER, segment);
 *         } else if (rank == 1) {
 *             summand_notify_wait(0, first + FULL, k + 1, SUMMAND_TIMEOUT_FOREVER, segment);
 *             use(slot);
 *             summand_notify(0, first + FREE, 1, segment);
 *         }
 *     summand_segment_free(&segment);
 *
 * Rank 0 writes the slot (summand_segment_memory) only after rank 1 has released it. It writes
 * `block`, which the put may still read, only after summand_queue_wait.
 *
 * Promise. Counters have 64 bits and never decrease: a rank may add at most 2^64 - 1 to one counter
 * of another rank while the segment exists, and a call that would add more is refused. Suppose that
 * a rank has seen a counter at a value, by any call below. Then it sees all data that the counting
 * ranks put to it before they counted that far (release and acquire). Puts of one rank to another
 * are not ordered otherwise.
 *
 * Outcomes. Each call returns MPI_SUCCESS or an error code. Some calls may also return one of enum
 * summand_notify_outcome, which is not an error; their comments say so. Errors are raised once on
 * the communicator's error handler. A call with wrong arguments or without memory has done nothing.
 *
 * Progress. Only one thread at a time may use a segment. Over shared memory puts arrive
 * independently of the target; over the MPI's one-sided calls ("rma") too, unless the MPI needs the
 * target in one of its calls. Over messages they move only while both ends are in a call with this
 * segment. So a rank must not block elsewhere while others wait for it.
 *
 * Sources. Names follow the MPI Forum's discussion of notified communication. Counters are those of
 * OpenSHMEM 1.5 (shmem_put_signal with SHMEM_SIGNAL_ADD). Queues and ranges of ids are those of
 * GASPI (GASPI Forum 2017), without its reset of flags. */
#ifndef SUMMAND_NOTIFY_H
#define SUMMAND_NOTIFY_H

#include <stdint.h>
#include <summand/error.h>
#include <summand/mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Memory on each rank of a communicator, into which all ranks put, and counters. */
typedef struct summand_segment summand_segment;

/** Returned in place of MPI_SUCCESS or an error code, and never raised. */
enum summand_notify_outcome {
    SUMMAND_NOTIFY_NOT_YET = -2, /**< the time is over: call again */
    SUMMAND_QUEUE_FULL = -3      /**< nothing was put: wait for the queue, and call again */
};

/** Timeouts, in seconds.
 *  - 0 (SUMMAND_TIMEOUT_TEST): the call looks once.
 *  - above 0: the call returns SUMMAND_NOTIFY_NOT_YET after that time, or a little later.
 *  - negative (SUMMAND_TIMEOUT_FOREVER): it waits. The environment limits such a wait: after
 *    SUMMAND_TIMEOUT it fails with SUMMAND_ERR_TIMEOUT and may be repeated; after SUMMAND_STALL
 *    a message says where this rank waits. */
#define SUMMAND_TIMEOUT_TEST 0.0
#define SUMMAND_TIMEOUT_FOREVER (-1.0)

/** Options of a segment. NULL means all zero. */
typedef struct summand_segment_options {
    int queues; /**< number of queues, at most 1024; 0: one */
    int depth;  /**< most puts in flight in each queue; 0: 1024 */
    /** (all) "shm", "gpi2", "rma" or "p2p" (docs/notify.md); NULL: the best */
    const char *transport;
} summand_segment_options;

/** Makes a segment. Collective; blocks. Arguments marked (all) must agree on all ranks.
 *  @param bytes (all) size of each rank's memory, at least 0. The memory is aligned to a cache line
 *         and holds zeros at first
 *  @param ids (all) number of counters of each rank, at least 0. A counter takes a cache line for
 *         each rank that adds to it
 *  @param options [in] or NULL
 *  @param comm an intra-communicator
 *  @param segment [out] NULL after an error
 *  Errors: MPI's; SUMMAND_ERR_ARGUMENT, _MEMORY, _MISMATCH, _TIMEOUT;
 *  MPI_ERR_UNSUPPORTED_OPERATION: this transport cannot be used here. An error on one rank is an
 *  error on all ranks (_REMOTE). */
SUMMAND_API int summand_segment_create(MPI_Count bytes, int ids, MPI_Comm comm,
                                       const summand_segment_options *options,
                                       summand_segment **segment);

/** Frees a segment and sets it to NULL; does nothing for NULL. Collective; blocks until all ranks
 *  have called it and all puts are complete. Another rank may still wait in a barrier, or for a
 *  counter whose ranks have all begun to free the segment. Then its wait returns
 *  SUMMAND_ERR_REMOTE, and that rank must free the segment too. Free segments before MPI_Finalize;
 *  afterwards this call is local.
 *  Errors: SUMMAND_ERR_TIMEOUT, _REMOTE, those of the transport. The memory is freed even then. */
SUMMAND_API int summand_segment_free(summand_segment **segment);

/** This rank's memory. Local.
 *  @param address [out] of the first byte
 *  @param bytes [out] size of the memory; or NULL
 *  @param transport [out] name of the transport, such as "shm"; or NULL
 *  Errors: SUMMAND_ERR_ARGUMENT. */
SUMMAND_API int summand_segment_memory(const summand_segment *segment, void **address,
                                       MPI_Count *bytes, const char **transport);

/** The address of another rank's memory in this process: over "shm", ranks of one node read and
 *  write it without a copy. Local; valid until the segment is freed. It is aligned to a cache line.
 *  Call summand_notify after stores, and summand_notify_wait before loads: then they are ordered as
 *  puts are.
 *  @param rank any rank, including this one
 *  @param address [out] NULL: the ranks share no memory, or this segment is not over "shm"
 *  Errors: MPI_ERR_RANK, SUMMAND_ERR_ARGUMENT. */
SUMMAND_API int summand_segment_address(const summand_segment *segment, int rank, void **address);

/** Reserves ids for one part of a program, so that several parts can share a segment. Collective,
 *  while the communicator exists. All ranks get the same ids, whose counters are 0.
 *  @param count (all) of ids, at least 1
 *  @param first [out] the ids are first .. first + count - 1
 *  Errors: SUMMAND_ERR_ARGUMENT (on all ranks: no free range of this length), _MISMATCH, _TIMEOUT.
 *  An error on one rank is an error on all ranks (_REMOTE). */
SUMMAND_API int summand_notify_range(int count, int *first, summand_segment *segment);

/** Releases a range of ids. Collective, while the communicator exists; blocks until all puts are
 *  complete (a fence), so the next user of the ids sees no earlier count.
 *  @param first (all) first id of a reserved range
 *  Errors: as for summand_notify_range. */
SUMMAND_API int summand_notify_range_free(int first, summand_segment *segment);

/** Writes into the target's segment. Local.
 *  @param origin [in] the data, which must not change before summand_queue_wait returns
 *  @param bytes size of the data, at least 0
 *  @param target any rank, including this one
 *  @param displacement bytes from the beginning of the target's segment
 *  @param queue number of the queue, from 0
 *  Returns SUMMAND_QUEUE_FULL if `depth` puts of this queue are in flight.
 *  Errors: MPI_ERR_RANK, MPI_ERR_RMA_RANGE, SUMMAND_ERR_ARGUMENT, _MEMORY, those of the
 *  transport. */
SUMMAND_API int summand_put(const void *origin, MPI_Count bytes, int target, MPI_Count displacement,
                            int queue, summand_segment *segment);

/** The same, then adds to a counter of the target. The counter grows after these data, and those of
 *  all earlier puts of this rank to the target, have arrived. Local.
 *  @param id of the counter, in a reserved range
 *  @param add number to add; 0: the counter does not change
 *  Errors: those of summand_put; SUMMAND_ERR_ARGUMENT if no range holds the id, or if this rank has
 *  then added more than 2^64 - 1 to this counter of the target. */
SUMMAND_API int summand_put_notify(const void *origin, MPI_Count bytes, int target,
                                   MPI_Count displacement, int id, uint64_t add, int queue,
                                   summand_segment *segment);

/** summand_put_notify without data and queue. Local. Errors: MPI_ERR_RANK, SUMMAND_ERR_ARGUMENT,
 *  those of the transport. */
SUMMAND_API int summand_notify(int target, int id, uint64_t add, summand_segment *segment);

/** Waits until a counter of this rank reaches `value`. Local.
 *  @param source rank whose additions count; MPI_ANY_SOURCE: those of all ranks together
 *  @param id in a reserved range
 *  @param timeout seconds, see SUMMAND_TIMEOUT_FOREVER
 *  Returns SUMMAND_NOTIFY_NOT_YET after the timeout.
 *  Errors: MPI_ERR_RANK, SUMMAND_ERR_ARGUMENT, _TIMEOUT, _REMOTE (the source has ended or frees
 *  the segment). */
SUMMAND_API int summand_notify_wait(int source, int id, uint64_t value, double timeout,
                                    summand_segment *segment);

/** Waits until one of several counters of this rank reaches its value; otherwise as
 *  summand_notify_wait. Local.
 *  @param first,count the ids first .. first + count - 1, of one range
 *  @param values [in] count values, one for each id
 *  @param which [out] index of the first counter that has reached its value, from 0; -1: none */
SUMMAND_API int summand_notify_wait_any(int source, int first, int count, const uint64_t *values,
                                        double timeout, int *which, summand_segment *segment);

/** Reads a counter of this rank, and does not wait. Local.
 *  @param source,id as for summand_notify_wait
 *  @param value [out] what `source`, or all ranks, have added so far; at most 2^64 - 1
 *  Errors: MPI_ERR_RANK, SUMMAND_ERR_ARGUMENT. */
SUMMAND_API int summand_notify_value(int source, int id, uint64_t *value, summand_segment *segment);

/** Waits until the source data of all puts in the queue may be overwritten (local completion: they
 *  may not have arrived yet). Local; may return SUMMAND_NOTIFY_NOT_YET.
 *  @param queue number of the queue, from 0
 *  @param timeout seconds, see SUMMAND_TIMEOUT_FOREVER
 *  Errors: SUMMAND_ERR_ARGUMENT, _TIMEOUT, those of the transport. */
SUMMAND_API int summand_queue_wait(int queue, double timeout, summand_segment *segment);

/** Waits until all ranks have called it. Collective. After SUMMAND_NOTIFY_NOT_YET or
 * SUMMAND_ERR_TIMEOUT the next call continues the same barrier.
 *  @param fence (all) 0: completes no puts. Not 0: when a rank leaves the barrier, all puts of all
 *         ranks before it are complete, and may be read at their targets
 *  @param timeout seconds, see SUMMAND_TIMEOUT_FOREVER
 *  Errors:
 *  - SUMMAND_ERR_ARGUMENT, _TIMEOUT
 *  - SUMMAND_ERR_REMOTE: a rank has ended or frees the segment
 *  - SUMMAND_ERR_MISMATCH, on all ranks: they differ in `fence`, or some are in
 *    summand_notify_range or summand_notify_range_free. Then the segment can only be freed. */
SUMMAND_API int summand_segment_barrier(int fence, double timeout, summand_segment *segment);

#ifdef __cplusplus
}
#endif
#endif
