// Additions for atomic operations on floats that the target only stores.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Structured.h"

using namespace mlir;

namespace nereid::codegen {

static std::string nameOf(Type element) {
  std::string name;
  llvm::raw_string_ostream(name) << "nereid.add." << element;
  return name;
}

tt::FuncOp findAddition(tt::AtomicRMWOp op) {
  auto module = op->getParentOfType<ModuleOp>();
  return module.lookupSymbol<tt::FuncOp>(
      nameOf(getElementTypeOrSelf(op.getType())));
}

void addAddition(ModuleOp module, tt::AtomicRMWOp op) {
  Type element = getElementTypeOrSelf(op.getType());
  if (op.getAtomicRmwOp() != tt::RMWOp::FADD ||
      tt::getElementBitWidth(element) >= 32 || findAddition(op))
    return;
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  Location loc = op.getLoc();
  auto type = builder.getFunctionType({element, element}, {element});
  auto function = builder.create<tt::FuncOp>(loc, nameOf(element), type);
  function.setPrivate();
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);
  Value sum = builder.create<arith::AddFOp>(loc, body->getArgument(0),
                                            body->getArgument(1));
  builder.create<tt::ReturnOp>(loc, sum);
}

} // namespace nereid::codegen
