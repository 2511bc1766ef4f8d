// ArchiveDevice.h - an archive on one device: loads images when they are
// needed, and launches.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_ARCHIVE_ARCHIVE_DEVICE_H
#define NEREID_HOST_ARCHIVE_ARCHIVE_DEVICE_H

#include "archive/ArchiveTarget.h"
#include "artifact/Artifact.h"
#include "launch/Function.h"

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace nereid::host {

class Log;
class Trace;

/// Compiles TTIR for the device; empty: never.
using CompileTtir = std::function<Result<std::unique_ptr<Artifact>>(
    std::string_view ttir, std::string_view name, std::string_view options)>;

/// Every function may be called on any thread.
class ArchiveDevice {
public:
  static Result<std::unique_ptr<ArchiveDevice>>
  make(std::shared_ptr<const Archive> archive, std::shared_ptr<Plugin> plugin,
       uint32_t device, CompileTtir compile, const Log *log, Trace *trace);
  ~ArchiveDevice();

  /// Once the variant is loaded it takes no lock and does not allocate.
  nereid_status_t launch(uint32_t kernel,
                         const nereid_launch_t &launch) noexcept;
  /// Loads all variants; fails if the one without conditions has no image.
  Outcome prepare(uint32_t kernel);
  /// What prepare() found.
  Result<Json> explain(uint32_t kernel);

private:
  struct Variant;
  struct Kernel;
  ArchiveDevice() = default;
  Result<Kernel *> kernelAt(uint32_t place);
  Result<std::unique_ptr<Kernel>> makeKernel(uint32_t place) const;
  Outcome load(Kernel &kernel, Variant &variant);
  Outcome loadImages(Kernel &kernel, Variant &variant);
  Outcome compileVariant(Kernel &kernel, Variant &variant);
  Outcome use(Kernel &kernel, Variant &variant, const Artifact &artifact);
  Result<std::unique_ptr<Artifact>> artifactOf(const Kernel &kernel,
                                               uint32_t image) const;
  nereid_status_t launchVariant(const Variant &variant,
                                const nereid_launch_t &launch) noexcept;
  nereid_status_t start(const Function &function,
                        const nereid_launch_t &launch) noexcept;
  Outcome provideScratch(uint64_t size, uint64_t alignment,
                         nereid_launch_t &launch);
  Outcome wrongArguments(uint32_t kernel, const nereid_launch_t &launch);
  Failure noImage(const Kernel &kernel) const;

  std::shared_ptr<const Archive> archive;
  std::shared_ptr<Plugin> plugin;
  uint32_t device = 0;
  Target target;
  CompileTtir compile;
  const Log *log = nullptr;
  Trace *trace = nullptr;
  std::mutex making; // guards the creation of kernels
  std::vector<std::unique_ptr<Kernel>> owned;
  std::unique_ptr<std::atomic<Kernel *>[]> kernels;

  /// Device memory that the kernels of one stream share: they run one after
  /// another.
  struct Scratch {
    nereid_address_t address = 0;
    uint64_t size = 0, alignment = 0;
  };
  std::mutex scratching; // held until a launch that uses it is queued
  std::map<nereid_stream_t, Scratch> scratches;
};

/// The artifact of an image of \p archive, checked.
Result<std::unique_ptr<Artifact>>
readArtifact(const Archive &archive, uint32_t image, std::string name);

} // namespace nereid::host

#endif // NEREID_HOST_ARCHIVE_ARCHIVE_DEVICE_H
