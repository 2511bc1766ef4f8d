// DotLayout.h - the layout of a product's sums.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CODEGEN_GPU_DOTLAYOUT_H
#define NEREID_CODEGEN_GPU_DOTLAYOUT_H

#include "gpu/Layout.h"

namespace nereid::codegen::gpu {

/// For multiply-adds on single elements: each thread holds blocks of up to 8
/// rows and 4 columns, so that it reads 12 operands for 32 products; the lanes
/// of a subgroup cover a block that is nearly square, warps go down the rows.
/// `shape` has rank 2, or 3 with the batch first.
Layout dotLayout(llvm::ArrayRef<int64_t> shape, Workgroup workgroup);

} // namespace nereid::codegen::gpu

#endif // NEREID_CODEGEN_GPU_DOTLAYOUT_H
