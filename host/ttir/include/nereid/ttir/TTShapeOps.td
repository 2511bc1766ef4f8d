// TTShapeOps.td: ranges and everything that only moves elements.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TTIR_TTSHAPEOPS_TD
#define NEREID_TTIR_TTSHAPEOPS_TD

include "nereid/ttir/TTOpBase.td"

def TT_MakeRangeOp : TT_Op<"make_range", [Pure]> {
  let summary = "start, start + 1, ... up to end, exclusive";
  let description = [{
    The bounds are signed, the generated getters are not: use
    `getStartAttr().getInt()`.
  }];
  let arguments = (ins I32Attr:$start, I32Attr:$end);
  let results = (outs TT_IntTensor:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def TT_SplatOp : TT_Op<"splat", [Pure, SameOperandsAndResultElementType]> {
  let summary = "Scalar in every element of a tensor";
  let arguments = (ins TT_Type:$src);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasFolder = 1;
}

def TT_UnsplatOp : TT_Op<"unsplat", [
    Pure, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "The one element of a tensor as a scalar";
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_Type:$result);
  let assemblyFormat = "$src attr-dict `:` type($src)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def TT_ExpandDimsOp : TT_Op<"expand_dims", [
    Pure, SameOperandsAndResultElementType, InferTypeOpAdaptor]> {
  let summary = "Tensor with one more dimension, of size 1";
  let arguments = (ins TT_Tensor:$src, I32Attr:$axis);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasCanonicalizer = 1;
  let hasFolder = 1;
}

def TT_BroadcastOp : TT_Op<"broadcast", [
    Pure, SameOperandsAndResultElementType]> {
  let summary = "Tensor whose dimensions of size 1 are repeated";
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasCanonicalizer = 1;
  let hasFolder = 1;
  let hasVerifier = 1;
}

def TT_ReshapeOp : TT_Op<"reshape", [
    Pure, SameOperandsAndResultElementType]> {
  let summary = "Same elements in another shape";
  let description = [{
    Row-major. `allow_reorder` says that the reader does not care about the
    order; a lowering should keep it all the same, because an argmax may be
    reshaped with the flag while its indices are not.
  }];
  let arguments = (ins TT_Tensor:$src, UnitAttr:$allow_reorder,
                       UnitAttr:$efficient_layout);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $src (`allow_reorder` $allow_reorder^)?
    (`efficient_layout` $efficient_layout^)?
    attr-dict `:` type($src) `->` type($result)
  }];
  let hasCanonicalizer = 1;
  let hasFolder = 1;
  let hasVerifier = 1;
}

def TT_TransOp : TT_Op<"trans", [
    Pure, SameOperandsAndResultElementType, InferTypeOpAdaptor]> {
  let summary = "Tensor with its dimensions permuted";
  let description = "Dimension i of the result is dimension order[i] of src.";
  let arguments = (ins TT_Tensor:$src, DenseI32ArrayAttr:$order);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

// Not Pure: Triton allows a target to reorder the elements.
def TT_CatOp : TT_Op<"cat", [
    NoMemoryEffect, SameTypeOperands, SameOperandsAndResultElementType]> {
  let summary = "Two tensors one after the other";
  let arguments = (ins TT_Tensor:$lhs, TT_Tensor:$rhs);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)
  }];
  let hasVerifier = 1;
}

def TT_JoinOp : TT_Op<"join", [Pure, SameTypeOperands, InferTypeOpAdaptor]> {
  let summary = "Two tensors along a new last dimension";
  let arguments = (ins TT_Tensor:$lhs, TT_Tensor:$rhs);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)
  }];
  let hasFolder = 1;
}

def TT_SplitOp : TT_Op<"split", [
    Pure, InferTypeOpAdaptor,
    TypesMatchWith<"both results must have one type", "outLHS", "outRHS",
                   "$_self">]> {
  let summary = "Halves of a tensor along its last dimension, of size 2";
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_Tensor:$outLHS, TT_Tensor:$outRHS);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($outLHS)";
  let hasFolder = 1;
}

def TT_GatherOp : TT_Op<"gather", [Pure, InferTypeOpAdaptor]> {
  let summary = "Elements picked along one axis by a tensor of indices";
  let arguments = (ins TT_Tensor:$src, TT_IntTensor:$indices, I32Attr:$axis,
                       UnitAttr:$efficient_layout);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $src `[` $indices `]` attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def TT_HistogramOp : TT_Op<"histogram", [
    Pure, TypesMatchWith<"mask must be i1 in the shape of src", "src", "mask",
                         "getI1SameShape($_self)",
                         "($_op.getOperands().size() <= 1) || "
                         "std::equal_to<>()">]> {
  let summary = "How often each value below the number of bins occurs";
  let arguments = (ins TT_IntTensor:$src, Optional<TT_BoolLike>:$mask);
  let results = (outs TT_IntTensor:$result);
  let assemblyFormat = [{
    $src (`,` $mask^)? attr-dict `:` type($src) `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // NEREID_TTIR_TTSHAPEOPS_TD
