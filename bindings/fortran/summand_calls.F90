! SPDX-License-Identifier: BSD-3-Clause
! Calls with MPI's arguments, plans of them, and other calls that take a communicator.
#include "summand_mpi.inc"
#define CODE integer(c_int) :: code
module summand_calls_of_c
  use summand_base
  use summand_more, only: summand_outer_matrix, summand_outer_options, summand_gossip_options, summand_gossip_report
  implicit none
  public

  interface
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
#undef CODE

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
