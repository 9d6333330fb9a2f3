# SPDX-License-Identifier: BSD-3-Clause
# The MPI: MPI::MPI_C, MPI_C_COMPILER, MPIEXEC_EXECUTABLE, and the kind of its handles (summand/mpi.h):
#   summand_mpi_kind  openmpi, mpich, abi (the standard ABI of MPI 5, whoever's it is), or other
#   summand_mpi_name  for people
#   summand_starts    what starts a program of the build that needs the MPI's file but calls nothing of it
option(SUMMAND_MPI_ABI "Build for the standard ABI of MPI 5 without an MPI: by the header in packaging/mpi_abi" OFF)
# A line that the mpi.h of each kind has, and a condition that its macros fulfil. An MPI has a second mpi.h for the
# standard ABI (mpicc_abi); in Open MPI's own one the version is negative.
set(summand_mark_abi "^#define MPI_ABI_VERSION +[1-9]")
set(summand_test_abi "MPI_ABI_VERSION > 0")
set(summand_mark_openmpi "^#define OPEN_MPI ")
set(summand_test_openmpi "defined(OPEN_MPI)")
set(summand_mark_mpich "^#define MPICH_VERSION ")
set(summand_test_mpich "defined(MPICH_VERSION)")
if(NOT SUMMAND_MPI_ABI)
    # Without this the version string of the MPI stays empty.
    set(MPI_DETERMINE_LIBRARY_VERSION TRUE)
    find_package(MPI REQUIRED COMPONENTS C)
    include(SummandMpi)
    summand_wrong_suffix(wrong)
    if(wrong)
        message(FATAL_ERROR "${wrong}; -DMPI_C_COMPILER= names another compiler of an MPI")
    endif()
    string(REGEX REPLACE "[,\n].*" "" summand_mpi_name "${MPI_C_LIBRARY_VERSION_STRING}")
    string(REGEX REPLACE "[ \t:]+" " " summand_mpi_name "${summand_mpi_name}")
    include(CheckCSourceCompiles)
    set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_C)
    set(summand_mpi_kind other)
    foreach(kind abi openmpi mpich)
        check_c_source_compiles("#include <mpi.h>
            #if !(${summand_test_${kind}})
            #error another kind
            #endif
            int main(void) { return 0; }" SUMMAND_MPI_IS_${kind})
        if(SUMMAND_MPI_IS_${kind})
            set(summand_mpi_kind ${kind})
            break()
        endif()
    endforeach()
    unset(CMAKE_REQUIRED_LIBRARIES)
    if(summand_mpi_kind STREQUAL "abi")
        set(summand_mpi_name "the standard ABI of MPI 5")
    endif()
    return()
endif()

set(summand_mpi_kind abi)
set(summand_mpi_name "the standard ABI of MPI 5")
# A library to link with, whose functions abort. It is found by -L and -l, so that no program looks for it at run time.
set(abi_source ${CMAKE_CURRENT_LIST_DIR}/../packaging/mpi_abi)
get_filename_component(abi_source ${abi_source} ABSOLUTE)
set(abi_folder ${CMAKE_CURRENT_BINARY_DIR}/mpi_abi)
separate_arguments(abi_flags UNIX_COMMAND "${CMAKE_C_FLAGS}")
file(MAKE_DIRECTORY ${abi_folder}/run)
execute_process(COMMAND ${CMAKE_C_COMPILER} ${abi_flags} -std=c11 -fPIC -shared -Wl,-soname,libmpi_abi.so.1
    -o ${abi_folder}/libmpi_abi.so ${abi_source}/library.c RESULT_VARIABLE status)
if(status)
    message(FATAL_ERROR "${abi_source}/library.c does not compile")
endif()
execute_process(COMMAND ${CMAKE_COMMAND} -E create_symlink ../libmpi_abi.so ${abi_folder}/run/libmpi_abi.so.1)
set(summand_starts ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${abi_folder}/run:$ENV{LD_LIBRARY_PATH})
add_library(MPI::MPI_C INTERFACE IMPORTED)
set_target_properties(MPI::MPI_C PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${abi_source}
    INTERFACE_LINK_LIBRARIES "-L${abi_folder};-lmpi_abi")
# Compiles and links as an MPI's compiler does.
file(WRITE ${abi_folder}/mpicc_abi
    "#!/bin/sh\nexec ${CMAKE_C_COMPILER} -I'${abi_source}' \"$@\" -L'${abi_folder}' -lmpi_abi\n")
execute_process(COMMAND chmod +x ${abi_folder}/mpicc_abi)
set(MPI_C_COMPILER ${abi_folder}/mpicc_abi)
set(MPI_C_VERSION 5.0)
set(MPIEXEC_NUMPROC_FLAG -n)
# Only tests run what is built, with any MPI's library, and by the launcher of that MPI.
find_library(SUMMAND_MPI_ABI_LIBRARY NAMES libmpi_abi.so.1 NAMES_PER_DIR DOC "An MPI's own library of the standard ABI")
set(launcher)
if(SUMMAND_MPI_ABI_LIBRARY)
    file(STRINGS ${SUMMAND_MPI_ABI_LIBRARY} MPI_C_LIBRARY_VERSION_STRING REGEX "^(MPICH Version|Open MPI v)" LIMIT_COUNT 1)
    if(MPI_C_LIBRARY_VERSION_STRING MATCHES "Open MPI")
        set(launcher mpiexec.openmpi)
    elseif(MPI_C_LIBRARY_VERSION_STRING MATCHES "MPICH")
        set(launcher mpiexec.mpich)
    endif()
endif()
find_program(MPIEXEC_EXECUTABLE NAMES ${launcher} mpiexec mpirun DOC "Starts programs of the standard ABI")
