// BuildIdentity.cpp - distinguishes builds of a plugin.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plugin/BuildIdentity.h"

#include "plugin/Note.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>

namespace nereid::host {

std::string fileIdentity(const std::string &path) {
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0)
    return {};
  return "file-" + std::to_string(status.st_size) + "-" +
         std::to_string(status.st_mtim.tv_sec) + "." +
         std::to_string(status.st_mtim.tv_nsec);
}

std::string objectIdentity(const void *address) {
  Dl_info info = {};
  link_map *object = nullptr;
  if (!dladdr1(address, &info, reinterpret_cast<void **>(&object),
               RTLD_DL_LINKMAP) ||
      !object)
    return {};
  // The program itself has no name there.
  std::string path =
      object->l_name && *object->l_name ? object->l_name : "/proc/self/exe";
  std::string buildId = readMappedBuildId(address);
  return buildId.empty() ? fileIdentity(path) : buildId;
}

} // namespace nereid::host
