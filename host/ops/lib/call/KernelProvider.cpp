// KernelProvider.cpp - the names that the kernels of a pack have in an archive.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "call/KernelProvider.h"

#include "support/Json.h"

#include <charconv>
#include <map>

namespace nereid::ops {

using host::Json;

std::string optionText(const Value &value) {
  if (value.isBool())
    return value.truth() ? "true" : "false";
  return value.isString() ? value.string() : value.repr();
}

std::string archivedName(const WantedKernel &wanted, const std::string &file) {
  std::map<std::string, std::string> options;
  for (const NamedValue &option : wanted.options)
    if (!option.value.isNone())
      options[option.name] = optionText(option.value);
  Json identity = {{"file", file},
                   {"function", wanted.request.function},
                   {"arguments", Json::parse(wanted.request.arguments)},
                   {"constants", Json::parse(wanted.request.constants)},
                   {"options", options}};
  std::string digest = host::sha256(identity.dump()).hex();
  return wanted.where + "@" + digest.substr(0, 32);
}

std::string archivedArgument(const KernelArgument &argument) {
  return argument.item ? argument.name + '.' + std::to_string(argument.item)
                       : argument.name;
}

KernelArgument argumentOfArchive(std::string_view name) {
  size_t dot = name.rfind('.');
  KernelArgument argument{std::string(name), 0};
  if (dot == name.npos)
    return argument;
  auto [end, error] = std::from_chars(name.data() + dot + 1,
                                      name.data() + name.size(), argument.item);
  if (error != std::errc() || end != name.data() + name.size())
    return {std::string(name), 0};
  argument.name = name.substr(0, dot);
  return argument;
}

} // namespace nereid::ops
