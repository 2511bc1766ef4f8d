# The runtime: settings, log, trace, compile, launch and the C interface.

target_sources(nereid_host_objects PRIVATE
  Arguments.cpp
  CacheKey.cpp
  Call.cpp
  Compile.cpp
  Compiled.cpp
  Dump.cpp
  Error.cpp
  Extensions.cpp
  Function.cpp
  Launch.cpp
  Log.cpp
  Nearest.cpp
  OptionValues.cpp
  Options.cpp
  Pipeline.cpp
  Runtime.cpp
  Settings.cpp
  Stages.cpp
  Target.cpp
  Trace.cpp
  Values.cpp
  ValuesCodec.cpp
  Visible.cpp
  capi.cpp
  capi_backend.cpp
  capi_cache.cpp
  capi_compile.cpp
  capi_launch.cpp
  capi_memory.cpp
  capi_stream.cpp
  check/Check.cpp
  check/CompilerChecks.cpp
  check/DriverChecks.cpp
  check/Exports.cpp
  check/FileChecks.cpp
  check/KernelChecks.cpp
)
target_compile_definitions(nereid_host_objects PRIVATE
  NEREID_VERSION="${PROJECT_VERSION}"
)
# For the declaration of the service, which is loaded at run time.
target_include_directories(nereid_host_objects PRIVATE
  ${PROJECT_SOURCE_DIR}/host/ttir/include
)
