! SPDX-License-Identifier: BSD-3-Clause
! The first sum, from Fortran: make fortran && mpirun -np 3 ./fortran
! Prints on 3 ranks: 3.0 3.0 3.0
program fortran
  use mpi_f08
  use summand
  implicit none
  real(8) :: x(3) = [1d16, 1d0, -1d16], total
  call MPI_Init()
  call summand_sum(x, total, MPI_COMM_WORLD) ! exact: on any number of ranks the same bits
  print '(f3.1)', total                      ! the number of ranks; a plain loop gives 0
  call MPI_Finalize()
end program
