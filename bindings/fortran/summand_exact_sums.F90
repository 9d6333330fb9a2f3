! SPDX-License-Identifier: BSD-3-Clause
! Exact accumulators of one number and of a vector, without MPI: the functions of summand/exact.h and exact_vector.h by
! their names. Arrays are x(*), so an array of any rank may be passed with its size: summand_exact_add(acc, n, x).
module summand_exact_sums
  use, intrinsic :: iso_c_binding
  implicit none
  public

  type, bind(C) :: summand_exact
    private
    integer(c_int32_t) :: flags = 0
    integer(c_int16_t) :: low = 0, high = 0
    integer(c_int64_t) :: limb(67) = 0
  end type
  ! What functions on vectors return.
  integer(c_int), parameter :: SUMMAND_EXACT_OK = 0, SUMMAND_EXACT_MEMORY = 1, SUMMAND_EXACT_INDEX = 2

  ! Bodies rather than procedure(NAME): gfortran 12 forgets `value` of the latter.
  interface
    subroutine summand_exact_add(acc, n, x) bind(C)
      import; type(summand_exact), intent(inout) :: acc; integer(c_size_t), value :: n; real(c_double), intent(in) :: x(*)
    end subroutine
    subroutine summand_exact_add_abs(acc, n, x) bind(C)
      import; type(summand_exact), intent(inout) :: acc; integer(c_size_t), value :: n; real(c_double), intent(in) :: x(*)
    end subroutine
    subroutine summand_exact_add_squares(acc, n, x) bind(C)
      import; type(summand_exact), intent(inout) :: acc; integer(c_size_t), value :: n; real(c_double), intent(in) :: x(*)
    end subroutine
    subroutine summand_exact_add_products(acc, n, x, y) bind(C)
      import; type(summand_exact), intent(inout) :: acc; integer(c_size_t), value :: n
      real(c_double), intent(in) :: x(*), y(*)
    end subroutine
    function summand_exact_round(acc) result(value) bind(C)
      import; type(summand_exact), intent(in) :: acc; real(c_double) :: value
    end function
    function summand_exact_sqrt(acc) result(value) bind(C)
      import; type(summand_exact), intent(in) :: acc; real(c_double) :: value
    end function
    subroutine summand_exact_add_f32(acc, n, x) bind(C)
      import; type(summand_exact), intent(inout) :: acc; integer(c_size_t), value :: n; real(c_float), intent(in) :: x(*)
    end subroutine
    subroutine summand_exact_add_abs_f32(acc, n, x) bind(C)
      import; type(summand_exact), intent(inout) :: acc; integer(c_size_t), value :: n; real(c_float), intent(in) :: x(*)
    end subroutine
    subroutine summand_exact_add_squares_f32(acc, n, x) bind(C)
      import; type(summand_exact), intent(inout) :: acc; integer(c_size_t), value :: n; real(c_float), intent(in) :: x(*)
    end subroutine
    subroutine summand_exact_add_products_f32(acc, n, x, y) bind(C)
      import; type(summand_exact), intent(inout) :: acc; integer(c_size_t), value :: n; real(c_float), intent(in) :: x(*), y(*)
    end subroutine
    function summand_exact_round_f32(acc) result(value) bind(C)
      import; type(summand_exact), intent(in) :: acc; real(c_float) :: value
    end function
    function summand_exact_sqrt_f32(acc) result(value) bind(C)
      import; type(summand_exact), intent(in) :: acc; real(c_float) :: value
    end function
    subroutine summand_exact_init(acc) bind(C)
      import; type(summand_exact), intent(out) :: acc
    end subroutine
    subroutine summand_exact_merge(acc, other) bind(C)
      import; type(summand_exact), intent(inout) :: acc; type(summand_exact), intent(in) :: other
    end subroutine
    subroutine summand_exact_negate(acc) bind(C)
      import; type(summand_exact), intent(inout) :: acc
    end subroutine
    function summand_exact_sum(n, x) result(value) bind(C)
      import; integer(c_size_t), value :: n; real(c_double), intent(in) :: x(*); real(c_double) :: value
    end function
    function summand_exact_dot(n, x, y) result(value) bind(C)
      import; integer(c_size_t), value :: n; real(c_double), intent(in) :: x(*), y(*); real(c_double) :: value
    end function

    ! Vectors are type(c_ptr); c_null_ptr from _new: out of memory.
    function summand_exact_vector_new(count) result(vector) bind(C)
      import; integer(c_size_t), value :: count; type(c_ptr) :: vector
    end function
    subroutine summand_exact_vector_free(vector) bind(C)
      import; type(c_ptr), intent(inout) :: vector
    end subroutine
    subroutine summand_exact_vector_clear(vector) bind(C)
      import; type(c_ptr), value :: vector
    end subroutine
    function summand_exact_vector_count(vector) result(count) bind(C)
      import; type(c_ptr), value :: vector; integer(c_size_t) :: count
    end function
    function summand_exact_vector_add(vector, rows, lead, x) result(status) bind(C)
      import; type(c_ptr), value :: vector; integer(c_size_t), value :: rows, lead; real(c_double), intent(in) :: x(*)
      integer(c_int) :: status
    end function
    function summand_exact_vector_add_f32(vector, rows, lead, x) result(status) bind(C)
      import; type(c_ptr), value :: vector; integer(c_size_t), value :: rows, lead; real(c_float), intent(in) :: x(*)
      integer(c_int) :: status
    end function
    function add_at_from_0(vector, n, index, x) result(status) bind(C, name='summand_exact_vector_add_at')
      import; type(c_ptr), value :: vector; integer(c_size_t), value :: n; integer(c_size_t), intent(in) :: index(*)
      real(c_double), intent(in) :: x(*); integer(c_int) :: status
    end function
    function summand_exact_vector_merge(vector, other) result(status) bind(C)
      import; type(c_ptr), value :: vector, other; integer(c_int) :: status
    end function
    function summand_exact_vector_round(vector, y) result(status) bind(C)
      import; type(c_ptr), value :: vector; real(c_double), intent(out) :: y(*); integer(c_int) :: status
    end function
    function summand_exact_vector_round_f32(vector, y) result(status) bind(C)
      import; type(c_ptr), value :: vector; real(c_float), intent(out) :: y(*); integer(c_int) :: status
    end function
  end interface
  private :: add_at_from_0

contains

  ! x(i) to sum index(i), which counts from 1.
  function summand_exact_vector_add_at(vector, index, x) result(status)
    type(c_ptr), intent(in) :: vector
    integer, intent(in) :: index(:)
    real(c_double), intent(in) :: x(:)
    integer(c_int) :: status
    status = SUMMAND_EXACT_INDEX
    if (size(index) == size(x)) &
        status = add_at_from_0(vector, size(x, kind=c_size_t), int(index, c_size_t) - 1_c_size_t, x)
  end function

end module
