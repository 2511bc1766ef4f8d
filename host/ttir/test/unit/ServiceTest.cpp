// ServiceTest.cpp: libnereid-ttir.so as a host uses it.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "nereid/ttir/service.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string_view>
#include <thread>

using ::testing::HasSubstr;
using ::testing::Not;

namespace {

constexpr std::string_view kKernel = R"(
#loc = loc("k.py":3:0)
module {
  tt.func public @k(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32} loc("x_ptr"(#loc)), %n: i32) attributes {noinline = false} {
    tt.call @f() : () -> ()
    tt.return
  }
  tt.func private @f() attributes {noinline = false} {
    tt.return
  }
}
)";

nereid_string_t text(std::string_view view) {
  return {view.data(), view.size()};
}

std::string toString(nereid_string_t text) {
  return {text.data, static_cast<size_t>(text.size)};
}

/// What one call wrote and reported.
struct Outcome {
  nereid_status_t status = NEREID_OK;
  std::string output;
  std::vector<std::string> diagnostics;
};

class TtirService : public ::testing::Test {
protected:
  void SetUp() override {
    void *library = dlopen(NEREID_TTIR_SERVICE, RTLD_NOW | RTLD_LOCAL);
    ASSERT_TRUE(library) << dlerror();
    auto fill = reinterpret_cast<decltype(&nereid_ttir_service_1)>(
        dlsym(library, NEREID_TTIR_SERVICE_SYMBOL));
    ASSERT_TRUE(fill);
    service.struct_size = sizeof(service);
    fill(&service);
    getService = fill;
  }

  Outcome normalize(std::string_view input, nereid_string_t passes) const {
    return run([&](const nereid_call_t *call, const nereid_writer_t *writer) {
      return service.normalize(call, text("k.ttir"),
                               {input.data(), input.size()}, passes, writer);
    });
  }

  Outcome describe(std::string_view input) const {
    return run([&](const nereid_call_t *call, const nereid_writer_t *writer) {
      return service.describe(call, text("k.ttir"),
                              {input.data(), input.size()}, writer);
    });
  }

  nereid_ttir_service_t service = {};
  void (*getService)(nereid_ttir_service_t *) = nullptr;

private:
  template <typename Body> static Outcome run(Body body) {
    Outcome outcome;
    nereid_call_t call = {};
    call.struct_size = sizeof(call);
    call.user = &outcome;
    call.report = [](const nereid_call_t *call,
                     const nereid_diagnostic_t *diagnostic) {
      static_cast<Outcome *>(call->user)
          ->diagnostics.push_back(toString(diagnostic->file) + ":" +
                                  std::to_string(diagnostic->line) + ": " +
                                  toString(diagnostic->message));
    };
    nereid_writer_t writer = {};
    writer.struct_size = sizeof(writer);
    writer.user = &outcome;
    writer.write = [](const nereid_writer_t *writer, const void *data,
                      uint64_t size) -> nereid_status_t {
      static_cast<Outcome *>(writer->user)
          ->output.append(static_cast<const char *>(data), size);
      return NEREID_OK;
    };
    outcome.status = body(&call, &writer);
    return outcome;
  }
};

} // namespace

TEST_F(TtirService, RunsTheStandardPipelineUnlessToldOtherwise) {
  Outcome standard = normalize(kKernel, {nullptr, 0});
  EXPECT_EQ(standard.status, NEREID_OK);
  EXPECT_THAT(standard.output, Not(HasSubstr("tt.call")));

  Outcome untouched = normalize(kKernel, text(""));
  EXPECT_EQ(untouched.status, NEREID_OK);
  EXPECT_THAT(untouched.output, HasSubstr("tt.call"));
  EXPECT_THAT(untouched.output, HasSubstr("loc(\"x_ptr\"(#loc"));

  Outcome named = normalize(kKernel, text("inline,symbol-dce"));
  EXPECT_EQ(named.status, NEREID_OK);
  EXPECT_THAT(named.output, Not(HasSubstr("tt.func private")));
}

TEST_F(TtirService, NamesAnUnknownPass) {
  Outcome outcome = normalize(kKernel, text("no-such-pass"));
  EXPECT_EQ(outcome.status, NEREID_INVALID_ARGUMENT);
  ASSERT_EQ(outcome.diagnostics.size(), 1u);
  EXPECT_THAT(outcome.diagnostics.front(), HasSubstr("no-such-pass"));
}

TEST_F(TtirService, ReportsWhereTheTextIsWrong) {
  Outcome outcome = describe("module {\n  tt.nothing\n}");
  EXPECT_EQ(outcome.status, NEREID_INVALID_ARGUMENT);
  EXPECT_TRUE(outcome.output.empty());
  ASSERT_FALSE(outcome.diagnostics.empty());
  EXPECT_THAT(outcome.diagnostics.front(), HasSubstr("k.ttir:2: "));
}

TEST_F(TtirService, DescribesPublicFunctions) {
  Outcome outcome = describe(kKernel);
  ASSERT_EQ(outcome.status, NEREID_OK);
  auto functions = nlohmann::json::parse(outcome.output)["functions"];
  ASSERT_EQ(functions.size(), 1u);
  EXPECT_EQ(functions[0]["name"], "k");
  EXPECT_EQ(functions[0]["attributes"]["noinline"], false);
  auto arguments = functions[0]["arguments"];
  ASSERT_EQ(arguments.size(), 2u);
  EXPECT_EQ(arguments[0]["name"], "x_ptr");
  EXPECT_EQ(arguments[0]["type"], "!tt.ptr<f32>");
  EXPECT_EQ(arguments[0]["attributes"]["tt.divisibility"], 16);
  EXPECT_EQ(arguments[1]["name"], "");
  EXPECT_EQ(arguments[1]["type"], "i32");
}

TEST_F(TtirService, FillsNoMoreThanAnOlderHostKnows) {
  nereid_ttir_service_t older = {};
  older.struct_size = offsetof(nereid_ttir_service_t, describe);
  getService(&older);
  EXPECT_TRUE(older.normalize);
  EXPECT_FALSE(older.describe);
  EXPECT_EQ(older.struct_size, offsetof(nereid_ttir_service_t, describe));
}

TEST_F(TtirService, WorksOnSeveralThreads) {
  std::string expected = normalize(kKernel, {nullptr, 0}).output;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&] {
      for (int round = 0; round < 10; ++round)
        EXPECT_EQ(normalize(kKernel, {nullptr, 0}).output, expected);
    });
  for (std::thread &thread : threads)
    thread.join();
}
