// nereid/host.hpp - libnereid for C++ programs: nereid/host.h with RAII and
// without out parameters.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Header-only, C++17, throws no exceptions of its own: functions that can fail
// return an Expected<T>, which holds the value or the reason. get() returns an
// object's C handle for functions that are not wrapped here.
//
//   nereid::Expected<nereid::Runtime> runtime = nereid::Runtime::create();
//   if (!runtime)
//     return complain(runtime.error());

#ifndef NEREID_HOST_HPP
#define NEREID_HOST_HPP

#include "nereid/host.h"
#include "nereid/host/expected.hpp"
#include "nereid/host/function.hpp"
#include "nereid/host/memory.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace nereid {

/// The result of a compilation.
class Artifact {
public:
  explicit Artifact(nereid_artifact_t *handle) : owner(handle) {}
  nereid_artifact_t *get() const { return owner.get(); }

  /// Views into this object.
  nereid_artifact_info_t info() const {
    auto info = detail::sized<nereid_artifact_info_t>();
    (void)nereid_artifact_info(get(), &info);
    return info;
  }
  /// All facts as JSON.
  Expected<std::string> describe() const {
    nereid_buffer_t *buffer = nullptr;
    nereid_status_t status = nereid_artifact_describe(get(), &buffer);
    return detail::take(status, buffer);
  }

private:
  detail::Owner<nereid_artifact_t, nereid_artifact_destroy> owner;
};

/// One loaded plugin. A view: it lives as long as its runtime.
class Backend {
public:
  explicit Backend(nereid_backend_t *backend) : handle(backend) {}
  nereid_backend_t *get() const { return handle; }

  nereid_backend_info_t info() const {
    auto info = detail::sized<nereid_backend_info_t>();
    (void)nereid_backend_info(handle, &info);
    return info;
  }
  /// Facts about a device as a JSON object.
  Expected<std::string> properties(uint32_t device = 0) const {
    nereid_buffer_t *buffer = nullptr;
    nereid_status_t status = nereid_backend_properties(handle, device, &buffer);
    return detail::take(status, buffer);
  }

  Expected<Artifact> compile(nereid_compile_request_t request) const {
    request.struct_size = sizeof request;
    nereid_artifact_t *artifact = nullptr;
    nereid_status_t status = nereid_compile(handle, &request, &artifact);
    if (status != NEREID_OK)
      return detail::lastError(status);
    return Artifact(artifact);
  }
  /// Compiles `source` with default options for `device`.
  Expected<Artifact> compile(std::string_view source, std::string_view name,
                             uint32_t device = 0) const {
    nereid_compile_request_t request = {};
    request.source = {source.data(), source.size()};
    request.source_name = detail::borrow(name);
    request.device = device;
    return compile(request);
  }

  Expected<Function> load(const Artifact &artifact, uint32_t device = 0) const {
    nereid_function_t *function = nullptr;
    nereid_status_t status =
        nereid_function_load(handle, device, artifact.get(), &function);
    if (status != NEREID_OK)
      return detail::lastError(status);
    return Function(function);
  }

  Expected<Memory> allocate(uint64_t size, uint32_t device = 0) const {
    auto request = detail::sized<nereid_allocation_t>();
    request.size = size;
    nereid_address_t address = 0;
    nereid_status_t status =
        nereid_backend_allocate(handle, device, &request, &address);
    if (status != NEREID_OK)
      return detail::lastError(status);
    return Memory(handle, device, address, size);
  }
  Expected<void> synchronize(uint32_t device = 0,
                             nereid_stream_t stream = 0) const {
    return detail::check(nereid_backend_synchronize(handle, device, stream));
  }

private:
  nereid_backend_t *handle;
};

/// Plugins, cache and settings. Outlives everything made from it.
class Runtime {
public:
  /// A backend and one of its devices.
  struct Choice {
    Backend backend;
    uint32_t device;
  };

  static Expected<Runtime>
  create(const nereid_runtime_options_t *options = nullptr) {
    nereid_runtime_t *runtime = nullptr;
    nereid_status_t status = nereid_runtime_create(options, &runtime);
    if (status != NEREID_OK)
      return detail::lastError(status);
    return Runtime(runtime);
  }
  nereid_runtime_t *get() const { return owner.get(); }

  /// The load report as JSON.
  Expected<std::string> report() const {
    nereid_buffer_t *buffer = nullptr;
    nereid_status_t status = nereid_runtime_report(get(), &buffer);
    return detail::take(status, buffer);
  }
  /// The backend and device that `name` selects: "cpu", "vulkan:1", or empty
  /// for the best.
  Expected<Choice> choose(std::string_view name = {}) const {
    nereid_backend_t *backend = nullptr;
    uint32_t device = 0;
    nereid_status_t status =
        nereid_runtime_choose(get(), detail::borrow(name), &backend, &device);
    if (status != NEREID_OK)
      return detail::lastError(status);
    return Choice{Backend(backend), device};
  }
  Expected<Backend> load(std::string_view path) const {
    nereid_backend_t *backend = nullptr;
    nereid_status_t status =
        nereid_runtime_load(get(), detail::borrow(path), &backend);
    if (status != NEREID_OK)
      return detail::lastError(status);
    return Backend(backend);
  }
  std::vector<Backend> backends() const {
    std::vector<Backend> all;
    uint64_t count = nereid_runtime_backend_count(get());
    for (uint64_t i = 0; i < count; ++i)
      if (nereid_backend_t *backend = nereid_runtime_backend_at(get(), i))
        all.emplace_back(backend);
    return all;
  }

private:
  explicit Runtime(nereid_runtime_t *handle) : owner(handle) {}
  detail::Owner<nereid_runtime_t, nereid_runtime_destroy> owner;
};

} // namespace nereid

#endif // NEREID_HOST_HPP
