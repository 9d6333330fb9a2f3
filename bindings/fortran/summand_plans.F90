! SPDX-License-Identifier: BSD-3-Clause
! Plans (summand/plan.h), texts of errors, and settings. Places in arrays of plans count from 1.
module summand_plans
  use, intrinsic :: iso_c_binding
  use summand_base, only: summand_plan, give, text_of
  implicit none
  private
  public :: summand_plan_start, summand_plan_wait, summand_plan_test, summand_plan_startall, summand_plan_waitall, &
      summand_plan_waitany, summand_plan_testall, summand_plan_free, summand_error_of, summand_error_code, &
      summand_error_text, summand_version, summand_setting_set

  abstract interface
    function of_plan(plan) result(code) bind(C)
      import; type(summand_plan), value :: plan; integer(c_int) :: code
    end function
    function of_plans(count, plans) result(code) bind(C)
      import; integer(c_int), value :: count; type(summand_plan), intent(inout) :: plans(*); integer(c_int) :: code
    end function
  end interface
  procedure(of_plan), bind(C, name='summand_plan_start') :: c_start
  procedure(of_plan), bind(C, name='summand_plan_wait') :: c_wait
  procedure(of_plans), bind(C, name='summand_plan_startall') :: c_startall
  procedure(of_plans), bind(C, name='summand_plan_waitall') :: c_waitall
  interface
    function summand_error_of(code) result(error) bind(C)
      import; integer(c_int), value :: code; integer(c_int) :: error
    end function
    function summand_error_code(error) result(code) bind(C)
      import; integer(c_int), value :: error; integer(c_int) :: code
    end function
    function c_test(plan, done) result(code) bind(C, name='summand_plan_test')
      import; type(summand_plan), value :: plan; integer(c_int), intent(out) :: done; integer(c_int) :: code
    end function
    function c_waitany(count, plans, index) result(code) bind(C, name='summand_plan_waitany')
      import; integer(c_int), value :: count; type(summand_plan), intent(inout) :: plans(*)
      integer(c_int), intent(out) :: index; integer(c_int) :: code
    end function
    function c_testall(count, plans, done) result(code) bind(C, name='summand_plan_testall')
      import; integer(c_int), value :: count; type(summand_plan), intent(inout) :: plans(*)
      integer(c_int), intent(out) :: done; integer(c_int) :: code
    end function
    function c_free(plan) result(code) bind(C, name='summand_plan_free')
      import; type(summand_plan), intent(inout) :: plan; integer(c_int) :: code
    end function
    function c_error_text(code) result(text) bind(C, name='summand_error_text')
      import; integer(c_int), value :: code; type(c_ptr) :: text
    end function
    function c_version() result(text) bind(C, name='summand_version')
      import; type(c_ptr) :: text
    end function
    function c_setting_set(name, value) result(code) bind(C, name='summand_setting_set')
      import; character(kind=c_char), intent(in) :: name(*), value(*); integer(c_int) :: code
    end function
  end interface

contains

  subroutine summand_plan_start(plan, ierror)
    type(summand_plan), intent(in) :: plan
    integer, intent(out), optional :: ierror
    call give(c_start(plan), ierror)
  end subroutine

  subroutine summand_plan_wait(plan, ierror)
    type(summand_plan), intent(in) :: plan
    integer, intent(out), optional :: ierror
    call give(c_wait(plan), ierror)
  end subroutine

  subroutine summand_plan_test(plan, done, ierror)
    type(summand_plan), intent(in) :: plan
    logical, intent(out) :: done
    integer, intent(out), optional :: ierror
    integer(c_int) :: c_done
    c_done = 0
    call give(c_test(plan, c_done), ierror)
    done = c_done /= 0
  end subroutine

  subroutine summand_plan_startall(plans, ierror)
    type(summand_plan), intent(inout), contiguous :: plans(:)
    integer, intent(out), optional :: ierror
    call give(c_startall(size(plans, kind=c_int), plans), ierror)
  end subroutine

  subroutine summand_plan_waitall(plans, ierror)
    type(summand_plan), intent(inout), contiguous :: plans(:)
    integer, intent(out), optional :: ierror
    call give(c_waitall(size(plans, kind=c_int), plans), ierror)
  end subroutine

  ! index: the place of a plan that is complete or has failed; 0 if none is active.
  subroutine summand_plan_waitany(plans, index, ierror)
    type(summand_plan), intent(inout), contiguous :: plans(:)
    integer, intent(out) :: index
    integer, intent(out), optional :: ierror
    integer(c_int) :: place
    place = -1
    call give(c_waitany(size(plans, kind=c_int), plans, place), ierror)
    index = merge(place + 1, 0, place >= 0)
  end subroutine

  subroutine summand_plan_testall(plans, done, ierror)
    type(summand_plan), intent(inout), contiguous :: plans(:)
    logical, intent(out) :: done
    integer, intent(out), optional :: ierror
    integer(c_int) :: c_done
    c_done = 0
    call give(c_testall(size(plans, kind=c_int), plans, c_done), ierror)
    done = c_done /= 0
  end subroutine

  subroutine summand_plan_free(plan, ierror)
    type(summand_plan), intent(inout) :: plan
    integer, intent(out), optional :: ierror
    call give(c_free(plan), ierror)
  end subroutine

  function summand_error_text(code) result(text)
    integer, intent(in) :: code
    character(len=:), allocatable :: text
    text = text_of(c_error_text(int(code, c_int)))
  end function

  function summand_version() result(text)
    character(len=:), allocatable :: text
    text = text_of(c_version())
  end function

  ! As in C; the code is returned, as no communicator has a handler for it.
  function summand_setting_set(name, value) result(code)
    character(len=*), intent(in) :: name, value
    integer :: code
    code = c_setting_set(trim(name)//c_null_char, trim(value)//c_null_char)
  end function

end module
