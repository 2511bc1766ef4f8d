# How tests are declared. ctest names are paths: unit.<Suite>.<Case>,
# lit.<suite>; labels are the folders.

include(GoogleTest)

add_executable(nereid_test_headers ${PROJECT_SOURCE_DIR}/tests/support/precompiled.cpp)
target_link_libraries(nereid_test_headers PRIVATE nereid_flags GTest::gtest GTest::gmock)
nereid_precompile(nereid_test_headers ${PROJECT_SOURCE_DIR}/tests/support/precompiled.h)

# What the tests of label `unit` run: all that a build with a sanitizer needs.
add_custom_target(unit_tests)

# A GoogleTest program whose every case is one ctest.
# nereid_add_test(<name> SOURCES ... LIBS ... [ALONE ...] [LABEL unit])
# ALONE as of nereid_unite().
# Limits of time are for hangs only: ten times what a test takes and more.
function(nereid_add_test name)
  cmake_parse_arguments(ARG "" "LABEL;TIMEOUT" "SOURCES;LIBS;ENVIRONMENT;ALONE" ${ARGN})
  if(NOT ARG_LABEL)
    set(ARG_LABEL unit)
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 900)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests/support)
  target_link_libraries(${name} PRIVATE nereid_flags GTest::gtest GTest::gmock GTest::gtest_main ${ARG_LIBS})
  nereid_precompile(${name} REUSE_FROM nereid_test_headers)
  nereid_unite(${name} ALONE ${ARG_ALONE})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  if(ARG_LABEL STREQUAL "unit")
    add_dependencies(unit_tests ${name})
  endif()
  gtest_discover_tests(${name}
    TEST_PREFIX "${ARG_LABEL}."
    DISCOVERY_MODE PRE_TEST
    DISCOVERY_TIMEOUT 600
    PROPERTIES LABELS ${ARG_LABEL} TIMEOUT ${ARG_TIMEOUT} ENVIRONMENT "${ARG_ENVIRONMENT}"
  )
endfunction()

# Runs the .mlir and .test files of the current source folder with lit.
# nereid_add_lit_suite(<name> [DEPENDS targets...])
function(nereid_add_lit_suite name)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  set(NEREID_LIT_SUITE ${name})
  set(NEREID_LIT_SOURCE ${CMAKE_CURRENT_SOURCE_DIR})
  set(NEREID_LIT_EXEC ${CMAKE_CURRENT_BINARY_DIR}/lit)
  configure_file(${PROJECT_SOURCE_DIR}/tests/lit.site.cfg.py.in
    ${CMAKE_CURRENT_BINARY_DIR}/lit/lit.site.cfg.py @ONLY)
  add_test(NAME lit.${name}
    COMMAND ${Python3_EXECUTABLE} ${LLVM_LIBRARY_DIR}/../build/utils/lit/lit.py
      -v ${CMAKE_CURRENT_BINARY_DIR}/lit)
  set_tests_properties(lit.${name} PROPERTIES LABELS lit TIMEOUT 3600)
endfunction()
