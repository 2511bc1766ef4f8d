// Builder.h - builds the functions of a module, instruction by instruction.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Types of results are derived from operands where they can be. Operands whose
// types do not fit are a bug of the caller: the first one is recorded with both
// types (`misuse()`), and the module is not assembled. In every build, because
// drivers crash on what is invalid instead of reporting it.

#ifndef NEREID_VULKAN_SPIRV_BUILDER_H
#define NEREID_VULKAN_SPIRV_BUILDER_H

#include "Module.h"

#include <spirv/unified1/GLSL.std.450.h>

namespace nereid::spirv {

/// How a load or store accesses memory.
struct MemoryAccess {
  /// In bytes; 0: that of the type. Required for device addresses.
  uint32_t alignment = 0;
  bool isVolatile = false;
  bool isNontemporal = false;
  /// Ordered by barriers: other invocations access the same memory.
  bool isNonPrivate = false;
  /// A load sees what others in this scope made available, a store makes its
  /// value available to them. Implies `isNonPrivate`.
  std::optional<spv::Scope> coherence = {};
};

/// Values that a loop carries from one iteration to the next.
struct Carried {
  Id first;
  uint32_t count;

  uint32_t size() const { return count; }
  Id operator[](uint32_t index) const { return {first.number + index}; }
};

/// The last blocks of both branches; none if a branch does not come to its end.
struct Merge {
  BlockId thenEnd, elseEnd;
};

struct Phi {
  Id id;
  uint32_t index; // in the list of the function's phis

  operator Id() const { return id; }
};

class Builder : public Module {
public:
  Builder();

  // Functions.

  /// A function that can be called before its body is built.
  FunctionId declareFunction(TypeId result, List<TypeId> parameters,
                             spv::FunctionControlMask control = {});
  Id parameter(FunctionId function, uint32_t index);
  /// Opens the entry block.
  void beginFunction(FunctionId function);
  void endFunction();
  Id call(FunctionId function, List<Id> arguments);
  /// Undefined until it is stored to.
  Id localVariable(TypeId pointee);
  /// The module. Empty after a misuse.
  Words assemble();

  // Structured control flow.

  void beginIf(Id condition, spv::SelectionControlMask control = {});
  void beginElse();
  Merge endIf();
  /// The value of a branch that was taken. After endIf(), before anything else.
  Id merged(const Merge &merge, Id thenValue, Id elseValue);

  /// Opens the blocks that compute the condition. The carried values are
  /// \p initial at first; after the loop they are those of the iteration whose
  /// condition was false.
  Carried beginLoop(List<Id> initial, spv::LoopControlMask control = {});
  /// Leaves the loop if \p condition is false, else opens the body.
  void loopCondition(Id condition);
  /// \p next: the carried values of the next iteration.
  void endLoop(List<Id> next);

  // Blocks.

  BlockId newBlock() { return {newNumber()}; }
  void beginBlock(BlockId block);
  /// None after the block was terminated.
  BlockId currentBlock() const { return block; }
  void selectionMerge(BlockId merge, spv::SelectionControlMask control = {});
  void loopMerge(BlockId merge, BlockId next,
                 spv::LoopControlMask control = {});
  void branch(BlockId target);
  void branchConditional(Id condition, BlockId thenBlock, BlockId elseBlock);
  void ret();
  void ret(Id value);
  void unreachable();
  /// At the start of a block; addIncoming() must follow \p edges times.
  Phi phi(TypeId type, uint32_t edges);
  void addIncoming(const Phi &phi, Id value, BlockId from);

  // Integers, and vectors of them. Fold.h lists what is not emitted.

