# Runs a command that must succeed; `out` is what it prints on stdout.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE out ERROR_VARIABLE error)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\n${out}${error}\nexit status ${result}")
  endif()
  set(out "${out}" PARENT_SCOPE)
endfunction()

# Unsets what a user or another build has set, and makes a home below WORK_DIR, so
# that nobody's caches, stores and packages take part.
function(isolate_environment)
  execute_process(COMMAND ${CMAKE_COMMAND} -E environment OUTPUT_VARIABLE variables)
  string(REGEX MATCHALL
    "(^|\n)(NEREID_|XDG_|PYTHON|DESTDIR|MAKEFLAGS|CMAKE_GENERATOR|CMAKE_INSTALL_MODE)[A-Z0-9_]*="
    names "${variables}")
  list(TRANSFORM names REPLACE "[=\n]" "")
  # This one makes tests stricter.
  list(REMOVE_ITEM names NEREID_CPU_POISON_SCRATCH)
  foreach(name IN LISTS names)
    unset(ENV{${name}})
  endforeach()
  file(MAKE_DIRECTORY ${WORK_DIR}/home)
  set(ENV{HOME} ${WORK_DIR}/home)
  set(ENV{PYTHONDONTWRITEBYTECODE} 1)
endfunction()
