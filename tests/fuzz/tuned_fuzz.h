// tuned_fuzz.h - what holds for any bytes as tuned results in one of the
// formats.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_FUZZ_TUNED_FUZZ_H
#define NEREID_FUZZ_TUNED_FUZZ_H

#include "store/Exchange.h"

#include <cstdlib>
#include <string_view>

/// Either an error with a line, or results that come back from what is written
/// of them.
inline void checkTuned(std::string_view text, std::string_view format) {
  using namespace nereid::ops;
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

#endif // NEREID_FUZZ_TUNED_FUZZ_H
