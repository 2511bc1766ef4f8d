// library.cpp - opens the driver library and looks up its functions.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "library.h"

#include "failure.h"

#include <dlfcn.h>

namespace nereid::cuda {

namespace {
/// cuGetProcAddress of CUDA 12, whose symbol has a suffix.
using GetProcAddress = CUresult (*)(const char *symbol, void **function,
                                    int version, uint64_t flags, int *found);

/// Finds the functions of an open library.
class Symbols {
public:
  explicit Symbols(void *library)
      : library(library),
        getProcAddress(symbol<GetProcAddress>("cuGetProcAddress_v2")) {}

  template <typename Function> Function symbol(const char *name) const {
    return reinterpret_cast<Function>(dlsym(library, name));
  }

  /// Null if the library has no function with this declaration.
  template <typename Function>
  Function find(const char *name, const char *full, int version) const {
    void *function = nullptr;
    if (getProcAddress &&
        getProcAddress(name, &function, version,
                       CU_GET_PROC_ADDRESS_LEGACY_STREAM,
                       nullptr) == CUDA_SUCCESS &&
        function)
      return reinterpret_cast<Function>(function);
    return symbol<Function>(full);
  }

private:
  void *library;
  GetProcAddress getProcAddress;
};
} // namespace

std::string versionText(int version) {
  return std::to_string(version / 1000) + "." +
         std::to_string(version % 1000 / 10);
}

std::string Library::open(const std::string &path) {
  void *opened = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!opened) {
    const char *reason = dlerror();
    return "no NVIDIA driver: " +
           (reason ? std::string(reason) : path + " cannot be opened");
  }
  Symbols symbols(opened);
  auto getVersion = symbols.symbol<CUresult (*)(int *)>("cuDriverGetVersion");
  auto init = symbols.symbol<CUresult (*)(unsigned)>("cuInit");
  if (!getVersion || !init)
    return path + " is not NVIDIA's driver library: it has no cuInit";
  if (CUresult result = getVersion(&version); result != CUDA_SUCCESS)
    return path + ": cuDriverGetVersion failed with error " +
           std::to_string(result);
  if (version < kOldestCuda)
    return "the NVIDIA driver is for CUDA " + versionText(version) +
           ", one for CUDA " + versionText(kOldestCuda) +
           " or later was expected: update the driver";
#define LOOK_UP(name, full, since, parameters)                                 \
  name = symbols.find<CUresult(*) parameters>(#name, #full, since);
#define REQUIRE(name, full, since, parameters)                                 \
  LOOK_UP(name, full, since, parameters)                                       \
  if (!name)                                                                   \
    return path + " is for CUDA " + versionText(version) + " and has no " #full;
  NEREID_CUDA_FUNCTIONS(REQUIRE)
  NEREID_CUDA_LATER_FUNCTIONS(LOOK_UP)
#undef REQUIRE
#undef LOOK_UP
  // A machine without a device is not a failure of the library.
  if (CUresult result = init(0);
      result != CUDA_SUCCESS && result != CUDA_ERROR_NO_DEVICE)
    return "the NVIDIA driver does not start: " + describe(*this, result);
  return {};
}

} // namespace nereid::cuda
