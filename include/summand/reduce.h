/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions of vectors across ranks, and the collectives that they are made of.
 *
 * Each call has the arguments and the meaning of the MPI call of the same name (MPI 4.0, chapter
 * 6). They stand in MPI's order, followed by `options`, which may be NULL. A call takes
 * - any root, any count (0 too) and MPI_IN_PLACE;
 * - any datatype, with gaps and lower bounds of either sign; gaps stay untouched;
 * - predefined and user operators; one that does not commute takes its operands in rank order.
 *
 * Names ending in _c take counts of MPI_Count (and displacements of MPI_Aint). Names with _init
 * make a plan for the same arguments (summand/plan.h). Keep the buffers until the plan is freed.
 * Keep a user's operator too: MPI cannot duplicate it. Datatypes may be freed once the plan is
 * made; it has duplicates, and a user's operator is called with these.
 *
 * Bits. The calls without an operator keep promises up to SUMMAND_PROMISE_CANONICAL. Reductions
 * keep SUMMAND_PROMISE_EXACT for MPI_SUM of floats, doubles, complex numbers of them and numbers of
 * 16 bits (summand/datatype.h), and for operators that do not round: extremes, logical and bit
 * operators, sums and products of integers. Then each element is the exact sum over the ranks,
 * rounded once to nearest even, with the special values of summand/exact.h. Other operators and
 * datatypes refuse it (SUMMAND_ERR_ARGUMENT). The default is SUMMAND_PROMISE_SAME: all ranks that
 * get the result get the same bits. They may change with the number of ranks and, unless the
 * options ask for SUMMAND_PROMISE_CANONICAL, with the count, the root and the algorithm. Predefined
 * operators on named types of C, on Fortran's of the same sizes, and on numbers of 16 bits do not
 * depend on the MPI, the instruction set or the rounding mode:
 * - integers wrap around;
 * - each sum or product of two numbers of 16 bits is rounded once;
 * - a NaN that results from combining operands is the canonical quiet NaN;
 * - MIN and MAX are those of IEEE 754-2019: a NaN wins, -0 is below +0;
 * - MINLOC and MAXLOC give the least index of equal values.
 * The MPI combines other operators and datatypes; these results are rounded in the caller's mode.
 *
 * All calls are collective over an intra-communicator; an inter-communicator is MPI_ERR_COMM. The
 * arguments that must agree on all ranks are those of MPI, and the options but for `timeout`.
 *
 * Blocking calls cache the last 8 plans and their memory per communicator. A call with the sizes
 * and options of one of these builds and allocates nothing, except for datatypes whose extent is
 * smaller than their true extent, or larger by 1 GiB or more, and for exact sums.
 *
 * Exact sums of vectors send 8 bytes per lane and element: 1 lane if the numbers of a block of 256
 * span at most 62 - log2(ranks) bits, else more, and a half lane for a short rest; doubles of
 * similar size take 1.5. A repeated call is one short message and one all-reduce of lanes; up to
 * 256 numbers are one message, but two in a scan. See docs/exact_vectors.md.
 *
 * Memory. Up to a small multiple of the vector for blocks in flight. In memory that the ranks of a
 * node share, up to 132 KiB (260 KiB among up to 8 ranks) for each ordered pair of them that
 * exchanges messages, on each communicator. Buffers are copied if consecutive elements overlap or
 * lie 1 GiB or more apart. In bcast and allgather(v) they are also copied for datatypes with gaps,
 * and for blocks that do not follow one another.
 *
 * Operators and datatypes that the standard does not define together: the MPI decides. Each MPI
 * takes some pairs, such as MPI_SUM of MPI_CHAR, and returns MPI_ERR_OP for others. Of the logical
 * operators on floating types only MPI_LXOR on those of C is left to the MPI (MPICH takes it); the
 * others are always MPI_ERR_OP, because MPICH 4.0 takes them and aborts, or does nothing. Numbers
 * of 16 bits take MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX and user operators only.
 *
 * Errors. An error is raised on the rank whose arguments are wrong:
 * - MPI's classes for its own arguments: MPI_ERR_COUNT, _TYPE, _OP, _ROOT, _BUFFER, _COMM,
 *   _TRUNCATE.
 * - SUMMAND_ERR_ARGUMENT for displacements that are NULL or reach beyond memory, for options, and
 *   if the pointer to a plan is NULL; SUMMAND_ERR_ALGORITHM for options; SUMMAND_ERR_MEMORY.
 * - A datatype that is not committed is MPI_ERR_TYPE, also as recvtype (Open MPI takes it there).
 * - NULL is MPI_ERR_BUFFER if the call would read or write elements there. MPI_BOTTOM with a
 *   datatype of absolute addresses is allowed. MPI_IN_PLACE is MPI_ERR_BUFFER if MPI forbids it.
 * - If sendbuf and recvbuf are the same, or share a byte of datatypes without gaps, the error is
 *   MPI_ERR_BUFFER. MPI forbids it too; MPICH sees equal buffers, and Open MPI those of reduce and,
 *   with several elements, of allreduce.
 * - In bcast and allgather(v), elements of 2 GiB or more are MPI_ERR_TYPE in buffers that are
 *   copied (see Memory).
 *
 * What the other ranks get:
 * - From _init every rank returns an error, SUMMAND_ERR_REMOTE if its own arguments are right. No
 *   rank hangs.
 * - A blocking call sends nothing but the data. Ranks that wait for a rank with an error return
 *   SUMMAND_ERR_REMOTE. Ranks that need nothing from it may succeed. If arguments or options differ
 *   and each is right by itself, ranks may wait for ever, as in MPI, unless a timeout is set
 *   (summand/options.h).
 * - With SUMMAND_CHECK=on in the environment every blocking call first agrees, as _init always
 *   does, by an MPI_Iallreduce; active plans progress meanwhile. Then all ranks return an error and
 *   none waits. If ranks differ, it is SUMMAND_ERR_MISMATCH, and MPI_Error_string says in what:
 *   "count: 1000 on rank 0, 500 on ranks 1-3". If another rank has an error of its own, it is
 *   SUMMAND_ERR_REMOTE, and the text says which rank and what.
 *
 * The agreement compares the call, counts, type signatures, operators, root, options, and the
 * choices that follow from them. User operators that commute alike count as equal. MPI_BYTE and
 * MPI_PACKED match any datatype, MPI_INT matches MPI_INT32_T, and MPI_IN_PLACE may differ. */
