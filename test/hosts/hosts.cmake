# SPDX-License-Identifier: BSD-3-Clause
# hosts/: ranks on several hosts of run.sh. The kernel may refuse namespaces: then a test is left out. Quick parts belong to
# `make check-all`, a minute and a half in all; all of it to `make check-long`.
foreach(program bits struck)
    add_executable(hosts-${program} hosts/${program}.c)
    target_include_directories(hosts-${program} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
    target_link_libraries(hosts-${program} PRIVATE summand m)
endforeach()
set(leave)
if(is_mpich)
    add_library(hosts-leave MODULE hosts/leave.c)
    target_link_libraries(hosts-leave PRIVATE ${CMAKE_DL_LIBS})
    set_target_properties(hosts-leave PROPERTIES C_VISIBILITY_PRESET default)
    set(leave $<TARGET_FILE:hosts-leave>)
endif()
set(hosts_kind openmpi)
if(is_mpich)
    set(hosts_kind mpich)
endif()

# hosts_test(NAME LABEL SECONDS SCRIPT WORDS...): on four hosts; SECONDS: its limit; `line`: further words of run.sh.
function(hosts_test name label seconds)
    list(POP_FRONT ARGN script)
    add_test(NAME hosts/${name} COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/hosts/run.sh --hosts 4 --time ${seconds} ${line} --
             sh ${CMAKE_CURRENT_SOURCE_DIR}/hosts/${script}.sh ${ARGN})
    math(EXPR limit "${seconds} + 60")
    set_tests_properties(hosts/${name} PROPERTIES LABELS ${label} TIMEOUT ${limit} PROCESSORS 8 SKIP_RETURN_CODE 77
        ENVIRONMENT "KIND=${hosts_kind};MPIEXEC=${MPIEXEC_EXECUTABLE};YIELD=${yield};LEAVE=${leave};SUMMAND=$<TARGET_FILE:summand-command>;PROGRAMS=${CMAKE_CURRENT_BINARY_DIR}")
endfunction()

hosts_test(bits long 600 bits $<TARGET_FILE:hosts-bits>)
hosts_test(bits_all longest 1800 bits $<TARGET_FILE:hosts-bits> all)
hosts_test(programs long_once 600 programs test_as_mpi test_bundle test_check test_exact_type)
hosts_test(programs_all longest 7200 programs)
hosts_test(clean long 300 clean)
hosts_test(struck long_once 600 struck)
hosts_test(struck_all longest 900 struck all)
set(line --delay 50000 --rate 4)
hosts_test(network longest 300 network)
unset(line)
if(TARGET summand-mpi)
    hosts_test(shim long_once 600 shim)
    hosts_test(shim_all longest 1800 shim all)
endif()
