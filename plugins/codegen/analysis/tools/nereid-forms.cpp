// nereid-forms.cpp - prints the forms of all tiles of pointers and integers
// in a TTIR file, and the intervals of all masks. For lit tests.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "analysis/Print.h"

#include "nereid/ttir/Parse.h"

#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace nereid;

static void printForms(tt::FuncOp function) {
  codegen::TileForms forms;
  AsmState names(function);
  llvm::raw_ostream &os = llvm::outs();
  os << '@' << function.getName() << '\n';
  function.walk([&](Operation *op) {
    for (Value result : op->getResults()) {
      const codegen::TileForm *form = forms.of(result);
      if (!form || !codegen::tileType(result))
        continue;
      result.printAsOperand(os, names);
      os << " = ";
      codegen::print(*form, os, names);
      os << "  divisibility " << form->base.divisibility() << '\n';
    }
    Value mask;
    if (auto load = dyn_cast<tt::LoadOp>(op))
      mask = load.getMask();
    else if (auto store = dyn_cast<tt::StoreOp>(op))
      mask = store.getMask();
    if (!mask)
      return;
    for (unsigned axis = 0; axis < codegen::rankOf(mask); ++axis) {
      os << "mask ";
      mask.printAsOperand(os, names);
      os << " along " << axis << '\n';
      codegen::printIntervals(mask, axis, forms, os, names);
    }
  });
}

int main(int argc, char **argv) {
  if (argc != 2) {
    llvm::errs() << "usage: nereid-forms FILE.ttir\n";
    return 2;
  }
  auto file = llvm::MemoryBuffer::getFileOrSTDIN(argv[1]);
  if (!file) {
    llvm::errs() << argv[1] << ": " << file.getError().message() << '\n';
    return 1;
  }
  DialectRegistry registry;
  tt::registerTTIRDialects(registry);
  MLIRContext context(registry);
  auto module = tt::parseTTIR(context, (*file)->getBuffer(), argv[1]);
  if (!module) {
    llvm::errs() << llvm::toString(module.takeError()) << '\n';
    return 1;
  }
  (*module)->walk(printForms);
  return 0;
}
