// state.h - the plugin's state.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TRITON_STATE_H
#define NEREID_TRITON_STATE_H

#include "backend.h"
#include "facts.h"
#include "settings.h"

struct nereid_state_t {
  nereid_state_t(nereid::triton::Backend backend,
                 nereid::triton::Settings settings)
      : backend(std::move(backend)), settings(std::move(settings)),
        installed(this->backend, this->settings) {}

  const nereid::triton::Backend backend;
  const nereid::triton::Settings settings;
  nereid::triton::Installed installed;
};

namespace nereid::triton {

extern const nereid_compiler_t kCompiler;

/// The plugin's extensions: facts for frontends, external functions.
const void *findExtension(nereid_state_t *state, nereid_string_t id);

/// \p target as requests name it.
TargetName nameOf(const nereid_target_t *target);

} // namespace nereid::triton

#endif // NEREID_TRITON_STATE_H
