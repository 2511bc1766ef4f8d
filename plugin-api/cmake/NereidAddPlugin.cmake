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
  if(NOT DEFINED ARG_MIN_HOST_MINOR)
    set(ARG_MIN_HOST_MINOR 0)
  elseif(NOT ARG_MIN_HOST_MINOR MATCHES "^[0-9]+$")
    message(FATAL_ERROR "nereid_add_plugin(${target}): MIN_HOST_MINOR is '${ARG_MIN_HOST_MINOR}', expected a number")
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
  nereid_sanitized(sanitized ${target})
  target_link_options(${target} PRIVATE $<$<NOT:${sanitized}>:LINKER:-z,defs>)
endfunction()

# Sets `out` to a generator expression that is 1 if a source of the target is
# compiled with -fsanitize=, be it by an option or by the flags of a language.
function(nereid_sanitized out target)
  set(found $<BOOL:$<FILTER:$<TARGET_PROPERTY:${target},COMPILE_OPTIONS>,INCLUDE,-fsanitize=>>)
  foreach(language IN ITEMS C CXX)
    # The note is C where there is C.
    set(used 1)
    if(language STREQUAL "CXX")
      set(used $<LINK_LANGUAGE:CXX>)
    endif()
    if(CMAKE_${language}_FLAGS MATCHES "-fsanitize=")
      list(APPEND found ${used})
    endif()
    foreach(config IN LISTS CMAKE_CONFIGURATION_TYPES CMAKE_BUILD_TYPE)
      string(TOUPPER "${config}" upper)
      if(CMAKE_${language}_FLAGS_${upper} MATCHES "-fsanitize=")
        list(APPEND found $<AND:${used},$<CONFIG:${config}>>)
      endif()
    endforeach()
  endforeach()
  list(JOIN found "," found)
  set(${out} $<OR:${found}> PARENT_SCOPE)
endfunction()
