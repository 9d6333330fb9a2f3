/* Puts with notification: a rank writes into memory that another rank has exposed, and behind the
 * data a counter of that rank grows. The other rank posts nothing: it waits for its counter.
 *
 * A slot that is filled and emptied, with a counter each way: FULL counts what has come, FREE, the
 * other way, counts what may come again (credits).
 *
 *     enum { FULL, FREE, IDS };
 *     summand_segment_create(N * sizeof(double), IDS, NULL, comm, &segment);
 *     summand_notify_range(IDS, &first, segment);
 *     for (uint64_t k = 0; k < rounds; k++)
 *         if (rank == 0) {
 *             fill(block);
 *             summand_notify_wait(1, first + FREE, k, SUMMAND_FOREVER, segment);
 *             summand_put_notify(block, N * sizeof(double), 1, 0, first + FULL, 1, 0, segment);
 *             summand_queue_wait(0, SUMMAND_FOREVER, segment);
 *         } else if (rank == 1) {
 *             summand_notify_wait(0, first + FULL, k + 1, SUMMAND_FOREVER, segment);
 *             use(slot);
 *             summand_notify(0, first + FREE, 1, segment);
 *         }
 *     summand_segment_free(&segment);
 *
 * Here the slot (summand_segment_memory) is written only when rank 1 has released it, and
 * `block`, which the put may still read, only after summand_queue_wait.
 *
 * Promise. Counters have 64 bits and never go back. A rank that has seen a counter at a value,
 * by any call below, sees all data that the ranks that counted so far had put to it before they did
 * (release and acquire). Puts of one rank to another are not ordered otherwise.
 *
 * Outcomes. Each call returns MPI_SUCCESS, an error code, or, where it says so, one of enum
 * summand_outcome, which is no error. Errors are raised once on the communicator's error handler.
 * What finds its arguments wrong or no memory has done nothing.
 *
 * Time. A segment belongs to one thread at a time. Over memory that ranks share, and over the MPI's
 * one-sided calls, puts arrive whatever the target does. Over messages they move only while both
 * ends are in a call with this segment: a rank must not block elsewhere while others wait for it.
 *
 * Names follow the MPI Forum's discussion of notified communication; counters are those of
 * OpenSHMEM 1.5 (shmem_put_signal with SHMEM_SIGNAL_ADD); queues and ranges of ids are those of
 * GASPI (GASPI Forum 2017), without its reset of flags. */
#ifndef SUMMAND_NOTIFY_H
#define SUMMAND_NOTIFY_H

#include <mpi.h>
#include <stdint.h>
#include <summand/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Memory of all ranks of a communicator that they put into, and counters. */
typedef struct summand_segment summand_segment;

/** Returned in place of MPI_SUCCESS or an error code, and never raised. */
enum summand_outcome {
    SUMMAND_NOT_YET = -2,   /**< the time is over: call again */
    SUMMAND_QUEUE_FULL = -3 /**< nothing was put: wait for the queue, and call again */
};

/** Timeouts, in seconds. 0: looks once. Above 0: returns SUMMAND_NOT_YET once so much time has gone
 *  by, or a little later. SUMMAND_FOREVER, or anything below 0: waits; then SUMMAND_TIMEOUT makes
 * it an error (SUMMAND_ERR_TIMEOUT), after which one may wait again, and SUMMAND_STALL says where
 * this rank is stuck. */
#define SUMMAND_TEST 0.0
#define SUMMAND_FOREVER (-1.0)

/** What NULL stands for comes first. */
typedef struct summand_segment_options {
    int queues;            /**< 0: 1; at most 1024 */
    int depth;             /**< of each queue: 0: 1024; puts whose data may still be read */
    const char *transport; /**< (all) NULL: the best one; "shm", "rma", "p2p": docs/notify.md */
} summand_segment_options;

/** Makes a segment. Collective; blocks. What is marked (all) must agree on all ranks.
 *  @param bytes (all) of each rank, at least 0: zeros at first, on a cache line
 *  @param ids (all) counters of each rank, at least 0; each takes a cache line for every rank that
 *             counts it
 *  @param options [in] or NULL
 *  @param comm an intra-communicator
 *  @param segment [out] NULL after an error
 *  Errors: MPI's; SUMMAND_ERR_ARGUMENT, _MEMORY, _MISMATCH, _TIMEOUT;
 * MPI_ERR_UNSUPPORTED_OPERATION: this transport cannot be used here. An error on one rank is one on
 * all (_REMOTE). */
SUMMAND_API int summand_segment_create(MPI_Count bytes, int ids,
                                       const summand_segment_options *options, MPI_Comm comm,
                                       summand_segment **segment);

/** Frees it, and sets it to NULL; NULL is nothing. Collective; blocks until all ranks have come and
 *  all puts are complete. A rank that waits for a counter meanwhile whose ranks have all begun to
 *  free the segment, or in a barrier, gets SUMMAND_ERR_REMOTE, and frees it in turn. Memory is
 * freed also where the call returns an error. Segments are to be freed before MPI_Finalize;
 * afterwards this call is local. */
