// ExternKernel.h - kernels that apply one external function to arrays.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TESTS_UNIT_LIBDEVICE_EXTERNKERNEL_H
#define NEREID_TESTS_UNIT_LIBDEVICE_EXTERNKERNEL_H

#include "nereid/host.hpp"

#include <string>
#include <vector>

namespace nereid::test {

/// One function as the plugin lists it, in types of TTIR: "u32" is "i32".
struct ListedFunction {
  std::string name, symbol, result;
  std::vector<std::string> operands;
};

/// A plugin in a runtime of its own, without a cache.
class LoadedPlugin {
public:
  explicit LoadedPlugin(const std::string &path);
  const Backend &backend() const { return loaded; }
  /// What nereid.libdevice/1 lists.
  std::vector<ListedFunction> functions() const;

private:
  Runtime runtime;
  Backend loaded;
};

/// Elements of any type, as bytes.
using Bytes = std::vector<char>;

/// A kernel that applies \p function, compiled for \p cpu or, if that is empty,
/// for this machine. A failure is a failure of the test.
class ExternKernel {
public:
  static constexpr unsigned kBlock = 1024;

  ExternKernel(const LoadedPlugin &plugin, const ListedFunction &function,
               const std::string &cpu);
  /// Of \p count elements, a multiple of kBlock.
  Bytes run(const std::vector<Bytes> &operands, size_t count) const;

private:
  void load(const std::string &text, const std::string &cpu);

  const Backend &backend;
  size_t resultSize;
  std::vector<Function> kernel; // none, or one
};

/// The text of such a kernel. A symbol of the form math.NAME is the operation.
std::string textOf(const ListedFunction &function);

size_t sizeOf(const std::string &type);

} // namespace nereid::test

#endif // NEREID_TESTS_UNIT_LIBDEVICE_EXTERNKERNEL_H
