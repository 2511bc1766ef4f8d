// ShortTarget.h - targets in messages and listings.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TEXT_SHORT_TARGET_H
#define NEREID_TEXT_SHORT_TARGET_H

#include <string>
#include <string_view>

namespace nereid {

/// \p target, "vulkan:spirv1.6:f16,f64,i64:32", with "..." for the features
/// after the first 60 characters of them: devices report hundreds.
std::string shortTarget(std::string_view target);

} // namespace nereid

#endif // NEREID_TEXT_SHORT_TARGET_H
