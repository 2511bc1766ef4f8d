// TTMemoryOps.td: loads, stores, atomics and block pointers.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TTIR_TTMEMORYOPS_TD
#define NEREID_TTIR_TTMEMORYOPS_TD

include "nereid/ttir/TTOpBase.td"

def TT_LoadOp : TT_Op<"load", [
    AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<InferTypeOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    TT_PointeeOf<"ptr", "result">,
    TT_MaskOf<"ptr", "mask", 1>,
    TT_OptionalPointeeOf<"ptr", "other", 2>]> {
  let summary = "Load from a pointer, a tensor of pointers or a block pointer";
  let description = [{
    Lanes whose mask is false touch no memory and give `other`; without `other`
    their value is undefined. `boundaryCheck` and `padding` are for block
    pointers only.
  }];
  let arguments = (ins
    AnyTypeOf<[TT_PtrLike, TT_TensorPtr]>:$ptr,
    Optional<TT_BoolLike>:$mask,
    Optional<TT_Type>:$other,
    DefaultValuedAttr<DenseI32ArrayAttr, "{}">:$boundaryCheck,
    OptionalAttr<TT_PaddingOptionAttr>:$padding,
    DefaultValuedAttr<TT_CacheModifierAttr,
                      "::nereid::tt::CacheModifier::NONE">:$cache,
    DefaultValuedAttr<TT_EvictionPolicyAttr,
                      "::nereid::tt::EvictionPolicy::NORMAL">:$evict,
    DefaultValuedAttr<BoolAttr, "false">:$isVolatile,
    OptionalAttr<TT_CachePolicyAttr>:$cachePolicy
  );
  let results = (outs TT_Type:$result);
  let builders = [
    OpBuilder<(ins "::mlir::Value":$ptr, CArg<"bool", "false">:$isVolatile)>,
    OpBuilder<(ins "::mlir::Value":$ptr, "::mlir::Value":$mask,
                   CArg<"bool", "false">:$isVolatile)>,
    OpBuilder<(ins "::mlir::Value":$ptr, "::mlir::Value":$mask,
                   "::mlir::Value":$other, CArg<"bool", "false">:$isVolatile)>,
  ];
  let assemblyFormat = [{
    $ptr (`,` $mask^)? (`,` $other^)?
    oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict)
    attr-dict `:` type($ptr)
  }];
  let extraClassDeclaration = TT_cacheHintMethods;
  let useCustomPropertiesEncoding = 1;
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
}

def TT_StoreOp : TT_Op<"store", [
    TT_PointeeOf<"ptr", "value">, TT_MaskOf<"ptr", "mask", 2>]> {
  let summary = "Store to a pointer, a tensor of pointers or a block pointer";
  let arguments = (ins
    Arg<AnyTypeOf<[TT_PtrLike, TT_TensorPtr]>, "",
        [MemWrite<TT_GlobalMemory>]>:$ptr,
    TT_Type:$value,
    Optional<TT_BoolLike>:$mask,
    DefaultValuedAttr<DenseI32ArrayAttr, "{}">:$boundaryCheck,
    DefaultValuedAttr<TT_CacheModifierAttr,
                      "::nereid::tt::CacheModifier::NONE">:$cache,
    DefaultValuedAttr<TT_EvictionPolicyAttr,
                      "::nereid::tt::EvictionPolicy::NORMAL">:$evict,
    OptionalAttr<TT_CachePolicyAttr>:$cachePolicy,
    UnitAttr:$ignore_cta
  );
  let builders = [
    OpBuilder<(ins "::mlir::Value":$ptr, "::mlir::Value":$value)>,
    OpBuilder<(ins "::mlir::Value":$ptr, "::mlir::Value":$value,
                   "::mlir::Value":$mask)>,
  ];
  let assemblyFormat = [{
    $ptr `,` $value (`,` $mask^)?
    oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict)
    attr-dict `:` type($ptr)
  }];
  let extraClassDeclaration = TT_cacheHintMethods;
  let useCustomPropertiesEncoding = 1;
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
}

class TT_AtomicArg : Arg<TT_PtrLike, "", [MemRead<TT_GlobalMemory>,
                                          MemWrite<TT_GlobalMemory>]>;

def TT_AtomicRMWOp : TT_Op<"atomic_rmw", [
    SameOperandsAndResultShape, TT_PointeeOf<"ptr", "val">,
    TT_PointeeOf<"ptr", "result">, TT_MaskOf<"ptr", "mask", 2>]> {
  let summary = "Atomic read, modify, write; gives the old value";
  let arguments = (ins TT_RMWOpAttr:$atomic_rmw_op, TT_AtomicArg<>:$ptr,
                       TT_Type:$val, Optional<TT_BoolLike>:$mask,
                       TT_MemSemanticAttr:$sem, TT_MemSyncScopeAttr:$scope);
  let results = (outs TT_Type:$result);
  let assemblyFormat = [{
    $atomic_rmw_op `,` $sem `,` $scope `,` $ptr `,` $val (`,` $mask^)?
    attr-dict `:` functional-type(operands, $result)
  }];
  let hasVerifier = 1;
}

