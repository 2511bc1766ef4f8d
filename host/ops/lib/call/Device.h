// Device.h - the device that operators run on: its facts, its compiler, and the
// kernels that are loaded there.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_OPS_CALL_DEVICE_H
#define NEREID_OPS_CALL_DEVICE_H

#include "call/CallPlan.h"
#include "call/KernelProvider.h"
#include "kernels/UnpackedSources.h"
#include "pack/Packs.h"
#include "store/Origin.h"

#include <map>
#include <set>

namespace nereid::ops {

class Device : public KernelProvider {
public:
  static Result<std::unique_ptr<Device>>
  open(const Packs &packs, nereid_runtime_t *runtime, nereid_backend_t *backend,
       uint32_t number, const std::string &python, KernelCallback callback);
  /// Waits for the device.
  ~Device() override;
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  /// "cpu", "cuda".
  const std::string &type() const { return facts.type; }
  uint32_t number() const { return index; }
  const TargetFacts &target() const { return facts; }
  TemporaryPool &temporaries() { return *pool; }

  /// Compiled with those of the options that the compiler has; loaded once.
  Result<UsableKernel> kernel(const WantedKernel &wanted) override;
  /// Of results on this device: with the compiler of the archive of a pack
  /// where there is none here.
  Result<Origin> origin() const;

private:
  Device(const Packs &packs, nereid_backend_t *backend, uint32_t index)
      : packs(packs), backend(backend), index(index) {}
  Outcome readFacts();
  Outcome readCompiler(const nereid_target_t &target);
  Result<std::shared_ptr<const LoadedKernel>>
  load(const KernelText &text, const std::vector<NamedValue> &options,
       const std::string &where);
  Result<UsableKernel> fromArchive(const ArchivedPack &archived,
                                   const WantedKernel &wanted);
  Result<nereid_archive_device_t *>
  loadArchive(const nereid_archive_t *archive);
  Result<UsableKernel> make(const WantedKernel &wanted);

  const Packs &packs;
  nereid_backend_t *backend;
  uint32_t index;
  TargetFacts facts;
  std::string frontend; // what the compiler declares for Triton, as JSON
  /// Of an archive, where there is none here.
  std::optional<CompilerIdentity> archivedCompiler;
  std::set<std::string, std::less<>> optionNames;
  std::unique_ptr<KernelMaker> kernels;
  UnpackedSources sources;
  std::unique_ptr<TemporaryPool> pool;
  struct DestroyArchive {
    void operator()(nereid_archive_device_t *archive) const {
      nereid_archive_device_destroy(archive);
    }
  };
  std::mutex mutex;
  std::map<const nereid_archive_t *,
           std::unique_ptr<nereid_archive_device_t, DestroyArchive>>
      archives;
  std::map<std::string, std::shared_ptr<const LoadedKernel>> loaded;
};

} // namespace nereid::ops

#endif // NEREID_OPS_CALL_DEVICE_H
