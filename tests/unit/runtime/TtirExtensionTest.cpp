// TtirExtensionTest.cpp - the host's extension nereid.ttir/1, as a plugin gets
// it, with the service behind it.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "fake_plugin.h"
#include "nereid/ext/ttir.h"
#include "nereid/host.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

using testing::HasSubstr;

namespace {
constexpr std::string_view kernel = R"(module {
  tt.func public @k(%n: i32) {
    %0 = arith.addi %n, %n : i32
    tt.return
  }
}
)";

const nereid_host_t *givenHost;
decltype(nereid_plugin_t::create) createFake;

nereid_status_t createAndKeepHost(const nereid_host_t *host,
                                  nereid_state_t **out,
                                  const nereid_call_t *call) {
  givenHost = host;
  return createFake ? createFake(host, out, call) : NEREID_OK;
}

nereid_string_t text(std::string_view view) {
  return {view.data(), view.size()};
}

/// The extension of a runtime that a plugin has just been registered with.
class TtirExtension : public testing::Test {
protected:
  void SetUp() override {
    auto options = nereid::detail::sized<nereid_runtime_options_t>();
    options.flags = NEREID_RUNTIME_NO_DISCOVERY | NEREID_RUNTIME_NO_CACHE |
                    NEREID_RUNTIME_IGNORE_ENVIRONMENT;
    ASSERT_EQ(nereid_runtime_create(&options, &runtime), NEREID_OK);
    plugin = *fake_plugin();
    createFake = plugin.create;
    plugin.create = createAndKeepHost;
    nereid_backend_t *backend = nullptr;
    ASSERT_EQ(nereid_runtime_register(runtime, &plugin, &backend), NEREID_OK);
    extension = static_cast<const nereid_ttir_t *>(
        givenHost->get_extension(givenHost, text(NEREID_EXT_TTIR)));
    ASSERT_NE(extension, nullptr);

    writer.struct_size = sizeof writer;
    writer.user = &output;
    writer.write = [](const nereid_writer_t *self, const void *data,
                      uint64_t size) -> nereid_status_t {
      static_cast<std::string *>(self->user)
          ->append(static_cast<const char *>(data), size);
      return NEREID_OK;
    };
    call.struct_size = sizeof call;
    call.user = &reported;
    call.report = [](const nereid_call_t *self,
                     const nereid_diagnostic_t *diagnostic) {
      *static_cast<std::string *>(self->user) +=
          std::to_string(diagnostic->line) + ": " +
          std::string(nereid::detail::view(diagnostic->message)) + "\n";
    };
  }
  void TearDown() override { nereid_runtime_destroy(runtime); }

  nereid_status_t normalize(std::string_view input) {
    return extension->normalize({input.data(), input.size()}, text("k.ttir"),
                                {}, &writer, &call);
  }

  nereid_runtime_t *runtime = nullptr;
  nereid_plugin_t plugin = {};
  const nereid_ttir_t *extension = nullptr;
  nereid_writer_t writer = {};
  nereid_call_t call = {};
  std::string output, reported;
};

TEST_F(TtirExtension, NormalizesThroughTheService) {
  ASSERT_EQ(normalize(kernel), NEREID_OK) << reported;
  EXPECT_THAT(output, HasSubstr("tt.func public @k"));
  EXPECT_THAT(output, testing::Not(HasSubstr("arith.addi")));
}

TEST_F(TtirExtension, DescribesThroughTheService) {
  ASSERT_EQ(extension->describe({kernel.data(), kernel.size()}, text("k.ttir"),
                                &writer, &call),
            NEREID_OK)
      << reported;
  EXPECT_THAT(output, HasSubstr("\"name\":\"k\""));
}

/// What a host program, which has no host table, gets.
TEST_F(TtirExtension, HostProgramsDescribeWithoutAPlugin) {
  auto describe = [this](std::string_view source, nereid_buffer_t **out) {
    return nereid_runtime_describe_ttir(runtime, {source.data(), source.size()},
                                        text("host.ttir"), out);
  };
  auto lastError = [] {
    return std::string(nereid::detail::view(nereid_error()));
  };
  nereid_buffer_t *json = nullptr;
  ASSERT_EQ(describe(kernel, &json), NEREID_OK) << lastError();
  nereid_bytes_t bytes = nereid_buffer_bytes(json);
  EXPECT_THAT(std::string(static_cast<const char *>(bytes.data), bytes.size),
              HasSubstr("\"name\":\"k\""));
  nereid_buffer_destroy(json);
  json = nullptr;
  EXPECT_EQ(describe("module {\n  tt.bogus\n}\n", &json),
            NEREID_INVALID_ARGUMENT);
  EXPECT_THAT(lastError(), HasSubstr("host.ttir:2:"));
  EXPECT_EQ(nereid_runtime_describe_ttir(runtime, {nullptr, 4}, {}, &json),
            NEREID_INVALID_ARGUMENT);
  EXPECT_THAT(lastError(), HasSubstr("source is null"));
  EXPECT_EQ(json, nullptr);
  EXPECT_EQ(describe(kernel, nullptr), NEREID_INVALID_ARGUMENT);
  EXPECT_THAT(lastError(), HasSubstr("out_json is null"));
  EXPECT_EQ(nereid_runtime_describe_ttir(nullptr, {nullptr, 0}, {}, &json),
            NEREID_INVALID_ARGUMENT);
  EXPECT_THAT(lastError(), HasSubstr("runtime is null"));
}

