! SPDX-License-Identifier: BSD-3-Clause
! The global sums of an ocean model, exact: each cell counts once, where the mask says so, on any number of ranks. A model
! replaces the bodies of its own functions; their callers stay as they are: make glob_sum && mpirun -np 3 ./glob_sum
! Prints on 3 ranks: 13.50 18.00
module global_sums
  use mpi
  use summand
  implicit none
  integer, parameter :: wp = kind(1d0)
  logical, allocatable :: interior(:, :) ! neither halo nor land, nor a cell that another rank has too
  interface glob_sum
    module procedure glob_sum_2d, glob_sum_3d
  end interface
contains
  real(wp) function glob_sum_2d(name, field)
    character(len=*), intent(in) :: name ! of the caller, which the model may print
    real(wp), intent(in), target :: field(:, :)
    real(wp) :: total(1)
    call summand_sums([summand_term(field, mask=interior)], total, MPI_COMM_WORLD)
    glob_sum_2d = total(1)
  end function
  real(wp) function glob_sum_3d(name, field)
    character(len=*), intent(in) :: name
    real(wp), intent(in), target :: field(:, :, :)
    real(wp) :: total(1)
    call summand_sums([summand_term(field, mask=spread(interior, 3, size(field, 3)))], total, MPI_COMM_WORLD)
    glob_sum_3d = total(1)
  end function
  ! Many fields, or the levels of one, by one all-reduce; with the areas of the cells: sums of field x area.
  function glob_sum_vec(name, fields, areas) result(totals)
    character(len=*), intent(in) :: name
    real(wp), intent(in), target :: fields(:, :, :)
    real(wp), intent(in), target, optional :: areas(:, :)
    real(wp) :: totals(size(fields, 3))
    call summand_sums(fields, totals, MPI_COMM_WORLD, weights=areas, mask=interior)
  end function
end module
program ocean
  use global_sums
  implicit none
  real(wp) :: field(4, 4, 2), totals(2)
  integer :: rank, code
  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  allocate (interior(4, 4))
  interior = .false.
  interior(2:3, 2:3) = .true.
  field = 1e300_wp ! halos
  field(2:3, 2:3, 1) = reshape([1e20_wp, 0.5_wp, 0.25_wp, -1e20_wp], [2, 2]) * merge(1, -1, mod(rank, 2) == 0)
  field(2:3, 2:3, 2) = 1
  totals = glob_sum_vec('example', field, areas=spread([1, 2, 1, 2] * 1._wp, 2, 4))
  totals(1) = glob_sum('example', field(:, :, 1)) + glob_sum('example', field)
  if (rank == 0) print '(f5.2, 1x, f5.2)', totals
  call MPI_Finalize(code)
end program
