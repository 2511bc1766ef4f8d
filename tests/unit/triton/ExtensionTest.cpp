// ExtensionTest.cpp - what the plugin tells frontends.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Fixture.h"

#include "nereid/ext/frontend.h"
#include "nereid/ext/libdevice.h"

using namespace nereid::triton;

namespace {
class ExtensionTest : public TritonFixture {};
} // namespace

TEST_F(ExtensionTest, FactsAreThoseOfTriton) {
  auto *frontend = static_cast<const nereid_frontend_t *>(
      findExtension(plugin(), text(NEREID_EXT_FRONTEND)));
  ASSERT_NE(frontend, nullptr);
  std::map<std::string, std::string> facts;
  nereid_value_sink_t sink = {
      sizeof(nereid_value_sink_t), 0, &facts,
      [](const nereid_value_sink_t *sink, const nereid_value_t *value) {
        (*static_cast<std::map<std::string, std::string> *>(
            sink->user))[std::string(view(value->name))] = valueText(*value);
        return nereid_status_t(NEREID_OK);
      }};
  nereid_target_t target = cudaTarget();
  ASSERT_EQ(frontend->visit_facts(plugin(), &target, &sink, &call.record),
            NEREID_OK)
      << call.reported;
  EXPECT_EQ(facts["fp8_types"], "fp8e5,fp8e4b15");
  EXPECT_EQ(facts["dot_fp8_types"], "fp8e5");
  EXPECT_EQ(facts["dot_precisions"], "tf32,ieee");
  EXPECT_EQ(facts["default_dot_precision"], "tf32");
  EXPECT_EQ(facts["max_num_imprecise_acc"], "7");
  EXPECT_EQ(facts["min_dot_size"], "1,1,16");
}

TEST_F(ExtensionTest, ExternalFunctionsAreThoseOfItsLibdevice) {
  auto *libdevice = static_cast<const nereid_libdevice_t *>(
      findExtension(plugin(), text(NEREID_EXT_LIBDEVICE)));
  ASSERT_NE(libdevice, nullptr);
  std::string found;
  nereid_libdevice_sink_t sink = {
      sizeof(nereid_libdevice_sink_t), 0, &found,
      [](const nereid_libdevice_sink_t *sink,
         const nereid_libdevice_function_t *function) {
        auto &out = *static_cast<std::string *>(sink->user);
        out += std::string(view(function->name)) + ' ' +
               std::string(view(function->symbol)) + ' ' +
               std::string(view(function->result)) + '(';
        for (uint64_t i = 0; i < function->operand_count; ++i)
          out += std::string(view(function->operands[i])) + ' ';
        out += ")\n";
        return nereid_status_t(NEREID_OK);
      }};
  nereid_target_t target = cudaTarget();
  ASSERT_EQ(libdevice->visit_functions(plugin(), &target, &sink, &call.record),
            NEREID_OK)
      << call.reported;
  EXPECT_EQ(found, "popc __nv_popc i32(i32 )\n"
                   "popc __nv_popcll i32(i64 )\n"
                   "fma __nv_fmaf f16(f32 f32 u64 )\n");
}

TEST_F(ExtensionTest, KnowsNoOthers) {
  EXPECT_EQ(findExtension(plugin(), text("nereid.stream/1")), nullptr);
}
