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

# summand_wrong_suffix(RESULT): what is there, if no MPI's compiler has the project's MPI_EXECUTABLE_SUFFIX; else empty. CMake
# takes any MPI of the system then.
function(summand_wrong_suffix result)
    set(${result} "" PARENT_SCOPE)
    if(NOT MPI_EXECUTABLE_SUFFIX)
        return()
    endif()
    find_package(MPI QUIET COMPONENTS ${Summand_language})
    if(MPI_${Summand_language}_COMPILER)
        return()
    endif()
    set(wrapper_C mpicc)
    set(wrapper_CXX mpicxx)
    set(wrapper_Fortran mpifort)
    set(wrapper ${wrapper_${Summand_language}})
    set(here)
    file(TO_CMAKE_PATH "$ENV{PATH}" folders)
    foreach(folder ${folders})
        file(GLOB found RELATIVE "${folder}" "${folder}/${wrapper}*")
        list(APPEND here ${found})
    endforeach()
    list(REMOVE_DUPLICATES here)
    string(REPLACE ";" ", " here "${here}")
    set(${result} "MPI_EXECUTABLE_SUFFIX is ${MPI_EXECUTABLE_SUFFIX}, and there is no ${wrapper}${MPI_EXECUTABLE_SUFFIX} \
(on the PATH: ${here})" PARENT_SCOPE)
endfunction()

# summand_other_mpi(RESULT MARK SUFFIX): the path of the project's mpi.h, if none of its lines matches; else empty. Where the
# compiler is the MPI's, or for Fortran alone, CMake has no HEADER_DIR. An MPI whose mpi.h is nowhere is another one if there
# is a SUFFIX: of builds side by side none is taken unseen.
function(summand_other_mpi result mark suffix)
    set(${result} "" PARENT_SCOPE)
    set(language ${Summand_language})
    foreach(folder ${MPI_${language}_HEADER_DIR} ${MPI_${language}_F77_HEADER_DIR} ${MPI_${language}_INCLUDE_DIRS}
            ${CMAKE_${language}_IMPLICIT_INCLUDE_DIRECTORIES})
        if(EXISTS "${folder}/mpi.h")
            file(STRINGS "${folder}/mpi.h" found REGEX "${mark}")
            if(NOT found)
                set(${result} "${folder}/mpi.h" PARENT_SCOPE)
            endif()
            return()
        endif()
    endforeach()
    if(suffix AND MPI_${language}_FOUND)
        set(${result} "an MPI for ${language} whose mpi.h is in no folder that CMake knows" PARENT_SCOPE)
    endif()
endfunction()
