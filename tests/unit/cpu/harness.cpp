// harness.cpp - loading the plugin, and small sinks.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "harness.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

namespace nereid::cpu::test {

Messages::Messages() {
  record.struct_size = sizeof record;
  record.user = this;
  record.report = report;
}

void Messages::report(const nereid_call_t *call,
                      const nereid_diagnostic_t *diagnostic) {
  auto &self = *static_cast<Messages *>(call->user);
  if (diagnostic->severity == NEREID_SEVERITY_INFO)
    return;
  std::lock_guard lock(self.mutex);
  std::string &text =
      diagnostic->severity == NEREID_SEVERITY_NOTE      ? self.noteText
      : diagnostic->severity == NEREID_SEVERITY_WARNING ? self.warningText
                                                        : self.text;
  if (diagnostic->line)
    text += test::text(diagnostic->file) + ":" +
            std::to_string(diagnostic->line) + ":" +
            std::to_string(diagnostic->column) + ": ";
  text += test::text(diagnostic->message) + "\n";
}

std::string Messages::errors() const {
  std::lock_guard lock(mutex);
  return text;
}

std::string Messages::notes() const {
  std::lock_guard lock(mutex);
  return noteText;
}

std::string Messages::warnings() const {
  std::lock_guard lock(mutex);
  return warningText;
}

static nereid_writer_t writeTo(std::string &out) {
  nereid_writer_t writer = {};
  writer.struct_size = sizeof writer;
  writer.user = &out;
  writer.write = [](const nereid_writer_t *self, const void *data,
                    uint64_t size) -> nereid_status_t {
    static_cast<std::string *>(self->user)
        ->append(static_cast<const char *>(data), size);
    return NEREID_OK;
  };
  return writer;
}

static nereid_status_t addValue(const nereid_value_sink_t *sink,
                                const nereid_value_t *value) {
  Value out;
  out.number = value->i64;
  out.text = text(value->text);
  for (uint64_t i = 0; i < value->list_size; ++i) {
    if (value->type == NEREID_TYPE_STRING_LIST)
      out.texts.push_back(
          text(static_cast<const nereid_string_t *>(value->list)[i]));
    else if (value->type == NEREID_TYPE_I64_LIST)
      out.numbers.push_back(static_cast<const int64_t *>(value->list)[i]);
  }
  (*static_cast<Values *>(sink->user))[text(value->name)] = out;
  return NEREID_OK;
}

Plugin::Plugin() {
  static void *library = dlopen(NEREID_CPU_PLUGIN, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    ADD_FAILURE() << dlerror();
    return;
  }
  auto entry = reinterpret_cast<nereid_plugin_entry_1_t>(
      dlsym(library, NEREID_PLUGIN_ENTRY_NAME));
  host.struct_size = sizeof host;
  host.abi_major = NEREID_ABI_MAJOR;
  host.abi_minor = NEREID_ABI_MINOR;
  host.abi_revision = NEREID_ABI_REVISION;
  host.plugin_path = {NEREID_CPU_PLUGIN, sizeof NEREID_CPU_PLUGIN - 1};
  Messages messages;
  EXPECT_EQ(entry(&host, &table, messages.call()), NEREID_OK);
  driver = table->driver;
  compiler = table->compiler;
  EXPECT_EQ(table->create(&host, &state, messages.call()), NEREID_OK)
      << messages.errors();
}

Plugin::~Plugin() {
  Messages messages;
  EXPECT_EQ(table->shutdown(state, messages.call()), NEREID_OK);
}

const void *Plugin::findExtension(const std::string &id) const {
  const void *found = table->get_extension(state, {id.data(), id.size()});
  EXPECT_NE(found, nullptr) << id;
  return found;
}

/// Indices of the stages by name.
static std::map<std::string, uint32_t> stagesOf(const Plugin &plugin,
                                                nereid_options_t *options) {
  std::map<std::string, uint32_t> stages;
  nereid_stage_sink_t sink = {};
  sink.struct_size = sizeof sink;
  sink.user = &stages;
  sink.add = [](const nereid_stage_sink_t *self,
                const nereid_stage_t *stage) -> nereid_status_t {
    auto &out = *static_cast<std::map<std::string, uint32_t> *>(self->user);
    uint32_t index = static_cast<uint32_t>(out.size());
    out[text(stage->name)] = index;
    return NEREID_OK;
  };
  Messages messages;
  plugin.compiler->visit_stages(plugin.state, options, &sink, messages.call());
  return stages;
}

Compiled Plugin::compile(const std::string &input, const std::string &first,
                         const std::string &last, const OptionList &list,
                         bool keep) const {
  Compiled out;
  Messages messages;
  nereid_target_t target = {};
  target.struct_size = sizeof target;
  driver->get_target(state, 0, &target, messages.call());
  std::vector<nereid_value_t> values;
  for (const auto &[name, value] : list) {
    nereid_value_t one = {};
    one.name = {name.data(), name.size()};
    one.type = NEREID_TYPE_STRING;
    one.text = {value.data(), value.size()};
    values.push_back(one);
  }
  nereid_options_t *options = nullptr;
  nereid_writer_t canonical = writeTo(out.canonical);
  out.status =
      compiler->parse_options(state, &target, values.data(), values.size(),
                              &canonical, &options, messages.call());
  if (out.status == NEREID_OK) {
    auto stages = stagesOf(*this, options);
    nereid_session_t *session = nullptr;
    out.status = compiler->begin(state, options, &session, messages.call());
    nereid_value_sink_t metadata = {sizeof metadata, 0, &out.metadata,
                                    addValue};
    std::string current = input;
    for (uint32_t i = stages.at(first);
         out.status == NEREID_OK && i <= stages.at(last); ++i) {
      std::string bytes;
      nereid_writer_t writer = writeTo(bytes);
      bool skip = keep && i < stages.at(last);
      bool fromKept = keep && i > stages.at(first);
      nereid_stage_input_t stage = {};
      stage.struct_size = sizeof stage;
      stage.index = i;
      stage.options = options;
      stage.session = session;
      stage.bytes = {fromKept ? nullptr : current.data(),
                     fromKept ? 0 : current.size()};
      out.status = compiler->run_stage(state, &stage, skip ? nullptr : &writer,
                                       &metadata, messages.call());
      current = std::move(bytes);
    }
    out.output = current;
    compiler->end(state, session, messages.call());
    compiler->destroy_options(state, options, messages.call());
  }
  out.errors = messages.errors();
  out.notes = messages.notes();
  out.warnings = messages.warnings();
  return out;
}

nereid_status_t Plugin::loadImage(const Compiled &compiled,
                                  const std::string &path,
                                  nereid_module_t **out, Messages &messages,
                                  uint64_t offset) const {
  std::vector<nereid_value_t> values;
  for (const auto &[name, value] : compiled.metadata) {
    nereid_value_t one = {};
    one.name = {name.data(), name.size()};
    one.type = value.text.empty() ? NEREID_TYPE_I64 : NEREID_TYPE_STRING;
    one.i64 = value.number;
    one.text = {value.text.data(), value.text.size()};
    values.push_back(one);
  }
  nereid_image_t image = {};
  image.struct_size = sizeof image;
  image.bytes = {compiled.output.data(), compiled.output.size()};
  image.path = {path.data(), path.size()};
  image.offset = offset;
  image.metadata = values.data();
  image.metadata_count = values.size();
  return driver->load_image(state, 0, &image, out, messages.call());
}

void Plugin::unload(nereid_module_t *module) const {
  Messages messages;
  EXPECT_EQ(driver->unload_module(state, module, messages.call()), NEREID_OK);
}

nereid_stream_t Plugin::createStream() const {
  Messages messages;
  nereid_stream_request_t request = {};
  request.struct_size = sizeof request;
  nereid_stream_t stream = 0;
  EXPECT_EQ(extension<nereid_streams_t>(NEREID_EXT_STREAM)
                .create(state, 0, &request, &stream, messages.call()),
            NEREID_OK);
  return stream;
}

nereid_module_t *Plugin::load(const std::string &llvmIr,
                              const OptionList &options) const {
  Compiled compiled = compile(llvmIr, "asm", "so", options);
  EXPECT_EQ(compiled.status, NEREID_OK) << compiled.errors;
  nereid_module_t *module = nullptr;
  Messages messages;
  EXPECT_EQ(loadImage(compiled, "", &module, messages), NEREID_OK)
      << messages.errors();
  return module;
}

nereid_kernel_t *Plugin::kernel(nereid_module_t *module,
                                const std::string &name) const {
  nereid_kernel_t *kernel = nullptr;
  Messages messages;
  EXPECT_EQ(driver->get_kernel(state, module, {name.data(), name.size()},
                               &kernel, nullptr, messages.call()),
            NEREID_OK)
      << messages.errors();
  return kernel;
}

std::string kernelFile(const std::string &name) {
  std::ifstream file(CPU_KERNELS "/" + name + ".ttir");
  EXPECT_TRUE(file) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

nereid_launch_t makeLaunch(uint32_t x, const void *arguments, uint64_t size) {
  nereid_launch_t launch = {};
  launch.struct_size = sizeof launch;
  launch.grid[0] = x;
  launch.grid[1] = launch.grid[2] = 1;
  launch.arguments = arguments;
  launch.arguments_size = size;
  return launch;
}

} // namespace nereid::cpu::test
