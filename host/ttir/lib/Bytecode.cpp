// Bytecode.cpp: memory operations as each Triton release encodes them.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

// Properties are written in alphabetical order and without their names, so an
// operation whose attributes changed between releases cannot be read by one
// fixed list. What tells the releases apart is the kind of the first attribute:
//
//   3.6, 3.7   boundaryCheck (an array), cache, evict, ...
//   3.8        cache (an i32), evict, ...
//   3.9        cachePolicy (absent, or #tt.cache_policy), ...
//
// Attributes with a default are never absent in what Triton writes.
#include "mlir/Bytecode/BytecodeImplementation.h"
#include "nereid/ttir/Dialect.h"

using namespace mlir;
using namespace nereid::tt;

template <typename AttrTy>
static LogicalResult assign(DialectBytecodeReader &reader, Attribute attr,
                            AttrTy &result) {
  result = dyn_cast_or_null<AttrTy>(attr);
  if (attr && !result)
    return reader.emitError()
           << "unexpected attribute " << attr << " among the cache hints";
  return success();
}

namespace {

/// Which of the three lists follows.
enum class Layout { BlockPointers, Clauses, Policy };

} // namespace

/// Reads up to the hints, hints included.
template <typename Properties>
static FailureOr<Layout> readHints(DialectBytecodeReader &reader,
                                   Properties &prop) {
  Attribute first;
  if (failed(reader.readOptionalAttribute(first)))
    return failure();
  if (!first || isa<CachePolicyAttr>(first)) {
    if (failed(assign(reader, first, prop.cachePolicy)))
      return failure();
    return Layout::Policy;
  }

  Layout layout = Layout::Clauses;
  if constexpr (requires { prop.boundaryCheck; })
    if (auto dims = dyn_cast<DenseI32ArrayAttr>(first)) {
      prop.boundaryCheck = dims;
      layout = Layout::BlockPointers;
      if (failed(reader.readOptionalAttribute(first)))
        return failure();
    }
  if (failed(assign(reader, first, prop.cache)) ||
      failed(reader.readOptionalAttribute(prop.evict)))
    return failure();
  return layout;
}

/// An attribute that the list of 3.6 has no place for.
template <typename OpTy> static bool hasIgnoreCta(OpTy op) {
  if constexpr (requires { op.getIgnoreCta(); })
    return op.getIgnoreCta();
  return false;
}

/// Writes 3.9's list when there is a policy, 3.8's where that is needed, and
/// otherwise that of 3.6.
template <typename OpTy>
static void writeHints(DialectBytecodeWriter &writer, OpTy op) {
  if (op.getCachePolicyAttr()) {
    writer.writeOptionalAttribute(op.getCachePolicyAttr());
    return;
  }
  MLIRContext *context = op.getContext();
  if constexpr (requires { op.getBoundaryCheck(); })
    if (!hasIgnoreCta(op))
      writer.writeOptionalAttribute(
          DenseI32ArrayAttr::get(context, op.getBoundaryCheck()));
  writer.writeOptionalAttribute(CacheModifierAttr::get(context, op.getCache()));
  writer.writeOptionalAttribute(
      EvictionPolicyAttr::get(context, op.getEvict()));
}

LogicalResult LoadOp::readProperties(DialectBytecodeReader &reader,
                                     OperationState &state) {
  auto &prop = state.getOrAddProperties<Properties>();
  FailureOr<Layout> layout = readHints(reader, prop);
  if (failed(layout) || failed(reader.readOptionalAttribute(prop.isVolatile)))
    return failure();
  if (*layout == Layout::BlockPointers &&
      failed(reader.readOptionalAttribute(prop.padding)))
    return failure();
  return reader.readSparseArray(
      MutableArrayRef<int32_t>(prop.operandSegmentSizes));
}

void LoadOp::writeProperties(DialectBytecodeWriter &writer) {
  writeHints(writer, *this);
  writer.writeOptionalAttribute(BoolAttr::get(getContext(), getIsVolatile()));
  if (!getCachePolicyAttr())
    writer.writeOptionalAttribute(getPaddingAttr());
  writer.writeSparseArray(
      ArrayRef<int32_t>(getProperties().operandSegmentSizes));
}

LogicalResult StoreOp::readProperties(DialectBytecodeReader &reader,
                                      OperationState &state) {
  auto &prop = state.getOrAddProperties<Properties>();
  FailureOr<Layout> layout = readHints(reader, prop);
  if (failed(layout))
    return failure();
  // 3.7 has ignore_cta behind boundaryCheck and 3.6 has nothing there; plain
  // kernels never set it.
  if (*layout == Layout::BlockPointers)
    return success();
  return reader.readOptionalAttribute(prop.ignore_cta);
}

void StoreOp::writeProperties(DialectBytecodeWriter &writer) {
  writeHints(writer, *this);
  writer.writeOptionalAttribute(getIgnoreCtaAttr());
}

LogicalResult DescriptorLoadOp::readProperties(DialectBytecodeReader &reader,
                                               OperationState &state) {
  auto &prop = state.getOrAddProperties<Properties>();
  return success(succeeded(readHints(reader, prop)));
}

void DescriptorLoadOp::writeProperties(DialectBytecodeWriter &writer) {
  writeHints(writer, *this);
}
