# Installs what the wheel holds, and compiles a kernel with each of its plugins.

include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

file(REMOVE_RECURSE ${WORK_DIR})
isolate_environment()
set(ENV{NEREID_CACHE_DIR} ${WORK_DIR}/cache)
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --component wheel --prefix ${WORK_DIR})
foreach(plugin IN LISTS PLUGINS)
  set(target ${plugin})
  if(plugin STREQUAL "vulkan")
    set(target vulkan:minimal-1.3) # needs no device
  endif()
  run(${WORK_DIR}/nereid/bin/nereid compile
    ${SOURCE_DIR}/examples/embed/vector_add.ttir --target ${target}
    -o ${WORK_DIR}/${plugin}.image
  )
  if(NOT EXISTS ${WORK_DIR}/${plugin}.image)
    message(FATAL_ERROR "${plugin} made no image")
  endif()
endforeach()
