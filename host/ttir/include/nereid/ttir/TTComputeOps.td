// TTComputeOps.td: reductions, scans and matrix products.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TTIR_TTCOMPUTEOPS_TD
#define NEREID_TTIR_TTCOMPUTEOPS_TD

include "nereid/ttir/TTOpBase.td"

defvar TT_combineMethods = [{
  ::llvm::SmallVector<::mlir::RankedTensorType> getInputTypes();
  ::llvm::SmallVector<::mlir::Type> getElementTypes();

  /// The one operation of the region besides its return, or null.
  ::mlir::Operation *getSingleCombiner();
}];

// Pure by Triton's definition, even when the region holds a `tt.assert`.
def TT_ReduceOp : TT_Op<"reduce", [
    Pure, SameOperandsShape, SingleBlock, InferTypeOpAdaptor]> {
  let summary = "Combine all elements along one axis";
  let arguments = (ins Variadic<TT_Tensor>:$srcs, I32Attr:$axis);
  let results = (outs Variadic<TT_Type>:$result);
  let regions = (region SizedRegion<1>:$combineOp);
  let builders = [
    OpBuilder<(ins "::mlir::ValueRange":$srcs, "int":$axis)>,
  ];
  let extraClassDeclaration = TT_combineMethods;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def TT_ReduceReturnOp : TT_Op<"reduce.return", [
    HasParent<"ReduceOp">, Pure, ReturnLike, Terminator]> {
  let summary = "Results of a reduce region";
  let arguments = (ins Variadic<AnyType>:$result);
  let assemblyFormat = "$result attr-dict `:` type($result)";
}

def TT_ScanOp : TT_Op<"scan", [
    Pure, SameOperandsAndResultShape, SingleBlock, InferTypeOpAdaptor]> {
  let summary = "Inclusive prefixes along one axis, in order";
  let arguments = (ins Variadic<TT_Tensor>:$srcs, I32Attr:$axis,
                       BoolAttr:$reverse);
  let results = (outs Variadic<TT_Tensor>:$result);
  let regions = (region SizedRegion<1>:$combineOp);
  let builders = [
    OpBuilder<(ins "::mlir::ValueRange":$srcs, "int":$axis, "bool":$reverse)>,
  ];
  let extraClassDeclaration = TT_combineMethods;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def TT_ScanReturnOp : TT_Op<"scan.return", [
    HasParent<"ScanOp">, Pure, ReturnLike, Terminator]> {
  let summary = "Results of a scan region";
  let arguments = (ins Variadic<AnyType>:$result);
  let assemblyFormat = "$result attr-dict `:` type($result)";
}

def TT_DotOp : TT_Op<"dot", [
    Pure, DeclareOpInterfaceMethods<InferTypeOpInterface>,
    TypesMatchWith<"d must have the type of c", "d", "c", "$_self">]> {
  let summary = "d = a * b + c";
  let arguments = (ins
    TT_FpIntTensor:$a, TT_FpIntTensor:$b, TT_FpIntTensor:$c,
    DefaultValuedAttr<TT_InputPrecisionAttr,
                      "::nereid::tt::InputPrecision::IEEE">:$inputPrecision,
    DefaultValuedAttr<I32Attr, "0">:$maxNumImpreciseAcc
  );
  let results = (outs TT_FpIntTensor:$d);
  let assemblyFormat = [{
    $a `,` $b `,` $c (`,` `inputPrecision` `=` $inputPrecision^)? attr-dict `:`
    type($a) `*` type($b) `->` type($d)
  }];
  let hasVerifier = 1;
}

def TT_DotScaledOp : TT_Op<"dot_scaled", [
    Pure, AttrSizedOperandSegments,
    TypesMatchWith<"d must have the type of c", "d", "c", "$_self">]> {
  let summary = "d = scale(a) * scale(b) + c, microscaling formats";
  let description = [{
    Formats without a type (e2m1) come as i8, two codes in one. A scale covers
    the elements of K that its shape says, 32 or 16.
  }];
  let arguments = (ins
    RankedTensorOf<[TT_Float, I8]>:$a,
    RankedTensorOf<[TT_Float, I8]>:$b,
    TT_FloatTensor:$c,
    Optional<RankedTensorOf<[TT_Float, I8]>>:$a_scale,
    Optional<RankedTensorOf<[TT_Float, I8]>>:$b_scale,
    TT_ScaleDotElemTypeAttr:$a_elem_type,
    TT_ScaleDotElemTypeAttr:$b_elem_type,
    BoolAttr:$fastMath,
    DefaultValuedAttr<BoolAttr, "true">:$lhs_k_pack,
    DefaultValuedAttr<BoolAttr, "true">:$rhs_k_pack
  );
  let results = (outs TT_FloatTensor:$d);
  let assemblyFormat = [{
    $a (`scale` $a_scale^)? `,` $b (`scale` $b_scale^)? `,` $c
    `lhs` `=` $a_elem_type `rhs` `=` $b_elem_type attr-dict `:`
    type($a) (`,` type($a_scale)^)? `*` type($b) (`,` type($b_scale)^)? `->`
    type($d)
  }];
  let extraClassDeclaration = [{
    /// Elements of K that one scale covers; 0 when there is no scale.
    int64_t getScaleFactor();
  }];
  let hasVerifier = 1;
}

#endif // NEREID_TTIR_TTCOMPUTEOPS_TD
