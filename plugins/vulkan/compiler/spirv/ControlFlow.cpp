// ControlFlow.cpp - functions, blocks, structured selections and loops.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Builder.h"

namespace nereid::spirv {

// Functions.

Builder::Builder() {
  // A kernel of a few thousand instructions does not grow it.
  code.reserve(size_t(1) << 14);
}

FunctionId Builder::declareFunction(TypeId result, List<TypeId> parameters,
                                    spv::FunctionControlMask control) {
  Function function = {.id = {newNumber()},
                       .type = functionType(result, parameters),
                       .firstParameter = {},
                       .control = control};
  for (TypeId parameter : parameters) {
    Id id = newId(parameter);
    if (!function.firstParameter)
      function.firstParameter = id;
  }
  list.push_back(function);
  return function.id;
}

Builder::Function &Builder::find(const char *name, FunctionId function) {
  for (Function &one : list)
    if (one.id == function)
      return one;
  reportMisuse(std::string(name) + ": the function is not declared");
  return noFunction;
}

Id Builder::parameter(FunctionId function, uint32_t index) {
  const Function &found = find("parameter", function);
  if (index >= type(found.type).count) {
    reportMisuse("parameter: " + typeName(found.type) + " has no parameter " +
                 std::to_string(index));
    return {};
  }
  return {found.firstParameter.number + index};
}

void Builder::beginFunction(FunctionId function) {
  if (current)
    reportMisuse("beginFunction: another function is not ended");
  Function &found = find("beginFunction", function);
  if (found.isBuilt)
    reportMisuse("beginFunction: the function is built already");
  found.isBuilt = true;
  current = function;
  code.clear();
  variables.clear();
  phis.clear();
  beginBlock(newBlock());
}

void Builder::endFunction() {
  if (block)
    reportMisuse("endFunction: the last block has no terminator");
  if (!regions.empty())
    reportMisuse("endFunction: an if or loop is not ended");
  for (const PhiEdges &edges : phis)
    if (edges.missing)
      reportMisuse("endFunction: a phi of " + typeName(edges.type) + " lacks " +
                   std::to_string(edges.missing) + " incoming values");
  const Function &function = find("endFunction", current);
  append(functions, spv::Op::OpFunction, type(function.type).element,
         function.id, function.control, function.type);
  uint32_t number = function.firstParameter.number;
  for (TypeId parameter : membersOf(function.type))
    append(functions, spv::Op::OpFunctionParameter, parameter, number++);
  // Variables are the first instructions of the entry block, after its label.
  constexpr size_t label = 2;
  functions.insert(functions.end(), code.begin(), code.begin() + label);
  functions.insert(functions.end(), variables.begin(), variables.end());
  functions.insert(functions.end(), code.begin() + label, code.end());
  append(functions, spv::Op::OpFunctionEnd);
  current = {};
}

Id Builder::call(FunctionId function, List<Id> arguments) {
  const Function &callee = find("call", function);
  std::span<const TypeId> parameters = membersOf(callee.type);
  if (arguments.size() != parameters.size())
    reportMisuse("call: " + std::to_string(arguments.size()) +
                 " arguments for " + typeName(callee.type));
  for (size_t i = 0; i < arguments.size() && i < parameters.size(); ++i)
    if (typeOf(arguments[i]) != parameters[i])
      reportMisuse("call: argument " + std::to_string(i) + " is " +
                   typeName(arguments[i]) + ", expected " +
                   typeName(parameters[i]));
  return emitList(spv::Op::OpFunctionCall, type(callee.type).element,
                  std::span<const Id>(arguments), function);
}

Id Builder::localVariable(TypeId pointee) {
  TypeId pointer = pointerType(spv::StorageClass::Function, pointee);
  noteVariable(pointee, false);
  Id id = newId(pointer);
  append(variables, spv::Op::OpVariable, pointer, id,
         spv::StorageClass::Function);
  return id;
}

Words Builder::assemble() {
  if (current)
    reportMisuse("assemble: a function is not ended");
  for (const Function &function : list)
    if (!function.isBuilt)
      reportMisuse("assemble: a function is declared and not built");
  return misuse().empty() ? assembleSections() : Words();
}

// Blocks.

void Builder::reportOutside() {
  reportMisuse("an instruction after the end of a block");
}

void Builder::emitLocation() {
  emittedLocation = location();
  if (emittedLocation.file)
    append(code, spv::Op::OpLine, emittedLocation.file, emittedLocation.line,
           emittedLocation.column);
  else
    append(code, spv::Op::OpNoLine);
}

void Builder::beginBlock(BlockId next) {
  if (block)
    reportMisuse("beginBlock: the block before has no terminator");
  block = next;
  append(code, spv::Op::OpLabel, block);
  emittedLocation = {}; // the effect of OpLine ends with its block
  isAtStart = true;
}

void Builder::selectionMerge(BlockId merge, spv::SelectionControlMask control) {
  emit(spv::Op::OpSelectionMerge, merge, control);
  isAfterMerge = true;
}

void Builder::loopMerge(BlockId merge, BlockId next,
                        spv::LoopControlMask control) {
  emit(spv::Op::OpLoopMerge, merge, next, control);
  isAfterMerge = true;
}

void Builder::branch(BlockId target) { terminate(spv::Op::OpBranch, target); }

void Builder::branchConditional(Id condition, BlockId thenBlock,
                                BlockId elseBlock) {
  if (typeOf(condition) != boolType())
    reportUnexpected("branchConditional", condition, "a scalar bool");
  terminate(spv::Op::OpBranchConditional, condition, thenBlock, elseBlock);
}

void Builder::ret() { terminate(spv::Op::OpReturn); }

void Builder::ret(Id value) {
  if (TypeId result = type(find("ret", current).type).element;
      typeOf(value) != result)
    reportMisuse("ret: the value is " + typeName(value) + ", expected " +
                 typeName(result));
  terminate(spv::Op::OpReturnValue, value);
}

void Builder::unreachable() { terminate(spv::Op::OpUnreachable); }

Phi Builder::phi(TypeId type, uint32_t edges) {
  if (!block || !isAtStart)
    reportMisuse("phi: not at the start of a block");
  note(this->type(type).arithmeticRule);
  Id id = newId(type);
  LongInstruction instruction(code, spv::Op::OpPhi, type, id);
  phis.push_back({code.size(), edges, type});
  code.resize(code.size() + size_t(edges) * 2);
  instruction.end();
  return {id, static_cast<uint32_t>(phis.size() - 1)};
}

void Builder::addIncoming(const Phi &phi, Id value, BlockId from) {
  PhiEdges &edges = phis[phi.index];
  if (typeOf(value) != edges.type)
    reportDifferent("addIncoming", phi, value);
  if (edges.missing == 0) {
    reportMisuse("addIncoming: the phi of " + typeName(edges.type) +
                 " has all its incoming values");
    return;
  }
  code[edges.next] = value.number;
  code[edges.next + 1] = from.number;
  edges.next += 2;
  --edges.missing;
}

// Selections.

void Builder::beginIf(Id condition, spv::SelectionControlMask control) {
  Region region = {.kind = Region::Then, .merge = newBlock()};
  region.elseBlock = newBlock();
  region.ends.elseEnd = block; // if there is no `else`
  BlockId thenBlock = newBlock();
  selectionMerge(region.merge, control);
  branchConditional(condition, thenBlock, region.elseBlock);
  region.elseWord = code.size() - 1;
  regions.push_back(region);
  beginBlock(thenBlock);
}

void Builder::beginElse() {
  if (regions.empty() || regions.back().kind != Region::Then) {
    reportMisuse("beginElse: no if is open");
    return;
  }
  Region &region = regions.back();
  region.kind = Region::Else;
  region.ends.thenEnd = block;
  if (block)
    branch(region.merge);
  beginBlock(region.elseBlock);
}

Merge Builder::endIf() {
  if (regions.empty() || regions.back().kind > Region::Else) {
    reportMisuse("endIf: no if is open");
    return {};
  }
  Region region = regions.back();
  regions.pop_back();
  if (region.kind == Region::Then) {
    region.ends.thenEnd = block;
    code[region.elseWord] = region.merge.number;
  } else {
    region.ends.elseEnd = block;
  }
  if (block)
    branch(region.merge);
  beginBlock(region.merge);
  return region.ends;
}

Id Builder::merged(const Merge &merge, Id thenValue, Id elseValue) {
  expectSame("merged", thenValue, elseValue);
  if (!merge.thenEnd)
    return elseValue;
  if (!merge.elseEnd || thenValue == elseValue)
    return thenValue;
  Phi result = phi(typeOf(thenValue), 2);
  addIncoming(result, thenValue, merge.thenEnd);
  addIncoming(result, elseValue, merge.elseEnd);
  return result;
}

// Loops. The header holds only phis: the condition may be of several blocks.

Carried Builder::beginLoop(List<Id> initial, spv::LoopControlMask control) {
  Region region = {.kind = Region::Condition, .merge = newBlock()};
  region.header = newBlock();
  region.next = newBlock();
  region.firstPhi = static_cast<uint32_t>(phis.size());
  region.phis = static_cast<uint32_t>(initial.size());
  BlockId before = block;
  branch(region.header);
  beginBlock(region.header);
  Carried carried = {{}, region.phis};
  for (Id value : initial) {
    Phi one = phi(typeOf(value), 2);
    addIncoming(one, value, before);
    if (!carried.first)
      carried.first = one;
  }
  loopMerge(region.merge, region.next, control);
  BlockId condition = newBlock();
  branch(condition);
  beginBlock(condition);
  regions.push_back(region);
  return carried;
}

void Builder::loopCondition(Id condition) {
  if (regions.empty() || regions.back().kind != Region::Condition) {
    reportMisuse("loopCondition: no loop is open");
    return;
  }
  regions.back().kind = Region::Body;
  BlockId body = newBlock();
  branchConditional(condition, body, regions.back().merge);
  beginBlock(body);
}

void Builder::endLoop(List<Id> next) {
  if (regions.empty() || regions.back().kind != Region::Body) {
    reportMisuse("endLoop: no loop with a condition is open");
    return;
  }
  Region region = regions.back();
  regions.pop_back();
  if (next.size() != region.phis)
    reportMisuse("endLoop: " + std::to_string(next.size()) +
                 " values, expected " + std::to_string(region.phis));
  if (block)
    branch(region.next);
  beginBlock(region.next);
  for (uint32_t i = 0; i < region.phis && i < next.size(); ++i) {
    const PhiEdges &edges = phis[region.firstPhi + i];
    Phi one = {{}, region.firstPhi + i};
    if (typeOf(next[i]) != edges.type)
      reportMisuse("endLoop: value " + std::to_string(i) + " is " +
                   typeName(next[i]) + ", expected " + typeName(edges.type));
    addIncoming(one, next[i], region.next);
  }
  branch(region.header);
  beginBlock(region.merge);
}

} // namespace nereid::spirv
