// Places.h - results arranged so that times can be compared.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_OPS_STORE_PLACES_H
#define NEREID_OPS_STORE_PLACES_H

#include "store/Record.h"

#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace nereid::ops {

/// What must be equal for times to be comparable. Compilers may differ: that
/// is what stores are compared for.
struct Place {
  std::string_view operatorName, key, deviceName, deviceArchitecture, protocol;

  auto operator<=>(const Place &) const = default;
};

/// The newest result of each variant and configuration.
using Configurations = std::map<std::pair<std::string_view, std::string_view>,
                                const TunedResult *>;
using Places = std::map<Place, Configurations>;

/// They refer to \p results.
Places placesOf(const std::vector<TunedResult> &results);

/// As winnerOf() of Lookup.h.
const TunedResult *winnerOf(const Configurations &configurations);

} // namespace nereid::ops

#endif // NEREID_OPS_STORE_PLACES_H
