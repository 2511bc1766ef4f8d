// Images.cpp - writes images.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Images.h"

#include <cstring>

namespace nereid::test {

std::string ptx(std::string_view entry,
                const std::vector<std::string> &parameters,
                std::string_view target, std::string_view version) {
  std::string text =
      ".version " + std::string(version) + "\n.target " + std::string(target) +
      "\n.address_size 64\n.visible .entry " + std::string(entry) + "(";
  for (size_t i = 0; i < parameters.size(); ++i) {
    // The name is before the size of an array.
    std::string_view type = parameters[i];
    size_t bracket = type.find('[');
    text += (i ? ", .param " : ".param ") +
            std::string(type.substr(0, bracket)) + " p" + std::to_string(i);
    if (bracket != std::string_view::npos)
      text += type.substr(bracket);
  }
  return text + ") { ret; }\n";
}

template <typename Number>
static void put(std::string &bytes, size_t offset, Number number) {
  std::memcpy(bytes.data() + offset, &number, sizeof number);
}

std::string cubin(uint32_t flags, uint8_t osAbi, std::string_view text) {
  constexpr size_t kHeader = 64, kSegment = 56, kSection = 64;
  // The header, a segment, the text, names of sections, three sections.
  std::string names = std::string("\0.text\0.names\0", 14);
  size_t textAt = kHeader + kSegment, namesAt = textAt + text.size();
  size_t sectionsAt = (namesAt + names.size() + 7) / 8 * 8;
  std::string bytes(sectionsAt + 3 * kSection, '\0');
  std::memcpy(bytes.data(),
              "\x7f"
              "ELF\2\1\1",
              7);
  bytes[7] = static_cast<char>(osAbi);
  bytes[8] = osAbi == 0x33 ? 7 : 8;
  put<uint16_t>(bytes, 16, 2);   // executable
  put<uint16_t>(bytes, 18, 190); // CUDA
  put<uint32_t>(bytes, 20, 1);
  put<uint64_t>(bytes, 32, kHeader);
  put<uint64_t>(bytes, 40, sectionsAt);
  put<uint32_t>(bytes, 48, flags);
  put<uint16_t>(bytes, 52, kHeader);
  put<uint16_t>(bytes, 54, kSegment);
  put<uint16_t>(bytes, 56, 1);
  put<uint16_t>(bytes, 58, kSection);
  put<uint16_t>(bytes, 60, 3);
  put<uint16_t>(bytes, 62, 2);
  put<uint32_t>(bytes, kHeader, 1); // to be loaded
  put<uint64_t>(bytes, kHeader + 8, textAt);
  put<uint64_t>(bytes, kHeader + 32, text.size());
  bytes.replace(textAt, text.size(), text);
  bytes.replace(namesAt, names.size(), names);
  auto section = [&](size_t index, uint32_t name, uint32_t type, uint64_t at,
                     uint64_t size) {
    size_t offset = sectionsAt + index * kSection;
    put<uint32_t>(bytes, offset, name);
    put<uint32_t>(bytes, offset + 4, type);
    put<uint64_t>(bytes, offset + 24, at);
    put<uint64_t>(bytes, offset + 32, size);
  };
  section(1, 1, 1, textAt, text.size());
  section(2, 7, 3, namesAt, names.size());
  return bytes;
}

std::string fatbin(const std::vector<FatbinCode> &code) {
  std::string body;
  for (const FatbinCode &one : code) {
    std::string header(64, '\0');
    put<uint16_t>(header, 0, one.isPtx ? 1 : 2);
    put<uint16_t>(header, 2, 0x101);
    put<uint32_t>(header, 4, 64);
    put<uint64_t>(header, 8, one.code.size());
    put<uint32_t>(header, 28, one.sm);
    body += header + one.code;
  }
  std::string bytes(16, '\0');
  put<uint32_t>(bytes, 0, 0xba55ed50);
  put<uint16_t>(bytes, 4, 1);
  put<uint16_t>(bytes, 6, 16);
  put<uint64_t>(bytes, 8, body.size());
  return bytes + body;
}

} // namespace nereid::test
