// TtirService.cpp - host extension "nereid.ttir/1": forwards to
// libnereid-ttir.so, which is loaded by the first call because it brings MLIR
// with it.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "compile/TtirService.h"

#include "nereid/ext/ttir.h"
#include "nereid/ttir/service.h"
#include "support/Result.h"

#include <dlfcn.h>
#include <mutex>

namespace nereid::host {

// The service's file, below the directory of the one that this code is in.
static std::string serviceFile() {
  Dl_info self = {};
  if (!dladdr(reinterpret_cast<const void *>(&hostExtension), &self) ||
      !self.dli_fname)
    return "nereid/libnereid-ttir.so";
  std::string file(self.dli_fname);
  size_t slash = file.rfind('/');
  file.resize(slash == std::string::npos ? 0 : slash + 1);
  return file + "nereid/libnereid-ttir.so";
}

static Result<nereid_ttir_service_t> loadService() {
  std::string file = serviceFile();
  // Never closed: LLVM does not survive being unloaded.
  void *library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return Failure{NEREID_UNAVAILABLE,
                   std::string("the TTIR service cannot be loaded: ") +
                       dlerror()};
  auto *fill = reinterpret_cast<decltype(&nereid_ttir_service_1)>(
      dlsym(library, NEREID_TTIR_SERVICE_SYMBOL));
  if (!fill)
    return Failure{NEREID_INCOMPATIBLE,
                   file + ": no symbol '" NEREID_TTIR_SERVICE_SYMBOL
                          "', expected the one of this version"};
  nereid_ttir_service_t service = {};
  service.struct_size = sizeof service;
  fill(&service);
  return service;
}

// The service, or a failure that is reported to `call`.
static const nereid_ttir_service_t *service(const nereid_call_t *call,
                                            nereid_status_t &status) {
  static std::mutex mutex;
  static nereid_ttir_service_t loaded = {};
  std::lock_guard lock(mutex);
  if (loaded.normalize)
    return &loaded;
  Result<nereid_ttir_service_t> result = loadService();
  if (result) {
    loaded = *result;
    return &loaded;
  }
  status = result.failure().status;
  nereid_diagnostic_t diagnostic = {};
  diagnostic.struct_size = sizeof diagnostic;
  diagnostic.severity = NEREID_SEVERITY_ERROR;
  diagnostic.message = borrow(result.failure().text);
  call->report(call, &diagnostic);
  return nullptr;
}

static nereid_status_t normalize(nereid_bytes_t input, nereid_string_t name,
                                 nereid_string_t passes,
                                 const nereid_writer_t *output,
                                 const nereid_call_t *call) noexcept {
  try {
    nereid_status_t status = NEREID_INTERNAL;
    const nereid_ttir_service_t *ttir = service(call, status);
    return ttir ? ttir->normalize(call, name, input, passes, output) : status;
  } catch (...) {
    return NEREID_OUT_OF_RESOURCES;
  }
}

static nereid_status_t describe(nereid_bytes_t input, nereid_string_t name,
                                const nereid_writer_t *output,
                                const nereid_call_t *call) noexcept {
  try {
    nereid_status_t status = NEREID_INTERNAL;
    const nereid_ttir_service_t *ttir = service(call, status);
    return ttir ? ttir->describe(call, name, input, output) : status;
  } catch (...) {
    return NEREID_OUT_OF_RESOURCES;
  }
}

const void *hostExtension(std::string_view id) {
  static const nereid_ttir_t table = {sizeof(nereid_ttir_t), 0, normalize,
                                      describe};
  return id == NEREID_EXT_TTIR ? &table : nullptr;
}

} // namespace nereid::host
