! SPDX-License-Identifier: BSD-3-Clause
! The exact sum of one process's numbers: 1. Each of two ranks prints the sum over all ranks, 2.
program parent
    use, intrinsic :: iso_c_binding
    use mpi
    implicit none
    interface
        type(c_ptr) function vector_new(count) bind(C, name='summand_exact_vector_new')
            import :: c_ptr, c_size_t
            integer(c_size_t), value :: count
        end function
        integer(c_int) function vector_add(vector, rows, lead, x) bind(C, name='summand_exact_vector_add')
            import :: c_ptr, c_size_t, c_int, c_double
            type(c_ptr), value :: vector
            integer(c_size_t), value :: rows, lead
            real(c_double), intent(in) :: x(*)
        end function
        integer(c_int) function vector_round(vector, y) bind(C, name='summand_exact_vector_round')
            import :: c_ptr, c_int, c_double
            type(c_ptr), value :: vector
            real(c_double), intent(out) :: y(*)
        end function
        subroutine vector_free(vector) bind(C, name='summand_exact_vector_free')
            import :: c_ptr
            type(c_ptr) :: vector
        end subroutine
    end interface
    real(c_double) :: x(3) = [1d16, 1d0, -1d16], y(1), total(1)
    type(c_ptr) :: vector
    integer :: error
    call MPI_Init(error)
    vector = vector_new(1_c_size_t)
    if (vector_add(vector, 3_c_size_t, 1_c_size_t, x) /= 0) stop 1
    if (vector_round(vector, y) /= 0) stop 2
    call vector_free(vector)
    call MPI_Allreduce(y, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
    print '(i0)', nint(total(1))
    call MPI_Finalize(error)
end program
