// Walk.cpp: the operations of a module as plain data.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Walk.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "nereid/ttir/Dialect.h"

#include <deque>

using namespace mlir;
using namespace nereid::tt;

static nereid_string_t toString(StringRef text) {
  return {text.data(), text.size()};
}

template <typename Enum, StringRef (*stringify)(Enum)>
static StringRef keyword(int64_t value) {
  return stringify(static_cast<Enum>(value));
}

namespace {
/// An enumeration that MLIR keeps as an integer.
struct EnumAttribute {
  StringRef op, name;
  StringRef (*keyword)(int64_t);
};
} // namespace

static constexpr auto scope = keyword<MemSyncScope, stringifyMemSyncScope>;
static constexpr auto semantic = keyword<MemSemantic, stringifyMemSemantic>;
static constexpr auto element =
    keyword<ScaleDotElemType, stringifyScaleDotElemType>;
static constexpr auto precision =
    keyword<InputPrecision, stringifyInputPrecision>;

static const EnumAttribute enumAttributes[] = {
    {"arith.cmpi", "predicate",
     keyword<arith::CmpIPredicate, arith::stringifyCmpIPredicate>},
    {"arith.cmpf", "predicate",
     keyword<arith::CmpFPredicate, arith::stringifyCmpFPredicate>},
    {"tt.atomic_rmw", "atomic_rmw_op", keyword<RMWOp, stringifyRMWOp>},
    {"tt.atomic_rmw", "sem", semantic},
    {"tt.atomic_rmw", "scope", scope},
    {"tt.atomic_cas", "sem", semantic},
    {"tt.atomic_cas", "scope", scope},
    {"tt.atomic_poll", "sem", semantic},
    {"tt.atomic_poll", "scope", scope},
    {"tt.clampf", "propagateNan", keyword<PropagateNan, stringifyPropagateNan>},
    {"tt.descriptor_reduce", "kind",
     keyword<DescriptorReduceKind, stringifyDescriptorReduceKind>},
    {"tt.dot", "inputPrecision", precision},
    {"tt.dot_scaled", "a_elem_type", element},
    {"tt.dot_scaled", "b_elem_type", element},
    {"tt.fp_to_fp", "rounding", keyword<RoundingMode, stringifyRoundingMode>},
    {"tt.get_num_programs", "axis",
     keyword<ProgramIDDim, stringifyProgramIDDim>},
    {"tt.get_program_id", "axis", keyword<ProgramIDDim, stringifyProgramIDDim>},
    {"tt.load", "padding", keyword<PaddingOption, stringifyPaddingOption>},
    {"tt.make_tensor_descriptor", "padding",
     keyword<PaddingOption, stringifyPaddingOption>},
};

static std::string printed(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  attribute.print(stream, /*elideType=*/true);
  return text;
}

static std::string printed(Type type) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  type.print(stream);
  return text;
}

namespace {

/// Attributes as the ABI spells them, with what their texts and lists point to.
class Attributes {
public:
  void add(StringRef name, StringRef text) {
    nereid_value_t &value = append(name, NEREID_TYPE_STRING);
    value.text = toString(texts.emplace_back(text.str()));
  }

  void add(StringRef op, NamedAttribute named) {
    StringRef name = named.getName().getValue();
    Attribute attribute = named.getValue();
    if (auto number = dyn_cast<IntegerAttr>(attribute))
      for (const EnumAttribute &known : enumAttributes)
        if (known.op == op && known.name == name)
          return add(name, known.keyword(number.getValue().getSExtValue()));
    if (isa<UnitAttr>(attribute))
      append(name, NEREID_TYPE_BOOL).i64 = 1;
    else if (auto text = dyn_cast<StringAttr>(attribute))
      add(name, text.getValue());
    else if (auto symbol = dyn_cast<FlatSymbolRefAttr>(attribute))
      add(name, symbol.getValue());
    else if (!addNumber(name, attribute) && !addNumbers(name, attribute))
      add(name, printed(attribute));
  }

