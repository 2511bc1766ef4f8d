// BytecodeElements.cpp: builtin attributes and types, as bytecode has them.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "BytecodeElements.h"
#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/MathExtras.h"

#include <memory>

using namespace mlir;

namespace {

/// The numbers of BuiltinDialectBytecode.td, of those that Triton IR has.
enum class AttrKind : uint64_t {
  Array = 0,
  Dictionary = 1,
  String = 2,
  StringWithType = 3,
  FlatSymbolRef = 4,
  SymbolRef = 5,
  Type = 6,
  Unit = 7,
  Integer = 8,
  Float = 9,
  CallSiteLoc = 10,
  FileLineColLoc = 11,
  FusedLoc = 12,
  FusedLocWithMetadata = 13,
  NameLoc = 14,
  UnknownLoc = 15,
  DenseArray = 17,
  DenseIntOrFPElements = 18,
};
enum class TypeKind : uint64_t {
  Integer = 0,
  Index = 1,
  Function = 2,
  BFloat16 = 3,
  Float16 = 4,
  Float32 = 5,
  Float64 = 6,
  None = 12,
  RankedTensor = 13,
  RankedTensorWithEncoding = 14,
  Tuple = 15,
  Vector = 19,
};

/// One attribute or type. A null result is a failure, which may have been
/// reported already; whoever asked for it reports it else.
class ElementReader {
public:
  explicit ElementReader(DialectBytecodeReader &reader)
      : reader(reader), context(reader.getContext()) {}

  Attribute readAttribute();
  Type readType();

private:
  InFlightDiagnostic emitError() { return reader.emitError(); }

  template <typename T> bool read(T &attr) {
    return succeeded(reader.readAttribute(attr));
  }
  bool read(Type &type) { return succeeded(reader.readType(type)); }
  bool read(uint64_t &number) { return succeeded(reader.readVarInt(number)); }
  bool read(int64_t &number) {
    return succeeded(reader.readSignedVarInt(number));
  }
  bool read(Location &location) {
    LocationAttr attr;
    if (!read(attr))
      return false;
    location = attr;
    return true;
  }
  bool read(NamedAttribute &named);

  /// A count and so many items. The count is not believed: memory grows with
  /// what is there.
  template <typename T> bool readList(SmallVectorImpl<T> &items, T empty) {
    uint64_t count;
    if (!read(count))
      return false;
    for (uint64_t i = 0; i < count; ++i) {
      T item = empty;
      if (!read(item))
        return false;
      items.push_back(item);
    }
    return true;
  }

  Attribute readDictionary();
  Attribute readString(bool hasType);
  Attribute readSymbolRef();
  Attribute readInteger();
  Attribute readFloat();
  Attribute readLocation(AttrKind kind);
  Attribute readFused(bool hasMetadata);
  Attribute readDenseArray();
  Attribute readDenseElements();
  Type readInteger(uint64_t widthAndSign);
  Type readFunction();
  template <typename ShapedT, typename... Rest> Type readShaped(Rest... rest);

  DialectBytecodeReader &reader;
  MLIRContext *context;
};

} // namespace

bool ElementReader::read(NamedAttribute &named) {
  StringAttr name;
  Attribute value;
  if (!read(name) || !read(value) || name.empty())
    return false;
  named = NamedAttribute(name, value);
  return true;
}

Attribute ElementReader::readAttribute() {
  uint64_t number;
  if (!read(number))
    return {};
  auto kind = static_cast<AttrKind>(number);
  switch (kind) {
  case AttrKind::Array: {
    SmallVector<Attribute> items;
    return readList(items, Attribute()) ? ArrayAttr::get(context, items)
                                        : Attribute();
  }
  case AttrKind::Dictionary:
    return readDictionary();
  case AttrKind::String:
  case AttrKind::StringWithType:
    return readString(kind == AttrKind::StringWithType);
  case AttrKind::FlatSymbolRef: {
    StringAttr root;
    return read(root) ? FlatSymbolRefAttr::get(root) : Attribute();
  }
  case AttrKind::SymbolRef:
    return readSymbolRef();
  case AttrKind::Type: {
    Type type;
    return read(type) ? TypeAttr::get(type) : Attribute();
  }
  case AttrKind::Unit:
    return UnitAttr::get(context);
  case AttrKind::Integer:
    return readInteger();
  case AttrKind::Float:
    return readFloat();
  case AttrKind::CallSiteLoc:
  case AttrKind::FileLineColLoc:
  case AttrKind::NameLoc:
  case AttrKind::UnknownLoc:
    return readLocation(kind);
  case AttrKind::FusedLoc:
  case AttrKind::FusedLocWithMetadata:
    return readFused(kind == AttrKind::FusedLocWithMetadata);
  case AttrKind::DenseArray:
    return readDenseArray();
  case AttrKind::DenseIntOrFPElements:
    return readDenseElements();
  }
  emitError() << "builtin attribute of kind " << number
              << ", which Triton IR does not have";
  return {};
}

