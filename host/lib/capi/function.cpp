// function.cpp - loading and launching, for host programs.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "abi/Struct.h"
#include "capi/Handles.h"
#include "plugin/Target.h"
#include "runtime/Runtime.h"
#include "support/Error.h"

using namespace nereid::host;

nereid_status_t nereid_function_load(nereid_backend_t *backend, uint32_t device,
                                     const nereid_artifact_t *artifact,
                                     nereid_function_t **out_function) {
  return guarded([&]() -> Outcome {
    for (Outcome given :
         {require(backend, "backend"), require(artifact, "artifact"),
          require(out_function, "out_function")})
      if (!given)
        return given;
    const Runtime &runtime = *backend->runtime;
    Result<std::unique_ptr<Function>> function =
        Function::load(backend->plugin, device, *artifact->artifact,
                       &runtime.log(), runtime.trace());
    if (!function)
      return function.failure();
    *out_function = new nereid_function_t(backend, std::move(*function));
    return {};
  });
}

void nereid_function_destroy(nereid_function_t *function) { delete function; }

nereid_status_t nereid_function_info(const nereid_function_t *function,
                                     nereid_function_info_t *out_info) {
  return guarded([&]() -> Outcome {
    if (Outcome given = require(function, "function"); !given)
      return given;
    const ArgumentLayout &layout = function->function->layout();
    nereid_function_info_t info = {};
    info.struct_size = sizeof info;
    info.argument_count = static_cast<uint32_t>(layout.arguments.size());
    info.arguments_size = layout.size;
    info.name = borrow(function->function->name());
    info.resources = &function->function->resources();
    info.scratch_size = function->function->scratchBytes();
    info.scratch_alignment = function->function->scratchAlignmentBytes();
    return writeStruct(info, out_info);
  });
}

nereid_status_t nereid_function_argument(const nereid_function_t *function,
                                         uint32_t index,
                                         nereid_argument_t *out_argument) {
  return guarded([&]() -> Outcome {
    if (Outcome given = require(function, "function"); !given)
      return given;
    const std::vector<Argument> &all = function->function->layout().arguments;
    if (index >= all.size())
      return Failure{NEREID_NOT_FOUND,
                     function->function->name() + ": no argument " +
                         std::to_string(index) + ", the kernel has " +
                         std::to_string(all.size())};
    nereid_argument_t argument = {};
    argument.struct_size = sizeof argument;
    argument.offset = all[index].offset;
    argument.size = all[index].size;
    argument.name = borrow(all[index].name);
    argument.type = borrow(all[index].type);
    return writeStruct(argument, out_argument);
  });
}

// The fields of ABI 1.0, which every caller has.
static constexpr uint32_t leastLaunchSize = offsetof(nereid_launch_t, scratch);

nereid_status_t nereid_function_launch(nereid_function_t *function,
                                       const nereid_launch_t *launch) {
  if (!function || !launch || launch->struct_size < leastLaunchSize)
      [[unlikely]]
    return guarded([&]() -> Outcome {
      for (Outcome given :
           {require(function, "function"), require(launch, "launch")})
        if (!given)
          return given;
      return Failure{NEREID_INVALID_ARGUMENT,
                     "struct_size of the launch is " +
                         std::to_string(launch->struct_size) +
                         ", expected its sizeof"};
    });
  return function->function->launch(*launch);
}
