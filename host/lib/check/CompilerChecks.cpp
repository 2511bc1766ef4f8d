// CompilerChecks.cpp - conformance of options and stages.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "abi/Call.h"
#include "check/Check.h"
#include "compile/Pipeline.h"
#include "support/Json.h"

#include <algorithm>

namespace nereid::host {

static Target ownTarget(CheckedPlugin &subject) {
  (void)subject.ownCompiler();
  return subject.target();
}

static std::vector<OptionSchema> schemaOf(CheckedPlugin &subject,
                                          const Target &target) {
  Result<std::vector<OptionSchema>> schema =
      readSchema(subject.ownCompiler(), target.get(), &subject.log);
  if (!schema)
    throw CheckFailed{schema.failure().text};
  return std::move(*schema);
}

static ParsedOptions parse(CheckedPlugin &subject, const Target &target,
                           std::span<const nereid_value_t> values) {
  Result<ParsedOptions> parsed = ParsedOptions::parse(
      subject.ownCompiler(), target.get(), values, &subject.log);
  if (!parsed)
    throw CheckFailed{parsed.failure().text};
  return std::move(*parsed);
}

static nereid_value_t textOption(const OptionSchema &option) {
  nereid_value_t value = {};
  value.name = borrow(option.name);
  value.type = NEREID_TYPE_STRING;
  value.text = borrow(option.defaultValue);
  return value;
}

static void checkSchema(CheckedPlugin &subject) {
  Target target = ownTarget(subject);
  std::vector<std::string> names;
  for (const OptionSchema &option : schemaOf(subject, target)) {
    expect(!option.doc.empty(), "option '" + option.name + "' has no doc");
    expect(std::find(names.begin(), names.end(), option.name) == names.end(),
           "two options have the name '" + option.name + "'");
    names.push_back(option.name);
    nereid_value_t value = textOption(option);
    Result<Values> converted = convertOptions({&value, 1}, {option});
    expect(bool(converted), "the default is not legal: " +
                                (converted ? "" : converted.failure().text));
  }
}

// An option that is not set has its default.
static void checkDefaults(CheckedPlugin &subject) {
  Target target = ownTarget(subject);
  std::vector<OptionSchema> schema = schemaOf(subject, target);
  std::vector<nereid_value_t> values;
  for (const OptionSchema &option : schema)
    values.push_back(textOption(option));
  ParsedOptions none = parse(subject, target, {});
  ParsedOptions all = parse(subject, target, values);
  expect(none.canonical() == all.canonical(),
         "the canonical text without options is '" + none.canonical() +
             "', but with every default written out it is '" + all.canonical() +
             "'");
}

static void checkCanonicalText(CheckedPlugin &subject) {
  Target target = ownTarget(subject);
  std::vector<OptionSchema> schema = schemaOf(subject, target);
  std::vector<nereid_value_t> values;
  for (const OptionSchema &option : schema)
    values.push_back(textOption(option));
  std::string forward = parse(subject, target, values).canonical();
  std::string again = parse(subject, target, values).canonical();
  expect(forward == again, "the canonical text of the same options is '" +
                               forward + "' and then '" + again + "'");
  std::reverse(values.begin(), values.end());
  std::string backward = parse(subject, target, values).canonical();
  expect(forward == backward,
         "the canonical text depends on the order of the options");
}

static void checkUnknownOption(CheckedPlugin &subject) {
  Target target = ownTarget(subject);
  Plugin &plugin = subject.ownCompiler();
  nereid_value_t value = {};
  value.name = borrow("no.such.option");
  value.type = NEREID_TYPE_I64;
  nereid_target_t raw = target.get();
  nereid_options_t *options = nullptr;
  Call call(&subject.log, plugin.info);
  std::string text;
  StringWriter canonical(text, call);
  // Past the host's own check, which knows the schema.
  nereid_status_t status = call.run([&] {
    return plugin.compiler.parse_options(plugin.state, &raw, &value, 1,
                                         canonical.get(), &options, call.get());
  });
  expect(status != NEREID_OK,
         "parse_options accepts the unknown option 'no.such.option'");
  expect(call.hasReason(), "parse_options refuses an unknown option without "
                           "a diagnostic");
}

static void checkStages(CheckedPlugin &subject) {
  Target target = ownTarget(subject);
  ParsedOptions options = parse(subject, target, {});
  Json seen;
  for (int i = 0; i < 2; ++i) {
    Result<std::vector<Stage>> stages =
        readStages(subject.ownCompiler(), options, &subject.log);
    if (!stages)
      throw CheckFailed{stages.failure().text};
    for (const Stage &stage : *stages)
      expect(!stage.extension.empty(),
             "stage '" + stage.name + "' has no extension for its dump");
    Json now = stagesJson(*stages);
    expect(i == 0 || now == seen,
           "visit_stages returns other stages when it is called again");
    seen = std::move(now);
  }
}

static void checkNullHandles(CheckedPlugin &subject) {
  Plugin &plugin = subject.ownCompiler();
  Call call(&subject.log, plugin.info);
  nereid_status_t status = call.run([&] {
    return plugin.compiler.destroy_options(plugin.state, nullptr, call.get());
  });
  if (status != NEREID_OK)
    throw CheckFailed{call.failure(status, "destroy_options").text};
  if (!plugin.compiler.has(&nereid_compiler_t::end))
    return;
  status = call.run(
      [&] { return plugin.compiler.end(plugin.state, nullptr, call.get()); });
  if (status != NEREID_OK)
    throw CheckFailed{call.failure(status, "end").text};
}

std::span<const Check> compilerChecks() {
  static constexpr Check checks[] = {
      {"option-schema", checkSchema,
       "Every option has a unique name, a description and a legal default."},
      {"option-defaults", checkDefaults,
       "An option that is not set has its default."},
      {"option-canonical-text", checkCanonicalText,
       "The canonical text does not depend on the order of the options."},
      {"unknown-option-refused", checkUnknownOption,
       "`parse_options` refuses an unknown option and says why."},
      {"stages", checkStages,
       "The stages are the same each time and have extensions."},
      {"compiler-accepts-null", checkNullHandles,
       "Functions that destroy a handle accept NULL."},
  };
  return checks;
}

} // namespace nereid::host
