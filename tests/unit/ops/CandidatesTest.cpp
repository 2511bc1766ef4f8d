// CandidatesTest.cpp - what a call may be tuned over, and choices by name.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "select/Candidates.h"
#include "PackFixture.h"
#include "select/Describe.h"
#include "support/Json.h"

using namespace nereid::ops;
using nereid::host::Json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

namespace {

constexpr const char *threeVariants =
    "variants:\n"
    "  - name: small\n"
    "    when: n <= 16\n"
    "    kernel: scale.py:scale\n"
    "    arguments: {x: x, out: out, n: n, factor: factor}\n"
    "    constants: {BLOCK: 16}\n"
    "    grid: [1]\n"
    "  - name: only\n"
    "    kernel: scale.py:scale\n"
    "    arguments: {x: x, out: out, n: n, factor: factor}\n"
    "    let: {tile: 64}\n"
    "    constants: {BLOCK: 64}\n"
    "    options: {num_warps: 4}\n"
    "    grid: ['cdiv(n, BLOCK)']\n"
    "    tune: scale\n"
    "  - name: broken\n"
    "    kernel: scale.py:scale\n"
    "    arguments: {x: x, out: out, n: n, factor: factor}\n"
    "    constants: {BLOCK: 1 // (n - 100)}\n"
    "    grid: [BLOCK]\n";
constexpr const char *configs =
    "scale:\n"
    "- gen: true\n"
    "  param_map: {META: {BLOCK: blocks}, num_warps: warps}\n"
    "  blocks: [16, 64, 128, 256]\n"
    "  warps: [4, 8]\n"
    "  where: BLOCK < tile * 4 and (num_warps == 4 or n > 1000) and BLOCK <= 2 "
    "* n\n";

class OpsCandidatesTest : public PackFixture {
protected:
  OpsCandidatesTest() {
    writePack("acme", "acme:*", threeVariants);
    write("acme/tune_configs.yaml", configs);
    writePack("generic", "*");
  }
  Result<Candidates> list(const Packs &packs, const std::string &shape,
                          Search search = Search::Usual) {
    return candidatesOf(packs, *target, "scale", facts(shape), search);
  }
  static CallFacts facts(const std::string &shape) {
    return callOfJson(R"({"inputs": {"x": {"shape": )" + shape +
                      R"(, "dtype": "f32"}}})")
        ->facts;
  }
  static std::vector<std::string> texts(const Candidates &candidates) {
    std::vector<std::string> list;
    for (const Candidate &each : candidates.list)
      list.push_back(each.variant + ' ' + each.configuration +
                     (each.isDefault ? " default" : "") +
                     (each.unsupported.empty() ? "" : " no"));
    return list;
  }

  Result<TargetFacts> target = targetFacts("acme", "v3", "", "");
};

} // namespace

TEST_F(OpsCandidatesTest, AreVariantsTimesConfigurationsOfAllLayers) {
  Packs packs = findAll();
  ASSERT_THAT(messages(packs), IsEmpty());
  auto found = list(packs, "[100]");
  ASSERT_TRUE(found) << found.failure().text;
  // BLOCK=64 num_warps=4 is what the variant does anyway.
  EXPECT_THAT(
      texts(*found),
      ElementsAre("only {} default", "small {} no",
                  R"(only {"BLOCK":16,"num_warps":4})",
                  R"(only {"BLOCK":128,"num_warps":4})", "broken {} no",
                  "the generic pack/only {}",
                  R"(the generic pack/only {"BLOCK":16,"num_warps":4})",
                  R"(the generic pack/only {"BLOCK":64,"num_warps":4})",
                  R"(the generic pack/only {"BLOCK":128,"num_warps":4})"));
  EXPECT_EQ(found->list[1].unsupported, "'n <= 16' does not hold: n is 100");
  EXPECT_THAT(found->list[4].unsupported, HasSubstr("division by zero"));
  EXPECT_THAT(found->list[0].source, SizeIs(64));
  EXPECT_NE(found->list[0].source, found->list[5].source);
  EXPECT_EQ(found->key, R"({"n":100,"x":"f32"})");
}

