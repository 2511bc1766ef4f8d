// CompilerTest.cpp - what the asynchronous plugin compiles and refuses.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "AsynchronousFixture.h"

using namespace nereid::test;
using testing::HasSubstr;

namespace {
class AsynchronousCompiler : public AsynchronousTest {
protected:
  void expectRefused(std::string_view source, const char *message,
                     const char *startAt = "") {
    nereid_artifact_t *artifact = nullptr;
    EXPECT_NE(compile(artifact, 0, source, {}, startAt), NEREID_OK);
    EXPECT_THAT(lastError(), HasSubstr(message));
    nereid_artifact_destroy(artifact);
  }
  std::string list() {
    nereid_artifact_t *artifact = nullptr;
    EXPECT_EQ(compile(artifact, 0, vectorAdd(), {}, "", "list"), NEREID_OK)
        << lastError();
    std::string text = output(artifact);
    nereid_artifact_destroy(artifact);
    return text;
  }
};

TEST_F(AsynchronousCompiler, WritesAReadableList) {
  std::string text = list();
  EXPECT_THAT(text, HasSubstr("arch a1\n"));
  EXPECT_THAT(text, HasSubstr("kernel \"add_kernel\"\n"));
  EXPECT_THAT(text, HasSubstr("argument \"out_ptr\" *f32 written\n"));
  EXPECT_THAT(text, HasSubstr("argument \"x_ptr\" *f32\n"));
  EXPECT_THAT(text, HasSubstr(" = addf f32 x"));
}

TEST_F(AsynchronousCompiler, NumbersArgumentsWithoutAName) {
  nereid_artifact_t *artifact = nullptr;
  ASSERT_EQ(compile(artifact, 0, R"(module {
  tt.func public @k(%p: !tt.ptr<i32>, %n: i32) {
    tt.return
  }
})",
                    {}, "", "list"),
            NEREID_OK)
      << lastError();
  EXPECT_THAT(output(artifact), HasSubstr("argument \"arg1\" i32\n"));
  nereid_artifact_destroy(artifact);
}

TEST_F(AsynchronousCompiler, AListMakesTheSameImageAsItsSource) {
  nereid_artifact_t *fromList = nullptr, *fromSource = nullptr;
  ASSERT_EQ(compile(fromList, 0, list(), {}, "image"), NEREID_OK)
      << lastError();
  ASSERT_EQ(compile(fromSource, 0, vectorAdd()), NEREID_OK) << lastError();
  EXPECT_EQ(output(fromList), output(fromSource));
  nereid_artifact_destroy(fromList);
  nereid_artifact_destroy(fromSource);
}

TEST_F(AsynchronousCompiler, RefusesADamagedListAtItsLine) {
  std::string text = list();
  expectRefused(text + "what is this\n", "is not one of a program's text",
                "image");
  text.replace(text.find(" addf "), 6, " addi ");
  expectRefused(text, "has a result of the wrong type", "image");
}

TEST_F(AsynchronousCompiler, RefusesWhatItCannotRunAtItsPlaceInTheSource) {
  expectRefused(R"(module {
  tt.func public @k(%p: !tt.ptr<f32>) {
    %0 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32> loc("a.py":7:3)
    %1 = tt.expand_dims %0 {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32> loc("a.py":8:5)
    %2 = tt.splat %p : !tt.ptr<f32> -> tensor<1x16x!tt.ptr<f32>> loc("a.py":9:5)
    %3 = tt.addptr %2, %1 : tensor<1x16x!tt.ptr<f32>>, tensor<1x16xi32> loc("a.py":9:5)
    %4 = tt.load %3 : tensor<1x16x!tt.ptr<f32>> loc("a.py":9:5)
    tt.store %3, %4 : tensor<1x16x!tt.ptr<f32>> loc("a.py":9:5)
    tt.return
  }
})",
                "a.py:8:5: 'tt.expand_dims' is not supported");
}

TEST_F(AsynchronousCompiler, RefusesF64OnTheDeviceWithoutIt) {
  constexpr std::string_view kernel = R"(module {
  tt.func public @k(%p: !tt.ptr<f64>) {
    %0 = tt.load %p : !tt.ptr<f64> loc("a.py":7:3)
    tt.store %p, %0 : !tt.ptr<f64>
    tt.return
  }
})";
  nereid_artifact_t *artifact = nullptr;
  EXPECT_EQ(compile(artifact, 0, kernel), NEREID_OK) << lastError();
  nereid_artifact_destroy(artifact);
  artifact = nullptr;
  EXPECT_EQ(compile(artifact, 1, kernel), NEREID_INVALID_ARGUMENT);
  EXPECT_THAT(lastError(), HasSubstr("f64, which the device does not have"));
}

TEST_F(AsynchronousCompiler, ChecksItsOptions) {
  nereid_artifact_t *artifact = nullptr;
  EXPECT_EQ(compile(artifact, 0, vectorAdd(), {integer("num_warps", 9)}),
            NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(compile(artifact, 0, vectorAdd(), {integer("num_wraps", 1)}),
            NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(compile(artifact, 0, vectorAdd(), {integer("num_warps", 8)}),
            NEREID_OK);
  nereid_artifact_destroy(artifact);
}

TEST_F(AsynchronousCompiler, AnImageIsForOneOfTheDevicesOnly) {
  nereid_artifact_t *artifact = nullptr;
  ASSERT_EQ(compile(artifact, 0, vectorAdd()), NEREID_OK) << lastError();
  nereid_function_t *function = nullptr;
  EXPECT_EQ(nereid_function_load(backend, 1, artifact, &function),
            NEREID_INCOMPATIBLE);
  EXPECT_THAT(lastError(), HasSubstr("the image is for architecture 'a1'"));
  nereid_artifact_destroy(artifact);
}

TEST_F(AsynchronousCompiler, PassesTheChecksOfPlugins) {
  nereid_buffer_t *json = nullptr;
  nereid_validate_request_t request = {};
  request.struct_size = sizeof request;
  request.path = text(ASYNCHRONOUS_PLUGIN);
  ASSERT_EQ(nereid_validate_plugin(&request, &json), NEREID_OK) << lastError();
  nereid_bytes_t bytes = nereid_buffer_bytes(json);
  std::string_view report(static_cast<const char *>(bytes.data), bytes.size);
  EXPECT_THAT(report, testing::Not(HasSubstr("\"fail\""))) << report;
  EXPECT_THAT(report, HasSubstr("\"launch\""));
  nereid_buffer_destroy(json);
}
} // namespace
