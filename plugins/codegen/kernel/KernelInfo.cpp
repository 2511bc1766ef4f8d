// KernelInfo.cpp - the arguments of a kernel and their layout.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "kernel/KernelInfo.h"

#include "kernel/Report.h"

#include "nereid/ttir/Dialect.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nereid::codegen {

static std::string typeName(Type type) {
  std::string name;
  llvm::raw_string_ostream os(name);
  if (auto pointer = dyn_cast<tt::PointerType>(type))
    os << '*' << typeName(pointer.getPointeeType());
  else
    os << type;
  return name;
}

void describeArguments(tt::FuncOp kernel, KernelInfo &info) {
  info.name = kernel.getName().str();
  for (BlockArgument argument : kernel.getArguments()) {
    KernelArgument described;
    if (auto name = dyn_cast<NameLoc>(argument.getLoc()))
      described.name = name.getName().str();
    else
      described.name = "arg" + std::to_string(argument.getArgNumber());
    described.type = typeName(argument.getType());
    info.arguments.push_back(std::move(described));
  }
}

/// Bytes of an argument type; 0 if it is unknown.
static uint64_t sizeOfType(llvm::StringRef type) {
  if (type.starts_with("*"))
    return 8;
  return llvm::StringSwitch<uint64_t>(type)
      .Cases("i1", "i8", "u8", 1)
      .Cases("i16", "u16", "f16", "bf16", 2)
      .Cases("i32", "u32", "f32", 4)
      .Cases("i64", "u64", "f64", 8)
      .Default(0);
}

llvm::Error layOutArguments(KernelInfo &info) {
  uint64_t end = 0;
  for (KernelArgument &argument : info.arguments) {
    uint64_t size = sizeOfType(argument.type);
    if (!size)
      return llvm::createStringError(
          "argument '" + argument.name +
          "' has a type without a layout: " + argument.type);
    argument.offset = llvm::alignTo(end, size);
    end = argument.offset + size;
  }
  info.argumentsSize = llvm::alignTo(end, 8);
  return llvm::Error::success();
}

llvm::Error reportArguments(const KernelInfo &info, const Report &report) {
  SmallVector<nereid_string_t> names, types;
  SmallVector<int64_t> offsets;
  for (const KernelArgument &argument : info.arguments) {
    names.push_back(borrow(argument.name));
    types.push_back(borrow(argument.type));
    offsets.push_back(static_cast<int64_t>(argument.offset));
  }
  if (llvm::Error error = report.add("name", info.name))
    return error;
  if (llvm::Error error = report.add("argument_names", names))
    return error;
  if (llvm::Error error = report.add("argument_types", types))
    return error;
  if (llvm::Error error = report.add("argument_offsets", offsets))
    return error;
  return report.add("argument_size", static_cast<int64_t>(info.argumentsSize));
}

} // namespace nereid::codegen