Attribute ElementReader::readDictionary() {
  SmallVector<NamedAttribute> items;
  if (!readList(items, NamedAttribute(StringAttr::get(context, "none"),
                                      UnitAttr::get(context))))
    return {};
  if (auto twice = DictionaryAttr::findDuplicate(items, /*isSorted=*/false)) {
    emitError() << "attribute '" << twice->getName().getValue()
                << "' is there twice";
    return {};
  }
  return DictionaryAttr::get(context, items);
}

Attribute ElementReader::readString(bool hasType) {
  StringRef text;
  if (failed(reader.readString(text)))
    return {};
  if (!hasType)
    return StringAttr::get(context, text);
  Type type;
  return read(type) ? StringAttr::get(text, type) : Attribute();
}

Attribute ElementReader::readSymbolRef() {
  StringAttr root;
  SmallVector<FlatSymbolRefAttr> nested;
  if (!read(root) || !readList(nested, FlatSymbolRefAttr()))
    return {};
  return SymbolRefAttr::get(root, nested);
}

Attribute ElementReader::readInteger() {
  Type type;
  if (!read(type))
    return {};
  if (!type.isIntOrIndex() ||
      (type.isInteger() && type.getIntOrFloatBitWidth() > 64)) {
    emitError() << "integer of type " << type
                << ", expected an integer type of up to 64 bits";
    return {};
  }
  unsigned width = type.isIndex() ? IndexType::kInternalStorageBitWidth
                                  : type.getIntOrFloatBitWidth();
  FailureOr<APInt> value = reader.readAPIntWithKnownWidth(width);
  return succeeded(value) ? IntegerAttr::get(type, *value) : Attribute();
}

Attribute ElementReader::readFloat() {
  Type type;
  if (!read(type))
    return {};
  auto floatType = dyn_cast<FloatType>(type);
  if (!floatType || floatType.getWidth() > 64) {
    emitError() << "float of type " << type
                << ", expected a float type of up to 64 bits";
    return {};
  }
  FailureOr<APFloat> value =
      reader.readAPFloatWithKnownSemantics(floatType.getFloatSemantics());
  return succeeded(value) ? FloatAttr::get(type, *value) : Attribute();
}

Attribute ElementReader::readLocation(AttrKind kind) {
  if (kind == AttrKind::UnknownLoc)
    return UnknownLoc::get(context);
  StringAttr name;
  Location first = UnknownLoc::get(context), second = first;
  if (kind == AttrKind::CallSiteLoc) {
    if (!read(first) || !read(second))
      return {};
    return LocationAttr(CallSiteLoc::get(first, second));
  }
  if (!read(name))
    return {};
  if (kind == AttrKind::NameLoc)
    return read(first) ? LocationAttr(NameLoc::get(name, first)) : Attribute();
  uint64_t line, column;
  if (!read(line) || !read(column))
    return {};
  return LocationAttr(FileLineColLoc::get(name, line, column));
}

Attribute ElementReader::readFused(bool hasMetadata) {
  SmallVector<Location> locations;
  Attribute metadata;
  if (!readList(locations, Location(UnknownLoc::get(context))) ||
      (hasMetadata && !read(metadata)))
    return {};
  return LocationAttr(FusedLoc::get(context, locations, metadata));
}

/// The bytes of an element in memory; nothing if there is no such element.
static std::optional<uint64_t> bytesOf(Type element) {
  if (element.isIndex())
    return 8;
  if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() > 64)
    return std::nullopt;
  return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

Attribute ElementReader::readDenseArray() {
  Type element;
  uint64_t size;
  ArrayRef<char> data;
  if (!read(element) || !read(size) || failed(reader.readBlob(data)))
    return {};
  std::optional<uint64_t> bytes = bytesOf(element);
  if (!bytes || data.size() % *bytes || data.size() / *bytes != size) {
    emitError() << size << " elements of " << element << " in " << data.size()
                << " bytes";
    return {};
  }
  return DenseArrayAttr::get(element, size, data);
}