#ifndef SUMMAND_REDUCE_H
#define SUMMAND_REDUCE_H

#include <summand/error.h>
#include <summand/options.h>
#include <summand/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/** MPI_Reduce. Ranks other than the root may pass anything as recvbuf. */
SUMMAND_API int summand_reduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype,
                               MPI_Op op, int root, MPI_Comm comm, const summand_options *options);
SUMMAND_API int summand_reduce_init(const void *sendbuf, void *recvbuf, int count,
                                    MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm,
                                    const summand_options *options, summand_plan **plan);
SUMMAND_API int summand_reduce_c(const void *sendbuf, void *recvbuf, MPI_Count count,
                                 MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm,
                                 const summand_options *options);
SUMMAND_API int summand_reduce_init_c(const void *sendbuf, void *recvbuf, MPI_Count count,
                                      MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm,
                                      const summand_options *options, summand_plan **plan);

/** MPI_Allreduce. */
SUMMAND_API int summand_allreduce(const void *sendbuf, void *recvbuf, int count,
                                  MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                  const summand_options *options);
SUMMAND_API int summand_allreduce_init(const void *sendbuf, void *recvbuf, int count,
                                       MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                       const summand_options *options, summand_plan **plan);
SUMMAND_API int summand_allreduce_c(const void *sendbuf, void *recvbuf, MPI_Count count,
                                    MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                    const summand_options *options);
SUMMAND_API int summand_allreduce_init_c(const void *sendbuf, void *recvbuf, MPI_Count count,
                                         MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                         const summand_options *options, summand_plan **plan);

/** MPI_Scan: rank r gets the combination of the operands of ranks 0 to r, in rank order if the
 *  operator does not commute. Every rank has a result of its own, so SUMMAND_PROMISE_SAME promises
 *  nothing of it. The other promises are those of summand_allreduce over ranks 0 to r alone: with
 *  SUMMAND_PROMISE_CANONICAL or above rank r gets the bits that this call gives there. */
SUMMAND_API int summand_scan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype,
                             MPI_Op op, MPI_Comm comm, const summand_options *options);
SUMMAND_API int summand_scan_init(const void *sendbuf, void *recvbuf, int count,
                                  MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                  const summand_options *options, summand_plan **plan);
SUMMAND_API int summand_scan_c(const void *sendbuf, void *recvbuf, MPI_Count count,
                               MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                               const summand_options *options);
SUMMAND_API int summand_scan_init_c(const void *sendbuf, void *recvbuf, MPI_Count count,
                                    MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                    const summand_options *options, summand_plan **plan);

/** MPI_Exscan: the same of the operands of ranks 0 to r - 1. Rank 0 gets no result: its recvbuf
 *  stays as it is, and may be anything unless sendbuf is MPI_IN_PLACE. */
SUMMAND_API int summand_exscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype,
                               MPI_Op op, MPI_Comm comm, const summand_options *options);
SUMMAND_API int summand_exscan_init(const void *sendbuf, void *recvbuf, int count,
                                    MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                    const summand_options *options, summand_plan **plan);
SUMMAND_API int summand_exscan_c(const void *sendbuf, void *recvbuf, MPI_Count count,
                                 MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                 const summand_options *options);
