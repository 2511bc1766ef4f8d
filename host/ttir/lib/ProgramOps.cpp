// ProgramOps.cpp: functions, calls, printing, and the ttg dialect.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "nereid/ttir/Dialect.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace nereid::tt;

#include "nereid/ttir/TTGDialect.cpp.inc"
#include "nereid/ttir/TTGEnums.cpp.inc"

#define GET_OP_CLASSES
#include "nereid/ttir/TTGOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

void FuncOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                   FunctionType type, ArrayRef<NamedAttribute> attrs,
                   ArrayRef<DictionaryAttr> argAttrs) {
  state.addAttribute(SymbolTable::getSymbolAttrName(),
                     builder.getStringAttr(name));
  state.addAttribute(getFunctionTypeAttrName(state.name), TypeAttr::get(type));
  state.attributes.append(attrs.begin(), attrs.end());
  state.addRegion();
  if (argAttrs.empty())
    return;
  assert(type.getNumInputs() == argAttrs.size() && "one per argument");
  function_interface_impl::addArgAndResultAttrs(
      builder, state, argAttrs, /*resultAttrs=*/std::nullopt,
      getArgAttrsAttrName(state.name), getResAttrsAttrName(state.name));
}

ParseResult FuncOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildType =
      [](Builder &builder, ArrayRef<Type> arguments, ArrayRef<Type> results,
         function_interface_impl::VariadicFlag, std::string &) -> Type {
    return builder.getFunctionType(arguments, results);
  };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false,
      getFunctionTypeAttrName(result.name), buildType,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void FuncOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(
      printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
      getArgAttrsAttrName(), getResAttrsAttrName());
}

LogicalResult ReturnOp::verify() {
  auto func = cast<FuncOp>((*this)->getParentOp());
  ArrayRef<Type> expected = func.getResultTypes();
  if (getNumOperands() != expected.size())
    return emitOpError("returns ")
           << getNumOperands() << " values, but function @" << func.getName()
           << " has " << expected.size() << " results";
  for (auto [number, types] :
       llvm::enumerate(llvm::zip(getOperandTypes(), expected))) {
    auto [found, wanted] = types;
    if (found != wanted)
      return emitOpError("value ")
             << number << " is " << found << ", but function @"
             << func.getName() << " returns " << wanted;
  }
  return success();
}

void CallOp::build(OpBuilder &builder, OperationState &state, FuncOp callee,
                   ValueRange operands) {
  build(builder, state, callee.getResultTypes(), SymbolRefAttr::get(callee),
        operands, /*arg_attrs=*/nullptr, /*res_attrs=*/nullptr);
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto func = symbols.lookupNearestSymbolFrom<FuncOp>(*this, getCalleeAttr());
  if (!func)
    return emitOpError() << "calls " << getCalleeAttr()
                         << ", which is not a function of this module";
  FunctionType expected = func.getFunctionType();
  auto found =
      FunctionType::get(getContext(), getOperandTypes(), getResultTypes());
  if (found == expected)
    return success();
  return emitOpError() << "calls " << getCalleeAttr() << " as " << found
                       << ", but it is " << expected;
}

//===----------------------------------------------------------------------===//
// Printing and barriers
//===----------------------------------------------------------------------===//

LogicalResult PrintOp::verify() {
  if (getIsSigned().size() == getArgs().size())
    return success();
  return emitOpError("isSigned has ") << getIsSigned().size() << " entries for "
                                      << getArgs().size() << " values";
}

namespace nereid::ttg {

void TTGDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "nereid/ttir/TTGOps.cpp.inc"
      >();
}

static constexpr AddrSpace kAllSpaces =
    AddrSpace::Local | AddrSpace::GlobalRead | AddrSpace::GlobalWrite |
    AddrSpace::TensorRead | AddrSpace::TensorWrite;

/// `ttg.barrier all`, or words joined by `|`.
ParseResult BarrierOp::parse(OpAsmParser &parser, OperationState &result) {
  AddrSpace spaces = AddrSpace::None;
  do {
    SMLoc loc = parser.getCurrentLocation();
    StringRef word;
    if (parser.parseKeyword(&word))
      return failure();
    std::optional<AddrSpace> space =
        word == "all" ? kAllSpaces : symbolizeAddrSpace(word);
    if (!space)
      return parser.emitError(loc, "unknown address space '")
             << word << "', expected none, local, global_read, global_write, "
             << "tensor_read, tensor_write or all";
    spaces = spaces | *space;
  } while (succeeded(parser.parseOptionalVerticalBar()));
  result.getOrAddProperties<Properties>().addrSpace =
      AddrSpaceAttr::get(parser.getContext(), spaces);
  return parser.parseOptionalAttrDict(result.attributes);
}

void BarrierOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  if (getAddrSpace() == kAllSpaces)
    printer << "all";
  else
    printer << stringifyAddrSpace(getAddrSpace());
  printer.printOptionalAttrDict((*this)->getAttrs(), {"addrSpace"});
}

} // namespace nereid::ttg
