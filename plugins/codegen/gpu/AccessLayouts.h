// AccessLayouts.h - layouts of loads and stores by their access patterns.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CODEGEN_GPU_ACCESSLAYOUTS_H
#define NEREID_CODEGEN_GPU_ACCESSLAYOUTS_H

#include "analysis/TileForm.h"
#include "gpu/Layout.h"

#include "nereid/ttir/Dialect.h"

#include "llvm/ADT/DenseMap.h"

namespace nereid::codegen::gpu {

struct AccessLayout {
  Layout layout;
  unsigned width = 1; // consecutive registers that are one access
};

using AccessLayouts = llvm::DenseMap<mlir::Operation *, AccessLayout>;

/// For each load, store and atomic operation on tiles. Consecutive lanes access
/// consecutive elements along the dimension in which addresses are contiguous;
/// accesses of tiles of one shape, contiguous along the same dimension, share a
/// layout, so that no element moves between them.
AccessLayouts planAccesses(tt::FuncOp kernel, TileForms &forms,
                           Workgroup workgroup, unsigned accessBytes);

/// Elements that a thread stores at once if a tile keeps `layout`: at most
/// `width` along the dimension of `access`. 0 if lanes of a subgroup would not
/// fill 32 bytes side by side.
unsigned directWidth(const Layout &layout, const AccessLayout &access,
                     unsigned bytesOfElement);

} // namespace nereid::codegen::gpu

#endif // NEREID_CODEGEN_GPU_ACCESSLAYOUTS_H
