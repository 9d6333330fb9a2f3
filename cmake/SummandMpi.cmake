# SPDX-License-Identifier: BSD-3-Clause
# The MPI in the languages of the project: mpi.h may hold C++ that has a library of its own. Sets Summand_language, the
# one whose MPI is needed, and Summand_mpi, the targets of that MPI.
get_property(Summand_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
set(Summand_language C)
foreach(Summand_other Fortran CXX C) # the last one that the project has
    if(Summand_other IN_LIST Summand_languages)
        set(Summand_language ${Summand_other})
    endif()
endforeach()
set(Summand_mpi MPI::MPI_${Summand_language})
if("C" IN_LIST Summand_languages AND "CXX" IN_LIST Summand_languages)
    find_package(MPI QUIET COMPONENTS CXX)
    if(MPI_CXX_FOUND AND CMAKE_VERSION VERSION_LESS 3.18)
        list(APPEND Summand_mpi MPI::MPI_CXX)
    elseif(MPI_CXX_FOUND)
        list(APPEND Summand_mpi $<$<LINK_LANGUAGE:CXX>:MPI::MPI_CXX>)
    endif()
endif()

# summand_other_mpi(RESULT MARK): the path of the project's mpi.h, if none of its lines matches; else empty.
function(summand_other_mpi result mark)
    set(${result} "" PARENT_SCOPE)
    set(header "${MPI_${Summand_language}_HEADER_DIR}/mpi.h")
    if(EXISTS "${header}")
        file(STRINGS "${header}" found REGEX "${mark}")
        if(NOT found)
            set(${result} "${header}" PARENT_SCOPE)
        endif()
    endif()
endfunction()
