// Places.cpp - arranges results by what makes them comparable.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "store/Places.h"
#include "store/Lookup.h"

namespace nereid::ops {

Places placesOf(const std::vector<TunedResult> &results) {
  Places places;
  for (const TunedResult &result : results) {
    if (result.status == status::wanted)
      continue;
    Place place{result.operatorName, result.key, result.device.name,
                result.device.architecture, result.protocol};
    const TunedResult *&newest =
        places[place][{result.variant, result.configuration}];
    if (!newest || result.time > newest->time)
      newest = &result;
  }
  return places;
}

const TunedResult *winnerOf(const Configurations &configurations) {
  std::vector<const TunedResult *> rows;
  for (const auto &[configuration, row] : configurations)
    rows.push_back(row);
  return winnerOf(rows);
}

} // namespace nereid::ops
