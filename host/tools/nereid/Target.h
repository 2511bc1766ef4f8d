// Target.h - what --target means: who compiles, and where it runs.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TOOL_TARGET_H
#define NEREID_TOOL_TARGET_H

#include "Session.h"

namespace nereid::tool {

struct TargetChoice {
  Backend compiler;
  std::optional<Backend> driver; ///< none: nothing here runs the result
  uint32_t device;
  std::string deviceType;
  std::optional<nereid_target_t> target; ///< none: the one of the device

  const nereid_target_t *request() const { return target ? &*target : nullptr; }
  /// "cpu:0", or "acme" without a driver.
  std::string name() const;
};

/// The backend that \p name means, or the best one if it is empty. One that
/// only compiles will do unless \p mustRun; a driver without a compiler is
/// joined with a compiler of the same device type.
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
