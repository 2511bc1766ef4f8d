// cuda_image_fuzz.cpp - any bytes as an image of the cuda plugin: nothing is
// read outside, and what is accepted has code.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "image.h"

#include <cstdint>
#include <cstdlib>
#include <string_view>

using namespace nereid::cuda;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Image image;
  std::string problem =
      readImage({reinterpret_cast<const char *>(data), size}, image);
  if (!problem.empty())
    return 0;
  if (image.code.empty() ||
      (image.kind != ImageKind::Fatbin && image.code.size() != 1))
    std::abort();
  // A device that runs none of it is told so.
  bool isRun = false;
  for (const ImageCode &code : image.code)
    isRun |= code.runsOn(90);
  if (imageProblem(image, 90, 0, "a device", "a driver").empty() != isRun)
    std::abort();
  return 0;
}
