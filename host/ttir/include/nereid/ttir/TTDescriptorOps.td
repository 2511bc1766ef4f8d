// TTDescriptorOps.td: tensor descriptors.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TTIR_TTDESCRIPTOROPS_TD
#define NEREID_TTIR_TTDESCRIPTOROPS_TD

include "nereid/ttir/TTOpBase.td"

def TT_MakeTensorDescOp : TT_Op<"make_tensor_descriptor", [
    Pure, SameVariadicOperandSize]> {
  let summary = "Descriptor of a tensor in memory: base, shape, strides";
  let arguments = (ins
    TT_Ptr:$base, Variadic<I32>:$shape, Variadic<I64>:$strides,
    DefaultValuedAttr<TT_PaddingOptionAttr,
                      "::nereid::tt::PaddingOption::PAD_ZERO">:$padding
  );
  let results = (outs TT_TensorDescType:$result);
  let assemblyFormat = [{
    $base `,` `[` $shape `]` `,` `[` $strides `]` attr-dict `:` type($base) `,`
    type($result)
  }];
  let hasVerifier = 1;
}

class TT_ReadDesc : Arg<TT_TensorDescType, "", [MemRead<TT_GlobalMemory>]>;
class TT_WriteDesc : Arg<TT_TensorDescType, "", [MemRead<TT_GlobalMemory>,
                                                 MemWrite<TT_GlobalMemory>]>;

def TT_DescriptorLoadOp : TT_Op<"descriptor_load"> {
  let summary = "Block of a tensor; what lies outside is padding";
  let arguments = (ins
    TT_ReadDesc<>:$desc, Variadic<I32>:$indices,
    DefaultValuedAttr<TT_CacheModifierAttr,
                      "::nereid::tt::CacheModifier::NONE">:$cache,
    DefaultValuedAttr<TT_EvictionPolicyAttr,
                      "::nereid::tt::EvictionPolicy::NORMAL">:$evict,
    OptionalAttr<TT_CachePolicyAttr>:$cachePolicy
  );
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $desc `[` $indices `]`
    oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict)
    attr-dict `:` qualified(type($desc)) `->` type($result)
  }];
  let extraClassDeclaration = TT_cacheHintMethods;
  let useCustomPropertiesEncoding = 1;
  let hasVerifier = 1;
}

def TT_DescriptorStoreOp : TT_Op<"descriptor_store"> {
  let summary = "Write a block of a tensor; what lies outside is dropped";
  let arguments = (ins TT_WriteDesc<>:$desc, TT_Tensor:$src,
                       Variadic<I32>:$indices);
  let assemblyFormat = [{
    $desc `[` $indices `]` `,` $src attr-dict `:` qualified(type($desc)) `,`
    type($src)
  }];
  let hasVerifier = 1;
}

def TT_DescriptorReduceOp : TT_Op<"descriptor_reduce"> {
  let summary = "Combine a block with memory, atomic per element";
  let arguments = (ins TT_DescriptorReduceKindAttr:$kind, TT_WriteDesc<>:$desc,
                       TT_Tensor:$src, Variadic<I32>:$indices);
  let assemblyFormat = [{
    $kind `,` $desc `[` $indices `]` `,` $src attr-dict `:`
    qualified(type($desc)) `,` type($src)
  }];
  let hasVerifier = 1;
}

def TT_DescriptorGatherOp : TT_Op<"descriptor_gather"> {
  let summary = "Rows of a tensor picked by a tensor of row numbers";
  let arguments = (ins TT_ReadDesc<>:$desc,
                       RankedTensorOf<[I16, I32]>:$x_offsets, I32:$y_offset);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $desc `[` $x_offsets `,` $y_offset `]` attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def TT_DescriptorScatterOp : TT_Op<"descriptor_scatter"> {
  let summary = "Write rows of a tensor picked by a tensor of row numbers";
  let arguments = (ins TT_WriteDesc<>:$desc,
                       RankedTensorOf<[I16, I32]>:$x_offsets, I32:$y_offset,
                       TT_Tensor:$src);
  let assemblyFormat = [{
    $desc `[` $x_offsets `,` $y_offset `]` `,` $src attr-dict `:`
    type(operands)
  }];
  let hasVerifier = 1;
}

#endif // NEREID_TTIR_TTDESCRIPTOROPS_TD
