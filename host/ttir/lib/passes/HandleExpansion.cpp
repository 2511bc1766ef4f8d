// HandleExpansion.cpp: replaces values of a handle type by their components.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "HandleExpansion.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "nereid/ttir/Dialect.h"

using namespace mlir;
using namespace nereid::tt;

namespace {

class Expansion {
public:
  explicit Expansion(HandleExpander &expander) : expander(expander) {}

  LogicalResult expandFunction(FuncOp func);

  /// Erases what has been replaced, once nothing refers to it.
  void eraseReplaced();

private:
  bool isHandle(Type type) const {
    return !expander.getComponentTypes(type).empty();
  }
  SmallVector<Type> flattenTypes(TypeRange types) const;
  SmallVector<Value> flattenValues(ValueRange values) const;

  void expandSignature(FuncOp func);
  void expandArguments(Block &block);
  LogicalResult expandRegion(Region &region);
  LogicalResult expandOperation(Operation *op);
  Operation *rebuild(Operation *op);
  void mapResults(Operation *op, ValueRange components);
  void expandPoison(ub::PoisonOp op);
  void expandSelect(arith::SelectOp op);

  HandleExpander &expander;
  HandleMap handles;
  SmallVector<Operation *> replaced;
  SmallVector<BlockArgument> replacedArguments;
};

} // namespace

SmallVector<Type> Expansion::flattenTypes(TypeRange types) const {
  SmallVector<Type> flat;
  for (Type type : types) {
    SmallVector<Type> components = expander.getComponentTypes(type);
    if (components.empty())
      flat.push_back(type);
    else
      llvm::append_range(flat, components);
  }
  return flat;
}

SmallVector<Value> Expansion::flattenValues(ValueRange values) const {
  SmallVector<Value> flat;
  for (Value value : values) {
    auto known = handles.find(value);
    if (known == handles.end())
      flat.push_back(value);
    else
      llvm::append_range(flat, known->second);
  }
  return flat;
}

/// Attributes of a handle speak of the handle, so its components have none.
void Expansion::expandSignature(FuncOp func) {
  FunctionType type = func.getFunctionType();
  SmallVector<Type> inputs = flattenTypes(type.getInputs());
  SmallVector<Type> results = flattenTypes(type.getResults());
  if (inputs.size() == type.getNumInputs() &&
      results.size() == type.getNumResults() &&
      !llvm::any_of(type.getInputs(), [&](Type in) { return isHandle(in); }) &&
      !llvm::any_of(type.getResults(), [&](Type r) { return isHandle(r); }))
    return;

  SmallVector<DictionaryAttr> attributes;
  for (auto [number, input] : llvm::enumerate(type.getInputs())) {
    size_t components = expander.getComponentTypes(input).size();
    if (components == 0)
      attributes.push_back(func.getArgAttrDict(number));
    else
      attributes.append(components, DictionaryAttr::get(func.getContext()));
  }
  func.removeArgAttrsAttr();
  func.removeResAttrsAttr();
  func.setFunctionType(FunctionType::get(func.getContext(), inputs, results));
  if (llvm::any_of(attributes,
                   [](DictionaryAttr a) { return a && !a.empty(); }))
    func.setAllArgAttrs(attributes);
}

void Expansion::expandArguments(Block &block) {
  for (unsigned index = 0; index < block.getNumArguments(); ++index) {
    BlockArgument argument = block.getArgument(index);
    SmallVector<Type> types = expander.getComponentTypes(argument.getType());
    if (types.empty())
      continue;
    SmallVector<Value> &components = handles[argument];
    for (Type type : types)
      components.push_back(
          block.insertArgument(++index, type, argument.getLoc()));
    replacedArguments.push_back(argument);
  }
}

LogicalResult Expansion::expandFunction(FuncOp func) {
  expandSignature(func);
  return func.isDeclaration() ? success() : expandRegion(func.getBody());
}

/// Blocks are visited after those that dominate them, so that the components
/// of an operand are known when its user is reached.
LogicalResult Expansion::expandRegion(Region &region) {
  if (region.empty())
    return success();
  for (Block &block : region)
    expandArguments(block);
  for (Block *block : getBlocksSortedByDominance(region))
    for (Operation &op : llvm::make_early_inc_range(*block))
      if (failed(expandOperation(&op)))
        return failure();
  return success();
}

