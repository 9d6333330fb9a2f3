/* Block-cyclic matrices: m x n elements in blocks over a grid of processes.
 *
 * Block (I, J) of a matrix lies with process (I mod P, J mod Q) of a P x Q grid, which may be any
 * ranks of a communicator in any order. Each process stores its rows and columns as a local array
 * by columns, `lead` elements from one column to the next: ScaLAPACK's layout with source process
 * (0, 0), so its descriptor needs no copy. Two matrices on one communicator may have any grids,
 * groups and blocks: equal, overlapping, disjoint. A rank outside a matrix's group takes part in
 * collective calls with nothing.
 *
 * Collective calls are collective over the communicator that the matrix was made on, whatever its
 * group; the others say local. Arguments marked (all) must agree on all ranks, matrices too: those
 * that were made by the same call are the same. All ranks agree before anything moves (plan/agree):
 * what is wrong on one rank, and lack of memory, is an error on every rank, and ranks that differ
 * get SUMMAND_ERR_MISMATCH, whose text says what differs where. A matrix that is NULL has no
 * communicator to agree on: that is SUMMAND_ERR_ARGUMENT on this rank alone, unless the call has
 * another matrix.
 *
 * Source: Dongarra, van de Geijn, Walker (1994), the distribution; Schmidtobreick (2017), matrices
 * of which each lies with a group of processes of its own. */
#ifndef SUMMAND_MATRIX_H
#define SUMMAND_MATRIX_H

#include <mpi.h>
#include <summand/error.h>
#include <summand/plan.h>
#include <summand/version.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct summand_matrix summand_matrix;

/** How a matrix is distributed. */
typedef struct summand_matrix_shape {
    MPI_Count rows, columns;             /**< (all) m and n, 0 included; 2^62 at most */
    MPI_Count block_rows, block_columns; /**< (all) of a block, at least 1 */
    int grid_rows, grid_columns;         /**< (all) P and Q, at least 1 */
    const int *group; /**< (all) P * Q different ranks of the communicator: process (p, q) is rank
                           group[p * Q + q]; NULL: ranks 0, 1, ... in this order */
} summand_matrix_shape;

/** Rows and columns of a rank's local array, 0 x 0 outside the group: for memory of the caller's.
 *  Local, and needs no MPI for a good shape. Cost: O(P Q).
 *  @param shape [in] with a group of ranks that are all there
 *  @return MPI_SUCCESS, or SUMMAND_ERR_ARGUMENT for a shape that cannot be */
SUMMAND_API int summand_matrix_extent(const summand_matrix_shape *shape, int rank, MPI_Count *rows,
                                      MPI_Count *columns);

/** Makes a matrix. Collective.
 *  @param shape [in] what it points to may be freed afterwards
 *  @param datatype (all) MPI_DOUBLE or MPI_FLOAT, of an element
 *  @param data this rank's local array, the caller's, which must outlive the matrix and its plans;
 *         or NULL: the library's, all zeros. Ranks may differ. Ignored outside the group
 *  @param lead elements from one column of `data` to the next, at least the local rows and at least
 *         1; 0 with NULL
 *  @param comm an intra-communicator
 *  @param matrix [out] NULL after an error */
SUMMAND_API int summand_matrix_create(const summand_matrix_shape *shape, MPI_Datatype datatype,
                                      void *data, MPI_Count lead, MPI_Comm comm,
                                      summand_matrix **matrix);

/** Frees a matrix and sets it to NULL. Local. Plans of it keep what they need. */
SUMMAND_API int summand_matrix_free(summand_matrix **matrix);

/** This rank's local array. Local. Any of the pointers may be NULL.
 *  @param data [out] element (i, j) of the local array is number i + j * lead; NULL where there are
 *         no elements
 *  @param rows [out] of the local array, 0 outside the group; and its columns */
SUMMAND_API int summand_matrix_local(const summand_matrix *matrix, void **data, MPI_Count *lead,
                                     MPI_Count *rows, MPI_Count *columns);

/** Where element (row, column) lies: with which rank, and where in its local array. Local; any rank
 *  may ask. Cost: O(1). */
SUMMAND_API int summand_matrix_owner(const summand_matrix *matrix, MPI_Count row, MPI_Count column,
                                     int *rank, MPI_Count *local_row, MPI_Count *local_column);
