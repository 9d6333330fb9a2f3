# SPDX-License-Identifier: BSD-3-Clause
# Preset tsan: the tests of threads under ThreadSanitizer, and nothing else. The MPI is not built with it:
# tsan.supp says what that leaves out.
# The longest history: what it cannot restore the stack of is not found in tsan.supp.
set(options "suppressions=${CMAKE_CURRENT_SOURCE_DIR}/tsan.supp exitcode=66 history_size=7")
add_custom_target(tests-of-threads)

# It wants memory where a process finds it without random addresses, which some kernels spread too far.
set(fixed)
execute_process(COMMAND setarch -R true RESULT_VARIABLE refused OUTPUT_QUIET ERROR_QUIET)
if(refused EQUAL 0)
    set(fixed setarch -R)
endif()

function(add_threads_test test program)
    add_test(NAME ${test} COMMAND ${fixed} ${ARGN})
    set_tests_properties(${test} PROPERTIES LABELS quick TIMEOUT 600 PROCESSORS 4
        ENVIRONMENT "${mpi_environment};TSAN_OPTIONS=${options}")
    add_dependencies(tests-of-threads ${program})
endfunction()

set(units test_first_use test_gossip_simulators)
if(NOT TARGET PkgConfig::CMOCKA)
    set(units)
endif()
foreach(name ${units})
    add_executable(${name} unit/${name}.c)
    target_include_directories(${name} PRIVATE ${summand_internal} ${CMAKE_CURRENT_SOURCE_DIR})
    target_link_libraries(${name} PRIVATE summand-lab PkgConfig::CMOCKA m)
    add_threads_test(threads/${name} ${name} $<TARGET_FILE:${name}>)
endforeach()

set(mpi_environment ${launcher_environment} SUMMAND_CALIBRATION=off SUMMAND_NETWORK=off
    OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_smsc=^cma,xpmem,knem)
foreach(case test_threads/1 test_threads/2 test_threads_long/2 test_fabric_threads/2 test_reduce_errors/2)
    string(REGEX REPLACE "/.*" "" name ${case})
    string(REGEX REPLACE ".*/" "" np ${case})
    if(NOT TARGET ${name})
        add_executable(${name} mpi/${name}.c)
        target_include_directories(${name} PRIVATE ${summand_internal} ${CMAKE_CURRENT_SOURCE_DIR})
        target_link_libraries(${name} PRIVATE summand m)
        wrap_mpi(${name} ${CMAKE_CURRENT_SOURCE_DIR}/mpi/${name}.c)
        target_compile_options(${name} PRIVATE $<$<C_COMPILER_ID:GNU>:-Wno-format-truncation>)
    endif()
    add_threads_test(threads/${name}/np${np} ${name}
        ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${np} $<TARGET_FILE:${name}>)
endforeach()
