# Installs the plugin API into a prefix of its own, makes a plugin by
# scripts/new-plugin, builds and installs it, and validates it.

include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

file(REMOVE_RECURSE ${WORK_DIR})
set(prefix ${WORK_DIR}/prefix)
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${prefix} --component plugin-api)

set(source ${WORK_DIR}/acme)
run(${SOURCE_DIR}/scripts/new-plugin acme ${source})

# ---- Of the template's name only the ABI's own names are left.
file(GLOB files ${source}/*)
foreach(file IN LISTS files)
  file(STRINGS ${file} lines REGEX "[Ee][Xx][Tt][Ee][Nn][Ss][Ii][Oo][Nn]")
  list(FILTER lines EXCLUDE REGEX " \\.extension = |get_extension|extensions")
  if(lines)
    message(FATAL_ERROR "${file} still has\n${lines}")
  endif()
endforeach()

run(${CMAKE_COMMAND} -S ${source} -B ${WORK_DIR}/build --install-prefix ${prefix}
  -D NereidPluginApi_ROOT=${prefix} -D CMAKE_C_COMPILER=${C_COMPILER}
  -D CMAKE_C_FLAGS=-Werror=all
)
run(${CMAKE_COMMAND} --build ${WORK_DIR}/build)
run(${CMAKE_COMMAND} --install ${WORK_DIR}/build)
set(plugin ${prefix}/${PLUGIN_SUBDIR}/acme.so)
run(${PYTHON} ${SOURCE_DIR}/tests/abi/exports.py ${plugin})
run(${NEREID} validate ${plugin})

# ---- A name that no copy could have, and a folder that is not new.
function(refuse expected)
  execute_process(COMMAND ${SOURCE_DIR}/scripts/new-plugin ${ARGN}
    RESULT_VARIABLE result ERROR_VARIABLE error
  )
  if(result EQUAL 0 OR NOT error MATCHES "${expected}")
    message(FATAL_ERROR "new-plugin ${ARGN} gave ${result} and '${error}', expected '${expected}'")
  endif()
endfunction()
refuse("'My-Chip' is not" My-Chip ${WORK_DIR}/other)
refuse("'nereid_chip' begins" nereid_chip ${WORK_DIR}/other)
refuse("that of a header" image ${WORK_DIR}/other)
refuse("expected a new folder" chip ${source})
refuse("expected NAME FOLDER" chip)
