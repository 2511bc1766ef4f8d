// SelectTest.cpp - from calls to launches, with the reasons.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "PackFixture.h"
#include "nereid/ops.h"
#include "select/Describe.h"
#include "support/Json.h"

using namespace nereid::ops;
using nereid::host::Json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

namespace {

class OpsSelectTest : public PackFixture {
protected:
  // The document, or {"error": text}.
  Json explain(const Packs &packs, const std::string &call,
               const char *type = "acme", const char *arch = "v3",
               const char *name = "scale") {
    auto target = targetFacts(type, arch, "", R"({"multiprocessor_count": 4})");
    EXPECT_TRUE(target) << target.failure().text;
    Result<Json> explained = explainCall(packs, *target, name, call);
    return explained ? *explained
                     : Json({{"error", explained.failure().text},
                             {"status", explained.failure().status}});
  }
  static std::string one(const std::string &shape,
                         const std::string &more = "") {
    return R"({"inputs": {"x": {"shape": )" + shape + R"(, "dtype": "f32"}})" +
           more + "}";
  }
  static std::string grid(const Json &document) {
    return document.contains("error") ? document["error"].get<std::string>()
                                      : document["launches"][0]["grid"].dump();
  }

  static constexpr const char *twoVariants =
      "variants:\n"
      "  - name: small\n"
      "    when: n <= 16 and x.contiguous\n"
      "    kernel: scale.py:scale\n"
      "    arguments: {x: x, out: out, n: n, factor: factor}\n"
      "    constants: {BLOCK: 16}\n"
      "    options: {num_warps: 1}\n"
      "    grid: [1]\n"
      "  - name: large\n"
      "    when: n > device.units\n"
      "    temporaries: {partial: {dtype: f32, shape: [n, 2]}}\n"
      "    let: {tile: 'min(64, n)'}\n"
      "    steps:\n"
      "      - kernel: scale.py:scale\n"
      "        when: dim == 0\n"
      "        arguments: {x: x, out: partial, n: n, factor: 1}\n"
      "        constants: {BLOCK: tile, WIDE: BLOCK > 32}\n"
      "        options: {num_warps: 'BLOCK // 16'}\n"
      "        grid: ['cdiv(n, BLOCK)', len(x.shape)]\n"
      "      - kernel: scale.py:scale\n"
      "        repeat: dim + 2\n"
      "        arguments: {x: partial, out: 'out if step else partial', n: n, "
      "factor: factor * 2}\n"
      "        constants: {BLOCK: 2 ** step}\n"
      "        grid: [n]\n"
      "        tune: scale\n";
};

} // namespace

TEST_F(OpsSelectTest, TakesTheFirstVariantThatAppliesAndSaysWhy) {
  writePack("acme", "acme:*", twoVariants);
  Packs packs = findAll();
  ASSERT_THAT(messages(packs), IsEmpty());
  Json small = explain(packs, one("[4, 4]"));
  EXPECT_EQ(small["variant"], "small");
  EXPECT_EQ(small["launches"][0]["options"], Json({{"num_warps", 1}}));
  EXPECT_EQ(small["considered"].size(), 1u);
  Json large = explain(packs, one("[5, 20]"));
  EXPECT_EQ(large["variant"], "large");
  EXPECT_EQ(large["considered"][0]["reason"],
            "'n <= 16 and x.contiguous' does not hold: n is 100, x.contiguous "
            "is True");
  EXPECT_EQ(large["considered"][0]["taken"], false);
  EXPECT_EQ(large["considered"][1]["reason"], "'n > device.units' holds");
}

