# What the wheel holds, in a component that is installed only when it is asked
# for: the module in the package, and below it the rest as libnereid
# expects it, the plugins below its own folder.

set(wheel_lib nereid/lib)
set(wheel_plugins ${wheel_lib}/${NEREID_PLUGIN_SUBDIR})

# A wheel has no links: one file, of the name that is looked for.
if(SKBUILD)
  set_target_properties(nereid nereid_ops_library PROPERTIES VERSION 0)
endif()

# nereid_add_to_wheel(<folder> <targets...>)
function(nereid_add_to_wheel folder)
  install(TARGETS ${ARGN}
    RUNTIME DESTINATION ${folder} COMPONENT wheel EXCLUDE_FROM_ALL
    LIBRARY DESTINATION ${folder} COMPONENT wheel EXCLUDE_FROM_ALL NAMELINK_SKIP
  )
endfunction()

nereid_add_to_wheel(nereid nereid_python nereid_python_operators)
nereid_add_to_wheel(nereid/bin nereid_tool)
nereid_add_to_wheel(${wheel_lib} nereid nereid_ops_library)
nereid_add_to_wheel(${wheel_lib}/nereid nereid_cache_redis nereid_compile_worker
  nereid_probe)
nereid_add_to_wheel(${wheel_plugins} nereid_cuda nereid_extension nereid_triton)
nereid_add_to_wheel(${wheel_lib}/nereid/python-backend nereid_python_backend)
install(FILES
    plugins/triton/nereid_triton_worker.py
    host/worker/nereid_worker.py
  DESTINATION ${wheel_plugins}/triton COMPONENT wheel EXCLUDE_FROM_ALL
)
install(DIRECTORY plugins/packs/generic
  DESTINATION nereid/share/nereid/packs COMPONENT wheel EXCLUDE_FROM_ALL
  PATTERN __pycache__ EXCLUDE
)
install(FILES plugins/packs/tune_configs.schema.json
  DESTINATION nereid/share/nereid/packs COMPONENT wheel EXCLUDE_FROM_ALL
)
set(wheel_targets
  nereid_python nereid_python_operators nereid_tool nereid nereid_cache_redis
  nereid_ops_library nereid_probe nereid_compile_worker nereid_cuda
  nereid_extension nereid_python_backend nereid_triton
)
if(NEREID_BUILD_COMPILERS)
  nereid_add_to_wheel(${wheel_lib}/nereid nereid_ttir_service)
  nereid_add_to_wheel(${wheel_plugins} nereid_cpu)
  nereid_add_to_wheel(${wheel_plugins}/cpu nereid_cpu_compiler)
  list(APPEND wheel_targets nereid_ttir_service nereid_cpu nereid_cpu_compiler)
endif()
if(NEREID_BUILD_VULKAN)
  nereid_add_to_wheel(${wheel_plugins} nereid_vulkan)
  list(APPEND wheel_targets nereid_vulkan)
endif()
if(TARGET nereid_vulkan_compiler)
  nereid_add_to_wheel(${wheel_plugins}/vulkan nereid_vulkan_compiler)
  list(APPEND wheel_targets nereid_vulkan_compiler)
endif()
add_custom_target(nereid_wheel DEPENDS ${wheel_targets})
