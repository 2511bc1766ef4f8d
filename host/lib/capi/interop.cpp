// interop.cpp - native objects of the host program, used by a device.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "capi/DriverCall.h"

using namespace nereid::host;

// The object as this version knows it, its kind never a null pointer.
static nereid_import_t readImport(const nereid_import_t &given) {
  nereid_import_t object = readStruct(given);
  object.kind = borrow(view(object.kind));
  return object;
}

nereid_status_t nereid_backend_import_pointer(nereid_backend_t *backend,
                                              uint32_t device,
                                              const nereid_import_t *given,
                                              nereid_address_t *out_address) {
  if (!given)
    return failNullRequest("import_pointer");
  nereid_import_t object = readImport(*given);
  return callForValue(
      backend, device, "import_pointer", out_address,
      [&](const Plugin &plugin, nereid_address_t *address, auto *call) {
        return plugin.extensions.interop.import_pointer(plugin.state, device,
                                                        &object, address, call);
      });
}

nereid_status_t nereid_backend_release_pointer(nereid_backend_t *backend,
                                               uint32_t device,
                                               nereid_address_t address) {
  return callDriver(backend, device, "release_pointer",
                    [&](const Plugin &plugin, auto *call) {
                      if (!address)
                        return nereid_status_t(NEREID_OK);
                      return plugin.extensions.interop.release_pointer(
                          plugin.state, device, address, call);
                    });
}

nereid_status_t nereid_backend_import_stream(nereid_backend_t *backend,
                                             uint32_t device,
                                             const nereid_import_t *given,
                                             nereid_stream_t *out_stream) {
  if (!given)
    return failNullRequest("import_stream");
  nereid_import_t object = readImport(*given);
  return callForValue(
      backend, device, "import_stream", out_stream,
      [&](const Plugin &plugin, nereid_stream_t *stream, auto *call) {
        return plugin.extensions.interop.import_stream(plugin.state, device,
                                                       &object, stream, call);
      });
}

nereid_status_t nereid_backend_release_stream(nereid_backend_t *backend,
                                              uint32_t device,
                                              nereid_stream_t stream) {
  return callDriver(backend, device, "release_stream",
                    [&](const Plugin &plugin, auto *call) {
                      if (!stream)
                        return nereid_status_t(NEREID_OK);
                      return plugin.extensions.interop.release_stream(
                          plugin.state, device, stream, call);
                    });
}

nereid_status_t nereid_backend_import_context(nereid_backend_t *backend,
                                              uint32_t device,
                                              const nereid_import_t *given) {
  if (!given)
    return failNullRequest("import_context");
  nereid_import_t object = readImport(*given);
  return callDriver(backend, device, "import_context",
                    [&](const Plugin &plugin, auto *call) {
                      return plugin.extensions.interop.import_context(
                          plugin.state, device, &object, call);
                    });
}