LogicalResult Expansion::expandOperation(Operation *op) {
  auto anyHandle = [&](TypeRange types) {
    return llvm::any_of(types, [&](Type type) { return isHandle(type); });
  };
  Operation *current = op;
  if (anyHandle(op->getOperandTypes()) || anyHandle(op->getResultTypes())) {
    replaced.push_back(op);
    if (isa<scf::ForOp, scf::WhileOp, scf::IfOp, scf::YieldOp, scf::ConditionOp,
            cf::BranchOp, cf::CondBranchOp, CallOp, ReturnOp>(op)) {
      current = rebuild(op);
    } else if (auto poison = dyn_cast<ub::PoisonOp>(op)) {
      expandPoison(poison);
    } else if (auto select = dyn_cast<arith::SelectOp>(op)) {
      expandSelect(select);
    } else {
      OpBuilder builder(op);
      if (failed(expander.rewrite(op, handles, builder)))
        return failure();
    }
  }
  for (Region &region : current->getRegions())
    if (failed(expandRegion(region)))
      return failure();
  return success();
}

/// The same operation with operands and results flattened; regions move over.
Operation *Expansion::rebuild(Operation *op) {
  OpBuilder builder(op);
  if (auto branch = dyn_cast<cf::CondBranchOp>(op)) {
    return builder.create<cf::CondBranchOp>(
        op->getLoc(), branch.getCondition(), branch.getTrueDest(),
        flattenValues(branch.getTrueDestOperands()), branch.getFalseDest(),
        flattenValues(branch.getFalseDestOperands()));
  }
  OperationState state(op->getLoc(), op->getName(),
                       flattenValues(op->getOperands()),
                       flattenTypes(op->getResultTypes()), {},
                       llvm::to_vector<1>(op->getSuccessors()));
  state.propertiesAttr = op->getPropertiesAsAttribute();
  state.attributes = op->getDiscardableAttrDictionary();
  for (Region &region : op->getRegions())
    state.addRegion()->takeBody(region);
  Operation *rebuilt = builder.create(state);
  mapResults(op, rebuilt->getResults());
  return rebuilt;
}

void Expansion::mapResults(Operation *op, ValueRange components) {
  for (Value result : op->getResults()) {
    size_t count = expander.getComponentTypes(result.getType()).size();
    if (count == 0)
      result.replaceAllUsesWith(components.front());
    else
      handles[result] = llvm::to_vector(components.take_front(count));
    components = components.drop_front(std::max<size_t>(count, 1));
  }
}

void Expansion::expandPoison(ub::PoisonOp op) {
  OpBuilder builder(op);
  SmallVector<Value> components;
  for (Type type : expander.getComponentTypes(op.getType()))
    components.push_back(builder.create<ub::PoisonOp>(op.getLoc(), type));
  mapResults(op, components);
}

void Expansion::expandSelect(arith::SelectOp op) {
  OpBuilder builder(op);
  SmallVector<Value> components;
  for (auto [onTrue, onFalse] :
       llvm::zip(handles[op.getTrueValue()], handles[op.getFalseValue()]))
    components.push_back(builder.create<arith::SelectOp>(
        op.getLoc(), op.getCondition(), onTrue, onFalse));
  mapResults(op, components);
}

void Expansion::eraseReplaced() {
  // A region that moved away leaves nothing behind; users go before what they
  // use.
  for (Operation *op : llvm::reverse(replaced)) {
    op->dropAllUses();
    op->erase();
  }
  for (BlockArgument argument : llvm::reverse(replacedArguments))
    argument.getOwner()->eraseArgument(argument.getArgNumber());
}

bool nereid::tt::hasHandles(ModuleOp module, const HandleExpander &expander) {
  auto isHandle = [&](Type type) {
    return !expander.getComponentTypes(type).empty();
  };
  auto walked = module.walk([&](Operation *op) {
    bool found = llvm::any_of(op->getResultTypes(), isHandle);
    if (auto func = dyn_cast<FuncOp>(op))
      found |= llvm::any_of(func.getArgumentTypes(), isHandle) ||
               llvm::any_of(func.getResultTypes(), isHandle);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        found |= llvm::any_of(block.getArgumentTypes(), isHandle);
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return walked.wasInterrupted();
}

LogicalResult nereid::tt::expandHandles(ModuleOp module,
                                        HandleExpander &expander) {
  Expansion expansion(expander);
  for (FuncOp func : module.getOps<FuncOp>())
    if (failed(expansion.expandFunction(func)))
      return failure();
  expansion.eraseReplaced();
  return success();
}
