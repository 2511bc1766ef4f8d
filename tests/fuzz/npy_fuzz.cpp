// npy_fuzz.cpp - any bytes as a .npy file: an array of the size that the file
// has, or an error.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Npy.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>

using namespace nereid::tools;

// An array that was read must come back from what is written of it.
static void checkRoundTrip(const Array &array) {
  std::string file = npyHeader(array);
  file.append(reinterpret_cast<const char *>(array.data()), array.size());
  auto again = parseNpy(file, "again", array.type());
  if (!again || again->shape() != array.shape() ||
      again->size() != array.size() ||
      (array.size() &&
       std::memcmp(again->data(), array.data(), array.size()) != 0))
    std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view bytes(reinterpret_cast<const char *>(data), size);
  auto array = parseNpy(bytes, "fuzz");
  if (array && array->size() > size)
    std::abort();
  if (array)
    checkRoundTrip(*array);
  if (!array && !array.error().text.starts_with("error: fuzz: "))
    std::abort();
  (void)parseNpy(bytes, "fuzz", DType::BF16);
  return 0;
}