TEST_F(TtirExtension, ReportsErrorsWithTheirLocation) {
  EXPECT_EQ(normalize("module {\n  tt.bogus\n}\n"), NEREID_INVALID_ARGUMENT);
  EXPECT_THAT(reported, HasSubstr("2: "));
}

TEST_F(TtirExtension, UnknownNamesAreNotExtensions) {
  EXPECT_EQ(givenHost->get_extension(givenHost, text("nereid.ttir/2")),
            nullptr);
}

/// What a walk showed: one line for each operation, block and region.
struct Shown {
  std::vector<std::string> lines;
  nereid_status_t answer = NEREID_OK; // to every operation
};

std::string valueText(const nereid_value_t &value) {
  std::string name(nereid::detail::view(value.name));
  switch (value.type) {
  case NEREID_TYPE_STRING:
    return name + "=" + std::string(nereid::detail::view(value.text));
  case NEREID_TYPE_BOOL:
    return name + (value.i64 == 1 ? "=true" : value.i64 ? "=?" : "=false");
  case NEREID_TYPE_F64:
    return name + "=" + std::to_string(value.f64);
  case NEREID_TYPE_I64:
    return name + "=" + std::to_string(value.i64);
  case NEREID_TYPE_I64_LIST:
    name += "=[";
    for (uint64_t i = 0; i < value.list_size; ++i)
      name += std::to_string(static_cast<const int64_t *>(value.list)[i]) + ",";
    return name + "]";
  default:
    return name + "=?";
  }
}

nereid_status_t showOp(const nereid_ttir_visitor_t *visitor,
                       const nereid_ttir_op_t *op) {
  Shown &shown = *static_cast<Shown *>(visitor->user);
  std::string line;
  for (uint64_t i = 0; i < op->result_count; ++i)
    line += "%" + std::to_string(op->results[i].id) + ":" +
            std::string(nereid::detail::view(op->results[i].type)) + " ";
  line += nereid::detail::view(op->name);
  for (uint64_t i = 0; i < op->operand_count; ++i)
    line += " %" + std::to_string(op->operands[i]);
  for (uint64_t i = 0; i < op->attribute_count; ++i)
    line += " " + valueText(op->attributes[i]);
  for (uint64_t i = 0; i < op->successor_count; ++i)
    line += " ^" + std::to_string(op->successors[i]);
  line += " @" + std::string(nereid::detail::view(op->file)) + ":" +
          std::to_string(op->line) + ":" + std::to_string(op->column);
  shown.lines.push_back(line);
  return shown.answer;
}

nereid_status_t showBlock(const nereid_ttir_visitor_t *visitor,
                          const nereid_ttir_block_t *block) {
  std::string line = "^" + std::to_string(block->id);
  for (uint64_t i = 0; i < block->argument_count; ++i) {
    const nereid_ttir_value_t &value = block->arguments[i];
    line += " " + std::string(nereid::detail::view(value.name)) + "%" +
            std::to_string(value.id) + ":" +
            std::string(nereid::detail::view(value.type));
    for (uint64_t k = 0; k < value.attribute_count; ++k)
      line += " " + valueText(value.attributes[k]);
  }
  static_cast<Shown *>(visitor->user)->lines.push_back(line);
  return NEREID_OK;
}

class TtirWalk : public TtirExtension {
protected:
  nereid_status_t walk(std::string_view input, nereid_string_t passes) {
    nereid_ttir_visitor_t visitor = {};
    visitor.struct_size = sizeof visitor;
    visitor.user = &shown;
    visitor.op = showOp;
    visitor.block = showBlock;
    visitor.begin_region = [](const nereid_ttir_visitor_t *self) {
      static_cast<Shown *>(self->user)->lines.push_back("{");
      return nereid_status_t(NEREID_OK);
    };
    visitor.end_region = [](const nereid_ttir_visitor_t *self) {
      static_cast<Shown *>(self->user)->lines.push_back("}");
      return nereid_status_t(NEREID_OK);
    };
    return extension->walk({input.data(), input.size()}, text("k.ttir"), passes,
                           &visitor, &call);
  }
  Shown shown;
};

