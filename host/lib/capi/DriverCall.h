// DriverCall.h - how the C functions over a driver's slots check and call.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_CAPI_DRIVER_CALL_H
#define NEREID_HOST_CAPI_DRIVER_CALL_H

#include "abi/Call.h"
#include "abi/Struct.h"
#include "capi/Handles.h"
#include "plugin/Target.h"
#include "runtime/Runtime.h"
#include "support/Error.h"

namespace nereid::host {

/// Calls slot \p name of the driver through \p body, once \p device is known to
/// exist.
template <typename Body>
nereid_status_t callDriver(const nereid_backend_t *backend, uint32_t device,
                           std::string_view name, Body &&body) noexcept {
  return guarded([&]() -> Outcome {
    if (Outcome given = require(backend, "backend"); !given)
      return given;
    const Plugin &plugin = *backend->plugin;
    if (Outcome checked = checkDevice(plugin, device); !checked)
      return checked;
    Call call(&backend->runtime->log(), plugin.info);
    nereid_status_t status = call.run([&] { return body(plugin, call.get()); });
    if (status != NEREID_OK)
      return call.failure(status, name);
    return {};
  });
}

/// As callDriver(), for slots that write to \p out, which may not be null.
template <typename Value, typename Body>
nereid_status_t callForValue(const nereid_backend_t *backend, uint32_t device,
                             std::string_view name, Value *out,
                             Body &&body) noexcept {
  if (!out)
    return guarded([&]() -> Outcome {
      return Failure{NEREID_INVALID_ARGUMENT,
                     std::string(name) + ": the out parameter is null"};
    });
  Value value = {};
  nereid_status_t status =
      callDriver(backend, device, name, [&](const Plugin &plugin, auto *call) {
        return body(plugin, &value, call);
      });
  if (status == NEREID_OK)
    *out = value;
  return status;
}

/// Refuses a null request of the function \p name.
inline nereid_status_t failNullRequest(std::string_view name) noexcept {
  return guarded(
      [&] { return require(nullptr, std::string(name) + ": the request"); });
}

/// \p given as this version knows it, or its default if it is null.
template <typename Request> Request requestOr(const Request *given) {
  if (given)
    return readStruct(*given);
  Request request = {};
  request.struct_size = sizeof request;
  return request;
}

} // namespace nereid::host

#endif // NEREID_HOST_CAPI_DRIVER_CALL_H
