// Descriptor.h - what an image says of its kernel.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_BACKEND_DESCRIPTOR_H
#define NEREID_CPU_COMPILER_BACKEND_DESCRIPTOR_H

#include "KernelInfo.h"

#include "llvm/Support/MemoryBufferRef.h"

namespace nereid::cpu {

/// Turns the metadata of `module` into the exported constant of image.h, and
/// into text in a section of its own, which stays with assembly, object and
/// image. Checks the entry function, and gives it the kernel's name.
llvm::Error addDescriptor(llvm::Module &module);

/// Reads that text back from an object or an image.
llvm::Expected<KernelInfo> readDescriptor(llvm::MemoryBufferRef object);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_BACKEND_DESCRIPTOR_H
