// HostTable.h - the host as one plugin sees it.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_ABI_HOST_TABLE_H
#define NEREID_HOST_ABI_HOST_TABLE_H

#include "nereid/entry.h"
#include "plugin/PluginLoader.h"

#include <mutex>
#include <set>
#include <string>

namespace nereid::host {

/// A nereid_host_t with all that it points to. It stays where it is as long as
/// the plugin lives.
struct HostTable {
  /// \p log may be null.
  HostTable(std::string hostName, std::string pluginPath, std::string pluginId,
            HostExtensions extensions, const Log *log);
  HostTable(const HostTable &) = delete;
  HostTable &operator=(const HostTable &) = delete;

  nereid_host_t table = {};

  /// The extensions requested since the plugin was created, with their
  /// identities, in the order of their ids.
  std::string usedExtensions() const;

private:
  static void write(const nereid_host_t *host,
                    const nereid_diagnostic_t *diagnostic) noexcept;
  static const void *find(const nereid_host_t *host,
                          nereid_string_t id) noexcept;

  const std::string hostName, pluginPath, pluginId;
  const HostExtensions extensions;
  const Log *const log;
  mutable std::mutex mutex;
  mutable std::set<std::string, std::less<>> asked;
};

/// Held during each create and shutdown: plugins share what they link, and the
/// last holder of a plugin may release it on any thread. Recursive, because a
/// plugin may itself be a host.
std::recursive_mutex &lifecycleMutex();

} // namespace nereid::host

#endif // NEREID_HOST_ABI_HOST_TABLE_H
