# SPDX-License-Identifier: BSD-3-Clause
# What is installed, used from outside; what the libraries export and hold. Sanitizers would have to be in the
# programs outside as well.
if(SUMMAND_SANITIZE OR NOT SUMMAND_SHARED OR NOT SUMMAND_INSTALL)
    return()
endif()
set(mpicxx)
if(SUMMAND_WITH_MPI AND SUMMAND_COMMAND)
    # The MPI's compiler for C++ may be here without the one that it calls.
    string(REGEX REPLACE "mpicc([^/]*)$" "mpicxx\\1" mpicxx "${MPI_C_COMPILER}")
    file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/try.cpp "#include <vector>\n")
    execute_process(COMMAND ${mpicxx} -fsyntax-only ${CMAKE_CURRENT_BINARY_DIR}/try.cpp
        RESULT_VARIABLE refused OUTPUT_QUIET ERROR_QUIET)
    if(refused)
        set(mpicxx)
        message(STATUS "Tests left out: programs in C++ (a C++ compiler)")
        if(SUMMAND_TESTS_ALL)
            message(FATAL_ERROR "${MPI_C_COMPILER} has no C++ beside it; SUMMAND_TESTS_ALL asks for all tests")
        endif()
    endif()
    add_test(NAME install/install
        COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/install/test_install.sh ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}
            ${CMAKE_COMMAND} ${MPI_C_COMPILER} ${MPIEXEC_EXECUTABLE} "${mpicxx}" "${MPI_EXECUTABLE_SUFFIX}")
    # It keeps a core busy for half a minute: not at the end.
    set_tests_properties(install/install PROPERTIES LABELS quick TIMEOUT 1200 PROCESSORS 4 COST 90
        ENVIRONMENT "${mpi_environment}")
endif()
if(SUMMAND_WITH_MPI AND SUMMAND_COMMAND)
    foreach(kind plain lto)
        add_test(NAME install/parents_${kind}
            COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/install/test_parents.sh ${kind} ${PROJECT_SOURCE_DIR} ${CMAKE_COMMAND}
                ${MPIEXEC_EXECUTABLE} -DMPI_EXECUTABLE_SUFFIX=${MPI_EXECUTABLE_SUFFIX})
        set(label long_once)
        if(kind STREQUAL lto)
            set(label longest)
        endif()
        # The library is compiled once more: a minute of processor time.
        set_tests_properties(install/parents_${kind} PROPERTIES LABELS ${label} TIMEOUT 1800 PROCESSORS 8
            ENVIRONMENT "${mpi_environment}")
    endforeach()
endif()
add_test(NAME install/dist
    COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/install/test_dist.sh ${PROJECT_SOURCE_DIR} ${CMAKE_COMMAND})
set_tests_properties(install/dist PROPERTIES LABELS long_once TIMEOUT 1200 PROCESSORS 4 SKIP_RETURN_CODE 77)
if(SUMMAND_WITH_MPI AND SUMMAND_COMMAND)
    add_test(NAME install/side_by_side
        COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/install/test_side_by_side.sh ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}
            ${CMAKE_COMMAND})
    set_tests_properties(install/side_by_side PROPERTIES LABELS longest TIMEOUT 1800 PROCESSORS 8 SKIP_RETURN_CODE 77
        ENVIRONMENT "${mpi_environment}")
endif()
if(TARGET summand-pages)
    add_test(NAME install/site
        COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/install/test_site.sh ${PROJECT_SOURCE_DIR} $<TARGET_FILE:summand-pages>)
    set_tests_properties(install/site PROPERTIES LABELS long_once TIMEOUT 900 PROCESSORS 4 SKIP_RETURN_CODE 77)
endif()
add_test(NAME install/symbols
    COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/install/test_symbols.sh ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}
        ${CMAKE_C_COMPILER} ${MPI_C_COMPILER})
set_tests_properties(install/symbols PROPERTIES LABELS quick)
if(SUMMAND_WITH_MPI AND SUMMAND_COMMAND)
    add_test(NAME install/mpi_abi
        COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/install/test_mpi_abi.sh ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}
            ${CMAKE_C_COMPILER} ${summand_mpi_kind} ${MPI_C_COMPILER})
    set_tests_properties(install/mpi_abi PROPERTIES LABELS quick TIMEOUT 900 PROCESSORS 4 ENVIRONMENT "${mpi_environment}")
    add_test(NAME install/state
        COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/install/test_state.sh ${PROJECT_BINARY_DIR})
    set_tests_properties(install/state PROPERTIES LABELS quick)
endif()
# Unless whoever builds asks for one processor.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND SUMMAND_WITH_MPI AND SUMMAND_COMMAND AND
        NOT "${CMAKE_C_FLAGS} $ENV{CFLAGS}" MATCHES "-m(arch|avx)")
    add_test(NAME install/instruction_sets
        COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/install/test_instruction_sets.sh ${PROJECT_BINARY_DIR})
    set_tests_properties(install/instruction_sets PROPERTIES LABELS quick)
endif()
