// backend_harness.h - compiling LLVM IR with the back end alone.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TESTS_CPU_BACKEND_HARNESS_H
#define NEREID_TESTS_CPU_BACKEND_HARNESS_H

#include "backend/Descriptor.h"
#include "backend/Link.h"

#include "llvm/IR/Module.h"

#include <memory>
#include <string>
#include <vector>

namespace nereid::cpu::test {

/// A module of its own context; fails the test if `text` is not LLVM IR.
struct Parsed {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
  explicit Parsed(const std::string &text);
};

/// Compiles `text` for `config` into `image`; returns the error, or nothing.
std::string compile(const std::string &text, const TargetConfig &config,
                    Bytes &image);

inline llvm::StringRef view(const Bytes &bytes) {
  return {bytes.data(), bytes.size()};
}

/// Exported functions and data of an image.
std::vector<std::string> exportsOf(const Bytes &image);

} // namespace nereid::cpu::test

#endif // NEREID_TESTS_CPU_BACKEND_HARNESS_H
