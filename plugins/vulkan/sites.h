// sites.h - what a kernel may print or fail with: one text for each place.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// An image has one OpModuleProcessed for each site; sites are numbered in their
// order:
//   nereid.vulkan.print type=<type> hex=<0|1> shape=<4x8> text=<prefix>
//   nereid.vulkan.fault text=<message>
// A print has the type of its operand, as print_format.h names it, or "none".
// The shape of a scalar is empty. In a text, a backslash and a NUL are "\\" and
// "\0".

#ifndef NEREID_VULKAN_SITES_H
#define NEREID_VULKAN_SITES_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nereid::vulkan {

/// The most sites of an image, and elements of a print.
inline constexpr uint32_t kMostSites = 1 << 16;
inline constexpr uint64_t kMostPrinted = 1 << 24;

/// An operand of a print, or a way to fail.
struct Site {
  bool isPrint = false;
  std::string text = {}; ///< the prefix of a print, the message of a fault
  std::string type = {}; ///< empty for a print without operands
  bool isHex = false;
  std::vector<int64_t> shape = {}; ///< empty for a scalar

  uint64_t elements() const;
  /// Of one element in a record.
  uint32_t words() const;
};

/// The text of the OpModuleProcessed. Cuts a text that is too long for it.
std::string describe(const Site &site);

/// Whether `text` is that of a site; readSite() says if it is a legal one.
bool isSite(std::string_view text);

/// Reads an untrusted text. Returns what is wrong; empty on success.
std::string readSite(std::string_view text, Site &out);

} // namespace nereid::vulkan

#endif // NEREID_VULKAN_SITES_H
