# Flags of every target. A fused multiply-add where the source has a product and a sum would change
# bits between compilers, so contraction is off everywhere; clang 14 fuses even under -std=c11.
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
# SimGrid's MPI loads a program as a library, once for each rank, and asks for its main.
if(CMAKE_C_COMPILER MATCHES "smpicc$")
    set(CMAKE_C_VISIBILITY_PRESET default)
else()
    set(CMAKE_C_VISIBILITY_PRESET hidden)
endif()
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_C_FLAGS_RELEASE "-O3")
add_compile_options(-ffp-contract=off -Wall -Wextra -Wshadow -Wstrict-prototypes
                    -Wmissing-prototypes -Wno-unknown-pragmas)
add_compile_definitions(_GNU_SOURCE)
if(SUMMAND_SANITIZE STREQUAL "thread")
    # It knows no fences; ours order reads of other processes' memory, which it does not see either.
    add_compile_options(-fsanitize=thread -fno-omit-frame-pointer -Wno-tsan)
    add_link_options(-fsanitize=thread)
elseif(SUMMAND_SANITIZE)
    add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
    add_link_options(-fsanitize=address,undefined)
endif()
