# The element-wise emission, a part of the CPU's compiler that tests link alone.
add_library(nereid_cpu_elements STATIC
  ${CMAKE_CURRENT_LIST_DIR}/ElementOps.cpp
  ${CMAKE_CURRENT_LIST_DIR}/ElementOpsDivision.cpp
  ${CMAKE_CURRENT_LIST_DIR}/ElementOpsFloat.cpp
  ${CMAKE_CURRENT_LIST_DIR}/ElementOpsLibrary.cpp
  ${CMAKE_CURRENT_LIST_DIR}/ElementOpsPointers.cpp
  ${CMAKE_CURRENT_LIST_DIR}/ElementOpsTarget.cpp
)
target_include_directories(nereid_cpu_elements PUBLIC ${CMAKE_CURRENT_LIST_DIR})
target_link_libraries(nereid_cpu_elements
  PUBLIC nereid_expand nereid_ttir
  PRIVATE nereid_flags
)
nereid_hide(nereid_cpu_elements)
target_precompile_headers(nereid_cpu_elements REUSE_FROM nereid_ttir)
