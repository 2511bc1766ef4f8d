// TtirService.cpp - host extension "nereid.ttir/1": forwards to
// libnereid-ttir.so, which is loaded by the first call because it brings MLIR
// with it.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "compile/TtirService.h"

#include "abi/Call.h"
#include "nereid/ttir/service.h"
#include "plugin/Note.h"

#include <dlfcn.h>
#include <mutex>
#include <unistd.h>

namespace nereid::host {

// The service's file, below the directory of the one that this code is in, or
// beside it: nereid-probe has this code as well as libnereid.
static std::string serviceFile() {
  Dl_info self = {};
  if (!dladdr(reinterpret_cast<const void *>(&hostExtensions), &self) ||
      !self.dli_fname)
    return "nereid/libnereid-ttir.so";
  std::string file(self.dli_fname);
  size_t slash = file.rfind('/');
  file.resize(slash == std::string::npos ? 0 : slash + 1);
  std::string beside = file + "libnereid-ttir.so";
  return ::access(beside.c_str(), R_OK) == 0
             ? beside
             : file + "nereid/libnereid-ttir.so";
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

// Runs `use` with the service, which the first call loads; a failure to load it
// is reported to `call`.
template <typename Use>
static nereid_status_t withService(const nereid_call_t *call,
                                   Use use) noexcept {
  static std::mutex mutex;
  static nereid_ttir_service_t loaded = {};
  try {
    std::unique_lock lock(mutex);
    if (!loaded.normalize) {
      Result<nereid_ttir_service_t> result = loadService();
      if (!result) {
        nereid_diagnostic_t diagnostic = {};
        diagnostic.struct_size = sizeof diagnostic;
        diagnostic.severity = NEREID_SEVERITY_ERROR;
        diagnostic.message = borrow(result.failure().text);
        call->report(call, &diagnostic);
        return result.failure().status;
      }
      loaded = *result;
    }
    lock.unlock();
    return use(loaded);
  } catch (...) {
    return NEREID_OUT_OF_RESOURCES;
  }
}

static nereid_status_t normalize(nereid_bytes_t input, nereid_string_t name,
                                 nereid_string_t passes,
                                 const nereid_writer_t *output,
                                 const nereid_call_t *call) {
  return withService(call, [&](const nereid_ttir_service_t &ttir) {
    return ttir.normalize(call, name, input, passes, output);
  });
}

static nereid_status_t describe(nereid_bytes_t input, nereid_string_t name,
                                const nereid_writer_t *output,
                                const nereid_call_t *call) {
  return withService(call, [&](const nereid_ttir_service_t &ttir) {
    return ttir.describe(call, name, input, output);
  });
}

static nereid_status_t walk(nereid_bytes_t input, nereid_string_t name,
                            nereid_string_t passes,
                            const nereid_ttir_visitor_t *visitor,
                            const nereid_call_t *call) {
  return withService(call, [&](const nereid_ttir_service_t &ttir) {
    return ttir.walk(call, name, input, passes, visitor);
  });
}

// The build id of the file identifies the service: it is read without loading
// the library.
static std::string identityText() {
  std::string build = readBuildId(serviceFile());
  return NEREID_VERSION "-" + (build.empty() ? "absent" : build);
}

static nereid_status_t identity(const nereid_writer_t *output,
                                const nereid_call_t *) noexcept {
  try {
    std::string text = identityText();
    return output->write(output, text.data(), text.size());
  } catch (...) {
    return NEREID_OUT_OF_RESOURCES;
  }
}

Result<std::string> describeTtir(std::string_view source, std::string_view name,
                                 const Log *log) {
  Call call(log, "ttir");
  call.nameInput(name);
  std::string json;
  StringWriter output(json, call);
  nereid_status_t status = call.run([&] {
    return describe({source.data(), source.size()}, borrow(name), output.get(),
                    call.get());
  });
  if (status != NEREID_OK)
    return call.failure(status, "describe");
  return json;
}

HostExtensions hostExtensions() {
  static const nereid_ttir_t table = {
      sizeof(nereid_ttir_t), 0, normalize, describe, identity, walk};
  HostExtensions extensions;
  extensions.find = [](std::string_view id) -> const void * {
    return id == NEREID_EXT_TTIR ? &table : nullptr;
  };
  extensions.identity = [](std::string_view) { return identityText(); };
  return extensions;
}

} // namespace nereid::host
