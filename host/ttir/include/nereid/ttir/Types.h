// Types.h: types of the `tt` dialect, and the types of related values.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TTIR_TYPES_H
#define NEREID_TTIR_TYPES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Types.h"

namespace nereid::tt {

/// Address spaces by number; 3.9 spells them as words.
constexpr int kDescriptorAddressSpace = 0;
constexpr int kGlobalAddressSpace = 1;
constexpr int kConstantAddressSpace = 4;

} // namespace nereid::tt

#define GET_TYPEDEF_CLASSES
#include "nereid/ttir/TTTypes.h.inc"

namespace nereid::tt {

/// What a pointer, or a tensor of pointers, points to, in the same shape; for a
/// block pointer the block. Any other type is returned unchanged.
mlir::Type getPointeeType(mlir::Type type);

/// i1, or a tensor of i1 in the shape of \p type.
mlir::Type getI1SameShape(mlir::Type type);

/// i32, or a tensor of i32 in the shape of \p type.
mlir::Type getI32SameShape(mlir::Type type);

/// A global pointer to \p type, or the tensor of pointers in its shape.
mlir::Type getPointerTypeSameShape(mlir::Type type);

/// The pointer to one element of the block that \p blockPointer points to.
mlir::Type getBlockElementPointerType(mlir::Type blockPointer);

/// \p element, in the shape of \p type when that is a tensor.
mlir::Type getTypeWithElement(mlir::Type type, mlir::Type element);

/// True for `!tt.ptr<tensor<...>>`.
bool isBlockPointer(mlir::Type type);

/// Width in bits of an integer, float or (64) pointer, 0 for anything else.
unsigned getElementBitWidth(mlir::Type type);

} // namespace nereid::tt

#endif // NEREID_TTIR_TYPES_H
