! SPDX-License-Identifier: BSD-3-Clause
! The calling sequence of the climate models' shr_reprosum_mod, over exact sums: a model changes one `use` line.
!
! Each sum is exact and rounded once, by one all-reduce for all fields, whatever the numbers. So arguments that tune the
! models' own algorithm (ddpdd_sum, arr_gbl_max, arr_max_levels, gbl_max_nsummands, gbl_count, repro_sum_validate) are
! taken and not needed. Outputs that nobody asks for cost nothing; docs/fortran.md says what each has.
module summand_reprosum
  use, intrinsic :: iso_c_binding, only: r8 => c_double
  use, intrinsic :: iso_fortran_env, only: error_unit, output_unit
  use, intrinsic :: ieee_arithmetic, only: ieee_is_finite, ieee_is_nan
  use mpi
  use summand, only: summand_sums, summand_allreduce
  implicit none
  private
  public :: shr_reprosum_calc, shr_reprosum_setopts, shr_reprosum_tolExceeded

  logical, public :: shr_reprosum_recompute = .false.
  real(r8), public :: shr_reprosum_reldiffmax = -1
  logical :: infnan_is_allowed = .false.

contains

  subroutine shr_reprosum_setopts(repro_sum_use_ddpdd_in, repro_sum_allow_infnan_in, repro_sum_rel_diff_max_in, &
      repro_sum_recompute_in, repro_sum_master, repro_sum_logunit)
    logical, intent(in), optional :: repro_sum_use_ddpdd_in, repro_sum_allow_infnan_in
    real(r8), intent(in), optional :: repro_sum_rel_diff_max_in
    logical, intent(in), optional :: repro_sum_recompute_in, repro_sum_master
    integer, intent(in), optional :: repro_sum_logunit
    integer :: unit
    if (present(repro_sum_allow_infnan_in)) infnan_is_allowed = repro_sum_allow_infnan_in
    if (present(repro_sum_rel_diff_max_in)) shr_reprosum_reldiffmax = repro_sum_rel_diff_max_in
    if (present(repro_sum_recompute_in)) shr_reprosum_recompute = repro_sum_recompute_in
    if (.not. present(repro_sum_master)) return
    if (.not. repro_sum_master) return
    unit = output_unit
    if (present(repro_sum_logunit)) unit = repro_sum_logunit
    write (unit, '(a)') 'shr_reprosum: exact sums by Summand, rounded once'
    if (present(repro_sum_use_ddpdd_in)) then
      if (repro_sum_use_ddpdd_in) write (unit, '(a)') 'shr_reprosum: exact sums replace those of double doubles'
    end if
  end subroutine

  subroutine shr_reprosum_calc(arr, arr_gsum, nsummands, dsummands, nflds, allow_infnan, ddpdd_sum, arr_gbl_max, &
      arr_gbl_max_out, arr_max_levels, arr_max_levels_out, gbl_max_nsummands, gbl_max_nsummands_out, gbl_count, &
      repro_sum_validate, repro_sum_stats, rel_diff, commid)
    integer, intent(in) :: nsummands, dsummands, nflds
    real(r8), intent(in), target :: arr(dsummands, nflds)
    real(r8), intent(out) :: arr_gsum(nflds)
    logical, intent(in), optional :: allow_infnan, ddpdd_sum, repro_sum_validate
    real(r8), intent(in), optional :: arr_gbl_max(nflds)
    real(r8), intent(out), optional :: arr_gbl_max_out(nflds), rel_diff(2, nflds)
    integer, intent(in), optional :: arr_max_levels(nflds), gbl_max_nsummands, gbl_count, commid
    integer, intent(out), optional :: arr_max_levels_out(nflds), gbl_max_nsummands_out
    integer, intent(inout), optional :: repro_sum_stats(6)
    integer :: comm, steps(6), f
    logical :: allowed
    real(r8) :: most(nflds + 1), plain(nflds), difference

    comm = MPI_COMM_WORLD
    if (present(commid)) comm = commid
    allowed = infnan_is_allowed
    if (present(allow_infnan)) allowed = allow_infnan
    steps = [1, 0, 0, 0, 0, 0]
    call summand_sums(arr(:nsummands, :), arr_gsum, comm)
    if (.not. allowed .and. .not. all(ieee_is_finite(arr_gsum))) call refuse_infnan(arr(:nsummands, :))

    if (present(arr_gbl_max_out) .or. present(gbl_max_nsummands_out)) then
      most(:nflds) = [(maxval([0._r8, abs(arr(:nsummands, f))]), f = 1, nflds)]
      most(nflds + 1) = nsummands
      call reduce(most, MPI_MAX)
      if (present(arr_gbl_max_out)) arr_gbl_max_out = most(:nflds)
      if (present(gbl_max_nsummands_out)) gbl_max_nsummands_out = nint(most(nflds + 1))
      steps(5) = 1
    end if
    if (present(arr_max_levels_out)) arr_max_levels_out = 0
    if (present(rel_diff)) then
      rel_diff = 0
      if (shr_reprosum_reldiffmax >= 0) then
        plain = sum(arr(:nsummands, :), 1)
        call reduce(plain, MPI_SUM)
        do f = 1, nflds
          difference = abs(plain(f) - arr_gsum(f))
          if (ieee_is_nan(difference)) cycle ! both are infinite or not numbers
          rel_diff(:, f) = difference
          if (abs(arr_gsum(f)) > difference) rel_diff(1, f) = difference / abs(arr_gsum(f))
        end do
        steps(4) = 1
      end if
    end if
    if (present(repro_sum_stats)) repro_sum_stats = repro_sum_stats + steps

  contains

    subroutine reduce(numbers, op)
      real(r8), intent(inout) :: numbers(:)
      integer, intent(in) :: op
      real(r8) :: operands(size(numbers))
      operands = numbers
      call summand_allreduce(operands, numbers, size(numbers), MPI_DOUBLE_PRECISION, op, comm)
    end subroutine

  end subroutine

  ! The sum of finite numbers may be infinite: what counts is what was given.
  subroutine refuse_infnan(arr)
    real(r8), intent(in) :: arr(:, :)
    integer :: nans, infinities, rank, code
    nans = count(ieee_is_nan(arr))
    infinities = count(.not. ieee_is_finite(arr)) - nans
    if (nans + infinities == 0) return
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
    write (error_unit, '(3(a, i0))') 'shr_reprosum_calc: NaNs: ', nans, ', infinities: ', infinities, &
        ' among the summands of rank ', rank
    call MPI_Abort(MPI_COMM_WORLD, 1, code)
  end subroutine

  logical function shr_reprosum_tolExceeded(name, nflds, master, logunit, rel_diff)
    character(len=*), intent(in) :: name
    integer, intent(in) :: nflds, logunit
    logical, intent(in) :: master
    real(r8), intent(in) :: rel_diff(2, nflds)
    integer :: f
    shr_reprosum_tolExceeded = .false.
    if (shr_reprosum_reldiffmax < 0) return
    shr_reprosum_tolExceeded = any(rel_diff(1, :) > shr_reprosum_reldiffmax)
    if (.not. (master .and. shr_reprosum_tolExceeded)) return
    do f = 1, nflds
      if (rel_diff(1, f) > shr_reprosum_reldiffmax) write (logunit, '(2a, i0, 2(a, es9.2))') trim(name), ': field ', f, &
          ': plain and exact sum differ by ', rel_diff(2, f), ', relatively ', rel_diff(1, f)
    end do
  end function

end module
