// Describe.cpp - the documents of nereid/ops.h.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "select/Describe.h"

#include "expr/Json.h"
#include "select/Candidates.h"
#include "support/Json.h"
#include "text/Suggestions.h"

#include <algorithm>

namespace nereid::ops {

using host::Json;

// ---------------------------------------------------------------- what is
// given

Result<TargetFacts> targetFacts(std::string_view type, std::string_view arch,
                                std::string_view compiler,
                                std::string_view properties) {
  if (type.empty())
    return wrong("the target has no device type");
  TargetFacts facts;
  facts.type = type;
  facts.arch = arch;
  facts.compiler = compiler;
  auto device = std::make_shared<Object>();
  device->kind = "the device";
  device->name = "device";
  if (!properties.empty()) {
    Json json = Json::parse(properties, nullptr, false);
    if (!json.is_object())
      return wrong("the properties of the device are not a JSON object");
    for (const auto &[name, property] : json.items()) {
      Result<Value> value = valueOfJson(property);
      if (!value)
        return wrong("the device's '" + name + "': " + value.failure().text);
      device->attributes.emplace_back(name, std::move(*value));
    }
  }
  // The names of expressions, for those of drivers.
  static constexpr std::pair<const char *, const char *> names[] = {
      {"units", "multiprocessor_count"}, {"shared_memory", "max_shared_mem"}};
  for (const auto &[name, property] : names)
    if (const Value *value = device->find(property);
        value && !device->find(name)) {
      Value copy = *value;
      device->attributes.emplace_back(name, std::move(copy));
    }
  for (auto [name, text] :
       {std::pair<const char *, std::string_view>("type", type),
        {"arch", arch}})
    if (!device->find(name))
      device->attributes.emplace_back(name, Value(text));
  facts.device = std::move(device);
  return facts;
}

static Result<std::vector<int64_t>> sizesOfJson(const Json &json,
                                                const std::string &what) {
  std::vector<int64_t> sizes;
  if (!json.is_array() || json.size() > longestList)
    return wrong(what + " is not a list of at most " +
                 std::to_string(longestList) + " integers");
  for (const Json &item : json) {
    if (!item.is_number_integer() ||
        (item.is_number_unsigned() && item.get<uint64_t>() > INT64_MAX))
      return wrong(what + " has " + item.dump() + ", expected integers");
    sizes.push_back(item.get<int64_t>());
  }
  return sizes;
}

static Result<TensorFacts> tensorOfJson(const Json &json,
                                        const std::string &name) {
  if (!json.is_object())
    return wrong("'" + name + "' is not a JSON object");
  TensorFacts facts;
  for (const auto &[key, member] : json.items()) {
    if (key == "dtype" && member.is_string()) {
      facts.dtype = member.get<std::string>();
    } else if (key == "align" && member.is_number_unsigned() &&
               member.get<uint64_t>() <= 128 &&
               (member.get<uint64_t>() & (member.get<uint64_t>() - 1)) == 0 &&
               member.get<uint64_t>() > 0) {
      facts.align = member.get<uint32_t>();
    } else if (key == "shape" || key == "stride") {
      Result<std::vector<int64_t>> sizes =
          sizesOfJson(member, "the " + key + " of '" + name + "'");
      if (!sizes)
        return sizes.failure();
      (key == "shape" ? facts.shape : facts.stride) = std::move(*sizes);
    } else {
      static const std::vector<std::string> known = {"shape", "dtype", "stride",
                                                     "align"};
      if (std::find(known.begin(), known.end(), key) == known.end())
        return wrong("'" + name + "': " + unknown("member", key, known));
      return wrong("'" + key + "' of '" + name + "' is " + member.dump() +
                   (key == "align" ? ", expected a power of two up to 128"
                                   : ", expected a string"));
    }
  }
  if (!sizeOfDtype(facts.dtype))
    return wrong("'" + name +
                 "': " + unknown("type", facts.dtype, dtypeNames()));
  for (int64_t size : facts.shape)
    if (size < 0)
      return wrong("the shape of '" + name + "' has " + std::to_string(size));
  int64_t count = 1;
  for (int64_t size : facts.shape)
    if (size && __builtin_mul_overflow(count, size, &count))
      return wrong("'" + name + "' has too many elements");
  if (!json.contains("stride"))
    facts.stride = rowMajor(facts.shape);
  if (facts.stride.size() != facts.shape.size())
    return wrong("'" + name + "' has " + std::to_string(facts.stride.size()) +
                 " strides, expected " + std::to_string(facts.shape.size()));
  return facts;
}

static Result<std::vector<NamedTensors>> tensorsOfJson(const Json &json,
                                                       const char *what) {
  std::vector<NamedTensors> list;
  if (!json.is_object())
    return wrong(std::string("'") + what + "' is not a JSON object");
  for (const auto &[name, member] : json.items()) {
    NamedTensors tensors;
    tensors.name = name;
    tensors.isList = member.is_array();
    Json members = tensors.isList ? member : Json::array({member});
    for (const Json &each : members) {
      Result<TensorFacts> facts = tensorOfJson(each, name);
      if (!facts)
        return facts.failure();
      tensors.members.push_back(std::move(*facts));
    }
    list.push_back(std::move(tensors));
  }
  return list;
}

static Result<std::vector<std::pair<std::string, Value>>>
valuesOfJson(const Json &json, const char *what) {
  std::vector<std::pair<std::string, Value>> list;
  if (!json.is_object())
    return wrong(std::string("'") + what + "' is not a JSON object");
  for (const auto &[name, member] : json.items()) {
    Result<Value> value = valueOfJson(member);
    if (!value)
      return wrong("'" + name + "': " + value.failure().text);
    if (value->isObject())
      return wrong("'" + name + "' is an object, expected a value");
    list.emplace_back(name, std::move(*value));
  }
  return list;
}

Result<RequestedCall> callOfJson(std::string_view text) {
  Json json = Json::parse(text.empty() ? "{}" : text, nullptr, false);
  if (!json.is_object())
    return wrong("the call is not a JSON object");
  RequestedCall call;
  for (const auto &[key, member] : json.items()) {
    if (key == "inputs" || key == "outputs") {
      auto tensors = tensorsOfJson(member, key.c_str());
      if (!tensors)
        return tensors.failure();
      (key == "inputs" ? call.facts.inputs : call.facts.outputs) =
          std::move(*tensors);
    } else if (key == "attributes") {
      auto values = valuesOfJson(member, "attributes");
      if (!values)
        return values.failure();
      for (auto &[name, value] : *values)
        call.facts.attributes.push_back({name, std::move(value)});
    } else if (key == "configuration") {
      Result<Wanted> wanted = wantedOfJson(member);
      if (!wanted)
        return wanted.failure();
      call.wanted = std::move(*wanted);
    } else {
      return wrong("the call: " + unknown("member", key,
                                          {"inputs", "outputs", "attributes",
                                           "configuration"}));
    }
  }
  return call;
}

static Json jsonOf(const TensorFacts &facts) {
  return {{"shape", facts.shape},
          {"dtype", facts.dtype},
          {"stride", facts.stride},
          {"align", facts.align}};
}

static Json jsonOf(const std::vector<NamedTensors> &list) {
  Json json = Json::object();
  for (const NamedTensors &each : list) {
    Json members = Json::array();
    for (const TensorFacts &facts : each.members)
      members.push_back(jsonOf(facts));
    json[each.name] = each.isList ? members : members[0];
  }
  return json;
}

Json jsonOfCall(const CallFacts &call) {
  Json attributes = Json::object();
  for (const NamedValue &attribute : call.attributes)
    attributes[attribute.name] = jsonOfValue(attribute.value);
  Json json = {{"inputs", jsonOf(call.inputs)}};
  if (!call.outputs.empty())
    json["outputs"] = jsonOf(call.outputs);
  if (!attributes.empty())
    json["attributes"] = std::move(attributes);
  return json;
}

// ---------------------------------------------------------------- packs

Json reportOf(const Packs &packs) {
  Json list = Json::array(), problems = Json::array();
  for (const std::unique_ptr<Pack> &pack : packs.packs()) {
    Json layers = Json::array();
    size_t operators = 0, configurations = 0;
    for (const Layer &layer : pack->layers()) {
      layers.push_back(pack->labelOf(layer));
      operators += layer.operators.size();
      configurations += layer.configs.operators().size();
    }
    list.push_back({{"vendor", pack->vendor().name},
                    {"directory", pack->directory()},
                    {"targets", pack->vendor().targets},
                    {"operators", operators},
                    {"configurations", configurations},
                    {"layers", layers}});
  }
  for (const Problem &problem : packs.problems())
    problems.push_back({{"file", problem.file},
                        {"line", problem.line},
                        {"column", problem.column},
                        {"text", problem.text}});
  return {{"packs", list}, {"problems", problems}};
}

// Every layer, the generic ones last, where there is no target to choose for.
static std::vector<Applied> allLayers(const Packs &packs) {
  std::vector<Applied> layers;
  for (int level = Layer::User; level >= Layer::Generic; --level)
    for (const std::unique_ptr<Pack> &pack : packs.packs())
      for (const Layer &layer : pack->layers())
        if (layer.level == level)
          layers.push_back({pack.get(), &layer});
  return layers;
}

Json listOperators(const Packs &packs, const TargetFacts *target) {
  std::vector<Applied> layers =
      target ? packs.layersFor(*target) : allLayers(packs);
  Json list = Json::array();
  for (const std::string &name : packs.operatorNames()) {
    Json labels = Json::array(), disabled;
    size_t variants = 0;
    for (const Applied &applied : layers) {
      if (const std::string *reason =
              target ? disabledBy(applied, name) : nullptr) {
        if (labels.empty())
          disabled = *reason;
        break;
      }
      auto found = applied.layer->operators.find(name);
      if (found == applied.layer->operators.end())
        continue;
      labels.push_back(applied.pack->labelOf(*applied.layer));
      variants += found->second.variants.size();
    }
    if (!labels.empty() || !disabled.is_null())
      list.push_back({{"operator", name},
                      {"layers", labels},
                      {"variants", variants},
                      {"disabled", disabled}});
  }
  return list;
}

static Json jsonOf(const Variant &variant) {
  Json kernels = Json::array();
  for (const Step &step : variant.steps)
    kernels.push_back(step.file.substr(step.file.rfind('/') + 1) + ":" +
                      step.function);
  return {
      {"name", variant.name},
      {"line", variant.line},
      {"when", variant.when ? Json(variant.when->expression.text()) : Json()},
      {"kernels", kernels},
      {"tune", variant.tune}};
}

Result<Json> showOperator(const Packs &packs, std::string_view name) {
  Json layers = Json::array();
  const Operator *any = nullptr;
  for (const Applied &applied : allLayers(packs)) {
    auto found = applied.layer->operators.find(name);
    if (found == applied.layer->operators.end())
      continue;
    any = &found->second;
    Json variants = Json::array();
    for (const Variant &variant : any->variants)
      variants.push_back(jsonOf(variant));
    layers.push_back({{"layer", applied.pack->labelOf(*applied.layer)},
                      {"file", any->file},
                      {"variants", variants}});
  }
  if (!any)
    return Failure{NEREID_NOT_FOUND,
                   unknown("operator", name, packs.operatorNames())};
  Json aten = Json::object();
  for (const auto &[overload, names] : any->aten) {
    aten[overload] = Json::object();
    for (const auto &[own, atens] : names)
      aten[overload][own] = atens;
  }
  return Json{{"operator", any->name},
              {"schema", jsonOf(any->schema)},
              {"backward", any->backward},
              {"aten", aten},
              {"layers", layers}};
}

// ---------------------------------------------------------------- a choice

static Json jsonOf(const Selection &selection, const SelectedArgument &from) {
  Json items = Json::array();
  for (const SelectedItem &item : from.items) {
    if (item.tensor != SelectedItem::none) {
      const SelectedTensor &tensor = selection.tensors[item.tensor];
      bool isMember = tensor.member || from.isTuple;
      items.push_back(
          tensor.name +
          (isMember ? "[" + std::to_string(tensor.member) + "]" : ""));
    } else if (!item.attribute.empty()) {
      items.push_back("attribute " + item.attribute);
    } else {
      items.push_back(jsonOfValue(item.value));
    }
  }
  return from.isTuple ? items : items[0];
}

static Json jsonOf(const Selection &selection, const SelectedLaunch &launch) {
  Json arguments = Json::object(), constants = Json::object(),
       options = Json::object();
  for (const SelectedArgument &argument : launch.arguments)
    arguments[argument.name] = jsonOf(selection, argument);
  for (const NamedValue &constant : launch.constants)
    constants[constant.name] = jsonOfValue(constant.value);
  for (const NamedValue &option : launch.options)
    options[option.name] = jsonOfValue(option.value);
  return {{"kernel", launch.file.filename().string() + ":" + launch.function},
          {"grid", launch.grid},
          {"arguments", arguments},
          {"constants", constants},
          {"options", options}};
}

static Json jsonOf(const SelectedTensor &tensor) {
  static constexpr const char *roles[] = {"input", "output", "temporary"};
  return {{"role", roles[static_cast<int>(tensor.role)]},
          {"name", tensor.name},
          {"member", tensor.member},
          {"copied", tensor.isCopied},
          {"dtype", tensor.facts.dtype},
          {"shape", tensor.facts.shape},
          {"stride", tensor.facts.stride}};
}

static Json jsonOf(const Trial &trial) {
  return {{"layer", trial.layer},
          {"variant", trial.variant},
          {"taken", trial.isTaken},
          {"reason", trial.reason}};
}

// The search space of the variant: where it is, and how large for this call.
static Json tuningOf(const Plan &plan) {
  if (!plan.tuned)
    return nullptr;
  Result<std::vector<Configuration>> list = expand(*plan.tuned, Search::Usual);
  return {{"entry", plan.tuned->name},
          {"layer", plan.tunedBy.pack->labelOf(*plan.tunedBy.layer)},
          {"configurations", list ? Json(list->size()) : Json()}};
}

Result<Json> explainCall(const Packs &packs, const TargetFacts &target,
                         std::string_view name, const RequestedCall &call) {
  std::vector<Trial> trials;
  Result<Plan> plan = select(packs, target, name, call.facts,
                             call.wanted ? &*call.wanted : nullptr, &trials);
  if (!plan)
    return plan.failure();
  const Selection &selection = plan->selection;
  Json tensors = Json::array(), launches = Json::array(),
       considered = Json::array();
  for (const SelectedTensor &tensor : selection.tensors)
    tensors.push_back(jsonOf(tensor));
  for (const SelectedLaunch &launch : selection.launches)
    launches.push_back(jsonOf(selection, launch));
  for (const Trial &trial : trials)
    considered.push_back(jsonOf(trial));
  return Json{
      {"operator", selection.op},
      {"layer", selection.layer},
      {"variant", selection.variant},
      {"file", plan->op->file},
      {"line", plan->variant ? plan->variant->line : plan->op->line},
      {"launches", launches},
      {"tensors", tensors},
      {"deciding_attributes", selection.decidingAttributes},
      {"key", plan->key.empty() ? Json() : Json::parse(plan->key)},
      {"bucket", plan->bucket.empty() ? Json() : Json::parse(plan->bucket)},
      {"tune", tuningOf(*plan)},
      {"considered", considered}};
}

Result<Json> explainCall(const Packs &packs, const TargetFacts &target,
                         std::string_view name, std::string_view text) {
  Result<RequestedCall> call = callOfJson(text);
  if (!call)
    return call.failure();
  return explainCall(packs, target, name, *call);
}

} // namespace nereid::ops