  Id iadd(Id x, Id y) { return binary(spv::Op::OpIAdd, "iadd", x, y); }
  Id isub(Id x, Id y) { return binary(spv::Op::OpISub, "isub", x, y); }
  Id imul(Id x, Id y) { return binary(spv::Op::OpIMul, "imul", x, y); }
  Id sdiv(Id x, Id y) { return binary(spv::Op::OpSDiv, "sdiv", x, y); }
  Id udiv(Id x, Id y) { return binary(spv::Op::OpUDiv, "udiv", x, y); }
  /// The sign is that of \p x.
  Id srem(Id x, Id y) { return binary(spv::Op::OpSRem, "srem", x, y); }
  /// The sign is that of \p y.
  Id smod(Id x, Id y) { return binary(spv::Op::OpSMod, "smod", x, y); }
  Id umod(Id x, Id y) { return binary(spv::Op::OpUMod, "umod", x, y); }
  Id ineg(Id x) { return unary(spv::Op::OpSNegate, "ineg", x); }
  Id bitAnd(Id x, Id y) {
    return binary(spv::Op::OpBitwiseAnd, "bitAnd", x, y);
  }
  Id bitOr(Id x, Id y) { return binary(spv::Op::OpBitwiseOr, "bitOr", x, y); }
  Id bitXor(Id x, Id y) {
    return binary(spv::Op::OpBitwiseXor, "bitXor", x, y);
  }
  Id bitNot(Id x) { return unary(spv::Op::OpNot, "bitNot", x); }
  /// \p amount may be wider or narrower than \p x.
  Id shl(Id x, Id amount) {
    return shift(spv::Op::OpShiftLeftLogical, "shl", x, amount);
  }
  Id lshr(Id x, Id amount) {
    return shift(spv::Op::OpShiftRightLogical, "lshr", x, amount);
  }
  Id ashr(Id x, Id amount) {
    return shift(spv::Op::OpShiftRightArithmetic, "ashr", x, amount);
  }
  Id bitCount(Id x) { return unary(spv::Op::OpBitCount, "bitCount", x); }
  Id bitReverse(Id x) { return unary(spv::Op::OpBitReverse, "bitReverse", x); }
  Id bitFieldInsert(Id base, Id insert, Id offset, Id count);
  Id bitFieldSExtract(Id base, Id offset, Id count);
  Id bitFieldUExtract(Id base, Id offset, Id count);
  /// A struct of the low and the high half of the product.
  Id umulExtended(Id x, Id y) {
    return extended(spv::Op::OpUMulExtended, "umulExtended", x, y);
  }
  Id smulExtended(Id x, Id y) {
    return extended(spv::Op::OpSMulExtended, "smulExtended", x, y);
  }

  // Floating point. Unless contraction is allowed, the results of fadd, fsub,
  // fmul, fdiv and fneg are decorated NoContraction.

  void allowContraction(bool isAllowed) { contracts = isAllowed; }
  Id fadd(Id x, Id y) { return floating(spv::Op::OpFAdd, "fadd", x, y); }
  Id fsub(Id x, Id y) { return floating(spv::Op::OpFSub, "fsub", x, y); }
  Id fmul(Id x, Id y) { return floating(spv::Op::OpFMul, "fmul", x, y); }
  Id fdiv(Id x, Id y) { return floating(spv::Op::OpFDiv, "fdiv", x, y); }
  Id frem(Id x, Id y) { return floating(spv::Op::OpFRem, "frem", x, y); }
  Id fmod(Id x, Id y) { return floating(spv::Op::OpFMod, "fmod", x, y); }
  Id fneg(Id x);
  /// Rounded once.
  Id fma(Id x, Id y, Id z);
  Id isNan(Id x) { return classify(spv::Op::OpIsNan, "isNan", x); }
  Id isInf(Id x) { return classify(spv::Op::OpIsInf, "isInf", x); }

  /// An instruction of GLSL.std.450; its result has the type of the first
  /// operand.
  Id glsl(GLSLstd450 instruction, List<Id> operands) {
    return glsl(instruction, typeOf(operands.front()), operands);
  }
  Id glsl(GLSLstd450 instruction, TypeId result, List<Id> operands);

  // Comparison and choice.

