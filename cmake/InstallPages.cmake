# SPDX-License-Identifier: BSD-3-Clause
# Licence, pages and examples; and the list of what was installed, by which cmake/Uninstall.cmake removes it. Included
# last, so that the list is complete.
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/NEWS.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT Documentation)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR}
        COMPONENT Documentation PATTERN printed EXCLUDE)
# The Python package finds the libraries of its prefix.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/bindings/python/summand DESTINATION ${CMAKE_INSTALL_DATADIR}/summand/python
        COMPONENT Development PATTERN __pycache__ EXCLUDE)
if(NOT SUMMAND_UNINSTALL)
    return()
endif()
# The list lies in the prefix: it outlives the build, and builds in one prefix know what they share. Its name is that of the
# build folder, hashed, and its first line the folder (cmake/Uninstall.cmake). It has what an earlier install has left, too.
get_filename_component(build ${PROJECT_BINARY_DIR} REALPATH)
string(MD5 list "${build}")
install(CODE "
    if(NOT CMAKE_INSTALL_COMPONENT)
        set(list \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share/summand/installed/${list}.txt\")
        set(files \"# ${build}\")
        if(EXISTS \"\${list}\")
            file(STRINGS \"\${list}\" files)
        endif()
        foreach(file IN LISTS CMAKE_INSTALL_MANIFEST_FILES)
            file(RELATIVE_PATH file \"\${CMAKE_INSTALL_PREFIX}\" \"\${file}\")
            list(APPEND files \"\${file}\")
        endforeach()
        list(REMOVE_DUPLICATES files)
        list(SORT files)
        string(REPLACE \";\" \"\\n\" files \"\${files}\")
        file(WRITE \"\${list}\" \"\${files}\\n\")
    endif()")
add_custom_target(uninstall
    COMMAND ${CMAKE_COMMAND} -DBUILD=${PROJECT_BINARY_DIR} -DPREFIX=${CMAKE_INSTALL_PREFIX}
            -P ${PROJECT_SOURCE_DIR}/cmake/Uninstall.cmake VERBATIM)
