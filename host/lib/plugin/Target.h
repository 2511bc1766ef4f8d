// Target.h - an owned copy of what to compile for.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_PLUGIN_TARGET_H
#define NEREID_HOST_PLUGIN_TARGET_H

#include "plugin/Plugin.h"

#include <string>

namespace nereid::host {

class Log;

struct Target {
  std::string backend, arch, features;
  int32_t warpSize = 0;

  static Target copy(const nereid_target_t &target);
  /// The target to compile for to run on \p device of \p plugin.
  static Result<Target> ofDevice(const Plugin &plugin, uint32_t device,
                                 const Log *log);

  /// As the ABI spells it; valid as long as this target is.
  nereid_target_t get() const;
  /// "cpu:x86_64:avx2,fma:1"; a colon inside a field is "\:". Nothing for a
  /// target without any field.
  std::string text() const;
  /// The same for people: long features end in "...".
  std::string shortText() const;
  /// "target 'cpu:x86_64::1'", or "an empty target", for messages.
  std::string description() const;
  /// True if it names nothing to compile for.
  bool isEmpty() const {
    return backend.empty() && arch.empty() && features.empty();
  }
};

/// Refuses a plugin without a driver, an inactive one, and a device that it
/// does not have.
Outcome checkDevice(const Plugin &plugin, uint32_t device);

} // namespace nereid::host

#endif // NEREID_HOST_PLUGIN_TARGET_H