/** Which element lies at a place of this rank's local array. Local. */
SUMMAND_API int summand_matrix_index(const summand_matrix *matrix, MPI_Count local_row,
                                     MPI_Count local_column, MPI_Count *row, MPI_Count *column);

/** Sets this rank's elements to a function of their global indices, rounded to the matrix's type.
 *  Local, but a matrix is filled where all ranks do so.
 *  @param value [in] called once for each local element, column by column
 *  @param context handed to it */
SUMMAND_API int summand_matrix_fill(summand_matrix *matrix,
                                    double (*value)(MPI_Count row, MPI_Count column, void *context),
                                    void *context);

/** Reads a rectangle of elements, wherever they lie, over any transport and from memory of any
 * kind; summand_matrix_fetch needs no other rank. Collective: each rank asks for what it wants, or
 * for nothing; rectangles may overlap.
 *  @param row first row and, next, column of this rank's rectangle
 *  @param rows of the rectangle, and its columns; either may be 0: nothing is asked for
 *  @param block [out] the rectangle by columns, `lead` elements from one to the next
 *  Cost: an exchange of 32 bytes per rank, then one message for each pair of ranks that have
 *  something in common. */
SUMMAND_API int summand_matrix_get(const summand_matrix *matrix, MPI_Count row, MPI_Count column,
                                   MPI_Count rows, MPI_Count columns, void *block, MPI_Count lead);
/** Writes a rectangle of elements; the rest of summand_matrix_get.
 *  @param block [in] what becomes the rectangle. Rectangles of different ranks that overlap are
 *         SUMMAND_ERR_ARGUMENT on all ranks, and nothing is written */
SUMMAND_API int summand_matrix_set(summand_matrix *matrix, MPI_Count row, MPI_Count column,
                                   MPI_Count rows, MPI_Count columns, const void *block,
                                   MPI_Count lead);

/** Exposes a matrix: from now on any rank reads and writes elements while their owners do something
 *  else. Collective. The elements move into memory that the ranks share, or else into a window of
 *  the MPI: so summand_matrix_local tells another address afterwards. All other calls work as
 *  before. Exposing it again does nothing.
 *  @param matrix (all) with memory of the library's, and no plans
 *  Errors: MPI_ERR_UNSUPPORTED_OPERATION on all ranks where neither can be had, as under SimGrid.
 * Messages do not serve here: an owner that calls nothing would have to answer them. Use
 * summand_matrix_get and _set then, which all ranks call.
 *  Free the matrix when the last access of all ranks is over (a barrier tells). */
SUMMAND_API int summand_matrix_expose(summand_matrix *matrix);

/** Reads a rectangle of elements of an exposed matrix, wherever they lie. Local: no other rank
 * takes part. Over shared memory, and over windows that the MPI serves by hardware or shared
 * memory, it ends whatever the owners do. An MPI that serves windows by messages (MPICH 4.0,
 * Open MPI 4.1 between nodes without RDMA) needs the owner to call the MPI some time. Sees what was
 * stored by calls that ended before this one began, and what owners wrote before they said so (by a
 * message, a barrier or a notification). Elements that another rank writes meanwhile are undefined;
 * others are not touched.
 *  @param row,column first of the rectangle
 *  @param rows,columns of it; either may be 0
 *  @param block [out] the rectangle by columns, `lead` elements from one to the next
 *  Cost: an access for each run of rows of one block in one column. */
SUMMAND_API int summand_matrix_fetch(const summand_matrix *matrix, MPI_Count row, MPI_Count column,
                                     MPI_Count rows, MPI_Count columns, void *block,
                                     MPI_Count lead);
/** Writes a rectangle of elements of an exposed matrix; the rest of summand_matrix_fetch. When it
 *  returns they are where they belong; their owners may read them once they know (by a message, a
 *  barrier or a notification). Two ranks must not store the same elements at a time.
 *  @param block [in] may be changed afterwards */
SUMMAND_API int summand_matrix_store(summand_matrix *matrix, MPI_Count row, MPI_Count column,
                                     MPI_Count rows, MPI_Count columns, const void *block,
                                     MPI_Count lead);

/** Copies all elements of a matrix to one of another distribution. Collective.
 *  @param from [in] (all)
 *  @param to [out] (all) another matrix of the same size and type on the same communicator, whose
 *         memory overlaps the other's nowhere. What lies between its columns stays as it is
 *  Cost: messages between each pair of ranks that have something in common, of 64 KiB or more, at
 *  most 64; each element is copied twice besides, at most. Packed messages take 256 KiB of memory
 *  for each rank that this one exchanges elements with, or 1 MiB in all, or a sixteenth of its
 *  elements, whichever is the most. Making the plan takes time and some 300 bytes per rectangle
 *  that is copied in one piece. A call makes a plan and frees it: a copy that is repeated had
 *  better be a plan. */
