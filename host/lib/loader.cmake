# The loader: finds, checks, loads, chooses and reports plugins.

set(NEREID_PROBE_SUBDIR nereid)
target_sources(nereid_host_objects PRIVATE
  BuildIdentity.cpp
  Choice.cpp
  CompilerChoice.cpp
  File.cpp
  Glob.cpp
  HostTable.cpp
  IsolatedProbe.cpp
  LoadReport.cpp
  Note.cpp
  NoteCheck.cpp
  OpenedPlugin.cpp
  PathSafety.cpp
  Plugin.cpp
  PluginLoader.cpp
  PluginPaths.cpp
  PluginRegistry.cpp
  PluginTable.cpp
  ProbeChild.cpp
  Slots.cpp
)
target_compile_definitions(nereid_host_objects PRIVATE
  NEREID_PLUGIN_SUBDIR="${NEREID_PLUGIN_SUBDIR}"
  NEREID_INSTALLED_PLUGIN_DIR="${CMAKE_INSTALL_FULL_LIBDIR}/${NEREID_PLUGIN_SUBDIR}"
  NEREID_PROBE_PATH="${NEREID_PROBE_SUBDIR}/nereid-probe"
)

# The child process of an isolated probe.
add_executable(nereid_probe nereid-probe.cpp)
set_target_properties(nereid_probe PROPERTIES
  OUTPUT_NAME nereid-probe
  RUNTIME_OUTPUT_DIRECTORY ${NEREID_LIB_DIR}/${NEREID_PROBE_SUBDIR}
)
target_link_libraries(nereid_probe PRIVATE nereid_flags nereid_host_objects)
install(TARGETS nereid_probe
  RUNTIME DESTINATION ${CMAKE_INSTALL_LIBDIR}/${NEREID_PROBE_SUBDIR}
  COMPONENT host
)
