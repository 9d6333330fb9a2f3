# SPDX-License-Identifier: BSD-3-Clause
# zlib is optional: -DCMAKE_DISABLE_FIND_PACKAGE_ZLIB=ON leaves it out.
#     summand_use_zlib(TARGET WORDS)   links it and defines SUMMAND_WITH_ZLIB, for whoever uses the target, too; else a
#                                      message with what is missing then
function(summand_use_zlib target words)
    find_package(ZLIB)
    if(ZLIB_FOUND)
        target_link_libraries(${target} PUBLIC ZLIB::ZLIB)
        target_compile_definitions(${target} PUBLIC SUMMAND_WITH_ZLIB)
    else()
        message(STATUS "zlib is not here: ${words}")
    endif()
endfunction()