  const nereid_value_t *data() const { return values.data(); }
  uint64_t size() const { return values.size(); }

private:
  nereid_value_t &append(StringRef name, nereid_type_t type) {
    nereid_value_t &value = values.emplace_back();
    value.name = toString(texts.emplace_back(name.str()));
    value.type = type;
    return value;
  }

  // False for what is not one number that an I64 or F64 holds.
  bool addNumber(StringRef name, Attribute attribute) {
    if (auto splat = dyn_cast<SplatElementsAttr>(attribute))
      attribute = splat.getSplatValue<Attribute>();
    if (auto flag = dyn_cast<BoolAttr>(attribute))
      append(name, NEREID_TYPE_BOOL).i64 = flag.getValue();
    else if (auto number = dyn_cast<IntegerAttr>(attribute);
             number && number.getValue().isSignedIntN(64))
      append(name, NEREID_TYPE_I64).i64 = number.getValue().getSExtValue();
    else if (auto real = dyn_cast<FloatAttr>(attribute);
             real && real.getType().getIntOrFloatBitWidth() <= 64)
      append(name, NEREID_TYPE_F64).f64 = toDouble(real.getValue());
    else
      return false;
    return true;
  }

  bool addNumbers(StringRef name, Attribute attribute) {
    std::vector<int64_t> found;
    if (auto dense = dyn_cast<DenseI32ArrayAttr>(attribute)) {
      found.assign(dense.asArrayRef().begin(), dense.asArrayRef().end());
    } else if (auto dense = dyn_cast<DenseI64ArrayAttr>(attribute)) {
      found.assign(dense.asArrayRef().begin(), dense.asArrayRef().end());
    } else if (auto elements = dyn_cast<DenseIntElementsAttr>(attribute)) {
      for (const APInt &number : elements.getValues<APInt>()) {
        if (!number.isSignedIntN(64))
          return false;
        // A flag is 0 or 1, not its sign.
        found.push_back(number.getBitWidth() == 1 ? number.getZExtValue()
                                                  : number.getSExtValue());
      }
    } else if (auto elements = dyn_cast<DenseFPElementsAttr>(attribute)) {
      std::vector<double> &list = reals.emplace_back();
      for (const APFloat &number : elements.getValues<APFloat>())
        list.push_back(toDouble(number));
      setList(append(name, NEREID_TYPE_F64_LIST), list);
      return true;
    } else {
      return false;
    }
    setList(append(name, NEREID_TYPE_I64_LIST),
            integers.emplace_back(std::move(found)));
    return true;
  }

  template <typename List>
  static void setList(nereid_value_t &value, const List &list) {
    value.list = list.data();
    value.list_size = list.size();
  }

  // Exact: no element type of TTIR is wider than a double.
  static double toDouble(APFloat number) {
    bool losesInfo = false;
    number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                   &losesInfo);
    return number.convertToDouble();
  }

  std::vector<nereid_value_t> values;
  // Deques: what values point to never moves.
  std::deque<std::string> texts;
  std::deque<std::vector<int64_t>> integers;
  std::deque<std::vector<double>> reals;
};

/// Values as the ABI spells them, with what they point to.
class Described {
public:
  void add(uint32_t id, Type type, StringRef name, DictionaryAttr attributes) {
    Attributes &own = owned.emplace_back();
    if (attributes)
      for (NamedAttribute attribute : attributes)
        own.add("", attribute);
    nereid_ttir_value_t &value = values.emplace_back();
    value.struct_size = sizeof value;
    value.id = id;
    value.type = toString(texts.emplace_back(printed(type)));
    value.name = toString(name);
    value.attributes = own.data();
    value.attribute_count = own.size();
  }
  const nereid_ttir_value_t *data() const { return values.data(); }
  uint64_t size() const { return values.size(); }

private:
  std::vector<nereid_ttir_value_t> values;
  std::deque<std::string> texts;
  std::deque<Attributes> owned;
};

