! SPDX-License-Identifier: BSD-3-Clause
! Reductions of vectors, and plans.
#include "summand_mpi.inc"
module summand_calls_of_c
  use summand_base
  implicit none
  public

  interface
    function c_allreduce(sendbuf, recvbuf, count, datatype, op, comm, options) &
        result(code) bind(C, name='summand_allreduce')
      import
      type(c_ptr), value :: sendbuf, recvbuf, options
      integer(c_int), value :: count
      SUMMAND_HANDLE, value :: datatype, op, comm
      integer(c_int) :: code
    end function
    function c_allreduce_init(sendbuf, recvbuf, count, datatype, op, comm, options, plan) &
        result(code) bind(C, name='summand_allreduce_init')
      import
      type(c_ptr), value :: sendbuf, recvbuf, options
      integer(c_int), value :: count
      SUMMAND_HANDLE, value :: datatype, op, comm
      type(summand_plan), intent(out) :: plan
      integer(c_int) :: code
    end function
    function c_reduce(sendbuf, recvbuf, count, datatype, op, root, comm, options) &
        result(code) bind(C, name='summand_reduce')
      import
      type(c_ptr), value :: sendbuf, recvbuf, options
      integer(c_int), value :: count, root
      SUMMAND_HANDLE, value :: datatype, op, comm
      integer(c_int) :: code
    end function
    function c_reduce_init(sendbuf, recvbuf, count, datatype, op, root, comm, options, plan) &
        result(code) bind(C, name='summand_reduce_init')
      import
      type(c_ptr), value :: sendbuf, recvbuf, options
      integer(c_int), value :: count, root
      SUMMAND_HANDLE, value :: datatype, op, comm
      type(summand_plan), intent(out) :: plan
      integer(c_int) :: code
    end function
    function c_reduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, comm, options) &
        result(code) bind(C, name='summand_reduce_scatter_block')
      import
      type(c_ptr), value :: sendbuf, recvbuf, options
      integer(c_int), value :: recvcount
      SUMMAND_HANDLE, value :: datatype, op, comm
      integer(c_int) :: code
    end function
    function c_reduce_scatter_block_init(sendbuf, recvbuf, recvcount, datatype, op, comm, options, plan) &
        result(code) bind(C, name='summand_reduce_scatter_block_init')
      import
      type(c_ptr), value :: sendbuf, recvbuf, options
      integer(c_int), value :: recvcount
      SUMMAND_HANDLE, value :: datatype, op, comm
      type(summand_plan), intent(out) :: plan
      integer(c_int) :: code
    end function
    function c_reduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, comm, options) &
        result(code) bind(C, name='summand_reduce_scatter')
      import
      type(c_ptr), value :: sendbuf, recvbuf, options
      integer(c_int), intent(in) :: recvcounts(*)
      SUMMAND_HANDLE, value :: datatype, op, comm
      integer(c_int) :: code
    end function
    function c_reduce_scatter_init(sendbuf, recvbuf, recvcounts, datatype, op, comm, options, plan) &
        result(code) bind(C, name='summand_reduce_scatter_init')
      import
      type(c_ptr), value :: sendbuf, recvbuf, options
      integer(c_int), intent(in) :: recvcounts(*)
      SUMMAND_HANDLE, value :: datatype, op, comm
      type(summand_plan), intent(out) :: plan
      integer(c_int) :: code
    end function
    function c_ordered_reduce(sendbuf, recvbuf, count, displacement, datatype, op, root, comm, options) &
        result(code) bind(C, name='summand_ordered_reduce')
      import
      type(c_ptr), value :: sendbuf, recvbuf, options
      integer(c_int64_t), value :: count, displacement
      integer(c_int), value :: root
      SUMMAND_HANDLE, value :: datatype, op, comm
      integer(c_int) :: code
    end function
    function c_ordered_reduce_init(sendbuf, recvbuf, count, displacement, datatype, op, root, comm, options, plan) &
        result(code) bind(C, name='summand_ordered_reduce_init')
      import
      type(c_ptr), value :: sendbuf, recvbuf, options
      integer(c_int64_t), value :: count, displacement
      integer(c_int), value :: root
      SUMMAND_HANDLE, value :: datatype, op, comm
      type(summand_plan), intent(out) :: plan
      integer(c_int) :: code
    end function
    function c_bcast(buffer, count, datatype, root, comm, options) &
        result(code) bind(C, name='summand_bcast')
      import
      type(c_ptr), value :: buffer, options
      integer(c_int), value :: count, root
      SUMMAND_HANDLE, value :: datatype, comm
      integer(c_int) :: code
    end function
    function c_bcast_init(buffer, count, datatype, root, comm, options, plan) &
        result(code) bind(C, name='summand_bcast_init')
      import
      type(c_ptr), value :: buffer, options
      integer(c_int), value :: count, root
      SUMMAND_HANDLE, value :: datatype, comm
      type(summand_plan), intent(out) :: plan
      integer(c_int) :: code
    end function
    function c_exact_vector_reduce(vector, y, datatype, root, comm, options) result(code) &
        bind(C, name='summand_exact_vector_reduce')
      import
      type(c_ptr), value :: vector, y, options
      integer(c_int), value :: root
      SUMMAND_HANDLE, value :: datatype, comm
      integer(c_int) :: code
    end function
  end interface
