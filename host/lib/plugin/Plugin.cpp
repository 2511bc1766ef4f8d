// Plugin.cpp - the end of a plugin, and its extensions.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plugin/Plugin.h"

#include "abi/Call.h"
#include "abi/HostTable.h"
#include "runtime/Log.h"

#include <dlfcn.h>

#include <atomic>

namespace nereid::host {

static constexpr uint32_t maxDevices = 4096;

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

/// A driver that fails to say is inactive.
static Plugin::Probe ask(const Plugin &plugin, const Log *log) {
  Plugin::Probe probe;
  nereid_probe_t &result = probe.result;
  result.struct_size = sizeof result;
  Call call(log, plugin.info);
  StringWriter reason(probe.reason, call);
  nereid_status_t status = call.run([&] {
    return plugin.driver.probe(plugin.state, &result, reason.get(), call.get());
  });
  result.struct_size = sizeof result;
  std::string remark;
  if (status != NEREID_OK)
    remark = "its probe failed: " + call.failure(status, "probe").text;
  else if (result.score > 0 && result.device_count == 0)
    remark = "its probe returned score " + std::to_string(result.score) +
             " but no devices";
  else if (result.device_count > maxDevices)
    remark = "its probe returned " + std::to_string(result.device_count) +
             " devices, expected at most " + std::to_string(maxDevices);
  if (!remark.empty()) {
    if (log)
      log->warning("plugin '" + plugin.info.id + "': " + remark);
    result.device_count = 0;
    probe.reason = remark;
  }
  if (!remark.empty() || result.score < 0)
    result.score = 0;
  return probe;
}

const Plugin::Probe &Plugin::probe() const {
  if (hasDriver)
    std::call_once(probing, [&] { probed = ask(*this, log); });
  return probed;
}

void Plugin::assume(Probe probe) {
  std::call_once(probing, [&] { probed = std::move(probe); });
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
