// Entry.cpp - the entry point of a kernel.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Entry.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

namespace nereid::vulkan {

using spv::BuiltIn;
using spv::ExecutionMode;
using spv::StorageClass;

/// The push constants are an array of words, so that no argument needs a
/// capability for its type in them.
Id Entry::pushed(uint32_t word) {
  return b.load(b.accessChain(push, {b.u32(0), b.u32(word)}));
}

Id Entry::pushed64(uint32_t word) {
  TypeId pair = b.vectorType(b.intType(32), 2);
  return b.bitcast(b.construct(pair, {pushed(word), pushed(word + 1)}),
                   b.intType(64));
}

/// Bits of a type of the metadata, and whether it is a float.
static std::pair<unsigned, bool> formatOf(llvm::StringRef type) {
  return llvm::StringSwitch<std::pair<unsigned, bool>>(type)
      .Case("i1", {1, false})
      .Cases("i8", "u8", {8, false})
      .Cases("i16", "u16", "bf16", {16, false})
      .Cases("i32", "u32", {32, false})
      .Case("f16", {16, true})
      .Case("f32", {32, true})
      .Case("f64", {64, true})
      .Default({64, false}); // i64, u64 and pointers
}

Id Entry::argument(const codegen::KernelArgument &argument, Id block) {
  auto [bits, isFloat] = formatOf(argument.type);
  Id value;
  if (facts.place == ArgumentPlace::Block) {
    // Words of the block, for the same reason.
    uint32_t bytes = bits == 64 ? 8 : 4;
    Id address = b.iadd(block, b.u64(argument.offset / bytes * bytes));
    TypeId pointer = b.pointerType(StorageClass::PhysicalStorageBuffer,
                                   b.intType(bytes * 8));
    value = b.load(b.convertUToPtr(address, pointer), {.alignment = bytes});
  } else {
    uint32_t word = (kArgumentsOffset + argument.offset) / 4;
    value = bits == 64 ? pushed64(word) : pushed(word);
  }
  if (bits < 32)
    value = b.lshr(value, b.u32(argument.offset % 4 * 8));
  if (bits == 1)
    return b.ine(b.bitAnd(value, b.u32(0xff)), b.u32(0));
  value = b.truncate(value, bits);
  return isFloat ? b.bitcast(value, b.floatType(bits)) : value;
}

void Entry::declareModes() {
  b.localSize(function, facts.workgroup);
  struct Control {
    llvm::StringLiteral feature;
    ExecutionMode mode;
    uint32_t width;
  };
  static constexpr Control kControls[] = {
      {"denorm-preserve16", ExecutionMode::DenormPreserve, 16},
      {"denorm-preserve32", ExecutionMode::DenormPreserve, 32},
      {"denorm-preserve64", ExecutionMode::DenormPreserve, 64},
      {"nan-preserve16", ExecutionMode::SignedZeroInfNanPreserve, 16},
      {"nan-preserve32", ExecutionMode::SignedZeroInfNanPreserve, 32},
      {"nan-preserve64", ExecutionMode::SignedZeroInfNanPreserve, 64},
      {"round-even16", ExecutionMode::RoundingModeRTE, 16},
      {"round-even32", ExecutionMode::RoundingModeRTE, 32},
      {"round-even64", ExecutionMode::RoundingModeRTE, 64},
  };
  for (const Control &control : kControls) {
    // A module declares modes for widths that it has.
    llvm::StringRef type = control.width == 16   ? "f16"
                           : control.width == 64 ? "f64"
                                                 : "";
    if (device.has(control.feature) && (type.empty() || device.has(type)))
      b.executionMode(function, control.mode, control.width);
  }
}

Ids Entry::programs(llvm::ArrayRef<Id> grid) {
  Id workgroup = b.load(b.builtIn(BuiltIn::WorkgroupId));
  Id count = b.load(b.builtIn(BuiltIn::NumWorkgroups));
  Ids direct;
  for (uint32_t dim = 0; dim < 3; ++dim)
    direct.push_back(b.extract(workgroup, {dim}));
  Id folded = b.specConstant(b.boolType(), 0, 0);
  Id index = b.iadd(direct[0], b.imul(direct[1], b.extract(count, {0})));
  Id plane = b.imul(grid[0], grid[1]);
  // The host refuses grids of more programs than fit 32 bits.
  Id total = b.imul(plane, grid[2]);
  Id isBeyond = b.logicalAnd(folded, b.uge(index, total));
  spirv::BlockId leave = b.newBlock(), stay = b.newBlock();
  b.selectionMerge(stay);
  b.branchConditional(isBeyond, leave, stay);
  b.beginBlock(leave);
  b.ret();
  b.beginBlock(stay);
  Id inPlane = b.umod(index, plane);
  Ids fromIndex = {b.umod(inPlane, grid[0]), b.udiv(inPlane, grid[0]),
                   b.udiv(index, plane)};
  Ids result;
  for (uint32_t dim = 0; dim < 3; ++dim)
    result.push_back(b.select(folded, fromIndex[dim], direct[dim]));
  return result;
}

Emitter::Inputs Entry::begin() {
  TypeId word = b.intType(32);
  uint32_t words = llvm::divideCeil(facts.pushConstants(), 4);
  TypeId block = b.blockType({{b.arrayType(word, words, 4), 0}});
  push = b.globalVariable(StorageClass::PushConstant, block);
  function = b.declareFunction(b.voidType(), {});
  b.entryPoint(function, info.name);
  declareModes();
  b.beginFunction(function);

  Emitter::Inputs inputs;
  for (uint32_t dim = 0; dim < 3; ++dim)
    inputs.grid.push_back(pushed(dim));
  inputs.programs = programs(inputs.grid);
  Id address;
  if (facts.place == ArgumentPlace::Block)
    address = pushed64(kArgumentsOffset / 4);
  for (const codegen::KernelArgument &one : info.arguments)
    inputs.arguments.push_back(argument(one, address));
  inputs.sharedBytes = facts.shared;
  inputs.zero = pushed(3);
  inputs.services = [this] { return pushed64(4); };
  return inputs;
}

void Entry::end() {
  b.processed(describe(facts));
  b.ret();
  b.endFunction();
}

} // namespace nereid::vulkan