TEST_F(OpsSelectTest, StepsRepeatAreSkippedAndUseTemporaries) {
  writePack("acme", "acme:*", twoVariants);
  Packs packs = findAll();
  Json plan = explain(packs, one("[5, 20]"));
  ASSERT_EQ(plan["launches"].size(), 3u) << plan.dump(1);
  const Json &first = plan["launches"][0];
  EXPECT_EQ(first["kernel"], "scale.py:scale");
  EXPECT_EQ(first["grid"].dump(), "[2,2,1]");
  EXPECT_EQ(first["constants"].dump(), R"({"BLOCK":64,"WIDE":true})");
  EXPECT_EQ(first["options"].dump(), R"({"num_warps":4})");
  EXPECT_EQ(first["arguments"].dump(),
            R"({"x":"x","out":"partial","n":100,"factor":1})");
  EXPECT_EQ(plan["launches"][1]["arguments"].dump(),
            R"({"x":"partial","out":"partial","n":100,"factor":4.0})");
  EXPECT_EQ(plan["launches"][2]["arguments"]["out"], "out");
  EXPECT_EQ(plan["launches"][2]["constants"]["BLOCK"], 2);
  // dim decides: the first step is skipped, the second repeated once more.
  Json other = explain(packs, one("[5, 20]", R"(, "attributes": {"dim": 1})"));
  EXPECT_EQ(other["launches"].size(), 3u);
  EXPECT_EQ(other["launches"][0]["arguments"]["x"], "partial");
  std::vector<std::string> roles;
  for (const Json &tensor : plan["tensors"])
    roles.push_back(tensor["role"].get<std::string>() + " " +
                    tensor["name"].get<std::string>());
  EXPECT_THAT(roles, ElementsAre("output out", "input x", "temporary partial"));
}

TEST_F(OpsSelectTest, AnAttributeThatIsPassedAsItIsDecidesNothing) {
  writePack("acme", "acme:*", twoVariants);
  Packs packs = findAll();
  Json small = explain(packs, one("[4, 4]"));
  EXPECT_EQ(small["launches"][0]["arguments"]["factor"], "attribute factor");
  EXPECT_EQ(small["deciding_attributes"].dump(), R"(["dim"])");
  Json large = explain(packs, one("[5, 20]"));
  EXPECT_EQ(large["deciding_attributes"].dump(), R"(["dim","factor"])");
}

TEST_F(OpsSelectTest, AConfigurationReplacesSettingsOfTunedSteps) {
  writePack("acme", "acme:*", twoVariants);
  Packs packs = findAll();
  Json plan = explain(
      packs, one("[5, 20]", R"(, "configuration": {"constants": {"BLOCK": 8},
                               "options": {"num_warps": 2}})"));
  EXPECT_EQ(plan["launches"][0]["constants"]["BLOCK"], 64);
  EXPECT_EQ(plan["launches"][0]["options"]["num_warps"], 4);
  EXPECT_EQ(plan["launches"][1]["constants"]["BLOCK"], 8);
  EXPECT_EQ(plan["launches"][1]["options"]["num_warps"], 2);
}

TEST_F(OpsSelectTest, WhereNoVariantAppliesTheNextLayerDoes) {
  writePack("generic", "*");
  std::string never(oneVariant);
  never.insert(never.find("    kernel"), "    when: n == 7\n");
  writePack("acme", "acme:*", never);
  Packs packs = findAll();
  ASSERT_THAT(messages(packs), IsEmpty());
  Json plan = explain(packs, one("[5]"));
  EXPECT_EQ(plan["layer"], "the generic pack");
  EXPECT_EQ(plan["considered"][0]["layer"], "vendor 'acme'");
  EXPECT_EQ(explain(packs, one("[7]"))["layer"], "vendor 'acme'");
  EXPECT_EQ(explain(packs, one("[7]"), "cpu")["layer"], "the generic pack");
}

TEST_F(OpsSelectTest, AnAttributeThatALayerAboveReadDecides) {
  writePack("generic", "*");
  std::string seldom(oneVariant);
  seldom.insert(seldom.find("    kernel"), "    when: factor == 7\n");
  writePack("acme", "acme:*", seldom);
  Json plan = explain(findAll(), one("[5]"));
  EXPECT_EQ(plan["layer"], "the generic pack");
  EXPECT_EQ(plan["deciding_attributes"].dump(), R"(["dim","factor"])");
}

TEST_F(OpsSelectTest, WithoutAnyVariantEveryReasonIsShown) {
  std::string never(oneVariant);
  never.insert(never.find("    kernel"), "    when: n == 7\n");
  writePack("acme", "acme:*", never);
  Json plan = explain(findAll(), one("[5]"));
  EXPECT_EQ(plan["error"], "no variant of 'scale' applies to this call\nnote: "
                           "vendor 'acme', variant 'only': 'n == 7' does not "
                           "hold: n is 5");
  EXPECT_EQ(plan["status"], NEREID_UNIMPLEMENTED);
}

