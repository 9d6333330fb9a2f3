! SPDX-License-Identifier: BSD-3-Clause
! Lists of sums, vectors, plans, accumulators, matrices, errors and shr_reprosum_calc, against sums of integers, which are
! exact in any order, and against what errors must be.
module calls
  use, intrinsic :: iso_c_binding
  use, intrinsic :: ieee_arithmetic
  use mpi_f08
  use summand
  use summand_reprosum
  use report
  implicit none
  private
  public :: lists, vectors, plans, accumulators, matrices, more, errors, climate
  integer :: handled = 0

contains

  ! x(i) of rank r is 100 r + i: over all ranks, n elements each.
  pure function all_ranks(ranks, n) result(total)
    integer, intent(in) :: ranks, n
    real(c_double) :: total
    total = 100._c_double * n * (ranks * (ranks - 1) / 2) + real(ranks, c_double) * (n * (n + 1) / 2)
  end function

  subroutine lists(comm, me, ranks)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: me, ranks
    real(c_double), target :: x(4, 6, 3), totals(3)
    real(c_double) :: serial(4, 6, 3, 0:ranks - 1), wanted(3), y(4)
    real(c_float), target :: single(5)
    real(c_float) :: single_total(1)
    complex(c_double), target :: z(3)
    complex(c_double) :: z_total(1)
    logical :: mask(4, 6)
    type(summand_term_real64) :: terms(3)
    integer :: i, r
    x = reshape([(100._c_double * me + i, i=1, 72)], [4, 6, 3])
    serial = reshape([((100._c_double * r + i, i=1, 72), r=0, ranks - 1)], [4, 6, 3, ranks])
    terms = [summand_term(x), summand_term(x(::3, 2, :), kind=SUMMAND_KIND_NRM2), summand_term(x(:, :, 1), x(:, :, 2))]
    call summand_sums(terms, totals, comm)
    call expect(totals(1) == all_ranks(ranks, 72) .and. totals(2) == sqrt(sum(serial(::3, 2, :, :)**2)) .and. &
        totals(3) == sum(serial(:, :, 1, :) * serial(:, :, 2, :)), 'list of terms')
    mask = mod(reshape([(i, i=1, 24)], [4, 6]), 3) /= 0
    terms(1) = summand_term(x(:, :, 3), mask=mask)
    terms(2) = summand_term(x(:, :, 3), x(:, :, 2), mask)
    terms(3) = summand_term(x(:0, :, 3))
    call summand_sums(terms, totals, comm%MPI_VAL)
    wanted = 0
    do r = 0, ranks - 1
      wanted(1) = wanted(1) + sum(serial(:, :, 3, r), mask)
      wanted(2) = wanted(2) + sum(serial(:, :, 3, r) * serial(:, :, 2, r), mask)
    end do
    call expect(all(totals == wanted), 'terms with masks')
    call summand_sums(x, totals, comm)
    call expect(all(totals == sum(sum(sum(serial, 4), 2), 1)), 'fields')
    call summand_sums(x(:, ::2, :), totals, comm, weights=x(:, 2::2, 1), mask=mask(:, ::2), root=ranks - 1)
    wanted = 0
    do r = 0, ranks - 1
      do i = 1, 3
        wanted(i) = wanted(i) + sum(serial(:, ::2, i, r) * serial(:, 2::2, 1, r), mask(:, ::2))
      end do
    end do
    if (me == ranks - 1) call expect(all(totals == wanted), 'fields with weights and a mask, at a root')
    totals = [1, 2, 3] + me
    call summand_sums(MPI_IN_PLACE, totals, comm)
    call expect(all(totals == [1, 2, 3] * ranks + ranks * (ranks - 1) / 2), 'sums in place')
    single = 0.1
    call summand_sums([summand_term(single)], single_total, comm)
    call expect(single_total(1) == real(5 * ranks * real(single(1), c_double), c_float), 'list of real32')
    z = cmplx(1, 2, c_double)
    call summand_sums([summand_term(z, z, kind=SUMMAND_KIND_DOT_CONJUGATED)], z_total, comm)
    call expect(z_total(1) == 15 * ranks, 'conjugated dot')
    call summand_column_sums(x(:, :, 1), y, comm)
    call expect(all(y == sum(sum(serial(:, :, 1, :), 3), 2)), 'column sums')
    ! By the tree the elements of all ranks give the bits of one rank that has them all.
    x = 1 / x
    serial = 1 / serial
    call summand_sum(x, totals(1), comm, options=summand_options(promise=SUMMAND_PROMISE_INDEX))
    call summand_sum(serial, totals(2), MPI_COMM_SELF, options=summand_options(promise=SUMMAND_PROMISE_INDEX))
    call summand_sum(x, totals(3), comm, options=summand_options(algorithm='binomial', timeout=600._c_double, &
        check=SUMMAND_CHECKED_CORRECT))
    call summand_sum(serial, wanted(3), MPI_COMM_SELF)
    call expect(totals(1) == totals(2) .and. totals(3) == wanted(3), 'tree, and a named algorithm')
  end subroutine

  subroutine vectors(comm, me, ranks)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: me, ranks
    real(c_double) :: x(4, 3), y(4, 3), wanted(4, 3), sum_of_ranks
    integer :: number(2), counts(ranks), gathered(2 * ranks), i, own
    type(summand_options), parameter :: exact = summand_options(promise=SUMMAND_PROMISE_EXACT)
    sum_of_ranks = ranks * (ranks - 1) / 2
    x = reshape([(i, i=1, 12)], [4, 3]) + me
    wanted = reshape([(i, i=1, 12)], [4, 3]) * ranks + sum_of_ranks
    call summand_allreduce(x, y, 12, MPI_REAL8, MPI_SUM, comm)
    call expect(all(y == wanted), 'allreduce')
    call summand_allreduce(x(:, 1:3:2), y, 8, MPI_DOUBLE_PRECISION, MPI_SUM, comm, exact)
    call expect(all(y(:, 1:2) == wanted(:, 1:3:2)), 'allreduce of a section, exact')
    y = x
    call summand_allreduce(MPI_IN_PLACE, y, 12, MPI_REAL8%MPI_VAL, MPI_SUM%MPI_VAL, comm%MPI_VAL, exact)
    call expect(all(y == wanted), 'allreduce in place, handles of integers')
    number = [me, -me]
    call summand_allreduce(MPI_IN_PLACE, number, 2, MPI_INTEGER, MPI_MAX, comm)
    call expect(all(number == [ranks - 1, 0]), 'allreduce of integers')
    call summand_scan(x, y, 12, MPI_REAL8, MPI_SUM, comm)
    call expect(all(y == reshape([(i, i=1, 12)], [4, 3]) * (me + 1) + me * (me + 1) / 2), 'scan')
    y = -1
    call summand_exscan(x, y, 12, MPI_REAL8, MPI_SUM, comm, exact)
    call expect(all(merge(y == -1, y == reshape([(i, i=1, 12)], [4, 3]) * me + me * (me - 1) / 2, me == 0)), 'exscan, exact')
    y = -1
    call summand_reduce(x, y, 12, MPI_REAL8, MPI_SUM, ranks - 1, comm)
    call expect(all(merge(y == wanted, y == -1, me == ranks - 1)), 'reduce')
    i = me
    call summand_reduce(merge(me, me, .true.), i, 1, MPI_INTEGER, MPI_SUM, 0, comm)
    if (me == 0) call expect(i == ranks * (ranks - 1) / 2, 'reduce of scalars')
    number = merge([7, 8], [0, 0], me == 0)
    call summand_bcast(number, 2, MPI_INTEGER, 0, comm)
    call expect(all(number == [7, 8]), 'bcast')
    counts = 0
    own = 2 + mod(me, 2)
    do i = 1, ranks
      counts(i) = 2 + mod(i - 1, 2)
    end do
    call scatter
    call summand_allgather([me, -me], 2, MPI_INTEGER, gathered, 2, MPI_INTEGER, comm)
    call expect(all(gathered == [(i, -i, i=0, ranks - 1)]), 'allgather')
    gathered = -1
    call summand_allgatherv([me], 1, MPI_INTEGER%MPI_VAL, gathered, [(1, i=1, ranks)], [(2 * i, i=0, ranks - 1)], &
        MPI_INTEGER%MPI_VAL, comm%MPI_VAL)
    call expect(all(gathered == [(i, -1, i=0, ranks - 1)]), 'allgatherv')
    x(1, 1) = me
    call summand_ordered_reduce(x, y, 1_c_int64_t, SUMMAND_DISPLACEMENT_APPEND, MPI_REAL8, MPI_PROD, SUMMAND_ROOT_ALL, comm)
    call expect(y(1, 1) == 0, 'ordered reduce')
  contains
    subroutine scatter
      real(c_double) :: all_of_them(sum(counts)), part(3), block(2 * ranks)
      integer :: first
      all_of_them = [(real(i, c_double), i=1, size(all_of_them))] + me
      first = sum(counts(:me))
      call summand_reduce_scatter(all_of_them, part, counts, MPI_REAL8, MPI_SUM, comm)
      call expect(all(part(:own) == [(real(first + i, c_double), i=1, own)] * ranks + sum_of_ranks), 'reduce_scatter')
      block = [(real(i, c_double), i=1, 2 * ranks)] + me
      call summand_reduce_scatter_block(block, part, 2, MPI_REAL8, MPI_SUM, comm)
      call expect(all(part(:2) == [2 * me + 1, 2 * me + 2] * ranks + sum_of_ranks), 'reduce_scatter_block')
    end subroutine
  end subroutine

  subroutine plans(comm, me, ranks)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: me, ranks
    real(c_double), target, asynchronous :: x(5, 4), totals(2), column(5), in(3), out(3)
    real(c_double), pointer :: row(:)
    type(summand_plan) :: plan(3), none
    type(summand_term_real64) :: terms(2)
    integer :: i, round, code, done_of(3)
    logical :: done
    row => x(2, :)
    terms = [summand_term(x), summand_term(row, row)]
    call summand_sums_init(terms, totals, comm, plan(1))
    call summand_column_sums_init(x, column, comm, plan(2))
    call summand_allreduce_init(in, out, 3, MPI_REAL8, MPI_SUM, comm, plan(3), summand_options(promise=SUMMAND_PROMISE_CANONICAL))
    do round = 1, 3
      x = reshape([(round * 100._c_double * me + i, i=1, 20)], [5, 4])
      in = [round, me, 1]
      call summand_plan_startall(plan)
      if (round == 1) then
        call summand_plan_waitall(plan)
      else if (round == 2) then
        done_of = 0
        do i = 1, 3
          call summand_plan_waitany(plan, code)
          done_of(code) = 1
        end do
        call expect(all(done_of == 1), 'waitany')
        call summand_plan_waitany(plan, code)
        call expect(code == 0, 'waitany without active plans')
      else
        done = .false.
        do while (.not. done)
          call summand_plan_testall(plan, done)
        end do
      end if
      call expect(totals(1) == 210._c_double * ranks + 20 * round * 100 * (ranks * (ranks - 1) / 2), 'plan of sums', round)
      call expect(all(out == [round * ranks, ranks * (ranks - 1) / 2, ranks]), 'plan of a vector', round)
      call expect(column(5) == 50 * ranks + 4 * round * 100 * (ranks * (ranks - 1) / 2), 'plan of columns', round)
    end do
    call summand_plan_start(plan(1), code)
    call expect(code == MPI_SUCCESS, 'start')
    call summand_plan_wait(plan(1))
    call summand_plan_test(plan(1), done)
    call expect(done, 'test')
    do i = 1, 3
      call summand_plan_free(plan(i))
    end do
    call vectors_of
    call summand_plan_start(none, code)
    call expect(summand_error_of(code) == SUMMAND_ERR_ARGUMENT, 'start of no plan')
    call MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN)
    terms(1) = summand_term(x, mask=x > 7)
    call summand_sums_init(terms, totals, comm, none, ierror=code)
    call expect(code /= MPI_SUCCESS, 'plan with a mask')
    call MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL)
  contains
    ! Block i of rank r is r + i; each plan by itself.
    subroutine vectors_of
      integer, target, asynchronous :: blocks(ranks), result(5), gathered(ranks), spread(2 * ranks)
      type(summand_plan) :: each(7)
      blocks = [(me + i, i=1, ranks)]
      result = -1
      if (me == 0) result(5) = 7
      call summand_reduce_init(blocks(1), result(1), 1, MPI_INTEGER, MPI_SUM, 0, comm, each(1))
      call summand_reduce_scatter_block_init(blocks, result(2), 1, MPI_INTEGER, MPI_SUM, comm, each(2))
      call summand_reduce_scatter_init(blocks, result(3), [(1, i=1, ranks)], MPI_INTEGER%MPI_VAL, MPI_SUM%MPI_VAL, &
          comm%MPI_VAL, each(3))
      call summand_ordered_reduce_init(blocks, result(4), 1_c_int64_t, SUMMAND_DISPLACEMENT_APPEND, MPI_INTEGER, MPI_MAX, 0, &
          comm, each(4))
      call summand_bcast_init(result(5), 1, MPI_INTEGER, 0, comm, each(5))
      spread = -1
      call summand_allgather_init(blocks, 1, MPI_INTEGER, gathered, 1, MPI_INTEGER, comm, each(6))
      call summand_allgatherv_init(blocks, 1, MPI_INTEGER%MPI_VAL, spread, [(1, i=1, ranks)], [(2 * i, i=0, ranks - 1)], &
          MPI_INTEGER%MPI_VAL, comm%MPI_VAL, each(7))
      call summand_plan_startall(each)
      call summand_plan_waitall(each)
      i = ranks * (ranks - 1) / 2
      call expect(result(1) == merge(i + ranks, -1, me == 0), 'plan of reduce')
      call expect(all(result(2:3) == i + ranks * (me + 1)), 'plans of reduce_scatter')
      call expect(result(4) == merge(ranks, -1, me == 0) .and. result(5) == 7, 'plans of ordered_reduce and bcast')
      call expect(all(gathered == [(i, i=1, ranks)]), 'plan of allgather')
      call expect(all(spread == [(i + 1, -1, i=0, ranks - 1)]), 'plan of allgatherv')
      do i = 1, 7
        call summand_plan_free(each(i))
      end do
    end subroutine
  end subroutine

  subroutine accumulators(comm, ranks)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: ranks
    type(summand_exact) :: acc, other
    type(c_ptr) :: vector
    real(c_double) :: x(2, 2)
    real(c_double), target, asynchronous :: y(3)
    type(summand_plan) :: plan
    x = reshape([1e16_c_double, 1._c_double, -1e16_c_double, 2._c_double], [2, 2])
    call summand_exact_add(acc, 4_c_size_t, x)
    call summand_exact_add_f32(other, 2_c_size_t, [0.5_c_float, 0.25_c_float])
    call summand_exact_add_products(other, 1_c_size_t, [3._c_double], [4._c_double])
    call summand_exact_merge(acc, other)
    call expect(summand_exact_round(acc) == 15.75_c_double, 'accumulator')
    call expect(summand_exact_sum(4_c_size_t, x) == 3, 'sum without MPI')
    vector = summand_exact_vector_new(3_c_size_t)
    call expect(summand_exact_vector_add(vector, 2_c_size_t, 3_c_size_t, [1, 2, 3, 4, 5, 6] * 1._c_double) == SUMMAND_EXACT_OK, &
        'rows')
    call expect(summand_exact_vector_add_at(vector, [3, 1, 3], [1._c_double, 1e20_c_double, 1._c_double]) == 0, 'elements')
    call expect(summand_exact_vector_add_at(vector, [0], [1._c_double]) == SUMMAND_EXACT_INDEX, 'index 0')
    call expect(summand_exact_vector_add_at(vector, [4], [1._c_double]) == SUMMAND_EXACT_INDEX, 'index 4')
    call summand_exact_vector_reduce(vector, y, MPI_REAL8, SUMMAND_ROOT_ALL, comm)
    call expect(all(y == ranks * [1e20_c_double + 5, 7._c_double, 11._c_double]), 'reduced vector')
    call summand_exact_vector_reduce_init(vector, y, MPI_REAL8, SUMMAND_ROOT_ALL, comm, plan)
    call expect(summand_exact_vector_add_at(vector, [2], [-1e20_c_double]) == 0, 'elements of a plan')
    call summand_plan_start(plan)
    call summand_plan_wait(plan)
    call expect(all(y == ranks * [1e20_c_double + 5, 7 - 1e20_c_double, 11._c_double]), 'plan of a reduced vector')
    call summand_plan_free(plan)
    call summand_exact_vector_free(vector)
    call expect(.not. c_associated(vector), 'freed vector')
  end subroutine

  subroutine matrices(comm, me, ranks)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: me, ranks
    type(summand_matrix) :: a, b, c
    type(summand_plan) :: plan
    real(c_double), pointer :: part(:, :)
    real(c_float), pointer :: wrong_part(:, :)
    real(c_double) :: full(7, 5), other(5, 6), product(7, 6), value
    integer(c_int64_t) :: i, j, row, column
    integer :: code
    full = reshape([(mod(i * 37, 19_c_int64_t), i=1, 35)], [7, 5])
    other = reshape([(mod(i * 31, 17_c_int64_t), i=1, 30)], [5, 6])
    call summand_matrix_create(summand_matrix_shape(7, 5, 2, 2, ranks, 1), MPI_REAL8, comm, a)
    call summand_matrix_create(summand_matrix_shape(5, 6, 1, 3, 1, 1, [ranks - 1]), MPI_DOUBLE_PRECISION%MPI_VAL, comm%MPI_VAL, b)
    call summand_matrix_create(summand_matrix_shape(7, 6, 3, 2, 1, ranks), MPI_REAL8, comm, c)
    call summand_matrix_local(a, part)
    if (associated(part)) then
      do j = 1, size(part, 2)
        do i = 1, size(part, 1)
          call summand_matrix_index(a, i, j, row, column)
          part(i, j) = full(row, column)
        end do
      end do
    end if
    if (me == 0) then
      call summand_matrix_set(b, 1_c_int64_t, 1_c_int64_t, other)
    else
      call summand_matrix_set(b, 1_c_int64_t, 1_c_int64_t, other(:0, :0))
    end if
    call summand_gemm(SUMMAND_TRANSPOSE_NO, SUMMAND_TRANSPOSE_NO, 1._c_double, a, b, 0._c_double, c)
    call summand_matrix_get(c, 1_c_int64_t, 1_c_int64_t, product)
    call expect(all(product == matmul(full, other)), 'product')
    call summand_gemm_init(SUMMAND_TRANSPOSE_NO, SUMMAND_TRANSPOSE_NO, 2._c_double, a, b, 1._c_double, c, plan, &
        summand_gemm_options(activation=SUMMAND_ACTIVATION_RELU))
    call summand_plan_start(plan)
    call summand_plan_wait(plan)
    call summand_plan_free(plan)
    call summand_matrix_get(c, 2_c_int64_t, 3_c_int64_t, product(:2, :2))
    call expect(all(product(:2, :2) == 3 * matmul(full(2:3, :), other(:, 3:4))), 'product by a plan')
    call summand_matrix_owner(a, 3_c_int64_t, 1_c_int64_t, code, row, column)
    call expect(code == merge(1, 0, ranks > 1) .and. row == merge(1, 3, ranks > 1) .and. column == 1, 'owner')
    call summand_matrix_norm(a, SUMMAND_NORM_ONE, value)
    call expect(value == maxval(sum(full, 1)), 'norm')
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)
    call summand_matrix_local(a, wrong_part, code)
    call expect(code /= MPI_SUCCESS .and. .not. associated(wrong_part), 'matrix of another kind')
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL)
    call summand_matrix_free(a)
    call summand_matrix_free(b)
    call summand_matrix_free(c)
  end subroutine

  subroutine more(comm, me, ranks)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: me, ranks
    real(c_double), target :: a(3, 2), b(2, 2), w(2, 3), wanted(2, 3), block(2)
    real(c_double), pointer :: slot(:)
    real(c_double) :: sums(2)
    type(summand_gossip_report) :: report
    type(summand_plan) :: plan
    type(c_ptr) :: segment, address, transport
    integer(c_int64_t) :: bytes
    integer(c_int) :: first, code
    integer :: i
    a = reshape([(i, i=1, 6)], [3, 2]) + me
    b = reshape([(i, i=1, 4)], [2, 2])
    w = 1
    wanted = 0
    do i = 0, ranks - 1
      wanted = wanted + matmul(b, transpose(a - me + i))
    end do
    call summand_outer(2_c_int64_t, 2._c_double, [matrix()], 3._c_double, MPI_REAL8, comm)
    call expect(all(w == 2 * wanted + 3), 'outer product')
    call summand_outer_init(2_c_int64_t, 1._c_double, [matrix()], 0._c_double, MPI_REAL8%MPI_VAL, comm%MPI_VAL, plan, &
        options=summand_outer_options(promise=SUMMAND_PROMISE_SAME))
    call summand_plan_start(plan)
    call summand_plan_wait(plan)
    call summand_plan_free(plan)
    call expect(all(w == wanted), 'outer product by a plan')
    call summand_gossip_allreduce([me, 1] * 1._c_double, sums, 2, MPI_REAL8, MPI_SUM, comm, &
        summand_gossip_options(eps=1e-12_c_double), report)
    call expect(all(sums == [ranks * (ranks - 1) / 2, ranks]) .and. report%converged == 1, 'gossip')
    ! A block to the next rank, into its memory.
    call summand_segment_create(16_c_int64_t, 1, comm, segment)
    code = summand_notify_range(1, first, segment)
    block = [me, -me]
    code = summand_put_notify(c_loc(block), 16_c_int64_t, mod(me + 1, ranks), 0_c_int64_t, first, 1_c_int64_t, 0, segment)
    call expect(code == MPI_SUCCESS, 'put')
    code = summand_notify_wait(MPI_ANY_SOURCE, first, 1_c_int64_t, SUMMAND_TIMEOUT_FOREVER, segment)
    code = summand_segment_memory(segment, address, bytes, transport)
    call c_f_pointer(address, slot, [2])
    i = mod(me + ranks - 1, ranks)
    call expect(all(slot == [i, -i]) .and. bytes == 16, 'what was put')
    code = summand_queue_wait(0, SUMMAND_TIMEOUT_FOREVER, segment)
    code = summand_segment_free(segment)
    call expect(code == MPI_SUCCESS .and. .not. c_associated(segment), 'freed segment')
  contains
    function matrix() result(m)
      type(summand_outer_matrix) :: m
      m%rows = 3
      m%columns = 2
      m%a = c_loc(a)
      m%b = c_loc(b)
      m%g = c_loc(w)
    end function
  end subroutine

  subroutine handle(comm, code)
    type(MPI_Comm) :: comm
    integer :: code
    if (comm /= MPI_COMM_NULL .and. code /= MPI_SUCCESS) handled = handled + 1
  end subroutine

  subroutine errors(comm, me, ranks)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: me, ranks
    type(MPI_Errhandler) :: handler
    real(c_double) :: x(4), total, totals(1)
    character(len=:), allocatable :: text
    integer :: code
    x = 1
    call MPI_Comm_create_errhandler(handle, handler)
    call MPI_Comm_set_errhandler(comm, handler)
    call summand_sum(x, total, comm, root=ranks)
    call expect(handled == 1, 'the handler, without ierror')
    call summand_sum(x, total, comm, root=ranks, ierror=code)
    text = summand_error_text(code)
    call expect(handled == 2 .and. index(text, 'root') > 0, 'the handler and the code: '//text)
    call summand_sum(x, total, comm, options=summand_options(algorithm='none such'), ierror=code)
    text = summand_error_text(code)
    call expect(summand_error_of(code) == SUMMAND_ERR_ALGORITHM .and. index(text, '''none such''') > 0, text)
    call summand_dot(x, x(:merge(3, 4, me == 0)), total, comm, ierror=code)
    call expect(code /= MPI_SUCCESS, 'shapes that differ on rank 0 alone')
    call summand_sums(reshape(x, [2, 2]), totals, comm, ierror=code)
    call expect(code /= MPI_SUCCESS, 'totals that are too few')
    call summand_column_sums(reshape(x, [2, 2]), totals, comm, ierror=code)
    call expect(code /= MPI_SUCCESS, 'y that is too short')
    call summand_sum(me, total, comm, ierror=code)
    call expect(code /= MPI_SUCCESS, 'an integer that is not MPI_IN_PLACE')
    call summand_allreduce(x, total, 1, MPI_INTEGER, MPI_NO_OP, comm, ierror=code)
    call expect(code /= MPI_SUCCESS, 'an operator that is none')
    call expect(summand_setting_set('SUMMAND_NONE_SUCH', '1') /= MPI_SUCCESS, 'a setting that is none')
    call MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL)
    call MPI_Errhandler_free(handler)
    call summand_sum(x, total, comm)
    call expect(total == 4 * ranks, 'a sum after errors')
  end subroutine

  subroutine climate(comm, me, ranks)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: me, ranks
    real(c_double) :: arr(10, 3), sums(3), most(3), differences(2, 3), more(3)
    integer :: stats(6), summands
    arr = 1e300_c_double ! beyond the summands: not read
    arr(:4 + me, 1) = 0.1_c_double
    arr(:4 + me, 2) = [1e16_c_double, 1._c_double, -1e16_c_double, 1._c_double, 0 * arr(5:4 + me, 1)]
    arr(:4 + me, 3) = -2
    stats = 0
    call shr_reprosum_calc(arr, sums, 4 + me, 10, 3, arr_gbl_max_out=most, gbl_max_nsummands_out=summands, &
        repro_sum_stats=stats, rel_diff=differences, commid=comm%MPI_VAL)
    more = [0.1_c_double, 2._c_double, -2._c_double]
    call expect(all(sums(2:) == [2 * ranks, -2 * (4 * ranks + ranks * (ranks - 1) / 2)]), 'reprosum')
    ! 0.1 is a multiple of 2^-56, so the product is the exact sum, rounded once.
    call expect(sums(1) == 0.1_c_double * (4 * ranks + ranks * (ranks - 1) / 2), 'reprosum of tenths')
    call expect(all(most == [0.1_c_double, 1e16_c_double, 2._c_double]) .and. summands == 3 + ranks, 'reprosum: maxima')
    call expect(all(stats == [1, 0, 0, 0, 1, 0]) .and. all(differences == 0), 'reprosum: statistics')
    call shr_reprosum_setopts(repro_sum_rel_diff_max_in=1e-10_c_double)
    call shr_reprosum_calc(arr, sums, 4 + me, 10, 3, repro_sum_stats=stats, rel_diff=differences, commid=comm%MPI_VAL)
    call expect(stats(1) == 2 .and. stats(4) == 1 .and. differences(2, 3) == 0, 'reprosum: validation')
    call expect(differences(2, 2) > 0 .and. shr_reprosum_tolExceeded('test', 3, .false., 6, differences), &
        'reprosum: a plain sum that is wrong')
    call shr_reprosum_calc(reshape([ieee_value(more, ieee_positive_inf), ieee_value(more, ieee_quiet_nan)], [3, 2]), &
        sums, 3, 3, 2, allow_infnan=.true., commid=comm%MPI_VAL)
    call expect(sums(1) > huge(sums) .and. ieee_is_nan(sums(2)), 'reprosum of infinities')
    call shr_reprosum_calc(arr, sums, 4 + me, 10, 1)
    call expect(sums(1) == 0.1_c_double * (4 * ranks + ranks * (ranks - 1) / 2), 'reprosum of the world')
  end subroutine

end module
