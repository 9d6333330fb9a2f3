! SPDX-License-Identifier: BSD-3-Clause
! Block-cyclic matrices and their products (summand/matrix.h, gemm.h). Rows and columns count from 1; ranks from 0.
#include "summand_mpi.inc"
module summand_matrices
  use, intrinsic :: iso_c_binding
  use mpi, only: MPI_Type_size
  use summand_base
  implicit none
  private
  public :: summand_matrix, summand_matrix_shape, summand_gemm_options, summand_matrix_create, summand_matrix_free, &
      summand_matrix_local, summand_matrix_owner, summand_matrix_index, summand_matrix_get, summand_matrix_set, &
      summand_matrix_copy, summand_matrix_transpose, summand_matrix_norm, summand_matrix_read, summand_matrix_write, &
      summand_gemm, summand_gemm_init, SUMMAND_TRANSPOSE_NO, SUMMAND_TRANSPOSE_YES, SUMMAND_NORM_FROBENIUS, &
      SUMMAND_NORM_MAX, SUMMAND_NORM_ONE, SUMMAND_NORM_INFINITY, SUMMAND_FORMAT_NPY, SUMMAND_FORMAT_NPY_C, &
      SUMMAND_FORMAT_RAW_COLUMNS, SUMMAND_FORMAT_RAW_ROWS, SUMMAND_ACTIVATION_IDENTITY, SUMMAND_ACTIVATION_SIGMOID, &
      SUMMAND_ACTIVATION_TANH, SUMMAND_ACTIVATION_RELU

  integer, parameter :: SUMMAND_TRANSPOSE_NO = 0, SUMMAND_TRANSPOSE_YES = 1
  integer, parameter :: SUMMAND_NORM_FROBENIUS = 0, SUMMAND_NORM_MAX = 1, SUMMAND_NORM_ONE = 2, SUMMAND_NORM_INFINITY = 3
  integer, parameter :: SUMMAND_FORMAT_NPY = 0, SUMMAND_FORMAT_NPY_C = 1, SUMMAND_FORMAT_RAW_COLUMNS = 2, &
      SUMMAND_FORMAT_RAW_ROWS = 3
  integer, parameter :: SUMMAND_ACTIVATION_IDENTITY = 0, SUMMAND_ACTIVATION_SIGMOID = 1, SUMMAND_ACTIVATION_TANH = 2, &
      SUMMAND_ACTIVATION_RELU = 3

  type, bind(C) :: matrix_of_c
    type(c_ptr) :: c = c_null_ptr
  end type
  type :: summand_matrix
    private
    type(matrix_of_c) :: c
    integer :: bits = 0 ! of an element
  end type
  ! Without a group: ranks 0, 1, ...
  type :: summand_matrix_shape
    integer(c_int64_t) :: rows = 0, columns = 0, block_rows = 1, block_columns = 1
    integer :: grid_rows = 1, grid_columns = 1
    integer, allocatable :: group(:)
  end type
  type, bind(C) :: shape_of_c
    integer(c_int64_t) :: rows, columns, block_rows, block_columns
    integer(c_int) :: grid_rows, grid_columns
    type(c_ptr) :: group
  end type
  ! As in C; biases are addresses (c_loc) of this rank's numbers.
  type, bind(C) :: summand_gemm_options
    type(c_ptr) :: algorithm = c_null_ptr
    integer(c_int) :: promise = SUMMAND_PROMISE_DEFAULT
    real(c_double) :: timeout = 0
    integer(c_int) :: no_help = 0
    integer(c_int64_t) :: panel = 0, memory = 0
    type(c_ptr) :: row_bias = c_null_ptr, column_bias = c_null_ptr
    integer(c_int) :: activation = SUMMAND_ACTIVATION_IDENTITY
    type(c_funptr) :: finish = c_null_funptr
    type(c_ptr) :: context = c_null_ptr
  end type

  abstract interface
    function of_two(from, to) result(code) bind(C)
      import; type(matrix_of_c), value :: from, to; integer(c_int) :: code
    end function
    function of_block(matrix, row, column, rows, columns, block, lead) result(code) bind(C)
      import; type(matrix_of_c), value :: matrix; integer(c_int64_t), value :: row, column, rows, columns, lead
      type(c_ptr), value :: block; integer(c_int) :: code
    end function
    function of_file(matrix, path, format) result(code) bind(C)
      import; type(matrix_of_c), value :: matrix; character(kind=c_char), intent(in) :: path(*)
      integer(c_int), value :: format; integer(c_int) :: code
    end function
  end interface
  procedure(of_two), bind(C, name='summand_matrix_copy') :: c_copy
  procedure(of_two), bind(C, name='summand_matrix_transpose') :: c_transpose
  procedure(of_block), bind(C, name='summand_matrix_get') :: c_get
  procedure(of_block), bind(C, name='summand_matrix_set') :: c_set
  procedure(of_file), bind(C, name='summand_matrix_read') :: c_read
  procedure(of_file), bind(C, name='summand_matrix_write') :: c_write
  interface
    function c_create(shape, datatype, data, lead, comm, matrix) result(code) bind(C, name='summand_matrix_create')
      import; type(shape_of_c), intent(in) :: shape; SUMMAND_HANDLE, value :: datatype, comm
      type(c_ptr), value :: data; integer(c_int64_t), value :: lead; type(matrix_of_c), intent(out) :: matrix
      integer(c_int) :: code
    end function
    function c_free(matrix) result(code) bind(C, name='summand_matrix_free')
      import; type(matrix_of_c), intent(inout) :: matrix; integer(c_int) :: code
    end function
    function c_local(matrix, data, lead, rows, columns) result(code) bind(C, name='summand_matrix_local')
      import; type(matrix_of_c), value :: matrix; type(c_ptr), intent(out) :: data
      integer(c_int64_t), intent(out) :: lead, rows, columns; integer(c_int) :: code
    end function
    function c_owner(matrix, row, column, rank, local_row, local_column) result(code) bind(C, name='summand_matrix_owner')
      import; type(matrix_of_c), value :: matrix; integer(c_int64_t), value :: row, column
      integer(c_int), intent(out) :: rank; integer(c_int64_t), intent(out) :: local_row, local_column; integer(c_int) :: code
    end function
    function c_index(matrix, local_row, local_column, row, column) result(code) bind(C, name='summand_matrix_index')
      import; type(matrix_of_c), value :: matrix; integer(c_int64_t), value :: local_row, local_column
      integer(c_int64_t), intent(out) :: row, column; integer(c_int) :: code
    end function
    function c_norm(matrix, norm, result) result(code) bind(C, name='summand_matrix_norm')
      import; type(matrix_of_c), value :: matrix; integer(c_int), value :: norm; type(c_ptr), value :: result
      integer(c_int) :: code
    end function
    function c_gemm(trans_a, trans_b, alpha, a, b, beta, c, options) result(code) bind(C, name='summand_gemm')
      import; integer(c_int), value :: trans_a, trans_b; real(c_double), value :: alpha, beta
      type(matrix_of_c), value :: a, b, c; type(c_ptr), value :: options; integer(c_int) :: code
    end function
    function c_gemm_init(trans_a, trans_b, alpha, a, b, beta, c, options, plan) result(code) &
        bind(C, name='summand_gemm_init')
      import; integer(c_int), value :: trans_a, trans_b; real(c_double), value :: alpha, beta
      type(matrix_of_c), value :: a, b, c; type(c_ptr), value :: options; type(summand_plan), intent(out) :: plan
      integer(c_int) :: code
    end function
  end interface
  interface summand_matrix_create
    module procedure create
