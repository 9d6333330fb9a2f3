! SPDX-License-Identifier: BSD-3-Clause
! Summand for Fortran: docs/fortran.md. Each name is that of C, and its header says what it promises.
#include "summand_mpi.inc"
module summand
  use summand_base, only: summand_options, summand_plan, SUMMAND_ROOT_ALL, SUMMAND_DISPLACEMENT_APPEND, &
      SUMMAND_PROMISE_DEFAULT, SUMMAND_PROMISE_NONE, SUMMAND_PROMISE_SAME, SUMMAND_PROMISE_RANK_ORDER, &
      SUMMAND_PROMISE_CANONICAL, SUMMAND_PROMISE_INDEX, SUMMAND_PROMISE_EXACT, SUMMAND_CHECKED_DEFAULT, &
      SUMMAND_CHECKED_OFF, SUMMAND_CHECKED_DETECT, SUMMAND_CHECKED_CORRECT, SUMMAND_KIND_SUM, SUMMAND_KIND_ASUM, &
      SUMMAND_KIND_DOT, SUMMAND_KIND_NRM2, SUMMAND_KIND_DOT_CONJUGATED, SUMMAND_ERR_NONE, SUMMAND_ERR_MEMORY, &
      SUMMAND_ERR_DATATYPE, SUMMAND_ERR_DISTRIBUTION, SUMMAND_ERR_ARGUMENT, SUMMAND_ERR_BUSY, SUMMAND_ERR_ENVIRONMENT, &
      SUMMAND_ERR_ALGORITHM, SUMMAND_ERR_MISMATCH, SUMMAND_ERR_NOT_FINITE, SUMMAND_ERR_REMOTE, SUMMAND_ERR_TIMEOUT, &
      SUMMAND_ERR_NOT_STARTED, SUMMAND_ERR_DAMAGED, SUMMAND_ERR_FILE, SUMMAND_ERR_COMMUNICATORS, &
      SUMMAND_ERR_NOT_CONVERGED
  use summand_real32
  use summand_real64
  use summand_complex32
  use summand_complex64
  use summand_exact_sums
  use summand_plans
  use summand_matrices
  use summand_more
  use summand_calls_integer
#ifdef SUMMAND_MPI_F08
  use summand_calls_f08
#endif
  implicit none
  public
end module
