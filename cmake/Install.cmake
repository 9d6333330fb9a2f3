# SPDX-License-Identifier: BSD-3-Clause
# What `cmake --install` installs of the libraries; the command and its manual are in cli/. Everything is
# relative to where it lies, so that what is installed may be moved. summand_suffix, which is empty but with
# SUMMAND_SIDE_BY_SIDE, is in the name of what differs between MPIs. Components, for packages: Runtime (shared
# libraries), Development (the rest of the libraries), Tools (the command).
include(CMakePackageConfigHelpers)

# install_library(NAME EXPORT DESCRIPTION): the kinds of it, the targets for CMake, and NAME.pc. The same in
# the build tree, to be used uninstalled: -DSummand_DIR=BUILD, PKG_CONFIG_PATH=BUILD. NAME_requires, NAME_flags and
# NAME_flags_uninstalled are more words for NAME.pc; NAME_suffix is the end of its name, and of the library's.
function(install_library name export description)
    set(cmake_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Summand${summand_suffix})
    set(kinds ${${name}_kinds})
    if(NOT SUMMAND_STATIC)
        list(FILTER kinds INCLUDE REGEX "-(shared|fortran)$")
    endif()
    install(TARGETS ${kinds} EXPORT ${export}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT Runtime NAMELINK_COMPONENT Development
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT Development)
    install(EXPORT ${export} NAMESPACE summand:: DESTINATION ${cmake_folder} COMPONENT Development)
    export(EXPORT ${export} NAMESPACE summand:: FILE ${PROJECT_BINARY_DIR}/${export}.cmake)

    set(pc_name ${name}${${name}_suffix})
    set(pc_description ${description})
    # The MPI's own flags come from its compiler: mpicc program.c $(pkg-config --cflags --libs summand)
    set(pc_variables)
    if(name STREQUAL "summand")
        set(pc_variables "mpi=${mpi_name}\n")
    endif()
    set(pc_requires ${${name}_requires})
    set(pc_more_flags ${${name}_flags})
    set(pc_prefix ${CMAKE_INSTALL_PREFIX})
    set(pc_libdir ${CMAKE_INSTALL_FULL_LIBDIR})
    set(pc_includedir ${CMAKE_INSTALL_FULL_INCLUDEDIR})
    if(NOT IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR} AND NOT IS_ABSOLUTE ${CMAKE_INSTALL_INCLUDEDIR})
        file(RELATIVE_PATH up /x/${CMAKE_INSTALL_LIBDIR}/pkgconfig /x)
        string(REGEX REPLACE "/$" "" up "${up}")
        set(pc_prefix "\${pcfiledir}/${up}")
        set(pc_libdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
        set(pc_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
    endif()
    set(pc_libs "-L\${libdir} -l${pc_name}")
    set(dl)
    if(CMAKE_DL_LIBS)
        set(dl " -l${CMAKE_DL_LIBS}")
    endif()
    set(pc_libs_private "-lm${dl}")
    if(NOT SUMMAND_SHARED)
        set(pc_libs "${pc_libs} -lm${dl}")
        set(pc_libs_private)
    endif()
    configure_file(${PROJECT_SOURCE_DIR}/packaging/library.pc.in ${CMAKE_CURRENT_BINARY_DIR}/${pc_name}.pc @ONLY)
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${pc_name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
            COMPONENT Development)
    # pkg-config takes NAME-uninstalled.pc where it finds one. It links the archive, which needs no search at run time.
    set(pc_prefix ${PROJECT_BINARY_DIR})
    set(pc_libdir ${CMAKE_CURRENT_BINARY_DIR})
    set(pc_includedir ${PROJECT_SOURCE_DIR}/include)
    set(pc_more_flags " -I${PROJECT_BINARY_DIR}/include${${name}_flags_uninstalled}") # built_for.h
    set(pc_libs "\${libdir}/lib${pc_name}.a -lm${dl}")
    set(pc_libs_private)
    configure_file(${PROJECT_SOURCE_DIR}/packaging/library.pc.in ${PROJECT_BINARY_DIR}/${pc_name}-uninstalled.pc @ONLY)
endfunction()

set(cmake_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Summand${summand_suffix})
set(components local)
set(mpi_mark)
set(mpi_name)
if(SUMMAND_WITH_MPI)
    list(APPEND components mpi)
    # Of an MPI of an unknown kind any line will do.
    set(mpi_name ${summand_mpi_name})
    set(mpi_mark ".")
    set(mpi_test ${summand_test_${summand_mpi_kind}})
    if(mpi_test)
        set(mpi_mark "${summand_mark_${summand_mpi_kind}}")
        set(built_for ${PROJECT_BINARY_DIR}/include/summand/built_for.h)
        configure_file(${PROJECT_SOURCE_DIR}/cmake/built_for.h.in ${built_for} @ONLY)
        set(own_headers)
        if(summand_suffix)
            set(own_headers /summand${summand_suffix})
            set(summand_flags " -I\${includedir}${own_headers}")
            foreach(kind ${summand_kinds})
                target_include_directories(${kind} PUBLIC $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}${own_headers}>)
            endforeach()
        endif()
        install(FILES ${built_for} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}${own_headers}/summand COMPONENT Development)
    endif()
    install_library(summand SummandTargets "${PROJECT_DESCRIPTION}")
