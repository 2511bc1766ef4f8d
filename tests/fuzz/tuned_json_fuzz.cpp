// tuned_json_fuzz.cpp - any bytes as JSON of tuned results, ours or
// that of ONNX Runtime: results that come back from what is written of them, or
// errors with lines.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "tuned_fuzz.h"

#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view text(reinterpret_cast<const char *>(data), size);
  for (const char *format : {"json", "ort"})
    checkTuned(text, format);
  return 0;
}
