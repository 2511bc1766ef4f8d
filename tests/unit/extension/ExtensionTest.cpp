// ExtensionTest.cpp - the extension plugin: what it reads, refuses and records.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "PluginFile.h"
#include "extension/record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace nereid::test;
using testing::HasSubstr;

// A sanitizer's allocator ends the program where malloc returns null.
extern "C" const char *__asan_default_options() {
  return "allocator_may_return_null=1";
}
extern "C" const char *__tsan_default_options() {
  return "allocator_may_return_null=1";
}

namespace {

constexpr const char *vectorAdd =
    "// a comment: tt.func public @not_this()\n"
    "module attributes {s = \"tt.func public @nor_this()\"} {\n"
    "  tt.func private @helper(%x: i32) { tt.return }\n"
    "  tt.func public @add(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32} "
    "loc(\"x\"), %y: !tt.ptr<bf16, 1>, %n: i32, %flag: i1, %s: f64) "
    "attributes {noinline = false} {\n"
    "    tt.return\n  }\n}\n";

nereid_value_t named(const char *name, nereid_type_t type) {
  nereid_value_t value = {};
  value.name = borrow(name);
  value.type = type;
  return value;
}
nereid_value_t text(const char *name, const char *is) {
  nereid_value_t value = named(name, NEREID_TYPE_STRING);
  value.text = borrow(is);
  return value;
}
nereid_value_t integer(const char *name, int64_t is) {
  nereid_value_t value = named(name, NEREID_TYPE_I64);
  value.i64 = is;
  return value;
}
nereid_value_t truth(const char *name, int64_t is) {
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

nereid_status_t addStage(const nereid_stage_sink_t *sink,
                         const nereid_stage_t *stage) {
  static_cast<Compiled *>(sink->user)->stageFlags.push_back(stage->flags);
  return NEREID_OK;
}

Compiled compile(const PluginFile &plugin, std::string source,
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
    result.status = compiler.run_stage(plugin.state, options, nullptr, i,
                                       {source.data(), source.size()}, &output,
                                       &metadata, &call);
    source = output.text;
  }
  compiler.destroy_options(plugin.state, options);
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

Loaded load(const PluginFile &plugin, const std::string &image,
            uint32_t device = 0, const char *name = "add") {
  const nereid_driver_t &driver = plugin.driver();
  Loaded result;
  TestCall call;
  result.status =
      driver.load_image(plugin.state, device, {image.data(), image.size()},
                        {nullptr, 0}, nullptr, 0, &result.module, &call);
  if (result.status == NEREID_OK)
    result.status = driver.get_kernel(plugin.state, result.module, borrow(name),
                                      &result.kernel, nullptr, &call);
  if (result.status != NEREID_OK) {
    result.why = call.text();
    driver.unload_module(plugin.state, result.module);
    result.module = nullptr;
  }
  return result;
}

class Extension : public testing::Test {
protected:
  PluginFile plugin{EXTENSION_PLUGIN};
};

// ---------------------------------------------------------------- compile
TEST_F(Extension, ReadsTheSignature) {
  Compiled result = compile(plugin, vectorAdd);
  ASSERT_EQ(result.status, NEREID_OK) << result.why;
  EXPECT_EQ(result.metadata["name"], "add");
  EXPECT_EQ(result.metadata["argument_names"], "[x,y,n,flag,s]");
  EXPECT_EQ(result.metadata["argument_types"], "[*f32,*bf16,i32,i1,f64]");
  EXPECT_EQ(result.metadata["argument_offsets"], "[0,8,16,20,24]");
  EXPECT_EQ(result.metadata["argument_size"], "32");
  EXPECT_EQ(result.metadata["num_warps"], "4");
}

TEST_F(Extension, SaysWhereASignatureIsWrong) {
  const struct {
    const char *source, *message;
  } cases[] = {
      {"module {\n}\n", "3:1: expected a public function, 'tt.func @name'"},
      {"", "1:1: expected a public function, 'tt.func @name'"},
      {"tt.func private @f() {}",
       "1:24: expected a public function, 'tt.func @name'"},
      {"tt.func @f() {}\ntt.func public @g() {}",
       "2:15: expected one public function, found 'g'"},
      {"tt.func @f(%d: !tt.tensordesc<tensor<8x8xf16>>, %n: i32) {}",
       "1:16: expected a pointer to a number, an integer or a float, found "
       "'!tt.tensordesc<tensor<8x8xf16>>'"},
      {"tt.func @f(%n: index) {}",
       "1:16: expected a pointer to a number, an integer or a float, found "
       "'index'"},
      {"tt.func @f(%n i32)", "1:15: expected ':' after the argument's name"},
      {"tt.func @f(i32)", "1:12: expected an argument, '%name: type'"},
      {"tt.func @f(%n: i32", "1:19: expected ')' after the arguments"},
      {"tt.func @f %n: i32", "1:12: expected '(' after the function's name"},
      {"tt.func public (%n: i32)",
       "1:15: expected the function's name, '@name'"},
  };
  for (const auto &it : cases) {
    Compiled result = compile(plugin, it.source);
    EXPECT_EQ(result.status, NEREID_INVALID_ARGUMENT) << it.source;
    EXPECT_EQ(result.why, it.message) << it.source;
  }
  EXPECT_EQ(compile(plugin, "ML\xefR\1").why,
            "the module is MLIR bytecode, expected text");
}

TEST_F(Extension, ReadsWhatTritonWrites) {
  int compiled = 0, refused = 0;
  for (const auto &file :
       std::filesystem::recursive_directory_iterator(EXTENSION_KERNELS)) {
    if (file.path().extension() != ".ttir")
      continue;
    std::stringstream source;
    source << std::ifstream(file.path()).rdbuf();
    Compiled result = compile(plugin, source.str());
    if (result.status == NEREID_OK) {
      ++compiled;
      Loaded kernel =
          load(plugin, result.output, 0, result.metadata["name"].c_str());
      EXPECT_EQ(kernel.status, NEREID_OK) << file.path() << kernel.why;
      plugin.driver().unload_module(plugin.state, kernel.module);
    } else {
      ++refused;
      EXPECT_THAT(result.why, HasSubstr("tensordesc")) << file.path();
    }
  }
  EXPECT_GT(compiled, 100);
  EXPECT_LT(refused, compiled / 10);
}

TEST_F(Extension, StopsEarlyWhenAsked) {
  EXPECT_EQ(compile(plugin, vectorAdd).stageFlags,
            (std::vector<uint32_t>{0, NEREID_STAGE_MAKES_IMAGE}));
  Compiled result = compile(plugin, vectorAdd, {truth("stop_at_ttir", 1)});
  EXPECT_EQ(result.stageFlags, std::vector<uint32_t>{0});
  EXPECT_EQ(result.output, vectorAdd);
}

// ---------------------------------------------------------------- options
TEST_F(Extension, CarriesOptionsOfEveryType) {
  const int64_t tile[] = {64, -1};
  const double weights[] = {0.25, 4};
  const nereid_string_t features[] = {borrow("a"), borrow("")};
  nereid_value_t values[] = {named("tolerance", NEREID_TYPE_F64),
                             named("tag", NEREID_TYPE_BYTES),
                             named("tile", NEREID_TYPE_I64_LIST),
                             named("weights", NEREID_TYPE_F64_LIST),
                             named("features", NEREID_TYPE_STRING_LIST)};
  values[0].f64 = 0.125;
  values[1].text = {"\0x", 2};
  values[2].list = tile;
  values[3].list = weights;
  values[4].list = features;
  for (int i = 2; i < 5; ++i)
    values[i].list_size = 2;
  Compiled result =
      compile(plugin, vectorAdd,
              {values[0], values[1], values[2], values[3], values[4]});
  ASSERT_EQ(result.status, NEREID_OK) << result.why;
  EXPECT_EQ(result.metadata["tolerance"], "0.125000");
  EXPECT_EQ(result.metadata["tag"], std::string("\0x", 2));
  EXPECT_EQ(result.metadata["tile"], "[64,-1]");
  EXPECT_EQ(result.metadata["weights"], "[0.250000,4.000000]");
  EXPECT_EQ(result.metadata["features"], "[a,]");
}

TEST_F(Extension, WritesEqualOptionsEqually) {
  std::string defaults = compile(plugin, vectorAdd).canonical;
  EXPECT_EQ(compile(plugin, vectorAdd,
                    {text("fault", "none"), integer("num_warps", 4)})
                .canonical,
            defaults);
  EXPECT_NE(compile(plugin, vectorAdd, {integer("num_warps", 8)}).canonical,
            defaults);
  EXPECT_NE(compile(plugin, vectorAdd, {text("fault", "launch")}).canonical,
            defaults);
}

TEST_F(Extension, RefusesWrongOptions) {
  const std::pair<nereid_value_t, const char *> cases[] = {
      {integer("warps", 4), "unknown option 'warps'"},
      {text("num_warps", "4"),
       "option 'num_warps' is of type string, expected i64"},
      {integer("num_warps", 65), "option 'num_warps' is 65, expected 1 to 64"},
      {truth("stop_at_ttir", 2), "option 'stop_at_ttir' is 2, expected 0 or 1"},
      {text("fault", "all"),
       "option 'fault' is 'all', which is none of its choices"},
  };
  for (const auto &[value, message] : cases) {
    Compiled result = compile(plugin, vectorAdd, {value});
    EXPECT_EQ(result.status, NEREID_INVALID_ARGUMENT);
    EXPECT_EQ(result.why, message);
  }
}

// ---------------------------------------------------------------- images
TEST_F(Extension, RefusesEveryDamagedImage) {
  std::string image = compile(plugin, vectorAdd).output;
  Loaded whole = load(plugin, image);
  ASSERT_EQ(whole.status, NEREID_OK) << whole.why;
  plugin.driver().unload_module(plugin.state, whole.module);
  for (size_t bit = 0; bit < image.size() * 8; ++bit) {
    std::string damaged = image;
    damaged[bit / 8] ^= char(1 << (bit % 8));
    EXPECT_EQ(load(plugin, damaged).status, NEREID_INVALID_ARGUMENT) << bit;
  }
  for (size_t size = 0; size < image.size(); ++size)
    EXPECT_THAT(load(plugin, image.substr(0, size)).why,
                HasSubstr("the image is damaged"));
  EXPECT_EQ(load(plugin, image + '\0').status, NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(load(plugin, image, 0, "sub").why,
            "no kernel 'sub' in the image, which has 'add'");
}

// ---------------------------------------------------------------- launch
TEST_F(Extension, RecordsLaunches) {
  auto *record = static_cast<const nereid_extension_record_t *>(
      plugin.plugin->get_extension(plugin.state,
                                   borrow(NEREID_EXT_EXTENSION_RECORD)));
  ASSERT_NE(record, nullptr);
  EXPECT_EQ(plugin.plugin->get_extension(plugin.state, borrow("other/1")),
            nullptr);
  Loaded add = load(plugin, compile(plugin, vectorAdd).output, 1);
  ASSERT_EQ(add.status, NEREID_OK) << add.why;
  TestCall call;
  nereid_stream_t stream = 0;
  ASSERT_EQ(plugin.driver().adopt_stream(plugin.state, 1,
                                         borrow("extension.stream"), 77,
                                         &stream, &call),
            NEREID_OK);
  unsigned char arguments[32];
  for (int i = 0; i < 32; ++i)
    arguments[i] = static_cast<unsigned char>(i);
  nereid_launch_t launch = {sizeof(launch), {2, 3, 4}, stream, arguments, 32};
  for (int i = 0; i < 70; ++i)
    ASSERT_EQ(plugin.driver().launch(add.kernel, &launch, nullptr), NEREID_OK);
  launch.arguments_size = 24;
  EXPECT_EQ(plugin.driver().launch(add.kernel, &launch, &call),
            NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(call.text(), "the argument block has 24 bytes, expected 32");

  EXPECT_EQ(record->count(plugin.state), 70u);
  nereid_extension_launch_t kept = {};
  kept.struct_size = sizeof(kept);
  EXPECT_EQ(record->get(plugin.state, 5, &kept), NEREID_NOT_FOUND);
  EXPECT_EQ(record->get(plugin.state, 70, &kept), NEREID_NOT_FOUND);
  ASSERT_EQ(record->get(plugin.state, 69, &kept), NEREID_OK);
  EXPECT_THAT(kept.grid, testing::ElementsAre(2, 3, 4));
  EXPECT_EQ(kept.device, 1u);
  EXPECT_EQ(kept.stream, stream);
  EXPECT_EQ(kept.stream_handle, 77u);
  EXPECT_EQ(view(kept.kernel), "add");
  ASSERT_EQ(kept.arguments.size, 32u);
  EXPECT_EQ(std::memcmp(kept.arguments.data, arguments, 32), 0);
  plugin.driver().release_stream(plugin.state, 1, stream);
  plugin.driver().unload_module(plugin.state, add.module);
}

TEST_F(Extension, FailsWhereItIsAskedTo) {
  EXPECT_EQ(compile(plugin, vectorAdd, {text("fault", "compile")}).status,
            NEREID_INTERNAL);
  EXPECT_EQ(
      load(plugin, compile(plugin, vectorAdd, {text("fault", "load")}).output)
          .status,
      NEREID_OUT_OF_RESOURCES);
  unsigned char arguments[32] = {};
  nereid_launch_t launch = {sizeof(launch), {1, 1, 1}, 0, arguments, 32};
  TestCall call;
  Loaded add = load(
      plugin, compile(plugin, vectorAdd, {text("fault", "launch")}).output);
  EXPECT_EQ(plugin.driver().launch(add.kernel, &launch, &call),
            NEREID_DEVICE_FAULT);
  plugin.driver().unload_module(plugin.state, add.module);
  add = load(plugin,
             compile(plugin, vectorAdd, {text("fault", "synchronize")}).output);
  EXPECT_EQ(plugin.driver().launch(add.kernel, &launch, &call), NEREID_OK);
  EXPECT_EQ(plugin.driver().synchronize(plugin.state, 0, 0, &call),
            NEREID_DEVICE_FAULT);
  EXPECT_EQ(plugin.driver().synchronize(plugin.state, 0, 0, &call), NEREID_OK);
  plugin.driver().unload_module(plugin.state, add.module);
}

TEST_F(Extension, AdoptsAContextBeforeUseOnly) {
  TestCall call;
  nereid_address_t address = 1;
  const nereid_driver_t &driver = plugin.driver();
  nereid_string_t kind = borrow("extension.context");
  EXPECT_EQ(driver.adopt_context(plugin.state, 0, kind, 5, &call), NEREID_OK);
  ASSERT_EQ(driver.allocate(plugin.state, 0, 0, &address, &call), NEREID_OK);
  EXPECT_EQ(address, 0u);
  ASSERT_EQ(driver.allocate(plugin.state, 0, 1, &address, &call), NEREID_OK);
  EXPECT_EQ(address % 64, 0u);
  EXPECT_EQ(driver.adopt_context(plugin.state, 0, kind, 5, &call),
            NEREID_UNAVAILABLE);
  EXPECT_EQ(
      driver.adopt_context(plugin.state, 1, borrow("vk.device"), 5, &call),
      NEREID_UNIMPLEMENTED);
  EXPECT_EQ(driver.allocate(plugin.state, 0, UINT64_MAX / 2, &address, &call),
            NEREID_OUT_OF_RESOURCES);
  driver.free(plugin.state, 0, address);
}

// ---------------------------------------------------------------- halves
TEST(ExtensionHalves, OneCompilesAndTheOtherRuns) {
  PluginFile compiler(EXTENSION_COMPILER_PLUGIN);
  PluginFile driver(EXTENSION_DRIVER_PLUGIN);
  EXPECT_EQ(compiler.plugin->driver, nullptr);
  EXPECT_EQ(driver.plugin->compiler, nullptr);
  Compiled image = compile(compiler, vectorAdd);
  ASSERT_EQ(image.status, NEREID_OK) << image.why;
  Loaded add = load(driver, image.output);
  EXPECT_EQ(add.status, NEREID_OK) << add.why;
  driver.driver().unload_module(driver.state, add.module);
}

} // namespace
