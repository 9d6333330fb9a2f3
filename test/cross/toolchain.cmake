# SPDX-License-Identifier: BSD-3-Clause
# Builds for another processor: -DCMAKE_TOOLCHAIN_FILE=test/cross/toolchain.cmake -DCROSS=aarch64 -DSYSROOT=FOLDER, where
# packaging/sysroot.sh puts Debian's libraries. Programs run in an emulator.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${CROSS})
set(CMAKE_LIBRARY_ARCHITECTURE ${CROSS}-linux-gnu)
set(CMAKE_C_COMPILER ${CMAKE_LIBRARY_ARCHITECTURE}-gcc)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${CROSS} -L ${SYSROOT})
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES CROSS SYSROOT)
set(CMAKE_FIND_ROOT_PATH ${SYSROOT})
# CMake forgets the architecture if this machine has no folder of that name.
set(CMAKE_LIBRARY_PATH ${SYSROOT}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE})
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_C_FLAGS_INIT "-isystem ${SYSROOT}/usr/include/${CMAKE_LIBRARY_ARCHITECTURE}")
foreach(kind EXE SHARED MODULE)
    set(CMAKE_${kind}_LINKER_FLAGS_INIT "-Wl,-rpath-link,${SYSROOT}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}:${SYSROOT}/lib/${CMAKE_LIBRARY_ARCHITECTURE}")
endforeach()