#ifdef SUMMAND_MPI_F08
    module procedure create_f08
#endif
  end interface
  interface summand_matrix_local
    module procedure local_real32, local_real64
  end interface
  interface summand_matrix_get
    module procedure get_real32, get_real64
  end interface
  interface summand_matrix_set
    module procedure set_real32, set_real64
  end interface
  interface summand_matrix_norm
    module procedure norm_real32, norm_real64
  end interface

contains

  ! The library allocates the elements, all zeros: summand_matrix_local.
  subroutine create(shape, datatype, comm, matrix, ierror)
    type(summand_matrix_shape), intent(in), target :: shape
    integer, intent(in) :: datatype, comm
    type(summand_matrix), intent(out) :: matrix
    integer, intent(out), optional :: ierror
    type(shape_of_c) :: c
    integer :: bytes, code
    c = shape_of_c(shape%rows, shape%columns, shape%block_rows, shape%block_columns, int(shape%grid_rows, c_int), &
        int(shape%grid_columns, c_int), c_null_ptr)
    if (allocated(shape%group)) c%group = c_loc(shape%group)
    call give(c_create(c, c_type(datatype), c_null_ptr, 0_c_int64_t, c_comm(comm), matrix%c), ierror)
    if (.not. c_associated(matrix%c%c)) return
    call MPI_Type_size(datatype, bytes, code)
    matrix%bits = 8 * bytes
  end subroutine

  ! The matrix, or none, which C refuses, if its elements are of another kind.
  function checked(matrix, bits) result(c)
    type(summand_matrix), intent(in) :: matrix
    integer, intent(in) :: bits
    type(matrix_of_c) :: c
    if (matrix%bits == bits .or. .not. c_associated(matrix%c%c)) then
      c = matrix%c
    else
      write (error_unit, '(2(a, i0))') 'summand: numbers of bits: ', bits, ', for a matrix of numbers of bits: ', matrix%bits
    end if
  end function

