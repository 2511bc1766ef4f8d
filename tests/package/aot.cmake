# Installs Nereid into a prefix of its own, builds examples/aot against it, and
# runs the program without any compiler. Skipped without a Python with Triton.

include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

if(NOT EXISTS ${PYTHON})
  message("skipped: no ${PYTHON}; scripts/python-env makes it")
  return()
endif()
file(REMOVE_RECURSE ${WORK_DIR})
isolate_environment()
set(prefix ${WORK_DIR}/prefix)
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${prefix})

# A copy, so that nothing of this tree can be found beside it.
file(COPY ${SOURCE_DIR}/examples/aot DESTINATION ${WORK_DIR})
set(source ${WORK_DIR}/aot)
set(build ${WORK_DIR}/build)
set(ENV{LD_LIBRARY_PATH} ${prefix}/${LIBDIR})
set(ENV{NEREID_CACHE_DIR} ${WORK_DIR}/cache)
set(flags "")
if(SANITIZER STREQUAL "address")
  set(flags -fsanitize=address,undefined)
elseif(SANITIZER STREQUAL "thread")
  set(flags -fsanitize=thread)
endif()
set(configure ${CMAKE_COMMAND} -S ${source} -B ${build} -G ${GENERATOR}
  -D CMAKE_PREFIX_PATH=${prefix} -D CMAKE_CXX_COMPILER=${CXX_COMPILER}
  -D CMAKE_CXX_FLAGS=${flags} -D AOT_PYTHON=${PYTHON}
)
if(MAKE_PROGRAM)
  list(APPEND configure -D CMAKE_MAKE_PROGRAM=${MAKE_PROGRAM})
endif()

# Whether the next build compiles the kernels.
function(expect_kernels_built expected why)
  run(${CMAKE_COMMAND} --build ${build})
  string(FIND "${out}" "Compiling the kernels softmax" found)
  if((found EQUAL -1 AND expected) OR (NOT found EQUAL -1 AND NOT expected))
    message(FATAL_ERROR "${why}:\n${out}")
  endif()
endfunction()

run(${configure} -D AOT_TARGETS=cpu)
expect_kernels_built(TRUE "the first build did not compile the kernels")
expect_kernels_built(FALSE "a second build compiled the kernels again")

# The program needs neither Python nor a compiler.
set(ENV{NEREID_COMPILE} never)
foreach(words IN ITEMS "cpu" "cpu;${build}/nereid/softmax/softmax.nra")
  run(${build}/aot ${words})
  string(REGEX MATCHALL "right, error" right "${out}")
  list(LENGTH right count)
  if(NOT count EQUAL 20)
    message(FATAL_ERROR "${count} of 20 results are right:\n${out}")
  endif()
endforeach()
unset(ENV{NEREID_COMPILE})

file(APPEND ${source}/softmax.py "\n# changed\n")
expect_kernels_built(TRUE "a changed source was not compiled")
run(${configure} -D AOT_TARGETS=cpu:x86_64:x86-64-v2)
expect_kernels_built(TRUE "another target was not compiled")
expect_kernels_built(FALSE "a build without a change compiled the kernels")
