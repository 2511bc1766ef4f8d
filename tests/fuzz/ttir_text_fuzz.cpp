// ttir_text_fuzz.cpp: any text gives a module or an error, and no more.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "nereid/ttir/Parse.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace nereid::tt;

static MLIRContext &makeContext() {
  static DialectRegistry registry;
  registerTTIRDialects(registry);
  static MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  return context;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  StringRef text(reinterpret_cast<const char *>(data), size);
  // Bytecode has a target of its own.
  if (text.starts_with("ML\xefR"))
    return 0;
  auto module = parseTTIR(makeContext(), text, "fuzz.ttir");
  if (!module) {
    llvm::consumeError(module.takeError());
    return 0;
  }
  // What was accepted can be printed, and what was printed is accepted.
  std::string printed;
  llvm::raw_string_ostream stream(printed);
  printTTIR(module->get(), stream, OpPrintingFlags().enableDebugInfo());
  auto again = parseTTIR(makeContext(), printed, "printed.ttir");
  if (!again) {
    llvm::errs() << llvm::toString(again.takeError()) << '\n';
    abort();
  }
  return 0;
}
