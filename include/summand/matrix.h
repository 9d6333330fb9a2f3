/* SPDX-License-Identifier: BSD-3-Clause */
/* Block-cyclic matrices: m x n elements in blocks over a grid of processes.
 *
 * Process (I mod P, J mod Q) of a P x Q grid holds block (I, J). The processes are any ranks of a
 * communicator, in any order. Each process stores its rows and columns as a local array in column
 * order, with leading dimension `lead`: ScaLAPACK's layout with source process (0, 0), so its
 * descriptor needs no copy. The grids, groups and blocks of several matrices on one communicator
 * are independent. A rank outside a matrix's group takes part in collective calls without data.
 *
 * Collective calls are collective over the matrix's communicator, not only over its group; other
 * calls say local. Arguments marked (all) must agree on all ranks. Matrices agree if the same call
 * made them. All ranks check this before any element moves. A wrong argument or lack of memory on
 * one rank is an error on every rank. Ranks that differ get SUMMAND_ERR_MISMATCH, whose text says
 * what differs where. A NULL matrix has no communicator to check on: it is SUMMAND_ERR_ARGUMENT on
 * this rank alone, raised on MPI_COMM_SELF, unless the call has another matrix; ranks that wait for
 * this rank in the call wait until their timeout. Rows and columns count from 0. Copies, rectangles
 * and files keep every bit of an element.
 *
 * Errors of every call: SUMMAND_ERR_ARGUMENT; of collective calls also _MISMATCH, _MEMORY, _TIMEOUT
 * and _REMOTE. The comment of a call names the others.
 *
 * Source: Dongarra, van de Geijn, Walker (1994): the distribution; Schmidtobreick (2017): matrices
 * on several groups of processes. */
#ifndef SUMMAND_MATRIX_H
#define SUMMAND_MATRIX_H

#include <summand/error.h>
#include <summand/mpi.h>
#include <summand/plan.h>
#include <summand/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A matrix: this rank's part of it, and how all of it is distributed. */
typedef struct summand_matrix summand_matrix;

/** How a matrix is distributed. */
typedef struct summand_matrix_shape {
    MPI_Count rows, columns;             /**< (all) m and n, 0 included; 2^62 at most */
    MPI_Count block_rows, block_columns; /**< (all) of a block, at least 1 */
    int grid_rows, grid_columns;         /**< (all) P and Q, at least 1 */
    const int *group; /**< (all) P * Q different ranks of the communicator: process (p, q) is rank
                           group[p * Q + q]; NULL: ranks 0, 1, ... in this order */
} summand_matrix_shape;

/** Rows and columns of a rank's local array, 0 x 0 outside the group; for callers that allocate it.
 *  Local; needs no MPI if the shape is valid.
 *  Cost: O(P Q).
 *  @param shape [in] its group must have valid ranks
 *  @param rank of the communicator
 *  @param rows,columns [out] of its local array
 *  @return MPI_SUCCESS, or SUMMAND_ERR_ARGUMENT for an invalid shape; raised on no communicator */
SUMMAND_API int summand_matrix_extent(const summand_matrix_shape *shape, int rank, MPI_Count *rows,
                                      MPI_Count *columns);

/** Makes a matrix. Collective.
 *  @param shape [in] copied
 *  @param datatype (all) of an element: MPI_DOUBLE, MPI_FLOAT or Fortran's name of one
 *  @param data [in,out] the caller's local array; keep it until the matrix and its plans are freed.
 *         NULL: the library allocates one, all zeros. Ranks may differ. Ignored outside the group
 *  @param lead leading dimension of `data`, at least the local rows and at least 1; 0 with NULL
 *  @param comm an intra-communicator
 *  @param matrix [out] NULL after an error
 *  Errors: SUMMAND_ERR_DATATYPE; MPI_ERR_COMM, MPI_ERR_TYPE, MPI_ERR_BUFFER (`data` NULL with a
 *  `lead`); those above */
