// CompileHistory.h - what each source was last compiled from.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_COMPILE_COMPILE_HISTORY_H
#define NEREID_HOST_COMPILE_COMPILE_HISTORY_H

#include "compile/KeyIngredients.h"

#include <map>
#include <mutex>

namespace nereid::host {

/// Explains why a compile of a source that was compiled before missed the
/// cache. [any-thread]
class CompileHistory {
public:
  /// "changed since the last time: options, target", or nothing.
  std::string explain(const std::string &plugin, const std::string &source,
                      const KeyIngredients &ingredients);

private:
  std::mutex mutex;
  std::map<std::pair<std::string, std::string>, KeyIngredients> last;
};

} // namespace nereid::host

#endif // NEREID_HOST_COMPILE_COMPILE_HISTORY_H