def TT_AtomicCASOp : TT_Op<"atomic_cas", [
    SameOperandsAndResultShape, TT_PointeeOf<"ptr", "cmp">,
    TT_PointeeOf<"ptr", "val">, TT_PointeeOf<"ptr", "result">]> {
  let summary = "Atomic compare and swap; gives the old value";
  let arguments = (ins TT_AtomicArg<>:$ptr, TT_Type:$cmp, TT_Type:$val,
                       TT_MemSemanticAttr:$sem, TT_MemSyncScopeAttr:$scope);
  let results = (outs TT_Type:$result);
  let assemblyFormat = [{
    $sem `,` $scope `,` $ptr `,` $cmp `,` $val attr-dict `:`
    functional-type(operands, $result)
  }];
}

// The effect of an atomic load is also a write: it synchronises, so it is
// neither removed nor merged when its value is unused.
def TT_AtomicLoadOp : TT_Op<"atomic_load", [
    TT_PointeeOf<"ptr", "result">, TT_MaskOf<"ptr", "mask", 1>]> {
  let summary = "Atomic load (3.9)";
  let arguments = (ins TT_AtomicArg<>:$ptr, Optional<TT_BoolLike>:$mask,
                       TT_MemSemanticAttr:$sem, TT_MemSyncScopeAttr:$scope);
  let results = (outs TT_Type:$result);
  let assemblyFormat = [{
    $sem `,` $scope `,` $ptr (`,` $mask^)? attr-dict `:`
    functional-type(operands, $result)
  }];
  let hasVerifier = 1;
}

def TT_AtomicStoreOp : TT_Op<"atomic_store", [
    TT_PointeeOf<"ptr", "value">, TT_MaskOf<"ptr", "mask", 2>]> {
  let summary = "Atomic store (3.9)";
  let arguments = (ins
    Arg<TT_PtrLike, "", [MemWrite<TT_GlobalMemory>]>:$ptr,
    TT_Type:$value, Optional<TT_BoolLike>:$mask,
    TT_MemSemanticAttr:$sem, TT_MemSyncScopeAttr:$scope
  );
  let assemblyFormat = [{
    $sem `,` $scope `,` $ptr `,` $value (`,` $mask^)? attr-dict `:` type($ptr)
  }];
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
}

def TT_AtomicPollOp : TT_Op<"atomic_poll", [
    TT_PointeeOf<"ptr", "expected">,
    TypesMatchWith<"result must be i1 in the shape of expected", "expected",
                   "result", "getI1SameShape($_self)">]> {
  let summary = "Wait until memory holds a value, or until a timeout (3.9)";
  let arguments = (ins TT_AtomicArg<>:$ptr, TT_IntLike:$expected,
                       Optional<I64>:$timeout, TT_MemSemanticAttr:$sem,
                       TT_MemSyncScopeAttr:$scope);
  let results = (outs TT_BoolLike:$result);
  let assemblyFormat = [{
    $sem `,` $scope `,` $ptr `,` $expected (`timeout` $timeout^)? attr-dict `:`
    qualified(type($ptr)) `,` type($expected) `->` type($result)
  }];
  let hasVerifier = 1;
}

def TT_GridDependencyWaitOp : TT_Op<"grid_dependency_wait", [
    MemoryEffects<[MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>]> {
  let summary = "Wait for the grids that this one depends on (3.9)";
  let assemblyFormat = "attr-dict";
}

def TT_GridDependencyLaunchDependentsOp
    : TT_Op<"grid_dependency_launch_dependents",
            [MemoryEffects<[MemWrite<TT_GlobalMemory>]>]> {
  let summary = "Let dependent grids start (3.9)";
  let assemblyFormat = "attr-dict";
}

def TT_MakeTensorPtrOp : TT_Op<"make_tensor_ptr", [
    Pure, SameVariadicOperandSize,
    TypesMatchWith<"base must point to the element type of result", "result",
                   "base", "getBlockElementPointerType($_self)">]> {
  let summary = "Block pointer: base, shape, strides and offsets (3.6, 3.7)";
  let arguments = (ins TT_Ptr:$base, Variadic<I64>:$shape,
                       Variadic<I64>:$strides, Variadic<I32>:$offsets,
                       DenseI32ArrayAttr:$order);
  let results = (outs TT_TensorPtr:$result);
  let assemblyFormat = [{
    $base `,` `[` $shape `]` `,` `[` $strides `]` `,` `[` $offsets `]`
    attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def TT_AdvanceOp : TT_Op<"advance", [
    Pure, TypesMatchWith<"ptr must have the type of result", "result", "ptr",
                         "$_self">]> {
  let summary = "Block pointer moved by offsets (3.6, 3.7)";
  let arguments = (ins TT_TensorPtr:$ptr, Variadic<I32>:$offsets);
  let results = (outs TT_TensorPtr:$result);
  let assemblyFormat = [{
    $ptr `,` `[` $offsets `]` attr-dict `:` type($result)
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

#endif // NEREID_TTIR_TTMEMORYOPS_TD
