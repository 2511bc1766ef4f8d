// Target.cpp - finds the compiler and the driver for a name.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Target.h"

namespace nereid::tool {

std::string TargetChoice::name() const {
  return driver ? deviceType + ':' + std::to_string(device) : deviceType;
}

static std::string deviceTypeOf(const Backend &backend) {
  return std::string(detail::view(backend.info().device_type));
}

// A target of which only the device type is known.
static nereid_target_t bareTarget(const Backend &backend) {
  auto target = detail::sized<nereid_target_t>();
  target.backend = backend.info().device_type;
  return target;
}

// The compiler for a driver that has none of its own.
static Expected<TargetChoice> joinCompiler(Backend driver, uint32_t device) {
  nereid_backend_t *compiler = nullptr;
  nereid_status_t status =
      nereid_backend_compiler(driver.get(), device, &compiler);
  if (status != NEREID_OK)
    return detail::lastError(status);
  auto target = detail::sized<nereid_target_t>();
  status = nereid_backend_target(driver.get(), device, &target);
  if (status != NEREID_OK)
    return detail::lastError(status);
  return TargetChoice{Backend(compiler), driver, device, deviceTypeOf(driver),
                      target};
}

// The backend of that name, if it can at least compile. Without a driver there
// is no device that a name could have.
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
  return TargetChoice{backend, std::nullopt, 0, deviceTypeOf(backend),
                      bareTarget(backend)};
}

static Error pointOut(Error error) {
  if (error.status == NEREID_NOT_FOUND)
    error.text += "\nnote: 'nereid devices' lists the targets, 'nereid "
                  "plugins' what could not be loaded";
  return error;
}

Expected<TargetChoice> chooseTarget(Runtime &runtime, const std::string &name,
                                    bool mustRun) {
  Expected<Runtime::Choice> chosen = runtime.choose(name);
  if (!chosen) {
    std::optional<TargetChoice> compiler =
        mustRun ? std::nullopt : compilerOnly(runtime, name);
    if (!compiler)
      return pointOut(chosen.error());
    return *compiler;
  }
  if (!chosen->backend.info().has_compiler)
    return joinCompiler(chosen->backend, chosen->device);
  return TargetChoice{chosen->backend, chosen->backend, chosen->device,
                      deviceTypeOf(chosen->backend), std::nullopt};
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
