! SPDX-License-Identifier: BSD-3-Clause
! Reductions by one of Fortran's three interfaces to MPI: INTERFACE is 1 (mpif.h), 2 (use mpi) or 3 (use mpi_f08).
! Prints lines that do not depend on the order of additions, so they are the same with and without the shim.
#if INTERFACE == 3
#define COMMUNICATOR type(MPI_Comm)
#else
#define COMMUNICATOR integer
#endif
program reductions
#if INTERFACE == 3
    use mpi_f08
#elif INTERFACE == 2
    use mpi
#endif
    implicit none
#if INTERFACE == 1
    include 'mpif.h'
#endif
    integer, parameter :: n = 6
    double precision :: x(n), y(n), sent(n), strided(2 * n), all(64)
    complex(kind(1d0)) :: z(2)
    integer :: i, rank, ranks, ierror, counts(16), displs(16), provided, place(1)
    COMMUNICATOR :: comm
    integer(kind=MPI_ADDRESS_KIND) :: address(1)
#if INTERFACE == 3
    type(MPI_Datatype) :: absolute
    type(MPI_Request) :: requests(3)
#else
    integer :: absolute, requests(3)
#endif
    logical :: done

    call MPI_Init_thread(MPI_THREAD_SINGLE, provided, ierror)
    comm = MPI_COMM_WORLD
    call MPI_Comm_rank(comm, rank, ierror)
    call MPI_Comm_size(comm, ranks, ierror)
    x = [(dble((rank + 1) * i), i = 1, n)]

    y = -1
    call MPI_Allreduce(x, y, n, MPI_DOUBLE_PRECISION, MPI_SUM, comm, ierror)
    call tell('allreduce', y)
    y = x
    call MPI_Allreduce(MPI_IN_PLACE, y, n, MPI_DOUBLE_PRECISION, MPI_SUM, comm, ierror)
    call tell('allreduce in place', y)
    y = x
    if (rank == 0) then
        call MPI_Reduce(MPI_IN_PLACE, y, n, MPI_DOUBLE_PRECISION, MPI_MAX, 0, comm, ierror)
    else
        call MPI_Reduce(x, y, n, MPI_DOUBLE_PRECISION, MPI_MAX, 0, comm, ierror)
    end if
    call tell('reduce in place', y)
    z = [cmplx(rank, 1, kind(1d0)), cmplx(2, rank, kind(1d0))]
    call MPI_Allreduce(MPI_IN_PLACE, z, 2, MPI_DOUBLE_COMPLEX, MPI_SUM, comm, ierror)
    call tell('complex', [dble(z(1)), aimag(z(1)), dble(z(2)), aimag(z(2)), 0d0, 0d0])

    y = 0
    if (rank == 0) y = x
    call MPI_Bcast(y, n, MPI_DOUBLE_PRECISION, 0, comm, ierror)
    call tell('bcast', y)
    ! MPI_BOTTOM with the address of y.
    call MPI_Get_address(y, address(1), ierror)
    place = n
    call MPI_Type_create_hindexed(1, place, address, MPI_DOUBLE_PRECISION, absolute, ierror)
    call MPI_Type_commit(absolute, ierror)
    y = rank
    call MPI_Bcast(MPI_BOTTOM, 1, absolute, ranks - 1, comm, ierror)
    call hide(y)
    call tell('bcast at MPI_BOTTOM', y)

    all = -1
    call MPI_Allgather(x, 2, MPI_DOUBLE_PRECISION, all, 2, MPI_DOUBLE_PRECISION, comm, ierror)
    call tell('allgather', all(1:n))
    all = 0
    all(2 * rank + 1) = rank
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 2, MPI_DOUBLE_PRECISION, comm, ierror)
    call tell('allgather in place', all(1:n))
    counts(1:ranks) = [(1 + mod(i, 2), i = 1, ranks)]
    displs(1) = 0
    do i = 2, ranks
        displs(i) = displs(i - 1) + counts(i - 1)
    end do
    all = 0
    call MPI_Allgatherv(x, counts(rank + 1), MPI_DOUBLE_PRECISION, all, counts, displs, MPI_DOUBLE_PRECISION, comm, ierror)
    call tell('allgatherv', all(1:n))
    y = 0
    call MPI_Reduce_scatter_block(x, y, 1, MPI_DOUBLE_PRECISION, MPI_SUM, comm, ierror)
    call tell('reduce_scatter_block', y)
    ! Not contiguous: the descriptors of mpi_f08 tell, if the MPI reads them; the others get a copy.
    strided = 0
    if (rank == 0) strided(1 :: 2) = x
    call MPI_Bcast(strided(1 :: 2), n, MPI_DOUBLE_PRECISION, 0, comm, ierror)
    call tell('strided', strided(1 : n))
    ! Requests: in an array with one of a message, and polled.
    y = x
    sent = 0
    if (rank == ranks - 1) sent = x
    call MPI_Iallreduce(MPI_IN_PLACE, y, n, MPI_DOUBLE_PRECISION, MPI_SUM, comm, requests(1), ierror)
    call MPI_Irecv(place, 1, MPI_INTEGER, rank, 7, comm, requests(2), ierror)
    call MPI_Ibcast(sent, n, MPI_DOUBLE_PRECISION, ranks - 1, comm, requests(3), ierror)
    call MPI_Send(rank, 1, MPI_INTEGER, rank, 7, comm, ierror)
    done = .false.
    do while (.not. done)
        call MPI_Test(requests(3), done, MPI_STATUS_IGNORE, ierror)
    end do
    call MPI_Waitall(3, requests, MPI_STATUSES_IGNORE, ierror)
    call hide(y)
    call hide(sent)
    call tell('iallreduce in place', y)
    call tell('ibcast', sent)
    call MPI_Type_free(absolute, ierror)
    call MPI_Finalize(ierror)

contains

    ! The compiler must not know what a call through MPI_BOTTOM changes.
    subroutine hide(values)
        double precision, volatile :: values(n)
        values(1) = values(1)
    end subroutine

    ! The numbers of all ranks, on rank 0; gathered by a call that the shim leaves alone.
    subroutine tell(name, values)
        character(*), intent(in) :: name
        double precision, intent(in) :: values(n)
        double precision :: gathered(n * 16)
        call MPI_Gather(values, n, MPI_DOUBLE_PRECISION, gathered, n, MPI_DOUBLE_PRECISION, 0, comm, ierror)
        if (rank == 0) print '(a, 100f7.1)', name, gathered(1 : n * ranks)
    end subroutine
end program
