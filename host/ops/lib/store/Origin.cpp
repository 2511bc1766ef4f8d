// Origin.cpp - reads identities from what plugins report.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "store/Origin.h"

#include "call/LastFailure.h"
#include "nereid/host/backend.h"
#include "nereid/host/compile.h"
#include "support/Json.h"

#include <algorithm>
#include <limits>

namespace nereid::ops {

using host::Json;

// The object in `buffer`, which is destroyed; empty if it is not one.
static Json takeObject(nereid_buffer_t *buffer) {
  nereid_bytes_t bytes = nereid_buffer_bytes(buffer);
  const char *text = static_cast<const char *>(bytes.data);
  Json json = Json::parse(text, text + bytes.size, nullptr, false);
  nereid_buffer_destroy(buffer);
  return json.is_object() ? json : Json::object();
}

// The member `name` of `object`; empty if it is not a string.
static std::string textOf(const Json &object, const char *name) {
  auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>()
                                                     : std::string();
}

// What the compiler's output depends on besides source and options: an
// ingredient of every cache key, whatever the source.
static Result<std::string> dependenciesOf(nereid_backend_t *backend,
                                          uint32_t device) {
  nereid_compile_request_t request = {};
  request.struct_size = sizeof request;
  request.source_name = borrow("kernel.ttir");
  request.device = device;
  nereid_buffer_t *buffer = nullptr;
  if (nereid_status_t status = nereid_compile_key(backend, &request, &buffer))
    return lastFailure(status);
  Json key = takeObject(buffer);
  return textOf(key.value("ingredients", Json::object()), "dependencies");
}

Result<DeviceIdentity> deviceOf(nereid_backend_t *backend, uint32_t device) {
  nereid_target_t target = {};
  target.struct_size = sizeof target;
  if (nereid_status_t status = nereid_backend_target(backend, device, &target))
    return lastFailure(status);
  nereid_buffer_t *buffer = nullptr;
  if (nereid_status_t status =
          nereid_backend_properties(backend, device, &buffer))
    return lastFailure(status);
  Json facts = takeObject(buffer);
  DeviceIdentity identity;
  identity.name = textOf(facts, "name");
  if (identity.name.empty())
    identity.name = view(target.backend);
  identity.architecture = view(target.arch);
  int64_t units = 0;
  if (auto found = facts.find("multiprocessor_count");
      found != facts.end() && found->is_number_integer())
    units = found->get<int64_t>();
  identity.units =
      std::clamp<int64_t>(units, 0, std::numeric_limits<uint32_t>::max());
  identity.driver = textOf(facts, "driver_version");
  if (identity.driver.empty())
    identity.driver = textOf(facts, "cuda_version");
  return identity;
}

Result<Origin> originOf(nereid_backend_t *backend, uint32_t device) {
  Result<DeviceIdentity> identity = deviceOf(backend, device);
  if (!identity)
    return identity.failure();
  nereid_backend_t *compiler = nullptr;
  if (nereid_status_t status =
          nereid_backend_compiler(backend, device, &compiler))
    return lastFailure(status);
  nereid_backend_info_t info = {};
  info.struct_size = sizeof info;
  if (nereid_status_t status = nereid_backend_info(compiler, &info))
    return lastFailure(status);
  Result<std::string> dependencies = dependenciesOf(backend, device);
  if (!dependencies)
    return dependencies.failure();
  return Origin{{std::string(view(info.id)), std::string(view(info.version)),
                 std::string(view(info.build_id)), std::move(*dependencies)},
                std::move(*identity)};
}

std::string originJson(const Origin &origin) {
  return Json{{"compiler_plugin", origin.compiler.plugin},
              {"compiler_release", origin.compiler.release},
              {"compiler_build", origin.compiler.build},
              {"compiler_dependencies", origin.compiler.dependencies},
              {"device_name", origin.device.name},
              {"device_architecture", origin.device.architecture},
              {"device_units", origin.device.units},
              {"device_driver", origin.device.driver}}
      .dump(2, ' ', false, Json::error_handler_t::replace);
}

} // namespace nereid::ops