Attribute ElementReader::readDenseElements() {
  Type type;
  ArrayRef<char> data;
  if (!read(type) || failed(reader.readBlob(data)))
    return {};
  auto shaped = dyn_cast<ShapedType>(type);
  bool isSplat = false;
  if (!shaped || !shaped.hasStaticShape() ||
      !bytesOf(shaped.getElementType()) ||
      !DenseElementsAttr::isValidRawBuffer(shaped, data, isSplat)) {
    emitError() << data.size() << " bytes for elements of " << type;
    return {};
  }
  return DenseElementsAttr::getFromRawBuffer(shaped, data);
}

Type ElementReader::readType() {
  uint64_t number, widthAndSign;
  Attribute encoding;
  if (!read(number))
    return {};
  switch (static_cast<TypeKind>(number)) {
  case TypeKind::Integer:
    return read(widthAndSign) ? readInteger(widthAndSign) : Type();
  case TypeKind::Index:
    return IndexType::get(context);
  case TypeKind::Function:
    return readFunction();
  case TypeKind::BFloat16:
    return FloatType::getBF16(context);
  case TypeKind::Float16:
    return FloatType::getF16(context);
  case TypeKind::Float32:
    return FloatType::getF32(context);
  case TypeKind::Float64:
    return FloatType::getF64(context);
  case TypeKind::None:
    return NoneType::get(context);
  case TypeKind::RankedTensor:
    return readShaped<RankedTensorType>(Attribute());
  case TypeKind::RankedTensorWithEncoding:
    return read(encoding) ? readShaped<RankedTensorType>(encoding) : Type();
  case TypeKind::Tuple: {
    SmallVector<Type> types;
    return readList(types, Type()) ? TupleType::get(context, types) : Type();
  }
  case TypeKind::Vector:
    return readShaped<VectorType>(ArrayRef<bool>());
  }
  emitError() << "builtin type of kind " << number
              << ", which Triton IR does not have";
  return {};
}

Type ElementReader::readInteger(uint64_t widthAndSign) {
  uint64_t width = widthAndSign >> 2, sign = widthAndSign & 3;
  if (width == 0 || width > IntegerType::kMaxWidth ||
      sign > IntegerType::Unsigned) {
    emitError() << "integer type of " << width << " bits";
    return {};
  }
  return IntegerType::get(context, width,
                          static_cast<IntegerType::SignednessSemantics>(sign));
}

Type ElementReader::readFunction() {
  SmallVector<Type> inputs, results;
  if (!readList(inputs, Type()) || !readList(results, Type()))
    return {};
  return FunctionType::get(context, inputs, results);
}

template <typename ShapedT, typename... Rest>
Type ElementReader::readShaped(Rest... rest) {
  SmallVector<int64_t> shape;
  Type element;
  if (!readList(shape, int64_t(0)) || !read(element))
    return {};
  int64_t count = 1;
  for (int64_t size : shape)
    if (size < 0 || llvm::MulOverflow(count, size, count) ||
        count > int64_t(1) << 40) {
      emitError() << "tensor of dynamic shape or of too many elements";
      return {};
    }
  return ShapedT::getChecked([&] { return emitError(); }, shape, element,
                             rest...);
}

/// Reads entries of both sorts, and counts how many are under way.
template <typename T, auto readOne>
static auto makeCallback(const std::shared_ptr<unsigned> &depth,
                         unsigned maxDepth) {
  return [=](DialectBytecodeReader &reader, StringRef dialect,
             T &entry) -> LogicalResult {
    if (dialect != "builtin")
      return reader.emitError() << "dialect '" << dialect
                                << "' has no attributes and types in bytes";
    if (*depth >= maxDepth)
      return reader.emitError() << "nested more than " << maxDepth << " deep";
    ++*depth;
    auto leave = llvm::make_scope_exit([&] { --*depth; });
    entry = (ElementReader(reader).*readOne)();
    return success(static_cast<bool>(entry));
  };
}

void nereid::tt::readElementsChecked(BytecodeReaderConfig &config,
                                     unsigned maxDepth) {
  auto depth = std::make_shared<unsigned>(0);
  config.attachAttributeCallback(
      makeCallback<Attribute, &ElementReader::readAttribute>(depth, maxDepth));
  config.attachTypeCallback(
      makeCallback<Type, &ElementReader::readType>(depth, maxDepth));
}
