// Handles.h - what the opaque types of nereid/host.h are.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_HANDLES_H
#define NEREID_HOST_HANDLES_H

#include "Compiled.h"
#include "Function.h"
#include "nereid/host.h"

#include <atomic>
#include <memory>
#include <string>

namespace nereid {
class Runtime;
} // namespace nereid

struct nereid_backend_t {
  nereid_backend_t(const nereid::Runtime *runtime,
                   std::shared_ptr<nereid::Plugin> plugin)
      : runtime(runtime), plugin(std::move(plugin)) {}

  const nereid::Runtime *const runtime;
  const std::shared_ptr<nereid::Plugin> plugin;
  std::atomic<uint64_t> functions = 0; // that are loaded
};

struct nereid_compiled_t {
  const std::unique_ptr<const nereid::Compiled> compiled;
};

struct nereid_function_t {
  nereid_function_t(nereid_backend_t *backend,
                    std::unique_ptr<nereid::Function> function)
      : function(std::move(function)), backend(backend) {
    ++backend->functions;
  }
  ~nereid_function_t() {
    function.reset();
    --backend->functions;
  }

  std::unique_ptr<nereid::Function> function;
  nereid_backend_t *const backend;
};

struct nereid_buffer_t {
  std::string bytes;
};

#endif // NEREID_HOST_HANDLES_H
