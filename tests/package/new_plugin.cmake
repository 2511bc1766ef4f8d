# Installs the plugin API into a prefix of its own, makes a plugin of each
# template by scripts/new-plugin, builds and installs it, and validates it.

include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

file(REMOVE_RECURSE ${WORK_DIR})
set(prefix ${WORK_DIR}/prefix)
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${prefix} --component plugin-api)

# make_plugin(<name> <word of the template> <kept> [option]): a copy that builds, keeps
# none of the template's name but `kept`, and passes all checks.
function(make_plugin name word kept)
  set(source ${WORK_DIR}/${name})
  run(${SOURCE_DIR}/scripts/new-plugin ${ARGN} ${name} ${source})
  file(GLOB files ${source}/*)
  foreach(file IN LISTS files)
    file(STRINGS ${file} lines REGEX "${word}")
    list(FILTER lines EXCLUDE REGEX "${kept}")
    if(lines)
      message(FATAL_ERROR "${file} still has\n${lines}")
    endif()
  endforeach()

  run(${CMAKE_COMMAND} -S ${source} -B ${WORK_DIR}/build-${name}
    --install-prefix ${prefix}
    -D NereidPluginApi_ROOT=${prefix} -D CMAKE_C_COMPILER=${C_COMPILER}
    -D CMAKE_C_FLAGS=-Werror=all
  )
  run(${CMAKE_COMMAND} --build ${WORK_DIR}/build-${name})
  run(${CMAKE_COMMAND} --install ${WORK_DIR}/build-${name})
  set(plugin ${prefix}/${PLUGIN_SUBDIR}/${name}.so)
  run(${PYTHON} ${SOURCE_DIR}/tests/abi/exports.py ${plugin})
  run(${NEREID} validate ${plugin})
endfunction()

# Of a template's name only the ABI's own names are left.
make_plugin(acme "[Ee][Xx][Tt][Ee][Nn][Ss][Ii][Oo][Nn]"
  " \\.extension = |get_extension|extensions")
make_plugin(acme_queue "[Aa][Ss][Yy][Nn][Cc][Hh][Rr][Oo][Nn][Oo][Uu][Ss]"
  "^$" --asynchronous)

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
refuse("that of a header" --asynchronous program ${WORK_DIR}/other)
refuse("expected a new folder" chip ${WORK_DIR}/acme)
refuse("expected NAME FOLDER" chip)