TEST_F(OpsSelectTest, ADisabledOperatorSaysWhyUnlessALayerAboveHasIt) {
  writePack("generic", "*");
  write("acme/vendor.yaml", "vendor_name: acme\ntargets: [\"acme:*\"]\n"
                            "disabled: {scale: is wrong there}\n"
                            "architectures: {v4: ['v4*']}\n");
  writeOperator("acme/arch/v4", oneVariant);
  Packs packs = findAll();
  ASSERT_THAT(messages(packs), IsEmpty());
  EXPECT_THAT(explain(packs, one("[5]"))["error"].get<std::string>(),
              testing::AllOf(HasSubstr("scale is disabled by vendor 'acme' ("),
                             HasSubstr("vendor.yaml): is wrong there")));
  EXPECT_EQ(explain(packs, one("[5]"), "acme", "v4")["layer"],
            "architecture 'v4' of vendor 'acme'");
  EXPECT_EQ(explain(packs, one("[5]"), "cpu")["layer"], "the generic pack");
  auto target = targetFacts("acme", "v3", "", "");
  EXPECT_EQ(listOperators(packs, &*target)[0]["disabled"], "is wrong there");
}

TEST_F(OpsSelectTest, ATypeThatTheDeviceLacksIsRefused) {
  writePack("generic", "*");
  writePack("acme", "acme:*", oneVariant, "dtypes: {f32: false}\n");
  Packs packs = findAll();
  EXPECT_EQ(explain(packs, one("[5]"))["error"],
            "scale: x is f32, which devices of 'acme' do not have");
  EXPECT_FALSE(explain(packs, one("[5]"), "cpu").contains("error"));
}

TEST_F(OpsSelectTest, ACallThatDoesNotFitIsRefusedInTheWordsOfTheSchema) {
  writePack("acme", "acme:*");
  Packs packs = findAll();
  const std::pair<std::string, const char *> cases[] = {
      {one("[1, 1, 1]"), "scale: x has 3 dimensions, expected 0 to 2"},
      {R"({"inputs": {"x": {"shape": [1], "dtype": "i32"}}})",
       "scale: x is i32, expected f16 or f32"},
      {R"({"inputs": {"x": {"shape": [1], "dtype": "f16"},
                      "y": {"shape": [1], "dtype": "f32"}}})",
       "scale: y is f32, expected f16"},
      {R"({"inputs": {"x": {"shape": [1], "dtype": "f16"},
                      "y": {"shape": [], "dtype": "f16"}}})",
       "scale: y has 0 dimensions, expected 1"},
      {"{}", "scale: input 'x' is not given"},
      {one("[1]", R"(, "attributes": {"dim": 2})"),
       "scale: dim is 2, {expected} 0 or 1 of [1]"},
      {one("[1]", R"(, "attributes": {"dim": 0.5})"),
       "scale: dim is 0.5, expected an int"},
      {one("[1]", R"(, "attributes": {"dim": null})"),
       "scale: dim is None, expected an int"},
      {one("[1]", R"(, "attributes": {"dmi": 0})"),
       "scale: unknown attribute 'dmi'; did you mean 'dim'"},
      {R"({"inputs": {"x": [{"shape": [1], "dtype": "f16"}]}})",
       "scale: x is a list, expected one tensor"},
      {one("[2]", R"(, "outputs": {"out": {"shape": [3], "dtype": "f32"}})"),
       "scale: out is f32 [3], expected f32 [2]"},
      {one("[2]", R"(, "outputs": {"out": []})"),
       "scale: out is a list, expected one tensor"},
      {one("[2]", R"(, "atributes": {})"),
       "the call: unknown member 'atributes'; did you mean 'attributes'"},
      {one("[-1]"), "the shape of 'x' has -1"},
      {one("[4611686018427387904, 4]"), "'x' has too many elements"},
      {R"({"inputs": {"x": {"shape": [2], "dtype": "f16", "stride": []}}})",
       "'x' has 0 strides, expected 1"},
      {R"({"inputs": {"x": {"shape": [2], "dtyp": "f16"}}})",
       "'x': unknown member 'dtyp'; did you mean 'dtype'"},
      {"[", "the call is not a JSON object"},
  };
  for (const auto &[call, expected] : cases)
    EXPECT_EQ(explain(packs, call).value("error", "no error"), expected)
        << call;
  EXPECT_EQ(explain(packs, "{}", "acme", "v3", "scael")["error"],
            "unknown operator 'scael'; did you mean 'scale'");
  EXPECT_EQ(explain(packs, "{}", "cpu", "x")["error"],
            "no pack for 'cpu:x' has the operator 'scale'");
}

