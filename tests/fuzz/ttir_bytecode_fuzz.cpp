// ttir_bytecode_fuzz.cpp: any bytecode gives a module or an error, and no more.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "ttir_fuzz.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace nereid::tt;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  StringRef bytes(reinterpret_cast<const char *>(data), size);
  if (!bytes.starts_with("ML\xefR"))
    return 0;
  // A context keeps what it has seen: one for each input.
  MLIRContext context(dialects(), MLIRContext::Threading::DISABLED);
  auto module = parseTTIR(context, bytes, "fuzz.bc");
  if (!module) {
    llvm::consumeError(module.takeError());
    return 0;
  }
  // What was accepted can be printed.
  std::string printed;
  llvm::raw_string_ostream stream(printed);
  printTTIR(module->get(), stream, OpPrintingFlags().enableDebugInfo());
  return 0;
}
