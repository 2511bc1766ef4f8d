// Options.cpp - reads the schema of a compiler's options and lets the plugin
// check values.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "compile/Options.h"

#include "abi/Call.h"
#include "abi/Struct.h"
#include "support/Json.h"

namespace nereid::host {

namespace {
/// Copies what a plugin adds.
struct SchemaSink {
  explicit SchemaSink(Call &call) : call(call) {}

  nereid_option_sink_t sink{sizeof(nereid_option_sink_t), 0, this, add};
  Call &call;
  std::vector<OptionSchema> schema;

  static nereid_status_t add(const nereid_option_sink_t *sink,
                             const nereid_option_t *option) noexcept;
};
} // namespace

static OptionSchema copyOption(const nereid_option_t &given) {
  nereid_option_t option = readStruct(given);
  OptionSchema copy;
  copy.type = option.type;
  copy.name = view(option.name);
  copy.doc = view(option.doc);
  copy.defaultValue = view(option.default_value);
  for (uint64_t i = 0; option.choices && i < option.choice_count; ++i)
    copy.choices.emplace_back(view(option.choices[i]));
  copy.minimum = option.minimum;
  copy.maximum = option.maximum;
  return copy;
}

nereid_status_t SchemaSink::add(const nereid_option_sink_t *sink,
                                const nereid_option_t *option) noexcept {
  SchemaSink &self = *static_cast<SchemaSink *>(sink->user);
  try {
    if (!option || !NEREID_HAS(option, name) || !option->name.size)
      return self.call.refuseMalformed("an option has no name");
    self.schema.push_back(copyOption(*option));
    return NEREID_OK;
  } catch (...) {
    return self.call.refuseForMemory();
  }
}

Result<std::vector<OptionSchema>> readSchema(const Plugin &plugin,
                                             const nereid_target_t &target,
                                             const Log *log,
                                             const Cancellation &cancellation) {
  if (!plugin.compiler.has(&nereid_compiler_t::visit_options))
    return std::vector<OptionSchema>();
  Call call(log, plugin.info, cancellation);
  SchemaSink sink(call);
  nereid_status_t status = call.run([&] {
    return plugin.compiler.visit_options(plugin.state, &target, &sink.sink,
                                         call.get());
  });
  if (status != NEREID_OK)
    return call.failure(status, "visit_options");
  return std::move(sink.schema);
}

// The default as the option's type, so that a reader of the schema need not
// convert it.
static Json defaultJson(const OptionSchema &option) {
  nereid_value_t value = {};
  value.name = borrow(option.name);
  value.type = NEREID_TYPE_STRING;
  value.text = borrow(option.defaultValue);
  Result<Values> converted = convertOptions({&value, 1}, {option});
  if (!converted || converted->items().empty())
    return option.defaultValue;
  return valueJson(converted->items().front());
}

Json schemaJson(const std::vector<OptionSchema> &schema) {
  Json list = Json::array();
  for (const OptionSchema &option : schema) {
    Json item = {{"name", option.name},
                 {"type", typeName(option.type)},
                 {"default", defaultJson(option)},
                 {"doc", option.doc}};
    if (!option.choices.empty())
      item["choices"] = option.choices;
    if (option.hasRange()) {
      item["minimum"] = option.minimum;
      item["maximum"] = option.maximum;
    }
    list.push_back(std::move(item));
  }
  return list;
}

Result<ParsedOptions>
ParsedOptions::parse(const Plugin &plugin, const nereid_target_t &target,
                     std::span<const nereid_value_t> values, const Log *log,
                     const Cancellation &cancellation) {
  Result<std::vector<OptionSchema>> schema =
      readSchema(plugin, target, log, cancellation);
  if (!schema)
    return schema.failure();
  Result<Values> converted = convertOptions(values, *schema);
  if (!converted)
    return Failure{converted.failure().status,
                   "plugin '" + plugin.info.id +
                       "': " + converted.failure().text};
  ParsedOptions options(plugin, log);
  options.values = converted->encode();
  Call call(log, plugin.info, cancellation);
  StringWriter canonical(options.text, call);
  nereid_status_t status = call.run([&] {
    return plugin.compiler.parse_options(
        plugin.state, &target, converted->items().data(),
        converted->items().size(), canonical.get(), &options.handle,
        call.get());
  });
  if (status != NEREID_OK) {
    options.handle = nullptr; // on failure nothing is made
    return call.failure(status, "parse_options");
  }
  return options;
}

ParsedOptions::~ParsedOptions() {
  if (!handle)
    return;
  Call call(log, plugin->info);
  nereid_status_t status = call.run([&] {
    return plugin->compiler.destroy_options(plugin->state, handle, call.get());
  });
  if (status != NEREID_OK)
    call.warn(status, "destroy_options");
}

} // namespace nereid::host
