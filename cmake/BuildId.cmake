# Writes OUTPUT with SUMMAND_BUILD: the commit of SOURCE, with + where tracked files differ from it.
cmake_minimum_required(VERSION 3.25)
set(id unknown)
find_program(git git)
if(git)
    execute_process(COMMAND ${git} describe --always --abbrev=12 --dirty=+ --exclude=*
        WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE found RESULT_VARIABLE status ERROR_QUIET
        OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(status EQUAL 0 AND found)
        set(id ${found})
    endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#define SUMMAND_BUILD \"@id@\"\n" @ONLY)
