# Projects that call nereid_add_plugin(): those that it refuses, and those whose
# plugin uses a function that nobody defines, with flags of many kinds.

file(REMOVE_RECURSE ${WORK_DIR})

# Configures and builds a project of these languages whose CMakeLists.txt has
# `body` after find_package; further arguments are for cmake.
function(build languages body)
  # Without the cache, but with what was found out about the compilers.
  string(MAKE_C_IDENTIFIER ${languages} build)
  file(REMOVE ${WORK_DIR}/${build}/CMakeCache.txt)
  file(WRITE ${WORK_DIR}/CMakeLists.txt "
cmake_minimum_required(VERSION 3.25)
project(acme LANGUAGES ${languages})
find_package(NereidPluginApi 1.0 REQUIRED)
${body}
")
  execute_process(
    COMMAND ${CMAKE_COMMAND} -S ${WORK_DIR} -B ${WORK_DIR}/${build} -D NereidPluginApi_ROOT=${PACKAGE}
      -D CMAKE_C_COMPILER=${C_COMPILER} -D CMAKE_CXX_COMPILER=${CXX_COMPILER} ${ARGN}
    RESULT_VARIABLE result OUTPUT_VARIABLE out ERROR_VARIABLE out
  )
  set(configured TRUE PARENT_SCOPE)
  if(NOT result EQUAL 0)
    set(configured FALSE PARENT_SCOPE)
  else()
    execute_process(COMMAND ${CMAKE_COMMAND} --build ${WORK_DIR}/${build}
      RESULT_VARIABLE result OUTPUT_VARIABLE out ERROR_VARIABLE out
    )
  endif()
  set(result ${result} PARENT_SCOPE)
  set(out "${out}" PARENT_SCOPE)
endfunction()

set(undefined "
void nobody_defines_this(void);
void calls_it(void);
void calls_it(void) { nobody_defines_this(); }
")
file(WRITE ${WORK_DIR}/acme.c "${undefined}")
file(WRITE ${WORK_DIR}/acme.cpp "${undefined}")
set(plugin "nereid_add_plugin(acme ID acme VERSION 1.0 SOURCES acme.c)")
set(cxx_plugin "nereid_add_plugin(acme ID acme VERSION 1.0 SOURCES acme.cpp)")

# ---- Refused when the project is configured.
foreach(value IN ITEMS abc OFF)
  build(C "nereid_add_plugin(acme ID acme VERSION 1.0 SOURCES acme.c MIN_HOST_MINOR ${value})")
  if(configured OR NOT out MATCHES "MIN_HOST_MINOR is '${value}', +expected a number")
    message(FATAL_ERROR "MIN_HOST_MINOR ${value} gave\n${out}")
  endif()
endforeach()

# ---- Not linked: the plugin does not bind all it uses.
function(expect_undefined)
  build(${ARGV})
  if(NOT configured OR result EQUAL 0 OR NOT out MATCHES "nobody_defines_this")
    message(FATAL_ERROR "${ARGV} gave\n${out}\nexpected an undefined symbol")
  endif()
endfunction()
expect_undefined(C "${plugin}")
expect_undefined(C "${plugin}" -D "CMAKE_C_FLAGS=-pthread -Wno-address")
expect_undefined(C "add_compile_options(-DIN_memory)\n${plugin}")
expect_undefined("C CXX" "${plugin}" -D CMAKE_CXX_FLAGS=-fsanitize=address)
expect_undefined(C "${plugin}" -D CMAKE_BUILD_TYPE=Release
  -D CMAKE_C_FLAGS_DEBUG=-fsanitize=address)

# ---- Linked: the sanitizer's runtime, which is in the program, is not there.
function(expect_linked)
  build(${ARGV})
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${ARGV} gave\n${out}\nexpected a plugin")
  endif()
endfunction()
expect_linked(C "${plugin}" -D CMAKE_C_FLAGS=-fsanitize=address)
expect_linked(C "${plugin}" -D CMAKE_BUILD_TYPE=Debug -D CMAKE_C_FLAGS_DEBUG=-fsanitize=address)
expect_linked(C "add_compile_options(-fsanitize=address,undefined)\n${plugin}")
expect_linked(C "${plugin}\ntarget_compile_options(acme PRIVATE -fsanitize=address)")
expect_linked("C CXX" "${cxx_plugin}" -D CMAKE_CXX_FLAGS=-fsanitize=address)
expect_linked(CXX "add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fsanitize=address>)\n${cxx_plugin}")
