// PackKernels.cpp - prepares calls as a device would, and keeps the kernels.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "call/PackKernels.h"

#include "call/Preparation.h"
#include "expr/Json.h"
#include "select/Candidates.h"
#include "select/Describe.h"
#include "store/Lookup.h"
#include "store/Places.h"
#include "support/Json.h"

#include <algorithm>

namespace nereid::ops {

using host::Json;

// ---------------------------------------------------------------- calls

static Json jsonOfTree(const yaml::Node &node) {
  if (node.isScalar())
    return jsonOfValue(node.value);
  Json json = node.isSequence() ? Json::array() : Json::object();
  for (const yaml::NodePtr &item : node.items)
    json.push_back(jsonOfTree(*item));
  for (const yaml::Entry &entry : node.entries)
    json[entry.key->text] = jsonOfTree(*entry.value);
  return json;
}

Result<std::vector<NamedCall>> readCalls(std::string_view text,
                                         const std::string &name) {
  Result<yaml::NodePtr> root = yaml::parse(text, name);
  if (!root)
    return root.failure();
  if (!(*root)->isSequence())
    return yaml::failureAt(name, **root, "expected a list of calls");
  std::vector<NamedCall> calls;
  for (const yaml::NodePtr &item : (*root)->items) {
    const yaml::Node *op = item->find("operator");
    if (!op || !op->isString())
      return yaml::failureAt(name, *item, "expected a call with an 'operator'");
    Json json = jsonOfTree(*item);
    json.erase("operator");
    Result<RequestedCall> call = callOfJson(json.dump());
    if (!call)
      return yaml::failureAt(name, *item, call.failure().text);
    calls.push_back({op->text,
                     name + ":" + std::to_string(item->line),
                     std::move(call->facts),
                     std::move(call->wanted),
                     {}});
  }
  return calls;
}

// ---------------------------------------------------------------- kernels

namespace {

/// Makes TTIR and keeps it, in place of loading kernels.
class Collector : public KernelProvider {
public:
  Collector(std::string directory, KernelMaker &maker, PackKernels &out)
      : root(std::move(directory) + "/"), maker(maker), out(out) {}