SUMMAND_API int summand_matrix_create(const summand_matrix_shape *shape, MPI_Datatype datatype,
                                      void *data, MPI_Count lead, MPI_Comm comm,
                                      summand_matrix **matrix);

/** Frees a matrix and sets it to NULL. Local. The caller's plans of it remain valid. Plans that
 *  summand_gemm has cached are freed; this may take up to a second (summand_gemm_init). */
SUMMAND_API int summand_matrix_free(summand_matrix **matrix);

/** This rank's local array. Local. Any of the pointers may be NULL.
 *  @param data [out] element (i, j) of the local array is data[i + j * lead]; NULL without elements
 *  @param lead [out] leading dimension, in elements
 *  @param rows,columns [out] of the local array; 0 outside the group */
SUMMAND_API int summand_matrix_local(const summand_matrix *matrix, void **data, MPI_Count *lead,
                                     MPI_Count *rows, MPI_Count *columns);

/** The rank that holds element (row, column), and the place in its local array. Local, on any rank.
 *  @param row,column of the matrix
 *  @param rank [out] of the communicator
 *  @param local_row,local_column [out] in that rank's local array
 *  Cost: O(1). */
SUMMAND_API int summand_matrix_owner(const summand_matrix *matrix, MPI_Count row, MPI_Count column,
                                     int *rank, MPI_Count *local_row, MPI_Count *local_column);
/** The element at a place of this rank's local array. Local. Cost: O(1).
 *  @param local_row,local_column in the local array
 *  @param row,column [out] of the matrix */
SUMMAND_API int summand_matrix_index(const summand_matrix *matrix, MPI_Count local_row,
                                     MPI_Count local_column, MPI_Count *row, MPI_Count *column);

/** Sets this rank's elements to a function of their global indices, rounded to the matrix's type.
 *  Local: each rank fills its own elements.
 *  @param value [in] called once for each local element, column by column
 *  @param context passed to it */
SUMMAND_API int summand_matrix_fill(summand_matrix *matrix,
                                    double (*value)(MPI_Count row, MPI_Count column, void *context),
                                    void *context);

/** Reads a rectangle of elements, from any ranks, over any transport and from any memory.
 *  Collective: each rank asks for its own rectangle, which may be empty; rectangles may overlap.
 *  summand_matrix_fetch does the same without calls of other ranks.
 *  @param row,column first of this rank's rectangle
 *  @param rows,columns of the rectangle; either may be 0
 *  @param block [out] the rectangle in column order, with leading dimension `lead`
 *  Errors: MPI_ERR_COUNT, MPI_ERR_BUFFER; those above.
 *  Cost: an exchange of 32 bytes per rank, then one message for each pair of ranks with common
 *  elements. */
SUMMAND_API int summand_matrix_get(const summand_matrix *matrix, MPI_Count row, MPI_Count column,
                                   MPI_Count rows, MPI_Count columns, void *block, MPI_Count lead);
/** Writes a rectangle of elements; otherwise as summand_matrix_get.
 *  @param block [in] the elements. If rectangles of different ranks overlap, all ranks get
 *         SUMMAND_ERR_ARGUMENT, and nothing is written */
SUMMAND_API int summand_matrix_set(summand_matrix *matrix, MPI_Count row, MPI_Count column,
                                   MPI_Count rows, MPI_Count columns, const void *block,
                                   MPI_Count lead);

/** Exposes a matrix: afterwards any rank reads and writes its elements without its owners.
 *  Collective. The elements move into shared memory, or else into a window of the MPI, so
 *  summand_matrix_local returns another address afterwards. All other calls work as before. A
 *  second call does nothing. Products (summand/gemm.h) read and write an exposed matrix where it
 *  lies, if all ranks share memory.
 *  @param matrix (all) in memory that the library allocated. The caller must have no plans of it;
 *         plans that summand_gemm has cached are freed
 *  Errors: MPI_ERR_UNSUPPORTED_OPERATION on all ranks if neither is available, as under SimGrid.
 *  Then use summand_matrix_get and _set, which are collective.
 *  Free the matrix after the last access of all ranks, for instance after a barrier. */
