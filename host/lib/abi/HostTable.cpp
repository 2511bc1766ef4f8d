// HostTable.cpp - the host as one plugin sees it.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "abi/HostTable.h"

#include "runtime/Log.h"

namespace nereid::host {

HostTable::HostTable(std::string hostName, std::string pluginPath,
                     std::string pluginId, HostExtensions extensions,
                     const Log *log)
    : hostName(std::move(hostName)), pluginPath(std::move(pluginPath)),
      pluginId(std::move(pluginId)), extensions(std::move(extensions)),
      log(log) {
  table.struct_size = sizeof table;
  table.abi_major = NEREID_ABI_MAJOR;
  table.abi_minor = NEREID_ABI_MINOR;
  table.abi_revision = NEREID_ABI_REVISION;
  table.name = borrow(this->hostName);
  table.plugin_path = borrow(this->pluginPath);
  table.user = this;
  table.log = write;
  table.get_extension = find;
}

void HostTable::write(const nereid_host_t *host,
                      const nereid_diagnostic_t *diagnostic) noexcept {
  if (!host || !diagnostic || !NEREID_HAS(diagnostic, message))
    return;
  const HostTable &self = *static_cast<const HostTable *>(host->user);
  try {
    if (self.log)
      self.log->write(self.pluginId, *diagnostic);
  } catch (...) {
    // A message that cannot be written is lost; the plugin goes on.
  }
}

const void *HostTable::find(const nereid_host_t *host,
                            nereid_string_t id) noexcept {
  if (!host)
    return nullptr;
  const HostTable &self = *static_cast<const HostTable *>(host->user);
  try {
    const void *found =
        self.extensions.find ? self.extensions.find(view(id)) : nullptr;
    if (found) {
      std::lock_guard lock(self.mutex);
      self.asked.emplace(view(id));
    }
    return found;
  } catch (...) {
    return nullptr;
  }
}

std::string HostTable::usedExtensions() const {
  std::lock_guard lock(mutex);
  std::string text;
  for (const std::string &id : asked)
    text += id + '=' + extensions.identity(id) + '\n';
  return text;
}

std::recursive_mutex &lifecycleMutex() {
  static std::recursive_mutex mutex;
  return mutex;
}

} // namespace nereid::host
