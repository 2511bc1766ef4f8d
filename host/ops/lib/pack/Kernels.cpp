// Kernels.cpp - the signatures in a Python file.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "pack/Kernels.h"

#include "pack/PackFiles.h"
#include "support/File.h"

#include <sys/stat.h>

#include <algorithm>

namespace nereid::ops {

using host::Failure;
using host::Result;

static std::string_view trim(std::string_view text) {
  size_t start = text.find_first_not_of(" \t\r\n\\");
  if (start == text.npos)
    return {};
  return text.substr(start, text.find_last_not_of(" \t\r\n\\") + 1 - start);
}

/// Goes over Python source: comments and strings are no code.
class PythonScan {
public:
  explicit PythonScan(std::string_view text) : text(text) {}

  bool atEnd() const { return at >= text.size(); }
  /// The next character of code; 0 for a comment or a string, which is skipped.
  char next() {
    char c = text[at];
    if (c == '#') {
      at = std::min(text.find('\n', at), text.size());
      return 0;
    }
    if (c == '\'' || c == '"') {
      skipString(c);
      return 0;
    }
    ++at;
    return c;
  }

  size_t at = 0;

private:
  void skipString(char quote) {
    std::string_view three = text.substr(at, 3);
    bool isLong = three == std::string(3, quote);
    at += isLong ? 3 : 1;
    while (at < text.size()) {
      if (text[at] == '\\') {
        at += 2;
      } else if (isLong ? text.substr(at, 3) == std::string(3, quote)
                        : text[at] == quote || text[at] == '\n') {
        at += isLong ? 3 : 1;
        return;
      } else {
        ++at;
      }
    }
  }

  std::string_view text;
};

// One of "x", "BLOCK: tl.constexpr", "n: tl.int32 = 1"; strings and comments
// are left out.
static void addParameter(std::string_view text, KernelFunction &function) {
  text = trim(text);
  if (text.empty() || text == "/")
    return;
  if (text[0] == '*') {
    function.isOpen |= text != "*";
    return;
  }
  size_t equals = text.find('=');
  std::string_view declared = trim(text.substr(0, equals));
  size_t colon = declared.find(':');
  Parameter parameter;
  parameter.name = trim(declared.substr(0, colon));
  parameter.hasDefault = equals != text.npos;
  parameter.isConstant =
      colon != declared.npos &&
      declared.substr(colon).find("constexpr") != declared.npos;
  function.parameters.push_back(std::move(parameter));
}

// Reads the parameters behind the opening parenthesis.
static KernelFunction readParameters(std::string_view text, PythonScan &scan) {
  KernelFunction function;
  std::string one;
  for (int depth = 1; !scan.atEnd();) {
    size_t start = scan.at;
    char c = scan.next();
    if (c == 0) {
      // An annotation may be a string, and so may a default.
      if (text[start] != '#')
        one += text.substr(start, scan.at - start);
      continue;
    }
    if (c == '(' || c == '[' || c == '{')
      ++depth;
    if (c == ')' || c == ']' || c == '}')
      --depth;
    if (depth == 0)
      break;
    if (c == ',' && depth == 1) {
      addParameter(one, function);
      one.clear();
    } else {
      one += c;
    }
  }
  addParameter(one, function);
  return function;
}

KernelFunctions functionsOf(std::string_view text) {
  KernelFunctions functions;
  PythonScan scan(text);
  bool isLineStart = true;
  while (!scan.atEnd()) {
    if (isLineStart && text.substr(scan.at).starts_with("def ")) {
      size_t open = text.find('(', scan.at);
      if (open == text.npos)
        break;
      std::string name(trim(text.substr(scan.at + 4, open - scan.at - 4)));
      scan.at = open + 1;
      functions.insert_or_assign(std::move(name), readParameters(text, scan));
      isLineStart = false;
      continue;
    }
    isLineStart = scan.next() == '\n';
  }
  return functions;
}

Result<std::string> readText(const std::string &path) {
  constexpr size_t largest = 4 << 20;
  auto fail = [&](std::string why) {
    return Failure{NEREID_NOT_FOUND, path + ": " + std::move(why)};
  };
  host::FileDescriptor file = host::openForReading(path);
  struct stat status = {};
  if (!file || fstat(file.get(), &status) != 0)
    return fail(host::errorText(errno));
  if (!S_ISREG(status.st_mode))
    return fail("it is " + host::fileKind(status.st_mode) +
                ", expected a file");
  if (static_cast<uint64_t>(status.st_size) > largest)
    return fail("it has " + std::to_string(status.st_size) +
                " bytes, expected at most " + std::to_string(largest));
  std::string text(static_cast<size_t>(status.st_size), '\0');
  if (!host::readExactly(file.get(), text.data(), text.size(), 0))
    return fail("it cannot be read");
  return text;
}

Result<const KernelFunctions *> KernelFiles::of(const std::string &path) {
  auto found = files.find(path);
  if (found == files.end()) {
    Result<std::string> text = pack.text(path);
    if (!text)
      return text.failure();
    found = files.emplace(path, functionsOf(*text)).first;
  }
  return &found->second;
}

} // namespace nereid::ops
