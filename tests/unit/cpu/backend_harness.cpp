// backend_harness.cpp - compiling LLVM IR with the back end alone.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "backend_harness.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

namespace nereid::cpu::test {

Parsed::Parsed(const std::string &text) {
  llvm::SMDiagnostic problem;
  module = llvm::parseAssemblyString(text, problem, context);
  EXPECT_TRUE(module) << problem.getMessage().str();
}

std::string compile(const std::string &text, const TargetConfig &config,
                    Bytes &image) {
  Parsed parsed(text);
  auto target = leaseTarget(config);
  if (!target)
    return llvm::toString(target.takeError());
  prepareModule(*parsed.module, **target, false);
  if (llvm::Error error = addDescriptor(*parsed.module))
    return llvm::toString(std::move(error));
  (*target)->optimizer->run(*parsed.module);
  auto object = emitObject(*parsed.module, **target);
  if (!object)
    return llvm::toString(object.takeError());
  auto linked = linkImage(*object, **target);
  if (!linked)
    return llvm::toString(linked.takeError());
  image = std::move(*linked);
  return "";
}

std::vector<std::string> exportsOf(const Bytes &image) {
  std::vector<std::string> names;
  auto file = llvm::object::ObjectFile::createObjectFile(
      llvm::MemoryBufferRef(view(image), "image"));
  EXPECT_TRUE(bool(file)) << llvm::toString(file.takeError());
  auto *elf = llvm::cast<llvm::object::ELFObjectFileBase>(file->get());
  for (auto symbol : elf->getDynamicSymbolIterators())
    if (!(llvm::cantFail(symbol.getFlags()) &
          llvm::object::SymbolRef::SF_Undefined))
      names.push_back(llvm::cantFail(symbol.getName()).str());
  return names;
}

} // namespace nereid::cpu::test
