// TargetText.h - a target in full as text: "cpu:x86_64:avx2,fma:1".
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
//   TYPE:ARCH[:FEATURES[:WARP]]      a colon inside a field is "\:"
//
// libnereid writes targets this way too: in messages and in cache keys.

#ifndef NEREID_TOOLS_TARGETTEXT_H
#define NEREID_TOOLS_TARGETTEXT_H

#include "Errors.h"

#include <nereid/compiler.h>

#include <string>
#include <string_view>

namespace nereid::tools {

struct TargetText {
  std::string deviceType, arch, features;
  int32_t warpSize = 0; ///< 0: unspecified

  /// Whether \p text names a target and not a device: "cpu" and "cpu:1" do not.
  static bool isInFull(std::string_view text);
  static Expected<TargetText> parse(std::string_view text);

  /// What `parse` reads: "cpu:x86_64:znver4:0".
  static std::string write(const nereid_target_t &target);

  /// As the ABI spells it; valid as long as this is.
  nereid_target_t get() const;
};

} // namespace nereid::tools

#endif // NEREID_TOOLS_TARGETTEXT_H
