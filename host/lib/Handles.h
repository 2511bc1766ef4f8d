// Handles.h - what the opaque types of nereid/host.h are.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_HANDLES_H
#define NEREID_HOST_HANDLES_H

#include "Compiled.h"
#include "Function.h"
#include "nereid/host.h"

#include <memory>
#include <string>

namespace nereid {
class Runtime;
} // namespace nereid

struct nereid_backend_t {
  nereid::Runtime *runtime;
  std::shared_ptr<nereid::Plugin> plugin;
};

struct nereid_compiled_t {
  std::unique_ptr<nereid::Compiled> compiled;
};

struct nereid_function_t {
  std::unique_ptr<nereid::Function> function;
};

struct nereid_buffer_t {
  std::string bytes;
};

#endif // NEREID_HOST_HANDLES_H
