// Types.cpp: parsing, printing and checking of the `tt` types.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "nereid/ttir/Types.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "nereid/ttir/Dialect.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace nereid::tt;

#define GET_TYPEDEF_CLASSES
#include "nereid/ttir/TTTypes.cpp.inc"

static StringRef addressSpaceName(int space) {
  switch (space) {
  case kDescriptorAddressSpace:
    return "descriptor";
  case kGlobalAddressSpace:
    return "global";
  case kConstantAddressSpace:
    return "constant";
  default:
    return "";
  }
}

static int addressSpaceNumber(StringRef name) {
  return llvm::StringSwitch<int>(name)
      .Case("descriptor", kDescriptorAddressSpace)
      .Case("global", kGlobalAddressSpace)
      .Case("constant", kConstantAddressSpace)
      .Default(-1);
}

Type PointerType::parse(AsmParser &parser) {
  SMLoc start = parser.getCurrentLocation();
  Type pointee;
  if (parser.parseLess() || parser.parseType(pointee))
    return {};

  int space = kGlobalAddressSpace;
  bool named = false;
  if (succeeded(parser.parseOptionalComma())) {
    SMLoc loc = parser.getCurrentLocation();
    std::string name;
    if (succeeded(parser.parseOptionalString(&name))) {
      named = true;
      space = addressSpaceNumber(name);
      if (space < 0) {
        parser.emitError(loc, "unknown address space \"")
            << name << "\", expected \"global\", \"descriptor\" or "
            << "\"constant\"";
        return {};
      }
    } else if (parser.parseInteger(space)) {
      return {};
    }
  }
  if (parser.parseGreater())
    return {};
  auto emitError = [&] { return parser.emitError(start); };
  if (failed(verify(emitError, pointee, space, named)))
    return {};
  return PointerType::get(pointee, space, named);
}

void PointerType::print(AsmPrinter &printer) const {
  printer << "<" << getPointeeType();
  if (getAddressSpace() != kGlobalAddressSpace) {
    printer << ", ";
    if (getNamedSpace())
      printer << '"' << addressSpaceName(getAddressSpace()) << '"';
    else
      printer << getAddressSpace();
  }
  printer << ">";
}

LogicalResult PointerType::verify(function_ref<InFlightDiagnostic()> emitError,
                                  Type pointee, int space, bool named) {
  if (space < 0)
    return emitError() << "address space " << space << " is negative";
  if (named && addressSpaceName(space).empty())
    return emitError() << "address space " << space << " has no name";
  if (llvm::isa<FunctionType, NoneType>(pointee))
    return emitError() << "pointee " << pointee << " cannot lie in memory";
  return success();
}

Type TensorDescType::parse(AsmParser &parser) {
  SMLoc start = parser.getCurrentLocation();
  if (parser.parseLess())
    return {};

  Type block;
  SmallVector<int64_t> shape;
  Type element;
  bool tensorSpelling = false;
  OptionalParseResult asTensor = parser.parseOptionalType(block);
  if (asTensor.has_value()) {
    if (failed(*asTensor))
      return {};
    auto tensor = llvm::dyn_cast<RankedTensorType>(block);
    if (!tensor) {
      parser.emitError(start, "expected a block such as 8x16xf32 or "
                              "tensor<8x16xf32>, found ")
          << block;
      return {};
    }
    shape.assign(tensor.getShape().begin(), tensor.getShape().end());
    element = tensor.getElementType();
    tensorSpelling = true;
  } else if (parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
             parser.parseType(element)) {
    return {};
  }

  Attribute layout;
  if (succeeded(parser.parseOptionalComma()) && parser.parseAttribute(layout))
    return {};
  if (parser.parseGreater())
    return {};
  return parser.getChecked<TensorDescType>(start, parser.getContext(), shape,
                                           element, layout, tensorSpelling);
}

void TensorDescType::print(AsmPrinter &printer) const {
  printer << "<";
  if (getTensorSpelling()) {
    printer << getBlockType();
  } else {
    for (int64_t size : getShape())
      printer << size << "x";
    printer << getElementType();
  }
  if (getLayout())
    printer << ", " << getLayout();
  printer << ">";
}

LogicalResult
TensorDescType::verify(function_ref<InFlightDiagnostic()> emitError,
                       ArrayRef<int64_t> shape, Type element, Attribute,
                       bool /*tensorSpelling*/) {
  if (shape.empty())
    return emitError() << "a descriptor's block needs at least one dimension";
  if (llvm::any_of(shape, [](int64_t size) { return size <= 0; }))
    return emitError() << "a descriptor's block needs static, positive sizes";
  if (!element.isIntOrFloat())
    return emitError() << "a descriptor's elements are integers or floats, "
                       << "found " << element;
  return success();
}

RankedTensorType TensorDescType::getBlockType() const {
  return RankedTensorType::get(getShape(), getElementType());
}

RankedTensorType TensorDescType::getSignlessBlockType() const {
  Type element = getElementType();
  if (auto integer = llvm::dyn_cast<IntegerType>(element))
    element = IntegerType::get(getContext(), integer.getWidth());
  return RankedTensorType::get(getShape(), element);
}

Type nereid::tt::getTypeWithElement(Type type, Type element) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.clone(element);
  return element;
}

Type nereid::tt::getPointeeType(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    if (auto pointer = dyn_cast<PointerType>(tensor.getElementType()))
      return tensor.clone(pointer.getPointeeType());
  if (auto pointer = dyn_cast<PointerType>(type))
    return pointer.getPointeeType();
  return type;
}

Type nereid::tt::getI1SameShape(Type type) {
  return getTypeWithElement(type, IntegerType::get(type.getContext(), 1));
}

Type nereid::tt::getI32SameShape(Type type) {
  return getTypeWithElement(type, IntegerType::get(type.getContext(), 32));
}

Type nereid::tt::getPointerTypeSameShape(Type type) {
  return getTypeWithElement(type, PointerType::get(getElementTypeOrSelf(type)));
}

Type nereid::tt::getBlockElementPointerType(Type blockPointer) {
  auto pointer = cast<PointerType>(blockPointer);
  return PointerType::get(getElementTypeOrSelf(pointer.getPointeeType()),
                          pointer.getAddressSpace(), pointer.getNamedSpace());
}

bool nereid::tt::isBlockPointer(Type type) {
  auto pointer = dyn_cast<PointerType>(type);
  return pointer && isa<RankedTensorType>(pointer.getPointeeType());
}

unsigned nereid::tt::getElementBitWidth(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (isa<PointerType>(element))
    return 64;
  return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 0;
}

void TTDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "nereid/ttir/TTTypes.cpp.inc"
      >();
}
