// ttir_text_fuzz.cpp: any text gives a module or an error, and no more.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "ttir_fuzz.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace nereid::tt;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  StringRef text(reinterpret_cast<const char *>(data), size);
  // Bytecode has a target of its own.
  if (text.starts_with("ML\xefR"))
    return 0;
  // One for all inputs: six times as many are tried as with one for each.
  static MLIRContext context(dialects(), MLIRContext::Threading::DISABLED);
  auto module = parseTTIR(context, text, "fuzz.ttir");
  if (!module) {
    llvm::consumeError(module.takeError());
    return 0;
  }
  // What was accepted can be printed, and what was printed is accepted.
  std::string printed;
  llvm::raw_string_ostream stream(printed);
  printTTIR(module->get(), stream, OpPrintingFlags().enableDebugInfo());
  auto again = parseTTIR(context, printed, "printed.ttir");
  if (!again) {
    llvm::errs() << llvm::toString(again.takeError()) << '\n';
    abort();
  }
  return 0;
}
