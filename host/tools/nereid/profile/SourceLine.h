// SourceLine.h - function and source line of an address in a loaded object,
// from the object's symbols and debug information.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TOOL_PROFILE_SOURCELINE_H
#define NEREID_TOOL_PROFILE_SOURCELINE_H

#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace nereid::tool {

struct CodePlace {
  std::string object;   ///< the file's name; "kernel" is the kernel's image
  std::string function; ///< empty where there is no symbol
  std::string file;     ///< as the compiler was given it; empty if not known
  int line = 0;

  auto operator<=>(const CodePlace &) const = default;
};

/// Reads debug information with libdw (elfutils) if this machine has it.
class SourceLines {
public:
  /// `kernelImage`, of the kernel that is loaded, is read instead of a file,
  /// which it need not have; it outlives this object.
  explicit SourceLines(std::string_view kernelImage);
  ~SourceLines();

  /// False: there are names of functions that objects export, and no lines.
  bool hasLibrary() const { return session != nullptr; }
  CodePlace find(uintptr_t address);

private:
  struct Session;
  std::string_view kernelImage;
  std::unique_ptr<Session> session;
};

} // namespace nereid::tool

#endif // NEREID_TOOL_PROFILE_SOURCELINE_H
