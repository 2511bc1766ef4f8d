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

namespace {

/// What describe() says of each pointer of a kernel with arguments %p, %q and
/// %n and this body: 'w' for written, 'r' for only read.
class TtirWrites : public TtirService {
protected:
  std::string writes(const std::string &body, const std::string &rest = "") {
    std::string source =
        "module {\n  tt.func public @k(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, "
        "%n: i32) attributes {noinline = false} {\n" +
        body + "    tt.return\n  }\n" + rest + "}\n";
    Outcome outcome = describe(source);
    EXPECT_EQ(outcome.status, NEREID_OK);
    for (const std::string &diagnostic : outcome.diagnostics)
      ADD_FAILURE() << diagnostic << "\n" << source;
    if (outcome.status != NEREID_OK)
      return "";
    auto all = nlohmann::json::parse(outcome.output);
    std::string result;
    for (const auto &argument : all["functions"][0]["arguments"])
      if (argument.contains("written"))
        result += argument["written"].get<bool>() ? 'w' : 'r';
    return result;
  }
};

} // namespace

TEST_F(TtirWrites, StoresWriteAndLoadsDoNot) {
  EXPECT_EQ(writes(""), "rr");
  EXPECT_EQ(writes(R"(
    %x = tt.load %p : !tt.ptr<f32>
    tt.store %q, %x : !tt.ptr<f32>
)"),
            "rw");
  EXPECT_EQ(writes(R"(
    %x = tt.load %p {isVolatile = true} : !tt.ptr<f32>
    tt.print "x: " {hex = false, isSigned = array<i32: 0>} : %q : !tt.ptr<f32>
)"),
            "rr");
}

TEST_F(TtirWrites, FollowsAddressArithmetic) {
  EXPECT_EQ(writes(R"(
    %i = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
    %ps = tt.splat %p : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
    %pp = tt.addptr %ps, %i : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
    %x = tt.load %pp : tensor<16x!tt.ptr<f32>>
    %qs = tt.splat %q : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
    %qp = tt.addptr %qs, %i : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
    %qb = tt.bitcast %qp : tensor<16x!tt.ptr<f32>> -> tensor<16x!tt.ptr<i32>>
    tt.store %qb, %i : tensor<16x!tt.ptr<i32>>
)"),
            "rw");
}

TEST_F(TtirWrites, AtomicsWrite) {
  EXPECT_EQ(writes(R"(
    %one = arith.constant 1.0 : f32
    %true = arith.constant true
    %x = tt.load %p : !tt.ptr<f32>
    %old = tt.atomic_rmw fadd, acq_rel, gpu, %q, %one, %true : (!tt.ptr<f32>, f32, i1) -> f32
)"),
            "rw");
}

TEST_F(TtirWrites, FollowsLoopsAndBranches) {
  std::string loop = R"(
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %end:2 = scf.for %i = %zero to %n step %one iter_args(%a = %p, %b = %q) -> (!tt.ptr<f32>, !tt.ptr<f32>) : i32 {
      %x = tt.load %a : !tt.ptr<f32>
      %na = tt.addptr %a, %one : !tt.ptr<f32>, i32
      %nb = tt.addptr %b, %one : !tt.ptr<f32>, i32
      scf.yield %na, %nb : !tt.ptr<f32>, !tt.ptr<f32>
    }
    %v = arith.constant 1.0 : f32
)";
  EXPECT_EQ(writes(loop), "rr");
  EXPECT_EQ(writes(loop + "    tt.store %end#1, %v : !tt.ptr<f32>\n"), "rw");
  EXPECT_EQ(writes(loop + "    tt.store %end#0, %v : !tt.ptr<f32>\n"), "wr");
  std::string choice = R"(
    %zero = arith.constant 0 : i32
    %c = arith.cmpi slt, %n, %zero : i32
    %v = arith.constant 1.0 : f32
    %r = scf.if %c -> (!tt.ptr<f32>) {
      scf.yield %p : !tt.ptr<f32>
    } else {
      scf.yield %q : !tt.ptr<f32>
    }
    %s = arith.select %c, %p, %q : !tt.ptr<f32>
)";
  EXPECT_EQ(writes(choice + "    %x = tt.load %r : !tt.ptr<f32>\n"), "rr");
  EXPECT_EQ(writes(choice + "    tt.store %r, %v : !tt.ptr<f32>\n"), "ww");
  EXPECT_EQ(writes(choice + "    tt.store %s, %v : !tt.ptr<f32>\n"), "ww");
  EXPECT_EQ(writes(R"(
    %zero = arith.constant 0 : i32
    %v = arith.constant 1.0 : f32
    %end = scf.while (%a = %p) : (!tt.ptr<f32>) -> !tt.ptr<f32> {
      %x = tt.load %q : !tt.ptr<f32>
      %c = arith.cmpf olt, %x, %v : f32
      scf.condition(%c) %a : !tt.ptr<f32>
    } do {
    ^bb0(%b: !tt.ptr<f32>):
      tt.store %b, %v : !tt.ptr<f32>
      scf.yield %b : !tt.ptr<f32>
    }
)"),
            "wr");
}

