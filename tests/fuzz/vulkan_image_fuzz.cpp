// vulkan_image_fuzz.cpp - any bytes as an image of the vulkan plugin: what can
// be sealed is read, with the same facts.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "image.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

using namespace nereid::vulkan;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string bytes(reinterpret_cast<const char *>(data), size);
  Image image;
  (void)readImage(bytes, image);

  // With the digest that it should have, so that a fuzzer gets past it.
  std::vector<uint32_t> words(size / 4);
  if (!words.empty())
    std::memcpy(words.data(), data, words.size() * 4);
  if (!sealImage(words).empty())
    return 0;
  std::string sealed(reinterpret_cast<const char *>(words.data()),
                     words.size() * 4);
  std::string problem = readImage(sealed, image);
  // All that sealing does not check is the size of a workgroup.
  if (!problem.empty() && problem.find("LocalSize") == std::string::npos)
    std::abort();
  if (problem.empty() &&
      (image.words != words || image.entry.empty() || !image.facts.workgroup ||
       image.facts.arguments > kMostArguments))
    std::abort();
  return 0;
}
