// Nesting.cpp: how deep a module nests, found without recursion.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Nesting.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Types.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace {

/// Attributes and types by the depth at which they have been seen.
class ElementDepths {
public:
  explicit ElementDepths(unsigned maxDepth) : maxDepth(maxDepth) {}

  void add(Attribute attr) { push(attr, 1); }
  void add(Type type) { push(type, 1); }

  /// Looks into all that was added; true when it nests too deep.
  bool exceeded() {
    while (!pending.empty() && !tooDeep) {
      auto [attr, type, depth] = pending.pop_back_val();
      auto intoAttr = [&, depth = depth](Attribute inner) {
        push(inner, depth + 1);
      };
      auto intoType = [&, depth = depth](Type inner) {
        push(inner, depth + 1);
      };
      if (attr)
        attr.walkImmediateSubElements(intoAttr, intoType);
      else
        type.walkImmediateSubElements(intoAttr, intoType);
    }
    return tooDeep;
  }

private:
  struct Pending {
    Attribute attr;
    Type type;
    unsigned depth;
  };

  /// An element is looked into again only when it is met deeper than before,
  /// which bounds the work by its depth.
  bool deeperThanBefore(const void *element, unsigned depth) {
    tooDeep |= depth > maxDepth;
    unsigned &known = depths[element];
    if (depth <= known)
      return false;
    known = depth;
    return true;
  }

  void push(Attribute attr, unsigned depth) {
    if (attr && deeperThanBefore(attr.getAsOpaquePointer(), depth))
      pending.push_back({attr, {}, depth});
  }
  void push(Type type, unsigned depth) {
    if (type && deeperThanBefore(type.getAsOpaquePointer(), depth))
      pending.push_back({{}, type, depth});
  }

  unsigned maxDepth;
  bool tooDeep = false;
  llvm::DenseMap<const void *, unsigned> depths;
  SmallVector<Pending> pending;
};

} // namespace

static void addElements(Operation *op, ElementDepths &elements) {
  elements.add(op->getAttrDictionary());
  elements.add(LocationAttr(op->getLoc()));
  for (Type type : op->getResultTypes())
    elements.add(type);
}

static void addElements(Block &block, ElementDepths &elements) {
  for (BlockArgument argument : block.getArguments()) {
    elements.add(argument.getType());
    elements.add(LocationAttr(argument.getLoc()));
  }
}

bool nereid::tt::nestsDeeper(Operation *root, unsigned maxDepth) {
  ElementDepths elements(maxDepth);
  SmallVector<std::pair<Operation *, unsigned>> pending{{root, 1}};
  while (!pending.empty()) {
    auto [op, depth] = pending.pop_back_val();
    if (depth > maxDepth)
      return true;
    addElements(op, elements);
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        addElements(block, elements);
        for (Operation &nested : block)
          pending.push_back({&nested, depth + 1});
      }
  }
  return elements.exceeded();
}
