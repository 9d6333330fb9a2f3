! SPDX-License-Identifier: BSD-3-Clause
! Sums from Fortran, by ISO_C_BINDING and the two C functions of fortran_calls.c.
! Prints on 3 ranks: 3 0.59999999999999998
program fortran
  use, intrinsic :: iso_c_binding, only: c_double, c_int, c_long_long
  use mpi
  implicit none
  interface
    integer(c_int) function fortran_sum(x, total, count, datatype, comm) bind(c)
      import :: c_double, c_int, c_long_long
      real(c_double), intent(in) :: x(*)
      real(c_double), intent(out) :: total
      integer(c_long_long), value :: count
      integer(c_int), value :: datatype, comm
    end function
    integer(c_int) function fortran_allreduce(in, out, count, datatype, op, promise, comm) bind(c)
      import :: c_double, c_int
      real(c_double), intent(in) :: in(*)
      real(c_double), intent(out) :: out(*)
      integer(c_int), value :: count, datatype, op, promise, comm
    end function
  end interface
  integer(c_int), parameter :: promise_exact = 6 ! SUMMAND_PROMISE_EXACT
  real(c_double) :: x(3) = [1e16_c_double, 1.0_c_double, -1e16_c_double]
  real(c_double) :: tenths(3) = [0.1_c_double, 0.2_c_double, 0.3_c_double]
  real(c_double) :: total, sums(1)
  integer :: rank, code
  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  code = fortran_sum(x, total, 3_c_long_long, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD)
  if (code == MPI_SUCCESS) code = fortran_allreduce(tenths(1 + mod(rank, 3):), sums, 1, &
      MPI_DOUBLE_PRECISION, MPI_SUM, promise_exact, MPI_COMM_WORLD)
  if (code /= MPI_SUCCESS) call MPI_Abort(MPI_COMM_WORLD, 1, code)
  if (rank == 0) print '(i0, 1x, f19.17)', nint(total), sums(1)
  call MPI_Finalize(code)
end program
