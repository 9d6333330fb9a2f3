! SPDX-License-Identifier: BSD-3-Clause
! What the tests expect, and how many were right.
module report
  use, intrinsic :: iso_fortran_env, only: error_unit
  implicit none
  integer :: right = 0, wrong = 0

contains

  subroutine expect(is_so, what, number)
    logical, intent(in) :: is_so
    character(len=*), intent(in) :: what
    integer, intent(in), optional :: number
    if (is_so) then
      right = right + 1
      return
    end if
    wrong = wrong + 1
    if (present(number)) then
      write (error_unit, '(3a, i0)') 'wrong: ', what, ' ', number
    else
      write (error_unit, '(2a)') 'wrong: ', what
    end if
  end subroutine

end module
