! SPDX-License-Identifier: BSD-3-Clause
! What all modules of the binding share: constants, options, plans, and handles as C has them.
!
! Fortran 2018 over ISO_C_BINDING. Users write `use summand`. summand_mpi.inc says which MPI the library was built with:
! C's handles are integers in MPICH, and addresses in Open MPI.
#include "summand_mpi.inc"
module summand_base
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit
  use mpi, only: place_of_mpi => MPI_IN_PLACE
#ifdef SUMMAND_MPI_F08
  use mpi_f08, only: MPI_Comm, MPI_Datatype, MPI_Op, place_of_mpi_f08 => MPI_IN_PLACE
#endif
  implicit none
  public

  ! The values of summand/options.h, sum.h and error.h.
  integer, parameter :: SUMMAND_ROOT_ALL = -1
  integer, parameter :: SUMMAND_PROMISE_DEFAULT = 0, SUMMAND_PROMISE_NONE = 1, SUMMAND_PROMISE_SAME = 2, &
      SUMMAND_PROMISE_RANK_ORDER = 3, SUMMAND_PROMISE_CANONICAL = 4, SUMMAND_PROMISE_INDEX = 5, SUMMAND_PROMISE_EXACT = 6
  integer, parameter :: SUMMAND_CHECKED_DEFAULT = 0, SUMMAND_CHECKED_OFF = 1, SUMMAND_CHECKED_DETECT = 2, &
      SUMMAND_CHECKED_CORRECT = 3
  integer, parameter :: SUMMAND_KIND_SUM = 0, SUMMAND_KIND_ASUM = 1, SUMMAND_KIND_DOT = 2, SUMMAND_KIND_NRM2 = 3, &
      SUMMAND_KIND_DOT_CONJUGATED = 4
  integer, parameter :: SUMMAND_ERR_NONE = 0, SUMMAND_ERR_MEMORY = 1, SUMMAND_ERR_DATATYPE = 2, &
      SUMMAND_ERR_DISTRIBUTION = 3, SUMMAND_ERR_ARGUMENT = 4, SUMMAND_ERR_BUSY = 5, SUMMAND_ERR_ENVIRONMENT = 6, &
      SUMMAND_ERR_ALGORITHM = 7, SUMMAND_ERR_MISMATCH = 8, SUMMAND_ERR_NOT_FINITE = 9, SUMMAND_ERR_REMOTE = 10, &
      SUMMAND_ERR_TIMEOUT = 11, SUMMAND_ERR_NOT_STARTED = 12, SUMMAND_ERR_DAMAGED = 13, SUMMAND_ERR_FILE = 14, &
      SUMMAND_ERR_COMMUNICATORS = 15, SUMMAND_ERR_NOT_CONVERGED = 16
  integer(c_int64_t), parameter :: SUMMAND_DISPLACEMENT_APPEND = -2147483647_c_int64_t

  ! Options of a call, as in summand/options.h: summand_options(promise=SUMMAND_PROMISE_INDEX).
  type :: summand_options
    character(len=63) :: algorithm = ''
    integer :: promise = SUMMAND_PROMISE_DEFAULT
    real(c_double) :: timeout = 0
    integer(c_int64_t) :: segment = 0
    integer :: radix = 0, node_size = 0, leaders = 0, radix_between = 0, check = SUMMAND_CHECKED_DEFAULT
  end type
  type, bind(C) :: options_of_c
    type(c_ptr) :: algorithm = c_null_ptr
    integer(c_int) :: promise = 0
    real(c_double) :: timeout = 0
    integer(c_int64_t) :: segment = 0
    integer(c_int) :: radix = 0, node_size = 0, leaders = 0, radix_between = 0, check = 0
  end type
  ! The options while a call runs: pass() below fills it.
  type :: passed_options
    type(options_of_c) :: c
    character(kind=c_char, len=64) :: algorithm
  end type

  ! A plan (summand/plan.h). An array of plans is an array of C's.
  type, bind(C) :: summand_plan
    type(c_ptr) :: c = c_null_ptr
  end type

  ! Handles of Fortran, which are integers, or type(MPI_Comm)%MPI_VAL and the like, as C's.
#ifdef SUMMAND_HANDLES_ARE_ADDRESSES
#define AS_C(f2c, handle) f2c(int(handle, c_int))
  abstract interface
    function from_fortran(f) result(c) bind(C)
      import :: c_int, c_ptr; integer(c_int), value :: f; type(c_ptr) :: c
    end function
  end interface
  procedure(from_fortran), bind(C, name='MPI_Comm_f2c') :: comm_f2c
  procedure(from_fortran), bind(C, name='MPI_Type_f2c') :: type_f2c
  procedure(from_fortran), bind(C, name='MPI_Op_f2c') :: op_f2c
