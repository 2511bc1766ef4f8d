// tuned_json_fuzz.cpp - any bytes as JSON of tuned results, ours or
// that of ONNX Runtime: results that come back from what is written of them, or
// errors with lines.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "store/Exchange.h"

#include <cstdint>
#include <cstdlib>

using namespace nereid::ops;

static void check(std::string_view text, std::string_view format) {
  auto results = importResults(text, format, "fuzz");
  if (!results) {
    if (!results.failure().text.starts_with("fuzz: line "))
      std::abort();
    return;
  }
  auto written = exportResults(*results, format);
  if (!written)
    std::abort();
  auto again = importResults(written->text, format, "again");
  if (!again || again->size() != written->written ||
      written->written + written->leftOut != results->size())
    std::abort();
  auto twice = exportResults(*again, format);
  if (!twice || twice->text != written->text)
    std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view text(reinterpret_cast<const char *>(data), size);
  for (const char *format : {"json", "ort"})
    check(text, format);
  return 0;
}
