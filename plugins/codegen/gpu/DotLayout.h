// DotLayout.h - the layout of a product's sums.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CODEGEN_GPU_DOTLAYOUT_H
#define NEREID_CODEGEN_GPU_DOTLAYOUT_H

#include "gpu/Layout.h"

namespace nereid::codegen::gpu {

/// For multiply-adds on single elements. Each thread holds a block of up to 8
/// rows and 8 columns, if that is its share: two runs of 4 each, between which
/// are those of the other lanes, so that it reads 4 runs for 64 products. Bits
/// of lanes belong to columns and rows in turn: neighbors by the lowest bit
/// read the same rows, those by the next one the same columns, and such reads
/// are merged. Warps go down the rows. `shape` has rank 2, or 3 with the batch
/// first.
Layout dotLayout(llvm::ArrayRef<int64_t> shape, Workgroup workgroup);

} // namespace nereid::codegen::gpu

#endif // NEREID_CODEGEN_GPU_DOTLAYOUT_H