#else
#define AS_C(f2c, handle) int(handle, c_int)
#endif
  interface
    ! A library of another MPI does not have this name (summand/mpi.h).
    subroutine guard() bind(C, name=SUMMAND_GUARD)
    end subroutine
    function c_strlen(text) result(length) bind(C, name='strlen')
      import :: c_ptr, c_size_t; type(c_ptr), value :: text; integer(c_size_t) :: length
    end function
  end interface

contains

  function c_comm(comm) result(c)
    integer, intent(in) :: comm
    SUMMAND_HANDLE :: c
    call guard()
    c = AS_C(comm_f2c, comm)
  end function

  function c_type(datatype) result(c)
    integer, intent(in) :: datatype
    SUMMAND_HANDLE :: c
    c = AS_C(type_f2c, datatype)
  end function

  function c_op(op) result(c)
    integer, intent(in) :: op
    SUMMAND_HANDLE :: c
    c = AS_C(op_f2c, op)
  end function

  ! The address of a buffer, or that of C's MPI_IN_PLACE for Fortran's, which lies elsewhere. Buffers have any type and
  ! rank, by the directives with which MPI's own module takes them.
  function c_buffer(buffer) result(address)
    !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
    !DIR$ IGNORE_TKR buffer
    !$PRAGMA IGNORE_TKR buffer
    !IBM* IGNORE_TKR buffer
    real, intent(in), target :: buffer(*)
    type(c_ptr) :: address
    address = c_loc(buffer)
    if (is_in_place(address)) address = c_in_place()
  end function

  function is_in_place(address) result(is)
    type(c_ptr), intent(in) :: address
    logical :: is
    is = c_associated(address, address_of(place_of_mpi))
#ifdef SUMMAND_MPI_F08
    is = is .or. c_associated(address, address_of(place_of_mpi_f08))
#endif
  end function

  function address_of(buffer) result(address)
    !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
    !DIR$ IGNORE_TKR buffer
    !$PRAGMA IGNORE_TKR buffer
    !IBM* IGNORE_TKR buffer
    real, intent(in), target :: buffer(*)
    type(c_ptr) :: address
    address = c_loc(buffer)
  end function

  function c_in_place() result(address)
    type(c_ptr) :: address
#ifdef SUMMAND_HANDLES_ARE_ADDRESSES
    address = transfer(1_c_intptr_t, c_null_ptr)
#else
    address = transfer(-1_c_intptr_t, c_null_ptr)
#endif
  end function

  ! The address of options for C, which may read them until `place` ends; C's NULL without options.
  function pass(options, place) result(address)
    type(summand_options), intent(in), optional :: options
    type(passed_options), intent(inout), target :: place
    type(c_ptr) :: address
    address = c_null_ptr
    if (.not. present(options)) return
    place%algorithm = trim(options%algorithm)//c_null_char
    place%c%algorithm = c_null_ptr
    if (options%algorithm /= '') place%c%algorithm = c_loc(place%algorithm)
    place%c%promise = int(options%promise, c_int)
    place%c%timeout = options%timeout
    place%c%segment = options%segment
    place%c%radix = int(options%radix, c_int)
    place%c%node_size = int(options%node_size, c_int)
    place%c%leaders = int(options%leaders, c_int)
    place%c%radix_between = int(options%radix_between, c_int)
    place%c%check = int(options%check, c_int)
    address = c_loc(place%c)
  end function

  pure function root_of(root) result(c)
    integer, intent(in), optional :: root
    integer(c_int) :: c
    c = SUMMAND_ROOT_ALL
    if (present(root)) c = int(root, c_int)
  end function

  subroutine give(code, ierror)
    integer(c_int), intent(in) :: code
    integer, intent(out), optional :: ierror
    if (present(ierror)) ierror = code
  end subroutine

  ! C's text as Fortran's.
  function text_of(address) result(text)
    type(c_ptr), intent(in) :: address
    character(len=:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)
    integer :: i
    text = ''
    if (.not. c_associated(address)) return
    call c_f_pointer(address, letters, [c_strlen(address)])
    text = repeat(' ', size(letters))
    do i = 1, size(letters)
      text(i:i) = letters(i)
    end do
  end function

end module
