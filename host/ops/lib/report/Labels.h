// Labels.h - what figures call things, and how much of one kind they show.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_OPS_REPORT_LABELS_H
#define NEREID_OPS_REPORT_LABELS_H

#include "store/Places.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace nereid::ops {

inline constexpr size_t seriesLimit = 6;
inline constexpr size_t columnLimit = 12;
inline constexpr size_t rowLimit = 40;
inline constexpr size_t changeLimit = 40;
inline constexpr size_t nameLimit = 48; // characters

/// "; 3 more lines are left out", or nothing if none are.
std::string leftOutText(size_t count, const char *what);
/// The architecture and the name of the device.
std::string deviceText(const Place &place);
/// A label of at most 58 characters, in which neither part hides the other.
std::string shapeText(std::string_view name, std::string_view shape);
/// The variant and the values of its parameters.
std::string configurationText(const TunedResult &result);

} // namespace nereid::ops

#endif // NEREID_OPS_REPORT_LABELS_H
