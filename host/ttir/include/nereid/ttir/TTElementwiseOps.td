// TTElementwiseOps.td: operations on each element by itself.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TTIR_TTELEMENTWISEOPS_TD
#define NEREID_TTIR_TTELEMENTWISEOPS_TD

include "nereid/ttir/TTOpBase.td"

class TT_CastOp<string mnemonic, dag ins_, dag outs_>
    : TT_ElementwiseOp<mnemonic> {
  let arguments = ins_;
  let results = outs_;
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
}

def TT_IntToPtrOp : TT_CastOp<"int_to_ptr", (ins TT_I64Like:$src),
                              (outs TT_PtrLike:$result)> {
  let summary = "Address as a pointer";
  let hasFolder = 1;
}

def TT_PtrToIntOp : TT_CastOp<"ptr_to_int", (ins TT_PtrLike:$src),
                              (outs TT_I64Like:$result)> {
  let summary = "Pointer as an address";
  let hasFolder = 1;
}

def TT_BitcastOp : TT_CastOp<"bitcast", (ins TT_Type:$src),
                             (outs TT_Type:$result)> {
  let summary = "Same bits as another type, pointers included";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def TT_FpToFpOp : TT_ElementwiseOp<"fp_to_fp"> {
  let summary = "Conversion from or to f8, or with a stated rounding";
  let arguments = (ins TT_FloatLike:$src,
                       OptionalAttr<TT_RoundingModeAttr>:$rounding);
  let results = (outs TT_FloatLike:$result);
  let assemblyFormat = [{
    $src attr-dict (`,` `rounding` `=` $rounding^)? `:` type($src) `->`
    type($result)
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def TT_ClampFOp : TT_ElementwiseOp<"clampf", [SameOperandsAndResultType]> {
  let summary = "min(max(x, min), max)";
  let arguments = (ins TT_FloatLike:$x, TT_FloatLike:$min, TT_FloatLike:$max,
                       TT_PropagateNanAttr:$propagateNan);
  let results = (outs TT_FloatLike:$result);
  let assemblyFormat = [{
    $x `,` $min `,` $max `,` `propagateNan` `=` $propagateNan attr-dict `:`
    type($result)
  }];
}

def TT_PreciseSqrtOp : TT_ElementwiseOp<"precise_sqrt",
                                        [SameOperandsAndResultType]> {
  let summary = "Correctly rounded square root";
  let arguments = (ins TT_FloatLike:$x);
  let results = (outs TT_FloatLike:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

class TT_BinaryOp<string mnemonic, TypeConstraint type>
    : TT_ElementwiseOp<mnemonic, [SameOperandsAndResultType]> {
  let arguments = (ins type:$x, type:$y);
  let results = (outs type:$result);
  let assemblyFormat = "$x `,` $y attr-dict `:` type($x)";
}

def TT_PreciseDivFOp : TT_BinaryOp<"precise_divf", TT_FloatLike> {
  let summary = "Correctly rounded quotient";
}

def TT_ApproxDivFOp : TT_BinaryOp<"approx_divf", TT_F32Like> {
  let summary = "Quotient that may be off by a few units in the last place";
}

def TT_MulhiUIOp : TT_BinaryOp<"mulhiui", TT_IntLike> {
  let summary = "High half of the unsigned product";
}

// Only inside our pipelines: see createReplaceNumberOps().
class TT_NumberOp<string mnemonic> : TT_ElementwiseOp<mnemonic, [
    SameOperandsAndResultType, Commutative]> {
  let arguments = (ins TT_FloatLike:$x, TT_FloatLike:$y);
  let results = (outs TT_FloatLike:$result);
  let assemblyFormat = "$x `,` $y attr-dict `:` type($x)";
  let hasFolder = 1;
}

def TT_MaxNumberOp : TT_NumberOp<"max_number"> {
  let summary = "arith.maxnumf, folded as IEEE 754 has it: a number beats NaN";
}

def TT_MinNumberOp : TT_NumberOp<"min_number"> {
  let summary = "arith.minnumf, folded as IEEE 754 has it: a number beats NaN";
}

def TT_AddPtrOp : TT_ElementwiseOp<"addptr", [
    TypesMatchWith<"result must have the type of ptr", "result", "ptr",
                   "$_self">]> {
  let summary = "Pointer moved by a signed number of elements";
  let arguments = (ins TT_PtrLike:$ptr, TT_IntLike:$offset);
  let results = (outs TT_PtrLike:$result);
  let assemblyFormat = [{
    $ptr `,` $offset attr-dict `:` type($result) `,` type($offset)
  }];
  let hasFolder = 1;
}

// Neither is Pure: with `pure = false` they read and write memory.
def TT_ExternElementwiseOp : TT_Op<"extern_elementwise", [
    Elementwise, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<ConditionallySpeculatable>]> {
  let summary = "Function of a device library, per element";
  let arguments = (ins Variadic<TT_Type>:$srcs, StrAttr:$libname,
                       StrAttr:$libpath, StrAttr:$symbol, BoolAttr:$pure);
  let results = (outs TT_Type:$result);
  let assemblyFormat = [{
    operands attr-dict `:` functional-type(operands, $result)
  }];
}

def TT_ElementwiseInlineAsmOp : TT_Op<"elementwise_inline_asm", [
    Elementwise, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<ConditionallySpeculatable>]> {
  let summary = "Assembly text applied to groups of packed elements";
  let arguments = (ins StrAttr:$asm_string, StrAttr:$constraints,
                       BoolAttr:$pure, I32Attr:$packed_element,
                       Variadic<AnyType>:$args);
  let results = (outs Variadic<TT_Type>:$result);
  let assemblyFormat = [{
    $asm_string attr-dict ($args^ `:` type($args))? `->` type($result)
  }];
  let hasVerifier = 1;
}

def TT_MapElementwiseOp : TT_Op<"map_elementwise", [
    SameOperandsAndResultShape, RecursiveMemoryEffects]> {
  let summary = "Region of scalars applied to each element";
  let arguments = (ins Variadic<TT_Tensor>:$srcs, I32Attr:$pack);
  let results = (outs Variadic<TT_Tensor>:$result);
  let regions = (region AnyRegion:$scalarOp);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def TT_MapElementwiseReturnOp : TT_Op<"map_elementwise.return", [
    HasParent<"MapElementwiseOp">, Pure, ReturnLike, Terminator]> {
  let summary = "Results of a map_elementwise region";
  let arguments = (ins Variadic<AnyType>:$result);
  let assemblyFormat = "attr-dict ($result^ `:` type($result))?";
}

#endif // NEREID_TTIR_TTELEMENTWISEOPS_TD
