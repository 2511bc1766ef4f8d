# nereid_add_kernels(<target> SOURCES <file>... [TARGETS <target>...]
#   [NAME <name>] [PYTHON <program>] [OPTIONS <option>...])
#
# Compiles kernels ahead of time with `nereid build` and gives them to <target>:
# the header <name>.h is in its include path, the archive is linked into it
# (<name>_open_linked() opens it), and the property NEREID_ARCHIVES of <target>
# names the file <name>.nra, to install it instead.
#
#   SOURCES  Python files with get_function_table(), .ttir files, lists (.json)
#   TARGETS  what to compile for; default: the device of this machine
#   NAME     default: <target>_kernels
#   PYTHON   the Python that has Triton; default: that of `nereid build`
#   OPTIONS  more options of `nereid build`, as "-O;name=value" or --embed-ttir
#
# Built again when a source, an option, the tool, a compiler plugin or Triton
# changes.

function(nereid_add_kernels target)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "NAME;PYTHON" "SOURCES;TARGETS;OPTIONS")
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "nereid_add_kernels(${target}): unknown arguments "
      "'${ARG_UNPARSED_ARGUMENTS}', expected SOURCES, TARGETS, NAME, PYTHON, OPTIONS")
  endif()
  if(NOT TARGET ${target})
    message(FATAL_ERROR "nereid_add_kernels(${target}): no such target; "
      "call add_executable() or add_library() first")
  endif()
  if(NOT ARG_SOURCES)
    message(FATAL_ERROR "nereid_add_kernels(${target}): SOURCES is missing")
  endif()
  if(NOT ARG_NAME)
    set(ARG_NAME ${target}_kernels)
  endif()
  if(NOT ARG_NAME MATCHES "^[A-Za-z_][A-Za-z0-9_]*$")
    message(FATAL_ERROR "nereid_add_kernels(${target}): NAME '${ARG_NAME}', expected a C identifier")
  endif()
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    set(arch x86_64)
  elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
    set(arch aarch64)
  else()
    message(FATAL_ERROR "nereid_add_kernels(${target}): archives are linked into programs for "
      "x86_64 and aarch64, not for ${CMAKE_SYSTEM_PROCESSOR}")
  endif()

  set(folder ${CMAKE_CURRENT_BINARY_DIR}/nereid/${ARG_NAME})
  set(out ${folder}/${ARG_NAME})
  set(sources "")
  foreach(source IN LISTS ARG_SOURCES)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
    list(APPEND sources ${source})
  endforeach()
  set(options --name ${ARG_NAME} --object-arch ${arch} ${ARG_OPTIONS})
  foreach(each IN LISTS ARG_TARGETS)
    list(APPEND options --target ${each})
  endforeach()
  if(ARG_PYTHON)
    list(APPEND options --python ${ARG_PYTHON})
  endif()
  # Makefiles do not build again when a command changes; this file does.
  file(MAKE_DIRECTORY ${folder})
  file(CONFIGURE OUTPUT ${out}.options CONTENT "${sources};${options}\n" @ONLY)
  add_custom_command(
    OUTPUT ${out}.nra ${out}.h ${out}.o
    COMMAND ${NEREID_TOOL} build ${sources} -o ${out}.nra --header ${out}.h
      --object ${out}.o --depfile ${out}.d ${options}
    DEPENDS ${sources} ${out}.options ${NEREID_TOOL}
    DEPFILE ${out}.d
    COMMENT "Compiling the kernels ${ARG_NAME}"
    VERBATIM
  )
  set_source_files_properties(${out}.o PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  target_sources(${target} PRIVATE ${out}.o ${out}.h)
  target_include_directories(${target} PRIVATE ${folder})
  target_link_libraries(${target} PRIVATE nereid::nereid)
  set_property(TARGET ${target} APPEND PROPERTY NEREID_ARCHIVES ${out}.nra)
endfunction()
