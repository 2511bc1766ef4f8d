// Entry.h - the entry point of a kernel: what it gets, and how it ends.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_VULKAN_COMPILER_ENTRY_H
#define NEREID_VULKAN_COMPILER_ENTRY_H

#include "../image.h"
#include "emit/Emitter.h"
#include "kernel/KernelInfo.h"

namespace nereid::vulkan {

/// The function around a kernel's body. image.h says what it gets.
class Entry {
public:
  Entry(DeviceBuilder &b, const codegen::KernelInfo &info,
        const ImageFacts &facts, const DeviceModel &device)
      : b(b), info(info), facts(facts), device(device) {}

  /// Opens the function, reads the arguments, and leaves programs that a
  /// folded grid has too many.
  Emitter::Inputs begin();
  void end();

private:
  Id pushed(uint32_t word);
  Id pushed64(uint32_t word);
  Id argument(const codegen::KernelArgument &argument, Id block);
  void declareModes();
  /// The number of the program along each dimension.
  Ids programs(llvm::ArrayRef<Id> grid);

  DeviceBuilder &b;
  const codegen::KernelInfo &info;
  const ImageFacts &facts;
  const DeviceModel &device;
  spirv::FunctionId function;
  Id push;
};

} // namespace nereid::vulkan

#endif // NEREID_VULKAN_COMPILER_ENTRY_H