SUMMAND_API int summand_matrix_expose(summand_matrix *matrix);

/** Reads a rectangle of elements of an exposed matrix, from any ranks. Local: no other rank takes
 *  part. Over shared memory, and over windows that the MPI serves by hardware or shared memory, it
 *  ends independently of the owners. An MPI that serves windows by messages (MPICH 4.0; Open MPI
 *  4.1 between nodes without RDMA) needs the owner to call the MPI from time to time. The call sees
 *  all stores that returned before it began. It also sees what an owner wrote before a message,
 *  barrier or notification to this rank. Elements that another rank writes at the same time are
 *  undefined.
 *  @param row,column first of the rectangle
 *  @param rows,columns of it; either may be 0
 *  @param block [out] the rectangle in column order, with leading dimension `lead`
 *  Errors: MPI_ERR_COUNT, MPI_ERR_BUFFER, SUMMAND_ERR_ARGUMENT (the matrix is not exposed, or the
 *  rectangle exceeds it), MPI_ERR_COMM after the communicator's end, those of the MPI's window.
 *  Cost: one access for each run of rows of one block in one column. */
SUMMAND_API int summand_matrix_fetch(const summand_matrix *matrix, MPI_Count row, MPI_Count column,
                                     MPI_Count rows, MPI_Count columns, void *block,
                                     MPI_Count lead);
/** Writes a rectangle of elements of an exposed matrix; otherwise as summand_matrix_fetch. The
 *  elements have arrived when it returns. Their owners may read them after a message, a barrier or
 *  a notification. Two ranks must not store the same elements at the same time.
 *  @param block [in] may be changed afterwards */
SUMMAND_API int summand_matrix_store(summand_matrix *matrix, MPI_Count row, MPI_Count column,
                                     MPI_Count rows, MPI_Count columns, const void *block,
                                     MPI_Count lead);

/** Copies all elements to a matrix of another distribution. Collective.
 *  @param from [in] (all)
 *  @param to [out] (all) another matrix of the same size and type on the same communicator, whose
 *         memory does not overlap the other's. Gaps between its columns are not touched
 *  Cost: at most 64 messages between each pair of ranks with common elements, of about 64 KiB or
 *  more if there are several, and at most two copies of each element.
 *  Memory: for packed messages the largest of 256 KiB for each partner, 1 MiB, and a sixteenth of
 *  this rank's elements; about 300 bytes for each rectangle that is copied in one piece.
 *  A call makes a plan and frees it. Make a plan yourself for repeated copies. */
SUMMAND_API int summand_matrix_copy(const summand_matrix *from, summand_matrix *to);
/** Makes a plan of summand_matrix_copy (summand/plan.h). Collective. Do not access the memory of
 *  either matrix between a start and its completion. Several plans may be active.
 *  @param plan [out] to be freed by summand_plan_free; NULL after an error */
SUMMAND_API int summand_matrix_copy_init(const summand_matrix *from, summand_matrix *to,
                                         summand_plan **plan);

/** Transposes: element (i, j) of `from` becomes (j, i) of `to`, which is n x m. Collective.
 *  Otherwise as summand_matrix_copy. */
SUMMAND_API int summand_matrix_transpose(const summand_matrix *from, summand_matrix *to);
/** Makes a plan of summand_matrix_transpose. Collective. Otherwise as summand_matrix_copy_init. */
SUMMAND_API int summand_matrix_transpose_init(const summand_matrix *from, summand_matrix *to,
                                              summand_plan **plan);

/** Norms of a matrix. */
enum summand_norm {
    SUMMAND_NORM_FROBENIUS = 0, /**< root of the exact sum of squares, correctly rounded */
    SUMMAND_NORM_MAX = 1,       /**< largest absolute value */
    SUMMAND_NORM_ONE = 2,       /**< largest sum of absolute values of a column */
    SUMMAND_NORM_INFINITY = 3   /**< largest sum of absolute values of a row */
};

