// Plugin.cpp - the end of a plugin, and its extensions.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plugin/Plugin.h"

#include "abi/Call.h"
#include "abi/HostTable.h"

#include <dlfcn.h>

#include <atomic>

namespace nereid::host {

static uint64_t nextSerial() {
  static std::atomic<uint64_t> count = 0;
  return ++count;
}

Plugin::Plugin() : serial(nextSerial()) { watchForks(); }

Plugin::~Plugin() {
  if (!info.isUsableHere())
    return; // it belongs to the parent
  std::lock_guard lock(lifecycleMutex());
  if (isCreated && table.shutdown) {
    Call call(log, info);
    nereid_status_t status =
        call.run([&] { return table.shutdown(state, call.get()); });
    if (status != NEREID_OK)
      call.warn(status, "shutdown");
  }
  if (library && (info.flags & NEREID_PLUGIN_UNLOADABLE))
    dlclose(library);
}

const void *Plugin::extension(nereid_string_t id) const noexcept {
  if (!table.get_extension)
    return nullptr;
  try {
    return table.get_extension(state, id);
  } catch (...) {
    return nullptr;
  }
}

} // namespace nereid::host