#ifdef SUMMAND_MPI_F08
  subroutine create_f08(shape, datatype, comm, matrix, ierror)
    type(summand_matrix_shape), intent(in) :: shape
    type(MPI_Datatype), intent(in) :: datatype
    type(MPI_Comm), intent(in) :: comm
    type(summand_matrix), intent(out) :: matrix
    integer, intent(out), optional :: ierror
    call create(shape, datatype%MPI_VAL, comm%MPI_VAL, matrix, ierror)
  end subroutine
#endif

  subroutine summand_matrix_free(matrix, ierror)
    type(summand_matrix), intent(inout) :: matrix
    integer, intent(out), optional :: ierror
    call give(c_free(matrix%c), ierror)
  end subroutine

  subroutine summand_matrix_owner(matrix, row, column, rank, local_row, local_column, ierror)
    type(summand_matrix), intent(in) :: matrix
    integer(c_int64_t), intent(in) :: row, column
    integer, intent(out) :: rank
    integer(c_int64_t), intent(out) :: local_row, local_column
    integer, intent(out), optional :: ierror
    call give(c_owner(matrix%c, row - 1, column - 1, rank, local_row, local_column), ierror)
    local_row = local_row + 1
    local_column = local_column + 1
  end subroutine

  subroutine summand_matrix_index(matrix, local_row, local_column, row, column, ierror)
    type(summand_matrix), intent(in) :: matrix
    integer(c_int64_t), intent(in) :: local_row, local_column
    integer(c_int64_t), intent(out) :: row, column
    integer, intent(out), optional :: ierror
    call give(c_index(matrix%c, local_row - 1, local_column - 1, row, column), ierror)
    row = row + 1
    column = column + 1
  end subroutine

  subroutine summand_matrix_copy(from, to, ierror)
    type(summand_matrix), intent(in) :: from, to
    integer, intent(out), optional :: ierror
    call give(c_copy(from%c, to%c), ierror)
  end subroutine

  subroutine summand_matrix_transpose(from, to, ierror)
    type(summand_matrix), intent(in) :: from, to
    integer, intent(out), optional :: ierror
    call give(c_transpose(from%c, to%c), ierror)
  end subroutine

  subroutine summand_matrix_read(matrix, path, format, ierror)
    type(summand_matrix), intent(in) :: matrix
    character(len=*), intent(in) :: path
    integer, intent(in) :: format
    integer, intent(out), optional :: ierror
    call give(c_read(matrix%c, trim(path)//c_null_char, format), ierror)
  end subroutine

  subroutine summand_matrix_write(matrix, path, format, ierror)
    type(summand_matrix), intent(in) :: matrix
    character(len=*), intent(in) :: path
    integer, intent(in) :: format
    integer, intent(out), optional :: ierror
    call give(c_write(matrix%c, trim(path)//c_null_char, format), ierror)
  end subroutine

  subroutine summand_gemm(trans_a, trans_b, alpha, a, b, beta, c, options, ierror)
    integer, intent(in) :: trans_a, trans_b
    real(c_double), intent(in) :: alpha, beta
    type(summand_matrix), intent(in) :: a, b, c
    type(summand_gemm_options), intent(in), target, optional :: options
    integer, intent(out), optional :: ierror
    type(c_ptr) :: o
    o = c_null_ptr
    if (present(options)) o = c_loc(options)
    call give(c_gemm(trans_a, trans_b, alpha, a%c, b%c, beta, c%c, o), ierror)
  end subroutine

  subroutine summand_gemm_init(trans_a, trans_b, alpha, a, b, beta, c, plan, options, ierror)
    integer, intent(in) :: trans_a, trans_b
    real(c_double), intent(in) :: alpha, beta
    type(summand_matrix), intent(in) :: a, b, c
    type(summand_plan), intent(out) :: plan
    type(summand_gemm_options), intent(in), target, optional :: options
    integer, intent(out), optional :: ierror
    type(c_ptr) :: o
    o = c_null_ptr
    if (present(options)) o = c_loc(options)
    call give(c_gemm_init(trans_a, trans_b, alpha, a%c, b%c, beta, c%c, o, plan), ierror)
  end subroutine

#define KIND c_float
#define LOCAL_PART local_real32
#define GET_PART get_real32
#define SET_PART set_real32
#define NORM_PART norm_real32
#include "summand_part.inc"
#define KIND c_double
#define LOCAL_PART local_real64
#define GET_PART get_real64
#define SET_PART set_real64
#define NORM_PART norm_real64
#include "summand_part.inc"

end module
