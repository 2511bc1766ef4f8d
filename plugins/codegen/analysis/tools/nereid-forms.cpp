// nereid-forms.cpp - prints the forms of all tiles of pointers and integers
// in a TTIR file, the index maps of shape operations, and the intervals of all
// masks. For lit tests.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "analysis/Access.h"
#include "analysis/Print.h"

#include "nereid/ttir/Parse.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace nereid;

/// "map %2 reads %1 at (i0, i1 >> 2)" for each operand.
static void printMaps(Operation *op, AsmState &names) {
  llvm::raw_ostream &os = llvm::outs();
  Value result = op->getResult(0);
  for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
    os << "map ";
    result.printAsOperand(os, names);
    os << " reads ";
    operand.printAsOperand(os, names);
    os << " at (";
    llvm::interleave(
        codegen::operandMap(
            op, number, codegen::identityMap(codegen::rankOf(result))),
        os, [&](codegen::IndexSource source) { codegen::print(source, os); },
        ", ");
    os << ")\n";
  }
}

static StringRef nameOf(codegen::Aliasing aliasing) {
  switch (aliasing) {
  case codegen::Aliasing::Never:
    return "never";
  case codegen::Aliasing::IfClose:
    return "if close";
  case codegen::Aliasing::Possibly:
    return "possibly";
  }
  llvm_unreachable("an aliasing without a name");
}

static StringRef nameOf(codegen::Hazard hazard) {
  switch (hazard) {
  case codegen::Hazard::None:
    return "none";
  case codegen::Hazard::IfRepeated:
    return "if repeated";
  case codegen::Hazard::IfAhead:
    return "if ahead";
  case codegen::Hazard::IfOverlapping:
    return "if overlapping";
  case codegen::Hazard::Always:
    return "always";
  }
  llvm_unreachable("a hazard without a name");
}

/// What each access through a tile of pointers may do to itself, and to those
/// before it.
static void printHazards(tt::FuncOp function, codegen::TileForms &forms,
                         AsmState &names) {
  llvm::raw_ostream &os = llvm::outs();
  SmallVector<Value> earlier;
  function.walk([&](Operation *op) {
    if (!isa<tt::LoadOp, tt::StoreOp>(op) ||
        !codegen::tileType(op->getOperand(0)))
      return;
    Value pointers = op->getOperand(0);
    os << "access ";
    pointers.printAsOperand(os, names);
    os << " repeats " << nameOf(codegen::selfAliasingOf(pointers, forms))
       << '\n';
    for (Value first : earlier) {
      os << "  after ";
      first.printAsOperand(os, names);
      os << ' '
         << nameOf(codegen::hazardOf(first, pointers,
                                     codegen::Interleaving::None, forms))
         << ", in step "
         << nameOf(codegen::hazardOf(first, pointers,
                                     codegen::Interleaving::InStep, forms))
         << '\n';
    }
    earlier.push_back(pointers);
  });
}

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
    if (codegen::isShapeOp(op) || isa<tt::JoinOp, tt::CatOp, tt::GatherOp>(op))
      printMaps(op, names);
    Value mask, pointers;
    if (auto load = dyn_cast<tt::LoadOp>(op)) {
      mask = load.getMask();
      pointers = load.getPtr();
    } else if (auto store = dyn_cast<tt::StoreOp>(op)) {
      mask = store.getMask();
      pointers = store.getPtr();
    }
    if (pointers)
      for (unsigned dim = 0; dim < codegen::rankOf(pointers); ++dim)
        os << "widest access in dimension " << dim << ": "
           << codegen::widestAccess(pointers, mask, dim, 16, forms) << '\n';
    if (!mask)
      return;
    for (unsigned axis = 0; axis < codegen::rankOf(mask); ++axis) {
      os << "mask ";
      mask.printAsOperand(os, names);
      os << " along " << axis << '\n';
      codegen::printIntervals(mask, axis, forms, os, names);
    }
  });
  printHazards(function, forms, names);
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
