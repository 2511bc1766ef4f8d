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

void unload(const PluginFile &plugin, nereid_module_t *module) {
  TestCall call;
  EXPECT_EQ(plugin.driver().unload_module(plugin.state, module, &call),
            NEREID_OK);
}

Loaded load(const PluginFile &plugin, const std::string &image,
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

nereid_launch_t makeLaunch(const void *arguments, uint64_t size,
                           nereid_stream_t stream = 0) {
  nereid_launch_t launch = {};
  launch.struct_size = sizeof(launch);
  launch.grid[0] = launch.grid[1] = launch.grid[2] = 1;
  launch.stream = stream;
  launch.arguments = arguments;
  launch.arguments_size = size;
  return launch;
}

class Extension : public testing::Test {
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
      unload(plugin, kernel.module);
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

TEST_F(Extension, DeclaresWhatALaunchNeeds) {
  Compiled plain = compile(plugin, vectorAdd);
  for (const char *name : {"scratch_size", "cluster", "cooperative"})
    EXPECT_EQ(plain.metadata.count(name), 0u) << name;
  const int64_t shape[] = {2, 1, 1};
  nereid_value_t cluster = named("cluster", NEREID_TYPE_I64_LIST);
  cluster.list = shape;
  cluster.list_size = 3;
  Compiled result =
      compile(plugin, vectorAdd,
              {integer("scratch_size", 256), cluster, truth("cooperative", 1)});
  ASSERT_EQ(result.status, NEREID_OK) << result.why;
  EXPECT_EQ(result.metadata["scratch_size"], "256");
  EXPECT_EQ(result.metadata["cluster"], "[2,1,1]");
  EXPECT_EQ(result.metadata["cooperative"], "1");
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
  unload(plugin, whole.module);
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
nereid_import_t object(const char *kind, uint64_t handle, uint64_t size = 0) {
  return {sizeof(nereid_import_t), 0, borrow(kind), handle, size};
}

TEST_F(Extension, RecordsLaunches) {
  const auto &record =
      table<nereid_extension_record_t>(NEREID_EXT_EXTENSION_RECORD);
  const auto &interop = table<nereid_interop_t>(NEREID_EXT_INTEROP);
  Loaded add = load(plugin, compile(plugin, vectorAdd).output, 1);
  ASSERT_EQ(add.status, NEREID_OK) << add.why;
  nereid_stream_t stream = 0;
  nereid_import_t queue = object("extension.stream", 77);
  ASSERT_EQ(interop.import_stream(state, 1, &queue, &stream, &call), NEREID_OK);
  unsigned char arguments[32];
  for (int i = 0; i < 32; ++i)
    arguments[i] = static_cast<unsigned char>(i);
  nereid_launch_t launch = {sizeof(launch),
                            {2, 3, 4},
                            stream,
                            arguments,
                            32,
                            0x5000,
                            4096,
                            NEREID_LAUNCH_COOPERATIVE,
                            {2, 1, 1}};
  for (int i = 0; i < 70; ++i)
    ASSERT_EQ(driver.launch(add.kernel, &launch, nullptr), NEREID_OK);
  launch.arguments_size = 24;
  EXPECT_EQ(driver.launch(add.kernel, &launch, &call), NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(call.text(), "the argument block has 24 bytes, expected 32");

  EXPECT_EQ(record.count(state), 70u);
  nereid_extension_launch_t kept = {};
  kept.struct_size = sizeof(kept);
  EXPECT_EQ(record.get(state, 5, &kept), NEREID_NOT_FOUND);
  EXPECT_EQ(record.get(state, 70, &kept), NEREID_NOT_FOUND);
  ASSERT_EQ(record.get(state, 69, &kept), NEREID_OK);
  EXPECT_THAT(kept.grid, testing::ElementsAre(2, 3, 4));
  EXPECT_EQ(kept.device, 1u);
  EXPECT_EQ(kept.stream, stream);
  EXPECT_EQ(kept.stream_handle, 77u);
  EXPECT_EQ(view(kept.kernel), "add");
  EXPECT_EQ(kept.flags, uint32_t(NEREID_LAUNCH_COOPERATIVE));
  EXPECT_THAT(kept.cluster, testing::ElementsAre(2, 1, 1));
  EXPECT_EQ(kept.scratch, 0x5000u);
  EXPECT_EQ(kept.scratch_size, 4096u);
  ASSERT_EQ(kept.arguments.size, 32u);
  EXPECT_EQ(std::memcmp(kept.arguments.data, arguments, 32), 0);
  EXPECT_EQ(interop.release_stream(state, 1, stream, &call), NEREID_OK);
  unload(plugin, add.module);
}

TEST_F(Extension, FailsWhereItIsAskedTo) {
  EXPECT_EQ(compile(plugin, vectorAdd, {text("fault", "compile")}).status,
            NEREID_INTERNAL);
  EXPECT_EQ(
      load(plugin, compile(plugin, vectorAdd, {text("fault", "load")}).output)
          .status,
      NEREID_OUT_OF_RESOURCES);
  unsigned char arguments[32] = {};
  nereid_launch_t launch = makeLaunch(arguments, 32);
  Loaded add = load(
      plugin, compile(plugin, vectorAdd, {text("fault", "launch")}).output);
  EXPECT_EQ(driver.launch(add.kernel, &launch, &call), NEREID_DEVICE_FAULT);
  unload(plugin, add.module);
}

// ---------------------------------------------------------------- streams
/// A kernel on device 1 that fails once it runs.
class FailedWork : public Extension {
protected:
  unsigned char arguments[32] = {};
  Loaded add = load(
      plugin, compile(plugin, vectorAdd, {text("fault", "synchronize")}).output,
      1);
  ~FailedWork() override { unload(plugin, add.module); }

  void failOn(nereid_stream_t stream) {
    nereid_launch_t launch = makeLaunch(arguments, 32, stream);
    EXPECT_EQ(driver.launch(add.kernel, &launch, &call), NEREID_OK);
  }
};

TEST_F(FailedWork, IsReportedOnceByItsStream) {
  nereid_stream_t stream = createStream(1);
  failOn(stream);
  EXPECT_EQ(driver.synchronize(state, 1, 0, &call), NEREID_OK);
  EXPECT_EQ(driver.synchronize(state, 0, stream, &call), NEREID_OK);
  EXPECT_EQ(driver.synchronize(state, 1, stream, &call), NEREID_DEVICE_FAULT);
  EXPECT_EQ(driver.synchronize(state, 1, stream, &call), NEREID_OK);
  EXPECT_EQ(streams.destroy(state, 1, stream, &call), NEREID_OK);
}

TEST_F(FailedWork, IsReportedOnceByItsDevice) {
  nereid_stream_t stream = createStream(1);
  failOn(stream);
  failOn(0);
  EXPECT_EQ(driver.synchronize_device(state, 0, &call), NEREID_OK);
  EXPECT_EQ(driver.synchronize_device(state, 1, &call), NEREID_DEVICE_FAULT);
  EXPECT_EQ(driver.synchronize(state, 1, stream, &call), NEREID_OK);
  EXPECT_EQ(driver.synchronize_device(state, 1, &call), NEREID_OK);
  EXPECT_EQ(streams.destroy(state, 1, stream, &call), NEREID_OK);
}

TEST_F(FailedWork, IsReportedByTheEndOfItsStreamAndEndsWithIt) {
  nereid_stream_t stream = createStream(1);
  failOn(stream);
  EXPECT_EQ(streams.destroy(state, 1, stream, &call), NEREID_DEVICE_FAULT);
  stream = createStream(1);
  EXPECT_EQ(driver.synchronize(state, 1, stream, &call), NEREID_OK);
  EXPECT_EQ(streams.destroy(state, 1, stream, &call), NEREID_OK);
}

TEST_F(Extension, MakesStreamsUpToItsLimit) {
  nereid_stream_request_t request = {sizeof(request), 0, 1, 0};
  std::vector<nereid_stream_t> made;
  nereid_stream_t stream = 0;
  while (streams.create(state, 0, &request, &stream, &call) == NEREID_OK)
    made.push_back(stream);
  EXPECT_EQ(made.size(), 255u);
  EXPECT_EQ(call.text(), "device 0 has 255 streams, the most there can be");
  EXPECT_EQ(createStream(1), made.front()); // each device has its own
  int32_t done = 0;
  EXPECT_EQ(streams.query(state, 0, made.back(), &done, &call), NEREID_OK);
  EXPECT_EQ(done, 1);
  for (nereid_stream_t one : made)
    EXPECT_EQ(streams.destroy(state, 0, one, &call), NEREID_OK);
  EXPECT_EQ(streams.destroy(state, 0, 0, &call), NEREID_OK);
  createStream(0);
}

TEST_F(Extension, OrdersAndTimesByEvents) {
  const auto &events = table<nereid_events_t>(NEREID_EXT_EVENT);
  nereid_event_request_t request = {sizeof(request), 0};
  nereid_event_t *start = nullptr, *end = nullptr;
  ASSERT_EQ(events.create(state, 0, &request, &start, &call), NEREID_OK);
  ASSERT_EQ(events.create(state, 0, &request, &end, &call), NEREID_OK);
  int32_t done = 0;
  EXPECT_EQ(events.query(state, start, &done, &call), NEREID_OK);
  EXPECT_EQ(done, 1) << "an event that was never recorded counts as reached";
  double nanoseconds = -1;
  EXPECT_EQ(events.record(state, start, 0, &call), NEREID_OK);
  EXPECT_EQ(events.elapsed(state, start, end, &nanoseconds, &call),
            NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(call.text(), "the end event was never recorded");
  nereid_stream_t stream = createStream(1);
  EXPECT_EQ(events.wait(state, 1, stream, start, &call), NEREID_OK);
  EXPECT_EQ(events.record(state, end, 0, &call), NEREID_OK);
  EXPECT_EQ(events.synchronize(state, end, &call), NEREID_OK);
  EXPECT_EQ(events.elapsed(state, start, end, &nanoseconds, &call), NEREID_OK);
  EXPECT_GE(nanoseconds, 0);
  EXPECT_EQ(events.destroy(state, start, &call), NEREID_OK);
  EXPECT_EQ(events.destroy(state, end, &call), NEREID_OK);
  EXPECT_EQ(events.destroy(state, nullptr, &call), NEREID_OK);
}

// ---------------------------------------------------------------- memory
TEST_F(Extension, AllocatesAligned) {
  nereid_address_t address = 0;
  for (uint64_t alignment : {0, 1, 64, 4096}) {
    ASSERT_EQ(allocate(1, alignment, address), NEREID_OK);
    EXPECT_EQ(address % (alignment ? alignment : 64), 0u);
    EXPECT_EQ(driver.free(state, 0, address, &call), NEREID_OK);
  }
  EXPECT_EQ(allocate(1, 48, address), NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(call.text(), "the alignment is 48, expected a power of two");
  EXPECT_EQ(allocate(UINT64_MAX / 2, 0, address), NEREID_OUT_OF_RESOURCES);
  EXPECT_EQ(allocate(UINT64_MAX, 0, address), NEREID_OUT_OF_RESOURCES);
  EXPECT_EQ(driver.free(state, 0, 0, &call), NEREID_OK);
}

nereid_address_t addressOf(const void *pointer) {
  return reinterpret_cast<uintptr_t>(pointer);
}

TEST_F(Extension, FillsAndCopiesRectangles) {
  const auto &memory = table<nereid_memory_t>(NEREID_EXT_MEMORY);
  uint16_t values[12] = {}, pattern = 0x1234;
  nereid_fill_t fill = {sizeof(fill), 2, 0, addressOf(values), &pattern, 5};
  EXPECT_EQ(memory.fill(state, 0, &fill, &call), NEREID_OK);
  EXPECT_EQ(values[4], pattern);
  EXPECT_EQ(values[5], 0);
  fill.pattern_size = 3;
  EXPECT_EQ(memory.fill(state, 0, &fill, &call), NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(call.text(), "the pattern has 3 bytes, expected 1, 2, 4 or 8");

  const char from[] = "abcdefghi"; // 3 rows of 2 from a pitch of 3 to one of 4
  char to[] = "............";
  nereid_copy_2d_t rows = {sizeof(rows),
                           NEREID_COPY_HOST_TO_DEVICE,
                           0,
                           addressOf(to),
                           4,
                           addressOf(from),
                           3,
                           2,
                           3};
  EXPECT_EQ(memory.copy_2d(state, 0, &rows, &call), NEREID_OK);
  EXPECT_STREQ(to, "ab..de..gh..");
  nereid_copy_peer_t peer = {sizeof(peer),    1, 0, addressOf(to),
                             addressOf(from), 9};
  EXPECT_EQ(memory.copy_peer(state, 0, &peer, &call), NEREID_OK);
  EXPECT_STREQ(to, "abcdefghih..");
  EXPECT_EQ(memory.allocate_host, nullptr);
}

TEST_F(Extension, ImportsWhatItKnows) {
  const auto &interop = table<nereid_interop_t>(NEREID_EXT_INTEROP);
  int value = 0;
  nereid_address_t address = 0;
  nereid_import_t pointer = object("host.pointer", addressOf(&value), 4);
  ASSERT_EQ(interop.import_pointer(state, 0, &pointer, &address, &call),
            NEREID_OK);
  EXPECT_EQ(address, addressOf(&value));
  EXPECT_EQ(interop.release_pointer(state, 0, address, &call), NEREID_OK);
  pointer = object("cuda.pointer", 1, 4);
  EXPECT_EQ(interop.import_pointer(state, 0, &pointer, &address, &call),
            NEREID_UNIMPLEMENTED);
  EXPECT_EQ(call.text(),
            "cannot import a 'cuda.pointer', expected a 'host.pointer'");
}

TEST_F(Extension, ImportsAContextBeforeUseOnly) {
  const auto &interop = table<nereid_interop_t>(NEREID_EXT_INTEROP);
  nereid_import_t context = object("extension.context", 5);
  EXPECT_EQ(interop.import_context(state, 0, &context, &call), NEREID_OK);
  nereid_address_t address = 0;
  ASSERT_EQ(allocate(1, 0, address), NEREID_OK);
  EXPECT_EQ(interop.import_context(state, 0, &context, &call),
            NEREID_UNAVAILABLE);
  EXPECT_EQ(driver.free(state, 0, address, &call), NEREID_OK);
  context = object("vk.device", 5);
  EXPECT_EQ(interop.import_context(state, 1, &context, &call),
            NEREID_UNIMPLEMENTED);
}

// ---------------------------------------------------------------- extensions
TEST_F(Extension, DeclaresItsAbiItsVendorAndItsFrontend) {
  EXPECT_EQ(plugin.plugin->abi_major, uint32_t(NEREID_ABI_MAJOR));
  EXPECT_EQ(plugin.plugin->abi_revision, uint32_t(NEREID_ABI_REVISION));
  EXPECT_EQ(view(table<nereid_vendor_t>(NEREID_EXT_VENDOR).device_name),
            "extension");
  TestValues facts;
  EXPECT_EQ(table<nereid_frontend_t>(NEREID_EXT_FRONTEND)
                .visit_facts(state, nullptr, &facts, &call),
            NEREID_OK);
  EXPECT_EQ(facts.values["min_dot_size"], "[1,1,1]");
  EXPECT_EQ(facts.values["default_dot_precision"], "ieee");
  EXPECT_EQ(plugin.extension(NEREID_EXT_BENCHMARK), nullptr);
  EXPECT_EQ(plugin.extension("other/1"), nullptr);
}

// ---------------------------------------------------------------- halves
TEST(ExtensionHalves, OneCompilesAndTheOtherRuns) {
  PluginFile compiler(EXTENSION_COMPILER_PLUGIN);
  PluginFile driver(EXTENSION_DRIVER_PLUGIN);
  EXPECT_EQ(compiler.plugin->driver, nullptr);
  EXPECT_EQ(driver.plugin->compiler, nullptr);
  EXPECT_EQ(compiler.extension(NEREID_EXT_EVENT), nullptr);
  EXPECT_EQ(driver.extension(NEREID_EXT_FRONTEND), nullptr);
  Compiled image = compile(compiler, vectorAdd);
  ASSERT_EQ(image.status, NEREID_OK) << image.why;
  Loaded add = load(driver, image.output);
  EXPECT_EQ(add.status, NEREID_OK) << add.why;
  unload(driver, add.module);
}

} // namespace
