// ttir.cpp - what is known of a kernel's TTIR: asks the service beside
// libnereid.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "ttir.h"
#include "diagnostics.h"

#include "nereid/ttir/service.h"

#include <dlfcn.h>

namespace nereid::python {

/// The service's file, below the directory that libnereid is in.
static std::string serviceFile() {
  Dl_info library = {};
  if (!dladdr(reinterpret_cast<const void *>(&nereid_version), &library) ||
      !library.dli_fname)
    return "nereid/libnereid-ttir.so";
  std::string file(library.dli_fname);
  size_t slash = file.rfind('/');
  file.resize(slash == std::string::npos ? 0 : slash + 1);
  return file + "nereid/libnereid-ttir.so";
}

/// The service, loaded once and never closed; null with an error set.
static const nereid_ttir_service_t *service() {
  static nereid_ttir_service_t loaded = {};
  if (loaded.describe)
    return &loaded;
  std::string file = serviceFile();
  void *library = nullptr;
  std::string reason;
  {
    WithoutGil unlocked;
    library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library)
      reason = dlerror();
  }
  auto *fill = library ? reinterpret_cast<decltype(&nereid_ttir_service_1)>(
                             dlsym(library, NEREID_TTIR_SERVICE_SYMBOL))
                       : nullptr;
  if (!fill) {
    raise(NEREID_UNAVAILABLE, "the TTIR service cannot be loaded: " +
                                  (library ? file + " has no symbol '" +
                                                 NEREID_TTIR_SERVICE_SYMBOL "'"
                                           : reason));
    return nullptr;
  }
  nereid_ttir_service_t filled = {};
  filled.struct_size = sizeof filled;
  fill(&filled);
  loaded = filled;
  return &loaded;
}

PyObject *describeTtir(PyObject *, PyObject *args) {
  PyObject *source = nullptr, *label = nullptr;
  std::string_view bytes, name;
  if (!PyArg_ParseTuple(args, "OO", &source, &label) ||
      !readBytes(source, bytes) || !readBytes(label, name))
    return nullptr;
  const nereid_ttir_service_t *ttir = service();
  if (!ttir)
    return nullptr;
  std::string json;
  nereid_writer_t writer = {};
  writer.struct_size = sizeof writer;
  writer.user = &json;
  writer.write = [](const nereid_writer_t *writer, const void *data,
                    uint64_t size) -> nereid_status_t {
    try {
      static_cast<std::string *>(writer->user)
          ->append(static_cast<const char *>(data), size);
      return NEREID_OK;
    } catch (const std::bad_alloc &) {
      return NEREID_OUT_OF_RESOURCES;
    }
  };
  Diagnostics diagnostics;
  nereid_status_t status;
  {
    WithoutGil unlocked;
    status = diagnostics.run([&] {
      return ttir->describe(diagnostics.get(), text(name),
                            {bytes.data(), bytes.size()}, &writer);
    });
  }
  return status == NEREID_OK
             ? toStr(json)
             : diagnostics.raise(status, "the TTIR cannot be described");
}

} // namespace nereid::python
