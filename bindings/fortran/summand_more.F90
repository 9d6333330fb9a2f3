! SPDX-License-Identifier: BSD-3-Clause
! Outer products, gossip, and puts (summand/outer.h, gossip.h, notify.h): types, constants, and calls without a communicator;
! summand_call.inc has the others. Arrays are passed by address, c_loc(x) of a target.
! The rows of C's matrices are columns here: of a(N, K), b(M, K) and g(M, N) each column follows the one before.
#include "summand_mpi.inc"
module summand_more
  use, intrinsic :: iso_c_binding
  use summand_base
  implicit none
  private
  public :: summand_outer_matrix, summand_outer_options, summand_gossip_options, summand_gossip_report
  public :: summand_segment_free, summand_segment_memory, summand_notify_range, summand_put, summand_put_notify
  public :: summand_notify, summand_notify_wait, summand_queue_wait, summand_segment_barrier
  integer, parameter, public :: SUMMAND_OUTER_WHOLE = 0, SUMMAND_OUTER_ROWS = 1, SUMMAND_OUTER_BLOCKS = 2, &
      SUMMAND_OUTER_FACTORS = 3
  integer, parameter, public :: SUMMAND_NOTIFY_NOT_YET = -2, SUMMAND_QUEUE_FULL = -3
  real(c_double), parameter, public :: SUMMAND_TIMEOUT_FOREVER = -1

  type, bind(C) :: summand_outer_matrix
    integer(c_int64_t) :: rows = 0, columns = 0 ! N, M
    type(c_ptr) :: a = c_null_ptr
    integer(c_int64_t) :: lead_a = 0
    type(c_ptr) :: b = c_null_ptr
    integer(c_int64_t) :: lead_b = 0
    type(c_ptr) :: g = c_null_ptr
    integer(c_int64_t) :: lead_g = 0
    integer(c_int) :: symmetric = 0
    integer(c_int64_t) :: pairs = 0
    type(c_ptr) :: list_a = c_null_ptr, list_b = c_null_ptr, compressed = c_null_ptr
  end type
  type, bind(C) :: summand_outer_options
    type(c_ptr) :: algorithm = c_null_ptr
    integer(c_int) :: promise = SUMMAND_PROMISE_DEFAULT
    real(c_double) :: timeout = 0
    integer(c_int) :: result = SUMMAND_OUTER_WHOLE, grid_rows = 0, grid_columns = 0, replicated = 0
    type(options_of_c) :: inside
    integer(c_int64_t) :: room = 0
    type(c_funptr) :: finished = c_null_funptr, tile = c_null_funptr
    type(c_ptr) :: context = c_null_ptr
  end type
  type, bind(C) :: summand_gossip_options
    type(c_ptr) :: algorithm = c_null_ptr
    integer(c_int) :: promise = SUMMAND_PROMISE_DEFAULT
    real(c_double) :: timeout = 0
    integer(c_int) :: form = 0
    real(c_double) :: eps = 0
    integer(c_int) :: norm = 0, max_rounds = 0
    integer(c_int64_t) :: seed = 0
    type(c_ptr) :: topology = c_null_ptr
    integer(c_int) :: average = 0
    real(c_double) :: weight = 0, tau = 0
    type(c_ptr) :: faults = c_null_ptr
    type(c_funptr) :: watch = c_null_funptr
    type(c_ptr) :: context = c_null_ptr
  end type
  type, bind(C) :: summand_gossip_report
    integer(c_int) :: rounds = 0, converged = 0, rigorous = 0
    real(c_double) :: spread = 0
    integer(c_int64_t) :: messages = 0, bytes = 0, bad_messages = 0, bad_states = 0, repairs = 0, resets = 0
  end type

#define CODE integer(c_int) :: code
#define SEGMENT type(c_ptr), value :: segment
  interface
    ! These are C's: results are its codes, or outcomes; segments are type(c_ptr).
    function summand_segment_free(segment) result(code) bind(C)
      import; CODE; type(c_ptr), intent(inout) :: segment
    end function
    function summand_segment_memory(segment, address, bytes, transport) result(code) bind(C)
      import; CODE; SEGMENT
      type(c_ptr), intent(out) :: address; integer(c_int64_t), intent(out) :: bytes; type(c_ptr), intent(out) :: transport
    end function
    function summand_notify_range(count, first, segment) result(code) bind(C)
      import; CODE; SEGMENT
      integer(c_int), value :: count; integer(c_int), intent(out) :: first
    end function
    function summand_put(origin, bytes, target, displacement, queue, segment) result(code) bind(C)
      import; CODE; SEGMENT
      type(c_ptr), value :: origin; integer(c_int64_t), value :: bytes, displacement; integer(c_int), value :: target, queue
    end function
    function summand_put_notify(origin, bytes, target, displacement, id, add, queue, segment) result(code) bind(C)
      import; CODE; SEGMENT
      type(c_ptr), value :: origin; integer(c_int64_t), value :: bytes, displacement, add
      integer(c_int), value :: target, id, queue
    end function
    function summand_notify(target, id, add, segment) result(code) bind(C)
      import; CODE; SEGMENT
      integer(c_int), value :: target, id; integer(c_int64_t), value :: add
    end function
    function summand_notify_wait(source, id, value, timeout, segment) result(code) bind(C)
      import; CODE; SEGMENT
      integer(c_int), value :: source, id; integer(c_int64_t), value :: value; real(c_double), value :: timeout
    end function
    function summand_queue_wait(queue, timeout, segment) result(code) bind(C)
      import; CODE; SEGMENT
      integer(c_int), value :: queue; real(c_double), value :: timeout
    end function
    function summand_segment_barrier(fence, timeout, segment) result(code) bind(C)
      import; CODE; SEGMENT
      integer(c_int), value :: fence; real(c_double), value :: timeout
    end function
  end interface
#undef CODE
#undef SEGMENT
end module
