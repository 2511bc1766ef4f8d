// Fixture.h - the plugin's compiler, with a stand-in for Triton (fake/).
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TESTS_UNIT_TRITON_FIXTURE_H
#define NEREID_TESTS_UNIT_TRITON_FIXTURE_H

#include "common/text.h"
#include "state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <map>

namespace nereid::triton {

using plugin::text;
using plugin::view;

/// A call that collects what is reported, one a line: "k.py:7:3: error: ...".
struct TestCall {
  nereid_call_t record{sizeof(nereid_call_t), 0, this, report, cancelled};
  std::string reported;
  std::atomic<bool> isCancelled = false;

  static void report(const nereid_call_t *call,
                     const nereid_diagnostic_t *diagnostic) {
    auto &self = *static_cast<TestCall *>(call->user);
    static constexpr const char *names[] = {"",
                                            "error: ", "warning: ", "note: "};
    if (diagnostic->line)
      self.reported += std::string(view(diagnostic->file)) + ':' +
                       std::to_string(diagnostic->line) + ':' +
                       std::to_string(diagnostic->column) + ": ";
    self.reported += names[diagnostic->severity];
    self.reported += view(diagnostic->message);
    self.reported += '\n';
  }
  static int32_t cancelled(const nereid_call_t *call) {
    return static_cast<TestCall *>(call->user)->isCancelled;
  }
};

/// What a compilation gave.
struct Compiled {
  nereid_status_t status = NEREID_OK;
  std::string output, reported, canonical, dependencies;
  std::map<std::string, std::string> metadata; // as text
};

class TritonFixture : public testing::Test {
protected:
  TritonFixture() {
    setenv("PYTHONPATH", FAKE_TRITON, 1);
    setenv("PYTHONDONTWRITEBYTECODE", "1", 1);
    unsetenv("TRITON_FAKE_VERSION");
    char name[] = "/tmp/nereid-triton-test.XXXXXX";
    folder = mkdtemp(name);
    settings.python = PYTHON;
    settings.cacheDirectory = folder + "/cache";
    settings.timeLimit = std::chrono::seconds(60);
    backend.id = "triton";
    backend.deviceType = "triton";
    backend.worker = WORKER;
  }
  ~TritonFixture() override {
    state.reset();
    std::filesystem::remove_all(folder);
  }

  nereid_state_t *plugin() {
    if (!state)
      state = std::make_unique<nereid_state_t>(backend, settings);
    return state.get();
  }

  /// A kernel whose stages do what \p mishap says.
  static std::string kernel(const std::string &mishap = {}) {
    return "// " + mishap +
           "\nmodule {\n  tt.func public @kernel(%x: !tt.ptr<f32>, %n: i32) "
           "{\n    tt.return\n  }\n}\n";
  }

  Compiled
  compile(const std::string &source,
          std::vector<std::pair<const char *, const char *>> options = {},
          size_t first = 0, size_t last = 99);

  std::string folder;
  Settings settings;
  Backend backend;
  std::unique_ptr<nereid_state_t> state;
  TestCall call;
};

/// Makes a target of cuda.
inline nereid_target_t cudaTarget(const char *arch = "sm_90a") {
  nereid_target_t target = {};
  target.struct_size = sizeof target;
  target.backend = text("cuda");
  target.arch = text(arch);
  return target;
}

inline std::string valueText(const nereid_value_t &value) {
  std::string list;
  for (uint64_t i = 0; i < value.list_size; ++i) {
    list += i ? "," : "";
    if (value.type == NEREID_TYPE_I64_LIST)
      list += std::to_string(static_cast<const int64_t *>(value.list)[i]);
    else
      list += view(static_cast<const nereid_string_t *>(value.list)[i]);
  }
  if (value.list)
    return list;
  return value.type == NEREID_TYPE_STRING ? std::string(view(value.text))
                                          : std::to_string(value.i64);
}

inline nereid_writer_t writerTo(std::string &out) {
  return {sizeof(nereid_writer_t), 0, &out,
          [](const nereid_writer_t *writer, const void *data, uint64_t size) {
            static_cast<std::string *>(writer->user)
                ->append(static_cast<const char *>(data), size);
            return nereid_status_t(NEREID_OK);
          }};
}

inline Compiled
TritonFixture::compile(const std::string &source,
                       std::vector<std::pair<const char *, const char *>> given,
                       size_t first, size_t last) {
  Compiled result;
  TestCall mine;
  TestCall &used = call.isCancelled ? call : mine;
  const nereid_call_t *record = &used.record;
  std::vector<nereid_value_t> values;
  for (const auto &[name, value] : given) {
    nereid_value_t out = {};
    out.name = text(name);
    out.type = NEREID_TYPE_STRING;
    out.text = text(value);
    values.push_back(out);
  }
  nereid_target_t target = cudaTarget();
  nereid_options_t *options = nullptr;
  nereid_session_t *session = nullptr;
  nereid_writer_t canonical = writerTo(result.canonical);
  nereid_writer_t dependencies = writerTo(result.dependencies);
  result.status =
      kCompiler.parse_options(plugin(), &target, values.data(), values.size(),
                              &canonical, &options, record);
  if (result.status == NEREID_OK)
    result.status =
        kCompiler.write_dependencies(plugin(), options, &dependencies, record);
  std::vector<std::string> stages;
  nereid_stage_sink_t stageSink = {
      sizeof(nereid_stage_sink_t), 0, &stages,
      [](const nereid_stage_sink_t *sink, const nereid_stage_t *stage) {
        static_cast<std::vector<std::string> *>(sink->user)
            ->emplace_back(view(stage->name));
        return nereid_status_t(NEREID_OK);
      }};
  if (result.status == NEREID_OK)
    result.status =
        kCompiler.visit_stages(plugin(), options, &stageSink, record);
  if (result.status == NEREID_OK)
    result.status = kCompiler.begin(plugin(), options, &session, record);
  result.output = source;
  nereid_value_sink_t metadata = {
      sizeof(nereid_value_sink_t), 0, &result.metadata,
      [](const nereid_value_sink_t *sink, const nereid_value_t *value) {
        (*static_cast<std::map<std::string, std::string> *>(
            sink->user))[std::string(view(value->name))] = valueText(*value);
        return nereid_status_t(NEREID_OK);
      }};
  for (size_t i = first;
       result.status == NEREID_OK && i < stages.size() && i <= last; ++i) {
    std::string next;
    nereid_writer_t output = writerTo(next);
    nereid_stage_input_t input = {};
    input.struct_size = sizeof input;
    input.index = static_cast<uint32_t>(i);
    input.options = options;
    input.session = session;
    input.bytes = {result.output.data(), result.output.size()};
    result.status =
        kCompiler.run_stage(plugin(), &input, &output, &metadata, record);
    result.output = next;
  }
  if (session)
    kCompiler.end(plugin(), session, record);
  kCompiler.destroy_options(plugin(), options, record);
  result.reported = used.reported;
  return result;
}

} // namespace nereid::triton

#endif // NEREID_TESTS_UNIT_TRITON_FIXTURE_H
