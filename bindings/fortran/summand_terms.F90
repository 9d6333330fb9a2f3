! SPDX-License-Identifier: BSD-3-Clause
! Sums of terms, whatever the type of their elements: where elements lie, and the calls of C.
#include "summand_mpi.inc"
module summand_terms
  use summand_base
  implicit none
  public

  ! Where an array of any rank lies: dimensions that follow one another at one distance are one. With at most one
  ! dimension (a whole array, x(::3), a plane, a row) C reads the elements where they lie; else they are copied.
  type :: place
    integer(c_intptr_t) :: address = 0 ! of the first element
    integer(c_int64_t) :: count = 0
    integer :: dimensions = 0
    integer(c_int64_t) :: extent(7) = 1
    integer(c_intptr_t) :: step(7) = 0 ! bytes
  end type

  ! One sum of several in a call.
  type :: term
    integer(c_int) :: kind = SUMMAND_KIND_SUM
    integer(c_int64_t) :: displacement = SUMMAND_DISPLACEMENT_APPEND
    type(place) :: x, y
    logical, allocatable :: mask(:)
    logical :: in_place = .false., fits = .true.
  end type

  ! Elements that were copied for a call.
  type :: copied
    integer(c_int32_t), allocatable :: words(:)
  end type

  type, bind(C) :: term_of_c
    integer(c_int) :: kind = 0
    integer(c_int64_t) :: count = 0, displacement = 0
    type(c_ptr) :: x = c_null_ptr, y = c_null_ptr
    integer(c_int64_t) :: stride_x = 0, stride_y = 0
  end type

  interface
    function c_sums(k, terms, results, datatype, root, comm, options) result(code) bind(C, name='summand_sums')
      import; integer(c_int), value :: k, root; type(c_ptr), value :: terms, results, options
      SUMMAND_HANDLE, value :: datatype, comm; integer(c_int) :: code
    end function
    function c_sums_init(k, terms, results, datatype, root, comm, options, plan) result(code) &
        bind(C, name='summand_sums_init')
      import; integer(c_int), value :: k, root; type(c_ptr), value :: terms, results, options
      SUMMAND_HANDLE, value :: datatype, comm; type(summand_plan), intent(out) :: plan; integer(c_int) :: code
    end function
    function c_column_sums(x, rows, lead, y, count, datatype, root, comm, options) result(code) &
        bind(C, name='summand_column_sums')
      import; type(c_ptr), value :: x, y, options; integer(c_int64_t), value :: rows, lead, count
      SUMMAND_HANDLE, value :: datatype, comm; integer(c_int), value :: root; integer(c_int) :: code
    end function
    function c_column_sums_init(x, rows, lead, y, count, datatype, root, comm, options, plan) result(code) &
        bind(C, name='summand_column_sums_init')
      import; type(c_ptr), value :: x, y, options; integer(c_int64_t), value :: rows, lead, count
      SUMMAND_HANDLE, value :: datatype, comm; integer(c_int), value :: root; type(summand_plan), intent(out) :: plan
      integer(c_int) :: code
    end function
  end interface

