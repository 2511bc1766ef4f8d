# Builds a Nereid plugin: a shared object without a prefix that exports its
# entry alone, binds all it uses when it is linked, and carries the note that a
# host reads before any code runs.
#
#   nereid_add_plugin(<target>
#     ID <id>                 # unique, [a-z0-9_.-]+, at most 63 characters
#     VERSION <version>       # of the plugin
#     SOURCES <file>...
#     [MIN_HOST_MINOR <n>]    # lowest ABI minor of a host that it works with
#   )
#
# The sources see NEREID_PLUGIN_ID and NEREID_PLUGIN_VERSION as strings, and
# NEREID_PLUGIN_MIN_HOST_MINOR, so that each is written once.
function(nereid_add_plugin target)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "ID;VERSION;MIN_HOST_MINOR" "SOURCES")
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "nereid_add_plugin(${target}): unknown argument '${ARG_UNPARSED_ARGUMENTS}'")
  endif()
  foreach(needed IN ITEMS ID VERSION SOURCES)
    if(NOT ARG_${needed})
      message(FATAL_ERROR "nereid_add_plugin(${target}): ${needed} is missing")
    endif()
  endforeach()
  string(LENGTH "${ARG_ID}" id_length)
  if(NOT ARG_ID MATCHES "^[a-z0-9_.-]+$" OR id_length GREATER 63)
    message(FATAL_ERROR "nereid_add_plugin(${target}): the id '${ARG_ID}' is not 1 to 63 of [a-z0-9_.-]")
  endif()
  if(NOT ARG_MIN_HOST_MINOR)
    set(ARG_MIN_HOST_MINOR 0)
  endif()

  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  set(suffix cpp)
  if("C" IN_LIST languages)
    set(suffix c)
  endif()
  set(note ${CMAKE_CURRENT_BINARY_DIR}/${target}-note.${suffix})
  configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/nereid-note.in ${note} @ONLY)

  add_library(${target} MODULE)
  target_sources(${target} PRIVATE ${ARG_SOURCES} ${note})
  target_link_libraries(${target} PRIVATE nereid::plugin_api)
  target_compile_definitions(${target} PRIVATE
    NEREID_PLUGIN_ID="${ARG_ID}"
    NEREID_PLUGIN_VERSION="${ARG_VERSION}"
    NEREID_PLUGIN_MIN_HOST_MINOR=${ARG_MIN_HOST_MINOR}
  )
  set_target_properties(${target} PROPERTIES
    PREFIX ""
    SUFFIX .so
    C_VISIBILITY_PRESET hidden
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    LINK_DEPENDS ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/nereid-plugin.map
  )
  target_link_options(${target} PRIVATE
    LINKER:--version-script=${CMAKE_CURRENT_FUNCTION_LIST_DIR}/nereid-plugin.map
    LINKER:--exclude-libs,ALL
    LINKER:--build-id=sha1
  )
  # A sanitizer's runtime is in the program, not in the plugin.
  if(NOT "${NEREID_SANITIZER} ${CMAKE_C_FLAGS} ${CMAKE_CXX_FLAGS}" MATCHES "sanitize|address|thread|memory")
    target_link_options(${target} PRIVATE LINKER:-z,defs)
  endif()
endfunction()
