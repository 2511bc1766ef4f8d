// Kernel.h - small kernels for checks: compiled, loaded and launched.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_CHECK_KERNEL_H
#define NEREID_HOST_CHECK_KERNEL_H

#include "artifact/Artifact.h"
#include "check/Device.h"
#include "launch/Function.h"

#include <memory>
#include <span>
#include <string_view>

namespace nereid::host {

/// The elements that one program of a sample works on.
constexpr uint32_t sampleElements = 64;

/// out[i] = x[i] + y[i] for the elements of one program.
extern const std::string_view sumSample;
/// The same for those elements of several programs that are below n.
extern const std::string_view maskedSumSample;
/// out[i] = 1, then an assertion that fails, then out[i] = 2.
extern const std::string_view assertionSample;

/// Compiles \p source for \p device. Skips the check if there is no compiler of
/// TTIR for it.
Result<std::unique_ptr<Artifact>>
tryCompile(CheckedPlugin &subject, std::string_view source,
           std::span<const nereid_value_t> options, uint32_t device = 0);

/// The same, where it has to succeed. Skips the check if the compiler says that
/// it is unimplemented.
std::unique_ptr<Artifact> compileSample(CheckedPlugin &subject,
                                        std::string_view source,
                                        std::span<const nereid_value_t> options,
                                        uint32_t device = 0);

/// A sample that is loaded on a device.
class Kernel {
public:
  /// Skips the check if \p compiled is not an image.
  Kernel(const Device &device, const Artifact &artifact, size_t argumentCount);

  /// Sets argument \p index, which has to have the size of \p value.
  template <typename Value> void set(size_t index, Value value) {
    setBytes(index, &value, sizeof value);
  }
  /// Returns the status; `why` receives the reason.
  nereid_status_t tryLaunch(std::string &why, uint32_t programs,
                            nereid_stream_t stream) const;
  void launch(uint32_t programs = 1, nereid_stream_t stream = 0) const;

private:
  void setBytes(size_t index, const void *value, size_t size);

  std::unique_ptr<Function> function;
  struct alignas(64) Line {
    char bytes[64];
  };
  std::vector<Line> block;
};

} // namespace nereid::host

#endif // NEREID_HOST_CHECK_KERNEL_H
