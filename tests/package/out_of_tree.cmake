# Installs the plugin API into a prefix of its own, builds examples/out-of-tree
# against it with find_package and with make and pkg-config, and compiles a
# kernel with each of the two plugins.

include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

file(REMOVE_RECURSE ${WORK_DIR})
set(prefix ${WORK_DIR}/prefix)
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${prefix} --component plugin-api)
file(GLOB_RECURSE installed RELATIVE ${prefix}/include ${prefix}/include/*)
file(GLOB_RECURSE written RELATIVE ${SOURCE_DIR}/plugin-api/include ${SOURCE_DIR}/plugin-api/include/*)
if(NOT installed STREQUAL written)
  message(FATAL_ERROR "installed are ${installed}, expected ${written}")
endif()

# ---- The plugin API by itself installs the same.
run(${CMAKE_COMMAND} -S ${SOURCE_DIR}/plugin-api -B ${WORK_DIR}/api)
run(${CMAKE_COMMAND} --install ${WORK_DIR}/api --prefix ${WORK_DIR}/alone)
file(GLOB_RECURSE installed RELATIVE ${prefix} ${prefix}/*)
file(GLOB_RECURSE alone RELATIVE ${WORK_DIR}/alone ${WORK_DIR}/alone/*)
if(NOT installed STREQUAL alone)
  message(FATAL_ERROR "by itself it installs ${alone}, expected ${installed}")
endif()

# A copy, so that nothing of this tree can be found beside it.
file(COPY ${SOURCE_DIR}/examples/out-of-tree DESTINATION ${WORK_DIR})
set(source ${WORK_DIR}/out-of-tree)
set(ENV{CFLAGS} "${FLAGS}")
set(ENV{CC} ${C_COMPILER})

# ---- With find_package, from the installed packages and from the build tree.
foreach(package IN ITEMS ${prefix} ${WORK_DIR}/alone ${BUILD_DIR}/plugin-api)
  run(${CMAKE_COMMAND} -S ${source} -B ${WORK_DIR}/cmake --fresh -D NereidPluginApi_ROOT=${package})
  run(${CMAKE_COMMAND} --build ${WORK_DIR}/cmake --clean-first)
  run(${PYTHON} ${SOURCE_DIR}/tests/abi/exports.py ${WORK_DIR}/cmake/acme.so)
endforeach()

# ---- A project without C.
file(COPY ${SOURCE_DIR}/tests/abi/glue_plugin.cpp DESTINATION ${WORK_DIR}/cpp)
file(WRITE ${WORK_DIR}/cpp/CMakeLists.txt [[
cmake_minimum_required(VERSION 3.25)
project(glue LANGUAGES CXX)
find_package(NereidPluginApi 1.0 REQUIRED)
nereid_add_plugin(glue ID glue VERSION 1.0 SOURCES glue_plugin.cpp)
]])
set(ENV{CXX} ${CXX_COMPILER})
set(ENV{CXXFLAGS} "${FLAGS}")
run(${CMAKE_COMMAND} -S ${WORK_DIR}/cpp -B ${WORK_DIR}/cpp/build -D NereidPluginApi_ROOT=${prefix})
run(${CMAKE_COMMAND} --build ${WORK_DIR}/cpp/build)
run(${PYTHON} ${SOURCE_DIR}/tests/abi/exports.py ${WORK_DIR}/cpp/build/glue.so)

# ---- With make and pkg-config. A plugin without a sanitizer runs in a host with
# one; with one it could not be linked with -z defs.
unset(ENV{CFLAGS})
set(ENV{PKG_CONFIG_PATH} ${prefix}/${DATADIR}/pkgconfig)
run(${CMAKE_COMMAND} -E chdir ${source} make --silent CC=${C_COMPILER})
run(${PYTHON} ${SOURCE_DIR}/tests/abi/exports.py ${source}/acme.so)

# ---- Another major of the ABI is not there.
execute_process(
  COMMAND pkg-config --atleast-version 2.0 nereid-plugin-api
  RESULT_VARIABLE result
)
if(result EQUAL 0)
  message(FATAL_ERROR "pkg-config says that ABI 2.0 is there")
endif()
file(WRITE ${WORK_DIR}/major/CMakeLists.txt [[
cmake_minimum_required(VERSION 3.25)
project(major LANGUAGES C)
find_package(NereidPluginApi 2.0 QUIET)
if(NereidPluginApi_FOUND)
  message(FATAL_ERROR "find_package says that ABI 2.0 is there")
endif()
]])
run(${CMAKE_COMMAND} -S ${WORK_DIR}/major -B ${WORK_DIR}/major/build -D NereidPluginApi_ROOT=${prefix})

foreach(plugin IN ITEMS ${WORK_DIR}/cmake ${source})
  run(${HOST} ${plugin} ${SOURCE_DIR}/examples/embed/vector_add.ttir)
  if(NOT out MATCHES "tt.get_program_id\n.*\narith.addf\n.*\ntotal [0-9]+\n$")
    message(FATAL_ERROR "the plugin in ${plugin} wrote\n${out}")
  endif()
endforeach()