  Id ieq(Id x, Id y) { return compare(spv::Op::OpIEqual, "ieq", x, y); }
  Id ine(Id x, Id y) { return compare(spv::Op::OpINotEqual, "ine", x, y); }
  Id slt(Id x, Id y) { return compare(spv::Op::OpSLessThan, "slt", x, y); }
  Id sle(Id x, Id y) { return compare(spv::Op::OpSLessThanEqual, "sle", x, y); }
  Id sgt(Id x, Id y) { return compare(spv::Op::OpSGreaterThan, "sgt", x, y); }
  Id sge(Id x, Id y) {
    return compare(spv::Op::OpSGreaterThanEqual, "sge", x, y);
  }
  Id ult(Id x, Id y) { return compare(spv::Op::OpULessThan, "ult", x, y); }
  Id ule(Id x, Id y) { return compare(spv::Op::OpULessThanEqual, "ule", x, y); }
  Id ugt(Id x, Id y) { return compare(spv::Op::OpUGreaterThan, "ugt", x, y); }
  Id uge(Id x, Id y) {
    return compare(spv::Op::OpUGreaterThanEqual, "uge", x, y);
  }
  /// An ordered or unordered comparison of floating-point numbers:
  /// OpFOrdEqual to OpFUnordGreaterThanEqual.
  Id fcmp(spv::Op op, Id x, Id y);
  Id logicalAnd(Id x, Id y) {
    return logical(spv::Op::OpLogicalAnd, "logicalAnd", x, y);
  }
  Id logicalOr(Id x, Id y) {
    return logical(spv::Op::OpLogicalOr, "logicalOr", x, y);
  }
  Id logicalEqual(Id x, Id y) {
    return logical(spv::Op::OpLogicalEqual, "logicalEqual", x, y);
  }
  Id logicalNotEqual(Id x, Id y) {
    return logical(spv::Op::OpLogicalNotEqual, "logicalNotEqual", x, y);
  }
  Id logicalNot(Id x);
  Id select(Id condition, Id x, Id y);

  // Conversions. To the type that a value has already: the value.

  Id uconvert(Id x, TypeId to);
  /// To a type that may only be stored: a constant of it would require
  /// arithmetic, so none is folded.
  Id uconvertToStored(Id x, TypeId to);
  Id sconvert(Id x, TypeId to);
  Id fconvert(Id x, TypeId to);
  Id convertFToS(Id x, TypeId to);
  Id convertFToU(Id x, TypeId to);
  Id convertSToF(Id x, TypeId to);
  Id convertUToF(Id x, TypeId to);
  Id bitcast(Id x, TypeId to);

  // Composites.

  /// A constant if all \p parts are.
  Id construct(TypeId type, List<Id> parts);
  /// \p value for each element of a vector or matrix.
  Id splat(TypeId type, Id value);
  Id extract(Id composite, List<uint32_t> indices);
  Id insert(Id part, Id composite, List<uint32_t> indices);
  Id extractDynamic(Id vector, Id index);
  Id insertDynamic(Id vector, Id part, Id index);
  Id vectorShuffle(Id x, Id y, List<uint32_t> components);

  // Memory.

  Id load(Id pointer, const MemoryAccess &access = {});
  void store(Id pointer, Id value, const MemoryAccess &access = {});
  /// The pointer to a part of what \p base points to.
  Id accessChain(Id base, List<Id> indices);
  /// Steps over \p element objects first. The type of \p base has a stride, or
  /// points to workgroup memory without a layout.
  Id ptrAccessChain(Id base, Id element, List<Id> indices = {});
  Id convertUToPtr(Id address, TypeId pointer);
  Id convertPtrToU(Id pointer, TypeId integer);

  // Atomics and barriers.

  /// OpAtomicExchange, IAdd, ISub, SMin, UMin, SMax, UMax, And, Or, Xor,
  /// FAddEXT, FMinEXT or FMaxEXT. The value before.
  Id atomic(spv::Op op, Id pointer, spv::Scope scope,
            spv::MemorySemanticsMask semantics, Id value);
  Id atomicLoad(Id pointer, spv::Scope scope,
                spv::MemorySemanticsMask semantics);
  void atomicStore(Id pointer, spv::Scope scope,
                   spv::MemorySemanticsMask semantics, Id value);
  Id atomicIncrement(Id pointer, spv::Scope scope,
                     spv::MemorySemanticsMask semantics);
  Id atomicDecrement(Id pointer, spv::Scope scope,
                     spv::MemorySemanticsMask semantics);
  Id atomicCompareExchange(Id pointer, spv::Scope scope,
                           spv::MemorySemanticsMask equal,
                           spv::MemorySemanticsMask unequal, Id value,
                           Id comparator);
  void controlBarrier(spv::Scope execution, spv::Scope memory,
                      spv::MemorySemanticsMask semantics);
  void memoryBarrier(spv::Scope memory, spv::MemorySemanticsMask semantics);
  /// Every invocation of the workgroup waits, and sees what the others wrote to
  /// memory of the classes in \p memory.
  void workgroupBarrier(spv::MemorySemanticsMask memory =
                            spv::MemorySemanticsMask::WorkgroupMemory);

