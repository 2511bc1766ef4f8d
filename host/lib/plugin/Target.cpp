// Target.cpp - targets of devices.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plugin/Target.h"

#include "abi/Call.h"
#include "abi/Struct.h"
#include "text/ShortTarget.h"

namespace nereid::host {

Target Target::copy(const nereid_target_t &given) {
  nereid_target_t target = readStruct(given);
  Target copy;
  copy.warpSize = target.warp_size;
  copy.backend = view(target.backend);
  copy.arch = view(target.arch);
  copy.features = view(target.features);
  return copy;
}

Outcome checkDevice(const Plugin &plugin, uint32_t device) {
  std::string name = "plugin '" + plugin.info.id + "'";
  if (!plugin.hasDriver)
    return Failure{NEREID_UNIMPLEMENTED,
                   name + " has no driver, it only compiles"};
  uint32_t count = plugin.probe().result.device_count;
  if (plugin.probe().result.score <= 0 || count == 0)
    return Failure{NEREID_UNAVAILABLE,
                   name + " is not active: " +
                       (plugin.probe().reason.empty() ? "it has no device"
                                                      : plugin.probe().reason)};
  if (device >= count)
    return Failure{NEREID_NOT_FOUND,
                   name + " has no device " + std::to_string(device) +
                       ", expected 0 to " + std::to_string(count - 1)};
  return {};
}

Result<Target> Target::ofDevice(const Plugin &plugin, uint32_t device,
                                const Log *log) {
  if (Outcome checked = checkDevice(plugin, device); !checked)
    return checked.failure();
  nereid_target_t target = {};
  target.struct_size = sizeof target;
  Call call(log, plugin.info);
  nereid_status_t status = call.run([&] {
    return plugin.driver.get_target(plugin.state, device, &target, call.get());
  });
  if (status != NEREID_OK)
    return call.failure(status, "get_target");
  return copy(target);
}

nereid_target_t Target::get() const {
  nereid_target_t target = {};
  target.struct_size = sizeof target;
  target.warp_size = warpSize;
  target.backend = borrow(backend);
  target.arch = borrow(arch);
  target.features = borrow(features);
  return target;
}

// The text must be unique, because it is part of cache keys: AMD's names of
// architectures hold colons.
static std::string escaped(std::string_view field) {
  std::string out;
  for (char c : field) {
    if (c == ':' || c == '\\')
      out += '\\';
    out += c;
  }
  return out;
}

std::string Target::text() const {
  if (isEmpty() && !warpSize)
    return {};
  return escaped(backend) + ':' + escaped(arch) + ':' + escaped(features) +
         ':' + std::to_string(warpSize);
}

std::string Target::shortText() const { return shortTarget(text()); }

std::string Target::description() const {
  return isEmpty() ? "an empty target" : "target '" + shortText() + "'";
}

} // namespace nereid::host
