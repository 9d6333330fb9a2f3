# SPDX-License-Identifier: BSD-3-Clause
# A BLAS for local products of matrices, with the C interface: it is loaded when a product first needs it
# (src/compute/blas.h), so nothing is linked to it. SUMMAND_BLAS_FILE: what is loaded then.
set(SUMMAND_BLAS AUTO CACHE STRING "AUTO: look for a library with cblas_dgemm; OFF: none; or the library's file")
set(SUMMAND_BLAS_FILE "")
if(SUMMAND_BLAS STREQUAL "AUTO")
    # Those that are made for speed come first, whatever the name libblas leads to.
    find_library(SUMMAND_BLAS_LIBRARY NAMES openblas openblasp blis blis-pthread flexiblas cblas blas NAMES_PER_DIR
        PATH_SUFFIXES openblas-pthread openblas-serial blis-pthread blis-serial)
elseif(SUMMAND_BLAS)
    set(SUMMAND_BLAS_LIBRARY ${SUMMAND_BLAS})
endif()
if(SUMMAND_BLAS AND SUMMAND_BLAS_LIBRARY)
    include(CheckCSourceCompiles)
    set(CMAKE_REQUIRED_LIBRARIES ${SUMMAND_BLAS_LIBRARY})
    set(CMAKE_REQUIRED_QUIET ON)
    check_c_source_compiles("void cblas_dgemm(void); void cblas_sgemm(void);
        int main(void) { cblas_dgemm(); cblas_sgemm(); return 0; }" SUMMAND_BLAS_HAS_CBLAS)
    unset(CMAKE_REQUIRED_LIBRARIES)
    unset(CMAKE_REQUIRED_QUIET)
    # By its soname: the file without a number comes with the headers alone.
    if(SUMMAND_BLAS_HAS_CBLAS)
        set(SUMMAND_BLAS_FILE ${SUMMAND_BLAS_LIBRARY})
        if(CMAKE_OBJDUMP)
            execute_process(COMMAND ${CMAKE_OBJDUMP} -p ${SUMMAND_BLAS_LIBRARY} OUTPUT_VARIABLE dump ERROR_QUIET)
            if(dump MATCHES "SONAME +([^ \n]+)")
                set(SUMMAND_BLAS_FILE ${CMAKE_MATCH_1})
            endif()
        endif()
    endif()
endif()
if(SUMMAND_BLAS_FILE)
    message(STATUS "Local products of matrices: ${SUMMAND_BLAS_FILE} (${SUMMAND_BLAS_LIBRARY}), loaded when first needed")
else()
    message(STATUS "Local products of matrices: no BLAS was found, so Summand's own kernel (`make deps` installs OpenBLAS)")
endif()
