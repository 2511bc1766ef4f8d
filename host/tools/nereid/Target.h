// Target.h - what --target means: who compiles, and where it runs.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TOOL_TARGET_H
#define NEREID_TOOL_TARGET_H

#include "Session.h"
#include "TargetText.h"

namespace nereid::tool {

struct TargetChoice {
  Backend compiler;
  std::optional<Backend> driver; ///< none: nothing here runs the result
  uint32_t device;
  std::string label; ///< what --target calls it, without the device
  std::optional<nereid_target_t> target;  ///< none: that of the device
  std::shared_ptr<const TargetText> text; ///< what `target` borrows, if given

  const nereid_target_t *request() const { return target ? &*target : nullptr; }
  /// Whether the device is the CPU that this program runs on.
  bool isHostCpu() const;
  /// "cpu:0", or "acme" without a driver.
  std::string name() const;
  /// The same for people: a long list of features is cut.
  std::string shortName() const;
};

/// What --target calls the devices of \p backend: the device type, or the
/// plugin's id where that type means another plugin.
std::string targetLabel(const Runtime &runtime, const Backend &backend);

/// The compiler for a device of \p backend; an error if there is none.
Expected<Backend> compilerFor(const Backend &backend, uint32_t device);

/// The backend that \p name means, or the best one if it is empty. A target in
/// full and a backend that only compiles will do unless \p mustRun.
Expected<TargetChoice> chooseTarget(Runtime &runtime, const std::string &name,
                                    bool mustRun);

/// Describes options and stages of the compiler, for completion and `options`.
Expected<Json> optionSchema(const TargetChoice &choice);

/// Values from "name=value" texts, which they borrow.
Expected<std::vector<nereid_value_t>>
parseOptionTexts(const std::vector<std::string> &texts);

/// The stages that the compiler runs with \p values, in order; checks the
/// values.
Expected<Json> stagesFor(const TargetChoice &choice,
                         const std::vector<nereid_value_t> &values);

} // namespace nereid::tool

#endif // NEREID_TOOL_TARGET_H