SUMMAND_API int summand_exscan_init_c(const void *sendbuf, void *recvbuf, MPI_Count count,
                                      MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                      const summand_options *options, summand_plan **plan);

/** MPI_Bcast. Ranks may describe the same bytes by different datatypes and counts. */
SUMMAND_API int summand_bcast(void *buffer, int count, MPI_Datatype datatype, int root,
                              MPI_Comm comm, const summand_options *options);
SUMMAND_API int summand_bcast_init(void *buffer, int count, MPI_Datatype datatype, int root,
                                   MPI_Comm comm, const summand_options *options,
                                   summand_plan **plan);
SUMMAND_API int summand_bcast_c(void *buffer, MPI_Count count, MPI_Datatype datatype, int root,
                                MPI_Comm comm, const summand_options *options);
SUMMAND_API int summand_bcast_init_c(void *buffer, MPI_Count count, MPI_Datatype datatype, int root,
                                     MPI_Comm comm, const summand_options *options,
                                     summand_plan **plan);

/** MPI_Reduce_scatter_block. */
SUMMAND_API int summand_reduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount,
                                             MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                             const summand_options *options);
SUMMAND_API int summand_reduce_scatter_block_init(const void *sendbuf, void *recvbuf, int recvcount,
                                                  MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                                  const summand_options *options,
                                                  summand_plan **plan);
SUMMAND_API int summand_reduce_scatter_block_c(const void *sendbuf, void *recvbuf,
                                               MPI_Count recvcount, MPI_Datatype datatype,
                                               MPI_Op op, MPI_Comm comm,
                                               const summand_options *options);
SUMMAND_API int summand_reduce_scatter_block_init_c(const void *sendbuf, void *recvbuf,
                                                    MPI_Count recvcount, MPI_Datatype datatype,
                                                    MPI_Op op, MPI_Comm comm,
                                                    const summand_options *options,
                                                    summand_plan **plan);

/** MPI_Reduce_scatter. */
SUMMAND_API int summand_reduce_scatter(const void *sendbuf, void *recvbuf, const int recvcounts[],
                                       MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                       const summand_options *options);
SUMMAND_API int summand_reduce_scatter_init(const void *sendbuf, void *recvbuf,
                                            const int recvcounts[], MPI_Datatype datatype,
                                            MPI_Op op, MPI_Comm comm,
                                            const summand_options *options, summand_plan **plan);
SUMMAND_API int summand_reduce_scatter_c(const void *sendbuf, void *recvbuf,
                                         const MPI_Count recvcounts[], MPI_Datatype datatype,
                                         MPI_Op op, MPI_Comm comm, const summand_options *options);
SUMMAND_API int summand_reduce_scatter_init_c(const void *sendbuf, void *recvbuf,
                                              const MPI_Count recvcounts[], MPI_Datatype datatype,
                                              MPI_Op op, MPI_Comm comm,
                                              const summand_options *options, summand_plan **plan);

/** MPI_Allgather. */
SUMMAND_API int summand_allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                  void *recvbuf, int recvcount, MPI_Datatype recvtype,
                                  MPI_Comm comm, const summand_options *options);
SUMMAND_API int summand_allgather_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                       void *recvbuf, int recvcount, MPI_Datatype recvtype,
                                       MPI_Comm comm, const summand_options *options,
                                       summand_plan **plan);
SUMMAND_API int summand_allgather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                    void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                                    MPI_Comm comm, const summand_options *options);
SUMMAND_API int summand_allgather_init_c(const void *sendbuf, MPI_Count sendcount,
                                         MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
                                         MPI_Datatype recvtype, MPI_Comm comm,
                                         const summand_options *options, summand_plan **plan);

/** MPI_Allgatherv. */
SUMMAND_API int summand_allgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                   void *recvbuf, const int recvcounts[], const int displs[],
                                   MPI_Datatype recvtype, MPI_Comm comm,
                                   const summand_options *options);
SUMMAND_API int summand_allgatherv_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                        void *recvbuf, const int recvcounts[], const int displs[],
                                        MPI_Datatype recvtype, MPI_Comm comm,
                                        const summand_options *options, summand_plan **plan);
SUMMAND_API int summand_allgatherv_c(const void *sendbuf, MPI_Count sendcount,
                                     MPI_Datatype sendtype, void *recvbuf,
                                     const MPI_Count recvcounts[], const MPI_Aint displs[],
                                     MPI_Datatype recvtype, MPI_Comm comm,
                                     const summand_options *options);
SUMMAND_API int summand_allgatherv_init_c(const void *sendbuf, MPI_Count sendcount,
                                          MPI_Datatype sendtype, void *recvbuf,
                                          const MPI_Count recvcounts[], const MPI_Aint displs[],
                                          MPI_Datatype recvtype, MPI_Comm comm,
                                          const summand_options *options, summand_plan **plan);

#ifdef __cplusplus
}
#endif
#endif
