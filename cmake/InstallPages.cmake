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
# A list for each prefix: tests and packages install the same build to other places.
install(CODE "
    if(NOT CMAKE_INSTALL_COMPONENT)
        string(MD5 name \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\")
        string(REPLACE \";\" \"\\n\" files \"\${CMAKE_INSTALL_MANIFEST_FILES}\")
        file(WRITE \"${PROJECT_BINARY_DIR}/installed/\${name}.txt\" \"\${files}\\n\")
    endif()")
add_custom_target(uninstall
    COMMAND ${CMAKE_COMMAND} -DBUILD=${PROJECT_BINARY_DIR} -DPREFIX=${CMAKE_INSTALL_PREFIX}
            -P ${PROJECT_SOURCE_DIR}/cmake/Uninstall.cmake VERBATIM)
