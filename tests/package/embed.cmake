# Installs Nereid into a prefix of its own, builds examples/embed against it
# with find_package and with pkg-config, and runs the programs.

include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

file(REMOVE_RECURSE ${WORK_DIR})
isolate_environment()
set(prefix ${WORK_DIR}/prefix)
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${prefix})

# A copy, so that nothing of this tree can be found beside it.
file(COPY ${SOURCE_DIR}/examples/embed DESTINATION ${WORK_DIR})
set(source ${WORK_DIR}/embed)

set(flags "")
if(SANITIZER STREQUAL "address")
  set(flags -fsanitize=address,undefined)
elseif(SANITIZER STREQUAL "thread")
  set(flags -fsanitize=thread)
endif()

# ---- With find_package.
run(${CMAKE_COMMAND} -S ${source} -B ${WORK_DIR}/cmake
  -D CMAKE_PREFIX_PATH=${prefix}
  -D CMAKE_C_COMPILER=${C_COMPILER} -D CMAKE_CXX_COMPILER=${CXX_COMPILER}
  -D CMAKE_C_FLAGS=${flags} -D CMAKE_CXX_FLAGS=${flags}
)
run(${CMAKE_COMMAND} --build ${WORK_DIR}/cmake)

# ---- With pkg-config.
set(ENV{PKG_CONFIG_PATH} ${prefix}/${LIBDIR}/pkgconfig)
run(pkg-config --cflags --libs nereid)
separate_arguments(nereid UNIX_COMMAND "${out}")
file(MAKE_DIRECTORY ${WORK_DIR}/pkgconfig)
run(${C_COMPILER} ${flags} -std=c11 ${source}/embed.c -o ${WORK_DIR}/pkgconfig/embed_c ${nereid})
run(${CXX_COMPILER} ${flags} -std=c++17 ${source}/embed.cpp -o ${WORK_DIR}/pkgconfig/embed_cpp ${nereid})

# ---- Both find the installed plugins beside the library by themselves.
set(ENV{LD_LIBRARY_PATH} ${prefix}/${LIBDIR})
set(ENV{NEREID_CACHE_DIR} ${WORK_DIR}/cache)
foreach(program IN ITEMS cmake/embed_c cmake/embed_cpp pkgconfig/embed_c pkgconfig/embed_cpp)
  if(HAS_COMPILERS)
    run(${WORK_DIR}/${program} ${source}/vector_add.ttir)
    if(NOT out MATCHES "10000 of 10000 sums are right")
      message(FATAL_ERROR "${program} printed\n${out}")
    endif()
  else()
    # Without a real compiler the program ends with a clear error.
    execute_process(COMMAND ${WORK_DIR}/${program} ${source}/vector_add.ttir no-such-target
      RESULT_VARIABLE result ERROR_VARIABLE error OUTPUT_VARIABLE out)
    if(NOT result EQUAL 1 OR NOT error MATCHES "error: .*no-such-target")
      message(FATAL_ERROR "${program} ended with ${result} and printed\n${error}")
    endif()
  endif()
endforeach()

# ---- Packs of operators, without what Python compiled from them.
set(pack ${prefix}/share/nereid/packs/generic)
foreach(file IN ITEMS vendor.yaml tune_configs.yaml ops/softmax.yaml ops/softmax.py
    ../tune_configs.schema.json)
  if(NOT EXISTS ${pack}/${file})
    message(FATAL_ERROR "${pack}/${file} is not installed")
  endif()
endforeach()
file(GLOB_RECURSE compiled ${pack}/*.pyc)
if(compiled)
  message(FATAL_ERROR "installed beside the kernels: ${compiled}")
endif()

# ---- The tool, and the plugin for GPUs: compiling needs no driver of Vulkan.
if(HAS_COMPILERS AND HAS_VULKAN AND NOT SANITIZER)
  set(ENV{VK_DRIVER_FILES} /nonexistent.json)
  set(ENV{VK_ICD_FILENAMES} /nonexistent.json)
  foreach(file IN ITEMS vulkan.so vulkan/libnereid-vulkan-compiler.so)
    if(NOT EXISTS ${prefix}/${PLUGIN_SUBDIR}/${file})
      message(FATAL_ERROR "${PLUGIN_SUBDIR}/${file} is not installed")
    endif()
  endforeach()
  set(image ${WORK_DIR}/vector_add.spv)
  run(${prefix}/bin/nereid compile ${source}/vector_add.ttir
    --target vulkan:nvidia-ada -o ${image}
  )
  file(READ ${image} magic LIMIT 4 HEX)
  if(NOT magic STREQUAL "03022307")
    message(FATAL_ERROR "the image for vulkan starts with ${magic}")
  endif()
  execute_process(COMMAND ${prefix}/bin/nereid devices OUTPUT_VARIABLE out)
  if(NOT out MATCHES "vulkan .inactive.*no Vulkan ")
    message(FATAL_ERROR "nereid devices printed\n${out}")
  endif()
endif()
