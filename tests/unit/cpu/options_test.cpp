// options_test.cpp - checking options, and their canonical text.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "options.h"

#include "common/text.h"

#include <gtest/gtest.h>

namespace nereid::cpu {
namespace {

using namespace plugin;

class OptionsTest : public ::testing::Test {
public:
  OptionsTest() {
    host.arch = "x86_64";
    host.name = "znver4";
    host.features = "+avx2,+fma";
    call.struct_size = sizeof call;
    call.user = &errors;
    call.report = [](const nereid_call_t *self,
                     const nereid_diagnostic_t *one) {
      *static_cast<std::string *>(self->user) += view(one->message);
    };
  }

  nereid_status_t
  parse(const std::vector<std::pair<const char *, const char *>> &list,
        const nereid_target_t *target = nullptr) {
    std::vector<nereid_value_t> values;
    for (auto [name, value] : list) {
      nereid_value_t one = {};
      one.name = text(name);
      one.type = NEREID_TYPE_STRING;
      one.text = text(value);
      values.push_back(one);
    }
    errors.clear();
    options = {};
    return parseOptions(host, target, values.data(), values.size(), options,
                        &call);
  }

  HostCpu host;
  Options options;
  nereid_call_t call = {};
  std::string errors;
};

TEST_F(OptionsTest, DefaultsAreTheHosts) {
  ASSERT_EQ(parse({}), NEREID_OK);
  EXPECT_EQ(options.arch, "x86_64");
  EXPECT_EQ(options.targetCpu, "x86-64");
  EXPECT_EQ(options.tuneCpu, "znver4");
  EXPECT_EQ(options.targetFeatures, "+avx2,+fma");
  EXPECT_EQ(options.optLevel, 2);
  EXPECT_TRUE(options.enableFpFusion);
}

TEST_F(OptionsTest, ATargetOverridesTheHost) {
  nereid_target_t target = {};
  target.struct_size = sizeof target;
  target.arch = text("x86_64");
  target.features = text("haswell,+avx2");
  ASSERT_EQ(parse({{"features", "-avx2"}}, &target), NEREID_OK);
  EXPECT_EQ(options.tuneCpu, "haswell");
  EXPECT_EQ(options.targetFeatures, "+avx2,-avx2");
}

TEST_F(OptionsTest, ATargetsBareNameImpliesItsFeatures) {
  nereid_target_t target = {};
  target.struct_size = sizeof target;
  target.arch = text("x86_64");
  target.features = text("znver4");
  ASSERT_EQ(parse({}, &target), NEREID_OK);
  EXPECT_EQ(options.targetCpu, "znver4");
  EXPECT_EQ(options.tuneCpu, "");
  EXPECT_EQ(options.targetFeatures, "");
  target.features = text("+avx2");
  ASSERT_EQ(parse({}, &target), NEREID_OK);
  EXPECT_EQ(options.targetCpu, "x86-64");
}

TEST_F(OptionsTest, ABareNameMayHaveDashes) {
  nereid_target_t target = {};
  target.struct_size = sizeof target;
  target.backend = text("cpu");
  target.arch = text("x86_64");
  target.features = text("x86-64-v3");
  ASSERT_EQ(parse({}, &target), NEREID_OK);
  EXPECT_EQ(options.targetCpu, "x86-64-v3");
  target.arch = text("aarch64");
  target.features = text("neoverse-n1");
  ASSERT_EQ(parse({}, &target), NEREID_OK);
  EXPECT_EQ(options.targetCpu, "neoverse-n1");
  // A feature is not a name.
  target.features = text("-neon");
  ASSERT_EQ(parse({}, &target), NEREID_OK);
  EXPECT_NE(options.targetCpu, "-neon");
}

TEST_F(OptionsTest, AnotherArchitectureIsGeneric) {
  nereid_target_t target = {};
  target.struct_size = sizeof target;
  target.arch = text("x86_64");
  target.features = text("haswell,+avx2");
  ASSERT_EQ(parse({{"arch", "aarch64"}}, &target), NEREID_OK);
  EXPECT_EQ(options.targetCpu, "generic");
  EXPECT_EQ(options.tuneCpu, "");
  EXPECT_EQ(options.targetFeatures, "");
}

TEST_F(OptionsTest, ANamedCpuHasItsOwnFeatures) {
  ASSERT_EQ(parse({{"cpu", "x86-64-v3"}}), NEREID_OK);
  EXPECT_EQ(options.targetCpu, "x86-64-v3");
  EXPECT_EQ(options.targetFeatures, "");
}

TEST_F(OptionsTest, EqualMeaningHasEqualText) {
  parse({});
  std::string defaults = canonicalText(options);
  parse({{"opt_level", "2"}, {"enable_fp_fusion", "1"}, {"cpu", "host"}});
  EXPECT_EQ(canonicalText(options), defaults);
  parse({{"opt_level", "3"}});
  EXPECT_NE(canonicalText(options), defaults);
  host.features = "+avx2";
  parse({});
  EXPECT_NE(canonicalText(options), defaults);
}

TEST_F(OptionsTest, Errors) {
  EXPECT_EQ(parse({{"optlevel", "2"}}), NEREID_INVALID_ARGUMENT);
  EXPECT_NE(errors.find("unknown option 'optlevel'"), std::string::npos);
  EXPECT_NE(errors.find("opt_level"), std::string::npos);
  EXPECT_EQ(parse({{"opt_level", "4"}}), NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(errors, "option opt_level: 4 is not between 0 and 3");
  EXPECT_EQ(parse({{"opt_level", "two"}}), NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(parse({{"debug_info", "maybe"}}), NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(parse({{"arch", "sparc"}}), NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(parse({{"vector_bits", "300"}}), NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(parse({{"cpu", "a;b"}}), NEREID_INVALID_ARGUMENT);
  for (const char *list : {",,", ",+avx2", "+avx2,", "+avx2,,-fma"}) {
    EXPECT_EQ(parse({{"features", list}}), NEREID_INVALID_ARGUMENT) << list;
    EXPECT_NE(errors.find("has an empty name"), std::string::npos) << list;
  }
}

TEST_F(OptionsTest, TypedValues) {
  nereid_value_t values[2] = {};
  values[0].name = text("threads");
  values[0].type = NEREID_TYPE_I64;
  values[0].i64 = 3;
  values[1].name = text("reassociate");
  values[1].type = NEREID_TYPE_BOOL;
  values[1].i64 = 0;
  ASSERT_EQ(parseOptions(host, nullptr, values, 2, options, &call), NEREID_OK);
  EXPECT_EQ(options.threads, 3);
  EXPECT_FALSE(options.reassociate);
  values[0].type = NEREID_TYPE_F64;
  EXPECT_EQ(parseOptions(host, nullptr, values, 2, options, &call),
            NEREID_INVALID_ARGUMENT);
}

TEST_F(OptionsTest, TheSchemaHoldsItsOwnDefaults) {
  nereid_option_sink_t sink = {};
  sink.struct_size = sizeof sink;
  sink.user = this;
  sink.add = [](const nereid_option_sink_t *self,
                const nereid_option_t *option) -> nereid_status_t {
    auto &test = *static_cast<OptionsTest *>(self->user);
    nereid_value_t value = {};
    value.name = option->name;
    value.type = NEREID_TYPE_STRING;
    value.text = option->default_value;
    Options out;
    EXPECT_EQ(parseOptions(test.host, nullptr, &value, 1, out, &test.call),
              NEREID_OK)
        << test.errors;
    EXPECT_GT(option->doc.size, 0u);
    return NEREID_OK;
  };
  EXPECT_EQ(visitOptions(&sink), NEREID_OK);
}

} // namespace
} // namespace nereid::cpu
