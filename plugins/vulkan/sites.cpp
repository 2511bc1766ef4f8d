// sites.cpp - writes and reads the texts of sites.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "sites.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace nereid::vulkan {

static constexpr std::string_view kStart = "nereid.vulkan.";
static constexpr std::string_view kPrint = "nereid.vulkan.print ";
static constexpr std::string_view kFault = "nereid.vulkan.fault ";
static constexpr std::string_view kNoType = "none";
static constexpr std::array<std::string_view, 14> kTypes = {
    "bf16", "f16", "f32", "f64", "i1",  "i16", "i32",
    "i64",  "i8",  "ptr", "u16", "u32", "u64", "u8"};
// An instruction has at most 65535 words, and an escape doubles a character.
static constexpr size_t kMostText = 32 << 10;
static constexpr size_t kMostRank = 16;

uint64_t Site::elements() const {
  uint64_t count = type.empty() ? 0 : 1;
  for (int64_t size : shape)
    count *= static_cast<uint64_t>(size);
  return count;
}

uint32_t Site::words() const {
  return type.ends_with("64") || type == "ptr" ? 2 : 1;
}

static std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text.substr(0, kMostText)) {
    if (c == '\\' || !c)
      out += '\\';
    out += c ? c : '0';
  }
  return out + (text.size() > kMostText ? "..." : "");
}

std::string describe(const Site &site) {
  if (!site.isPrint)
    return std::string(kFault) + "text=" + escaped(site.text);
  std::string shape;
  for (int64_t size : site.shape)
    shape += (shape.empty() ? "" : "x") + std::to_string(size);
  return std::string(kPrint) +
         "type=" + (site.type.empty() ? std::string(kNoType) : site.type) +
         " hex=" + (site.isHex ? "1" : "0") + " shape=" + shape +
         " text=" + escaped(site.text);
}

// ------------------------------------------------------------------ reading

bool isSite(std::string_view text) { return text.starts_with(kStart); }

/// Takes "key=value " off `text`; false if another key is there.
static bool takeField(std::string_view &text, std::string_view key,
                      std::string_view &value) {
  size_t space = text.find(' ');
  if (!text.starts_with(key) || space == text.npos)
    return false;
  value = text.substr(key.size(), space - key.size());
  text.remove_prefix(space + 1);
  return true;
}

static bool readShape(std::string_view text, std::vector<int64_t> &out) {
  uint64_t elements = 1;
  while (!text.empty()) {
    int64_t size = 0;
    auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), size);
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    if (error != std::errc() || size < 1 ||
        static_cast<uint64_t>(size) > kMostPrinted / elements ||
        out.size() == kMostRank)
      return false;
    elements *= static_cast<uint64_t>(size);
    out.push_back(size);
    if (text.empty())
      return true;
    if (!text.starts_with('x') || text.size() == 1)
      return false;
    text.remove_prefix(1);
  }
  return true;
}

static bool readText(std::string_view text, std::string &out) {
  constexpr std::string_view kKey = "text=";
  if (!text.starts_with(kKey))
    return false;
  text.remove_prefix(kKey.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      out += text[i];
      continue;
    }
    if (++i == text.size() || (text[i] != '\\' && text[i] != '0'))
      return false;
    out += text[i] == '0' ? '\0' : '\\';
  }
  return true;
}

static bool readPrint(std::string_view text, Site &out) {
  std::string_view type, hex, shape;
  if (!takeField(text, "type=", type) || !takeField(text, "hex=", hex) ||
      !takeField(text, "shape=", shape))
    return false;
  out.isPrint = true;
  if (type != kNoType)
    out.type = type;
  out.isHex = hex == "1";
  return (type == kNoType ? shape.empty()
                          : std::find(kTypes.begin(), kTypes.end(), type) !=
                                kTypes.end()) &&
         (hex == "0" || hex == "1") && readShape(shape, out.shape) &&
         readText(text, out.text);
}

std::string readSite(std::string_view text, Site &out) {
  out = {};
  bool isRead = false;
  if (text.starts_with(kPrint))
    isRead = readPrint(text.substr(kPrint.size()), out);
  else if (text.starts_with(kFault))
    isRead = readText(text.substr(kFault.size()), out.text);
  if (isRead)
    return {};
  return "it has '" + std::string(text.substr(0, 80)) +
         "', the print or the fault of a kernel was expected";
}

} // namespace nereid::vulkan