TEST_F(OpsCandidatesTest, AVariantWhoseConfigurationsFailIsOneWithoutThem) {
  write("acme/tune_configs.yaml", "scale:\n"
                                  "- META: {BLOCK: 16}\n"
                                  "  where: BLOCK // (n - 100) == 0\n");
  auto found = list(findAll(), "[100]");
  ASSERT_TRUE(found) << found.failure().text;
  EXPECT_THAT(texts(*found),
              ElementsAre("only {} default", "small {} no", "only {} no",
                          "broken {} no", "the generic pack/only {}",
                          "the generic pack/only {} no"));
  EXPECT_EQ(found->list[2].unsupported,
            "the configurations of 'scale', line 3: expression 'BLOCK // (n - "
            "100) == 0', column 7: division by zero");
}

TEST_F(OpsCandidatesTest, ASourceIsThatOfTheKernelsAndTheOperator) {
  std::string before = list(findAll(), "[100]")->list[0].source;
  EXPECT_EQ(list(findAll(), "[7]")->list[0].source, before);
  write("acme/ops/scale.py", std::string(kernel) + "# changed\n");
  std::string after = list(findAll(), "[100]")->list[0].source;
  EXPECT_NE(after, before);
  write("acme/ops/scale.yaml",
        std::string(schema) + threeVariants + "# changed\n");
  EXPECT_NE(list(findAll(), "[100]")->list[0].source, after);
}

TEST_F(OpsCandidatesTest, ACallThatLaunchesNothingHasNone) {
  auto found = list(findAll(), "[0]");
  ASSERT_TRUE(found);
  EXPECT_THAT(found->list, IsEmpty());
}

TEST_F(OpsCandidatesTest, EachIsChosenByTheNamesOfATunedResult) {
  Packs packs = findAll();
  auto found = list(packs, "[100]");
  ASSERT_TRUE(found);
  for (const Candidate &candidate : found->list) {
    auto wanted = findCandidate(packs, *target, "scale", facts("[100]"),
                                candidate.variant, candidate.configuration);
    ASSERT_TRUE(wanted) << wanted.failure().text;
    if (!candidate.unsupported.empty())
      continue;
    ASSERT_TRUE(*wanted) << candidate.variant << candidate.configuration;
    auto plan = select(packs, *target, "scale", facts("[100]"), &**wanted);
    ASSERT_TRUE(plan) << plan.failure().text;
    EXPECT_EQ(plan->selection.layer, candidate.layer);
    Json block = Json::parse(candidate.configuration).value("BLOCK", Json());
    if (!block.is_null())
      EXPECT_EQ(plan->selection.launches[0].constants[0].value.repr(),
                block.dump());
  }
  for (auto [variant, configuration] :
       {std::pair("only", R"({"BLOCK":32,"num_warps":4})"),
        {"only", R"({"BLOCK":256,"num_warps":4})"},
        {"small", "{}"},
        {"other", "{}"}}) {
    auto wanted = findCandidate(packs, *target, "scale", facts("[100]"),
                                variant, configuration);
    ASSERT_TRUE(wanted);
    EXPECT_FALSE(*wanted) << variant << configuration;
  }
}

TEST_F(OpsCandidatesTest, ACallMayNameWhatItUses) {
  Packs packs = findAll();
  auto explain = [&](const std::string &choice) {
    auto document = explainCall(
        packs, *target, "scale",
        R"({"inputs": {"x": {"shape": [7], "dtype": "f32"}}, "configuration": )" +
            choice + "}");
    return document ? *document : Json({{"error", document.failure().text}});
  };
  EXPECT_EQ(explain("{}")["variant"], "small");
  Json plan = explain(R"({"variant": "only", "constants": {"BLOCK": 128}})");
  EXPECT_EQ(plan["variant"], "only");
  EXPECT_EQ(plan["launches"][0]["constants"]["BLOCK"], 128);
  EXPECT_EQ(plan["considered"][0]["reason"], "'only' is wanted");
  EXPECT_EQ(explain(R"({"variant": "the generic pack/only"})")["layer"],
            "the generic pack");
  EXPECT_THAT(explain(R"({"variant": "none"})").value("error", ""),
              HasSubstr("no variant of 'scale' applies"));
  EXPECT_THAT(explain(R"({"variants": "none"})").value("error", ""),
              HasSubstr("did you mean 'variant'"));
  EXPECT_THAT(explain(R"({"variant": 1})").value("error", ""),
              HasSubstr("expected a string"));
  EXPECT_THAT(explain(R"({"options": []})").value("error", ""),
              HasSubstr("'options' is not a JSON object"));
}
