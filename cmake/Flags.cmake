# SPDX-License-Identifier: BSD-3-Clause
# Flags of every target. A fused multiply-add where the source has a product and a sum would change
# bits between compilers, so contraction is off everywhere; clang 14 fuses even under -std=c11.
# A project or a builder may ask for a later standard.
if(NOT CMAKE_C_STANDARD MATCHES "^(17|23)$")
    set(CMAKE_C_STANDARD 11)
endif()
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
# SimGrid's MPI loads a program as a library, once for each rank, and asks for its main.
if(CMAKE_C_COMPILER MATCHES "smpicc$")
    set(CMAKE_C_VISIBILITY_PRESET default)
else()
    set(CMAKE_C_VISIBILITY_PRESET hidden)
endif()
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
# A static library does not wait for those that it is linked with (CMake 3.19).
set(CMAKE_OPTIMIZE_DEPENDENCIES ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_C_FLAGS_RELEASE "-O3")
string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
# Options that relax arithmetic are errors: those with a macro in strict_math.h; clang has none for these.
get_directory_property(inherited COMPILE_OPTIONS)
set(relaxed unsafe-math-optimizations associative-math reciprocal-math no-signed-zeros no-honor-nans
    no-honor-infinities approx-func "denormal-fp-math(-f32)?=[pd]" "fp-model=[fa]" cx-limited-range cx-fortran-rules
    single-precision-constant)
string(REPLACE ";" "|" relaxed "${relaxed}")
if(" ${CMAKE_C_COMPILER_ARG1} ${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${build_type}} ${inherited};" MATCHES
        "[ ;](-f(${relaxed})[a-z,-]*)[ ;]")
    message(FATAL_ERROR "Summand's results are wrong under ${CMAKE_MATCH_1}: configure without it (CMAKE_C_FLAGS, "
            "CFLAGS)")
endif()
add_compile_options("SHELL:-include \"${CMAKE_CURRENT_LIST_DIR}/../src/core/base/strict_math.h\"")
add_compile_options(-ffp-contract=off -Wall -Wextra -Wshadow -Wstrict-prototypes
                    -Wmissing-prototypes -Wno-unknown-pragmas)
# There gcc computes sums of floats as doubles under -std=c11, as its C library once did.
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "s390x" AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-fexcess-precision=fast)
endif()
# gcc takes MPICH's MPI_STATUSES_IGNORE, the address 1, for an array of no elements. clang does not know this option.
set(summand_statuses_ignore $<$<C_COMPILER_ID:GNU>:-Wno-stringop-overflow>)
add_compile_definitions(_GNU_SOURCE)
# Files have static names of their own, and instruction sets.
set(CMAKE_UNITY_BUILD OFF)
# A warning of another compiler, or of the parent project's options, does not end the parent's build.
if(NOT top_level)
    set(CMAKE_COMPILE_WARNING_AS_ERROR OFF)
    add_compile_options(-Wno-error)
endif()
if(SUMMAND_SANITIZE)
    # Level 2 takes two to three times as long to compile and finds nothing more; most of it is spent on the kernels'
    # variables for a debugger.
    add_compile_options(-O1 $<$<C_COMPILER_ID:GNU>:-fno-var-tracking-assignments>)
    # Reports need functions and lines; the rest takes a fifth of the time.
    add_compile_options(-g1)
endif()
if(SUMMAND_SANITIZE STREQUAL "thread")
    # It knows no fences; ours order reads of other processes' memory, which it does not see either.
    add_compile_options(-fsanitize=thread -fno-omit-frame-pointer $<$<C_COMPILER_ID:GNU>:-Wno-tsan>)
    add_link_options(-fsanitize=thread)
elseif(SUMMAND_SANITIZE)
    add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
    add_link_options(-fsanitize=address,undefined)
endif()

# summand_instruction_sets(FILES): takes files of other processors out of the list, and compiles those that end in
# _avx2.c and _avx512.c for these instruction sets. They are run where the processor has them (kernel/arch.h), so
# that what is built here runs elsewhere: nothing is compiled for the processor at hand.
function(summand_instruction_sets list)
    set(files ${${list}})
    if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
        list(FILTER files EXCLUDE REGEX "_(avx2|avx512)\\.c$")
    endif()
    if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
        list(FILTER files EXCLUDE REGEX "_neon\\.c$")
    endif()
    foreach(file ${files})
        if(file MATCHES "_avx2\\.c$")
            set_property(SOURCE ${file} APPEND PROPERTY COMPILE_OPTIONS -mavx2 -mfma -mf16c)
        elseif(file MATCHES "_avx512\\.c$")
            set_property(SOURCE ${file} APPEND PROPERTY COMPILE_OPTIONS -mavx512f -mavx512dq -mavx512bw -mavx512vl
                -mavx2 -mfma -mprefer-vector-width=512)
        endif()
    endforeach()
    set(${list} ${files} PARENT_SCOPE)
endfunction()
