// KernelsTest.cpp: kernels that real Triton exported, all of them.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "mlir/IR/Verifier.h"
#include "nereid/ttir/Parse.h"
#include "nereid/ttir/Passes.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace nereid::tt;

namespace {

std::vector<std::string> findKernels(StringRef folder) {
  llvm::SmallString<128> path(NEREID_TEST_DATA "/kernels");
  llvm::sys::path::append(path, folder);
  std::vector<std::string> files;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(path, error), end;
       it != end && !error; it.increment(error))
    if (StringRef(it->path()).ends_with(".ttir"))
      files.push_back(it->path());
  return files;
}

std::string print(ModuleOp module, OpPrintingFlags flags = {}) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  printTTIR(module, stream, flags);
  return text;
}

class Kernels : public ::testing::TestWithParam<const char *> {
protected:
  Kernels() : context(dialects(), MLIRContext::Threading::DISABLED) {}

  static DialectRegistry dialects() {
    DialectRegistry registry;
    registerTTIRDialects(registry);
    return registry;
  }

  OwningOpRef<ModuleOp> parse(StringRef text) {
    auto module = parseTTIR(context, text, "k.ttir");
    if (module)
      return std::move(*module);
    ADD_FAILURE() << llvm::toString(module.takeError());
    return {};
  }

  template <typename Body> void forEach(Body body) {
    std::vector<std::string> files = findKernels(GetParam());
    ASSERT_FALSE(files.empty());
    for (const std::string &file : files) {
      SCOPED_TRACE(file);
      auto buffer = llvm::MemoryBuffer::getFile(file);
      ASSERT_TRUE(static_cast<bool>(buffer));
      StringRef text = (*buffer)->getBuffer();
      if (OwningOpRef<ModuleOp> module = parse(text))
        body(*module, text);
    }
  }

  MLIRContext context;
};

} // namespace

// With locations, newer MLIR names values after them, and ours does not.
TEST_P(Kernels, PrintAsTritonPrintedThem) {
  forEach([](ModuleOp module, StringRef text) {
    if (!text.contains("loc("))
      EXPECT_EQ(StringRef(print(module)).trim(), text.trim());
  });
}

TEST_P(Kernels, KeepTheirLocations) {
  forEach([&](ModuleOp module, StringRef) {
    OpPrintingFlags flags = OpPrintingFlags().enableDebugInfo();
    std::string once = print(module, flags);
    OwningOpRef<ModuleOp> again = parse(once);
    ASSERT_TRUE(again);
    EXPECT_EQ(print(*again, flags), once);
  });
}

TEST_P(Kernels, HaveOneKernel) {
  forEach([](ModuleOp module, StringRef) {
    auto kernel = findKernel(module);
    EXPECT_TRUE(static_cast<bool>(kernel))
        << llvm::toString(kernel.takeError());
  });
}

TEST_P(Kernels, PassTheStandardPipeline) {
  PassManager passes(&context);
  addStandardPipeline(passes);
  forEach([&](ModuleOp module, StringRef) {
    ASSERT_TRUE(succeeded(passes.run(module)));
    module.walk([](Operation *op) {
      EXPECT_FALSE((isa<MakeTensorPtrOp, MakeTensorDescOp>(op)))
          << op->getName().getStringRef().str();
    });
  });
}

INSTANTIATE_TEST_SUITE_P(Triton36, Kernels, ::testing::Values("3.6.0"));
INSTANTIATE_TEST_SUITE_P(Triton39, Kernels, ::testing::Values("3.9.0"));
