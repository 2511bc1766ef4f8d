// tuned_csv_fuzz.cpp - any bytes as lines of PyTorch's
// TunableOp: results that come back from what is written of them, or errors
// with lines.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "tuned_fuzz.h"

#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view text(reinterpret_cast<const char *>(data), size);
  checkTuned(text, "pytorch");
  return 0;
}