/** A norm, on every rank. Collective. The result is correctly rounded, without intermediate
 *  overflow or underflow, so the bits depend on the elements alone. If an element is a NaN, the
 *  result is the canonical quiet NaN. Without elements it is +0.0.
 *  @param norm (all)
 *  @param result [out] one element of the matrix's type
 *  Errors: MPI_ERR_BUFFER (`result` NULL); those above.
 *  Cost: Frobenius: one all-reduce of an accumulator, about 30 bytes; max: an all-gather of 8
 *  bytes per rank; one and infinity: an all-reduce for each 256 columns or rows. */
SUMMAND_API int summand_matrix_norm(const summand_matrix *matrix, enum summand_norm norm,
                                    void *result);

/** Formats of files. Numbers in a file have the type of the matrix's elements. From a .npy file
 *  numbers of another type are read too, if the elements hold each of them exactly: into doubles
 *  f2, f4, i1, i2, i4, u1, u2, u4, b1, and i8 and u8 if no value is between doubles; into floats
 *  f2, i1, i2, u1, u2 and b1. */
enum summand_format {
    SUMMAND_FORMAT_NPY = 0, /**< NumPy's, version 1 to 3, two dimensions, either byte order. Reads C
                      and Fortran order; writes Fortran order */
    SUMMAND_FORMAT_NPY_C = 1, /**< the same; writes C order */
    SUMMAND_FORMAT_RAW_COLUMNS =
        2,                      /**< the elements alone, by columns, in the machine's byte order */
    SUMMAND_FORMAT_RAW_ROWS = 3 /**< the same by rows */
};

/** Reads a matrix from a file. Collective. Each rank reads a part, so all must see the file. After
 *  an error elements may be undefined.
 *  @param path (all) of the file
 *  @param format (all) of the file
 *  Errors:
 *  - SUMMAND_ERR_FILE: another format, size or type, a number that the elements cannot hold
 *    exactly, or the file is too short
 *  - MPI_ERR_NO_SUCH_FILE, MPI_ERR_ACCESS, MPI_ERR_IO and the like: it cannot be opened or read;
 *    then SUMMAND_ERR_REMOTE on the other ranks */
SUMMAND_API int summand_matrix_read(summand_matrix *matrix, const char *path,
                                    enum summand_format format);
/** Writes a matrix to a file. Collective. Each rank writes a part, so all must see the folder. An
 *  old file stays until all elements of all ranks are on the disk.
 *  @param path (all) of a regular file, or of none yet
 *  @param format (all) of the file
 *  Errors: SUMMAND_ERR_ARGUMENT (no path, or more bytes than a file can have), _MEMORY, _REMOTE;
 *  MPI's (MPI_ERR_NO_SPACE, MPI_ERR_ACCESS, MPI_ERR_READ_ONLY, MPI_ERR_IO, ...). After an error an
 *  old file is unchanged. Until the end the data are in a file of the same folder, whose name is
 *  ".summand-" and 16 random digits. That file stays if rank group[0] is killed. */
SUMMAND_API int summand_matrix_write(const summand_matrix *matrix, const char *path,
                                     enum summand_format format);

/** ScaLAPACK's descriptor of the matrix: DTYPE, CTXT, M, N, MB, NB, RSRC, CSRC, LLD. Local.
 *  ScaLAPACK uses the local array (summand_matrix_local) without a copy.
 *  @param context [in] the BLACS context of the same grid and ranks; -1 outside of it
 *  @param descriptor [out] nine numbers
 *  Errors: SUMMAND_ERR_ARGUMENT, also if a number does not fit into an int. */
SUMMAND_API int summand_matrix_scalapack(const summand_matrix *matrix, int context,
                                         int descriptor[9]);

#ifdef __cplusplus
}
#endif
#endif