TEST_F(OpsSelectTest, AnEmptyCallLaunchesNothing) {
  writePack("acme", "acme:*");
  Json plan = explain(findAll(), one("[0, 4]"));
  EXPECT_THAT(plan["launches"], IsEmpty());
  EXPECT_EQ(plan["variant"], "");
  EXPECT_EQ(plan["deciding_attributes"].dump(), R"(["dim"])");
  EXPECT_EQ(plan["tensors"][0]["shape"].dump(), "[0,4]");
  EXPECT_EQ(plan["considered"][0]["reason"],
            "nothing is launched: 'n == 0' holds");
}

TEST_F(OpsSelectTest, AnErrorOfAnExpressionNamesItsFileAndLine) {
  std::string bad(oneVariant);
  bad.replace(bad.find("min(tile,"), 9, "min(1 // (n - 5),");
  writePack("acme", "acme:*", bad);
  Packs packs = findAll();
  ASSERT_THAT(messages(packs), IsEmpty());
  std::string error = explain(packs, one("[5]")).value("error", "");
  EXPECT_THAT(error, HasSubstr("/acme/ops/scale.yaml:2"));
  EXPECT_THAT(error, HasSubstr("column 7: division by zero"));
}

TEST_F(OpsSelectTest, TheKeyHasTypesAndValuesTheBucketRoundedOnes) {
  writePack("acme", "acme:*");
  write(
      "acme/tune_configs.yaml",
      "scale:\n- gen: true\n  param_map: {META: {BLOCK: b}}\n  b: [16, 32]\n");
  Json plan = explain(findAll(), one("[5, 20]"));
  EXPECT_EQ(plan["key"].dump(), R"({"n":100,"x":"f32"})");
  EXPECT_EQ(plan["bucket"].dump(), R"({"n":128,"x":"f32"})");
  EXPECT_EQ(plan["tune"].dump(),
            R"({"entry":"scale","layer":"vendor 'acme'","configurations":2})");
}

TEST_F(OpsSelectTest, InputsAreCopiedWhereTheKernelNeedsRowMajor) {
  writePack("acme", "acme:*");
  write("acme/ops/scale.yaml",
        std::string(schema) + "contiguous: [x, y]\n" + oneVariant);
  Packs packs = findAll();
  ASSERT_THAT(messages(packs), IsEmpty());
  Json plan = explain(packs, R"({"inputs": {"x": {"shape": [4, 8],
                      "dtype": "f16", "stride": [1, 4], "align": 2}}})");
  EXPECT_EQ(plan["tensors"][1]["copied"], true);
  EXPECT_EQ(plan["tensors"][1]["stride"].dump(), "[8,1]");
  EXPECT_EQ(explain(packs, one("[4, 8]"))["tensors"][1]["copied"], false);
}

