// CompilerChoiceTest.cpp - which plugin compiles for a target.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Fixture.h"

#include <gmock/gmock.h>

using testing::HasSubstr;

namespace {
class CompilerChoiceTest : public RuntimeFixture {};
} // namespace

TEST_F(CompilerChoiceTest, AnUnsupportedTargetIsRefused) {
  nereid_target_t target = {};
  target.struct_size = sizeof target;
  target.backend = text("cuda");
  target.arch = text("sm90");
  nereid_compile_request_t elsewhere = request();
  elsewhere.target = &target;
  EXPECT_EQ(compileError(elsewhere),
            "error: plugin 'test.fake' does not compile for target "
            "'cuda:sm90::0'");
}

TEST_F(CompilerChoiceTest, AnEmptyTargetThatACompilerServesHasNoText) {
  nereid_compiler_t compiler = *fake_plugin()->compiler;
  compiler.score_target = [](auto, auto, int32_t *score, auto) {
    *score = 1;
    return nereid_status_t(NEREID_OK);
  };
  nereid_plugin_t plugin = *fake_compiler_only();
  plugin.compiler = &compiler;
  ASSERT_EQ(nereid_runtime_register(runtime, &plugin, &backend), NEREID_OK);
  nereid_target_t target = {};
  target.struct_size = sizeof target;
  nereid_compile_request_t given = request();
  given.target = &target;
  auto targetOf = [&] {
    return jsonOf([&](nereid_buffer_t **out) {
      return nereid_compile_key(backend, &given, out);
    })["ingredients"]["target"];
  };
  EXPECT_EQ(targetOf(), "");
  target.arch = text("a:b");
  EXPECT_EQ(targetOf(), ":a\\:b::0");
}

TEST_F(CompilerChoiceTest, ACompilerWithoutDriverNeedsATargetAndCannotLoad) {
  ASSERT_EQ(nereid_runtime_register(runtime, fake_compiler_only(), &backend),
            NEREID_OK);
  EXPECT_EQ(compileError(request()),
            "error: plugin 'test.compiler' has no driver, so the target must "
            "be given");
  nereid_target_t target = {};
  target.struct_size = sizeof target;
  target.backend = text("fake");
  nereid_compile_request_t offline = request();
  offline.target = &target;
  nereid_artifact_t *artifact = compile(offline);
  ASSERT_NE(artifact, nullptr) << lastError();
  nereid_function_t *function = nullptr;
  EXPECT_EQ(nereid_function_load(backend, 0, artifact, &function),
            NEREID_UNIMPLEMENTED);
  EXPECT_THAT(lastError(), HasSubstr("has no driver"));
  // Another plugin with the driver for it loads the image.
  nereid_backend_t *driver = nullptr;
  ASSERT_EQ(nereid_runtime_backend(runtime, text("test.fake"), &driver),
            NEREID_OK);
  ASSERT_EQ(nereid_function_load(driver, 0, artifact, &function), NEREID_OK)
      << lastError();
  nereid_function_destroy(function);
  nereid_artifact_destroy(artifact);
}

TEST_F(CompilerChoiceTest, ADriverTakesTheCompilerWithTheBestScore) {
  // Three compilers for "fake" that know it less or more well, and a driver.
  nereid_compiler_t compilers[3];
  nereid_plugin_t tables[3];
  const char *ids[] = {"test.none", "test.weak", "test.strong"};
  for (int i = 0; i < 3; ++i) {
    compilers[i] = *fake_plugin()->compiler;
    tables[i] = *fake_compiler_only();
    tables[i].id = text(ids[i]);
    tables[i].compiler = &compilers[i];
  }
  compilers[0].score_target = [](auto, auto, int32_t *score, auto) {
    *score = 0;
    return nereid_status_t(NEREID_OK);
  };
  compilers[1].score_target = [](auto, auto, int32_t *score, auto) {
    *score = 1;
    return nereid_status_t(NEREID_OK);
  };
  nereid_plugin_t driver = *fake_plugin();
  driver.id = text("test.driver");
  driver.compiler = nullptr;

  restart();
  ASSERT_EQ(nereid_runtime_unregister(runtime, backend), NEREID_OK);
  nereid_backend_t *handles[3] = {};
  ASSERT_EQ(nereid_runtime_register(runtime, &driver, &backend), NEREID_OK);
  nereid_backend_t *compiler = nullptr;
  EXPECT_EQ(nereid_backend_compiler(backend, 0, &compiler),
            NEREID_UNIMPLEMENTED);
  EXPECT_THAT(lastError(), HasSubstr("plugin 'test.driver' has no compiler, "
                                     "and no plugin compiles for "
                                     "target 'fake:f1::1'"));
  for (int i = 0; i < 3; ++i)
    ASSERT_EQ(nereid_runtime_register(runtime, &tables[i], &handles[i]),
              NEREID_OK)
        << lastError();
  ASSERT_EQ(nereid_backend_compiler(backend, 0, &compiler), NEREID_OK);
  EXPECT_EQ(compiler, handles[2]);
  nereid_target_t target = {};
  target.struct_size = sizeof target;
  target.backend = text("fake");
  ASSERT_EQ(nereid_runtime_compiler(runtime, &target, &compiler), NEREID_OK);
  EXPECT_EQ(compiler, handles[2]);
  EXPECT_EQ(nereid_runtime_compiler(runtime, nullptr, &compiler),
            NEREID_INVALID_ARGUMENT);

  nereid_artifact_t *artifact = compile(request("abc"), {{"scale", "2"}});
  ASSERT_NE(artifact, nullptr) << lastError();
  EXPECT_EQ(jsonOf([&](nereid_buffer_t **out) {
              return nereid_artifact_describe(artifact, out);
            })["key_ingredients"]["plugin"],
            "test.strong");
  nereid_function_t *function = nullptr;
  EXPECT_EQ(nereid_function_load(backend, 0, artifact, &function), NEREID_OK)
      << lastError();
  nereid_function_destroy(function);
  nereid_artifact_destroy(artifact);
  EXPECT_FALSE(jsonOf([&](nereid_buffer_t **out) {
                 return nereid_backend_options(backend, nullptr, out);
               }).empty());
  stop();
}
