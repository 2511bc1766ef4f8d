// TTOpBase.td: what every `tt` operation shares.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TTIR_TTOPBASE_TD
#define NEREID_TTIR_TTOPBASE_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "nereid/ttir/TTAttrs.td"
include "nereid/ttir/TTDialect.td"
include "nereid/ttir/TTTypes.td"

def TT_GlobalMemory : Resource<"::nereid::tt::GlobalMemory">;

// Tensors have a power-of-two number of elements, at most 2^20.
def TT_TensorSizeTrait : NativeOpTrait<"TensorSizeTrait"> {
  let cppNamespace = "::nereid::tt";
}

class TT_Op<string mnemonic, list<Trait> traits = []>
    : Op<TT_Dialect, mnemonic, !listconcat(traits, [TT_TensorSizeTrait])>;

class TT_ElementwiseOp<string mnemonic, list<Trait> traits = []>
    : TT_Op<mnemonic, !listconcat(traits, [
        Elementwise, Pure, SameOperandsAndResultShape])>;

// The type of $to follows from the type of $from; an absent optional operand
// has no type to compare, `absentBelow` is the operand count that shows it.
class TT_PointeeOf<string from, string to>
    : TypesMatchWith<to # " must have the pointee type of " # from, from, to,
                     "getPointeeType($_self)">;
class TT_OptionalPointeeOf<string from, string to, int absentBelow>
    : TypesMatchWith<to # " must have the pointee type of " # from, from, to,
                     "getPointeeType($_self)",
                     "($_op.getOperands().size() <= " # absentBelow #
                     ") || std::equal_to<>()">;
class TT_MaskOf<string from, string to, int absentBelow>
    : TypesMatchWith<to # " must be i1 in the shape of " # from, from, to,
                     "getI1SameShape(getPointeeType($_self))",
                     "($_op.getOperands().size() <= " # absentBelow #
                     ") || std::equal_to<>()">;

// Cache hints come as two clauses (3.6 to 3.8) or as `cachePolicy` (3.9). Both
// are kept as they came; these answer for either.
defvar TT_cacheHintMethods = [{
  /// The cache modifier, from the clause or from `cachePolicy`.
  ::nereid::tt::CacheModifier getCacheModifier() {
    auto policy = getCachePolicy();
    return policy ? policy->getCacheModifier() : getCache();
  }

  /// The eviction policy, from the clause or from `cachePolicy`.
  ::nereid::tt::EvictionPolicy getEvictionPolicy() {
    auto policy = getCachePolicy();
    return policy ? policy->getEvictionPolicy() : getEvict();
  }
}];

#endif // NEREID_TTIR_TTOPBASE_TD