contains

  ! Appends a dimension of n parts, the second of which begins at `second`.
  pure subroutine extend(p, n, second)
    type(place), intent(inout) :: p
    integer(c_int64_t), intent(in) :: n
    integer(c_intptr_t), intent(in) :: second
    integer :: d
    d = p%dimensions
    p%count = p%count * n
    if (d > 0) then
      if (second - p%address == p%step(d) * p%extent(d)) then
        p%extent(d) = p%extent(d) * n
        return
      end if
    end if
    p%dimensions = d + 1
    p%extent(d + 1) = n
    p%step(d + 1) = second - p%address
  end subroutine

  ! The elements follow one another.
  pure subroutine run_of(p, bytes)
    type(place), intent(inout) :: p
    integer, intent(in) :: bytes
    p%dimensions = 1
    p%extent(1) = p%count
    p%step(1) = bytes
  end subroutine

  ! C can read it: the distance is a number of elements.
  pure function readable(p, bytes) result(is)
    type(place), intent(in) :: p
    integer, intent(in) :: bytes
    logical :: is
    is = p%dimensions <= 1 .and. mod(p%step(1), int(bytes, c_intptr_t)) == 0
  end function

  ! Copies the elements where the mask is true, if there is one, in their order.
  subroutine gather(p, bytes, mask, copy, count)
    type(place), intent(in) :: p
    integer, intent(in) :: bytes
    logical, intent(in), allocatable :: mask(:)
    integer(c_int32_t), intent(out), allocatable :: copy(:)
    integer(c_int64_t), intent(out) :: count
    integer(c_int32_t), pointer :: run(:)
    integer(c_int64_t) :: place_in(7), element, next, i, words
    integer(c_intptr_t) :: address
    integer :: d
    words = bytes / 4
    allocate (copy(max(1_c_int64_t, p%count * words)))
    place_in = 0
    next = 0
    element = 0
    do while (element < p%count)
      address = p%address + sum(place_in(2:) * p%step(2:))
      if (p%step(1) == bytes .and. .not. allocated(mask)) then
        call c_f_pointer(transfer(address, c_null_ptr), run, [p%extent(1) * words])
        copy(next + 1:next + size(run)) = run
        next = next + size(run)
      else
        do i = 1, p%extent(1)
          if (allocated(mask)) then
            if (.not. mask(element + i)) cycle
          end if
          call c_f_pointer(transfer(address + (i - 1) * p%step(1), c_null_ptr), run, [words])
          copy(next + 1:next + words) = run
          next = next + words
        end do
      end if
      element = element + p%extent(1)
      do d = 2, p%dimensions
        place_in(d) = place_in(d) + 1
        if (place_in(d) < p%extent(d)) exit
        place_in(d) = 0
      end do
    end do
    count = next / words
  end subroutine

  ! Address and stride for C, whose negative strides start at the last element.
  subroutine locate(p, bytes, mask, copy, address, stride, count)
    type(place), intent(in) :: p
    integer, intent(in) :: bytes
    logical, intent(in), allocatable :: mask(:)
    type(copied), intent(inout), target :: copy
    type(c_ptr), intent(out) :: address
    integer(c_int64_t), intent(out) :: stride, count
    stride = 1
    count = p%count
    if (allocated(mask) .or. .not. readable(p, bytes)) then
      call gather(p, bytes, mask, copy%words, count)
      address = c_loc(copy%words)
    else
      address = transfer(p%address + min(p%step(1), 0_c_intptr_t) * max(p%count - 1, 0_c_int64_t), c_null_ptr)
      if (p%count > 1) stride = p%step(1) / bytes
    end if
  end subroutine

  ! Arrays that do not fit together are an error on every rank that gets the result: C refuses the count -1.
  function fit(what, here, there)
    character(len=*), intent(in) :: what
    integer, intent(in) :: here(:), there(:)
    logical :: fit
    character(len=80) :: shapes(2)
    fit = size(here) == size(there)
    if (fit) fit = all(here == there)
    if (fit) return
    write (shapes(1), '(*(i0, :, ", "))') here
    write (shapes(2), '(*(i0, :, ", "))') there
    write (error_unit, '(7a)') 'summand: ', what, ' has the shape [', trim(shapes(1)), '], x has [', trim(shapes(2)), ']'
  end function

  function flat(mask)
    logical, intent(in) :: mask(..)
    logical, allocatable :: flat(:)
    select rank (mask)
    rank (0)
      flat = [mask]
    rank (1)
      flat = mask
    rank (2)
      flat = pack(mask, .true.)
    rank (3)
      flat = pack(mask, .true.)
    rank (4)
      flat = pack(mask, .true.)
    rank (5)
      flat = pack(mask, .true.)
    rank (6)
      flat = pack(mask, .true.)
    rank (7)
      flat = pack(mask, .true.)
    end select
  end function

  subroutine to_c(terms, bytes, room, copies, c)
    type(term), intent(in), target :: terms(:)
    integer, intent(in) :: bytes, room
    type(copied), intent(inout), target :: copies(2, size(terms))
    type(term_of_c), intent(out) :: c(:)
    integer(c_int64_t) :: count
    integer :: i
    if (room < size(terms)) write (error_unit, '(2(a, i0))') 'summand_sums: room for totals: ', room, ', sums: ', size(terms)
    do i = 1, size(terms)
      c(i)%kind = terms(i)%kind
      c(i)%displacement = terms(i)%displacement
      c(i)%count = -1
      if (room < size(terms) .or. .not. terms(i)%fits) cycle
      call locate(terms(i)%y, bytes, terms(i)%mask, copies(2, i), c(i)%y, c(i)%stride_y, count)
      call locate(terms(i)%x, bytes, terms(i)%mask, copies(1, i), c(i)%x, c(i)%stride_x, c(i)%count)
      if (terms(i)%in_place) c(i)%x = c_in_place()
    end do
  end subroutine

  subroutine sum_terms(terms, bytes, results, room, datatype, comm, root, options, ierror)
    type(term), intent(in), target :: terms(:)
    integer, intent(in) :: bytes, room
    type(c_ptr), intent(in) :: results
    SUMMAND_HANDLE, intent(in) :: datatype, comm
    integer, intent(in), optional :: root
    type(summand_options), intent(in), optional :: options
    integer, intent(out), optional :: ierror
    type(term_of_c), target :: c(max(1, size(terms)))
    type(copied), target :: copies(2, size(terms))
    type(passed_options), target :: o
    call to_c(terms, bytes, room, copies, c)
    call give(c_sums(size(terms, kind=c_int), c_loc(c), results, datatype, root_of(root), comm, pass(options, o)), &
        ierror)
  end subroutine

  ! A plan reads the elements at each start, so it cannot have copies.
  subroutine plan_terms(terms, bytes, results, room, datatype, comm, plan, root, options, ierror)
    type(term), intent(in), target :: terms(:)
    integer, intent(in) :: bytes, room
    type(c_ptr), intent(in) :: results
    SUMMAND_HANDLE, intent(in) :: datatype, comm
    type(summand_plan), intent(out) :: plan
    integer, intent(in), optional :: root
    type(summand_options), intent(in), optional :: options
    integer, intent(out), optional :: ierror
    type(term_of_c), target :: c(max(1, size(terms)))
    type(copied), target :: copies(2, size(terms))
    type(passed_options), target :: o
    integer :: i
    call to_c(terms, bytes, room, copies, c)
    do i = 1, size(terms)
      if (.not. (allocated(copies(1, i)%words) .or. allocated(copies(2, i)%words))) cycle
      write (error_unit, '(a, i0, a)') 'summand: terms(', i, &
          ') of a plan has a mask, or elements at uneven distances; a plan reads arrays where they lie'
      c(i)%count = -1
    end do
    call give(c_sums_init(size(terms, kind=c_int), c_loc(c), results, datatype, root_of(root), comm, &
        pass(options, o), plan), ierror)
  end subroutine

end module
