! SPDX-License-Identifier: BSD-3-Clause
! All of the module summand in one launch. With the argument `infnan` it gives shr_reprosum_calc a NaN, which must end it.
program test_fortran
  use, intrinsic :: ieee_arithmetic
  use mpi_f08
  use report
  use calls
  use summand_reprosum, only: shr_reprosum_calc
  use of_real32, only: real32_sums => sums_of_type
  use of_real64, only: real64_sums => sums_of_type
  use of_complex32, only: complex32_sums => sums_of_type
  use of_complex64, only: complex64_sums => sums_of_type
  implicit none
  type(MPI_Comm) :: comm
  integer :: me, ranks, all_wrong
  real(kind(1d0)) :: numbers(2, 1), sums(1)
  call MPI_Init
  call MPI_Comm_dup(MPI_COMM_WORLD, comm)
  call MPI_Comm_rank(comm, me)
  call MPI_Comm_size(comm, ranks)
  if (command_argument_count() > 0) then
    numbers = merge(ieee_value(1d0, ieee_quiet_nan), 1d0, me == ranks - 1)
    call shr_reprosum_calc(numbers, sums, 2, 2, 1)
    stop 0
  end if
  call real32_sums(comm)
  call real64_sums(comm)
  call complex32_sums(comm)
  call complex64_sums(comm)
  call lists(comm, me, ranks)
  call vectors(comm, me, ranks)
  call plans(comm, me, ranks)
  call accumulators(comm, ranks)
  call matrices(comm, me, ranks)
  call more(comm, me, ranks)
  call climate(comm, me, ranks)
  call errors(comm, me, ranks)
  call MPI_Allreduce(wrong, all_wrong, 1, MPI_INTEGER, MPI_SUM, comm)
  if (me == 0) print '(2(i0, a))', right, ' right on rank 0, wrong on all ranks: ', all_wrong
  call MPI_Comm_free(comm)
  call MPI_Finalize
  if (all_wrong > 0) stop 1
end program