SUMMAND_API int summand_segment_free(summand_segment **segment);

/** This rank's memory. Local.
 *  @param address [out] of the first byte
 *  @param bytes [out] or NULL
 *  @param transport [out] or NULL: what carries puts, such as "shm" */
SUMMAND_API int summand_segment_memory(const summand_segment *segment, void **address,
                                       MPI_Count *bytes, const char **transport);

/** Another rank's memory, where it lies in the memory of this one: ranks of one node over "shm"
 * read and write it in place, without a copy. Local; valid until the segment is freed. Its first
 * byte is on a cache line. summand_notify behind stores, and summand_notify_wait before loads,
 * order them as they order puts; so two ranks share data by counters alone.
 *  @param rank perhaps this one
 *  @param address [out] NULL: the ranks share no memory, or this segment is not over "shm" */
SUMMAND_API int summand_segment_address(const summand_segment *segment, int rank, void **address);

/** Hands out ids that nobody else has: for a part of a program that shares the segment with others.
 *  Collective, while the communicator lives. All ranks get the same ids, whose counters are 0.
 *  @param count (all) of ids, at least 1
 *  @param first [out] the ids are first .. first + count - 1
 *  Errors: SUMMAND_ERR_ARGUMENT on all ranks: no so many ids lie together that are free;
 *  _MISMATCH, _TIMEOUT; an error on one rank is one on all (_REMOTE). */
SUMMAND_API int summand_notify_range(int count, int *first, summand_segment *segment);

/** Takes a range of ids back. Collective, while the communicator lives; blocks until all puts are
 * complete (a fence), so that nothing of this user is left for the next one.
 *  @param first (all) of a range that was handed out */
SUMMAND_API int summand_notify_range_free(int first, summand_segment *segment);

/** Writes into the target's segment. Local.
 *  @param origin [in] must not change before summand_queue_wait
 *  @param bytes at least 0
 *  @param target rank, perhaps this one
 *  @param displacement bytes from the beginning of the target's segment
 *  @param queue from 0 on
 *  Returns SUMMAND_QUEUE_FULL where `depth` puts of this queue are outstanding. Errors:
 * MPI_ERR_RANK, MPI_ERR_RMA_RANGE, SUMMAND_ERR_ARGUMENT, _MEMORY, those of the transport. */
SUMMAND_API int summand_put(const void *origin, MPI_Count bytes, int target, MPI_Count displacement,
                            int queue, summand_segment *segment);

/** The same; behind the data, and those of all earlier puts of this rank to the target, the
 * target's counter grows. Local.
 *  @param id of the counter, in a range that was handed out
 *  @param add so much; 0: it does not grow */
SUMMAND_API int summand_put_notify(const void *origin, MPI_Count bytes, int target,
                                   MPI_Count displacement, int id, uint64_t add, int queue,
                                   summand_segment *segment);

/** summand_put_notify without data and queue. Local. */
SUMMAND_API int summand_notify(int target, int id, uint64_t add, summand_segment *segment);

/** Waits until a counter of this rank has come to `value`. Local.
 *  @param source what this rank has added to it counts; MPI_ANY_SOURCE: what all have, together
 *  @param id in a range that was handed out
 *  @param timeout see SUMMAND_FOREVER; SUMMAND_NOT_YET
 *  Errors: MPI_ERR_RANK, SUMMAND_ERR_ARGUMENT, _TIMEOUT; _REMOTE: the rank waited for is gone, or
 *  frees the segment. */
SUMMAND_API int summand_notify_wait(int source, int id, uint64_t value, double timeout,
                                    summand_segment *segment);

/** Waits until one of several counters has come to its value. Local.
 *  @param first,count ids, of one range
 *  @param values [in] of each
 *  @param which [out] the first of them that has, from 0 on; -1: none */
SUMMAND_API int summand_notify_wait_any(int source, int first, int count, const uint64_t *values,
                                        double timeout, int *which, summand_segment *segment);

/** How far a counter of this rank has come. Local. */
SUMMAND_API int summand_notify_value(int source, int id, uint64_t *value, summand_segment *segment);

/** Waits until the data of all puts in the queue may be written again (local completion; at the
 *  target they may not be yet). Local, SUMMAND_NOT_YET. */
SUMMAND_API int summand_queue_wait(int queue, double timeout, summand_segment *segment);

/** Waits until all ranks have come. Collective. After SUMMAND_NOT_YET or SUMMAND_ERR_TIMEOUT the
 * next call goes on with the same barrier.
 *  @param fence (all) not 0: when a rank leaves it, all puts of all ranks before it are complete at
 *               their targets, and may be read there; 0: it completes nothing */
SUMMAND_API int summand_segment_barrier(int fence, double timeout, summand_segment *segment);

#ifdef __cplusplus
}
#endif
#endif
