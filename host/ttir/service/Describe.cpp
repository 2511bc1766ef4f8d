// Describe.cpp: the public functions of a module as JSON.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Describe.h"
#include "ArgumentWrites.h"
#include "nereid/ttir/Dialect.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace nereid::tt;

namespace json = llvm::json;

template <typename T> static std::string printed(T value) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  value.print(stream);
  return text;
}

static json::Value toJson(Attribute attribute) {
  if (auto flag = dyn_cast<BoolAttr>(attribute))
    return flag.getValue();
  auto number = dyn_cast<IntegerAttr>(attribute);
  if (number && number.getValue().isSignedIntN(64))
    return number.getValue().getSExtValue();
  if (auto text = dyn_cast<StringAttr>(attribute))
    return text.getValue();
  if (isa<UnitAttr>(attribute))
    return true;
  return printed(attribute);
}

static json::Object toJson(ArrayRef<NamedAttribute> attributes) {
  json::Object object;
  for (NamedAttribute attribute : attributes)
    object[attribute.getName().getValue()] = toJson(attribute.getValue());
  return object;
}

/// Triton names an argument by its location.
static StringRef getSourceName(BlockArgument argument) {
  auto name = dyn_cast<NameLoc>(argument.getLoc());
  return name ? name.getName().getValue() : StringRef();
}

static json::Array describeArguments(FuncOp func) {
  json::Array arguments;
  for (BlockArgument argument : func.getArguments()) {
    DictionaryAttr attributes = func.getArgAttrDict(argument.getArgNumber());
    json::Object described{
        {"name", getSourceName(argument)},
        {"type", printed(argument.getType())},
        {"attributes",
         attributes ? toJson(attributes.getValue()) : json::Object()},
    };
    if (isAddress(argument.getType()))
      described["written"] = mayWriteThrough(argument);
    arguments.push_back(std::move(described));
  }
  return arguments;
}

std::string nereid::tt::describeModule(ModuleOp module) {
  json::Array functions;
  for (FuncOp func : module.getOps<FuncOp>()) {
    if (!func.isPublic() || func.isDeclaration())
      continue;
    functions.push_back(json::Object{
        {"name", func.getName()},
        {"arguments", describeArguments(func)},
        {"attributes", toJson(func->getDiscardableAttrDictionary().getValue())},
    });
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << json::Value(json::Object{{"functions", std::move(functions)}});
  return text;
}