endif()
if(summand_fortran)
    list(APPEND components fortran) # bindings/fortran
endif()
install_library(summand-local SummandLocalTargets "Exact sums of one process: the part of Summand without MPI")

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT Development)
set(fortran_source ${CMAKE_INSTALL_DATADIR}/summand${summand_suffix}/fortran/src)
string(REGEX REPLACE "[.].*" "" fortran_compiler "${CMAKE_Fortran_COMPILER_ID} ${CMAKE_Fortran_COMPILER_VERSION}")
set(fortran_needs summand-static)
if(SUMMAND_SHARED)
    set(fortran_needs summand)
endif()
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/SummandConfig.cmake.in
    ${PROJECT_BINARY_DIR}/SummandConfig.cmake INSTALL_DESTINATION ${cmake_folder}
    NO_SET_AND_CHECK_MACRO PATH_VARS fortran_source)
configure_file(${PROJECT_SOURCE_DIR}/cmake/SummandMpi.cmake ${PROJECT_BINARY_DIR}/SummandMpi.cmake COPYONLY)
# As the soname: before 1.0 a program needs the minor version that it was built for.
set(compatible SameMajorVersion)
if(PROJECT_VERSION_MAJOR EQUAL 0)
    set(compatible SameMinorVersion)
endif()
set(version_file ${PROJECT_BINARY_DIR}/SummandConfigVersion.cmake)
write_basic_package_version_file(${version_file} COMPATIBILITY ${compatible})
if(summand_suffix)
    # Of several builds side by side find_package takes the one for the project's MPI.
    file(APPEND ${version_file} "
if(NOT Summand_FIND_COMPONENTS OR mpi IN_LIST Summand_FIND_COMPONENTS)
    include(\"\${CMAKE_CURRENT_LIST_DIR}/SummandMpi.cmake\")
    find_package(MPI QUIET COMPONENTS \${Summand_language})
    summand_other_mpi(Summand_other \"${mpi_mark}\" ${summand_suffix})
    if(Summand_other)
        string(APPEND PACKAGE_VERSION \" for ${mpi_name}, not for \${Summand_other}\")
        set(PACKAGE_VERSION_UNSUITABLE TRUE)
    endif()
endif()\n")
endif()
install(FILES ${PROJECT_BINARY_DIR}/SummandConfig.cmake ${version_file}
        ${PROJECT_BINARY_DIR}/SummandMpi.cmake
        DESTINATION ${cmake_folder} COMPONENT Development)
