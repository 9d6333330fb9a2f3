# SPDX-License-Identifier: BSD-3-Clause
# summand_programs_of(RESULT FOLDER): appends the programs and libraries of a folder and of the folders below it; targets
# that run something are left out.
function(summand_programs_of result folder)
    get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
    get_property(below DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
    set(found ${${result}})
    foreach(target ${targets})
        get_target_property(type ${target} TYPE)
        if(NOT type STREQUAL "UTILITY")
            list(APPEND found ${target})
        endif()
    endforeach()
    foreach(one ${below})
        summand_programs_of(found ${one})
    endforeach()
    set(${result} ${found} PARENT_SCOPE)
endfunction()
