! SPDX-License-Identifier: BSD-3-Clause
! A small model core: waves on a periodic grid in blocks with halos; mass and energy of all blocks in each step.
! `mpirun -np 3 ./model` prints the bits of both after 40 steps, the same on 1 to 8 ranks; those of a plain sum change.
! `mpirun -np 2 ./model cost` prints what the sums of a step cost beside plain ones.
! Prints on 3 ranks: mass 40C5180000000000 energy 40B525A3DB300A09
program model
  use mpi_f08
  use summand
  implicit none
  integer, parameter :: n(2) = [120, 90], steps = 40, r8 = kind(1d0)
  real(r8), parameter :: courant = 0.3_r8, pi = acos(-1._r8)
  real(r8), allocatable, target :: h(:, :), u(:, :), v(:, :) ! height and velocities, with a halo of one cell
  type(summand_term_real64) :: terms(4)
  real(r8) :: sums(4), plain(4), time(3), seconds(2)
  type(MPI_Comm) :: grid
  integer :: ranks, rank, blocks(2), place(2), first(2), last(2), i, j, step
  call MPI_Init()
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  blocks = 0
  call MPI_Dims_create(ranks, 2, blocks)
  call MPI_Cart_create(MPI_COMM_WORLD, 2, blocks, [.true., .true.], .true., grid)
  call MPI_Comm_rank(grid, rank)
  call MPI_Cart_coords(grid, rank, 2, place)
  first = n * place / blocks + 1
  last = n * (place + 1) / blocks
  allocate (h(first(1) - 1:last(1) + 1, first(2) - 1:last(2) + 1))
  allocate (u, v, mold=h)
  u = 0
  v = 0
  do concurrent (i = first(1):last(1), j = first(2):last(2))
    h(i, j) = 1 + 0.1_r8 * sin(2 * pi * i / n(1)) * cos(4 * pi * j / n(2))
  end do
  seconds = huge(seconds)
  do step = 1, steps
    call halo(h)
    call halo(u)
    call halo(v)
    u(:last(1), :) = u(:last(1), :) - courant * (h(first(1):, :) - h(:last(1), :))
    v(:, :last(2)) = v(:, :last(2)) - courant * (h(:, first(2):) - h(:, :last(2)))
    do concurrent (i = first(1):last(1), j = first(2):last(2))
      h(i, j) = h(i, j) - courant * ((u(i, j) - u(i - 1, j)) + (v(i, j) - v(i, j - 1)))
    end do
    associate (a => first(1), b => last(1), c => first(2), d => last(2))
      time(1) = MPI_Wtime()
      plain = [sum(h(a:b, c:d)), sum(h(a:b, c:d)**2), sum(u(a:b, c:d)**2), sum(v(a:b, c:d)**2)]
      call MPI_Allreduce(MPI_IN_PLACE, plain, 4, MPI_REAL8, MPI_SUM, grid)
      time(2) = MPI_Wtime()
      terms = [summand_term(h(a:b, c:d)), summand_term(h(a:b, c:d), h(a:b, c:d)), &
          summand_term(u(a:b, c:d), u(a:b, c:d)), summand_term(v(a:b, c:d), v(a:b, c:d))]
      call summand_sums(terms, sums, grid) ! one all-reduce
      time(3) = MPI_Wtime()
    end associate
    seconds = min(seconds, time(2:) - time(:2))
  end do
  if (rank == 0 .and. command_argument_count() == 0) print '(2(a, z16.16))', 'mass ', sums(1), &
      ' energy ', (sums(2) + (sums(3) + sums(4))) / 2
  if (rank == 0 .and. command_argument_count() > 0) print '(2(f8.1, a), /, 2(a, z16.16))', 1e6 * seconds(1), &
      ' us for the fastest plain sums of a step, ', 1e6 * seconds(2), ' us for exact ones', 'plain mass ', plain(1), &
      ' energy ', (plain(2) + (plain(3) + plain(4))) / 2
  call MPI_Finalize()
contains
  ! The edges of the neighbours: first along one direction, then along the other with the corners.
  subroutine halo(field)
    real(r8), intent(inout) :: field(first(1) - 1:, first(2) - 1:)
    integer :: low, high
    call MPI_Cart_shift(grid, 0, 1, low, high)
    call exchange(field(last(1), :), field(first(1) - 1, :), high, low)
    call exchange(field(first(1), :), field(last(1) + 1, :), low, high)
    call MPI_Cart_shift(grid, 1, 1, low, high)
    call exchange(field(:, last(2)), field(:, first(2) - 1), high, low)
    call exchange(field(:, first(2)), field(:, last(2) + 1), low, high)
  end subroutine
  subroutine exchange(out, in, to, from)
    real(r8), intent(in), contiguous :: out(:)
    real(r8), intent(inout), contiguous :: in(:)
    integer, intent(in) :: to, from
    call MPI_Sendrecv(out, size(out), MPI_REAL8, to, 0, in, size(in), MPI_REAL8, from, 0, grid, MPI_STATUS_IGNORE)
  end subroutine
end program