end module

#define COMM integer
#define TYPE_OF integer
#define OPERATOR integer
module summand_calls_integer
  use summand_calls_of_c
  implicit none
  private
  public :: summand_allreduce
  public :: summand_allreduce_init
  public :: summand_reduce
  public :: summand_reduce_init
  public :: summand_reduce_scatter_block
  public :: summand_reduce_scatter_block_init
  public :: summand_reduce_scatter
  public :: summand_reduce_scatter_init
  public :: summand_ordered_reduce
  public :: summand_ordered_reduce_init
  public :: summand_bcast
  public :: summand_bcast_init
  public :: summand_exact_vector_reduce
  interface summand_allreduce
    module procedure allreduce
  end interface
  interface summand_allreduce_init
    module procedure allreduce_init
  end interface
  interface summand_reduce
    module procedure reduce
  end interface
  interface summand_reduce_init
    module procedure reduce_init
  end interface
  interface summand_reduce_scatter_block
    module procedure reduce_scatter_block
  end interface
  interface summand_reduce_scatter_block_init
    module procedure reduce_scatter_block_init
  end interface
  interface summand_reduce_scatter
    module procedure reduce_scatter
  end interface
  interface summand_reduce_scatter_init
    module procedure reduce_scatter_init
  end interface
  interface summand_ordered_reduce
    module procedure ordered_reduce
  end interface
  interface summand_ordered_reduce_init
    module procedure ordered_reduce_init
  end interface
  interface summand_bcast
    module procedure bcast
  end interface
  interface summand_bcast_init
    module procedure bcast_init
  end interface
  interface summand_exact_vector_reduce
    module procedure exact_vector_reduce
  end interface
contains
#include "summand_call.inc"
end module
#undef COMM
#undef TYPE_OF
#undef OPERATOR

#ifdef SUMMAND_MPI_F08
#define COMM type(MPI_Comm)
#define TYPE_OF type(MPI_Datatype)
#define OPERATOR type(MPI_Op)
module summand_calls_f08
  use summand_calls_of_c
  implicit none
  private
  public :: summand_allreduce
  public :: summand_allreduce_init
  public :: summand_reduce
  public :: summand_reduce_init
  public :: summand_reduce_scatter_block
  public :: summand_reduce_scatter_block_init
  public :: summand_reduce_scatter
  public :: summand_reduce_scatter_init
  public :: summand_ordered_reduce
  public :: summand_ordered_reduce_init
  public :: summand_bcast
  public :: summand_bcast_init
  public :: summand_exact_vector_reduce
  interface summand_allreduce
    module procedure allreduce
  end interface
  interface summand_allreduce_init
    module procedure allreduce_init
  end interface
  interface summand_reduce
    module procedure reduce
  end interface
  interface summand_reduce_init
    module procedure reduce_init
  end interface
  interface summand_reduce_scatter_block
    module procedure reduce_scatter_block
  end interface
  interface summand_reduce_scatter_block_init
    module procedure reduce_scatter_block_init
  end interface
  interface summand_reduce_scatter
    module procedure reduce_scatter
  end interface
  interface summand_reduce_scatter_init
    module procedure reduce_scatter_init
  end interface
  interface summand_ordered_reduce
    module procedure ordered_reduce
  end interface
  interface summand_ordered_reduce_init
    module procedure ordered_reduce_init
  end interface
  interface summand_bcast
    module procedure bcast
  end interface
  interface summand_bcast_init
    module procedure bcast_init
  end interface
  interface summand_exact_vector_reduce
    module procedure exact_vector_reduce
  end interface
contains
#include "summand_call.inc"
end module
#endif
