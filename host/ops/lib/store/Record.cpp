// Record.cpp - checks tuned results and compares their origins.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "store/Record.h"
#include "store/Key.h"
#include "support/Integrity.h"
#include "text/Suggestions.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <type_traits>
#include <vector>

namespace nereid::ops {

static Failure invalid(std::string text) {
  return {NEREID_INVALID_ARGUMENT, std::move(text)};
}

static bool isUtf8(std::string_view text) {
  // Nearly all of it.
  if (std::all_of(text.begin(), text.end(),
                  [](char c) { return static_cast<unsigned char>(c) < 0x80; }))
    return true;
  try {
    (void)nlohmann::json(text).dump();
    return true;
  } catch (const nlohmann::json::exception &) {
    return false;
  }
}

static Outcome checkText(std::string_view name, std::string_view text) {
  if (text.size() > textLimit)
    return invalid(std::string(name) + " has " + std::to_string(text.size()) +
                   " bytes, at most " + std::to_string(textLimit) +
                   " are expected");
  if (text.find('\0') != text.npos || !isUtf8(text))
    return invalid(std::string(name) + " is not UTF-8 text");
  return {};
}

static Outcome checkNumber(std::string_view name, double number) {
  if (!(number >= 0) || std::isinf(number))
    return invalid(std::string(name) +
                   " is negative or not a number, expected 0 or more");
  return {};
}

static Outcome checkFields(const TunedResult &result) {
  Outcome checked;
  visitFields(result, [&](const char *name, const auto &field) {
    using Field = std::decay_t<decltype(field)>;
    if (!checked)
      return;
    if constexpr (std::is_same_v<Field, std::string>)
      checked = checkText(name, field);
    else if constexpr (std::is_same_v<Field, double>)
      checked = checkNumber(name, field);
    else if constexpr (std::is_same_v<Field, int64_t>)
      if (field < 0)
        checked = invalid(std::string(name) + " is negative");
  });
  return checked;
}

static Outcome checkStatus(const TunedResult &result) {
  static const std::vector<std::string> words = {
      std::string(status::ok),     std::string(status::wrong),
      std::string(status::failed), std::string(status::crashed),
      std::string(status::slow),   std::string(status::wanted)};
  if (std::find(words.begin(), words.end(), result.status) == words.end())
    return invalid("status is '" + result.status + "', expected one of " +
                   quotedList(words));
  return {};
}

Outcome normalize(TunedResult &result) {
  if (Outcome checked = checkFields(result); !checked)
    return checked;
  if (result.operatorName.empty())
    return invalid("operator is empty");
  if (Outcome checked = checkStatus(result); !checked)
    return checked;
  if (result.bucket.empty())
    result.bucket = result.key;
  for (auto [text, name] :
       {std::pair{&result.key, "key"}, std::pair{&result.bucket, "bucket"},
        std::pair{&result.configuration, "configuration"}}) {
    Result<std::string> canonical = canonicalObject(*text, name);
    if (!canonical)
      return canonical.failure();
    *text = std::move(*canonical);
  }
  return {};
}

std::string checksumOf(const TunedResult &result) {
  std::string bytes;
  visitFields(result, [&](const char *name, const auto &field) {
    using Field = std::decay_t<decltype(field)>;
    bytes += name;
    bytes += '\0';
    if constexpr (std::is_same_v<Field, std::string>) {
      bytes += field;
    } else {
      char number[8];
      uint64_t bits = 0;
      if constexpr (std::is_same_v<Field, double>)
        bits = std::bit_cast<uint64_t>(field);
      else
        bits = static_cast<uint64_t>(field);
      host::putLittle(number, bits);
      bytes.append(number, sizeof number);
    }
    bytes += '\0';
  });
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (uint8_t byte : host::integrityOf(bytes)) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

std::string_view trustName(Trust trust) {
  switch (trust) {
  case Trust::Same:
    return "same";
  case Trust::Near:
    return "near";
  case Trust::Foreign:
    return "foreign";
  }
  return "";
}

Trust trustOf(const TunedResult &result, const CompilerIdentity &compiler,
              const DeviceIdentity &device) {
  if (result.compiler == compiler && result.device == device)
    return Trust::Same;
  if (result.compiler.plugin == compiler.plugin &&
      result.compiler.release == compiler.release &&
      result.device.architecture == device.architecture)
    return Trust::Near;
  return Trust::Foreign;
}

std::string objectText(std::string_view object) {
  std::string text;
  nlohmann::json parsed = nlohmann::json::parse(object, nullptr, false);
  if (!parsed.is_object())
    return std::string(object);
  for (const auto &[name, value] : parsed.items()) {
    text += (text.empty() ? "" : " ") + name + '=';
    text += value.is_string()
                ? value.get<std::string>()
                : value.dump(-1, ' ', false,
                             nlohmann::json::error_handler_t::replace);
  }
  return text;
}

} // namespace nereid::ops
