/* SPDX-License-Identifier: BSD-3-Clause */
/* The program's MPI, and two guards. A library serves one kind of MPI: MPICH's handles are
 * integers, Open MPI's are addresses, and those of the standard ABI of MPI 5 are constants, the
 * same ones with any MPI that has this ABI.
 * - What was installed, or is used by pkg-config, has a header that says for which MPI it was
 * built. Compiling with another MPI's mpicc is an error that says so.
 * - Each file that includes this header needs a symbol that only a library for the file's MPI has.
 *   With another one, or a static one that stands before the file, linking ends with
 *       undefined reference to `summand_link_after_this_the_library_for_mpich'
 *   and a program that finds such a shared library at its start ends with the same symbol.
 * Compile by the mpicc of the library's MPI, or take the Summand of your MPI (docs/linking.md).
 * MPIs of other kinds have no guard. */
#ifndef SUMMAND_MPI_H
#define SUMMAND_MPI_H

#include <mpi.h>
#include <summand/version.h>

#if defined(__has_include)
#if __has_include(<summand/built_for.h>)
#include <summand/built_for.h>
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

#if defined(MPI_ABI_VERSION) && MPI_ABI_VERSION > 0
#define SUMMAND_GUARD summand_link_after_this_the_library_for_mpi_abi
#elif defined(OPEN_MPI)
#define SUMMAND_GUARD summand_link_after_this_the_library_for_open_mpi
#elif defined(MPICH_VERSION)
#define SUMMAND_GUARD summand_link_after_this_the_library_for_mpich
#endif

#if defined(SUMMAND_GUARD)
/** Does nothing. A library has the one of its own MPI alone. Local. */
SUMMAND_API void SUMMAND_GUARD(void);
#if defined(__GNUC__)
static void (*const summand_guard_)(void) __attribute__((used)) = SUMMAND_GUARD;
#endif
#endif

#ifdef __cplusplus
}
#endif
#endif
