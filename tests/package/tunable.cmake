# Installs Nereid into a prefix of its own, builds examples/tunable against it, tunes
# small shapes, and checks that the program uses what was tuned. Skipped without a
# Python with Triton.

include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

if(NOT EXISTS ${PYTHON})
  message("skipped: no ${PYTHON}; scripts/python-env makes it")
  return()
endif()
file(REMOVE_RECURSE ${WORK_DIR})
isolate_environment()
set(prefix ${WORK_DIR}/prefix)
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${prefix})
file(COPY ${SOURCE_DIR}/examples/tunable DESTINATION ${WORK_DIR})
set(source ${WORK_DIR}/tunable)
set(build ${WORK_DIR}/build)
set(ENV{LD_LIBRARY_PATH} ${prefix}/${LIBDIR})
set(ENV{PATH} "${prefix}/bin:$ENV{PATH}")
set(ENV{NEREID_CACHE_DIR} ${WORK_DIR}/cache)
set(ENV{NEREID_TRITON_PYTHON} ${PYTHON})
set(ENV{NEREID_TUNED} ${WORK_DIR}/unused.db)
run(${CMAKE_COMMAND} -S ${source} -B ${build} -G Ninja
  -D CMAKE_PREFIX_PATH=${prefix} -D CMAKE_CXX_COMPILER=${CXX_COMPILER}
)
run(${CMAKE_COMMAND} --build ${build})

# Sixteen rows at most: what is tested is that all of it works together. The time
# only ends a hang.
execute_process(
  COMMAND ${source}/tune.sh ${build}/tunable cpu 3000 16384
  WORKING_DIRECTORY ${WORK_DIR}
  RESULT_VARIABLE result OUTPUT_VARIABLE out ERROR_VARIABLE error
)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${out}${error}\nexit status ${result}")
endif()
string(REGEX MATCHALL "best of [56]: " right "${out}")
list(LENGTH right count)
if(NOT count EQUAL 10)
  message(FATAL_ERROR "${count} of 10 results are right:\n${out}")
endif()
if(NOT EXISTS ${WORK_DIR}/tuned/report.html)
  message(FATAL_ERROR "there is no report:\n${out}")
endif()

# Each type was tuned in a store of its own; the program has both.
run(${prefix}/bin/nereid tune list --store ${WORK_DIR}/tuned/all.db --json)
string(JSON results GET "${out}" results)
string(JSON count LENGTH "${results}")
math(EXPR last "${count} - 1")
set(keys "")
foreach(i RANGE ${last})
  string(JSON key GET "${results}" ${i} key_exact)
  list(APPEND keys "${key}")
endforeach()
list(REMOVE_DUPLICATES keys)
list(LENGTH keys shapes)
if(NOT shapes EQUAL 10)
  message(FATAL_ERROR "${shapes} of 10 shapes were tuned:\n${results}")
endif()

# The program takes the winner of the store: here pieces with their own settings,
# which are said to be the fastest by far. Without noise: what was measured on a busy
# machine has so much that the default would stay.
set(edit [[
import json, sys
with open(sys.argv[1]) as file:
    stored = json.load(file)
for row in stored["results"]:
    row["spread_ns"] = 0
    if row["variant"] == "pieces" and not row["configuration"]:
        row.update(status="ok", median_ns=1.0, samples=100)
with open(sys.argv[2], "w") as file:
    json.dump(stored, file)
]])
run(${prefix}/bin/nereid tune export --store ${WORK_DIR}/tuned/all.db -o ${WORK_DIR}/all.json)
run(${PYTHON} -c "${edit}" ${WORK_DIR}/all.json ${WORK_DIR}/edited.json)
run(${prefix}/bin/nereid tune import ${WORK_DIR}/edited.json --store ${WORK_DIR}/edited.db)
set(ENV{NEREID_TUNED} ${WORK_DIR}/edited.db)
run(${build}/tunable ${source}/pack --device cpu --elements 16384)
string(REGEX MATCHALL "pieces 1024 +right" right "${out}")
list(LENGTH right count)
if(NOT count EQUAL 10)
  message(FATAL_ERROR "${count} of 10 shapes are read in pieces:\n${out}")
endif()
