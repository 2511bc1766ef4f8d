// TTTypes.td: types of the `tt` dialect and the constraints on operands.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TTIR_TTTYPES_TD
#define NEREID_TTIR_TTTYPES_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/IR/CommonTypeConstraints.td"
include "nereid/ttir/TTDialect.td"

def TT_PointerType : TypeDef<TT_Dialect, "Pointer"> {
  let mnemonic = "ptr";
  let summary = "Pointer to a scalar, or (3.6, 3.7) to a block of a tensor";
  let description = [{
    `!tt.ptr<f32>`, `!tt.ptr<f32, 3>` (3.6 to 3.8), `!tt.ptr<f32, "constant">`
    (3.9). Address space 1 is the global one and is never printed. Which of the
    two spellings came in is part of the type, so that it goes out unchanged.
  }];
  let parameters = (ins
    "::mlir::Type":$pointeeType,
    DefaultValuedParameter<"int", "kGlobalAddressSpace">:$addressSpace,
    DefaultValuedParameter<"bool", "false">:$namedSpace
  );
  let builders = [
    TypeBuilderWithInferredContext<(ins
      "::mlir::Type":$pointeeType,
      CArg<"int", "kGlobalAddressSpace">:$addressSpace,
      CArg<"bool", "false">:$namedSpace
    ), [{
      // One type for the global space, whichever spelling it would have had.
      return $_get(pointeeType.getContext(), pointeeType, addressSpace,
                   namedSpace && addressSpace != kGlobalAddressSpace);
    }]>,
  ];
  let skipDefaultBuilders = 1;
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def TT_TensorDescType : TypeDef<TT_Dialect, "TensorDesc"> {
  let mnemonic = "tensordesc";
  let summary = "Descriptor of a tensor in memory that is read in blocks";
  let description = [{
    `!tt.tensordesc<tensor<8x32xf16>>` (3.6, 3.7) or `!tt.tensordesc<8x32xf16>`
    (3.8, 3.9); the spelling is kept. Integer elements may carry a sign, which
    descriptor reductions read.
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$shape,
    "::mlir::Type":$elementType,
    OptionalParameter<"::mlir::Attribute">:$layout,
    DefaultValuedParameter<"bool", "true">:$tensorSpelling
  );
  let builders = [
    TypeBuilderWithInferredContext<(ins
      "::llvm::ArrayRef<int64_t>":$shape,
      "::mlir::Type":$elementType,
      CArg<"::mlir::Attribute", "{}">:$layout,
      CArg<"bool", "true">:$tensorSpelling
    ), [{
      return $_get(elementType.getContext(), shape, elementType, layout,
                   tensorSpelling);
    }]>,
    TypeBuilderWithInferredContext<(ins
      "::mlir::RankedTensorType":$blockType
    ), [{
      return get(blockType.getShape(), blockType.getElementType());
    }]>,
  ];
  let extraClassDeclaration = [{
    /// The block as a tensor, with the sign of integer elements.
    ::mlir::RankedTensorType getBlockType() const;

    /// The block as operations see it: integers have no sign.
    ::mlir::RankedTensorType getSignlessBlockType() const;
  }];
  let skipDefaultBuilders = 1;
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

// Constraints. "Like" is a scalar or a tensor of it.
def TT_Float : AnyTypeOf<[F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, F16, BF16,
                          F32, F64], "floating-point">;
def TT_FloatTensor : RankedTensorOf<[TT_Float]>;
def TT_FloatLike : AnyTypeOf<[TT_Float, TT_FloatTensor]>;

def TT_BoolTensor : RankedTensorOf<[I1]>;
def TT_BoolLike : AnyTypeOf<[I1, TT_BoolTensor]>;

def TT_Int : AnyTypeOf<[I1, I<4>, I8, I16, I32, I64], "integer">;
def TT_IntTensor : RankedTensorOf<[TT_Int]>;
def TT_IntLike : AnyTypeOf<[TT_Int, TT_IntTensor]>;

def TT_I64Like : AnyTypeOf<[I64, RankedTensorOf<[I64]>]>;
def TT_F32Like : AnyTypeOf<[F32, RankedTensorOf<[F32]>]>;

class TT_PointerTo<code pointeePredicate, string description>
    : DialectType<TT_Dialect, And<[
        CPred<"::llvm::isa<::nereid::tt::PointerType>($_self)">,
        CPred<pointeePredicate #
              "(::llvm::cast<::nereid::tt::PointerType>($_self)"
              ".getPointeeType())">,
      ]>, description, "::nereid::tt::PointerType">;

def TT_Ptr : TT_PointerTo<"!::llvm::isa<::mlir::RankedTensorType>", "ptr">;
def TT_TensorPtr : TT_PointerTo<"::llvm::isa<::mlir::RankedTensorType>",
                                "block ptr">;
def TT_PtrTensor : RankedTensorOf<[TT_Ptr]>;
def TT_PtrLike : AnyTypeOf<[TT_Ptr, TT_PtrTensor]>;

def TT_FpIntTensor : RankedTensorOf<[TT_Float, TT_Int]>;
def TT_Tensor : RankedTensorOf<[TT_Float, TT_Int, TT_Ptr]>;

def TT_Type : AnyTypeOf<[TT_FloatLike, TT_IntLike, TT_PtrLike, TT_TensorPtr]>;

#endif // NEREID_TTIR_TTTYPES_TD
