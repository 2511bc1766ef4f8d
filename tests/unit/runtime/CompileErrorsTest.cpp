// CompileErrorsTest.cpp - compilations that fail, and whom the message blames.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Fixture.h"

#include <gmock/gmock.h>
#include <limits>

using testing::EndsWith;
using testing::HasSubstr;

namespace {
class CompileErrorsTest : public RuntimeFixture {};
} // namespace

TEST_F(CompileErrorsTest, AFailureNamesFileStageAndPlugin) {
  EXPECT_EQ(compileError(request(), {{"break", "reason"}}),
            "error: k.ttir: stage 'lower' failed: plugin 'test.fake': tt.dot "
            "is not supported");
  EXPECT_EQ(status, NEREID_UNIMPLEMENTED);
  EXPECT_EQ(fake_counts().begins, fake_counts().ends);
  EXPECT_EQ(fake_counts().parses, fake_counts().destroys);
}

TEST_F(CompileErrorsTest, ALocationWithoutAFileRefersToTheInput) {
  EXPECT_EQ(compileError(request(), {{"break", "first-line"}}),
            "error: k.ttir: stage 'parse' failed: plugin 'test.fake': "
            "k.ttir:3:7: unexpected token");
  EXPECT_EQ(compileError(request(), {{"break", "later-line"}}),
            "error: k.ttir: stage 'lower' failed: plugin 'test.fake': "
            "k.ttir (ttir):3:7: unexpected token");
}

TEST_F(CompileErrorsTest, ANoteNamesTheInputThatAStageAccepts) {
  nereid_compile_request_t late = request();
  late.start_at = text("lower");
  EXPECT_THAT(
      compileError(late, {{"break", "later-line"}}),
      EndsWith("unexpected token\nnote: stage 'lower' accepts 'ttir', as "
               "stage 'parse' makes it; 'ttir' goes to stage 'parse'"));
  nereid_replacement_t replacement = {};
  replacement.struct_size = sizeof replacement;
  replacement.stage = text("parse");
  nereid_compile_request_t replaced = request();
  replaced.replacements = &replacement;
  replaced.replacement_count = 1;
  EXPECT_THAT(compileError(replaced, {{"break", "later-line"}}),
              EndsWith("unexpected token\nnote: stage 'lower' accepts 'ttir', "
                       "and what replaces the output of stage 'parse' must be "
                       "that"));
}

TEST_F(CompileErrorsTest, AFailureWithoutAReasonIsAFaultOfThePlugin) {
  EXPECT_EQ(compileError(request(), {{"break", "silent"}}),
            "error: k.ttir: stage 'lower' failed: plugin 'test.fake': "
            "run_stage failed with internal and gave no reason, which is a "
            "fault of the plugin");
  EXPECT_EQ(status, NEREID_INTERNAL);
  // Which argument, it does not say.
  EXPECT_THAT(compileError(request(), {{"break", "speechless"}}),
              HasSubstr("run_stage failed with invalid-argument and gave no "
                        "reason"));
  EXPECT_EQ(status, NEREID_INTERNAL);
}

TEST_F(CompileErrorsTest, AHostOutOfMemoryIsNotAFaultOfThePlugin) {
  EXPECT_EQ(compileError(request(), {{"break", "endless"}}),
            "error: k.ttir: stage 'lower' failed: plugin 'test.fake': "
            "libnereid has no memory for the output of run_stage");
  EXPECT_EQ(status, NEREID_OUT_OF_RESOURCES);
}

TEST_F(CompileErrorsTest, MalformedMetadataIsTheFaultOfThePlugin) {
  EXPECT_THAT(compileError(request(), {{"break", "metadata"}}),
              HasSubstr("plugin 'test.fake': run_stage returns malformed data: "
                        "a value has no name"));
  EXPECT_EQ(status, NEREID_INTERNAL);
}

TEST_F(CompileErrorsTest, MalformedPipelinesAreRefused) {
  EXPECT_EQ(compileError(request(), {{"break", "chain"}}),
            "error: plugin 'test.fake': malformed pipeline: stage 'parse' "
            "makes 'ttir', but stage 'lower' after it accepts 'other.ir'");
  EXPECT_THAT(compileError(request(), {{"break", "twice"}}),
              HasSubstr("two stages have the name 'parse'"));
  EXPECT_THAT(compileError(request(), {{"break", "none"}}),
              HasSubstr("has no stages"));
  EXPECT_EQ(compileError(request(), {{"break", "kindless"}}),
            "error: plugin 'test.fake': visit_stages returns malformed "
            "data: a stage has no kind of output");
  EXPECT_EQ(status, NEREID_INTERNAL);
}

TEST_F(CompileErrorsTest, OptionsThatContradictThemselvesAreRefused) {
  nereid_value_t value = {};
  value.type = NEREID_TYPE_I64_LIST;
  value.list_size = 4;
  nereid_compile_request_t given = request();
  given.options = &value;
  given.option_count = 1;
  auto compileGiven = [&] {
    nereid_artifact_t *artifact = nullptr;
    status = nereid_compile(backend, &given, &artifact);
    return lastError();
  };
  // Of an option that is a list and of one that is not.
  for (const char *name : {"sizes", "num_warps"}) {
    value.name = text(name);
    EXPECT_EQ(compileGiven(), "error: plugin 'test.fake': value '" +
                                  std::string(name) +
                                  "' is a list of 4 items without data");
    EXPECT_EQ(status, NEREID_INVALID_ARGUMENT);
  }
  value = {};
  value.name = text("num_warps");
  value.type = NEREID_TYPE_F64;
  value.f64 = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(compileGiven(), HasSubstr("option 'num_warps' is nan"));
}

TEST_F(CompileErrorsTest, OptionsAreCheckedBeforeThePluginSeesThem) {
  EXPECT_EQ(compileError(request(), {{"num_warp", "4"}}),
            "error: plugin 'test.fake': unknown option 'num_warp'; did you "
            "mean 'num_warps'");
  EXPECT_EQ(status, NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(fake_counts().parses, 0);
  EXPECT_EQ(compileError(request(), {{"break", "options"}}),
            "error: plugin 'test.fake': the fake refuses these options");
}

TEST_F(CompileErrorsTest, TextAndBytesWithASizeButNoDataAreHarmless) {
  nereid_compile_request_t nameless = request();
  nameless.source_name = {nullptr, 10};
  nereid_artifact_destroy(compile(nameless));

  nereid_replacement_t replacement = {};
  replacement.struct_size = sizeof replacement;
  replacement.stage = text("lower");
  replacement.replacement = {nullptr, 10};
  nereid_compile_request_t replaced = request();
  replaced.replacements = &replacement;
  replaced.replacement_count = 1;
  EXPECT_THAT(compileError(replaced),
              HasSubstr("the replacement of stage 'lower' has a size but no "
                        "data"));

  nereid_compiler_t compiler = *fake_plugin()->compiler;
  compiler.write_dependencies = [](auto, auto, const nereid_writer_t *writer,
                                   auto) {
    return writer->write(writer, nullptr, 100);
  };
  nereid_plugin_t table = *fake_plugin();
  table.compiler = &compiler;
  restart();
  ASSERT_EQ(nereid_runtime_unregister(runtime, backend), NEREID_OK);
  ASSERT_EQ(nereid_runtime_register(runtime, &table, &backend), NEREID_OK);
  EXPECT_EQ(compileError(request()),
            "error: plugin 'test.fake': write_dependencies returns malformed "
            "data: bytes with a size but no data");
  EXPECT_EQ(status, NEREID_INTERNAL);
  stop();
}
