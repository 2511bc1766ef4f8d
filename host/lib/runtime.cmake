# The runtime: settings, log, trace, compile, launch and the C interface.

add_library(nereid_host_headers INTERFACE)
target_sources(nereid_host_headers
  INTERFACE FILE_SET HEADERS
  BASE_DIRS ${PROJECT_SOURCE_DIR}/host/include
  FILES ${PROJECT_SOURCE_DIR}/host/include/nereid/host.h
)
target_sources(nereid_host_objects PRIVATE
  Arguments.cpp
  CacheKey.cpp
  Call.cpp
  Compile.cpp
  Compiled.cpp
  Dump.cpp
  Error.cpp
  Function.cpp
  Launch.cpp
  Log.cpp
  Nearest.cpp
  OptionValues.cpp
  Options.cpp
  Pipeline.cpp
  Settings.cpp
  Stages.cpp
  Target.cpp
  Trace.cpp
  Values.cpp
  ValuesCodec.cpp
)