SUMMAND_API int summand_matrix_copy(const summand_matrix *from, summand_matrix *to);
/** The same as a plan, to be started any number of times; see summand_plan_start. Between start and
 *  completion both matrices' memory belongs to the plan. Several may be active at once.
 *  @param plan [out] */
SUMMAND_API int summand_matrix_copy_init(const summand_matrix *from, summand_matrix *to,
                                         summand_plan **plan);

/** The transpose: element (i, j) of `from` becomes (j, i) of `to`, which is n x m; the rest of
 *  summand_matrix_copy. */
SUMMAND_API int summand_matrix_transpose(const summand_matrix *from, summand_matrix *to);
SUMMAND_API int summand_matrix_transpose_init(const summand_matrix *from, summand_matrix *to,
                                              summand_plan **plan);

/** Which norm. */
enum summand_norm {
    SUMMAND_NORM_FROBENIUS, /**< root of the exact sum of squares, correctly rounded */
    SUMMAND_NORM_MAX,       /**< largest absolute value */
    SUMMAND_NORM_ONE,       /**< largest sum of absolute values of a column */
    SUMMAND_NORM_INFINITY   /**< largest sum of absolute values of a row */
};

/** A norm, on every rank. Collective. All are correctly rounded, without overflow or underflow on
 *  the way, so the bits depend on the elements alone. A NaN anywhere makes it the canonical quiet
 *  NaN. Of no elements it is +0.0.
 *  @param norm (all)
 *  @param result [out] one element of the matrix's type
 *  Cost: Frobenius one all-reduce of one accumulator, some 30 bytes; max 8 bytes per rank; one and
 *  infinity an all-reduce for each 256 columns or rows. */
SUMMAND_API int summand_matrix_norm(const summand_matrix *matrix, enum summand_norm norm,
                                    void *result);

/** Formats of files. Numbers lie as doubles or floats, which must be the matrix's type. */
enum summand_matrix_format {
    SUMMAND_NPY,   /**< NumPy's, version 1 to 3, two dimensions, either byte order. Reads C and
                        Fortran order; writes Fortran order */
    SUMMAND_NPY_C, /**< the same; writes C order */
    SUMMAND_RAW_COLUMNS, /**< the elements alone, by columns, in the machine's byte order */
    SUMMAND_RAW_ROWS     /**< the same by rows */
};

/** Reads a matrix from a file: each rank its own elements, so all must see the file. Collective.
 *  After an error elements may be undefined.
 *  @param path (all)
 *  @param format (all)
 *  A file that is not of the format, of another size or type, or short is SUMMAND_ERR_FILE, one
 * that cannot be opened or read MPI's error of that (MPI_ERR_NO_SUCH_FILE, MPI_ERR_ACCESS,
 * MPI_ERR_IO
 *  ...); others get SUMMAND_ERR_REMOTE. */
SUMMAND_API int summand_matrix_read(summand_matrix *matrix, const char *path,
                                    enum summand_matrix_format format);
/** Writes a matrix to a file, whole or not at all: what is there stays until all elements of all
 *  ranks are on the disk. Each rank writes its own, so all must see the folder. Collective.
 *  @param path (all) of a regular file, or of none yet
 *  @param format (all)
 *  Until then the file is called ".summand-" and 16 random digits in the same folder; it is left
 *  there where rank group[0] is killed. */
SUMMAND_API int summand_matrix_write(const summand_matrix *matrix, const char *path,
                                     enum summand_matrix_format format);

/** ScaLAPACK's descriptor of the matrix: DTYPE, CTXT, M, N, MB, NB, RSRC, CSRC, LLD. Local. The
 *  local array is used as it lies (summand_matrix_local).
 *  @param context [in] the BLACS context of the same grid and ranks; -1 outside of it
 *  @param descriptor [out] SUMMAND_ERR_ARGUMENT where a number is beyond an int */
SUMMAND_API int summand_matrix_scalapack(const summand_matrix *matrix, int context,
                                         int descriptor[9]);

#ifdef __cplusplus
}
#endif
#endif
