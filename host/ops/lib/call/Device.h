// Device.h - the device that operators run on: its facts, its compiler, and the
// kernels that are loaded there.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_OPS_CALL_DEVICE_H
#define NEREID_OPS_CALL_DEVICE_H

#include "call/CallPlan.h"
#include "kernels/KernelMaker.h"
#include "pack/Pack.h"

#include <map>
#include <set>

namespace nereid::ops {

class Device {
public:
  static Result<std::unique_ptr<Device>>
  open(nereid_runtime_t *runtime, nereid_backend_t *backend, uint32_t number,
       const std::string &python, KernelCallback callback);
  /// Waits for the device.
  ~Device();
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  /// "cpu", "cuda".
  const std::string &type() const { return facts.type; }
  uint32_t number() const { return index; }
  const TargetFacts &target() const { return facts; }
  TemporaryPool &temporaries() { return *pool; }
  KernelMaker &maker() { return *kernels; }

  /// The kernel of \p text, compiled with those of \p options that the compiler
  /// has; loaded once. \p where names it in messages.
  Result<std::shared_ptr<const LoadedKernel>>
  load(const KernelText &text, const std::vector<Setting> &options,
       const std::string &where);

private:
  Device(nereid_backend_t *backend, uint32_t index)
      : backend(backend), index(index) {}
  Outcome readFacts();

  nereid_backend_t *backend;
  uint32_t index;
  TargetFacts facts;
  std::set<std::string, std::less<>> optionNames;
  std::unique_ptr<KernelMaker> kernels;
  std::unique_ptr<TemporaryPool> pool;
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<const LoadedKernel>> loaded;
};

} // namespace nereid::ops

#endif // NEREID_OPS_CALL_DEVICE_H
