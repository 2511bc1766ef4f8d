// ElementJit.h - runs element-wise TTIR on arrays, as the cpu backend would.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TESTS_UNIT_CODEGEN_ELEMENTJIT_H
#define NEREID_TESTS_UNIT_CODEGEN_ELEMENTJIT_H

#include "llvmir/ElementOps.h"
#include "nereid/codegen/Expand.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace nereid::test {

struct JitOptions {
  unsigned lanes = 16;
  /// As LLVM names it; empty is the host's.
  std::string cpu;
  /// Bit i: argument i has one value, which all lanes share.
  unsigned uniformArguments = 0;
  codegen::ExpandOptions expand;
  codegen::ElementContext context;
};

/// A target that has only 32-bit arithmetic and no library, with or without an
/// instruction for fma.
JitOptions narrowTarget(bool hasFma);

/// A `tt.func @f` of one block over scalars or tensors: expanded, emitted over
/// vectors in a loop, and compiled. A failure is a test failure.
class ElementJit {
public:
  explicit ElementJit(llvm::StringRef text, const JitOptions &options = {});

  /// Runs on \p count elements, a multiple of the lanes. \p arrays are the
  /// arguments and then the results.
  void run(int64_t count, std::vector<void *> arrays) const;

  /// The function on whole arrays, the common case.
  template <typename Result, typename... Arguments>
  std::vector<Result> operator()(std::vector<Arguments>... arguments) const {
    size_t count = std::max({arguments.size()...});
    size_t padded = (count + lanes - 1) / lanes * lanes;
    (arguments.resize(std::max(arguments.size(), padded)), ...);
    std::vector<Result> result(padded);
    run(padded, {arguments.data()..., result.data()});
    result.resize(count);
    return result;
  }

private:
  void compile(llvm::StringRef text, const JitOptions &options);

  unsigned lanes;
  std::unique_ptr<llvm::orc::LLJIT> jit;
  void (*entry)(int64_t, void **) = nullptr;
};

/// The text of a function that applies \p operation, in which %0, %1 ... are
/// the arguments, of the given types: `functionOf("math.exp %0 : f32",
/// {"f32"}, "f32")`.
std::string functionOf(llvm::StringRef operation,
                       llvm::ArrayRef<llvm::StringRef> argumentTypes,
                       llvm::StringRef resultType);

} // namespace nereid::test

#endif // NEREID_TESTS_UNIT_CODEGEN_ELEMENTJIT_H
