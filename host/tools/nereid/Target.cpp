// Target.cpp - finds the compiler and the driver for a name.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Target.h"

#include "text/ShortTarget.h"

namespace nereid::tool {

bool TargetChoice::isHostCpu() const {
  return driver && (driver->info().probe_flags & NEREID_PROBE_IS_HOST_CPU);
}

std::string TargetChoice::name() const {
  return driver ? label + ':' + std::to_string(device) : label;
}

std::string TargetChoice::shortName() const { return shortTarget(name()); }

static std::string deviceTypeOf(const Backend &backend) {
  return std::string(detail::view(backend.info().device_type));
}

std::string targetLabel(const Runtime &runtime, const Backend &backend) {
  nereid_backend_info_t info = backend.info();
  nereid_backend_t *meant = nullptr;
  nereid_status_t status =
      nereid_runtime_backend(runtime.get(), info.device_type, &meant);
  bool isMeant = status == NEREID_OK && meant == backend.get();
  return std::string(detail::view(isMeant ? info.device_type : info.id));
}

Expected<Backend> compilerFor(const Backend &backend, uint32_t device) {
  nereid_backend_t *compiler = nullptr;
  nereid_status_t status =
      nereid_backend_compiler(backend.get(), device, &compiler);
  if (status != NEREID_OK)
    return detail::lastError(status);
  return Backend(compiler);
}

// A target of which only the device type is known.
static nereid_target_t bareTarget(const Backend &backend) {
  auto target = detail::sized<nereid_target_t>();
  target.backend = backend.info().device_type;
  return target;
}

// A device, with whoever compiles for it.
static Expected<TargetChoice> chooseDevice(Runtime &runtime, Backend driver,
                                           uint32_t device) {
  Expected<Backend> compiler = compilerFor(driver, device);
  if (!compiler)
    return compiler.error();
  TargetChoice choice = {*compiler,    driver,
                         device,       targetLabel(runtime, driver),
                         std::nullopt, nullptr};
  if (compiler->get() == driver.get())
    return choice;
  auto target = detail::sized<nereid_target_t>();
  nereid_status_t status = nereid_backend_target(driver.get(), device, &target);
  if (status != NEREID_OK)
    return detail::lastError(status);
  choice.target = target;
  return choice;
}

// A target in full: no device is there for it, or none is asked for.
static Expected<TargetChoice>
chooseInFull(Runtime &runtime, const std::string &name, bool mustRun) {
  Expected<TargetText> parsed = TargetText::parse(name);
  if (!parsed)
    return parsed.error();
  if (mustRun)
    return invalid("target '" + shortTarget(name) +
                   "' is not a device that can run a kernel, expected one as "
                   "'cpu' or 'cpu:1'");
  auto text = std::make_shared<const TargetText>(std::move(*parsed));
  nereid_target_t target = text->get();
  nereid_backend_t *compiler = nullptr;
  nereid_status_t status =
      nereid_runtime_compiler(runtime.get(), &target, &compiler);
  if (status != NEREID_OK)
    return detail::lastError(status);
  return TargetChoice{Backend(compiler), std::nullopt, 0, name, target, text};
}

// The backend of that name, if it can at least compile: without a driver, a
// name cannot be that of a device.
static std::optional<TargetChoice> compilerOnly(Runtime &runtime,
                                                const std::string &name) {
  nereid_backend_t *handle = nullptr;
  if (name.empty() || name.find(':') != name.npos ||
      nereid_runtime_backend(runtime.get(), detail::borrow(name), &handle) !=
          NEREID_OK)
    return std::nullopt;
  Backend backend(handle);
  if (!backend.info().has_compiler)
    return std::nullopt;
  return TargetChoice{
      backend, std::nullopt, 0, deviceTypeOf(backend), bareTarget(backend),
      nullptr};
}

static Error pointOut(Error error) {
  if (error.status == NEREID_NOT_FOUND)
    error.text += "\nnote: 'nereid devices' lists the targets, 'nereid "
                  "plugins' what could not be loaded";
  return error;
}

Expected<TargetChoice> chooseTarget(Runtime &runtime, const std::string &name,
                                    bool mustRun) {
  if (TargetText::isInFull(name))
    return chooseInFull(runtime, name, mustRun);
  Expected<Runtime::Choice> chosen = runtime.choose(name);
  if (!chosen) {
    std::optional<TargetChoice> compiler =
        mustRun ? std::nullopt : compilerOnly(runtime, name);
    if (!compiler)
      return pointOut(chosen.error());
    return *compiler;
  }
  return chooseDevice(runtime, chosen->backend, chosen->device);
}

// The target that the schema and the stages are asked for.
static nereid_target_t targetOf(const TargetChoice &choice) {
  auto target = detail::sized<nereid_target_t>();
  if (choice.target)
    return *choice.target;
  if (nereid_backend_target(choice.compiler.get(), choice.device, &target) ==
      NEREID_OK)
    return target;
  return bareTarget(choice.compiler);
}

Expected<Json> optionSchema(const TargetChoice &choice) {
  nereid_target_t target = targetOf(choice);
  nereid_buffer_t *buffer = nullptr;
  nereid_status_t status =
      nereid_backend_options(choice.compiler.get(), &target, &buffer);
  return takeJson(status, buffer);
}

Expected<std::vector<nereid_value_t>>
parseOptionTexts(const std::vector<std::string> &texts) {
  std::vector<nereid_value_t> values;
  for (const std::string &text : texts) {
    size_t equals = text.find('=');
    if (equals == text.npos || equals == 0)
      return invalid("-O '" + text + "': expected NAME=VALUE");
    nereid_value_t value = {};
    value.name = {text.data(), equals};
    value.type = NEREID_TYPE_STRING;
    value.text = {text.data() + equals + 1, text.size() - equals - 1};
    values.push_back(value);
  }
  return values;
}

Expected<Json> stagesFor(const TargetChoice &choice,
                         const std::vector<nereid_value_t> &values) {
  nereid_target_t target = targetOf(choice);
  nereid_buffer_t *buffer = nullptr;
  nereid_status_t status = nereid_backend_stages(
      choice.compiler.get(), &target, values.data(), values.size(), &buffer);
  return takeJson(status, buffer);
}

} // namespace nereid::tool
