# SPDX-License-Identifier: BSD-3-Clause
# The window over GPI-2 in builds without GPI-2: its files are compiled into a few tests beside a stand-in for GPI-2
# (gaspi.c). The linker takes them, with the table that has their row, in place of what the library has.
# A build with GPI-2 needs none of this: there the tests that iterate over the table have its window.
find_package(Threads REQUIRED)
add_library(gaspi-standin SHARED gpi2/gaspi.c)
target_link_libraries(gaspi-standin PRIVATE MPI::MPI_C Threads::Threads)
set_target_properties(gaspi-standin PROPERTIES C_VISIBILITY_PRESET default)
file(GLOB gpi2_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/plugins/gpi2/*.c)
add_library(gpi2-plugin OBJECT ${gpi2_files} ${PROJECT_SOURCE_DIR}/src/tables/mpi/windows.c
    ${PROJECT_SOURCE_DIR}/src/core/fabric/fabric_make.c)
target_include_directories(gpi2-plugin PRIVATE ${summand_internal} ${CMAKE_CURRENT_SOURCE_DIR}/gpi2)
target_compile_definitions(gpi2-plugin PRIVATE SUMMAND_GPI2_FILE="$<TARGET_FILE:gaspi-standin>"
    SUMMAND_GPI2_SONAME="$<TARGET_FILE_NAME:gaspi-standin>")
target_compile_options(gpi2-plugin PRIVATE ${summand_statuses_ignore})
target_link_libraries(gpi2-plugin PRIVATE summand)
foreach(name test_window test_notify test_transport_choice)
    set(file ${CMAKE_CURRENT_SOURCE_DIR}/mpi/${name}.c)
    mpi_program(gpi2_${name} ${file} $<TARGET_OBJECTS:gpi2-plugin>)
    wrap_mpi(gpi2_${name} ${file})
    add_dependencies(gpi2_${name} gaspi-standin)
    add_ranks_test(gpi2_${name} 2 shm quick)
    add_ranks_test(gpi2_${name} 3 shm long)
endforeach()
