// Rows.cpp - the results of an operator, sorted by key.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "store/Store.h"

#include <algorithm>

namespace nereid::ops {

OperatorRows arrange(std::vector<TunedResult> rows) {
  std::sort(rows.begin(), rows.end(),
            [](const TunedResult &a, const TunedResult &b) {
              return a.identity() < b.identity();
            });
  OperatorRows arranged;
  for (TunedResult &row : rows) {
    if (arranged.keys.empty() || arranged.keys.back().key != row.key)
      arranged.keys.push_back({row.key, membersOf(row.key), {}});
    KeyRows &key = arranged.keys.back();
    key.hasBad = key.hasBad || row.isBad();
    key.rows.push_back(std::move(row));
  }
  return arranged;
}

} // namespace nereid::ops
