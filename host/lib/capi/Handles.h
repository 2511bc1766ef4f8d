// Handles.h - what the opaque types of nereid/host.h are.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_CAPI_HANDLES_H
#define NEREID_HOST_CAPI_HANDLES_H

#include "artifact/Artifact.h"
#include "launch/Function.h"
#include "nereid/host.h"

#include <atomic>
#include <memory>
#include <string>

namespace nereid::host {
class Runtime;
} // namespace nereid::host

struct nereid_backend_t {
  nereid_backend_t(const nereid::host::Runtime *runtime,
                   std::shared_ptr<nereid::host::Plugin> plugin)
      : runtime(runtime), plugin(std::move(plugin)) {}

  const nereid::host::Runtime *const runtime;
  const std::shared_ptr<nereid::host::Plugin> plugin;
  std::atomic<uint64_t> functions = 0; // that are loaded
};

struct nereid_artifact_t {
  const std::unique_ptr<const nereid::host::Artifact> artifact;
};

struct nereid_function_t {
  nereid_function_t(nereid_backend_t *backend,
                    std::unique_ptr<nereid::host::Function> function)
      : function(std::move(function)), backend(backend) {
    ++backend->functions;
  }
  ~nereid_function_t() {
    function.reset();
    --backend->functions;
  }

  std::unique_ptr<nereid::host::Function> function;
  nereid_backend_t *const backend;
};

struct nereid_buffer_t {
  std::string bytes;
};

#endif // NEREID_HOST_CAPI_HANDLES_H
