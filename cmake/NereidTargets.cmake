# How Nereid's own targets are built: warnings, sanitizers, where things go.

# What every target of ours is compiled with.
add_library(nereid_flags INTERFACE)
target_compile_options(nereid_flags INTERFACE
  -Wall -Wextra -Wpedantic
  $<$<BOOL:${NEREID_WERROR}>:-Werror>
  $<$<STREQUAL:${NEREID_SANITIZER},address>:-fsanitize=address,undefined>
  $<$<STREQUAL:${NEREID_SANITIZER},address>:-fno-sanitize-recover=undefined>
  $<$<STREQUAL:${NEREID_SANITIZER},thread>:-fsanitize=thread>
  $<$<BOOL:${NEREID_SANITIZER}>:-fno-omit-frame-pointer>
  $<$<BOOL:${NEREID_FUZZ}>:-fsanitize=fuzzer-no-link>
)
target_link_options(nereid_flags INTERFACE
  $<$<STREQUAL:${NEREID_SANITIZER},address>:-fsanitize=address,undefined>
  $<$<STREQUAL:${NEREID_SANITIZER},thread>:-fsanitize=thread>
)

# Puts a target's file where the build tree keeps its kind: bin, lib or plugin.
function(nereid_place target kind)
  if(kind STREQUAL "bin")
    set(directory ${NEREID_BIN_DIR})
  elseif(kind STREQUAL "lib")
    set(directory ${NEREID_LIB_DIR})
  elseif(kind STREQUAL "plugin")
    set(directory ${NEREID_PLUGIN_DIR})
  else()
    message(FATAL_ERROR "nereid_place: unknown kind '${kind}'")
  endif()
  set_target_properties(${target} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${directory}
    LIBRARY_OUTPUT_DIRECTORY ${directory}
  )
endfunction()

# Hides every symbol of a target that is not exported on purpose.
function(nereid_hide target)
  set_target_properties(${target} PROPERTIES
    C_VISIBILITY_PRESET hidden
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
  )
endfunction()

# nereid_precompile(<target> <header> | REUSE_FROM <target>): as
# target_precompile_headers. Without times in it the result is the same each
# time it is made, and ccache recognizes it.
function(nereid_precompile target)
  target_compile_options(${target} PRIVATE
    "$<$<COMPILE_LANG_AND_ID:CXX,Clang>:SHELL:-Xclang -fno-pch-timestamp>"
  )
  if(ARGV1 STREQUAL "REUSE_FROM")
    target_precompile_headers(${target} REUSE_FROM ${ARGV2})
  else()
    cmake_path(ABSOLUTE_PATH ARGV1 OUTPUT_VARIABLE header)
    target_precompile_headers(${target} PRIVATE
      "$<$<COMPILE_LANGUAGE:CXX>:${header}>"
    )
  endif()
endfunction()

# nereid_unite(<target> [ALONE <source>...]): with NEREID_UNITY its sources are
# compiled several at a time, save those whose local names meet others.
function(nereid_unite target)
  cmake_parse_arguments(PARSE_ARGV 1 unite "" "" "ALONE")
  if(NEREID_UNITY)
    set_target_properties(${target} PROPERTIES
      UNITY_BUILD ON
      UNITY_BUILD_BATCH_SIZE 8
    )
    set_source_files_properties(${unite_ALONE} PROPERTIES
      SKIP_UNITY_BUILD_INCLUSION ON
    )
  endif()
endfunction()

# Makes the interface target `nereid_mlir`: the headers of MLIR and LLVM as
# system headers, their definitions, and their shared libraries.
function(nereid_import_mlir)
  add_library(nereid_mlir INTERFACE)
  target_include_directories(nereid_mlir SYSTEM INTERFACE
    ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS}
  )
  separate_arguments(definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
  target_compile_options(nereid_mlir INTERFACE ${definitions})
  target_link_libraries(nereid_mlir INTERFACE MLIR LLVM)
endfunction()

# Makes the interface target `nereid_vulkan_headers`.
function(nereid_import_vulkan_headers)
  add_library(nereid_vulkan_headers INTERFACE)
  target_include_directories(nereid_vulkan_headers SYSTEM INTERFACE
    ${NEREID_VULKAN_INCLUDE_DIR}
  )
endfunction()

# Runs mlir-tblgen on `source` for `output` with the generator flags that
# follow, and makes a target `target` of all that is added to it.
# nereid_tablegen(<target> <source.td> <output.inc> <flags...>), repeated.
function(nereid_tablegen target source output)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/${output})
  cmake_path(GET out PARENT_PATH folder)
  file(MAKE_DIRECTORY ${folder})
  list(TRANSFORM MLIR_INCLUDE_DIRS PREPEND -I OUTPUT_VARIABLE mlir_includes)
  add_custom_command(
    OUTPUT ${out}
    COMMAND ${MLIR_TABLEGEN_EXE} ${ARGN}
      -I ${CMAKE_CURRENT_SOURCE_DIR}/include ${mlir_includes}
      ${CMAKE_CURRENT_SOURCE_DIR}/${source} -o ${out} -d ${out}.d
    DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${source}
    DEPFILE ${out}.d
    COMMENT "mlir-tblgen ${output}"
    VERBATIM
  )
  if(NOT TARGET ${target})
    add_custom_target(${target})
  endif()
  string(MAKE_C_IDENTIFIER "${target}_${output}" piece)
  add_custom_target(${piece} DEPENDS ${out})
  add_dependencies(${target} ${piece})
endfunction()

# nereid_add_compiler_part(<plugin> SOURCES <file>... LIBS <library>...): the
# shared object with MLIR that the plugin loads to compile
# (plugins/common/compiler_part.h). The plugin finds it in a folder of its own.
function(nereid_add_compiler_part plugin)
  cmake_parse_arguments(PARSE_ARGV 1 part "" "" "SOURCES;LIBS")
  set(target nereid_${plugin}_compiler)
  set(exports ${PROJECT_SOURCE_DIR}/plugins/common/compiler_part.map)
  add_library(${target} SHARED ${part_SOURCES})
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME nereid-${plugin}-compiler
    LIBRARY_OUTPUT_DIRECTORY ${NEREID_PLUGIN_DIR}/${plugin}
    LINK_DEPENDS ${exports}
  )
  target_link_libraries(${target} PRIVATE
    ${part_LIBS} nereid_codegen_kernel nereid_plugin_common nereid_ttir
    nereid_flags
  )
  target_link_options(${target} PRIVATE
    LINKER:--version-script=${exports}
    LINKER:--build-id=sha1
    $<$<NOT:$<BOOL:${NEREID_SANITIZER}>>:LINKER:-z,defs>
  )
  nereid_hide(${target})
  nereid_precompile(${target} REUSE_FROM nereid_expand)
  install(TARGETS ${target}
    LIBRARY DESTINATION
      ${CMAKE_INSTALL_LIBDIR}/${NEREID_PLUGIN_SUBDIR}/${plugin}
  )
endfunction()