  // Subgroups.

  Id elect();
  Id all(Id predicate);
  Id any(Id predicate);
  Id allEqual(Id value);
  /// One bit for each invocation, in a vector of four.
  Id ballot(Id predicate);
  Id ballotBitCount(spv::GroupOperation operation, Id ballot);
  Id broadcast(Id value, Id lane);
  Id broadcastFirst(Id value);
  Id shuffle(Id value, Id lane);
  Id shuffleXor(Id value, Id mask);
  Id shuffleUp(Id value, Id delta);
  Id shuffleDown(Id value, Id delta);
  /// OpGroupNonUniformIAdd to OpGroupNonUniformLogicalXor over the subgroup.
  Id reduce(spv::Op op, Id value);
  Id inclusiveScan(spv::Op op, Id value);
  Id exclusiveScan(spv::Op op, Id value);
  /// Over each \p size neighbours, a power of two.
  Id clusteredReduce(spv::Op op, Id value, uint32_t size);

  // Cooperative matrices. Arithmetic and conversions work on them as well.

  /// \p stride: between rows or columns, in elements that \p pointer points to.
  Id matrixLoad(TypeId matrix, Id pointer, MatrixLayout layout, Id stride,
                const MemoryAccess &access = {});
  void matrixStore(Id pointer, Id matrix, MatrixLayout layout, Id stride,
                   const MemoryAccess &access = {});
  /// a * b + c; \p operands: flags of `matrixOperands`.
  Id matrixMulAdd(Id a, Id b, Id c, uint32_t operands = matrixOperands::none);
  Id matrixTimesScalar(Id matrix, Id scalar);
  /// How many elements an invocation holds.
  Id matrixLength(TypeId matrix);

private:
  struct Function {
    FunctionId id;
    TypeId type;
    Id firstParameter;
    spv::FunctionControlMask control;
    bool isBuilt = false;
  };
  struct PhiEdges {
    size_t next; // free word in `code`
    uint32_t missing;
    TypeId type;
  };
  /// An `if` or loop that is being built.
  struct Region {
    enum Kind : uint8_t { Then, Else, Condition, Body } kind;
    BlockId merge;
    /// Of an `if`: the block of `else`, the word of the branch that names it,
    /// and the blocks that branch to the merge block.
    BlockId elseBlock = {};
    size_t elseWord = 0;
    Merge ends = {};
    /// Of a loop.
    BlockId header = {}, next = {};
    uint32_t firstPhi = 0, phis = 0;
  };
  enum class Direction : uint8_t { Load, Store };

  Function &find(const char *name, FunctionId function);

  /// What precedes any instruction in a block.
  void prepare(spv::Op op) {
    if (!block)
      reportOutside();
    note(opcodeRequirements[toWord(op)]);
    if (location() != emittedLocation && !isAfterMerge)
      emitLocation();
    isAtStart = false;
  }
  void reportOutside();
  void emitLocation();

  template <typename... Operands> void emit(spv::Op op, Operands... operands) {
    prepare(op);
    append(code, op, operands...);
  }
  /// Without the capability for arithmetic: loads and conversions do not need
  /// it.
  template <typename... Operands>
  Id emitStorage(spv::Op op, TypeId type, Operands... operands) {
    prepare(op);
    Id id = newId(type);
    append(code, op, type, id, operands...);
    return id;
  }
  template <typename... Operands>
  Id emitValue(spv::Op op, TypeId type, Operands... operands) {
    note(this->type(type).arithmeticRule);
    return emitStorage(op, type, operands...);
  }
  /// With operands at the end that are a list.
  template <typename Operand, typename... Operands>
  Id emitList(spv::Op op, TypeId type, std::span<const Operand> list,
              Operands... operands) {
    note(this->type(type).arithmeticRule);
    prepare(op);
    Id id = newId(type);
    LongInstruction instruction(code, op, type, id, operands...);
    instruction << list;
    instruction.end();
    return id;
  }
  template <typename... Operands>
  void terminate(spv::Op op, Operands... operands) {
    emit(op, operands...);
    block = {};
    isAfterMerge = false;
  }

