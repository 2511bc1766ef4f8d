# The runtime: settings, log, trace, compile, launch and the C interface.

add_library(nereid_host_headers INTERFACE)
target_sources(nereid_host_headers
  INTERFACE FILE_SET HEADERS
  BASE_DIRS ${PROJECT_SOURCE_DIR}/host/include
  FILES ${PROJECT_SOURCE_DIR}/host/include/nereid/host.h
)
target_sources(nereid_host_objects PRIVATE
  Call.cpp
  Log.cpp
)
