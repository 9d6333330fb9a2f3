# SPDX-License-Identifier: BSD-3-Clause
# Writes OUTPUT with SUMMAND_BUILD: the commit of SOURCE, with + where tracked files differ from it. A tarball has it in
# commit.txt (packaging/dist.sh).
# The file is left alone where nothing changed, so that nothing is compiled again.
cmake_minimum_required(VERSION 3.16)
set(id unknown)
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/commit.txt commit LIMIT_COUNT 1)
find_program(git git)
if(commit MATCHES "^[0-9a-f]+$")
    string(SUBSTRING ${commit} 0 12 id)
elseif(git)
    execute_process(COMMAND ${git} describe --always --abbrev=12 --dirty=+ --exclude=*
        WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE found RESULT_VARIABLE status ERROR_QUIET
        OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(status EQUAL 0 AND found)
        set(id ${found})
    endif()
endif()
set(text "#define SUMMAND_BUILD \"${id}\"\n")
set(old)
if(EXISTS ${OUTPUT})
    file(READ ${OUTPUT} old)
endif()
if(NOT text STREQUAL old)
    file(WRITE ${OUTPUT} "${text}")
endif()