TEST_F(TtirWalk, ShowsOperationsInOrderWithTheirPlaces) {
  ASSERT_EQ(walk(R"(module {
  tt.func public @k(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32} loc("p"("a.py":1:7)), %c: i1) {
    %0 = tt.load %p, %c : !tt.ptr<f32> loc("a.py":2:3)
    %1 = arith.cmpf olt, %0, %0 : f32 loc("a.py":3:4)
    scf.if %1 {
      tt.store %p, %0 : !tt.ptr<f32>
    } loc("a.py":4:5)
    tt.return
  }
})",
                 text("")),
            NEREID_OK)
      << reported;
  const std::vector<std::string> &lines = shown.lines;
  ASSERT_EQ(lines.size(), 15u) << testing::PrintToString(lines);
  EXPECT_THAT(lines[0], testing::StartsWith("tt.func"));
  EXPECT_THAT(lines[0], HasSubstr(" sym_name=k"));
  EXPECT_THAT(lines[0], HasSubstr(" @k.ttir:2:3"));
  EXPECT_EQ(lines[1], "{");
  EXPECT_EQ(lines[2], "^0 p%0:!tt.ptr<f32> tt.divisibility=16 %1:i1");
  EXPECT_THAT(lines[3], testing::StartsWith("%2:f32 tt.load %0 %1 "));
  EXPECT_THAT(lines[3], HasSubstr("operandSegmentSizes=[1,1,0,]"));
  EXPECT_THAT(lines[3], testing::EndsWith("@a.py:2:3"));
  EXPECT_THAT(lines[4], HasSubstr("%3:i1 arith.cmpf %2 %2 "));
  EXPECT_THAT(lines[4], HasSubstr("predicate=olt"));
  EXPECT_EQ(lines[5], "scf.if %3 @a.py:4:5");
  EXPECT_EQ(lines[6], "{");
  EXPECT_THAT(lines[8], testing::StartsWith("tt.store %0 %2 "));
  EXPECT_EQ(lines.back(), "}");
}

TEST_F(TtirWalk, ShowsNumbersOfConstantsAsTheyAre) {
  ASSERT_EQ(walk(R"(module {
  tt.func public @k() {
    %0 = arith.constant dense<true> : tensor<4xi1>
    %1 = arith.constant dense<[true, false]> : tensor<2xi1>
    %2 = arith.constant true
    %3 = arith.constant dense<-3> : tensor<4xi8>
    %4 = arith.constant dense<[1, 2]> : tensor<2xi32>
    %5 = arith.constant 1.5 : bf16
    tt.return
  }
})",
                 text("")),
            NEREID_OK)
      << reported;
  std::vector<std::string> found;
  for (const std::string &line : shown.lines)
    if (size_t at = line.find("value="); at != std::string::npos)
      found.push_back(line.substr(at, line.find(" @") - at));
  EXPECT_THAT(found, testing::ElementsAre("value=true", "value=[1,0,]",
                                          "value=true", "value=-3",
                                          "value=[1,2,]", "value=1.500000"));
}

TEST_F(TtirWalk, RunsTheStandardPassesUnlessToldOtherwise) {
  ASSERT_EQ(walk(kernel, {}), NEREID_OK) << reported;
  EXPECT_THAT(testing::PrintToString(shown.lines),
              testing::Not(HasSubstr("arith.addi")));
}

TEST_F(TtirWalk, EndsWhereTheVisitorSaysSo) {
  shown.answer = NEREID_UNIMPLEMENTED;
  EXPECT_EQ(walk(kernel, text("")), NEREID_UNIMPLEMENTED);
  EXPECT_EQ(shown.lines.size(), 1u);
  EXPECT_EQ(reported, "");
}

TEST_F(TtirWalk, ReportsWhatIsWrongAndShowsNothing) {
  EXPECT_EQ(walk("module {\n  tt.bogus\n}\n", {}), NEREID_INVALID_ARGUMENT);
  EXPECT_THAT(reported, HasSubstr("2: "));
  EXPECT_TRUE(shown.lines.empty());
}

TEST_F(TtirExtension, ItsIdentityIsTheSameEachTime) {
  ASSERT_EQ(extension->identity(&writer, &call), NEREID_OK);
  std::string first = output;
  EXPECT_GT(first.size(), 8u);
  EXPECT_THAT(first, testing::Not(HasSubstr("absent")));
  output.clear();
  ASSERT_EQ(extension->identity(&writer, &call), NEREID_OK);
  EXPECT_EQ(output, first);
}
} // namespace