TEST(OpsTensorTest, IterationSpacesCollapseAsFarAsStridesAllow) {
  auto space =
      [](std::vector<int64_t> shape,
         std::vector<std::pair<std::vector<int64_t>, std::vector<int64_t>>>
             tensors) {
        std::vector<TensorFacts> facts;
        for (auto &[sizes, strides] : tensors)
          facts.push_back({"f32", sizes, strides, 16});
        std::vector<const TensorFacts *> over;
        for (const TensorFacts &each : facts)
          over.push_back(&each);
        IterationSpace space = collapse(over, shape);
        std::string text = listOf(space.dims).repr();
        for (const auto &steps : space.steps)
          text += " " + listOf(steps).repr();
        return text;
      };
  EXPECT_EQ(space({2, 3, 4}, {{{2, 3, 4}, {12, 4, 1}}}), "[24] [1]");
  EXPECT_EQ(space({2, 3, 4}, {{{2, 3, 4}, {12, 4, 1}}, {{4}, {1}}}),
            "[6, 4] [4, 1] [0, 1]");
  EXPECT_EQ(space({2, 3, 4}, {{{2, 3, 4}, {12, 4, 1}}, {{3, 1}, {1, 1}}}),
            "[2, 3, 4] [12, 4, 1] [0, 1, 0]");
  EXPECT_EQ(space({4, 2}, {{{4, 2}, {1, 4}}}), "[4, 2] [1, 4]");
  EXPECT_EQ(space({1, 1}, {{{1, 1}, {7, 7}}}), "[1] [0]");
  EXPECT_EQ(space({}, {{{}, {}}}), "[1] [0]");
  EXPECT_EQ(space({0, 3}, {{{0, 3}, {3, 1}}}), "[0] [1]");
  EXPECT_EQ(space({5, 1, 2}, {{{5, 1, 2}, {2, 9, 1}}, {{}, {}}}),
            "[10] [1] [0]");
}

TEST(OpsTensorTest, ContiguousIsWhatPyTorchCallsContiguous) {
  EXPECT_TRUE(isContiguous({"f32", {2, 3}, {3, 1}, 16}));
  EXPECT_TRUE(isContiguous({"f32", {2, 1, 3}, {3, 99, 1}, 16}));
  EXPECT_TRUE(isContiguous({"f32", {0, 3}, {7, 7}, 16}));
  EXPECT_FALSE(isContiguous({"f32", {2, 3}, {1, 2}, 16}));
  EXPECT_FALSE(isContiguous({"f32", {2, 3}, {6, 2}, 16}));
}

TEST_F(OpsSelectTest, TheCInterfaceAnswersInJson) {
  writePack("acme", "acme:*");
  nereid_ops_options_t options = {};
  options.struct_size = sizeof options;
  options.flags = NEREID_OPS_IGNORE_ENVIRONMENT | NEREID_OPS_NO_INSTALLED |
                  NEREID_OPS_ALLOW_WRITABLE;
  options.pack_dirs = {folder.data(), folder.size()};
  nereid_ops_t *ops = nullptr;
  ASSERT_EQ(nereid_ops_create(&options, &ops), NEREID_OK);
  auto take = [](nereid_status_t status, nereid_buffer_t *buffer) {
    EXPECT_EQ(status, NEREID_OK) << nereid_error().data;
    nereid_bytes_t bytes = nereid_buffer_bytes(buffer);
    Json json = Json::parse(
        std::string_view(static_cast<const char *>(bytes.data), bytes.size));
    nereid_buffer_destroy(buffer);
    return json;
  };
  nereid_buffer_t *buffer = nullptr;
  nereid_status_t status = nereid_ops_report(ops, &buffer);
  EXPECT_EQ(take(status, buffer)["packs"][0]["operators"], 1);
  status = nereid_ops_list(ops, nullptr, &buffer);
  EXPECT_EQ(take(status, buffer)[0]["operator"], "scale");
  status = nereid_ops_show(ops, {"scale", 5}, &buffer);
  EXPECT_EQ(take(status, buffer)["layers"][0]["variants"][0]["name"], "only");
  nereid_ops_target_t target = {};
  target.struct_size = sizeof target;
  target.device_type = {"acme", 4};
  std::string call = one("[100]");
  status = nereid_ops_explain(ops, &target, {"scale", 5},
                              {call.data(), call.size()}, &buffer);
  EXPECT_EQ(take(status, buffer)["launches"][0]["constants"]["BLOCK"], 128);
  EXPECT_EQ(nereid_ops_show(ops, {"scael", 5}, &buffer), NEREID_NOT_FOUND);
  target.properties = {"[]", 2};
  EXPECT_EQ(nereid_ops_list(ops, &target, &buffer), NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(nereid_ops_explain(ops, nullptr, {}, {}, &buffer),
            NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(nereid_ops_create(&options, nullptr), NEREID_INVALID_ARGUMENT);
  nereid_ops_destroy(ops);
  nereid_ops_destroy(nullptr);
}
