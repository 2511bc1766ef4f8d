// settings.cpp - reads the environment.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "settings.h"

#include "common/environment.h"

namespace nereid::cuda {

Settings Settings::read() {
  Settings settings;
  std::string path = plugin::readVariable("NEREID_CUDA_LIBRARY");
  if (path.empty())
    return settings;
  if (path[0] != '/')
    plugin::refuseVariable("NEREID_CUDA_LIBRARY", path, "an absolute path");
  settings.library = path;
  return settings;
}

} // namespace nereid::cuda
