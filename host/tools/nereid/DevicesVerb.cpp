// DevicesVerb.cpp - `nereid devices`: which devices there are, how they score
// and which one is taken by default.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Target.h"
#include "TargetText.h"
#include "Text.h"
#include "Verb.h"

namespace nereid::tool {

namespace {
/// A driver and one of its devices; an inactive driver has none.
struct Device {
  Backend backend;
  std::optional<uint32_t> index;
  Json properties;
};
} // namespace

static std::string textOf(nereid_string_t text) {
  return std::string(detail::view(text));
}

static Expected<std::vector<Device>> collect(const Runtime &runtime) {
  std::vector<Device> devices;
  for (const Backend &backend : runtime.backends()) {
    nereid_backend_info_t info = backend.info();
    if (!info.has_driver)
      continue;
    uint32_t count = info.score > 0 ? info.device_count : 0;
    if (count == 0)
      devices.push_back({backend, std::nullopt, Json::object()});
    for (uint32_t i = 0; i < count; ++i) {
      nereid_buffer_t *buffer = nullptr;
      nereid_status_t status =
          nereid_backend_properties(backend.get(), i, &buffer);
      Expected<Json> properties = takeJson(status, buffer);
      if (!properties)
        return properties.error();
      devices.push_back({backend, i, std::move(*properties)});
    }
  }
  return devices;
}

/// What --target takes on a machine without the device; null if the driver does
/// not report it.
static Json targetInFull(const Backend &backend, uint32_t device) {
  auto target = detail::sized<nereid_target_t>();
  if (nereid_backend_target(backend.get(), device, &target) != NEREID_OK)
    return {};
  return tools::TargetText::write(target);
}

static Json deviceJson(const Runtime &runtime, const Device &device,
                       bool isWinner) {
  nereid_backend_info_t info = device.backend.info();
  Json json = {{"plugin", textOf(info.id)},
               {"device_type", textOf(info.device_type)},
               {"active", device.index.has_value()},
               {"winner", isWinner},
               {"score", info.score},
               {"host_cpu", (info.probe_flags & NEREID_PROBE_IS_HOST_CPU) != 0},
               {"reason", textOf(info.probe_reason)}};
  Expected<Backend> compiler =
      compilerFor(device.backend, device.index.value_or(0));
  json["compiler"] = compiler ? Json(textOf(compiler->info().id)) : Json();
  if (device.index) {
    json["device"] = *device.index;
    json["target"] = targetLabel(runtime, device.backend) + ':' +
                     std::to_string(*device.index);
    json["target_in_full"] = targetInFull(device.backend, *device.index);
    json["properties"] = device.properties;
  }
  return json;
}

static std::string deviceTable(const Json &devices) {
  Table table(
      {"", "target", "score", "plugin", "compiler", "device", "reason"});
  table.alignRight(2);
  for (const Json &device : devices) {
    bool isActive = device["active"];
    const Json properties = device.value("properties", Json::object());
    table.add(
        {device["winner"] ? "*" : "",
         isActive ? device.value("target", "")
                  : device.value("device_type", "") + " (inactive)",
         std::to_string(device.value("score", 0)), device.value("plugin", ""),
         device["compiler"].is_null() ? "none" : device.value("compiler", ""),
         properties.value("name", "-"), device.value("reason", "")});
  }
  return table.text();
}

static Expected<int> listDevices(Session &session) {
  Expected<Runtime *> runtime = session.runtime();
  if (!runtime)
    return runtime.error();
  Expected<std::vector<Device>> devices = collect(**runtime);
  if (!devices)
    return devices.error();
  Expected<Runtime::Choice> winner = (*runtime)->choose();
  Json list = Json::array();
  for (const Device &device : *devices)
    list.push_back(
        deviceJson(**runtime, device,
                   winner && device.index == winner->device &&
                       device.backend.get() == winner->backend.get()));
  session.output.document({{"devices", list}});
  if (list.empty())
    session.output.text("no plugin with a driver is loaded; 'nereid plugins' "
                        "shows what was found\n");
  else
    session.output.text(
        deviceTable(list) +
        (winner ? "\n* is the default target; 'nereid explain' shows why\n"
                : "\nthere is no default target; 'nereid explain' shows "
                  "why\n"));
  return exitOk;
}

Verb devicesVerb() {
  return {
      "devices",  "list devices with their scores", "devices [options]", "", {},
      listDevices};
}

} // namespace nereid::tool
