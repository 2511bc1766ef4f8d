// Descriptor.h - the descriptor of the kernel in an image.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_BACKEND_DESCRIPTOR_H
#define NEREID_CPU_COMPILER_BACKEND_DESCRIPTOR_H

#include "KernelInfo.h"

#include "llvm/Support/MemoryBufferRef.h"

namespace nereid::cpu {

/// Converts the metadata of `module` to the exported constant of image.h, and
/// to text in a section of its own, which assembly, object and image preserve.
/// Checks the entry function, and renames it to the kernel's name.
llvm::Error addDescriptor(llvm::Module &module);

/// Reads that text back from an object or an image.
llvm::Expected<KernelInfo> readDescriptor(llvm::MemoryBufferRef object);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_BACKEND_DESCRIPTOR_H
