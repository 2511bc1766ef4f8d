// OpsVerb.cpp - `nereid ops`: which operators there are, and which kernels a
// call of one takes.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "OperatorCall.h"
#include "Target.h"
#include "Text.h"
#include "Verb.h"

#include "nereid/ops.h"
#include "text/Suggestions.h"

#include <algorithm>

namespace nereid::tool {

namespace {

struct Options : OperatorCallOptions {
  std::string action, name, target, packDirs;
};

using Ops = detail::Owner<nereid_ops_t, nereid_ops_destroy>;
using OpsDevice = detail::Owner<nereid_ops_device_t, nereid_ops_device_destroy>;

/// The target of a choice, and what its strings borrow.
struct OpsTarget {
  std::string type, arch, compiler, properties;
  // Where there is a device.
  nereid_runtime_t *runtime = nullptr;
  nereid_backend_t *backend = nullptr;
  uint32_t device = 0;

  nereid_ops_target_t get() const {
    auto target = detail::sized<nereid_ops_target_t>();
    target.device_type = detail::borrow(type);
    target.arch = detail::borrow(arch);
    target.compiler = detail::borrow(compiler);
    target.properties = detail::borrow(properties);
    return target;
  }
  std::string name() const { return type + (arch.empty() ? "" : ":" + arch); }
};

} // namespace

static std::string problemText(const Json &problem) {
  std::string place = problem.value("file", "");
  if (uint64_t line = problem.value("line", uint64_t(0)))
    place += ":" + std::to_string(line) + ":" +
             std::to_string(problem.value("column", uint64_t(0)));
  return place + ": " + problem.value("text", "");
}

// Reads the packs; what is wrong with them is shown, and is in `report`.
static Expected<Ops> open(Session &session, const Options &options,
                          Json &report) {
  auto request = detail::sized<nereid_ops_options_t>();
  request.pack_dirs = detail::borrow(options.packDirs);
  nereid_ops_t *handle = nullptr;
  nereid_status_t status = nereid_ops_create(&request, &handle);
  if (status != NEREID_OK)
    return detail::lastError(status);
  Ops ops(handle);
  nereid_buffer_t *buffer = nullptr;
  status = nereid_ops_report(ops.get(), &buffer);
  Expected<Json> read = takeJson(status, buffer);
  if (!read)
    return read.error();
  report = std::move(*read);
  for (const Json &problem : report["problems"])
    session.output.message({NEREID_OK, "warning: " + problemText(problem)});
  return ops;
}

// The driver of that name without a device: its operators can be chosen as far
// as that needs no facts of a device.
static Expected<OpsTarget> withoutDevice(Runtime &runtime,
                                         const std::string &name, Error error) {
  nereid_backend_t *handle = nullptr;
  if (name.empty() || name.find(':') != name.npos ||
      nereid_runtime_backend(runtime.get(), detail::borrow(name), &handle) !=
          NEREID_OK)
    return error;
  OpsTarget target;
  target.type = detail::view(Backend(handle).info().device_type);
  return target;
}

static Expected<OpsTarget> findTarget(Session &session,
                                      const std::string &name) {
  OpsTarget target;
  if (TargetText::isInFull(name)) {
    Expected<TargetText> parsed = TargetText::parse(name);
    if (!parsed)
      return parsed.error();
    target.type = parsed->deviceType;
    target.arch = parsed->arch;
    return target;
  }
  Expected<Runtime *> runtime = session.runtime();
  if (!runtime)
    return runtime.error();
  Expected<Runtime::Choice> chosen = (*runtime)->choose(name);
  if (!chosen)
    return withoutDevice(**runtime, name, chosen.error());
  auto facts = detail::sized<nereid_target_t>();
  nereid_status_t status =
      nereid_backend_target(chosen->backend.get(), chosen->device, &facts);
  if (status != NEREID_OK)
    return detail::lastError(status);
  target.runtime = (*runtime)->get();
  target.backend = chosen->backend.get();
  target.device = chosen->device;
  target.type = detail::view(facts.backend);
  target.arch = detail::view(facts.arch);
  Expected<std::string> properties = chosen->backend.properties(chosen->device);
  if (!properties)
    return properties.error();
  target.properties = *properties;
  if (auto compiler = compilerFor(chosen->backend, chosen->device)) {
    nereid_backend_info_t info = compiler->info();
    target.compiler = std::string(detail::view(info.id)) + "-" +
                      std::string(detail::view(info.version));
  }
  return target;
}

// ---------------------------------------------------------------- list, show

static std::string joined(const Json &words, const char *separator) {
  std::string text;
  for (const Json &word : words)
    text += (text.empty() ? "" : separator) + word.get<std::string>();
  return text;
}

static Expected<int> list(Session &session, const Options &options) {
  Json report;
  Expected<Ops> ops = open(session, options, report);
  if (!ops)
    return ops.error();
  std::optional<OpsTarget> target;
  if (!options.target.empty()) {
    Expected<OpsTarget> found = findTarget(session, options.target);
    if (!found)
      return found.error();
    target = std::move(*found);
  }
  nereid_ops_target_t facts = target ? target->get() : nereid_ops_target_t{};
  nereid_buffer_t *buffer = nullptr;
  nereid_status_t status =
      nereid_ops_list(ops->get(), target ? &facts : nullptr, &buffer);
  Expected<Json> operators = takeJson(status, buffer);
  if (!operators)
    return operators.error();
  session.output.document({{"operators", *operators},
                           {"packs", report["packs"]},
                           {"problems", report["problems"]}});
  Table table({"operator", "variants", "layers"});
  table.alignRight(1);
  for (const Json &op : *operators) {
    const Json &disabled = op["disabled"];
    table.add({op.value("operator", ""), op["variants"].dump(),
               disabled.is_string() ? "disabled: " + disabled.get<std::string>()
                                    : joined(op["layers"], ", ")});
  }
  size_t count = operators->size();
  session.output.text((count ? table.text() : "") + std::to_string(count) +
                      (count == 1 ? " operator" : " operators") + " in " +
                      std::to_string(report["packs"].size()) +
                      (report["packs"].size() == 1 ? " pack\n" : " packs\n"));
  if (report["packs"].empty())
    session.output.message(
        {NEREID_OK, "note: no pack was found; NEREID_PACK_DIRS names the "
                    "directories to look in"});
  return exitOk;
}

static Expected<Json> describe(const Ops &ops, const std::string &name) {
  nereid_buffer_t *buffer = nullptr;
  nereid_status_t status =
      nereid_ops_show(ops.get(), detail::borrow(name), &buffer);
  return takeJson(status, buffer);
}

static std::string rankText(const Json &rank) {
  return rank[0] == rank[1] ? rank[0].dump()
                            : rank[0].dump() + " to " + rank[1].dump();
}

static std::string schemaText(const Json &schema) {
  Table table({"", "name", "type", "rank", "default"});
  for (const Json &input : schema["inputs"]) {
    const Json &dtype = input["dtype"];
    table.add(
        {"input", input.value("name", ""),
         dtype.is_string() ? dtype.get<std::string>() : joined(dtype, " "),
         rankText(input["rank"]),
         input.value("optional", false) ? "may be missing" : ""});
  }
  for (const Json &attribute : schema["attributes"])
    table.add(
        {"attribute", attribute.value("name", ""), attribute.value("type", ""),
         "", attribute.contains("default") ? attribute["default"].dump() : ""});
  for (const Json &output : schema["outputs"])
    table.add({"output", output.value("name", ""), output.value("dtype", ""),
               "", output.value("shape", "")});
  return table.text();
}

static Expected<int> show(Session &session, const Options &options) {
  Json report;
  Expected<Ops> ops = open(session, options, report);
  if (!ops)
    return ops.error();
  Expected<Json> op = describe(*ops, options.name);
  if (!op)
    return op.error();
  session.output.document(*op);
  std::string text = schemaText((*op)["schema"]);
  for (const Json &layer : (*op)["layers"]) {
    text +=
        '\n' + layer.value("layer", "") + ", " + layer.value("file", "") + '\n';
    Table table({"variant", "line", "kernels", "tuned by", "when"});
    table.alignRight(1);
    for (const Json &variant : layer["variants"]) {
      const Json &when = variant["when"];
      table.add({variant.value("name", ""), variant["line"].dump(),
                 joined(variant["kernels"], ", "), variant.value("tune", ""),
                 when.is_string() ? when.get<std::string>() : "always"});
    }
    text += table.text();
  }
  session.output.text(text);
  return exitOk;
}

// ---------------------------------------------------------------- explain

static std::string settingsText(const Json &settings) {
  std::string text;
  for (const auto &[name, value] : settings.items())
    text += (text.empty() ? "" : " ") + name + '=' +
            (value.is_string() ? value.get<std::string>() : value.dump());
  return text;
}

// What tuned results said, a line each.
static std::string tunedText(const Json &tuned) {
  std::string text;
  const Json &choice = tuned.contains("choice") ? tuned["choice"] : tuned;
  if (!choice.is_object() || !choice.contains("trust"))
    return tuned.value("mode", "") == "off" ? "tuned results are not used\n"
                                            : "no tuned result is used\n";
  text = "tuned result: " + choice.value("variant", "") + " " +
         settingsText(choice["configuration"]) + ", " +
         choice.value("match", "") + " key, " + choice.value("trust", "") +
         " origin\n";
  return text;
}

static std::string verdictsText(const Json &tuned) {
  if (!tuned.contains("considered") || tuned["considered"].empty())
    return "";
  Table table({"tuned result", "key", "origin", "verdict"});
  for (const Json &each : tuned["considered"])
    table.add(
        {each.value("variant", "") + " " + settingsText(each["configuration"]),
         each.value("match", ""), each.value("trust", ""),
         each.value("verdict", "")});
  return '\n' + table.text();
}

static std::string choiceText(const Json &choice, const OpsTarget &target) {
  std::string text =
      choice.value("operator", "") + " on " + target.name() + ": ";
  std::string variant = choice.value("variant", "");
  text += variant.empty() ? "nothing is launched, by "
                          : "variant '" + variant + "' of ";
  text += choice.value("layer", "") + '\n' + choice.value("file", "") + ":" +
          choice["line"].dump() + "\n\n";
  for (const Json &launch : choice["launches"]) {
    const Json &grid = launch["grid"];
    text += "launch     " + launch.value("kernel", "") + ", grid " +
            grid[0].dump() + " x " + grid[1].dump() + " x " + grid[2].dump() +
            "\n  arguments  " + settingsText(launch["arguments"]) +
            "\n  constants  " + settingsText(launch["constants"]) +
            "\n  options    " + settingsText(launch["options"]) + '\n';
  }
  Table tensors({"tensor", "name", "type", "shape", ""});
  for (const Json &tensor : choice["tensors"])
    tensors.add(
        {tensor.value("role", ""), tensor.value("name", ""),
         tensor.value("dtype", ""), tensor["shape"].dump(),
         tensor.value("copied", false) ? "copied to row-major first" : ""});
  if (!choice["tensors"].empty())
    text += '\n' + tensors.text();
  if (choice["key"].is_object())
    text += "\ntuning key " + settingsText(choice["key"]) + '\n';
  if (const Json &tune = choice["tune"]; tune.is_object())
    text += "tuned over " + tune["configurations"].dump() +
            " configurations of '" + tune.value("entry", "") + "' in " +
            tune.value("layer", "") + '\n';
  if (choice.contains("tuned"))
    text += tunedText(choice["tuned"]);
  Table considered({"layer", "variant", "", "why"});
  for (const Json &trial : choice["considered"])
    considered.add({trial.value("layer", ""), trial.value("variant", ""),
                    trial.value("taken", false) ? "taken" : "rejected",
                    trial.value("reason", "")});
  text += '\n' + considered.text();
  return choice.contains("tuned") ? text + verdictsText(choice["tuned"]) : text;
}

// What the call launches: on a device with its tuned results, on a target that
// is not here without.
static Expected<Json> explainOn(const OpsTarget &target, const Ops &ops,
                                const std::string &name,
                                const std::string &call) {
  nereid_buffer_t *buffer = nullptr;
  if (target.backend) {
    auto load = detail::sized<nereid_ops_load_t>();
    load.runtime = target.runtime;
    load.backend = target.backend;
    load.device = target.device;
    nereid_ops_device_t *handle = nullptr;
    nereid_status_t status = nereid_ops_load(ops.get(), &load, &handle);
    if (status == NEREID_OK) {
      OpsDevice device(handle);
      status = nereid_ops_device_explain(device.get(), detail::borrow(name),
                                         detail::borrow(call), &buffer);
      return takeJson(status, buffer);
    }
    // A mode that is misspelt; without a compiler, packs still choose.
    if (status == NEREID_INVALID_ARGUMENT)
      return detail::lastError(status);
  }
  nereid_ops_target_t facts = target.get();
  nereid_status_t status = nereid_ops_explain(
      ops.get(), &facts, detail::borrow(name), detail::borrow(call), &buffer);
  return takeJson(status, buffer);
}

static Expected<int> explain(Session &session, const Options &options) {
  Json report;
  Expected<Ops> ops = open(session, options, report);
  if (!ops)
    return ops.error();
  Expected<Json> op = describe(*ops, options.name);
  if (!op)
    return op.error();
  Expected<Json> given = makeCall((*op)["schema"], options);
  if (!given)
    return given.error();
  Expected<OpsTarget> target = findTarget(session, options.target);
  if (!target)
    return target.error();
  std::string call = given->dump();
  Expected<Json> choice = explainOn(*target, *ops, options.name, call);
  if (!choice)
    return choice.error();
  (*choice)["target"] = target->name();
  session.output.document(*choice);
  session.output.text(choiceText(*choice, *target));
  return exitOk;
}

static Expected<int> manage(Session &session, const Options &options) {
  static const std::vector<std::string> names = {"list", "show", "explain"};
  if (std::find(names.begin(), names.end(), options.action) == names.end())
    return invalid("unknown action '" + options.action + "'" +
                   suggestNames(options.action, names));
  if (options.action == "list" && !options.name.empty())
    return invalid("'ops list' takes no OPERATOR");
  if (options.action != "list" && options.name.empty())
    return invalid("'ops " + options.action + "' takes an OPERATOR");
  if (options.action != "explain")
    for (auto [name, given] : {std::pair("--shape", &options.shapes),
                               std::pair("--dtype", &options.dtypes),
                               std::pair("--stride", &options.strides),
                               std::pair("--attribute", &options.attributes)})
      if (!given->empty())
        return invalid(std::string(name) + " does not belong to 'ops " +
                       options.action + "'");
  if (options.action == "list")
    return list(session, options);
  return options.action == "show" ? show(session, options)
                                  : explain(session, options);
}

Verb opsVerb() {
  auto options = std::make_shared<Options>();
  return {"ops",
          "list operators, or explain which kernel a call takes",
          "ops list|show|explain [OPERATOR] [options]",
          "list                the operators of all packs, or for --target\n"
          "show OPERATOR       its inputs, and the variants in each layer\n"
          "explain OPERATOR    what a call launches, and why:\n"
          "                    ops explain softmax --shape 4096x1024 "
          "--dtype f16\n",
          {{"ACTION", &options->action, "", "", true},
           {"OPERATOR", &options->name, "", ""},
           {"--target", &options->target, "TARGET",
            "for this device or target in full"},
           {"--packs", &options->packDirs, "DIRS",
            "look for packs there instead of NEREID_PACK_DIRS"},
           {"--shape", &options->shapes, "[NAME=]SIZES",
            "explain: of an input, as 4096x1024 or scalar"},
           {"--dtype", &options->dtypes, "[NAME=]TYPE",
            "explain: of all inputs, or of one; by default f32"},
           {"--stride", &options->strides, "NAME=STEPS",
            "explain: of an input, in elements"},
           {"-A,--attribute", &options->attributes, "NAME=VALUE",
            "explain: an attribute"}},
          [options](Session &session) { return manage(session, *options); }};
}

} // namespace nereid::tool
