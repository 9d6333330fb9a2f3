! SPDX-License-Identifier: BSD-3-Clause
! Calls with MPI's arguments, plans of them, and other calls that take a communicator.
#include "summand_mpi.inc"
#define BUFFERS type(c_ptr), value :: sendbuf, recvbuf, options
#define HANDLES SUMMAND_HANDLE, value :: datatype, op, comm
#define CODE integer(c_int) :: code
#define PLAN type(summand_plan), intent(out) :: plan
module summand_calls_of_c
  use summand_base
  use summand_more, only: summand_outer_matrix, summand_outer_options, summand_gossip_options, summand_gossip_report
  implicit none
  public

  interface
    function c_allreduce(sendbuf, recvbuf, count, datatype, op, comm, options) result(code) bind(C, name='summand_allreduce')
      import; BUFFERS; HANDLES; CODE
      integer(c_int), value :: count
    end function
    function c_allreduce_init(sendbuf, recvbuf, count, datatype, op, comm, options, plan) result(code) &
        bind(C, name='summand_allreduce_init')
      import; BUFFERS; HANDLES; CODE
      integer(c_int), value :: count; PLAN
    end function
    function c_scan(sendbuf, recvbuf, count, datatype, op, comm, options) result(code) bind(C, name='summand_scan')
      import; BUFFERS; HANDLES; CODE
      integer(c_int), value :: count
    end function
    function c_scan_init(sendbuf, recvbuf, count, datatype, op, comm, options, plan) result(code) &
        bind(C, name='summand_scan_init')
      import; BUFFERS; HANDLES; CODE
      integer(c_int), value :: count; PLAN
    end function
    function c_exscan(sendbuf, recvbuf, count, datatype, op, comm, options) result(code) bind(C, name='summand_exscan')
      import; BUFFERS; HANDLES; CODE
      integer(c_int), value :: count
    end function
    function c_exscan_init(sendbuf, recvbuf, count, datatype, op, comm, options, plan) result(code) &
        bind(C, name='summand_exscan_init')
      import; BUFFERS; HANDLES; CODE
      integer(c_int), value :: count; PLAN
    end function
    function c_reduce(sendbuf, recvbuf, count, datatype, op, root, comm, options) result(code) bind(C, name='summand_reduce')
      import; BUFFERS; HANDLES; CODE
      integer(c_int), value :: count, root
    end function
    function c_reduce_init(sendbuf, recvbuf, count, datatype, op, root, comm, options, plan) result(code) &
        bind(C, name='summand_reduce_init')
      import; BUFFERS; HANDLES; CODE
      integer(c_int), value :: count, root; PLAN
    end function
    function c_reduce_scatter_block(sendbuf, recvbuf, count, datatype, op, comm, options) result(code) &
        bind(C, name='summand_reduce_scatter_block')
      import; BUFFERS; HANDLES; CODE
      integer(c_int), value :: count
    end function
    function c_reduce_scatter_block_init(sendbuf, recvbuf, count, datatype, op, comm, options, plan) result(code) &
        bind(C, name='summand_reduce_scatter_block_init')
      import; BUFFERS; HANDLES; CODE
      integer(c_int), value :: count; PLAN
    end function
    function c_reduce_scatter(sendbuf, recvbuf, counts, datatype, op, comm, options) result(code) &
        bind(C, name='summand_reduce_scatter')
      import; BUFFERS; HANDLES; CODE
      integer(c_int), intent(in) :: counts(*)
    end function
    function c_reduce_scatter_init(sendbuf, recvbuf, counts, datatype, op, comm, options, plan) result(code) &
        bind(C, name='summand_reduce_scatter_init')
      import; BUFFERS; HANDLES; CODE
      integer(c_int), intent(in) :: counts(*); PLAN
    end function
    function c_ordered_reduce(sendbuf, recvbuf, count, displacement, datatype, op, root, comm, options) result(code) &
        bind(C, name='summand_ordered_reduce')
      import; BUFFERS; HANDLES; CODE
      integer(c_int64_t), value :: count, displacement; integer(c_int), value :: root
    end function
    function c_ordered_reduce_init(sendbuf, recvbuf, count, displacement, datatype, op, root, comm, options, plan) &
        result(code) bind(C, name='summand_ordered_reduce_init')
      import; BUFFERS; HANDLES; CODE
      integer(c_int64_t), value :: count, displacement; integer(c_int), value :: root; PLAN
    end function
    ! Of allgather(v) `op` is recvtype.
    function c_allgather(sendbuf, count, datatype, recvbuf, recvcount, op, comm, options) result(code) &
        bind(C, name='summand_allgather')
      import; BUFFERS; HANDLES; CODE
      integer(c_int), value :: count, recvcount
    end function
    function c_allgatherv(sendbuf, count, datatype, recvbuf, recvcounts, displs, op, comm, options) result(code) &
        bind(C, name='summand_allgatherv')
      import; BUFFERS; HANDLES; CODE
      integer(c_int), value :: count; integer(c_int), intent(in) :: recvcounts(*), displs(*)
    end function
    function c_allgather_init(sendbuf, count, datatype, recvbuf, recvcount, op, comm, options, plan) result(code) &
        bind(C, name='summand_allgather_init')
      import; BUFFERS; HANDLES; CODE
      integer(c_int), value :: count, recvcount; PLAN
    end function
    function c_allgatherv_init(sendbuf, count, datatype, recvbuf, recvcounts, displs, op, comm, options, plan) &
        result(code) bind(C, name='summand_allgatherv_init')
      import; BUFFERS; HANDLES; CODE
      integer(c_int), value :: count; integer(c_int), intent(in) :: recvcounts(*), displs(*)
      PLAN
    end function
    function c_bcast(buffer, count, datatype, root, comm, options) result(code) bind(C, name='summand_bcast')
      import; CODE; type(c_ptr), value :: buffer, options; integer(c_int), value :: count, root
      SUMMAND_HANDLE, value :: datatype, comm
    end function
    function c_bcast_init(buffer, count, datatype, root, comm, options, plan) result(code) bind(C, name='summand_bcast_init')
      import; CODE; type(c_ptr), value :: buffer, options; integer(c_int), value :: count, root
      SUMMAND_HANDLE, value :: datatype, comm; PLAN
    end function
    function c_exact_vector_reduce(vector, y, datatype, root, comm, options) result(code) &
        bind(C, name='summand_exact_vector_reduce')
      import; CODE; type(c_ptr), value :: vector, y, options; integer(c_int), value :: root
      SUMMAND_HANDLE, value :: datatype, comm
    end function
    function c_outer(pairs, n, alpha, matrices, beta, datatype, root, comm, options) result(code) bind(C, name='summand_outer')
      import; CODE
      integer(c_int64_t), value :: pairs; integer(c_int), value :: n, root; real(c_double), value :: alpha, beta
      type(summand_outer_matrix), intent(in) :: matrices(*); SUMMAND_HANDLE, value :: datatype, comm
      type(summand_outer_options), intent(in) :: options
    end function
    function c_outer_init(pairs, n, alpha, matrices, beta, datatype, root, comm, options, plan) result(code) &
        bind(C, name='summand_outer_init')
      import; CODE
      integer(c_int64_t), value :: pairs; integer(c_int), value :: n, root; real(c_double), value :: alpha, beta
      type(summand_outer_matrix), intent(in) :: matrices(*); SUMMAND_HANDLE, value :: datatype, comm
      type(summand_outer_options), intent(in) :: options; type(summand_plan), intent(out) :: plan
    end function
    function c_gossip(sendbuf, recvbuf, count, datatype, op, comm, options, report) result(code) &
        bind(C, name='summand_gossip_allreduce')
      import; CODE; type(c_ptr), value :: sendbuf, recvbuf, report; integer(c_int), value :: count
      SUMMAND_HANDLE, value :: datatype, op, comm; type(summand_gossip_options), intent(in) :: options
    end function
    function c_segment(bytes, ids, comm, options, segment) result(code) bind(C, name='summand_segment_create')
      import; CODE; integer(c_int64_t), value :: bytes; integer(c_int), value :: ids
      SUMMAND_HANDLE, value :: comm; type(c_ptr), value :: options; type(c_ptr), intent(out) :: segment
    end function
  end interface
end module
#undef BUFFERS
#undef HANDLES
#undef CODE
#undef PLAN

#define COMM integer
#define OF
#define TYPE_OF integer
#define OPERATOR integer
module summand_calls_integer
#include "summand_call.inc"
end module
#undef COMM
#undef OF
#undef TYPE_OF
#undef OPERATOR

#ifdef SUMMAND_MPI_F08
#define COMM type(MPI_Comm)
#define OF %MPI_VAL
#define TYPE_OF type(MPI_Datatype)
#define OPERATOR type(MPI_Op)
module summand_calls_f08
#include "summand_call.inc"
end module
#endif