TEST_F(TtirWrites, FollowsBlocks) {
  EXPECT_EQ(writes(R"(
    cf.br ^next(%p, %q : !tt.ptr<f32>, !tt.ptr<f32>)
  ^next(%a: !tt.ptr<f32>, %b: !tt.ptr<f32>):
    %x = tt.load %a : !tt.ptr<f32>
    tt.store %b, %x : !tt.ptr<f32>
)"),
            "rw");
}

TEST_F(TtirWrites, AnEscapeCountsAsAWrite) {
  EXPECT_EQ(writes("    %a = tt.ptr_to_int %p : !tt.ptr<f32> -> i64\n"), "wr");
  EXPECT_EQ(writes("    tt.call @f(%q) : (!tt.ptr<f32>) -> ()\n", R"(
  tt.func private @f(%a: !tt.ptr<f32>) attributes {noinline = true} {
    tt.return
  }
)"),
            "rw");
  EXPECT_EQ(writes(R"(
    %cells = tt.bitcast %q : !tt.ptr<f32> -> !tt.ptr<!tt.ptr<f32>>
    tt.store %cells, %p : !tt.ptr<!tt.ptr<f32>>
)"),
            "ww");
  EXPECT_EQ(writes(R"(
    %x = tt.elementwise_inline_asm "mov.u64 $0, $1;" {constraints = "=l,l", packed_element = 1 : i32, pure = true} %p : !tt.ptr<f32> -> !tt.ptr<f32>
)"),
            "wr");
}

TEST_F(TtirWrites, DescriptorsCountForTheirBase) {
  std::string made = R"(
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %size = arith.constant 64 : i32
    %d = tt.make_tensor_descriptor %p, [%size], [%one] : !tt.ptr<f32>, !tt.tensordesc<tensor<16xf32>>
    %x = tt.descriptor_load %d[%zero] : !tt.tensordesc<tensor<16xf32>> -> tensor<16xf32>
)";
  EXPECT_EQ(writes(made), "rr");
  EXPECT_EQ(writes(made + "    tt.descriptor_store %d[%zero], %x : "
                          "!tt.tensordesc<tensor<16xf32>>, tensor<16xf32>\n"),
            "wr");
  Outcome outcome = describe(R"(module {
  tt.func public @k(%d: !tt.tensordesc<tensor<16xf32>>, %e: !tt.tensordesc<tensor<16xf32>>) {
    %zero = arith.constant 0 : i32
    %x = tt.descriptor_load %d[%zero] : !tt.tensordesc<tensor<16xf32>> -> tensor<16xf32>
    tt.descriptor_store %e[%zero], %x : !tt.tensordesc<tensor<16xf32>>, tensor<16xf32>
    tt.return
  }
})");
  ASSERT_EQ(outcome.status, NEREID_OK);
  auto all = nlohmann::json::parse(outcome.output);
  auto arguments = all["functions"][0]["arguments"];
  EXPECT_EQ(arguments[0]["written"], false);
  EXPECT_EQ(arguments[1]["written"], true);
}
