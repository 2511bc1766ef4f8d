// CompilerTest.cpp - the extension plugin: what it reads, refuses and writes.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "ExtensionFixture.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace nereid::test {
namespace {

using testing::HasSubstr;

class ExtensionCompiler : public ExtensionTest {};

// ---------------------------------------------------------------- compile
TEST_F(ExtensionCompiler, ReadsTheSignature) {
  Compiled result = compile(plugin, vectorAdd);
  ASSERT_EQ(result.status, NEREID_OK) << result.why;
  EXPECT_EQ(result.metadata["name"], "add");
  EXPECT_EQ(result.metadata["argument_names"], "[x,y,n,flag,s]");
  EXPECT_EQ(result.metadata["argument_types"], "[*f32,*bf16,i32,i1,f64]");
  EXPECT_EQ(result.metadata["argument_offsets"], "[0,8,16,20,24]");
  EXPECT_EQ(result.metadata["argument_size"], "32");
  EXPECT_EQ(result.metadata["num_warps"], "4");
}

TEST_F(ExtensionCompiler, SaysWhereASignatureIsWrong) {
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

TEST_F(ExtensionCompiler, ReadsWhatTritonWrites) {
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

TEST_F(ExtensionCompiler, StopsEarlyWhenAsked) {
  EXPECT_EQ(compile(plugin, vectorAdd).stageFlags,
            (std::vector<uint32_t>{0, NEREID_STAGE_MAKES_IMAGE}));
  Compiled result = compile(plugin, vectorAdd, {truth("stop_at_ttir", 1)});
  EXPECT_EQ(result.stageFlags, std::vector<uint32_t>{0});
  EXPECT_EQ(result.output, vectorAdd);
}

// ---------------------------------------------------------------- options
TEST_F(ExtensionCompiler, CarriesOptionsOfEveryType) {
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

TEST_F(ExtensionCompiler, DeclaresWhatALaunchNeeds) {
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

TEST_F(ExtensionCompiler, WritesEqualOptionsEqually) {
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

TEST_F(ExtensionCompiler, RefusesWrongOptions) {
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
TEST_F(ExtensionCompiler, RefusesEveryDamagedImage) {
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

} // namespace
} // namespace nereid::test