  Result<UsableKernel> kernel(const WantedKernel &wanted) override;

private:
  const std::string root;
  KernelMaker &maker;
  PackKernels &out;
};

} // namespace

// What a compiled kernel would say of an argument, as far as the layout of a
// call depends on it.
static LoadedKernel::Argument argumentOf(const KernelArgument &argument,
                                         const Json &arguments) {
  std::string type;
  for (const Json &each : arguments)
    if (each["name"] == argument.name)
      type = each.contains("items")
                 ? each["items"][argument.item].value("type", "")
                 : each.value("type", "");
  return {0, 0, argument.name, std::move(type)};
}

Result<UsableKernel> Collector::kernel(const WantedKernel &wanted) {
  Result<KernelText> text = maker.make(wanted.request);
  if (!text)
    return text.failure();
  auto kernel = std::make_shared<LoadedKernel>(nullptr);
  Json arguments = Json::parse(wanted.request.arguments);
  for (const KernelArgument &argument : text->arguments)
    kernel->arguments.push_back(argumentOf(argument, arguments));
  std::string file = wanted.request.file.string();
  // Those of other packs are in their archives.
  if (file.starts_with(root)) {
    PackKernel made;
    made.name = archivedName(wanted, file.substr(root.size()));
    made.where = wanted.where;
    made.ttir = std::move(text->ttir);
    for (const KernelArgument &argument : text->arguments)
      made.arguments.push_back(archivedArgument(argument));
    for (const NamedValue &option : wanted.options)
      if (!option.value.isNone())
        made.options.emplace_back(option.name, optionText(option.value));
    if (std::ranges::none_of(out.kernels, [&](const PackKernel &known) {
          return known.name == made.name;
        }))
      out.kernels.push_back(std::move(made));
  }
  return UsableKernel{std::move(kernel), std::move(text->arguments)};
}

// As a call from C has them: numbers that are not given have their defaults.
static void addDefaults(const Schema &schema, CallFacts &facts) {
  for (const AttributeSchema &attribute : schema.attributes) {
    bool isGiven =
        std::ranges::any_of(facts.attributes, [&](const NamedValue &each) {
          return each.name == attribute.name;
        });
    if (!isGiven && attribute.byDefault && attribute.byDefault->isNumber())
      facts.attributes.push_back({attribute.name, *attribute.byDefault});
  }
}

static CallLayout layoutOf(const Schema &schema) {
  CallLayout layout;
  for (const InputSchema &input : schema.inputs)
    layout.inputs.push_back({input.name, 0});
  for (const OutputSchema &output : schema.outputs)
    layout.outputs.push_back({output.name, 0});
  for (const AttributeSchema &attribute : schema.attributes)
    layout.attributes.push_back(attribute.name);
  return layout;
}

// The results of \p pack that a lookup on such a device may take: the best one
// of each key. They say which call they were measured with.
static std::vector<NamedCall> callsOfResults(const Pack &pack,
                                             const TargetFacts &target) {
  std::vector<NamedCall> calls;
  for (const auto &[op, rows] : pack.tunedOperators()) {
    std::vector<TunedResult> results;
    for (const KeyRows &key : rows.keys)
      for (const TunedResult &row : key.rows)
        if (row.device.architecture == target.arch)
          results.push_back(row);
    for (const auto &[place, configurations] : placesOf(results)) {
      const TunedResult *best = winnerOf(configurations);
      Result<RequestedCall> call =
          best && !best->note.empty() ? callOfJson(best->note) : wrong("");
      if (!call)
        continue;
      std::string where = "tuned " + op + " " + objectText(best->key);
      calls.push_back({op, where, call->facts, std::nullopt, {}});
      NamedCall tuned{op, std::move(where), std::move(call->facts),
                      Wanted{best->variant, std::nullopt}, best->configuration};
      calls.push_back(std::move(tuned));
    }
  }
  return calls;
}

// The results for the keys of \p calls that the pack has on other calls.
static std::vector<NamedCall>
callsWithResults(const Packs &packs, const Pack &pack,
                 const TargetFacts &target,
                 const std::vector<NamedCall> &calls) {
  std::vector<NamedCall> more;
  for (const NamedCall &call : calls) {
    const OperatorRows *rows = pack.tuned(call.op);
    Result<Plan> plan = rows && !call.wanted
                            ? select(packs, target, call.op, call.facts)
                            : Result<Plan>(wrong(""));
    if (!plan || !plan->variant)
      continue;
    std::vector<TunedResult> results;
    for (const KeyRows &key : rows->keys)
      for (const TunedResult &row : key.rows)
        if (row.device.architecture == target.arch &&
            (row.key == plan->key || row.bucket == plan->bucket))
          results.push_back(row);
    for (const auto &[place, configurations] : placesOf(results))
      if (const TunedResult *best = winnerOf(configurations)) {
        NamedCall tuned = call;
        tuned.wanted = Wanted{best->variant, std::nullopt};
        tuned.configuration = best->configuration;
        more.push_back(std::move(tuned));
      }
  }
  return more;
}

static Outcome addCall(const Packs &packs, const TargetFacts &target,
                       NamedCall call, Collector &collector) {
  if (!call.configuration.empty()) {
    Result<std::optional<Wanted>> found =
        findCandidate(packs, target, call.op, call.facts, call.wanted->variant,
                      call.configuration);
    if (!found)
      return found.failure();
    // The pack changed since it was measured; no lookup takes it either.
    if (!*found)
      return {};
    call.wanted = std::move(*found);
  }
  const Wanted *wanted = call.wanted ? &*call.wanted : nullptr;
  Result<Plan> first = select(packs, target, call.op, call.facts, wanted);
  if (!first)
    return first.failure();
  addDefaults(first->op->schema, call.facts);
  Selector choose = [&](std::string_view op, const CallFacts &facts,
                        const Wanted *given) -> Result<Selection> {
    Result<Plan> plan = select(packs, target, op, facts, given);
    if (!plan)
      return plan.failure();
    return std::move(plan->selection);
  };
  auto plan = prepare(collector, choose, call.op, call.facts,
                      layoutOf(first->op->schema), wanted);
  return plan ? Outcome() : Outcome(plan.failure());
}

PackKernels kernelsOf(const Packs &packs, const std::string &directory,
                      const TargetFacts &target,
                      const std::vector<NamedCall> &calls, KernelMaker &maker) {
  PackKernels out;
  Collector collector(directory, maker, out);
  std::vector<NamedCall> all = calls;
  auto append = [&](std::vector<NamedCall> more) {
    std::ranges::move(more, std::back_inserter(all));
  };
  for (const std::unique_ptr<Pack> &pack : packs.packs())
    if (pack->directory() == directory) {
      append(callsWithResults(packs, *pack, target, calls));
      append(callsOfResults(*pack, target));
    }
  for (const NamedCall &call : all)
    if (Outcome added = addCall(packs, target, call, collector); !added)
      out.failures.push_back({call.op + " (" + call.where + ")",
                              call.where + ": " + added.failure().text});
  return out;
}

} // namespace nereid::ops
