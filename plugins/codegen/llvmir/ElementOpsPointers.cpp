// Element-wise operations on pointers.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "llvmir/ElementOpsEmitter.h"

#include "mlir/IR/TypeUtilities.h"
#include "nereid/ttir/Dialect.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nereid::codegen {

// An i1 is a byte in memory, and an i4 too, as in LLVM's allocation sizes.
static llvm::Type *pointeeOf(Type pointer, llvm::LLVMContext &context) {
  auto type = cast<tt::PointerType>(getElementTypeOrSelf(pointer));
  return convertElementType(type.getPointeeType(), context);
}

ElementEmitter::Values ElementEmitter::emitPointer() {
  return llvm::TypeSwitch<Operation *, Values>(op)
      .Case([&](tt::AddPtrOp add) -> Values {
        llvm::Type *pointee = pointeeOf(add.getType(), b.getContext());
        if (!pointee)
          return {};
        llvm::Value *offset = vec(1);
        llvm::Type *i64 = withLanes(b.getInt64Ty());
        offset = b.CreateSExtOrTrunc(offset, i64);
        // One base and a vector of offsets: selected as a gather.
        return {b.CreateGEP(pointee, raw(0), offset)};
      })
      .Case([&](tt::BitcastOp) -> Values {
        return {b.CreateBitCast(vec(0), resultType())};
      })
      .Case([&](tt::IntToPtrOp) -> Values {
        return {b.CreateIntToPtr(vec(0), resultType())};
      })
      .Case([&](tt::PtrToIntOp) -> Values {
        return {b.CreatePtrToInt(vec(0), resultType())};
      })
      .Default([](Operation *) { return Values{}; });
}

} // namespace nereid::codegen
