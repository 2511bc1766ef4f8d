// LlvmModule.cpp - LLVM IR in and out.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "kernel/LlvmModule.h"

#include "kernel/Input.h"
#include "kernel/LlvmDiagnostics.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Verifier.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

namespace nereid::codegen {

void LlvmModule::clear() {
  module.reset();
  context = std::make_unique<llvm::LLVMContext>();
}

llvm::Error LlvmModule::parse(llvm::StringRef input, const Report &report) {
  clear();
  return collectDiagnostics(*context, report, [&]() -> llvm::Error {
    llvm::SMDiagnostic problem;
    // The parser wants a NUL after the text.
    auto copy = llvm::MemoryBuffer::getMemBufferCopy(input, "llvm.ir");
    module = llvm::parseIR(*copy, problem, *context);
    if (module)
      return llvm::Error::success();
    return llvm::make_error<InputError>(
        problem.getLineNo(), problem.getColumnNo() + 1, problem.getMessage());
  });
}

llvm::Error LlvmModule::verify() const {
  std::string problems;
  llvm::raw_string_ostream stream(problems);
  if (!llvm::verifyModule(*module, &stream))
    return llvm::Error::success();
  return llvm::createStringError("the LLVM IR is not valid: " +
                                 llvm::StringRef(problems).split('\n').first);
}

std::string LlvmModule::print(llvm::StringRef comment) const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (llvm::StringRef line : llvm::split(comment.rtrim('\n'), '\n'))
    if (!comment.empty())
      stream << (line.empty() ? ";" : "; ") << line << '\n';
  module->print(stream, nullptr);
  return text;
}

void LlvmModule::abandon() {
  (void)module.release();
  (void)context.release();
}

} // namespace nereid::codegen
