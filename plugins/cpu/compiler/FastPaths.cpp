// FastPaths.cpp - reading the option "fast_paths".
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Generate.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace nereid::cpu {

static std::string knownNames() { return llvm::join(fastPathNames(), ", "); }

llvm::Expected<FastPaths> FastPaths::parse(llvm::StringRef text) {
  FastPaths out;
  // Unless "all" comes first, the names are what is on.
  bool all = text.empty() || text.split(',').first == "all";
  if (!all)
    for (llvm::StringRef name : fastPathNames())
      out.off.insert(name);
  if (text.empty() || text == "none")
    return out;
  for (llvm::StringRef item : llvm::split(text, ',')) {
    if (item == "all" && all)
      continue;
    bool away = item.consume_front("-");
    if (!llvm::is_contained(fastPathNames(), item))
      return llvm::createStringError(
          "unknown fast path '" + item +
          "', expected all, none or some of: " + knownNames());
    if (away)
      out.off.insert(item);
    else
      out.off.erase(item);
  }
  return out;
}

} // namespace nereid::cpu
