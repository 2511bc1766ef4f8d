// Suggestions.h - suggests what a user may have meant by an unknown name.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TEXT_SUGGESTIONS_H
#define NEREID_TEXT_SUGGESTIONS_H

#include <string>
#include <string_view>
#include <vector>

namespace nereid {

/// Up to three of \p names that are close to \p name, the closest first.
std::vector<std::string> nearestNames(std::string_view name,
                                      const std::vector<std::string> &names);

/// "; did you mean 'a' or 'b'", or a list of all
/// \p names if none is close: "; known are 'a', 'b'".
std::string suggestNames(std::string_view name,
                         const std::vector<std::string> &names);

/// "'a', 'b', 'c'"
std::string quotedList(const std::vector<std::string> &names,
                       std::string_view separator = ", ");

} // namespace nereid

#endif // NEREID_TEXT_SUGGESTIONS_H
