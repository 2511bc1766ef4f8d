// ExtensionFixture.h - compiling and loading by the extension plugin's tables.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TESTS_EXTENSION_EXTENSIONFIXTURE_H
#define NEREID_TESTS_EXTENSION_EXTENSIONFIXTURE_H

#include "PluginFile.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace nereid::test {

inline constexpr const char *vectorAdd =
    "// a comment: tt.func public @not_this()\n"
    "module attributes {s = \"tt.func public @nor_this()\"} {\n"
    "  tt.func private @helper(%x: i32) { tt.return }\n"
    "  tt.func public @add(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32} "
    "loc(\"x\"), %y: !tt.ptr<bf16, 1>, %n: i32, %flag: i1, %s: f64) "
    "attributes {noinline = false} {\n"
    "    tt.return\n  }\n}\n";

inline nereid_value_t named(const char *name, nereid_type_t type) {
  nereid_value_t value = {};
  value.name = borrow(name);
  value.type = type;
  return value;
}
inline nereid_value_t text(const char *name, const char *is) {
  nereid_value_t value = named(name, NEREID_TYPE_STRING);
  value.text = borrow(is);
  return value;
}
inline nereid_value_t integer(const char *name, int64_t is) {
  nereid_value_t value = named(name, NEREID_TYPE_I64);
  value.i64 = is;
  return value;
}
inline nereid_value_t truth(const char *name, int64_t is) {
  nereid_value_t value = integer(name, is);
  value.type = NEREID_TYPE_BOOL;
  return value;
}

/// What became of a compile: the last stage's output, or a status and why.
struct Compiled {
  nereid_status_t status = NEREID_OK;
  std::string output, why, canonical;
  std::map<std::string, std::string> metadata;
  std::vector<uint32_t> stageFlags;
};

inline nereid_status_t addStage(const nereid_stage_sink_t *sink,
                                const nereid_stage_t *stage) {
  static_cast<Compiled *>(sink->user)->stageFlags.push_back(stage->flags);
  return NEREID_OK;
}

inline Compiled compile(const PluginFile &plugin, std::string source,
                        const std::vector<nereid_value_t> &values = {}) {
  const nereid_compiler_t &compiler = plugin.compiler();
  Compiled result;
  nereid_target_t target = {};
  target.struct_size = sizeof(target);
  target.backend = borrow("extension");
  TestCall call;
  TestWriter canonical;
  TestValues metadata;
  nereid_options_t *options = nullptr;
  result.status =
      compiler.parse_options(plugin.state, &target, values.data(),
                             values.size(), &canonical, &options, &call);
  nereid_stage_sink_t stages = {sizeof(stages), 0, &result, addStage};
  if (result.status == NEREID_OK)
    result.status =
        compiler.visit_stages(plugin.state, options, &stages, &call);
  for (uint32_t i = 0;
       result.status == NEREID_OK && i < result.stageFlags.size(); ++i) {
    TestWriter output;
    nereid_stage_input_t input = {};
    input.struct_size = sizeof(input);
    input.index = i;
    input.options = options;
    input.bytes = {source.data(), source.size()};
    result.status =
        compiler.run_stage(plugin.state, &input, &output, &metadata, &call);
    source = output.text;
  }
  EXPECT_EQ(compiler.destroy_options(plugin.state, options, &call), NEREID_OK);
  result.output = source;
  result.canonical = canonical.text;
  result.metadata = metadata.values;
  if (result.status != NEREID_OK)
    result.why = call.text();
  return result;
}

struct Loaded {
  nereid_status_t status = NEREID_OK;
  std::string why;
  nereid_module_t *module = nullptr;
  nereid_kernel_t *kernel = nullptr;
};

inline void unload(const PluginFile &plugin, nereid_module_t *module) {
  TestCall call;
  EXPECT_EQ(plugin.driver().unload_module(plugin.state, module, &call),
            NEREID_OK);
}

inline Loaded load(const PluginFile &plugin, const std::string &image,
                   uint32_t device = 0, const char *name = "add") {
  const nereid_driver_t &driver = plugin.driver();
  Loaded result;
  TestCall call;
  nereid_image_t request = {};
  request.struct_size = sizeof(request);
  request.bytes = {image.data(), image.size()};
  result.status =
      driver.load_image(plugin.state, device, &request, &result.module, &call);
  if (result.status == NEREID_OK)
    result.status = driver.get_kernel(plugin.state, result.module, borrow(name),
                                      &result.kernel, nullptr, &call);
  if (result.status != NEREID_OK) {
    result.why = call.text();
    unload(plugin, result.module);
    result.module = nullptr;
  }
  return result;
}

inline nereid_launch_t makeLaunch(const void *arguments, uint64_t size,
                                  nereid_stream_t stream = 0) {
  nereid_launch_t launch = {};
  launch.struct_size = sizeof(launch);
  launch.grid[0] = launch.grid[1] = launch.grid[2] = 1;
  launch.stream = stream;
  launch.arguments = arguments;
  launch.arguments_size = size;
  return launch;
}

class ExtensionTest : public testing::Test {
protected:
  PluginFile plugin{EXTENSION_PLUGIN};
  const nereid_driver_t &driver = plugin.driver();
  nereid_state_t *state = plugin.state;
  TestCall call;

  template <typename Table> const Table &table(const char *id) {
    const void *found = plugin.extension(id);
    EXPECT_NE(found, nullptr) << id;
    return *static_cast<const Table *>(found);
  }
  const nereid_streams_t &streams = table<nereid_streams_t>(NEREID_EXT_STREAM);

  nereid_stream_t createStream(uint32_t device) {
    nereid_stream_request_t request = {};
    request.struct_size = sizeof(request);
    nereid_stream_t stream = 0;
    EXPECT_EQ(streams.create(state, device, &request, &stream, &call),
              NEREID_OK);
    EXPECT_NE(stream, 0u);
    return stream;
  }

  nereid_status_t allocate(uint64_t size, uint64_t alignment,
                           nereid_address_t &address) {
    nereid_allocation_t allocation = {sizeof(allocation), 0, size, alignment};
    return driver.allocate(state, 0, &allocation, &address, &call);
  }
};

} // namespace nereid::test

#endif // NEREID_TESTS_EXTENSION_EXTENSIONFIXTURE_H
