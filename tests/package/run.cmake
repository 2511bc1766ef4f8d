# Runs a command that must succeed; `out` is what it prints on stdout.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE out ERROR_VARIABLE error)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\n${out}${error}\nexit status ${result}")
  endif()
  set(out "${out}" PARENT_SCOPE)
endfunction()