  void expectSame(const char *name, Id x, Id y) {
    if (typeOf(x) != typeOf(y))
      reportDifferent(name, x, y);
  }
  void expectInteger(const char *name, Id x) {
    if (!isInteger(typeInfo(x).scalar))
      reportUnexpected(name, x, "integers");
  }
  void expectFloat(const char *name, Id x) {
    if (!isFloat(typeInfo(x).scalar))
      reportUnexpected(name, x, "floating-point numbers");
  }
  /// Not bf16 or fp8.
  void expectArithmeticFloat(const char *name, Id x) {
    expectFloat(name, x);
    if (isStorageFloat(typeInfo(x).scalar))
      reportUnexpected(name, x, "f16, f32 or f64");
  }
  void expectBool(const char *name, Id x) {
    if (typeInfo(x).scalar != Scalar::Bool)
      reportUnexpected(name, x, "bool");
  }
  void expectPointer(const char *name, Id x) {
    if (!typeInfo(x).isPointer())
      reportUnexpected(name, x, "a pointer");
  }
  /// \p pointer points to the type of \p value.
  void expectPointee(const char *name, Id pointer, Id value);
  void reportDifferent(const char *name, Id x, Id y);
  void reportUnexpected(const char *name, Id x, const char *expected);
  /// Both scalars, or vectors or matrices of one shape.
  bool haveSameShape(TypeId x, TypeId y) const;
  void expectSameShape(const char *name, Id x, TypeId to);

  Id foldBinary(spv::Op op, Id x, Id y);
  Id binary(spv::Op op, const char *name, Id x, Id y);
  Id unary(spv::Op op, const char *name, Id x);
  Id shift(spv::Op op, const char *name, Id x, Id amount);
  Id extended(spv::Op op, const char *name, Id x, Id y);
  Id floating(spv::Op op, const char *name, Id x, Id y);
  Id exact(Id result);
  Id classify(spv::Op op, const char *name, Id x);
  Id compare(spv::Op op, const char *name, Id x, Id y);
  Id logical(spv::Op op, const char *name, Id x, Id y);
  TypeId boolLike(TypeId type);
  Id convertInt(spv::Op op, const char *name, bool isSigned, Id x, TypeId to);
  Id convertFloat(spv::Op op, const char *name, Id x, TypeId to);
  TypeId partType(const char *name, TypeId type, List<uint32_t> indices);

  struct AccessOperands {
    uint32_t words[4];
    uint32_t count;
    operator std::span<const uint32_t>() const { return {words, count}; }
  };
  AccessOperands accessOperands(const char *name, Id pointer,
                                const MemoryAccess &access,
                                Direction direction);
  TypeId pointerToPart(const char *name, Id base, List<Id> indices);
  Id scopeId(spv::Scope scope);
  Id semanticsId(spv::MemorySemanticsMask semantics) {
    return u32(toWord(semantics));
  }
  void noteAtomic(Id pointer);
  Id group(spv::Op op, spv::GroupOperation operation, Id value);
  Id subgroup() { return scopeId(spv::Scope::Subgroup); }

  std::vector<Function> list;
  Function noFunction = {}; // in place of one that was not declared
  FunctionId current;       // the function that is being built
  Words variables, code;
  std::vector<PhiEdges> phis;
  std::vector<Region> regions;
  BlockId block;
  Location emittedLocation;
  bool isAfterMerge = false; // the branch must follow at once
  bool isAtStart = false;    // of a block: phis are allowed
  bool contracts = true;
};

} // namespace nereid::spirv

#endif // NEREID_VULKAN_SPIRV_BUILDER_H