class Walk {
public:
  Walk(StringRef file, const nereid_ttir_visitor_t &visitor)
      : file(file), visitor(visitor) {}

  nereid_status_t showRegion(Region &region) {
    nereid_status_t status = visitor.begin_region(&visitor);
    for (Block &block : region) {
      if (status == NEREID_OK)
        status = showBlock(block);
      for (Operation &op : block)
        if (status == NEREID_OK)
          status = showOp(op);
    }
    return status == NEREID_OK ? visitor.end_region(&visitor) : status;
  }

  nereid_status_t showOp(Operation &op) {
    nereid_ttir_op_t shown = {};
    shown.struct_size = sizeof shown;
    shown.region_count = op.getNumRegions();
    shown.name = toString(op.getName().getStringRef());
    SmallVector<uint32_t> operands, successors;
    for (Value operand : op.getOperands())
      operands.push_back(idOf(operand, valueIds));
    for (Block *successor : op.getSuccessors())
      successors.push_back(idOf(successor, blockIds));
    Described results;
    for (OpResult result : op.getResults())
      results.add(idOf(Value(result), valueIds), result.getType(),
                  nameOf(op.getLoc()), {});
    Attributes attributes;
    for (NamedAttribute attribute : op.getAttrDictionary())
      if (attribute.getName() != "arg_attrs")
        attributes.add(op.getName().getStringRef(), attribute);
    shown.operands = operands.data();
    shown.operand_count = operands.size();
    shown.results = results.data();
    shown.result_count = results.size();
    shown.attributes = attributes.data();
    shown.attribute_count = attributes.size();
    shown.successors = successors.data();
    shown.successor_count = successors.size();
    place(op.getLoc(), shown);
    nereid_status_t status = visitor.op(&visitor, &shown);
    for (Region &region : op.getRegions())
      if (status == NEREID_OK)
        status = showRegion(region);
    return status;
  }

private:
  nereid_status_t showBlock(Block &block) {
    Described arguments;
    auto func = dyn_cast_or_null<FuncOp>(block.getParentOp());
    for (BlockArgument argument : block.getArguments())
      arguments.add(idOf(Value(argument), valueIds), argument.getType(),
                    nameOf(argument.getLoc()),
                    func && block.isEntryBlock()
                        ? func.getArgAttrDict(argument.getArgNumber())
                        : DictionaryAttr());
    nereid_ttir_block_t shown = {};
    shown.struct_size = sizeof shown;
    shown.id = idOf(&block, blockIds);
    shown.arguments = arguments.data();
    shown.argument_count = arguments.size();
    return visitor.block(&visitor, &shown);
  }

  // Operands may be seen before the operation that makes them: in a graph of
  // blocks the order of the text is not that of the run.
  template <typename Key, typename Map>
  static uint32_t idOf(Key key, Map &ids) {
    return ids.try_emplace(key, ids.size()).first->second;
  }

  static StringRef nameOf(Location location) {
    auto name = dyn_cast<NameLoc>(location);
    return name ? name.getName().getValue() : StringRef();
  }

  void place(Location location, nereid_ttir_op_t &op) const {
    auto found = location->findInstanceOf<FileLineColLoc>();
    op.file = toString(found ? found.getFilename().getValue() : file);
    op.line = found ? found.getLine() : 0;
    op.column = found ? found.getColumn() : 0;
  }

  StringRef file;
  const nereid_ttir_visitor_t &visitor;
  DenseMap<Value, uint32_t> valueIds;
  DenseMap<Block *, uint32_t> blockIds;
};

} // namespace

nereid_status_t nereid::tt::walkModule(ModuleOp module, StringRef name,
                                       const nereid_ttir_visitor_t &visitor) {
  Walk walk(name, visitor);
  for (Operation &op : *module.getBody())
    if (nereid_status_t status = walk.showOp(op); status != NEREID_OK)
      return status;
  return NEREID_OK;
}
